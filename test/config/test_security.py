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

The robots are run wherever the middleware was built with security and ``ros2 security`` is
installed: in a full ROS 2. The wheels on PyPI have neither. Then the test is skipped with the
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
from support import PATIENCE

ROOT = Path(__file__).parents[2]
POLICY = ROOT / 'config' / 'security' / 'policy.xml'
ENCLAVE_FILES = ('identity_ca.cert.pem', 'permissions_ca.cert.pem', 'cert.pem', 'key.pem',
                 'governance.p7s', 'permissions.p7s')
WITHOUT = 'the middleware runs without security libraries'
ROBOT = ('metric:=hops', 'communication_range:=.inf', 'round_period:=0.1', 'message_expiry:=1.0')
NODE = 'import rclpy; rclpy.init(); rclpy.create_node("probe")'
Robot = subprocess.Popen[bytes]


def of(keystores: Path, name: str) -> dict[str, str]:
    """Return the environment of a robot, or of the laptop, with its own keystore."""
    return secured(keystores / f'keys_of_{name}', f'/swarm/{name}')


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
    """Return the reason why no secured robot can be run here, empty if it can."""
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
def keystores(tmp_path: Path) -> Path:
    """Return a folder with a keystore for each robot and one for the laptop."""
    if reason := why_not():
        pytest.skip(reason)
    (tmp_path / 'policy.xml').write_bytes(POLICY.read_bytes())
    for part in ('ros2 security create_keystore', 'cp -rL'):
        run_documented(part, tmp_path)
    return tmp_path


def run_documented(part: str, folder: Path) -> None:
    """Run the commands of doc/robots.md among which is a certain one, as far as they are local."""
    text = (ROOT / 'doc' / 'robots.md').read_text()
    (block,) = [block for block in re.findall(r'```sh\n(.*?)```', text, re.DOTALL)
                if part in block]
    here = [line for line in block.splitlines()
            # The domain is the test's, and the policy that of the checkout.
            if not line.startswith(('export ROS_DOMAIN_ID', 'cp $(ros2', 'scp '))]
    ran = subprocess.run(['bash', '-e', '-c', '\n'.join(here)], cwd=folder, text=True,
                         capture_output=True, timeout=4 * PATIENCE)
    assert ran.returncode == 0, ran.stderr


def test_keystore_of_a_robot_is_self_contained(tmp_path: Path) -> None:
    """The links are those of ``ros2 security create_enclave``."""
    (tmp_path / 'keys' / 'public').mkdir(parents=True)
    (tmp_path / 'keys' / 'public' / 'ca.cert.pem').write_text('certificate')
    for name in ('identity_ca', 'permissions_ca'):
        (tmp_path / 'keys' / 'public' / f'{name}.cert.pem').symlink_to('ca.cert.pem')
    for robot in ('alice', 'bob', 'laptop'):
        folder = tmp_path / 'keys' / 'enclaves' / 'swarm' / robot
        folder.mkdir(parents=True)
        (tmp_path / 'keys' / 'enclaves' / 'governance.p7s').write_text('governance')
        (folder / 'governance.p7s').symlink_to('../../governance.p7s')
        for name in ('identity_ca', 'permissions_ca'):
            (folder / f'{name}.cert.pem').symlink_to(f'../../../public/{name}.cert.pem')
        for name in ('cert.pem', 'key.pem', 'permissions.p7s'):
            (folder / name).write_text(robot)
    run_documented('cp -rL', tmp_path)
    shutil.rmtree(tmp_path / 'keys')
    for robot in ('alice', 'bob', 'laptop'):
        copy = tmp_path / f'keys_of_{robot}' / 'enclaves' / 'swarm' / robot
        assert {path.name for path in copy.iterdir()} == set(ENCLAVE_FILES)
        assert all(path.is_file() and not path.is_symlink() for path in copy.iterdir())


@pytest.fixture
def robots() -> Iterator[list[Robot]]:
    """Return a list of processes, none of which survives the test."""
    started: list[Robot] = []
    yield started
    for process in started:
        process.kill()
        process.communicate()


def start(name: str, robot_id: int, environment: Mapping[str, str]) -> Robot:
    """Start a robot, as strong as its id is great. It logs each change of its leader."""
    parameters = [f'robot_id:={robot_id}', f'strength:={float(robot_id)}', *ROBOT]
    return subprocess.Popen(
        [sys.executable, '-m', 'leader_election', 'election_node', '--ros-args',
         '-r', f'__ns:=/{name}', '-r', 'neighbourhood:=/neighbourhood',
         *(word for parameter in parameters for word in ('-p', parameter))],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)


def wait_for(process: Robot, text: bytes) -> None:
    """
    Read what the robot logs until a line holds a text.

    The pipe is not buffered here: of two lines that arrive together, ``select`` would not see the
    second in a buffer.
    """
    assert process.stderr is not None
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if not select.select([process.stderr], [], [], 0.5)[0]:
            continue
        line = process.stderr.readline()
        assert line, process.wait(PATIENCE)
        if text in line:
            return
    raise AssertionError(f'no line with {text!r} within {PATIENCE} s')


def test_secured_robots_ignore_an_outsider(
        keystores: Path, robots: list[Robot]) -> None:
    """The policy allows all that a robot needs. The outsider is stronger than both robots."""
    robots.append(start('alice', 1, of(keystores, 'alice')))
    robots.append(start('mallory', 9, os.environ | {'ROS_SECURITY_ENABLE': 'false'}))
    robots.append(start('carol', 8, os.environ | {'ROS_SECURITY_ENABLE': 'false'}))
    wait_for(robots[2], b'follows 9')
    # The outsiders have found each other by now, and alice is as near.
    robots.append(start('bob', 2, of(keystores, 'bob')))
    wait_for(robots[0], b'follows 2')
    assert all(robot.poll() is None for robot in robots)


def test_robot_is_refused_with_the_enclave_of_another(
        keystores: Path, robots: list[Robot]) -> None:
    """Permissions of bob do not cover the topics of alice, so the node ends with one line."""
    robots.append(start('alice', 1, of(keystores, 'bob')))
    assert robots[0].wait(PATIENCE) == 2


def test_robot_with_enforced_security_ends_without_keys(
        tmp_path: Path, robots: list[Robot]) -> None:
    """With any middleware the process ends with one line that says why."""
    if why_not() == WITHOUT:
        pytest.skip(WITHOUT)
    robots.append(start('alice', 1, secured(tmp_path, empty_enclave(tmp_path))))
    error = robots[0].communicate(timeout=PATIENCE)[1].decode()
    assert robots[0].returncode == 2
    assert len([line for line in error.splitlines() if line.startswith('error: ')]) == 1
