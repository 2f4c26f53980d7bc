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
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
import sys
from typing import TYPE_CHECKING

from leader_election.parameters.command_line import ExitStatus, fitted, print_error
from leader_election.parameters.files import write_text
from leader_election.swarm.recording import report as reports
from leader_election.swarm.recording.content import Jump, RecordingError
from leader_election.swarm.recording.localisation_errors import PERIOD, true_positions
from leader_election.swarm.recording.options import replay_options, ReplaySettings
from leader_election.swarm.recording.recording_files import Damage, Reader
from leader_election.swarm.recording.replay import is_relevant, Replay, Run
from leader_election.swarm.snapshot import regions
from leader_election.swarm.tracker import MonitorParameters
from leader_election.swarm.view.formatting import count, Palette
from leader_election.swarm.view.frame import Frame, thinned

if TYPE_CHECKING:
    from leader_election.swarm.view.charts import Panel

MOST_FRAMES = 100
MOST_POINTS = 150
Product = tuple[Path, Callable[[Path], None]]
"""A file, and the function that writes it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate the recording that the command line names, and return the exit status."""
    options = replay_options(arguments)
    settings = ReplaySettings(
        topic=options.topic, instance=options.instance, expiry=options.expiry, look=options.look,
        begin=options.begin, end=options.end, radius=options.radius,
        communication_range=options.range, truth=options.truth)
    try:
        run, told = _read(options.file, settings)
    except RecordingError as error:
        return print_error(error)
    for warning in told:
        print(f'warning: {warning}', file=sys.stderr)
    figures = reports.report(run, settings)
    text = reports.as_json(figures) if options.json else reports.as_text(figures)
    print(text if options.json else '\n'.join(map(fitted, text.splitlines())))
    for path, write in _products(options, run, settings, figures, text, told):
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
            [str(error), *warnings(reader, processor.mismatched, None)])) from None
    return run, [*warnings(reader, processor.mismatched, run)]


def _products(options: Namespace, run: Run, settings: ReplaySettings, figures: reports.Report,
              text: str, told: Sequence[str]) -> Iterator[Product]:
    """Yield the requested files. Slow modules for drawing are imported on demand."""
    if options.report is not None:
        yield options.report, lambda path: write_text(path, text + '\n')
    reach = reports.lengths(run, settings)[1]
    if reach is None:
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
        yield options.localisation, lambda path: _draw_localisation(run, settings, path)
    if options.animation is not None:
        from leader_election.swarm.view.picture import animate
        some = thinned(frames, MOST_FRAMES)
        yield options.animation, lambda path: animate(some, run.rings, path, reach, run.begin)
    if options.html is not None:
        from leader_election.swarm.recording import report_page
        shown = [frame._replace(truth=truth) for frame, truth in zip(
            frames, true_positions(run.snapshots, run.true_tracks))]
        yield options.html, lambda path: report_page.write(
            path, options.file.name, run, figures, shown, reach, told)


def _draw_localisation(run: Run, settings: ReplaySettings, path: Path) -> None:
    """
    Draw errors and deviations over time.

    :raises RecordingError: if there are none.
    """
    from leader_election.swarm.view.charts import draw_errors
    panels = _localisation(run, settings)
    if not panels:
        raise RecordingError('there is nothing to draw: the recording holds neither true '
                             'positions nor deviations')
    draw_errors(panels, path)


def _localisation(run: Run, settings: ReplaySettings) -> list['Panel']:
    """Return the known curves of errors and deviations over time."""
    from leader_election.swarm.view.charts import Curve, Panel
    errors = reports.localisation_of(run, settings)
    if errors.empty:
        return []
    begin, end = run.begin + settings.begin, min(run.end, run.begin + settings.end)
    shares = errors.over_time(begin, end, max(1, min(MOST_POINTS, int((end - begin) / PERIOD))))
    times = [(share.begin + share.end) / 2 - run.begin for share in shares]

    def curve(name: str, kind: str, label: str) -> Curve:
        return Curve(label, kind, times, [getattr(share, name) for share in shares])
    return [
        Panel('error of positions [m]', [
            curve('positions_by_odometry', 'odometry', 'by odometry'),
            curve('positions', 'filter', 'with the filter'),
            curve('deviation', 'deviation', 'mean deviation')]),
        Panel('error of distances [m]', [
            curve('distances_by_odometry', 'odometry', 'by odometry'),
            curve('distances', 'filter', 'with the filter'),
            curve('distance_deviation', 'deviation', 'mean deviation')])]


def warnings(reader: Reader, mismatched: int, run: Run | None) -> Iterator[str]:
    """
    Yield a line for each part that could not be read.

    :param mismatched: number of decoded messages whose fields did not match their types.
    :param run: of the readable rest, ``None`` without any.
    """
    for damage in reader.damages:
        yield _damage_text(damage, {} if run is None else {
            path: time - run.begin for path, time in run.read_until.items()})
    for topic, why in reader.undefined.items():
        yield f'messages on {topic} cannot be read: {why}'
    number = reader.unreadable + mismatched
    if number:
        yield ('messages that do not match their types, or hold no possible place or time, were '
               f'left out: {number}')
    if run is not None and run.jumps:
        yield _jumps_text([jump._replace(time=jump.time - run.begin) for jump in run.jumps])


def _damage_text(damage: Damage, read_until: Mapping[Path, float]) -> str:
    """
    Return the warning about a damaged file.

    :param read_until: time of the last message of each file that was read [s].
    """
    if damage.path not in read_until:
        return f'{damage.path} is cut off or damaged; no message of it could be read'
    until = f'up to {read_until[damage.path]:.1f} s'
    if not damage.left:
        return f'{damage.path} has no end, as when its recorder is killed; it was read {until}'
    return (f'{damage.path} is cut off or damaged; the intact part was read, {until}, and '
            f'its last {count(damage.left, "byte")} not')


def _jumps_text(jumps: list[Jump]) -> str:
    r"""
    Return the warning about clocks that were set.

    :param jumps: with times from the first message on.

    >>> _jumps_text([Jump(29.0, -40.0), Jump(35.0, 7200.0)])
    'a clock was set 2 times, first at 29.0 s by -40.0 s; times go on evenly over that'
    """
    return (f'a clock was set {count(len(jumps), "time")}, first at {jumps[0].time:.1f} s by '
            f'{jumps[0].by:+.1f} s; times go on evenly over that')
