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

"""The package of doc/extending.md, installed by pip: robots, laboratory and monitor use it."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
import re
import signal
import subprocess
import sys
import time

from environment import variables
from packaging.version import Version
import pytest
import setuptools
import yaml

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / 'doc' / 'extending.md'


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """
    Return the folder of a fresh environment that has the package, installed by pip.

    This package and what it needs are seen through a path file: they are not what is tested.
    """
    # From 70.1 on, setuptools needs no other package for this.
    if find_spec('wheel') is None and Version(setuptools.__version__) < Version('70.1'):
        pytest.skip(f'setuptools {setuptools.__version__} installs packages with wheel alone')
    for block in re.findall(r'```python\n(.*?)```', DOCUMENT.read_text(), re.DOTALL):
        name = re.match(r'# (setup\.py|my_robots/\w+\.py)', block)
        assert name is not None, 'each block begins with the name of its file'
        file = tmp_path / 'package' / name[1]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(block)
    (tmp_path / 'package' / 'my_robots' / '__init__.py').touch()
    environment = tmp_path / 'environment'
    subprocess.run([sys.executable, '-m', 'venv', '--without-pip', str(environment)],
                   check=True, timeout=120)
    site = next(environment.glob('lib/python*/site-packages'))
    # colcon has a folder of its own before that of the environment.
    here = [place for place in sys.path if place.endswith('site-packages')]
    (site / 'seen.pth').write_text('\n'.join([str(ROOT), *here]) + '\n')
    subprocess.run(
        [sys.executable, '-m', 'pip', '--python', str(environment / 'bin' / 'python'), 'install',
         '--quiet', '--no-deps', '--no-index', '--disable-pip-version-check',
         '--no-build-isolation', str(tmp_path / 'package')],
        check=True, timeout=120)
    return tmp_path


def command(installed: Path, *arguments: str) -> list[str]:
    return [str(installed / 'environment' / 'bin' / 'python'), '-m', 'leader_election',
            *arguments]


@pytest.fixture
def started(installed: Path) -> Iterator[list['subprocess.Popen[str]']]:
    """Return a list of processes that are ended after the test."""
    processes: list[subprocess.Popen[str]] = []
    yield processes
    for process in processes:
        process.send_signal(signal.SIGINT)
    for process in processes:
        assert process.wait(60) == 0


def start(installed: Path, *arguments: str, **keywords: object) -> 'subprocess.Popen[str]':
    return subprocess.Popen(  # type: ignore[call-overload, no-any-return]
        command(installed, *arguments), cwd=installed, text=True, env=variables(), **keywords)


def test_installed_plug_ins_elect_and_are_in_monitor_and_parameter_file(
        installed: Path, started: list['subprocess.Popen[str]'],
        monkeypatch: pytest.MonkeyPatch) -> None:
    """Without odometry every heard robot is a neighbour at one hop."""
    monkeypatch.setenv('PYTHONUNBUFFERED', '1')
    settings = ('robots:=2', 'algorithm:=greedy', 'greedy.margin:=1.5', 'radius:=10.0',
                'metric:=hops', 'communication_range:=.inf', 'strength_source:=central',
                'central.crowding:=2.0', 'pose_source:=calibrated')
    started.append(start(installed, 'fleet', '--ros-args', *(
        word for setting in settings for word in ('-p', setting))))
    monitor = start(installed, 'monitor', '--ros-args', '-p', 'algorithm:=greedy',
                    '-p', 'communication_range:=.inf', stdout=subprocess.PIPE)
    started.append(monitor)
    end = time.monotonic() + 120.0
    shown = ''
    assert monitor.stdout is not None

    def whole() -> bool:
        return shown.startswith('2 robots · 1 region · 0 without a leader')
    # On a loaded machine the monitor may be without the messages of a robot for a while.
    while not whole() and time.monotonic() < end:
        shown = monitor.stdout.readline()
    assert whole(), shown
    folder = installed / 'config'
    folder.mkdir()
    python = command(installed)[0]
    subprocess.run([python, '-m', 'leader_election.config', str(folder)], cwd=installed,
                   env=variables(), check=True, timeout=60)
    text = (folder / 'election.yaml').read_text()
    values = yaml.safe_load(text)['/**']['ros__parameters']
    assert values['greedy.margin'] == 0.0 and values['greedy.most_hops'] == 50
    assert values['central.crowding'] == 0.5 and values['walking.speed'] == 0.4
    assert values['gather.topic'] == 'temperature'
    assert '# A leader reaches less far than the radius by this. Takes 0 to 100 m.' in text
