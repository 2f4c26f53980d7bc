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

"""The files of a recording, and what to do about the forms of ``ros2 bag`` that are not read."""

from pathlib import Path
import re

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
