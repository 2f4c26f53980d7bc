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

"""Report on a recording: figures, agreement with true positions; as text and as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
import json
import math
from typing import Any

from leader_election.election.messages.codec import MAIN
from leader_election.swarm.accuracy import accuracy_lines, AccuracyFigures
from leader_election.swarm.history import changes, Loss, losses, Reign, reigns
from leader_election.swarm.recording.localisation_errors import (
    accuracy_of_messages,
    Localisation,
    localisation_errors,
    localisation_lines,
    LocalisationErrors,
    once_a_period,
    sighting_lines,
    Tracks,
)
from leader_election.swarm.recording.options import ReplaySettings
from leader_election.swarm.recording.replay import Run
from leader_election.swarm.reference_partition import Agreement, links_within, partition, Share
from leader_election.swarm.snapshot import is_partition, regions, RobotView, Snapshot
from leader_election.swarm.view.formatting import count, fields_text
import numpy as np

INTERVALS = 10
LEAST_DISTANCE = 0.01
"""The shortest distance between two robots by their metric [m], the robots' default."""
MOST_REIGNS = 12
"""The most reigns in the text, the longest first."""
MOST_FIELDS = 20
"""The most robots whose fields are in the text. JSON has all."""


@dataclass(frozen=True)
class Report:
    """The figures of a run. Times count from the first message [s]."""

    duration: float
    robots: int
    silent: int
    messages: int
    """In the shown part, like all figures of messages."""
    bytes: int  # noqa: A003
    rejected: int
    """Number of messages that could not be decoded."""
    missing: float | None
    """The share of messages that robots count as sent and that are not in the recording."""
    radius: float | None
    """[m], ``None`` if unknown."""
    communication_range: float | None
    """[m], ``None`` if unknown."""
    regions: tuple[int, float, int]
    """Their least number at once, the mean over time, the greatest."""
    largest: int
    """The most robots in a region at once."""
    first_partition: float | None
    """The first time when each robot had a living leader that led itself, within the radius."""
    whole: float
    """The share of snapshots in which this held."""
    changes: int
    instability: float
    """The same, a robot and minute."""
    reigns: list[Reign]
    losses: list[Loss]
    agreement: list[Share]
    """
    Agreement with the partition by true positions: over consecutive intervals, and finally
    over all. Of the first instance only: another may elect by other strengths.
    """
    localisation: list[Localisation]
    """
    Errors of positions and distances, and deviations: over consecutive intervals, and at last over
    all.
    """
    accuracy: dict[str, AccuracyFigures]
    """The accuracy of the poses in messages, by odometry alone and with the filter."""
    sightings: dict[str, int]
    """Sums of the neighbourhood filters' counters since the robots' start, by name."""
    fields: dict[int, dict[str, Any]]
    """The last value of each field that only the algorithm has, by robot."""


def report(run: Run, settings: ReplaySettings) -> Report:
    """Return the report on a run."""
    begin, snapshots = run.begin, run.snapshots
    robots = {robot for snapshot in snapshots for robot in snapshot.robots}
    counts = [len(regions(snapshot)) for snapshot in snapshots]
    radius, communication_range = lengths(run, settings)
    partitions = [s.time - begin for s in snapshots
                  if is_partition(s, math.inf if radius is None else radius)]
    duration = min(run.end - begin, settings.end) - settings.begin
    minutes = sum(len(snapshot.robots) for snapshot in snapshots) / len(snapshots) * duration / 60
    changed = len(changes(snapshots))
    diagnostics = run.diagnostics
    return Report(
        duration=duration, robots=len(robots), silent=len(robots - snapshots[-1].robots.keys()),
        messages=run.traffic.messages, bytes=run.traffic.bytes, rejected=run.traffic.rejected,
        missing=(max(0.0, 1.0 - diagnostics.recorded / diagnostics.sent)
                 if diagnostics.sent else None),
        radius=radius, communication_range=communication_range,
        regions=(min(counts), sum(counts) / len(counts), max(counts)),
        largest=max((len(members) for s in snapshots for members in regions(s).values()),
                    default=0),
        first_partition=partitions[0] if partitions else None,
        whole=len(partitions) / len(snapshots), changes=changed,
        instability=changed / minutes if minutes else 0.0,
        reigns=[r._replace(begin=r.begin - begin, end=r.end - begin) for r in reigns(snapshots)],
        losses=[_since(begin, loss) for loss in losses(snapshots, settings.expiry)],
        agreement=_agreement(run, settings, duration) if settings.instance == MAIN else [],
        localisation=_localisation(run, settings, duration),
        accuracy=accuracy_of_messages(
            run.snapshots, run.true_tracks,
            math.inf if communication_range is None else communication_range),
        sightings={name: sum(counts.values()) for name, counts in diagnostics.sightings.items()},
        fields=_last_fields(snapshots))


