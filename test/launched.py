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

"""Launch files of the checkout, as far as they go without a process started."""

from collections.abc import Iterable
from importlib.util import module_from_spec, spec_from_file_location
import os
from pathlib import Path
import subprocess
import sys
import time
from typing import Any

from leader_election.executables import EXECUTABLES
import yaml

FILES = Path(__file__).parents[1] / 'launch'
SERVICE = """
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
service = LaunchService()
service.include_launch_description(LaunchDescription([IncludeLaunchDescription(
    sys.argv[1], launch_arguments=[word.split(':=') for word in sys.argv[2:]])]))
sys.exit(service.run())
"""
WATCH = """
import re
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription, RegisterEventHandler, Shutdown, TimerAction
from launch.event_handlers import OnProcessIO
missing, seen = list(sys.argv[2:]), ''

def read(event):
    global seen
    seen += event.text.decode()
    missing[:] = [pattern for pattern in missing if not re.search(pattern, seen)]
    return None if missing else [Shutdown(reason='all was seen')]

service = LaunchService()
service.include_launch_description(LaunchDescription([
    RegisterEventHandler(OnProcessIO(on_stdout=read, on_stderr=read)),
    TimerAction(period=60.0, actions=[Shutdown(reason='too late')]),
    IncludeLaunchDescription(sys.argv[1])]))
status = service.run()
print('missing:', missing)
sys.exit(status)
"""
INDEX = Path('share', 'ament_index', 'resource_index', 'packages')

PROGRAMS = {'leader_election': [each.name for each in EXECUTABLES],
            'ros_gz_sim': ['create'], 'ros_gz_bridge': ['parameter_bridge'], 'rviz2': ['rviz2']}
"""The executables of packages that launch files start."""


def install(prefix: Path, *packages: str) -> None:
    """Have an ament prefix with our package and others, and programs, installed or not."""
    (prefix / INDEX).mkdir(parents=True)
    for package in ('leader_election', *packages):
        (prefix / INDEX / package).touch()
        (prefix / 'share' / package / 'launch').mkdir(parents=True)
        (prefix / 'share' / package / 'package.xml').write_text(
            '<package><version>1.0.5</version></package>')
        if package == 'ros_gz_sim':
            (prefix / 'share' / package / 'launch' / 'gz_sim.launch.py').touch()
        folder = prefix / 'lib' / package
        folder.mkdir(parents=True)
        for name in PROGRAMS.get(package, ()):
            (folder / name).write_text(_program(name))
            (folder / name).chmod(0o755)


def _program(name: str) -> str:
    """Return an executable of our package out of the checkout. Others end at once."""
    if name not in PROGRAMS['leader_election']:
        return '#!/bin/sh\n'
    return (f'#!{sys.executable}\nimport sys\nfrom leader_election import cli\n'
            f'sys.exit(cli.run({name!r}))\n')


def describe(name: str) -> Any:
    spec = spec_from_file_location(name, FILES / f'{name}.launch.py')
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.generate_launch_description()


def launched(name: str, /, **given: str) -> list[Any]:
    """Return the nodes that would be started, and whatever else would be done."""
    from launch import LaunchContext
    from launch.actions import OpaqueFunction
    from launch_ros.actions import Node
    context = LaunchContext()
    context.launch_configurations.update(given)
    actions: list[Any] = []
    for entity in describe(name).entities:
        found = entity.visit(context)
        if isinstance(entity, OpaqueFunction):
            actions = found
    starting = [a for a in actions if a.condition is None or a.condition.evaluate(context)]
    for action in starting:
        if isinstance(action, Node):
            action._perform_substitutions(context)
    return starting


def parameters(node: Any) -> dict[str, Any]:
    """Return the parameters by name, out of the files that launch_ros writes for the node."""
    values: dict[str, Any] = {}
    for path, is_file in node._Node__expanded_parameter_arguments:
        assert is_file
        # launch_ros tags arrays as Python's tuples. ROS passes over the tag.
        (entry,) = yaml.full_load(Path(path).read_text()).values()
        values |= entry['ros__parameters']
    return values


def last_values(node: Any) -> dict[str, Any]:
    """Return the parameters that count for a node, also those of an including launch file."""
    values: dict[str, Any] = {}
    words = iter(''.join(getattr(part, 'text', '') for part in word) for word in node.cmd)
    for word in words:
        if word == '-p':
            values |= yaml.safe_load(next(words).replace(':=', ': ', 1))
        elif word == '--params-file':
            (entry,) = yaml.full_load(Path(next(words)).read_text()).values()
            values |= entry['ros__parameters']
    return values


def executables(nodes: list[Any]) -> list[str]:
    return [node.node_executable for node in nodes]


def run_launch(prefix: Path, file: Path | str,
               *arguments: str) -> subprocess.CompletedProcess[str]:
    """
    Run a launch file to its end, without ros2.

    Its processes inherit an environment variable ``LAUNCHED`` with the prefix as its value.
    """
    return _run(SERVICE, prefix, file, arguments)


def watch_launch(prefix: Path, file: Path, *patterns: str) -> list[str]:
    """Run a launch file until its processes have printed all patterns. Return missing ones."""
    ran = _run(WATCH, prefix, file, patterns)
    *_, last = ran.stdout.splitlines()
    assert last.startswith('missing: '), ran.stdout + ran.stderr
    return [ran.stdout + ran.stderr, last] if last != 'missing: []' else []


def _run(script: str, prefix: Path, file: Path | str,
         words: Iterable[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, '-c', script, str(file), *words], text=True, capture_output=True,
        timeout=120.0, env=_environment(prefix))


def _environment(prefix: Path) -> dict[str, str]:
    path = [str(FILES.parent), *filter(None, [os.environ.get('PYTHONPATH')])]
    return os.environ | {'PYTHONPATH': os.pathsep.join(path), 'LAUNCHED': str(prefix),
                         'ROS_LOG_DIR': str(prefix / 'log')}


ENDS = 60.0
"""The time for which the end of a process is awaited: its parent ends before it [s]."""


def left_behind(prefix: Path) -> list[str]:
    """Return the command lines of the processes of a launch that go on running."""
    end = time.monotonic() + ENDS
    while (found := _running(prefix)) and time.monotonic() < end:
        time.sleep(0.1)
    return found


def _running(prefix: Path) -> list[str]:
    found = []
    for folder in Path('/proc').glob('[0-9]*'):
        try:
            if f'LAUNCHED={prefix}\0'.encode() in (folder / 'environ').read_bytes():
                found.append((folder / 'cmdline').read_text().replace('\0', ' '))
        except OSError:
            # It belongs to another user, or has just ended.
            continue
    return found
