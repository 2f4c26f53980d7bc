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
from contextlib import contextmanager, ExitStack
import os
from pathlib import Path
import re
from select import select
import shutil
import subprocess
import sys

from environment import variables, with_messages
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
import pytest
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Int64
from support import PATIENCE, spin_until, write_files

CHAPTER = 'use_the_leader.md'
SPACE = ('--ros-args', '-r', '__ns:=/alone')
CLOCK_SET_BACK = """
#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>
int clock_gettime(clockid_t id, struct timespec * now)
{
  int result = syscall(SYS_clock_gettime, id, now);
  if (id == CLOCK_REALTIME && access("back", F_OK) == 0) {now->tv_sec -= 20;}
  return result;
}
"""
"""A library by which the wall clock goes 20 s slow once the file back exists."""
SIMULATED = ('-p', 'use_sim_time:=true')


@pytest.fixture(scope='module')
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], str]:
    """Build the typed messages and the node in C++, and return variables and executable."""
    prefixes = os.environ.get('AMENT_PREFIX_PATH', '').split(':')
    if not any((Path(prefix) / 'share/rclcpp/cmake').is_dir() for prefix in prefixes):
        pytest.skip('rclcpp is not installed, as PyPI does not have it')
    folder = tmp_path_factory.mktemp('cpp')
    write_files(CHAPTER, folder)
    environment = with_messages(folder)
    for arguments in (('-B', 'node'), ('--build', 'node')):
        subprocess.run(['cmake', *arguments], cwd=folder, check=True, timeout=240,
                       env=environment)
    return environment, str(folder / 'node' / 'use_the_leader')


@pytest.fixture(params=['python', 'cpp'])
def work(request: pytest.FixtureRequest, tmp_path: Path,
         monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the command of the chapter's node in a language."""
    if request.param == 'python':
        write_files(CHAPTER, tmp_path)
        return [sys.executable, str(tmp_path / 'use_the_leader.py')]
    environment, executable = request.getfixturevalue('built')
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return [executable]


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


@contextmanager
def running(command: list[str], *settings: str) -> Iterator['subprocess.Popen[str]']:
    """Run a node of the chapter, whose standard error is its log, and kill it."""
    environment = variables() | {'RCUTILS_CONSOLE_OUTPUT_FORMAT': '{message}'}
    with subprocess.Popen([*command, *SPACE, *settings], env=environment, text=True,
                          stderr=subprocess.PIPE) as process:
        try:
            yield process
            assert process.poll() is None
        finally:
            # By a signal rclpy ends with an error, if it is just converting a message.
            process.kill()


def line_of(process: 'subprocess.Popen[str]') -> str:
    """Wait for the next line of a node's log."""
    assert process.stderr is not None
    return process.stderr.readline()


def has_line(process: 'subprocess.Popen[str]', patience: float) -> bool:
    """Return whether a node logs something within a time [s]."""
    assert process.stderr is not None
    return bool(select([process.stderr], [], [], patience)[0])


def age_at_end(process: 'subprocess.Popen[str]') -> float:
    """Wait until a node no longer leads, and return the age of the message that it goes by [s]."""
    found = re.fullmatch(r'leads: False, by a message (.*) s old\n', line_of(process))
    assert found is not None
    return float(found[1])


def test_client_of_the_readme_tells_the_leader(robot: 'subprocess.Popen[str]') -> None:
    text = (Path(__file__).parents[1] / 'README.md').read_text()
    [code] = re.findall(r'```python\n(.*?)```', text, re.DOTALL)
    assert len([line for line in code.splitlines() if line]) == 5
    ran = subprocess.run([sys.executable, '-c', code.replace('/robot_3', '/alone')], text=True,
                         capture_output=True, env=variables(), timeout=PATIENCE)
    assert re.fullmatch(r'\d+ True /alone 0.0\n', ran.stdout), ran.stdout + ran.stderr


def test_node_leads_no_more_when_the_robot_is_deactivated(
        work: list[str], robot: 'subprocess.Popen[str]') -> None:
    manager = Node('manager', use_global_arguments=False)
    client = manager.create_client(ChangeState, '/alone/election_node/change_state')
    with running(work) as node:
        assert 'leads: True' in line_of(node)
        spin_until([manager], client.service_is_ready)
        asked = client.call_async(ChangeState.Request(
            transition=Transition(id=Transition.TRANSITION_DEACTIVATE)))
        spin_until([manager], asked.done)
        assert age_at_end(node) < 3.0, 'not by the expiry of the last message'


@pytest.mark.parametrize('robot', [('-p', 'mandate:=2.0')], indirect=True)
def test_node_stops_with_the_mandate(work: list[str], robot: 'subprocess.Popen[str]') -> None:
    """After the robot's end it acts until the mandate ends, not until the expiry."""
    with running(work) as node:
        assert 'leads: True' in line_of(node)
        robot.kill()
        age = age_at_end(node)
    assert age < 3.0


@pytest.mark.parametrize('robot', [SIMULATED], indirect=True)
def test_node_keeps_its_state_while_simulated_time_stands_still(
        work: list[str], robot: 'subprocess.Popen[str]') -> None:
    simulator, time = Node('simulator', use_global_arguments=False), Clock()
    publisher = simulator.create_publisher(Clock, '/clock', 1)

    def advance() -> None:
        nanoseconds = time.clock.nanosec + 20_000_000
        time.clock.sec += nanoseconds // 10**9
        time.clock.nanosec = nanoseconds % 10**9
        publisher.publish(time)

    timer = simulator.create_timer(0.02, advance)
    with running(work, *SIMULATED) as node:
        spin_until([simulator], lambda: has_line(node, 0.0))
        assert 'leads: True' in line_of(node)
        timer.cancel()
        assert not has_line(node, 4.0)
        timer.reset()
        resumed = time.clock.sec
        spin_until([simulator], lambda: time.clock.sec >= resumed + 2)
        assert not has_line(node, 0.0)
        robot.kill()
        spin_until([simulator], lambda: has_line(node, 0.0))
        assert age_at_end(node) >= 3.0
    simulator.destroy_node()


def test_node_stops_in_time_when_the_wall_clock_is_set_back(
        work: list[str], robot: 'subprocess.Popen[str]', tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which('cc') is None:
        pytest.skip('cc is not installed')
    monkeypatch.chdir(tmp_path)
    subprocess.run(['cc', '-shared', '-fPIC', '-xc', '-', '-o', 'clock.so'], text=True,
                   input=CLOCK_SET_BACK, check=True)
    monkeypatch.setenv('LD_PRELOAD', './clock.so')
    with running(work) as node:
        assert 'leads: True' in line_of(node)
        Path('back').touch()
        robot.kill()
        assert 3.0 <= age_at_end(node) < 10.0


def test_door_refuses_a_replaced_leader(tmp_path: Path, ros: None) -> None:
    write_files(CHAPTER, tmp_path)
    node = Node('leader', namespace='alone', use_global_arguments=False)
    publisher = node.create_publisher(Int64, 'open', 10)
    with running([sys.executable, str(tmp_path / 'door.py')]) as door:
        spin_until([node], lambda: publisher.get_subscription_count() > 0)
        for term, answer in ((23, 'opens'), (17, 'refused'), (23, 'opens'), (24, 'opens')):
            publisher.publish(Int64(data=term))
            assert line_of(door) == f'term {term}: {answer}\n'
    node.destroy_node()
