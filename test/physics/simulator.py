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

"""gzserver of Gazebo Classic 11, out of the cache: started, watched, ended."""

from collections.abc import Callable
import os
from pathlib import Path
import signal
import socket
import subprocess
import tempfile
import time
from types import TracebackType

from leader_election.demo.processes import end_with_parent
from physics.fetch import SERVER
from physics.messages import Messages
from physics.transport import Client, HOST

START_UP = 60.0
"""It hangs for ever on a world that it cannot read [s]."""
STOP = 10.0
"""So long it may take to end by itself [s]."""


class Simulator:
    """
    A server with one world, for the length of a ``with``.

    :ivar client: the one client that it has.
    """

    client: Client

    def __init__(self, root: Path, world: str, name: str,
                 check: Callable[[], None] = lambda: None) -> None:
        """
        Get ready.

        :param root: the folder that Gazebo is in.
        :param world: the text of a world file.
        :param name: of the world.
        :param check: is called with each look at the server, and may raise what ends the wait.
        """
        self._check = check
        self._root, self._world, self._name = root, world, name
        self._messages = Messages(root)

    def __enter__(self) -> 'Simulator':
        """
        Start; return when the world goes on.

        :raises RuntimeError: where that does not happen, with what the server said last.
        """
        self._folder = tempfile.TemporaryDirectory(prefix='gazebo-')
        folder = Path(self._folder.name)
        (folder / 'swarm.world').write_text(self._world)
        port = _free_port()
        self._log = (folder / 'log').open('w+')
        self._process = subprocess.Popen(
            _command(self._root, folder / 'swarm.world'),
            env=_environment(self._root, folder, port),
            stdin=subprocess.DEVNULL, stdout=self._log, stderr=subprocess.STDOUT, cwd=folder,
            preexec_fn=end_with_parent, start_new_session=True)
        try:
            self._wait_for(port)
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        """End it, whatever that takes."""
        self.client.close()
        self._end()

    def check(self) -> None:
        """Raise a ``RuntimeError`` where it has died."""
        self._check()
        if self._process.poll() is not None:
            raise RuntimeError(f'gzserver has ended with status {self._process.returncode}: '
                               f'{self._said()}')

    def _wait_for(self, port: int) -> None:
        ticks: list[float] = []
        client: Client | None = None
        end = time.monotonic() + START_UP
        while len(ticks) < 2 or ticks[-1] <= ticks[0]:
            self.check()
            if time.monotonic() > end:
                raise RuntimeError(f'gzserver did not start within {START_UP:.0f} s: '
                                   f'{self._said()}')
            if client is None:
                client = self._call(port, ticks)
            time.sleep(0.05)
        self.client = client  # type: ignore[assignment]

    def _call(self, port: int, ticks: list[float]) -> Client | None:
        try:
            client = Client(self._messages, port, self._name)
        except OSError:
            return None
        client.subscribe('world_stats', 'WorldStatistics', lambda stats: ticks.append(
            stats.sim_time.sec + stats.sim_time.nsec * 1e-9))
        return client

    def _said(self) -> str:
        self._log.seek(0)
        return ' '.join(self._log.read().split())[-500:] or 'nothing'

    def _end(self) -> None:
        for number in (signal.SIGINT, signal.SIGKILL):
            if self._process.poll() is None:
                os.killpg(self._process.pid, number)
            try:
                self._process.wait(timeout=STOP)
                break
            except subprocess.TimeoutExpired:
                pass
        self._log.close()
        self._folder.cleanup()


def _free_port() -> int:
    with socket.create_server((HOST, 0)) as listener:
        return int(listener.getsockname()[1])


def _command(root: Path, world: Path) -> list[str]:
    """Return how to run it by the dynamic linker and the libraries that it was built with."""
    lib = root / 'usr/lib/x86_64-linux-gnu'
    path = (lib, root / 'usr/lib', root / 'lib/x86_64-linux-gnu', lib / 'blas', lib / 'lapack',
            lib / 'gazebo-11/plugins', lib / 'pulseaudio')
    return [str(root / 'lib/x86_64-linux-gnu/ld-2.31.so'),
            '--library-path', ':'.join(map(str, path)),
            str(root / SERVER), '--verbose', str(world)]


def _environment(root: Path, home: Path, port: int) -> dict[str, str]:
    share = root / 'usr/share/gazebo-11'
    return {
        'HOME': str(home), 'LC_ALL': 'C', 'PATH': '/usr/bin:/bin',
        'GAZEBO_MASTER_URI': f'http://{HOST}:{port}', 'GAZEBO_IP': HOST,
        'GAZEBO_MODEL_DATABASE_URI': '', 'GAZEBO_RESOURCE_PATH': str(share),
        'GAZEBO_PLUGIN_PATH': str(root / 'usr/lib/x86_64-linux-gnu/gazebo-11/plugins'),
        'GAZEBO_MODEL_PATH': str(share / 'models'),
        'SDF_PATH': str(root / 'usr/share/sdformat/1.7')}
