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

"""The user's nodes of the chapter 'Use the leader in your own node', whatever ends the robot."""

from collections.abc import Iterator
from contextlib import ExitStack
import os
from pathlib import Path
import re
import signal
import subprocess
import sys

from environment import variables, with_messages
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
import pytest
from rclpy.node import Node
from std_msgs.msg import Int64
from support import PATIENCE, spin_until

CHAPTER = Path(__file__).parents[1] / 'doc' / 'use_the_leader.md'
SPACE = ('--ros-args', '-r', '__ns:=/alone')


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the files of the chapter."""
    for block, name in re.findall(r'```\w+\n((?:#|//) ([\w.]+\.\w+)\n.*?)```',
                                  CHAPTER.read_text(), re.DOTALL):
        (tmp_path / name).write_text(block)
    return tmp_path


@pytest.fixture
def robot(ros: None, request: pytest.FixtureRequest) -> Iterator['subprocess.Popen[str]']:
    """Start a robot that is alone, so it leads."""
    with ExitStack() as stack:
        process = stack.enter_context(subprocess.Popen(
            [sys.executable, '-m', 'leader_election', 'managed_election_node', *SPACE,
             '-p', 'robot_id:=7', '-p', 'odometry_timeout:=0.0', *getattr(request, 'param', ())],
            env=variables(), stderr=subprocess.DEVNULL, text=True))
        stack.callback(process.kill)
        yield process


def deactivate(process: 'subprocess.Popen[str]') -> None:
    node = Node('manager', use_global_arguments=False)
    client = node.create_client(ChangeState, '/alone/election_node/change_state')
    spin_until([node], client.service_is_ready)
    asked = client.call_async(ChangeState.Request(
        transition=Transition(id=Transition.TRANSITION_DEACTIVATE)))
    spin_until([node], asked.done)
    node.destroy_node()


ENDINGS = {
    'killed': (lambda process: process.kill(), True),
    'deactivated': (deactivate, False)}
"""How the robot ends, and whether the user's node knows it by the age of the last message."""


def check(command: list[str], robot: 'subprocess.Popen[str]', ending: str,
          mandate: bool = False) -> None:
    """
    Run a user's node beside a robot, end the robot, and read what the node logs.

    :param mandate: whether the end of a mandate stops it, before the expiry of a message.
    """
    end, by_age = ENDINGS[ending]
    environment = variables() | {'RCUTILS_CONSOLE_OUTPUT_FORMAT': '{message}'}
    with subprocess.Popen([*command, *SPACE], env=environment, text=True,
                          stderr=subprocess.PIPE) as work:
        try:
            assert work.stderr is not None
            assert 'leads: True' in work.stderr.readline()
            end(robot)
            said = re.fullmatch(r'leads: False, by a message (.*) s old\n', work.stderr.readline())
            assert said is not None and (float(said[1]) >= 3.0) == (
                by_age and not mandate)
            work.send_signal(signal.SIGINT)
            assert work.wait(PATIENCE) == 0, work.stderr.read()
        finally:
            work.kill()


def test_client_of_the_readme_tells_the_leader(robot: 'subprocess.Popen[str]') -> None:
    text = (Path(__file__).parents[1] / 'README.md').read_text()
    [code] = re.findall(r'```python\n(.*?)```', text, re.DOTALL)
    assert len([line for line in code.splitlines() if line]) == 5
    ran = subprocess.run([sys.executable, '-c', code.replace('/robot_3', '/alone')], text=True,
                         capture_output=True, env=variables(), timeout=PATIENCE)
    assert re.fullmatch(r'\d+ True /alone 0.0\n', ran.stdout), ran.stdout + ran.stderr


@pytest.mark.parametrize('ending', ENDINGS)
def test_follower_in_python_behaves_as_documented(
        folder: Path, robot: 'subprocess.Popen[str]', ending: str) -> None:
    check([sys.executable, str(folder / 'use_the_leader.py')], robot, ending)


@pytest.mark.parametrize('robot', [('-p', 'mandate:=2.0')], indirect=True)
def test_follower_stops_with_the_mandate(folder: Path, robot: 'subprocess.Popen[str]') -> None:
    """After the robot's end it acts until the mandate ends, not until the expiry."""
    check([sys.executable, str(folder / 'use_the_leader.py')], robot, 'killed', mandate=True)


def test_door_refuses_a_replaced_leader(folder: Path, ros: None) -> None:
    environment = variables() | {'RCUTILS_CONSOLE_OUTPUT_FORMAT': '{message}'}
    node = Node('leader', namespace='alone', use_global_arguments=False)
    publisher = node.create_publisher(Int64, 'open', 10)
    with subprocess.Popen([sys.executable, str(folder / 'door.py'), *SPACE], env=environment,
                          text=True, stderr=subprocess.PIPE) as door:
        try:
            assert door.stderr is not None
            spin_until([node], lambda: publisher.get_subscription_count() > 0)
            for term, answer in ((23, 'opens'), (17, 'refused'), (23, 'opens'), (24, 'opens')):
                publisher.publish(Int64(data=term))
                assert door.stderr.readline() == f'term {term}: {answer}\n'
            door.send_signal(signal.SIGINT)
            assert door.wait(PATIENCE) == 0
        finally:
            door.kill()
            node.destroy_node()


@pytest.fixture
def messages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Build the typed messages, and let all processes use them."""
    prefixes = os.environ.get('AMENT_PREFIX_PATH', '').split(':')
    if not any((Path(prefix) / 'share/rclcpp/cmake').is_dir() for prefix in prefixes):
        pytest.skip('rclcpp is not installed, as PyPI does not have it')
    for name, value in with_messages(tmp_path).items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize('ending', ENDINGS)
def test_follower_in_cpp_behaves_as_documented(
        messages: None, folder: Path, robot: 'subprocess.Popen[str]', ending: str) -> None:
    for arguments in (('-B', 'node'), ('--build', 'node')):
        subprocess.run(['cmake', *arguments], cwd=folder, check=True, timeout=240)
    check([str(folder / 'node' / 'use_the_leader')], robot, ending)
