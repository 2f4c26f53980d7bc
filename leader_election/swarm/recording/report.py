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

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
import json
import math
from pathlib import Path
from typing import TypeVar

from leader_election.swarm.accuracy import accuracy_lines, AccuracyFigures, within
from leader_election.swarm.history import Loss, losses, Statistics
from leader_election.swarm.recording import localisation_errors as errors
from leader_election.swarm.recording.replay import Run
from leader_election.swarm.reference_partition import Agreement, links_within, partition, Share
from leader_election.swarm.snapshot import is_partition, regions, RobotView, Snapshot
from leader_election.swarm.tracker import SwarmTracker
from leader_election.swarm.view.formatting import count
from leader_election.swarm.view.frame import Frame, Rings
import numpy as np

F = TypeVar('F', Loss, Share, errors.Localisation)
INTERVALS = 10
LEAST_DISTANCE = 0.01
"""The shortest distance between two robots by their metric [m], the robots' default."""


@dataclass(frozen=True)
class Report:
    """The figures of a run. Times count from the first message [s]."""

    duration: float
    robots: int
    silent: int
    messages: int
    bytes: int  # noqa: A003
    rejected: int
    """Number of messages that could not be decoded."""
    radius: float
    """[m], infinite if unknown."""
    communication_range: float
    """[m], infinite if unknown."""
    regions: tuple[int, float, int]
    """Their least number at once, the mean over time, the greatest."""
    first_partition: float | None
    """The first time when each robot had a living leader that led itself, within the radius."""
    whole: float
    """The share of snapshots in which this held."""
    changes: int
    instability: float
    """The same, a robot and minute."""
    losses: list[Loss]
    agreement: list[Share]
    """
    Agreement with the partition by true positions: over consecutive intervals, and finally
    over all.
    """
    localisation: list[errors.Localisation]
    """
    Errors of positions and distances, and deviations: over consecutive intervals, and at last over
    all.
    """
    accuracy: dict[str, AccuracyFigures]
    """The accuracy of the poses in messages, by odometry alone and with the filter."""


def report(run: Run) -> Report:
    """Return the report on a run."""
    begin, snapshots = run.begin, run.snapshots
    robots = {robot for snapshot in snapshots for robot in snapshot.robots}
    counts = [len(regions(snapshot)) for snapshot in snapshots]
    partitions = [s.time - begin for s in snapshots if is_partition(s, run.radius)]
    duration = run.end - begin
    minutes = sum(len(snapshot.robots) for snapshot in snapshots) / len(snapshots) * duration / 60
    statistics = Statistics()
    for snapshot in snapshots:
        statistics.observe(snapshot, 0, 0)
    return Report(
        duration=duration, robots=len(robots), silent=len(robots - snapshots[-1].robots.keys()),
        messages=run.tracker.messages, bytes=run.tracker.bytes, rejected=run.tracker.rejected,
        radius=run.radius, communication_range=run.communication_range,
        regions=(min(counts), sum(counts) / len(counts), max(counts)),
        first_partition=partitions[0] if partitions else None,
        whole=len(partitions) / len(snapshots), changes=statistics.changes,
        instability=statistics.changes / minutes if minutes else 0.0,
        losses=[_since(begin, loss) for loss in losses(snapshots, run.tracker.expiry)],
        agreement=_agreement(run), localisation=_localisation(run),
        accuracy=errors.accuracy_of_messages(snapshots, run.true_tracks, run.communication_range))


def _since(start: float, figures: F) -> F:
    """Return figures with their times relative to the beginning."""
    return figures._replace(**{
        name: time - start for name, time in figures._asdict().items()
        if name in ('begin', 'end', 'time', 'recovered') and time is not None})


