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

from collections.abc import Sequence
from pathlib import Path

from leader_election.swarm.recording import report as reports
from leader_election.swarm.recording.content import DiagnosticsSummary
from leader_election.swarm.recording.options import ReplaySettings
from leader_election.swarm.recording.replay import Run, Traffic
from leader_election.swarm.tracker import SwarmTracker
from leader_election.swarm.view.frame import Frame, Rings
from leader_election.swarm.web.run_page import write_page


def write(path: Path, title: str, run: Run, of: reports.Report, frames: Sequence[Frame],
          reach: float, warnings: Sequence[str] = (),
          events: Sequence[tuple[float, str]] = ()) -> None:
    """
    Write the page of a run.

    :param of: the report on it.
    :param reach: robots within this distance are linked by a line [m].
    :param events: further ones: the time [s] and a text.
    :raises OSError: when the file cannot be written.
    """
    write_page(path, title, frames, run.rings, reach, run.begin, warnings,
               [*reports.summary_lines(of)], events, reports.as_text(of))


def write_watched(path: Path, title: str, frames: Sequence[Frame], rings: Rings,
                  tracker: SwarmTracker, radius: float, reach: float,
                  failed: Sequence[str] = (), events: Sequence[tuple[float, str]] = ()) -> None:
    """
    Write the page of a run without a recording. See :func:`write` for other arguments.

    :param frames: at least one with a robot.
    :param tracker: of all messages.
    :param failed: the checks that failed.
    :param events: the time on the clock of the frames [s] and a text.
    """
    shown = [frame for frame in frames if frame.snapshot.robots]
    snapshots = [frame.snapshot for frame in shown]
    begin, end = snapshots[0].time, snapshots[-1].time
    run = Run(snapshots, begin, end, Traffic(tracker.messages, tracker.bytes, tracker.rejected),
              rings, DiagnosticsSummary(), {}, {}, {}, [])
    of = reports.report(run, ReplaySettings(
        expiry=tracker.expiry, radius=radius, communication_range=reach))
    write(path, title, run, of, shown, reach, failed,
          events=[(time - begin, text) for time, text in events])
