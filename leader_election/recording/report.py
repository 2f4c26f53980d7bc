# Copyright 2026 The leader_election authors
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.

"""What a recording tells of a swarm, in numbers."""

from dataclasses import asdict, dataclass
import json
import math

from leader_election.recording.replay import Run
from leader_election.recording.settings import Settings
from leader_election.recording.truth import agreement_with_truth
from leader_election.robot.codec import MAIN
from leader_election.swarm.agreement import Share
from leader_election.swarm.history import changes, Loss, losses, Reign, reigns
from leader_election.swarm.snapshot import is_partition, regions

STRETCHES = 10
"""Agreement is told of so many stretches of the recording, and of the whole."""


@dataclass(frozen=True)
class Report:
    """Times count from the first message [s]."""

    duration: float
    robots: int
    """How many were heard."""
    silent: int
    """How many of them were silent in the end."""
    messages: int
    """In the part that is shown; so all that is told of them."""
    bytes: int
    rejected: int
    """Of these messages: what said nothing."""
    missing: float | None
    """The share of messages that robots count as sent and that are not in the recording."""
    radius: float | None
    """[m]; ``None``: not known."""
    communication_range: float | None
    regions: tuple[int, float, int]
    """The fewest at once, their mean over time, the most."""
    largest: int
    """The most robots in a region at once."""
    first_partition: float | None
    """When first each robot had a living leader that led itself, within the radius."""
    whole: float
    """The share of looks at which that was so."""
    changes: int
    """How often a robot took another leader."""
    instability: float
    """The same, a robot and minute."""
    reigns: list[Reign]
    losses: list[Loss]
    agreement: list[Share]
    """
    With the leaders by true places: over consecutive stretches, and at last over all. Of the
    first instance only: another may elect by other strengths.
    """


def report(run: Run, settings: Settings) -> Report:
    """Return what a run tells."""
    begin, snapshots = run.begin, run.snapshots
    robots = {robot for snapshot in snapshots for robot in snapshot.robots}
    counts = [len(regions(snapshot)) for snapshot in snapshots]
    radius, reach = lengths(run, settings)
    wholes = [s.time - begin for s in snapshots
              if is_partition(s, math.inf if radius is None else radius)]
    duration = min(run.end - begin, settings.end) - settings.begin
    minutes = sum(len(snapshot.robots) for snapshot in snapshots) / len(snapshots) * duration / 60
    taken = len(changes(snapshots))
    told = run.told
    return Report(
        duration, len(robots), len(robots - snapshots[-1].robots.keys()),
        *run.heard,
        max(0.0, 1.0 - told.here / told.sent) if told.sent else None, radius, reach,
        (min(counts), sum(counts) / len(counts), max(counts)),
        max((len(members) for s in snapshots for members in regions(s).values()), default=0),
        wholes[0] if wholes else None, len(wholes) / len(snapshots), taken,
        taken / minutes if minutes else 0.0,
        [r._replace(begin=r.begin - begin, end=r.end - begin) for r in reigns(snapshots)],
        [_since(begin, loss) for loss in losses(snapshots, settings.expiry)],
        _agreement(run, settings, duration) if settings.instance == MAIN else [])


def lengths(run: Run, settings: Settings) -> tuple[float | None, float | None]:
    """Return radius and range [m]: as chosen, or as the robots say; ``None``: not known."""
    told = run.told
    return (told.radius if settings.radius is None else settings.radius,
            told.communication_range if settings.communication_range is None
            else settings.communication_range)


def as_json(of: Report) -> str:
    """Return a report as a JSON document; what is not finite is null."""
    return json.dumps(_plain(asdict(of)), indent=2)


def _since(begin: float, loss: Loss) -> Loss:
    def since(time: float | None) -> float | None:
        return None if time is None else time - begin
    return loss._replace(time=loss.time - begin, recovered=since(loss.recovered),
                         returned=since(loss.returned))


def _agreement(run: Run, settings: Settings, duration: float) -> list[Share]:
    radius, reach = lengths(run, settings)
    if not run.truth or radius is None or reach is None:
        return []
    agreement = agreement_with_truth(
        run.snapshots, run.truth, run.told.strengths, radius, reach)
    start, stretch = run.begin + settings.begin, duration / STRETCHES
    bounds = [(start + i * stretch, start + (i + 1) * stretch) for i in range(STRETCHES)]
    shares = (agreement.share(*b) for b in [*bounds, (start, math.inf)])
    return [share._replace(begin=share.begin - run.begin, end=share.end - run.begin)
            for share in shares if share is not None]


def _plain(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {name: _plain(of_it) for name, of_it in value.items()}
    if hasattr(value, '_asdict'):
        return _plain(value._asdict())
    return [_plain(each) for each in value] if isinstance(value, (list, tuple)) else value