def _agreement(run: Run) -> list[Share]:
    """
    Compare the robots' leaders with the partition computed from their true positions.

    It is the partition to which Bounded Election would converge if no robot moved and all
    messages arrived. Moving robots lag behind it, since messages take time. Ties of strength are
    resolved by id. It is computed without ``radius_hysteresis``; with hysteresis robots may
    rightly follow another leader between the joining radius and the radius. Robots count while
    their true position and their strength are known.
    """
    if not run.true_tracks or not math.isfinite(run.radius + run.communication_range):
        return []
    agreement, strengths = Agreement(), run.diagnostics.strengths
    truth = errors.usable({i: track for i, track in run.true_tracks.items() if i in strengths})
    for snapshot in errors.once_a_period(run.snapshots):
        places = {i: truth[i].at([snapshot.time])[0].tolist()
                  for i in truth.keys() & snapshot.robots.keys()}
        positions = {i: (x, y) for i, (x, y, _) in places.items() if math.isfinite(x + y)}
        found = partition(links_within(positions, run.communication_range, LEAST_DISTANCE),
                          strengths, run.radius, 'id')
        agreement.compare(snapshot.time, snapshot, Snapshot(snapshot.time, {
            i: RobotView(i, positions[i], -strengths[leader], distance, leader)
            for i, (leader, distance, _) in found.items()}))
    bounds = np.linspace(run.begin, run.end, INTERVALS + 1).tolist()
    shares = (agreement.share(*each) for each in [*zip(bounds, bounds[1:]), (run.begin, math.inf)])
    return [_since(run.begin, share) for share in shares if share is not None]


def localisation_of(run: Run) -> errors.LocalisationErrors:
    """Return errors and deviations of a run, for all pairs without a communication range."""
    return errors.localisation_errors(
        run.snapshots, run.true_tracks, run.distances, run.communication_range)


def _localisation(run: Run) -> list[errors.Localisation]:
    found = localisation_of(run)
    overall = found.between(run.begin, math.inf)
    return [_since(run.begin, share)
            for share in (*found.over_time(run.begin, run.end, INTERVALS), overall) if share]


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
    return '\n'.join([*summary_lines(of), *loss_lines(of),
                      *_agreement_lines(of),
                      *errors.localisation_lines(of.localisation, of.communication_range),
                      *accuracy_lines(of.accuracy, of.communication_range)])


def summary_lines(of: Report) -> Iterator[str]:
    """Yield the lines on all robots and the whole time."""
    silent = f', {of.silent} of them silent at the end' if of.silent else ''
    yield f'{of.duration:.1f} s, {count(of.robots, "robot")}{silent}'
    rate = f'{of.messages / of.duration:.1f} a second, ' if of.duration else ''
    yield (f'{count(of.messages, "message")}, {rate}{of.bytes / max(of.messages, 1):.0f} bytes '
           f'each; {of.rejected} rejected')
    fewest, mean, most = of.regions
    yield f'{fewest} to {most} regions, {mean:.1f} on average'
    first = 'never' if of.first_partition is None else f'first after {of.first_partition:.1f} s'
    yield (f'partition, each robot with a living leader that leads itself{within(of.radius)}: '
           f'{first}, in {of.whole:.0%} of the snapshots')
    yield (f'{count(of.changes, "change")} of leader, {of.instability:.2f} a robot and minute')


def loss_lines(of: Report) -> Iterator[str]:
    """Yield a line for each loss of a leader."""
    for loss in of.losses:
        ending = 'its region did not recover' if loss.recovered is None else \
            f'its region recovered {loss.recovered - loss.time:.1f} s later'
        yield (f'leader {loss.leader}, which led {count(loss.led, "other")}, fell silent at '
               f'{loss.time:.1f} s: {ending}')


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


def write_page(path: Path, title: str, run: Run, frames: Sequence[Frame], reach: float,
               warnings: Sequence[str] = (), events: Sequence[tuple[float, str]] = ()) -> None:
    """
    Write the page of a run: figures, events and curves beside the moving map.

    :param reach: robots within this distance are linked by a line [m].
    :param events: further ones: the time from the beginning [s] and a text.
    :raises OSError: when the file cannot be written.
    """
    # Imported here, since Bokeh loads slowly.
    from leader_election.swarm.web import pages
    of = report(run)
    pages.write_page(path, title, frames, run.rings, reach, run.begin, warnings,
                     [*summary_lines(of)], events, as_text(of))


def write_watched(path: Path, title: str, frames: Sequence[Frame], rings: Rings,
                  tracker: SwarmTracker, radius: float, reach: float,
                  failed: Sequence[str] = (), events: Sequence[tuple[float, str]] = ()) -> None:
    """
    Write the page of a run without a recording. See :func:`write_page` for other arguments.

    :param frames: at least one with a robot.
    :param tracker: of all messages.
    :param failed: the checks that failed.
    :param events: the time on the clock of the frames [s] and a text.
    """
    shown = [frame for frame in frames if frame.snapshot.robots]
    snapshots = [frame.snapshot for frame in shown]
    begin = snapshots[0].time
    run = Run(snapshots, begin, snapshots[-1].time, tracker, rings, radius, reach)
    write_page(path, title, run, shown, reach, failed,
               [(time - begin, text) for time, text in events])
