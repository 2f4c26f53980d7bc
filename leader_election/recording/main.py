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

"""Entry of ``replay``: what a recording holds of a swarm, as pictures and as a report."""

from collections.abc import Sequence
from pathlib import Path
import sys

from leader_election.recording.options import replay_options
from leader_election.recording.reading import Reader, RecordingError
from leader_election.recording.report import as_json, lengths, report
from leader_election.recording.rerun import rerun, Run, wanted
from leader_election.recording.settings import Settings
from leader_election.recording.words import in_words
from leader_election.swarm.parameters import MonitorParameters
from leader_election.swarm.snapshot import regions
from leader_election.view.colours import Palette
from leader_election.view.frame import Frame

USAGE_ERROR = 2
"""The exit status where there is nothing to be shown."""
MOST_FRAMES = 100
"""Of a longer run, frames of the animation are left out."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Show the recording that the command line names; return the exit status."""
    options = replay_options(arguments)
    settings = Settings(
        options.topic, options.instance, options.expiry, options.look, options.begin, options.end,
        options.radius, options.range)
    try:
        reader = Reader(options.file)
        run = rerun(reader.entries(lambda topic, kind: wanted(topic, kind, settings)), settings)
    except RecordingError as error:
        print(f'error: {error}', file=sys.stderr)
        return USAGE_ERROR
    _warn(reader, run)
    told = report(run, settings)
    text = as_json(told) if options.json else in_words(told)
    print(text)
    try:
        if options.report:
            options.report.write_text(text + '\n')
        _draw(run, settings, options.picture, options.animation, options.timeline)
    except OSError as error:
        print(f'error: {error.filename}: {error.strerror}', file=sys.stderr)
        return USAGE_ERROR
    return 0


def _warn(reader: Reader, run: Run) -> None:
    """Say what could not be read."""
    for damage in reader.damages:
        print(f'warning: {damage.path} is cut off or damaged; what is whole was read, up to '
              f'{run.snapshots[-1].time - run.begin:.1f} s, and its last {damage.left} bytes '
              'were not', file=sys.stderr)
    if reader.unreadable:
        print(f'warning: {reader.unreadable} messages are not what their types say; they were '
              'left out', file=sys.stderr)


def _draw(run: Run, settings: Settings, picture: Path | None, animation: Path | None,
          timeline: Path | None) -> None:
    """Draw what is asked for; what draws is loaded only then, since it takes long."""
    reach = lengths(run, settings)[1]
    reach = MonitorParameters.communication_range if reach is None else reach
    palette = Palette()
    frames = [Frame(snapshot, palette.assign(regions(snapshot))) for snapshot in run.snapshots]
    if picture is not None:
        from leader_election.view.picture import draw
        draw(frames[-1], run.rings, picture, reach, run.begin)
    if timeline is not None:
        from leader_election.view.timeline import draw_timeline
        draw_timeline(frames, timeline, run.begin)
    if animation is not None:
        from leader_election.view.animation import animate
        # The last one is always among them.
        some = frames[::-1][::-(-len(frames) // MOST_FRAMES)][::-1]
        animate(some, run.rings, animation, reach, run.begin)
