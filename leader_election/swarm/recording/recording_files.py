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
Reader of recordings (MCAP, https://mcap.dev).

Any MCAP with ROS 2 messages is read, ours or of ``ros2 bag record``, and its bags in SQLite, which
hold the definitions of messages from Iron on.
"""

from collections.abc import Callable, Iterator
from contextlib import closing, redirect_stderr, suppress
from io import StringIO
from pathlib import Path
import sqlite3
from tempfile import gettempdir
from typing import Any

from leader_election.swarm.recording.content import Entry, RecordingError
from mcap.records import Channel, Message, Schema
from mcap.stream_reader import StreamReader
from mcap.well_known import MessageEncoding, SchemaEncoding
from mcap_ros2.decoder import DecoderFactory

MCAP, SQLITE = b'\x89MCAP0\r\n', b'SQLite f'
"""The first bytes of files."""
CONVERT = ('ros2 bag convert -i {} -o plain.yaml, where plain.yaml holds '
           'output_bags: [{{uri: plain, storage_id: mcap, all_topics: true}}]')
"""The command that converts a bag to a form that is read here. Takes the bag's path."""


def _files(path: Path) -> dict[Path, bytes]:
    """
    Return the first bytes of the files of a recording.

    :param path: a file, or a folder with all of them.
    :raises RecordingError: without a recording.
    """
    try:
        inside = sorted(path.iterdir()) if path.is_dir() else [path]
        found = {each: _start(each) for each in inside
                 if each == path or each.suffix in ('.mcap', '.db3')}
    except OSError as error:
        raise RecordingError(f'{path}: {error.strerror}') from None
    if not {MCAP, SQLITE}.intersection(found.values()):
        raise RecordingError(f'{path} is not a recording: it takes a file in MCAP, a bag in '
                             'SQLite, or a folder of files *.mcap or *.db3, unpacked')
    return found


def _start(path: Path) -> bytes:
    with path.open('rb') as file:
        return file.read(len(MCAP))


LARGEST_RECORD = 2**30
"""Length beyond which a record is damaged [bytes]."""
LATEST = 2**63 - 1
"""The latest log time [ns]."""
Source = tuple[str, str, Callable[[bytes], Any]]
"""A topic in a file: its name, type and decoder."""


class Reader:
    """
    Reads a file, or all files of a folder written by ``ros2 bag record``.

    A truncated file is read as far as it is intact. Among several files, those that are no
    recordings are left out.

    :ivar damages: the files whose end is damaged or missing, complete once all entries were read.
    :ivar unreadable: number of messages that do not match the definition of their type.
    :ivar undefined: reason why messages of a topic cannot be decoded, by topic.
    :raises RecordingError: if there is no recording.
    """

    def __init__(self, path: Path) -> None:
        self.unreadable = 0
        self.undefined: dict[str, str] = {}
        self._records = {each: {MCAP: self._of_mcap, SQLITE: self._of_sqlite}.get(start)
                         for each, start in _files(path).items()}
        self.damages = [each for each, records in self._records.items() if records is None]

    def entries(self, is_relevant: Callable[[str, str], bool]) -> Iterator[Entry]:
        """
        Yield the messages of relevant topics of all files, in the order of their log times.

        Most of them are on the disk meanwhile, in a temporary file of the library.

        :param is_relevant: ``is_relevant(topic, kind)`` returns whether a topic is read.
        :raises RecordingError: if the disk is full.
        """
        sources: list[Source] = []
        try:
            with closing(sqlite3.connect('')) as store:
                # The greatest memory of the messages that are being sorted, in KiB.
                store.execute('PRAGMA cache_size = -65536')
                store.execute('CREATE TABLE messages (time INTEGER, source INTEGER, data BLOB)')
                for path, records in self._records.items():
                    if records is not None:
                        store.executemany(
                            'INSERT INTO messages VALUES (?, ?, ?)',
                            self._messages(records(path), is_relevant, sources))
                for time, number, data in store.execute(
                        'SELECT * FROM messages ORDER BY time, rowid'):
                    topic, kind, decode = sources[number]
                    try:
                        message = decode(data)
                    except Exception:  # noqa: BLE001 - any error on bytes of another type
                        self.unreadable += 1
                        continue
                    yield Entry(topic, kind, time * 1e-9, message)
        except sqlite3.Error as error:
            raise RecordingError(f'messages cannot be sorted in {gettempdir()}: {error}; make '
                                 'room, or set TMPDIR') from None

    def _messages(self, records: Iterator[Any], is_relevant: Callable[[str, str], bool],
                  sources: list[Source]) -> Iterator[tuple[int, int, bytes]]:
        """
        Yield time [ns], source and content of the relevant messages of a file, in its order.

        :param sources: those of this file are appended.
        """
        schemas: dict[int, Schema] = {}
        channels: dict[int, int] = {}
        factory = DecoderFactory()
        for record in records:
            if isinstance(record, Schema):
                schemas[record.id] = record
            elif isinstance(record, Channel) and record.schema_id in schemas:
                schema = schemas[record.schema_id]
                if record.id not in channels and is_relevant(record.topic, schema.name):
                    decode = self._decoder(factory, record, schema)
                    if decode is not None:
                        channels[record.id] = len(sources)
                        sources.append((record.topic, schema.name, decode))
            elif isinstance(record, Message) and record.channel_id in channels:
                # Later ones, from the year 2262 on, are of damaged messages.
                yield min(record.log_time, LATEST), channels[record.channel_id], record.data

    def _decoder(self, factory: DecoderFactory, channel: Channel,
                 schema: Schema) -> Callable[[bytes], Any] | None:
        """Return the decoder of a topic, ``None`` if its messages cannot be decoded."""
        why = f'is missing; {CONVERT.format("FOLDER")} adds it'
        if schema.encoding:
            why = f'cannot be parsed; it takes {SchemaEncoding.ROS2} and {MessageEncoding.CDR}'
            # The library also prints errors of parsing to standard error.
            with suppress(Exception), redirect_stderr(StringIO()):
                if decode := factory.decoder_for(channel.message_encoding, schema):
                    return decode
        self.undefined[channel.topic] = f'the definition of {schema.name} {why}'
        return None

    def _of_sqlite(self, path: Path) -> Iterator[Any]:
        """Yield what a bag in SQLite holds, as records, up to the first damage."""
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
                for time, key, data in file.execute(
                        'SELECT timestamp, topic_id, data FROM messages'):
                    yield Message(key, time, data, time, 0)
        except (sqlite3.Error, TypeError, AttributeError):
            self.damages.append(path)

    def _of_mcap(self, path: Path) -> Iterator[Any]:
        """Yield the records of a file up to the first damage."""
        with path.open('rb') as file:
            try:
                yield from StreamReader(
                    file, validate_crcs=True, record_size_limit=LARGEST_RECORD).records
            except Exception:  # noqa: BLE001 - any error of the library on a damaged file
                self.damages.append(path)
