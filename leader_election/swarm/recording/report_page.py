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

"""The report of a run as a page: figures, events and curves beside the moving map."""

from collections.abc import Iterator, Mapping, Sequence
import math
from pathlib import Path

from leader_election.swarm.recording.content import DiagnosticsSummary
from leader_election.swarm.recording.options import ReplaySettings
from leader_election.swarm.recording.replay import Run, Traffic
from leader_election.swarm.recording.report import (
    as_text,
    loss_lines,
    MOST_REIGNS,
    Report,
    report,
)
from leader_election.swarm.tracker import SwarmTracker
from leader_election.swarm.view.charts import Panel
from leader_election.swarm.view.formatting import count
from leader_election.swarm.view.frame import Frame, Rings
from leader_election.swarm.web.run_page import write_page


def write(path: Path, title: str, run: Run, of: Report, frames: Sequence[Frame], reach: float,
          settings: Mapping[str, object], warnings: Sequence[str] = (),
          panels: Sequence[Panel] = (), events: Sequence[tuple[float, str]] = ()) -> None:
    """
    Write the page of a run.

    :param of: the report on it.
    :param reach: robots within this distance are linked by a line [m].
    :param settings: those of the command that made it, by name. Files, and those that are empty
        or infinite, are not shown.
    :param panels: of curves over time.
    :param events: further ones: the time [s] and a text.
    :raises OSError: when the file cannot be written.
    """
    lengths = {'radius': of.radius, 'communication range': of.communication_range}
    shown = [(name, f'{value:g} m') for name, value in lengths.items() if value is not None]
    shown += [(name.replace('_', ' '), str(value)) for name, value in settings.items()
              if not isinstance(value, Path) and value not in (None, '', False, math.inf)]
    silent = f', {of.silent} of them silent at the end' if of.silent else ''
    write_page(path, title, {
        'subtitle': f'{of.duration:.1f} s, {count(of.robots, "robot")}{silent}',
        'figures': [*_figures(of)], 'warnings': warnings,
        'events': sorted([*_events(of), *events]), 'settings': shown, 'report': as_text(of)},
        frames, run.rings, reach, run.begin, panels)


def write_watched(path: Path, title: str, frames: Sequence[Frame], rings: Rings,
                  tracker: SwarmTracker, radius: float, reach: float,
                  settings: Mapping[str, object], failed: Sequence[str] = (),
                  events: Sequence[tuple[float, str]] = ()) -> None:
    """
    Write the page of a run without a recording. See :func:`write` for other arguments.

    :param frames: at least one with a robot.
    :param tracker: of all messages.
    :param failed: the checks that failed.
    :param events: the time on the clock of the frames [s] and a text.
    """
    shown = [frame for frame in frames if frame.snapshot.robots]
    snapshots = [frame.snapshot for frame in shown]
    begin = snapshots[0].time
    run = Run(snapshots, begin, snapshots[-1].time,
              Traffic(tracker.messages, tracker.bytes, tracker.rejected), rings,
              DiagnosticsSummary(), {}, {}, {}, [])
    of = report(run, ReplaySettings(
        expiry=tracker.expiry, radius=radius, communication_range=reach))
    write(path, title, run, of, shown, reach, settings, failed,
          events=[(time - begin, text) for time, text in events])


def _figures(of: Report) -> Iterator[tuple[str, str]]:
    """Yield the figures at the head of the page, each with its name."""
    yield f'{of.regions[1]:.1f}', 'regions on average'
    yield f'{of.whole:.0%}', 'of the time a whole partition'
    yield f'{of.instability:.2f}', 'changes of leader a robot and minute'
    if of.duration:
        yield f'{of.messages / of.duration:.1f}', 'messages a second'
    if of.agreement:
        yield f'{of.agreement[-1].robots:.1%}', 'agree with the partition by true positions'
    if of.localisation and of.localisation[-1].distances is not None:
        yield f'{of.localisation[-1].distances:.2f} m', 'error of distances'


def _events(of: Report) -> Iterator[tuple[float, str]]:
    """Yield first partition, losses of leaders and the longest reigns, with their times [s]."""
    if of.first_partition is not None:
        yield of.first_partition, 'first partition'
    yield from zip((loss.time for loss in of.losses), loss_lines(of))
    for reign in sorted(of.reigns, key=lambda reign: reign.begin - reign.end)[:MOST_REIGNS]:
        yield reign.begin, (f'robot {reign.leader} leads for {reign.end - reign.begin:.1f} s, at '
                            f'most {count(reign.most, "robot")}')
