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

"""Reader of recordings: any MCAP of ROS 2 messages, ours or of ``ros2 bag record``."""

from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
import re
from typing import Any, NamedTuple

from mcap.records import Channel, Message, Schema
from mcap.stream_reader import StreamReader
from mcap.well_known import MessageEncoding, SchemaEncoding
from mcap_ros2.decoder import DecoderFactory

MCAP, ZSTD, SQLITE = b'\x89MCAP0\r\n', b'\x28\xb5\x2f\xfd', b'SQLite f'
"""What files begin with; a message that is packed by itself begins like a file that is."""
CONVERT = ('ros2 bag convert -i {} -o plain.yaml, where plain.yaml says '
           'output_bags: [{{uri: plain, storage_id: mcap, all_topics: true}}]')
"""What writes the same as is read here; with the bag's path."""


class RecordingError(ValueError):
    """What is no recording, or not of a swarm; the text is one line for people."""


def files(path: Path) -> tuple[list[Path], list[Path]]:
    """
    Return the files of a recording, in the order of their numbers.

    :param path: a file, or the folder of all.
    :return: also those of several that are none.
    :raises RecordingError: where there is none, or some are in a form that is not read.
    """
    try:
        paths = sorted(path.glob('*.mcap'), key=_numbers) if path.is_dir() else [path]
        starts = {each: _start(each) for each in paths}
        if path.is_dir():
            _refuse_others(path, bool(paths))
    except OSError as error:
        raise RecordingError(f'{path}: {error.strerror}') from None
    whole = [each for each, start in starts.items() if start == MCAP]
    if not whole:
        raise RecordingError(_other_form(paths[0], starts[paths[0]]))
    return whole, [each for each in paths if each not in whole]


def is_packed(data: bytes) -> bool:
    """Return whether a message, or the start of a file, is packed by zstd."""
    return data.startswith(ZSTD)


def _start(path: Path) -> bytes:
    with path.open('rb') as file:
        return file.read(len(MCAP))


def _refuse_others(folder: Path, some: bool) -> None:
    """Refuse a folder that holds files of other forms, or none."""
    packed = [each for each in folder.glob('*.zstd') if not each.with_suffix('').exists()]
    if packed:
        raise RecordingError(_other_form(packed[0], ZSTD))
    if not some:
        in_sqlite = any(folder.glob('*.db3'))
        raise RecordingError(
            _other_form(folder, SQLITE) if in_sqlite else f'{folder} holds no file *.mcap')


def _other_form(path: Path, start: bytes) -> str:
    """
    Return what is said of a file that begins otherwise.

    >>> _other_form(Path('run_0.mcap.zstd'), ZSTD)
    'run_0.mcap.zstd is packed as a whole; unpack it, and all beside it: zstd -d --rm ./*.zstd'
    >>> _other_form(Path('run.txt'), b'Hello')
    'run.txt is no recording: it takes a file in MCAP'
    """
    if is_packed(start):
        return (f'{path} is packed as a whole; unpack it, and all beside it: '
                f'zstd -d --rm {"." if path.parent == Path() else path.parent}/*.zstd')
    if start == SQLITE:
        return f'{path} is a bag in SQLite; make it one in MCAP: {CONVERT.format(path)}'
    return f'{path} is no recording: it takes a file in MCAP'


def _numbers(path: Path) -> tuple[list[int], str]:
    """Return what puts ``bag_2.mcap`` before ``bag_10.mcap``."""
    return [int(number) for number in re.findall(r'\d+', path.name)], path.name


LARGEST_RECORD = 2**30
"""What says that it is larger than this is damaged [bytes]."""
Decode = Callable[[bytes], Any]


class Entry(NamedTuple):
    """One recorded message."""

    topic: str
    kind: str
    """The type of the message, for example ``std_msgs/msg/Int64``."""
    time: float
    """When it was recorded [s]."""
    message: Any
    """With the fields of its type."""
    path: Path = Path()
    """In which file."""


class Damage(NamedTuple):
    """Where a file is cut off, or damaged: what comes after was not read."""

    path: Path
    left: int
    """[bytes]; 0: it is whole, but has no end, as when its recorder was killed."""


class Reader:
    """
    Reads a file, or all of a folder, as ``ros2 bag record`` writes it.

    A file that is cut off is read as far as it is whole; of several, one that is no recording at
    all is left out.

    :ivar damages: where files end too early, known once all is read.
    :ivar unreadable: how many messages were not what their type says.
    :ivar undefined: the topics whose messages nobody can read, and why.
    :raises RecordingError: for what is no recording at all.
    """

    def __init__(self, path: Path) -> None:
        self.unreadable = 0
        self.undefined: dict[str, str] = {}
        self._paths, spoilt = files(path)
        self.damages = [Damage(each, each.stat().st_size) for each in spoilt]

    def entries(self, wanted: Callable[[str, str], bool]) -> Iterator[Entry]:
        """
        Yield the messages of the topics wanted, in the order of the file.

        :param wanted: ``wanted(topic, kind)`` says whether a topic is.
        :raises RecordingError: where messages are packed one by one.
        """
        for path in self._paths:
            yield from self._entries(path, wanted)

    def _entries(self, path: Path, wanted: Callable[[str, str], bool]) -> Iterator[Entry]:
        schemas: dict[int, Schema] = {}
        channels: dict[int, tuple[str, str, Decode]] = {}
        factory = DecoderFactory()
        for record in self._records(path):
            if isinstance(record, Schema):
                schemas[record.id] = record
            elif isinstance(record, Channel) and record.schema_id in schemas:
                schema = schemas[record.schema_id]
                if record.id not in channels and wanted(record.topic, schema.name):
                    decode = self._decoder(factory, record, schema)
                    if decode is not None:
                        channels[record.id] = record.topic, schema.name, decode
            elif isinstance(record, Message) and record.channel_id in channels:
                topic, kind, decode = channels[record.channel_id]
                if is_packed(record.data):
                    raise RecordingError(f'the messages in {path} are packed one by one; unpack '
                                         'them: ' + CONVERT.format(path))
                try:
                    message = decode(record.data)
                except Exception:  # noqa: BLE001 - whatever bytes of another type do to it
                    self.unreadable += 1
                    continue
                yield Entry(topic, kind, record.log_time * 1e-9, message, path)

    def _decoder(self, factory: DecoderFactory, channel: Channel, schema: Schema) -> Decode | None:
        """Return what decodes the messages of a topic, if there is such a thing."""
        try:
            # What cannot be parsed is printed there, too.
            with redirect_stderr(StringIO()):
                decode: Decode | None = factory.decoder_for(channel.message_encoding, schema)
        except Exception:  # noqa: BLE001 - whatever a damaged definition does to the library
            self.undefined[channel.topic] = f'the definition of {schema.name} makes no sense'
            return None
        if not schema.encoding:
            self.undefined[channel.topic] = f'the definition of {schema.name} is missing'
        elif decode is None:
            self.undefined[channel.topic] = (
                f'{schema.name} is defined in {schema.encoding!r} and its messages are in '
                f'{channel.message_encoding!r}; what is read is {SchemaEncoding.ROS2!r} and '
                f'{MessageEncoding.CDR!r}')
        return decode

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
