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

"""A recording that is read: any MCAP of ROS 2 messages, ours or one of ``ros2 bag record``."""

from collections.abc import Callable, Iterator
from pathlib import Path
import re
from typing import Any, NamedTuple

from mcap.records import Channel, Message, Schema
from mcap.stream_reader import StreamReader
from mcap_ros2.decoder import DecoderFactory

LARGEST_RECORD = 2**30
"""What says that it is larger than this is damaged [bytes]."""
_MAGIC = b'\x89MCAP0\r\n'


class RecordingError(ValueError):
    """What is no recording, or not of a swarm; the text is one line for people."""


class Entry(NamedTuple):
    """One recorded message."""

    topic: str
    kind: str
    """The type of the message, for example ``std_msgs/msg/Int64``."""
    time: float
    """When it was recorded [s]."""
    message: Any
    """With the fields of its type."""


class Damage(NamedTuple):
    """Where a file is cut off, or damaged: what comes after was not read."""

    path: Path
    left: int
    """[bytes]."""


class Reader:
    """
    Reads a file, or all of a folder, as ``ros2 bag record`` writes it.

    A file that is cut off is read as far as it is whole.

    :ivar damages: where files end too early, known once all is read.
    :ivar unreadable: how many messages were not what their type says.
    :raises RecordingError: for what is no recording at all.
    """

    def __init__(self, path: Path) -> None:
        self.damages: list[Damage] = []
        self.unreadable = 0
        self._paths = _files(path)

    def entries(self, wanted: Callable[[str, str], bool]) -> Iterator[Entry]:
        """
        Yield the messages of the topics wanted, in the order of the file.

        :param wanted: ``wanted(topic, kind)`` says whether a topic is.
        """
        for path in self._paths:
            yield from self._entries(path, wanted)

    def _entries(self, path: Path, wanted: Callable[[str, str], bool]) -> Iterator[Entry]:
        schemas: dict[int, Schema] = {}
        channels: dict[int, tuple[str, str, Callable[[bytes], Any]]] = {}
        factory = DecoderFactory()
        for record in self._records(path):
            if isinstance(record, Schema):
                schemas[record.id] = record
            elif isinstance(record, Channel) and record.schema_id in schemas:
                schema = schemas[record.schema_id]
                if wanted(record.topic, schema.name):
                    decode = factory.decoder_for(record.message_encoding, schema)
                    if decode is not None:
                        channels[record.id] = record.topic, schema.name, decode
            elif isinstance(record, Message) and record.channel_id in channels:
                topic, kind, decode = channels[record.channel_id]
                try:
                    message = decode(record.data)
                except Exception:  # noqa: BLE001 - whatever bytes of another type do to it
                    self.unreadable += 1
                    continue
                yield Entry(topic, kind, record.log_time * 1e-9, message)

    def _records(self, path: Path) -> Iterator[Any]:
        """Yield the records of a file, up to where it is damaged."""
        with path.open('rb') as file:
            records = StreamReader(
                file, validate_crcs=True, record_size_limit=LARGEST_RECORD).records
            whole = 0
            while True:
                try:
                    record = next(records)
                except StopIteration:
                    return
                except Exception:  # noqa: BLE001 - whatever a damaged file does to the library
                    self.damages.append(Damage(path, path.stat().st_size - whole))
                    return
                whole = file.tell()
                yield record


def _files(path: Path) -> list[Path]:
    """Return the files of a recording, in the order of their numbers."""
    try:
        paths = sorted(path.glob('*.mcap'), key=_numbers) if path.is_dir() else [path]
        for each in paths:
            with each.open('rb') as file:
                if file.read(len(_MAGIC)) != _MAGIC:
                    raise RecordingError(f'{each} is no recording: it takes a file in MCAP')
    except OSError as error:
        raise RecordingError(f'{path}: {error.strerror}') from None
    if not paths:
        raise RecordingError(f'{path} holds no file *.mcap')
    return paths


def _numbers(path: Path) -> tuple[list[int], str]:
    """Return what puts ``bag_2.mcap`` before ``bag_10.mcap``."""
    return [int(number) for number in re.findall(r'\d+', path.name)], path.name
