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
Reader and writer of recordings (MCAP, https://mcap.dev) with the definitions of their messages.

Any MCAP with ROS 2 messages is read, ours or of ``ros2 bag record``, and its bags in SQLite, which
hold definitions from Iron on. Written definitions are in
the form of ``ros2msg`` (https://mcap.dev/spec/registry): the ``.msg`` file of the type, then those
of all types in it, each after a line of 80 equals signs and ``MSG: name``.
"""

from collections.abc import Callable, Iterator
from contextlib import closing, redirect_stderr
from io import StringIO
import os
from pathlib import Path
import re
import sqlite3
from tempfile import gettempdir
from typing import Any, NamedTuple

from leader_election.swarm.recording.content import Entry, RecordingError
from mcap.records import Channel, Message, Schema
from mcap.stream_reader import StreamReader
from mcap.well_known import MessageEncoding, Profile, SchemaEncoding
from mcap.writer import CompressionType, Writer
from mcap_ros2.decoder import DecoderFactory

MCAP, ZSTD, SQLITE = b'\x89MCAP0\r\n', b'\x28\xb5\x2f\xfd', b'SQLite f'
SUFFIXES = ('.mcap', '.db3')
"""The first bytes of files. A compressed message begins like a compressed file."""
CONVERT = ('ros2 bag convert -i {} -o plain.yaml, where plain.yaml holds '
           'output_bags: [{{uri: plain, storage_id: mcap, all_topics: true}}]')
"""The command that converts a bag to a form that is read here. Takes the bag's path."""


def recording_files(path: Path) -> tuple[list[Path], list[Path]]:
    """
    Return the files of a recording, in the order of their numbers.

    :param path: a file, or a folder with all of them.
    :return: the recordings, and the other files.
    :raises RecordingError: without a recording, or with files in a form that is not supported.
    """
    try:
        paths = [path] if not path.is_dir() else sorted(
            (each for each in path.iterdir() if each.suffix in SUFFIXES), key=_numbers)
        starts = {each: _start(each) for each in paths}
        if path.is_dir():
            _reject_other_forms(path, bool(paths))
    except OSError as error:
        raise RecordingError(f'{path}: {error.strerror}') from None
    intact = [each for each, start in starts.items() if start in (MCAP, SQLITE)]
    if not intact:
        raise RecordingError(_other_form(paths[0], starts[paths[0]]))
    return intact, [each for each in paths if each not in intact]


def is_compressed(data: bytes) -> bool:
    """Return whether a message, or the start of a file, is compressed by zstd."""
    return data.startswith(ZSTD)


def _start(path: Path) -> bytes:
    with path.open('rb') as file:
        return file.read(len(MCAP))


def _reject_other_forms(folder: Path, some: bool) -> None:
    """Reject a folder that holds files of other forms, or none."""
    packed = [each for each in folder.glob('*.zstd') if not each.with_suffix('').exists()]
    if packed:
        raise RecordingError(_other_form(packed[0], ZSTD))
    if not some:
        raise RecordingError(f'{folder} holds no file *.mcap or *.db3')


def _other_form(path: Path, start: bytes) -> str:
    """
    Return the error for a file of another form, by its first bytes.

    >>> _other_form(Path('run_0.mcap.zstd'), ZSTD)
    'run_0.mcap.zstd is packed as a whole; unpack it, and all beside it: zstd -d --rm ./*.zstd'
    >>> _other_form(Path('run.txt'), b'Hello')
    'run.txt is not a recording: it takes a file in MCAP, or a bag in SQLite'
    """
    if is_compressed(start):
        return (f'{path} is packed as a whole; unpack it, and all beside it: '
                f'zstd -d --rm {"." if path.parent == Path() else path.parent}/*.zstd')
    return f'{path} is not a recording: it takes a file in MCAP, or a bag in SQLite'


def _numbers(path: Path) -> tuple[list[int], str]:
    """Return the sorting key that puts ``bag_2.mcap`` before ``bag_10.mcap``."""
    return [int(number) for number in re.findall(r'\d+', path.name)], path.name


LARGEST_RECORD = 2**30
"""Length beyond which a record is damaged [bytes]."""
LATEST = 2**63 - 1
"""The latest log time [ns]."""
MEMORY = 64 * 2**20
"""The greatest memory of the messages that are being sorted [bytes]."""
Decode = Callable[[bytes], Any]


class _Source(NamedTuple):
    """A topic in a file."""

    topic: str
    kind: str
    decode: Decode
    path: Path


class Damage(NamedTuple):
    """The place where a file is truncated or damaged. The rest of it was not read."""

    path: Path
    left: int
    """Length of the rest [bytes], 0 if only the end is missing, since the recorder was killed."""


class Reader:
    """
    Reads a file, or all files of a folder written by ``ros2 bag record``.

    A truncated file is read as far as it is intact. Among several files, those that are no
    recordings are left out.

    :ivar damages: the damaged files, complete once all entries were read.
    :ivar unreadable: number of messages that do not match the definition of their type.
    :ivar undefined: reason why messages of a topic cannot be decoded, by topic.
    :raises RecordingError: if there is no recording.
    """

    def __init__(self, path: Path) -> None:
        self.unreadable = 0
        self.undefined: dict[str, str] = {}
        self._paths, not_recordings = recording_files(path)
        self.damages = [Damage(each, each.stat().st_size) for each in not_recordings]

    def entries(self, is_relevant: Callable[[str, str], bool]) -> Iterator[Entry]:
        """
        Yield the messages of relevant topics of all files, in the order of their log times.

        Most of them are on the disk meanwhile, in a temporary file of the library.

        :param is_relevant: ``is_relevant(topic, kind)`` returns whether a topic is read.
        :raises RecordingError: if messages are compressed one by one, or the disk is full.
        """
        sources: list[_Source] = []
        try:
            with closing(sqlite3.connect('')) as store:
                store.execute(f'PRAGMA cache_size = {-MEMORY // 1024}')
                store.execute('CREATE TABLE messages (time INTEGER, source INTEGER, data BLOB)')
                for path in self._paths:
                    store.executemany('INSERT INTO messages VALUES (?, ?, ?)',
                                      self._messages(path, is_relevant, sources))
                for time, number, data in store.execute(
                        'SELECT * FROM messages ORDER BY time, rowid'):
                    source = sources[number]
                    try:
                        message = source.decode(data)
                    except Exception:  # noqa: BLE001 - any error on bytes of another type
                        self.unreadable += 1
                        continue
                    yield Entry(source.topic, source.kind, time * 1e-9, message, source.path)
        except sqlite3.Error as error:
            raise RecordingError(f'messages cannot be sorted in {gettempdir()}: {error}; make '
                                 'room, or set TMPDIR') from None

    def _messages(self, path: Path, is_relevant: Callable[[str, str], bool],
                  sources: list['_Source']) -> Iterator[tuple[int, int, bytes]]:
        """
        Yield time [ns], source and content of the relevant messages of a file, in its order.

        :param sources: those of this file are appended.
        """
        schemas: dict[int, Schema] = {}
        channels: dict[int, int] = {}
        factory = DecoderFactory()
        for record in self._rows(path) if _start(path) == SQLITE else self._records(path):
            if isinstance(record, Schema):
                schemas[record.id] = record
            elif isinstance(record, Channel) and record.schema_id in schemas:
                schema = schemas[record.schema_id]
                if record.id not in channels and is_relevant(record.topic, schema.name):
                    decode = self._decoder(factory, record, schema)
                    if decode is not None:
                        channels[record.id] = len(sources)
                        sources.append(_Source(record.topic, schema.name, decode, path))
            elif isinstance(record, Message) and record.channel_id in channels:
                if is_compressed(record.data):
                    raise RecordingError(f'the messages in {path} are packed one by one; unpack '
                                         'them: ' + CONVERT.format(path))
                # Later ones, from the year 2262 on, are of damaged messages.
                yield min(record.log_time, LATEST), channels[record.channel_id], record.data

    def _decoder(self, factory: DecoderFactory, channel: Channel, schema: Schema) -> Decode | None:
        """Return the decoder of a topic, ``None`` if its messages cannot be decoded."""
        try:
            # The library also prints errors of parsing to standard error.
            with redirect_stderr(StringIO()):
                decode: Decode | None = factory.decoder_for(channel.message_encoding, schema)
        except Exception:  # noqa: BLE001 - any error of the library on a damaged definition
            self.undefined[channel.topic] = f'the definition of {schema.name} cannot be parsed'
            return None
        if not schema.encoding:
            self.undefined[channel.topic] = (
                f'the definition of {schema.name} is missing; {CONVERT.format("FOLDER")} adds it')
        elif decode is None:
            self.undefined[channel.topic] = (
                f'{schema.name} is defined in {schema.encoding!r} and its messages are in '
                f'{channel.message_encoding!r}; supported are {SchemaEncoding.ROS2!r} and '
                f'{MessageEncoding.CDR!r}')
        return decode

    def _rows(self, path: Path) -> Iterator[Any]:
        """Yield what a bag in SQLite holds, as records, up to the first damage."""
        number = 0
        try:
            with closing(sqlite3.connect(f'{path.resolve().as_uri()}?mode=ro', uri=True)) as file:
                # Bags of Humble have no such table.
                defined = {kind: rest for kind, *rest in file.execute(
                    'SELECT topic_type, encoding, encoded_message_definition '
                    'FROM message_definitions')} if file.execute(
                    "SELECT 1 FROM sqlite_master WHERE name = 'message_definitions'"
                ).fetchone() else {}
                for key, topic, kind, of_messages in file.execute(
                        'SELECT id, name, type, serialization_format FROM topics'):
                    encoding, text = defined.get(kind, ('', ''))
                    yield Schema(key, text.encode(), encoding, kind)
                    yield Channel(key, topic, of_messages, {}, key)
                for number, (time, key, data) in enumerate(file.execute(
                        'SELECT timestamp, topic_id, data FROM messages'), 1):
                    yield Message(key, time, data, time, number)
        except (sqlite3.Error, TypeError, AttributeError):
            self.damages.append(Damage(path, path.stat().st_size if number == 0 else 0))

    def _records(self, path: Path) -> Iterator[Any]:
        """Yield the records of a file up to the first damage."""
        with path.open('rb') as file:
            records = StreamReader(
                file, validate_crcs=True, record_size_limit=LARGEST_RECORD).records
            intact = 0
            while True:
                try:
                    record = next(records)
                except StopIteration:
                    return
                except Exception:  # noqa: BLE001 - any error of the library on a damaged file
                    self.damages.append(Damage(path, path.stat().st_size - intact))
                    return
                intact = file.tell()
                yield record


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
"""Size of a chunk before compression [bytes]."""


class Recording:
    """
    A file of serialised messages (CDR), with the definitions that are needed to read them.

    Messages written before the last :meth:`flush` survive the end of the process and a loss of
    power. :meth:`close` adds the index at the end of the file.

    :raises OSError: when the file exists already or cannot be written. All methods do so.
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
        Declare a topic, unless it is declared already.

        :param kind: the type of its messages, for example ``std_msgs/msg/Int64``.
        :param definition: of the type, by :func:`message_definition`.
        :param offers: by :func:`leader_election.swarm.recording.options.rosbag2_qos`.
        :param type_hash: by which ROS distinguishes versions of a type, empty if unknown.
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
