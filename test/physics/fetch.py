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
Fetch Gazebo Classic 11, of Debian 11, into a cache, as any user: ``python test/physics/fetch.py``.

Nothing is installed, and nothing of the system is written to: apt works on folders of its own in
the cache, downloads, and the packages are only unpacked. The mirror is the one that this machine
gets its own packages from; what comes is checked by the keys of the Debian archive. It takes about
a minute, 260 MB to download and 840 MB unpacked, both at once for a moment. What was downloaded
before a failure is not downloaded again.
"""

from collections.abc import Iterator
import os
from pathlib import Path
import platform
import re
import shutil
import subprocess
import sys

SUITE = 'bullseye'
"""Debian 11: the last one that has Gazebo Classic."""
PACKAGES = ('gazebo', 'gazebo-plugin-base')
"""What is run, with all that it needs."""
ALONE = ('libgazebo-dev',)
"""What is only read: it holds the definitions of the messages."""
KEYS = Path('/usr/share/keyrings/debian-archive-keyring.gpg')
SERVER = 'usr/bin/gzserver-11.1.0'
"""The simulator, from where Gazebo is."""
TIMEOUT = 900.0
"""So long apt may take [s]."""
_NO = {'no', 'false', 'without', 'off', 'disable', '0'}
"""As apt takes it."""


class NotHad(Exception):
    """Gazebo could not be had; the text is one line for people."""


def cache() -> Path:
    """Return the folder of all that is fetched."""
    home = os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache'
    return Path(home) / 'leader_election'


def root() -> Path:
    """Return the folder that Gazebo is unpacked in."""
    return cache() / 'gazebo11'


def is_there() -> bool:
    """Return whether Gazebo was fetched."""
    return (root() / SERVER).is_file()


def mirrors(etc: Path) -> Iterator[str]:
    """
    Yield the mirrors of Debian among the apt sources of a machine, in either of their formats.

    :param etc: its ``/etc/apt``.
    """
    parts = etc / 'sources.list.d'
    for file in (etc / 'sources.list', *sorted(parts.glob('*.list'))):
        for line in _lines(file):
            words = [word for word in line.split() if not word.startswith('[')]
            yield from (word for word in words[1:] if words[0] == 'deb' and _is_debian(word))
    for file in sorted(parts.glob('*.sources')):
        for stanza in re.split(r'\n\s*\n', _text(file)):
            yield from _in_stanza(stanza)


def _in_stanza(stanza: str) -> list[str]:
    """Return the mirrors of Debian in one stanza; none where it is not in force."""
    # A value may go on in lines that are indented.
    pairs = (line.partition(':') for line in re.sub(r'\n[ \t]+', ' ', stanza).splitlines())
    fields = {key.strip().lower(): value.split() for key, _, value in pairs}
    enabled = ''.join(fields.get('enabled', ())).lower()
    if enabled in _NO or 'deb' not in fields.get('types', ()):
        return []
    return [word for word in fields.get('uris', ()) if _is_debian(word)]


def _text(file: Path) -> str:
    """Return a file without its comments, which may be in any encoding."""
    text = file.read_text(errors='replace') if file.exists() else ''
    return '\n'.join(line for line in text.splitlines() if not line.startswith('#'))


def _lines(file: Path) -> list[str]:
    return [line for line in _text(file).splitlines() if line.strip()]


def _is_debian(word: str) -> bool:
    return '://' in word and word.rstrip('/').endswith('/debian')


class Apt:
    """An apt with a state of its own, which knows of one suite and no installed package."""

    def __init__(self, folder: Path, mirror: str) -> None:
        self.archives = folder / 'cache' / 'archives'
        for sub in (self.archives / 'partial', folder / 'state' / 'lists' / 'partial',
                    folder / 'etc'):
            sub.mkdir(parents=True, exist_ok=True)
        (folder / 'state' / 'status').write_text('')
        (folder / 'etc' / 'sources.list').write_text(
            f'deb [arch=amd64 signed-by={KEYS}] {mirror} {SUITE} main\n')
        options = {
            'Dir::State': folder / 'state', 'Dir::State::status': folder / 'state' / 'status',
            'Dir::Cache': folder / 'cache', 'Dir::Etc::SourceList': folder / 'etc/sources.list',
            'Dir::Etc::SourceParts': '/dev/null', 'Dir::Etc::PreferencesParts': '/dev/null',
            'APT::Architecture': 'amd64', 'APT::Architectures::': 'amd64',
            'APT::Install-Recommends': 'false', 'APT::Sandbox::User': 'root',
            'Acquire::Retries': '1', 'Acquire::Languages': 'none'}
        self._options = [
            word for name, value in options.items() for word in ('-o', f'{name}={value}')]

    def run(self, *arguments: str) -> None:
        """
        Run apt-get.

        :raises NotHad: where it fails, with what it said last.
        """
        try:
            done = subprocess.run(
                ['apt-get', *self._options, *arguments], cwd=self.archives, timeout=TIMEOUT,
                capture_output=True, text=True, env={**os.environ, 'LC_ALL': 'C'})
        except subprocess.TimeoutExpired:
            raise NotHad(f'apt-get {arguments[0]} took longer than {TIMEOUT:.0f} s') from None
        # A failed update is no more than a warning to it.
        said = [line for line in done.stderr.splitlines() if line[:2] in ('E:', 'W:')]
        if done.returncode or (arguments[0] == 'update' and said):
            raise NotHad(f'apt-get {arguments[0]}: {said[-1] if said else "failed"}')


def fetch(etc: Path = Path('/etc/apt')) -> Path:
    """
    Return the folder that Gazebo is in, fetched if it has to be.

    :param etc: where this machine says which mirrors it gets its packages from.
    :raises NotHad: where it cannot be had.
    """
    if is_there():
        return root()
    if (platform.system(), platform.machine()) != ('Linux', 'x86_64'):
        raise NotHad('there are packages for Linux on x86-64 only')
    for tool in ('apt-get', 'dpkg-deb'):
        if shutil.which(tool) is None:
            raise NotHad(f'{tool} is not on this machine')
    if not KEYS.exists():
        raise NotHad(f'{KEYS} is not on this machine; package debian-archive-keyring has it')
    mirror = next(mirrors(etc), None)
    if mirror is None:
        raise NotHad('no mirror of Debian is among the apt sources of this machine')
    work = cache() / 'gazebo11.part'
    apt = Apt(work, mirror)
    print(f'Fetching Gazebo Classic 11 of Debian 11 from {mirror} into {root()}', flush=True)
    apt.run('update')
    apt.run('install', '--yes', '--download-only', *PACKAGES)
    apt.run('download', *ALONE)
    _unpack(sorted(apt.archives.glob('*.deb')), work / 'root')
    # What is there is no Gazebo.
    shutil.rmtree(root(), ignore_errors=True)
    (work / 'root').rename(root())
    shutil.rmtree(work)
    return root()


def _unpack(packages: list[Path], into: Path) -> None:
    if into.exists():
        shutil.rmtree(into)
    into.mkdir()
    for package in packages:
        done = subprocess.run(
            ['dpkg-deb', '-x', str(package), str(into)], capture_output=True, text=True)
        if done.returncode:
            package.unlink()
            raise NotHad(f'{package.name} does not unpack, try again: {done.stderr.strip()}')


def main(etc: Path = Path('/etc/apt')) -> int:
    """Fetch; return the exit status: 2 with one line where it cannot be had, 130 for Ctrl-C."""
    try:
        print(f'Gazebo Classic 11 is in {fetch(etc)}')
    except (NotHad, OSError) as error:
        print(f'error: Gazebo Classic 11 could not be had: {" ".join(str(error).split())}',
              file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print('\nerror: interrupted; what was downloaded is kept', file=sys.stderr)
        return 130
    return 0


if __name__ == '__main__':
    sys.exit(main())
