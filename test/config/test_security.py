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
The security policy in use: secured robots elect each other, and nobody else takes part.

The pair of robots is run wherever the middleware was built with security and ``ros2 security`` is
installed: in a full ROS 2. The wheels on PyPI have neither; then the test is skipped with the
reason that the middleware itself gives.
"""

from collections.abc import Iterator, Mapping
from functools import cache
import os
from pathlib import Path
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

import pytest

POLICY = Path(__file__).parents[2] / 'config' / 'security' / 'policy.xml'
ENCLAVE_FILES = ('identity_ca.cert.pem', 'permissions_ca.cert.pem', 'cert.pem', 'key.pem',
                 'governance.p7s', 'permissions.p7s')
WITHOUT = 'the middleware runs without security libraries'
PATIENCE = 60.0
"""How long secured processes may take to find each other [s]; the handshake is slow."""
ROBOT = ('metric:=hops', 'communication_range:=.inf', 'round_period:=0.1', 'message_expiry:=1.0',
         "event_log:='-'")
NODE = 'import rclpy; rclpy.init(); rclpy.create_node("probe")'
Robot = subprocess.Popen[bytes]


def secured(keystore: Path, enclave: str) -> dict[str, str]:
    """Return the environment of a process that has an enclave."""
    return os.environ | {
        'ROS_SECURITY_ENABLE': 'true', 'ROS_SECURITY_STRATEGY': 'Enforce',
        'ROS_SECURITY_KEYSTORE': str(keystore), 'ROS_SECURITY_ENCLAVE_OVERRIDE': enclave}


def empty_enclave(keystore: Path) -> str:
    """Make an enclave that has all files and no key, and return its name."""
    folder = keystore / 'enclaves' / 'probe'
    folder.mkdir(parents=True)
    for name in ENCLAVE_FILES:
        (folder / name).write_text('no certificate\n')
    return '/probe'


@cache
def why_not() -> str:
    """Return why no secured robot can be run here; empty: it can."""
    with tempfile.TemporaryDirectory() as folder:
        keystore = Path(folder)
        probe = subprocess.run(
            [sys.executable, '-c', NODE], env=secured(keystore, empty_enclave(keystore)),
            capture_output=True, text=True, timeout=PATIENCE)
    if probe.returncode == 0:
        return WITHOUT
    said = re.search("error creating node: (.*(?:without|doesn't have) .*security.*)",
                     probe.stderr)
    if said:
        return said[1]
    if shutil.which('ros2') is None:
        return 'ros2 security is not installed: no keystore can be made'
    return ''


@pytest.fixture
def keystore(tmp_path: Path) -> Path:
    """Return a keystore with the enclaves of two robots, made as doc/robots.md tells."""
    if reason := why_not():
        pytest.skip(reason)
    path = tmp_path / 'keys'

    def security(*arguments: str) -> None:
        ran = subprocess.run(['ros2', 'security', *arguments], capture_output=True, text=True,
                             timeout=PATIENCE)
        assert ran.returncode == 0, ran.stderr

    security('create_keystore', str(path))
    for robot in ('alice', 'bob'):
        policy = tmp_path / f'{robot}.xml'
        policy.write_text(POLICY.read_text().replace('alice', robot))
        security('create_enclave', str(path), f'/swarm/{robot}')
        security('create_permission', str(path), f'/swarm/{robot}', str(policy))
    return path


@pytest.fixture
def robots() -> Iterator[list[Robot]]:
    """Return a list of processes, none of which survives the test."""
    started: list[Robot] = []
    yield started
    for process in started:
        process.kill()
        process.communicate()


def start(name: str, robot_id: int, environment: Mapping[str, str]) -> Robot:
    """Start a robot, as strong as its id is great; its events are lines on standard output."""
    parameters = [f'robot_id:={robot_id}', f'strength:={float(robot_id)}', *ROBOT]
    return subprocess.Popen(
        [sys.executable, '-m', 'leader_election', 'election_node', '--ros-args',
         '-r', f'__ns:=/{name}', '-r', 'neighbourhood:=/neighbourhood',
         *(word for parameter in parameters for word in ('-p', parameter))],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)


def wait_for(process: Robot, text: bytes) -> None:
    """
    Read events until one holds a text.

    The pipe is not buffered here: of two lines that arrive together, ``select`` would not see the
    second in a buffer.
    """
    assert process.stdout is not None
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if not select.select([process.stdout], [], [], 0.5)[0]:
            continue
        line = process.stdout.readline()
        assert line, process.communicate()[1].decode()
        if text in line:
            return
    raise AssertionError(f'no event with {text!r} within {PATIENCE} s')


def test_secured_robots_elect_and_an_outsider_does_not_take_part(
        keystore: Path, robots: list[Robot]) -> None:
    """The policy allows all that a robot needs; the outsider is stronger than both."""
    robots.append(start('alice', 1, secured(keystore, '/swarm/alice')))
    robots.append(start('mallory', 9, os.environ | {'ROS_SECURITY_ENABLE': 'false'}))
    robots.append(start('carol', 8, os.environ | {'ROS_SECURITY_ENABLE': 'false'}))
    wait_for(robots[2], b'"leader":9')
    # The outsiders have found each other by now, and alice is as near.
    robots.append(start('bob', 2, secured(keystore, '/swarm/bob')))
    wait_for(robots[0], b'"leader":2')
    assert all(robot.poll() is None for robot in robots)


def test_without_security_the_same_robot_follows_the_outsider(robots: list[Robot]) -> None:
    for name, robot_id in (('alice', 1), ('mallory', 9)):
        robots.append(start(name, robot_id, os.environ | {'ROS_SECURITY_ENABLE': 'false'}))
    wait_for(robots[0], b'"leader":9')


def test_a_robot_with_the_enclave_of_another_may_not_speak_as_it(
        keystore: Path, robots: list[Robot]) -> None:
    """Bob's permissions do not hold for alice's topics: the node ends, in one line."""
    robots.append(start('alice', 1, secured(keystore, '/swarm/bob')))
    assert robots[0].wait(PATIENCE) == 2


def test_a_robot_that_is_to_be_secured_does_not_run_without(
        tmp_path: Path, robots: list[Robot]) -> None:
    """Whatever the middleware: an enclave without keys ends the process, with a line on why."""
    if why_not() == WITHOUT:
        pytest.skip(WITHOUT)
    robots.append(start('alice', 1, secured(tmp_path, empty_enclave(tmp_path))))
    error = robots[0].communicate(timeout=PATIENCE)[1].decode()
    assert robots[0].returncode == 2
    assert len([line for line in error.splitlines() if line.startswith('error: ')]) == 1
