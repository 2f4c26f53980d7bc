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

"""Fetching: where from, and what is said where it cannot be done."""

from pathlib import Path
import shutil

from physics import fetch
import pytest

ONE_LINE = """# deb http://old.example.org/debian bullseye main
deb http://mirror.example.org/debian bookworm main contrib
deb-src http://source.example.org/debian bookworm main
deb [arch=amd64 signed-by=/k.gpg] https://other.example.org/debian/ bookworm-updates main
deb https://packages.example.org/apt tools main
"""
STANZAS = """Types: deb
URIs: http://off.example.org/debian
Suites: bookworm
Enabled: No

Types: deb-src
URIs: http://source.example.org/debian
Suites: bookworm

Types: deb deb-src
# URIs: http://old.example.org/debian
URIs: http://Stanza.example.org/debian http://stanza.example.org/debian-security
  http://next.example.org/debian
Suites: bookworm
Enabled: yes
"""


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    return tmp_path / 'cache'


def test_mirrors_of_debian_are_found_in_both_formats(tmp_path: Path) -> None:
    assert list(fetch.mirrors(tmp_path)) == []
    # A comment in the encoding of another time.
    (tmp_path / 'sources.list').write_bytes(b'# M\xfcnchen\n' + ONE_LINE.encode())
    (tmp_path / 'sources.list.d').mkdir()
    (tmp_path / 'sources.list.d' / 'debian.sources').write_text(STANZAS)
    assert list(fetch.mirrors(tmp_path)) == [
        'http://mirror.example.org/debian', 'https://other.example.org/debian/',
        'http://Stanza.example.org/debian', 'http://next.example.org/debian']


def test_what_is_there_is_not_fetched_again(empty_cache: Path, tmp_path: Path) -> None:
    folder = empty_cache / 'leader_election' / 'gazebo11'
    (folder / 'usr' / 'bin').mkdir(parents=True)
    # A folder alone is no Gazebo; there is no mirror to fetch it from.
    with pytest.raises(fetch.NotHad):
        fetch.fetch(tmp_path)
    (folder / fetch.SERVER).touch()
    assert fetch.fetch(tmp_path) == folder


def test_ctrl_c_is_one_line_and_status_130(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(etc: Path) -> Path:
        raise KeyboardInterrupt
    monkeypatch.setattr(fetch, 'fetch', interrupted)
    assert fetch.main() == 130
    assert capsys.readouterr().err == '\nerror: interrupted; what was downloaded is kept\n'


@pytest.mark.skipif(not (shutil.which('apt-get') and fetch.KEYS.exists()),
                    reason='needs apt-get and the keys of the Debian archive')
@pytest.mark.parametrize(('sources', 'told'), [
    ('', 'no mirror of Debian'),
    # Nobody listens there.
    ('deb http://127.0.0.1:9/debian bookworm main', 'apt-get update: ')])
def test_what_cannot_be_had_is_one_line_and_status_2(
        empty_cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
        sources: str, told: str) -> None:
    (tmp_path / 'sources.list').write_text(sources)
    assert fetch.main(tmp_path) == 2
    said = capsys.readouterr().err
    assert said.startswith('error: Gazebo Classic 11 could not be had: ')
    assert told in said and said.count('\n') == 1
    assert not fetch.root().exists()
