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

"""The profiles for networks without multicast: valid, and real processes elect over them."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
import os
from pathlib import Path
import re
import select
import subprocess
import sys
import time

from lxml import etree
from network import discovery_server, installed, SERVER_PORT, using
import pytest
from several_computers import ELECTION, led_by, MEMBERS, RIGHT, SCENE, swarm, WORLD
from support import PATIENCE

FOLDER = Path(__file__).parents[2] / 'config' / 'dds'
PROFILES = ('fastdds_peers', 'fastdds_discovery_server')
ROBOT = """
import select
import sys

from leader_election.ros.nodes.election_node import ElectionNode
from leader_election.ros.nodes.process import spin
import rclpy

ME = int(sys.argv[1])
rclpy.init(args=sys.argv[2:])
robot = ElectionNode(namespace=f'/r{ME}')
while True:
    # It goes on electing while nothing is asked of it.
    spin([robot], lambda: select.select([sys.stdin], [], [], 0)[0])
    word = sys.stdin.readline()
    if not word:
        break
    heard = robot.robot.counts['messages_heard']
    spin([robot], lambda: robot.robot.state.leader == 2 and len(robot.robot.neighbours) == 1
         and robot.robot.counts['messages_heard'] > heard + 10)
    lives = sorted(round(offer.qos_profile.lifespan.nanoseconds * 1e-9)
                   for offer in robot.get_publishers_info_by_topic('/neighbourhood'))
    print(word.strip(), lives, flush=True)
"""
PARAMETERS = ('metric:=hops', 'communication_range:=.inf', 'round_period:=0.1',
              'message_expiry:=1.0')


def multicast_port() -> int:
    """Return the multicast port of this test's domain (RTPS 2.2, 9.6.1.1)."""
    return 7400 + 250 * int(os.environ['ROS_DOMAIN_ID'])


@pytest.mark.parametrize('name', PROFILES)
def test_profiles_are_valid_by_the_schema_of_fast_dds(name: str) -> None:
    schemas = installed('share/fastRTPS_profiles.xsd')
    if not schemas:
        pytest.skip('the schema of Fast DDS profiles is not installed')
    etree.XMLSchema(etree.parse(schemas[0])).assertValid(etree.parse(FOLDER / f'{name}.xml'))


def test_profile_is_invalid_by_the_schema_when_misspelled() -> None:
    schemas = installed('share/fastRTPS_profiles.xsd')
    if not schemas:
        pytest.skip('the schema of Fast DDS profiles is not installed')
    text = (FOLDER / 'fastdds_peers.xml').read_bytes().replace(b'maxMessageSize', b'maxMesageSize')
    assert not etree.XMLSchema(etree.parse(schemas[0])).validate(etree.fromstring(text))


def test_cyclone_file_has_the_settings_of_the_fast_dds_profile() -> None:
    """The schema of Cyclone DDS is not available, so the two files are compared."""
    found = etree.parse(FOLDER / 'cyclonedds.xml').getroot()
    space = {'c': 'https://cdds.io/config'}
    peers = {peer.get('Address') for peer in found.iterfind('.//c:Peer', space)}
    theirs = (FOLDER / 'fastdds_peers.xml').read_text()
    listed = theirs.partition('<initialPeersList>')[2].partition('</initialPeersList>')[0]
    assert peers - {'localhost'} == set(re.findall('>([0-9.]+)<', listed)) - {'127.0.0.1'}
    assert found.findtext('.//c:AllowMulticast', namespaces=space) == 'false'
    assert found.findtext('.//c:MaxMessageSize', namespaces=space) == '1400B'
    assert '<maxMessageSize>1400</maxMessageSize>' in theirs


@pytest.fixture
def processes() -> Iterator[list[subprocess.Popen]]:
    """Return a list of processes, none of which survives the test."""
    started: list[subprocess.Popen] = []
    yield started
    for process in started:
        process.kill()
        process.communicate()


def on_this_machine(name: str, folder: Path) -> dict[str, str]:
    """Return the environment for a profile whose addresses are all this machine's."""
    text = re.sub(r'192\.168\.1\.\d+', '127.0.0.1', (FOLDER / f'{name}.xml').read_text())
    return using(text.replace(str(SERVER_PORT), str(server_port())), folder / f'{name}.xml')


def server_port() -> int:
    """Return a port that no participant of another run on this machine takes."""
    return multicast_port() + 249


def robot(number: int, environment: dict[str, str]) -> subprocess.Popen:
    values = (f'robot_id:={number}', f'strength:={number}.0', *PARAMETERS)
    return subprocess.Popen(
        [sys.executable, '-c', ROBOT, str(number), '--ros-args', '-r',
         'neighbourhood:=/neighbourhood', *(word for value in values for word in ('-p', value))],
        env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE)


