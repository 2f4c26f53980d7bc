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

"""What is said of a recording that could not be read as a whole, or whose clocks were set."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from leader_election.recording.clocks import Jump
from leader_election.recording.reading import Damage, Reader
from leader_election.recording.replay import Run
from leader_election.view.words import count


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
