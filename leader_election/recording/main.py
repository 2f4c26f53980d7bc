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

"""Entry of ``replay``: report and pictures of a recording; warnings on what was unreadable."""

from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
import sys

from leader_election.command_line import ExitStatus, print_error
from leader_election.recording.clocks import Jump
from leader_election.recording.mcap_reader import Damage, Reader, RecordingError
from leader_election.recording.options import replay_options, Settings
from leader_election.recording.replay import Rerun, Run, wanted
from leader_election.recording.report import as_json, in_words, lengths, report
from leader_election.swarm.parameters import MonitorParameters
from leader_election.swarm.snapshot import regions
from leader_election.view.formatting import count, Palette
from leader_election.view.frame import Frame

USAGE_ERROR = 2
"""The exit status where there is nothing to be shown."""
MOST_FRAMES = 100
"""Of a longer run, frames of the animation are left out."""
Product = tuple[Path, Callable[[Path], None]]
"""A file, and what writes it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Show the recording that the command line names; return the exit status."""
    options = replay_options(arguments)
    settings = Settings(
        options.topic, options.instance, options.expiry, options.look, options.begin, options.end,
        options.radius, options.range)
    try:
        run = _read(options.file, settings)
    except RecordingError as error:
        return print_error(error)
    told = report(run, settings)
    text = as_json(told) if options.json else in_words(told)
    print(text)
    for path, write in _products(options, run, settings, text):
        try:
            write(path)
        except OSError as error:
            return print_error(f'{path}: {error.strerror or error}')
    return ExitStatus.OK


def _read(path: Path, settings: Settings) -> Run:
    """Return what a recording holds; say what could not be read."""
    reader, again = Reader(path), Rerun(settings)
    try:
        for entry in reader.entries(lambda topic, kind: wanted(topic, kind, settings)):
            again.take(entry)
        run = again.run()
    except RecordingError as error:
        # One line has all of it.
        raise RecordingError('; '.join(
            [str(error), *troubles(reader, again.unlike, None)])) from None
    for trouble in troubles(reader, again.unlike, run):
        print(f'warning: {trouble}', file=sys.stderr)
    return run


def _products(options: Namespace, run: Run, settings: Settings, text: str) -> Iterator[Product]:
    """Yield what is asked for; what draws is loaded only then, since it takes long."""
    if options.report is not None:
        yield options.report, lambda path: _save(path, text)
    reach = lengths(run, settings)[1]
    reach = MonitorParameters.communication_range if reach is None else reach
    palette = Palette()
    frames = [Frame(snapshot, palette.assign(regions(snapshot))) for snapshot in run.snapshots]
    if options.picture is not None:
        from leader_election.view.picture import draw
        yield options.picture, lambda path: draw(frames[-1], run.rings, path, reach, run.begin)
    if options.timeline is not None:
        from leader_election.view.charts import draw_timeline
        yield options.timeline, lambda path: draw_timeline(frames, path, run.begin)
    if options.animation is not None:
        from leader_election.view.animation import animate
        # The last one is always among them.
        some = frames[::-1][::-(-len(frames) // MOST_FRAMES)][::-1]
        yield options.animation, lambda path: animate(some, run.rings, path, reach, run.begin)


def _save(path: Path, text: str) -> None:
    path.write_text(text + '\n')


def troubles(reader: Reader, unlike: int, run: Run | None) -> Iterator[str]:
    """
    Yield what could not be read, a line each.

    :param unlike: how many messages could be decoded, but were not what their types say.
    :param run: what came of the rest, if anything.
    """
    for damage in reader.damages:
        yield _damaged(damage, {} if run is None else {
            path: time - run.begin for path, time in run.read.items()})
    for topic, why in reader.undefined.items():
        yield f'what was said on {topic} cannot be read: {why}'
    number = reader.unreadable + unlike
    if number:
        yield f'messages that are not what their types say were left out: {number}'
    if run is not None and run.jumps:
        yield _set([jump._replace(time=jump.time - run.begin) for jump in run.jumps])


def _damaged(damage: Damage, read: Mapping[Path, float]) -> str:
    """
    Return what is said of a file.

    :param read: until when each was read [s]; of others nothing was.
    """
    if damage.path not in read:
        return f'{damage.path} is cut off or damaged; no message of it could be read'
    until = f'up to {read[damage.path]:.1f} s'
    if not damage.left:
        return f'{damage.path} has no end, as when its recorder is killed; it was read {until}'
    return (f'{damage.path} is cut off or damaged; what is whole was read, {until}, and its last '
            f'{count(damage.left, "byte")} not')


def _set(jumps: list[Jump]) -> str:
    r"""
    Return what is said of clocks that were set, times from the first message.

    >>> print(_set([Jump(29.0, -40.0), Jump(35.0, 7200.0)]).replace(', first', ',\n first'))
    a clock was set 2 times, or messages are out of order,
     first at 29.0 s by -40.0 s; times go on evenly over that
    """
    return (f'a clock was set {count(len(jumps), "time")}, or messages are out of order, first at '
            f'{jumps[0].time:.1f} s by {jumps[0].by:+.1f} s; times go on evenly over that')
