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

"""The report on a recording: figures, agreement with true positions, as text and as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
import json
import math

from leader_election.recording.options import Settings
from leader_election.recording.replay import Run
from leader_election.robot.codec import MAIN
from leader_election.swarm.history import changes, Loss, losses, Reign, reigns
from leader_election.swarm.partition import Agreement, partition, Share
from leader_election.swarm.snapshot import is_partition, regions, RobotView, Snapshot
from leader_election.view.formatting import count
import numpy as np

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


FLOOR = 0.01
"""The shortest distance between two robots by their metric [m], as is their default."""
PERIOD = 1.0
"""Time between two comparisons [s]."""
Tracks = Mapping[int, Sequence[tuple[float, float, float]]]
"""Time [s] and place x, y [m], one after the other, by the robot's id."""


def agreement_with_truth(snapshots: Sequence[Snapshot], tracks: Tracks,
                         strengths: Mapping[int, float], radius: float,
                         communication_range: float) -> Agreement:
    """
    Compare the leaders that robots said they had with a partition computed from true places.

    That partition is the one that Bounded Election would come to if nothing moved and all was
    heard; robots on the move are behind it by the time that news takes. Equal strengths are told
    apart by the ids. Robots count while their true place and their strength are known.

    :param strengths: of each robot, as it said last.
    """
    agreement = Agreement()
    tables = {robot: np.array(track) for robot, track in tracks.items()
              if robot in strengths and len(track) > 1}
    last = -math.inf
    for snapshot in snapshots:
        if 0.0 <= snapshot.time - last < 0.99 * PERIOD:
            continue
        last = snapshot.time
        places = {
            robot: (np.interp(last, table[:, 0], table[:, 1]),
                    np.interp(last, table[:, 0], table[:, 2]))
            for robot, table in tables.items() if robot in snapshot.robots
            and table[0, 0] <= last <= table[-1, 0]}
        agreement.compare(last, snapshot, _direct(
            last, places, strengths, radius, communication_range))
    return agreement


def _direct(time: float, places: Mapping[int, tuple[float, float]],
            strengths: Mapping[int, float], radius: float,
            communication_range: float) -> Snapshot:
    graph: dict[int, dict[int, float]] = {robot: {} for robot in places}
    for robot, place in places.items():
        for other, there in places.items():
            far = math.dist(place, there)
            if robot != other and far <= communication_range:
                graph[robot][other] = max(far, FLOOR)
    led = partition(graph, strengths, radius, 'id')
    return Snapshot(time, {
        robot: RobotView(robot, places[robot], -strengths[leader], far, leader)
        for robot, (leader, far, _) in led.items()})


MOST_REIGNS = 12
"""So many leaders are listed, those who led for longest."""


def in_words(of: Report) -> str:
    """Return a report as lines of text."""
    return '\n'.join([*_swarm(of), *_elections(of), *_leaders(of), *_losses(of), *_truth(of)])


def _swarm(of: Report) -> Iterator[str]:
    silent = f', {of.silent} of them silent in the end' if of.silent else ''
    yield f'{of.duration:.1f} s, {count(of.robots, "robot")}{silent}'
    rate = f'{of.messages / of.duration:.1f} a second, ' if of.duration else ''
    yield (f'{count(of.messages, "message")}, {rate}{of.bytes / max(of.messages, 1):.0f} bytes '
           f'each; {of.rejected} said nothing')
    if of.missing is not None:
        yield (f'by the count of the robots {of.missing:.2%} of what they sent is not in the '
               'recording')


def _elections(of: Report) -> Iterator[str]:
    fewest, mean, most = of.regions
    yield (f'{fewest} to {most} regions, {mean:.1f} on average; the largest had '
           f'{count(of.largest, "robot")}')
    within = '' if of.radius is None else f', within {of.radius:g} m'
    first = 'never' if of.first_partition is None else f'first after {of.first_partition:.1f} s'
    yield (f'a whole partition, each robot with a living leader that leads itself{within}: '
           f'{first}, at {of.whole:.0%} of the looks')
    yield (f'{count(of.changes, "change")} of leader, {of.instability:.2f} a robot and minute')


def _leaders(of: Report) -> Iterator[str]:
    longest = sorted(of.reigns, key=lambda reign: reign.begin - reign.end)[:MOST_REIGNS]
    if not longest:
        return
    yield f'{count(len({reign.leader for reign in of.reigns}), "leader")} in all; for longest led'
    yield '    leader       from         to        for   most robots'
    for reign in longest:
        yield (f'{reign.leader:>10} {reign.begin:8.1f} s {reign.end:8.1f} s '
               f'{reign.end - reign.begin:8.1f} s {reign.most:>13}')


def _losses(of: Report) -> Iterator[str]:
    for loss in of.losses:
        ending = 'its region did not recover' if loss.recovered is None else \
            f'recovered {loss.recovered - loss.time:.1f} s later'
        again = '' if loss.returned is None else \
            f'; it was heard again {loss.returned - loss.time:.1f} s later'
        yield (f'leader {loss.leader}, who led {count(loss.led, "other")}, fell silent at '
               f'{loss.time:.1f} s: {ending}{again}')


def _truth(of: Report) -> Iterator[str]:
    if not of.agreement:
        return
    yield 'a robot has the leader that it would have by true places; and so have all at once'
    for share in of.agreement[:-1]:
        yield (f'{share.begin:8.1f} to {share.end:6.1f} s {share.robots:8.1%} '
               f'{share.partitions:8.1%}')
    whole = of.agreement[-1]
    yield f'{"overall":>20} {whole.robots:10.1%} {whole.partitions:8.1%}'