def lengths(run: Run, settings: ReplaySettings) -> tuple[float | None, float | None]:
    """Return radius and communication range [m] as set, otherwise as published."""
    published = run.diagnostics
    return (published.radius if settings.radius is None else settings.radius,
            published.communication_range if settings.communication_range is None
            else settings.communication_range)


def agreement_with_truth(snapshots: Sequence[Snapshot], tracks: Tracks,
                         strengths: Mapping[int, float], radius: float,
                         communication_range: float) -> Agreement:
    """
    Compare the robots' leaders with the partition computed from their true positions.

    It is the partition to which Bounded Election would converge if no robot moved and all
    messages arrived. Moving robots lag behind it, since messages take time. Ties of strength are
    resolved by id. It is computed without ``radius_hysteresis``; with hysteresis robots may
    rightly follow another leader between the joining radius and the radius. Robots count while
    their true position and their strength are known.

    :param strengths: the last strength of each robot.
    :param radius: of regions [m].
    :param communication_range: [m].
    """
    agreement = Agreement()
    tables = {robot: np.array(track) for robot, track in tracks.items()
              if robot in strengths and len(track) > 1}
    for snapshot in once_a_period(snapshots):
        now = snapshot.time
        positions = {
            robot: (np.interp(now, table[:, 0], table[:, 1]),
                    np.interp(now, table[:, 0], table[:, 2]))
            for robot, table in tables.items() if robot in snapshot.robots
            and table[0, 0] <= now <= table[-1, 0]}
        agreement.compare(now, snapshot, _true_snapshot(
            now, positions, strengths, radius, communication_range))
    return agreement


def _true_snapshot(time: float, positions: Mapping[int, tuple[float, float]],
                   strengths: Mapping[int, float], radius: float,
                   communication_range: float) -> Snapshot:
    """Return the snapshot of the reference partition."""
    assignments = partition(links_within(positions, communication_range, LEAST_DISTANCE),
                            strengths, radius, 'id')
    return Snapshot(time, {
        robot: RobotView(id=robot, position=positions[robot], value=-strengths[leader],
                         distance=distance, leader=leader)
        for robot, (leader, distance, _) in assignments.items()})


def _agreement(run: Run, settings: ReplaySettings, duration: float) -> list[Share]:
    radius, communication_range = lengths(run, settings)
    if not run.true_tracks or radius is None or communication_range is None:
        return []
    agreement = agreement_with_truth(
        run.snapshots, run.true_tracks, run.diagnostics.strengths, radius, communication_range)
    start, length = run.begin + settings.begin, duration / INTERVALS
    bounds = [(start + i * length, start + (i + 1) * length) for i in range(INTERVALS)]
    shares = (agreement.share(*b) for b in [*bounds, (start, math.inf)])
    return [share._replace(begin=share.begin - run.begin, end=share.end - run.begin)
            for share in shares if share is not None]


def localisation_of(run: Run, settings: ReplaySettings) -> LocalisationErrors:
    """Return errors and deviations of a run, for all pairs without a communication range."""
    reach = lengths(run, settings)[1]
    return localisation_errors(run.snapshots, run.true_tracks, run.distances,
                               math.inf if reach is None else reach)


def _localisation(run: Run, settings: ReplaySettings, duration: float) -> list[Localisation]:
    errors = localisation_of(run, settings)
    start = run.begin + settings.begin
    overall = errors.between(start, math.inf)
    shares = errors.over_time(start, start + duration, INTERVALS)
    return [share._replace(begin=share.begin - run.begin, end=share.end - run.begin)
            for share in (*shares, *([] if overall is None else [overall]))]


def _since(begin: float, loss: Loss) -> Loss:
    """Return a loss with times relative to the beginning."""
    def since(time: float | None) -> float | None:
        return None if time is None else time - begin
    return loss._replace(time=loss.time - begin, recovered=since(loss.recovered),
                         returned=since(loss.returned))


