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

"""Reading text in UTF-8, and writing files whole or not at all."""

import os
from pathlib import Path
import subprocess
import sys

from leader_election.parameters import files
import pytest


@pytest.mark.parametrize('data', ['ä\n'.encode(), '\ufeffä\n'.encode()])
def test_text_is_read_with_and_without_a_byte_order_mark(tmp_path: Path, data: bytes) -> None:
    (tmp_path / 'text').write_bytes(data)
    assert files.read_text(tmp_path / 'text') == 'ä\n'


@pytest.mark.parametrize(('data', 'problem'), [
    (b'a\n\xb5m\n', r'line 2: not UTF-8 \(byte 0xb5\); save it in UTF-8'),
    ('a'.encode('utf-16'), r'line 1: not UTF-8 \(byte 0xff\); save it in UTF-8'),
    ('a'.encode('utf-16-le'), r'line 1: not UTF-8 \(byte 0x00\); save it in UTF-8'),
    (b'\x1f\x8b\x08', 'is packed; unpack it first'), (None, 'No such file or directory')])
def test_text_is_refused_with_its_line_when_it_is_not_utf8(
        tmp_path: Path, data: bytes | None, problem: str) -> None:
    if data is not None:
        (tmp_path / 'text').write_bytes(data)
    with pytest.raises(ValueError, match=f'^{problem}$'):
        files.read_text(tmp_path / 'text')


def test_text_is_refused_when_the_home_in_its_path_is_unknown() -> None:
    with pytest.raises(ValueError, match='~ is no known home; write the whole path'):
        files.read_text('~nobody_of_this_name/text')


def test_file_stays_as_it_was_when_it_is_not_written_whole(tmp_path: Path) -> None:
    path = tmp_path / 'page.html'
    files.write_text(path, 'old')
    with pytest.raises(ZeroDivisionError), files.replacing(path) as temporary:
        temporary.write_text('ne', encoding='utf-8')
        raise ZeroDivisionError
    assert path.read_text(encoding='utf-8') == 'old' and [*tmp_path.iterdir()] == [path]
    link = tmp_path / 'link.html'
    link.symlink_to(path)
    files.write_text(link, 'new')
    assert path.read_text(encoding='utf-8') == 'new' and link.is_symlink()


def test_device_is_written_itself(tmp_path: Path) -> None:
    with pytest.raises(OSError, match='No space left on device'):
        files.write_text(Path('/dev/full'), 'text')
    os.mkfifo(tmp_path / 'pipe')
    with subprocess.Popen(['cat', tmp_path / 'pipe'], stdout=subprocess.PIPE) as reader:
        files.write_text(tmp_path / 'pipe', 'text')
        assert reader.communicate()[0] == b'text'


@pytest.mark.parametrize(('text', 'problem'), [
    ('t\tx\n0\t1\n', r"line 1: missing columns t, x; .*between commas: 't\\tx'"),
    ('# mine\nt,x\n', "line 1: missing columns t, x; it takes names between commas.*: '# mine'"),
    ('T,X\n0,1\n', "line 1: missing columns t, x; it takes names between commas: 'T,X'"),
    ('t,x,t\n0,1,2\n', 'line 1: column t is there twice'),
    ('t,x\n0,1\n0,5,1,5\n', "line 3: 4 values for 2 columns: '0,5,1,5'"),
])
def test_rows_are_refused_with_the_line_that_was_found(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=f'^{problem}'):
        [files.number(row['x']) for _, row in files.rows_of(text, ('t', 'x'))]


def test_rows_are_read_when_spaces_and_empty_values_follow_the_commas() -> None:
    assert [*files.rows_of('t, "x" ,note\n0 , 1,\n\n2, "3", a, ,\n', ('t', 'x'))] == [
        (2, {'t': '0', 'x': '1'}), (4, {'t': '2', 'x': '3'})]


@pytest.mark.parametrize('text', ['', '1_0', '١', '0x1', '1,5'])
def test_text_is_no_number_when_only_python_takes_it(text: str) -> None:
    with pytest.raises(ValueError, match='not a number'):
        files.number(text)


@pytest.mark.parametrize('text', ['1.5', 'nan', 'inf', '1e300', 'a'])
def test_text_is_no_whole_number_when_it_has_a_fraction_or_is_too_great(text: str) -> None:
    with pytest.raises(ValueError, match='^not a '):
        files.whole(text)


def test_files_are_read_in_utf8_when_the_locale_is_another_one(tmp_path: Path) -> None:
    (tmp_path / 'text').write_text('“ä”\n', encoding='utf-8')
    subprocess.run([sys.executable, '-X', 'utf8=0', '-c', (
        'from pathlib import Path\n'
        'from leader_election.parameters.files import read_text, write_text\n'
        "write_text(Path('text'), read_text('text') + chr(228))")], cwd=tmp_path, check=True, env={
            **os.environ, 'PYTHONPATH': os.pathsep.join(sys.path), 'LC_ALL': 'C',
            'PYTHONCOERCECLOCALE': '0'})
    assert (tmp_path / 'text').read_text(encoding='utf-8') == '“ä”\nä'
