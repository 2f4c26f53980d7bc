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

"""
Writer of recordings (MCAP, https://mcap.dev) with the definitions of their messages.

Definitions are in the form of ``ros2msg`` (https://mcap.dev/spec/registry): the ``.msg`` file of
the type, then those of all types in it, each after a line of 80 equals signs and ``MSG: name``.
"""

from collections.abc import Callable, Iterator
import os
from pathlib import Path
import re

from mcap.well_known import MessageEncoding, Profile, SchemaEncoding
from mcap.writer import CompressionType, Writer

PRIMITIVES = frozenset((
    'bool', 'byte', 'char', 'float32', 'float64', 'int8', 'uint8', 'int16', 'uint16', 'int32',
    'uint32', 'int64', 'uint64', 'string', 'wstring'))
_FIELD = re.compile(r'\s*([A-Za-z][\w/]*)(?:<=\d+)?(?:\[[^\]]*\])?\s+[A-Za-z]\w*')
_RULE = '=' * 80


def message_definition(kind: str, find: Callable[[str, str], str]) -> str:
    r"""
    Return the text that defines a message type and all types in it.

    :param kind: for example ``geometry_msgs/msg/Pose``.
    :param find: ``find(package, type)`` returns the text of the type's ``.msg`` file.

    >>> files = {'Line': 'Point a\nPoint b # its end', 'Point': 'float64 x\nfloat64 y'}
    >>> text = message_definition('my_msgs/msg/Line', lambda package, name: files[name])
    >>> print(text.replace('=' * 80, '==='))
    Point a
    Point b # its end
    ===
    MSG: my_msgs/Point
    float64 x
    float64 y
    """
    package, _, name = kind.split('/')
    parts = [find(package, name).strip('\n')]
    known, left = {(package, name)}, list(_uses(package, parts[0]))
    while left:
        used = left.pop(0)
        if used not in known:
            known.add(used)
            text = find(*used).strip('\n')
            parts += [_RULE, 'MSG: ' + '/'.join(used), text]
            left += _uses(used[0], text)
    return '\n'.join(parts)


def _uses(package: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield package and name of each type that a ``.msg`` file uses, repetitions included."""
    for line in text.splitlines():
        field = _FIELD.match(line.partition('#')[0])
        if field and field[1] not in PRIMITIVES:
            owner, _, name = field[1].rpartition('/')
            # Some files write package/msg/Type.
            yield owner.partition('/')[0] or package, name


LARGEST_CHUNK = 4 * 2**20
"""A chunk is written once it has this size, before compression [bytes]."""


class Recording:
    """
    A file of serialised messages (CDR), with the definitions that are needed to read them.

    Messages written before the last :meth:`flush` survive the end of the process and a loss of
    power; :meth:`close` adds the index at the end of the file.

    :raises OSError: when the file exists already or cannot be written; all methods do so.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.messages = 0
        """Number of messages written."""
        self._file = path.open('xb')
        self._writer = Writer(
            self._file, chunk_size=LARGEST_CHUNK, compression=CompressionType.ZSTD)
        self._writer.start(Profile.ROS2, 'leader_election')
        self._schemas: dict[str, int] = {}
        self._channels: dict[str, int] = {}
        self._closed = False

    def add_topic(self, topic: str, kind: str, definition: str, offers: str,
                  type_hash: str = '') -> None:
        """
        Declare a topic; a topic that is declared already does not change.

        :param kind: the type of its messages, for example ``std_msgs/msg/Int64``.
        :param definition: of the type, by :func:`message_definition`.
        :param offers: by :func:`leader_election.swarm.recording.subscriptions.rosbag2_qos`.
        :param type_hash: by which ROS distinguishes versions of a type; empty: unknown.
        """
        if topic in self._channels:
            return
        if kind not in self._schemas:
            self._schemas[kind] = self._writer.register_schema(
                kind, SchemaEncoding.ROS2, definition.encode())
        metadata = {'offered_qos_profiles': offers}
        if type_hash:
            metadata['topic_type_hash'] = type_hash
        self._channels[topic] = self._writer.register_channel(
            topic, MessageEncoding.CDR, self._schemas[kind], metadata)

    def write(self, topic: str, data: bytes, now: int) -> None:
        """Write a message of a declared topic; ``now`` is the time of its receipt [ns]."""
        self.messages += 1
        self._writer.add_message(self._channels[topic], now, data, now)

    def flush(self) -> None:
        """Write all buffered messages to the file, and the file to the disk."""
        self._writer.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Write the index and close the file."""
        if not self._closed:
            self._closed = True
            try:
                self._writer.finish()
            finally:
                self._file.close()