def _last_fields(snapshots: Sequence[Snapshot]) -> dict[int, dict[str, Any]]:
    last: dict[int, dict[str, Any]] = {}
    for snapshot in snapshots:
        last.update({robot: dict(view.fields) for robot, view in snapshot.robots.items()
                     if view.fields})
    return dict(sorted(last.items()))


def as_json(of: Report) -> str:
    """Return a report as a JSON document, with null for numbers that are not finite."""
    return json.dumps(_plain(asdict(of)), indent=2)


def _plain(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {name: _plain(entry) for name, entry in value.items()}
    if hasattr(value, '_asdict'):
        return _plain(value._asdict())
    return [_plain(entry) for entry in value] if isinstance(value, (list, tuple)) else value


def as_text(of: Report) -> str:
    """Return a report as lines of text."""
    return '\n'.join([*summary_lines(of), *_reign_lines(of), *loss_lines(of),
                      *_agreement_lines(of),
                      *localisation_lines(of.localisation, of.communication_range),
                      *accuracy_lines(of.accuracy, of.communication_range),
                      *sighting_lines(of.sightings),
                      *_field_lines(of)])


def summary_lines(of: Report) -> Iterator[str]:
    """Yield the lines on all robots and the whole time."""
    silent = f', {of.silent} of them silent at the end' if of.silent else ''
    yield f'{of.duration:.1f} s, {count(of.robots, "robot")}{silent}'
    rate = f'{of.messages / of.duration:.1f} a second, ' if of.duration else ''
    yield (f'{count(of.messages, "message")}, {rate}{of.bytes / max(of.messages, 1):.0f} bytes '
           f'each; {of.rejected} rejected')
    if of.missing is not None:
        yield (f'{of.missing:.2%} of the messages that the robots count as sent are not in the '
               'recording')
    fewest, mean, most = of.regions
    yield (f'{fewest} to {most} regions, {mean:.1f} on average; the largest had '
           f'{count(of.largest, "robot")}')
    within = '' if of.radius is None else f', within {of.radius:g} m'
    first = 'never' if of.first_partition is None else f'first after {of.first_partition:.1f} s'
    yield (f'partition, each robot with a living leader that leads itself{within}: '
           f'{first}, in {of.whole:.0%} of the snapshots')
    yield (f'{count(of.changes, "change")} of leader, {of.instability:.2f} a robot and minute')


def _reign_lines(of: Report) -> Iterator[str]:
    longest = sorted(of.reigns, key=lambda reign: reign.begin - reign.end)[:MOST_REIGNS]
    if not longest:
        return
    yield f'{count(len({reign.leader for reign in of.reigns}), "leader")}; the longest reigns:'
    yield '    leader       from         to   duration   most robots'
    for reign in longest:
        yield (f'{reign.leader:>10} {reign.begin:8.1f} s {reign.end:8.1f} s '
               f'{reign.end - reign.begin:8.1f} s {reign.most:>13}')


def loss_lines(of: Report) -> Iterator[str]:
    """Yield a line for each loss of a leader."""
    for loss in of.losses:
        ending = 'its region did not recover' if loss.recovered is None else \
            f'its region recovered {loss.recovered - loss.time:.1f} s later'
        again = '' if loss.returned is None else \
            f'; it was heard again {loss.returned - loss.time:.1f} s later'
        yield (f'leader {loss.leader}, which led {count(loss.led, "other")}, fell silent at '
               f'{loss.time:.1f} s: {ending}{again}')


def _agreement_lines(of: Report) -> Iterator[str]:
    if not of.agreement:
        return
    yield 'agreement with the partition by true positions, without hysteresis:'
    yield 'share of robots, share of moments with all robots'
    for share in of.agreement[:-1]:
        yield (f'{share.begin:8.1f} to {share.end:6.1f} s {share.robots:8.1%} '
               f'{share.partitions:8.1%}')
    overall = of.agreement[-1]
    yield f'{"overall":>20} {overall.robots:10.1%} {overall.partitions:8.1%}'


def _field_lines(of: Report) -> Iterator[str]:
    if not of.fields:
        return
    yield 'fields of the algorithm, last values of each robot'
    for robot, fields in list(of.fields.items())[:MOST_FIELDS]:
        yield f'{robot:>10} {fields_text(fields)}'
    if len(of.fields) > MOST_FIELDS:
        yield f'{"...":>10} and {len(of.fields) - MOST_FIELDS} more'
