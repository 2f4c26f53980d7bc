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

"""The command ``replay``: report and pictures of a recording, and warnings."""

from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
import math
from pathlib import Path
import sys

from leader_election.parameters.command_line import ExitStatus, fitted, print_error
from leader_election.swarm.recording import report as reports
from leader_election.swarm.recording.content import RecordingError
from leader_election.swarm.recording.localisation_errors import PERIOD, true_positions
from leader_election.swarm.recording.options import replay_options, ReplaySettings
from leader_election.swarm.recording.recording_files import Reader
from leader_election.swarm.recording.replay import is_relevant, Replay, Run
from leader_election.swarm.snapshot import regions
from leader_election.swarm.tracker import MonitorParameters
from leader_election.swarm.view.formatting import count, Palette
from leader_election.swarm.view.frame import Frame, thinned

MOST_FRAMES = 100
MOST_POINTS = 150


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate the recording that the command line names, and return the exit status."""
    options = replay_options(arguments)
    settings = ReplaySettings(*(getattr(options, name) for name in ReplaySettings._fields))
    try:
        run, told = _read(options.file, settings)
    except RecordingError as error:
        return print_error(error)
    for warning in told:
        print(f'warning: {warning}', file=sys.stderr)
    figures = reports.report(run)
    if options.json:
        print(reports.as_json(figures))
    else:
        print('\n'.join(map(fitted, reports.as_text(figures).splitlines())))
    for path, write in _products(options, run, told):
        try:
            write(path)
        except RecordingError as error:
            return print_error(f'{path}: {error}')
        except OSError as error:
            return print_error(f'{path}: {error.strerror or error}')
    return ExitStatus.OK


def _read(path: Path, settings: ReplaySettings) -> tuple[Run, list[str]]:
    """Return the run of a recording, and warnings about parts that could not be read."""
    reader, processor = Reader(path), Replay(settings)
    try:
        for entry in reader.entries(lambda topic, kind: is_relevant(topic, kind, settings)):
            processor.add(entry)
        run = processor.run()
    except RecordingError as error:
        # The error and all warnings in one line.
        raise RecordingError('; '.join(
            [str(error), *_warnings(reader, processor.mismatched)])) from None
    told = [*_warnings(reader, processor.mismatched)]
    if run.jumps:
        told.append(f'a clock was set {count(run.jumps, "time")}; times go on evenly over that')
    return run, told


def _products(options: Namespace, run: Run, told: Sequence[str],
              ) -> Iterator[tuple[Path, Callable[[Path], None]]]:
    """
    Yield the requested files, each with the function that writes it.

    Slow modules for drawing are imported on demand.
    """
    reach = run.communication_range
    if not math.isfinite(reach):
        reach = MonitorParameters.communication_range
    palette = Palette()
    frames = [Frame(snapshot, palette.assign(regions(snapshot))) for snapshot in run.snapshots]
    if options.picture is not None:
        from leader_election.swarm.view.picture import draw
        yield options.picture, lambda path: draw(frames[-1], run.rings, path, reach, run.begin)
    if options.timeline is not None:
        from leader_election.swarm.view.charts import draw_timeline
        yield options.timeline, lambda path: draw_timeline(frames, path, run.begin)
    if options.localisation is not None:
        yield options.localisation, lambda path: _draw_localisation(run, path)
    if options.animation is not None:
        from leader_election.swarm.view.picture import animate
        some = thinned(frames, MOST_FRAMES)
        yield options.animation, lambda path: animate(some, run.rings, path, reach, run.begin)
    if options.html is not None:
        shown = [frame._replace(truth=truth) for frame, truth in zip(
            frames, true_positions(run.snapshots, run.true_tracks))]
        yield options.html, lambda path: reports.write_page(
            path, options.file.name, run, shown, reach, told)


def _draw_localisation(run: Run, path: Path) -> None:
    """
    Draw errors and deviations over time.

    :raises RecordingError: if there are none.
    """
    from leader_election.swarm.view.charts import draw_errors
    errors = reports.localisation_of(run)
    if errors.empty:
        raise RecordingError('there is nothing to draw: the recording holds neither true '
                             'positions nor deviations')
    shares = errors.over_time(run.begin, run.end, max(1, min(
        MOST_POINTS, int((run.end - run.begin) / PERIOD))))
    draw_errors(path, [(share.begin + share.end) / 2 - run.begin for share in shares], {
        f'error of {what} [m]': [[getattr(share, name) for share in shares] for name in names]
        for what, *names in (
            ('positions', 'positions_by_odometry', 'positions', 'deviation'),
            ('distances', 'distances_by_odometry', 'distances', 'distance_deviation'))})


def _warnings(reader: Reader, mismatched: int) -> Iterator[str]:
    """
    Yield a line for each part that could not be read.

    :param mismatched: number of decoded messages whose fields did not match their types.
    """
    for path in reader.damages:
        yield f'{path} is cut off or damaged; its intact part was read'
    for topic, why in reader.undefined.items():
        yield f'messages on {topic} cannot be read: {why}'
    if number := reader.unreadable + mismatched:
        yield ('messages that do not match their types, or hold no possible place or time, were '
               f'left out: {number}')