def ask(process: subprocess.Popen, word: str) -> str:
    """Return the output of a robot once it is in the region of robot 2."""
    process.stdin.write(f'{word}\n')
    process.stdin.flush()
    assert select.select([process.stdout, process.stderr], [], [], PATIENCE)[0], 'silence'
    return process.stdout.readline()


def bound(processes: Iterable[subprocess.Popen]) -> dict[int, set[str]]:
    """Return by which addresses processes have bound the ports of this test's domain."""
    sockets = set()
    for process in processes:
        for each in Path(f'/proc/{process.pid}/fd').iterdir():
            with suppress(FileNotFoundError):
                sockets.add(os.readlink(each))
    ports: dict[int, set[str]] = {}
    for line in Path('/proc/net/udp').read_text().splitlines()[1:]:
        fields = line.split()
        address, port = fields[1].split(':')
        if (f'socket:[{fields[9]}]' in sockets
                and multicast_port() <= int(port, 16) < multicast_port() + 200):
            ports.setdefault(int(port, 16), set()).add(address)
    return ports


def finish(process: subprocess.Popen) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=PATIENCE)
    # Without the log of changes of the leader.
    said = '\n'.join(line for line in err.splitlines() if '.changes]: ' not in line)
    return process.returncode, out, said


BOTH_ELECT = 'elected [3, 3]\n'
"""What a robot says, with the lifespans of what the two publish [s]."""
LOCAL = '0100007F'
"""127.0.0.1, as the kernel writes it."""


def test_robots_elect_with_a_list_of_peers(
        processes: list[subprocess.Popen], tmp_path: Path) -> None:
    environment = on_this_machine('fastdds_peers', tmp_path)
    processes += [robot(1, environment), robot(2, environment)]
    # What Fast DDS thinks of the file it says on standard error, and runs on without.
    assert [ask(process, 'elected') for process in processes] == [BOTH_ELECT] * 2
    ports = bound(processes)
    assert ports and multicast_port() not in ports
    assert set.union(*ports.values()) == {LOCAL}
    assert [finish(process) for process in processes] == [(0, '', '')] * 2


def test_robots_use_multicast_without_the_profile(
        processes: list[subprocess.Popen]) -> None:
    processes.append(robot(2, os.environ | {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'SUBNET'}))
    end = time.monotonic() + PATIENCE
    while multicast_port() not in bound(processes) and time.monotonic() < end:
        select.select([processes[0].stderr], [], [], 0.05)
    assert multicast_port() in bound(processes)


def test_robots_continue_when_the_discovery_server_is_lost(
        processes: list[subprocess.Popen], tmp_path: Path) -> None:
    server = discovery_server()
    if server is None:
        pytest.skip('the discovery server of Fast DDS is not installed')
    environment = on_this_machine('fastdds_discovery_server', tmp_path)
    program, libraries = server
    processes.append(subprocess.Popen(
        [*program, '-i', '0', '-l', '127.0.0.1', '-p', str(server_port())], env=libraries,
        text=True, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE))
    robots = [robot(1, environment), robot(2, environment)]
    processes += robots
    assert [ask(process, 'elected') for process in robots] == [BOTH_ELECT] * 2
    assert multicast_port() not in bound(robots)
    processes[0].kill()
    processes[0].wait()
    assert [ask(process, 'still').split()[0] for process in robots] == ['still'] * 2
    assert [finish(process) for process in robots] == [(0, '', '')] * 2


# A swarm on several computers, with the profiles as they are shipped.

@pytest.mark.parametrize('name', ['fastdds_peers', 'fastdds_discovery_server'])
def test_swarm_on_several_computers_survives_the_loss_of_one(name: str, tmp_path: Path) -> None:
    """The lost computer still runs. Its robots continue, and are accepted again later."""
    with swarm(name, tmp_path) as run:
        if name == 'fastdds_discovery_server':
            run.serve()
        run.execute(WORLD, 'swarm_world', **SCENE)
        run.watch(WORLD)
        for host, members in MEMBERS.items():
            run.execute(host, 'fleet', **SCENE, **ELECTION, members=members)
        run.until(led_by(8, range(1, 9)))
        run.network.connect(RIGHT, False)
        # Nothing passes the network by, as shared memory of this one machine would.
        run.until(led_by(4, range(1, 5)))
        run.network.connect(RIGHT, True)
        run.until(led_by(8, range(1, 9)))
