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
Several computers in one: network namespaces, each with an address of its own, on one switch.

Nothing of it is seen outside, and it needs no rights where users may have namespaces of their own.
When this process ends, however it does, the kernel takes all of it down.
"""

from collections.abc import Mapping, Sequence
import json
import os
from pathlib import Path
import re
import shutil
import subprocess
import sys
from types import TracebackType

from leader_election.ros.demo.processes import end_with_parent

PROFILES = Path(__file__).parents[1] / 'config' / 'dds'
SERVER_PORT = 11811
SCHEMA_OF_THREE = 'share/fastdds/fastdds_profiles.xsd'
"""A file of Fast DDS from 3 on (ROS 2 Kilted)."""
_HOLD = ('sh', '-c', 'echo up; exec sleep infinity')


class NoNetwork(Exception):
    """There can be none on this machine. The text says why."""


class Network:
    """
    Computers on a switch, for the length of a ``with``.

    :param addresses: of the computers, by their names, all in one network of 24 bits.
    """

    def __init__(self, addresses: Mapping[str, str]) -> None:
        self.addresses = addresses
        self._holders: dict[str, subprocess.Popen[str]] = {}
        self._enter: list[str] = []

    def __enter__(self) -> 'Network':
        """
        Make the namespaces.

        :raises NoNetwork: if that is not allowed, or its tools are missing.
        """
        try:
            self._make()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        """Remove them. Processes in them end first."""
        for holder in self._holders.values():
            holder.kill()
            holder.communicate()

    def _make(self) -> None:
        for tool in ('ip', 'unshare', 'nsenter'):
            if shutil.which(tool) is None:
                raise NoNetwork(f'there is no command {tool}')
        self._hold('', ['unshare', '--user', '--map-root-user', '--net'])
        self._ip('', 'link', 'add', 'switch', 'type', 'bridge')
        self._ip('', 'link', 'set', 'switch', 'up')
        for name, address in self.addresses.items():
            holder = self._hold(name, [*self.inside(''), 'unshare', '--net'])
            self._ip('', 'link', 'add', name, 'type', 'veth',
                     'peer', 'name', 'eth0', 'netns', str(holder))
            self._ip('', 'link', 'set', name, 'master', 'switch', 'up')
            self._ip(name, 'address', 'add', f'{address}/24', 'dev', 'eth0')
            self._ip(name, 'link', 'set', 'lo', 'up')
            self._ip(name, 'link', 'set', 'eth0', 'up')

    def _hold(self, name: str, command: Sequence[str]) -> int:
        """Start the process that holds a namespace, and return its id when it does."""
        holder = self._holders[name] = subprocess.Popen(
            [*command, *_HOLD], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, preexec_fn=end_with_parent)
        assert holder.stdout is not None
        if holder.stdout.readline() != 'up\n':
            raise NoNetwork(' '.join(holder.communicate()[1].split()))
        return holder.pid

    def _ip(self, name: str, *arguments: str) -> str:
        ran = subprocess.run([*self.inside(name), 'ip', *arguments], capture_output=True,
                             text=True)
        if ran.returncode:
            raise NoNetwork(f'ip {" ".join(arguments)}: {" ".join(ran.stderr.split())}')
        return ran.stdout

    def inside(self, name: str) -> list[str]:
        """Return the prefix of a command that runs on a computer, empty for the switch."""
        return ['nsenter', '--user', '--net', '--preserve-credentials',
                '--target', str(self._holders[name].pid), '--']

    def start(self, name: str, command: Sequence[str], environment: Mapping[str, str],
              log: Path) -> 'subprocess.Popen[str]':
        """Start a process on a computer. It writes standard error to a file."""
        with log.open('w') as error:
            return subprocess.Popen(
                [*self.inside(name), *command], env=environment, text=True, start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=error,
                preexec_fn=end_with_parent)

    def connect(self, name: str, there: bool) -> None:
        """Plug a computer's cable in, or pull it."""
        self._ip('', 'link', 'set', name, 'up' if there else 'down')

    def received(self, name: str) -> int:
        """Return the number of packets that a computer has received."""
        (link,) = json.loads(self._ip(name, '-json', '-statistics', 'link', 'show', 'eth0'))
        return int(link['stats64']['rx']['packets'])


def profile(name: str, own: str, folder: Path, changes: Mapping[str, str] = {}) -> dict[str, str]:
    """
    Return the environment of a computer that uses one of the profiles of the package.

    :param name: ``fastdds_peers`` or ``fastdds_discovery_server``.
    :param own: the address of the computer, in the place of the one marked as such.
    :param folder: for its copy of the file.
    :param changes: of further texts.
    """
    text, number = re.subn(r'[0-9.]+(</address>\s*<!-- OWN -->)', rf'{own}\1',
                           (PROFILES / f'{name}.xml').read_text())
    assert number == 1
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    if installed(SCHEMA_OF_THREE):
        # With a list of interfaces Fast DDS 3.2.3 finds no process on another computer.
        text = re.sub(r'<interfaceWhiteList>.*?</interfaceWhiteList>', '', text, flags=re.DOTALL)
    return using(text, folder / f'{name}_{own}.xml')


def using(text: str, path: Path) -> dict[str, str]:
    """
    Return the environment for a profile of the package, which is written to a file.

    Fast DDS 3 has another variable for it, and lists discovery servers by their locators alone.
    """
    three = bool(installed(SCHEMA_OF_THREE))
    if three:
        text = re.sub(r'<RemoteServer .*?(<locator>.*</locator>).*?</RemoteServer>', r'\1', text,
                      flags=re.DOTALL)
    path.write_text(text)
    return os.environ | {
        f'{"FASTDDS" if three else "FASTRTPS"}_DEFAULT_PROFILES_FILE': str(path),
        'ROS_AUTOMATIC_DISCOVERY_RANGE': 'SYSTEM_DEFAULT'}


def installed(name: str) -> list[Path]:
    """Return a file of Fast DDS, wherever it is installed."""
    prefixes = [Path(path) for path in (
        sys.prefix, *os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)) if path]
    return [path for prefix in prefixes for path in [prefix / name] if path.is_file()]


def discovery_server() -> tuple[tuple[str, ...], dict[str, str]] | None:
    """Return the command of Fast DDS's discovery server and its environment, if it is here."""
    commands = installed('bin/fast-discovery-server')
    if not commands:
        return None
    # A wheel of Fast DDS keeps the libraries that it brings in folders of their own.
    libraries = {str(path.parent) for path in commands[0].parents[1].rglob('libtinyxml2*')}
    libraries |= {str(commands[0].parents[1] / 'lib'), os.environ.get('LD_LIBRARY_PATH', '')}
    # From Fast DDS 3 on the program has several uses, by number: 42 is a server.
    use = ('42',) if installed(SCHEMA_OF_THREE) else ()
    return (str(commands[0]), *use), os.environ | {
        'LD_LIBRARY_PATH': os.pathsep.join(sorted(libraries))}
