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

from collections.abc import Iterable
import os
from pathlib import Path
import re
import subprocess

from lxml import etree
from network import installed
import pytest
from several_computers import ELECTION, led_by, MEMBERS, RIGHT, SCENE, swarm, WORLD

FOLDER = Path(__file__).parents[2] / 'config' / 'dds'


def multicast_port() -> int:
    """Return the multicast port of this test's domain (RTPS 2.2, 9.6.1.1)."""
    return 7400 + 250 * int(os.environ['ROS_DOMAIN_ID'])


@pytest.mark.parametrize(('name', 'wrong'), [
    ('fastdds_peers', ''), ('fastdds_discovery_server', ''), ('fastdds_peers', 'maxMessageSize')])
def test_profiles_are_valid_by_the_schema_of_fast_dds_unless_misspelled(
        name: str, wrong: str) -> None:
    schemas = installed('share/fastRTPS_profiles.xsd')
    if not schemas:
        pytest.skip('the schema of Fast DDS profiles is not installed')
    text = (FOLDER / f'{name}.xml').read_text()
    if wrong:
        text = text.replace(wrong, wrong[:-1])
    valid = etree.XMLSchema(etree.parse(schemas[0])).validate(etree.fromstring(text.encode()))
    assert valid != bool(wrong)


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


def bound(processes: Iterable[subprocess.Popen]) -> set[int]:
    """Return the UDP ports that processes have bound, each in the network of its computer."""
    ports: set[int] = set()
    for process in processes:
        sockets = {os.readlink(each) for each in Path(f'/proc/{process.pid}/fd').iterdir()}
        for line in Path(f'/proc/{process.pid}/net/udp').read_text().splitlines()[1:]:
            fields = line.split()
            if f'socket:[{fields[9]}]' in sockets:
                ports.add(int(fields[1].partition(':')[2], 16))
    return ports


# A swarm on several computers, with the profiles as they are shipped.

@pytest.mark.parametrize('name', ['fastdds_peers', 'fastdds_discovery_server'])
def test_swarm_on_several_computers_survives_the_loss_of_one(name: str, tmp_path: Path) -> None:
    """
    The lost computer still runs. Its robots continue, and are accepted again later.

    Without the discovery server the running robots continue, too.
    """
    with swarm(name, tmp_path) as run:
        if name == 'fastdds_discovery_server':
            server = run.serve()
        run.execute(WORLD, 'swarm_world', **SCENE)
        run.watch(WORLD)
        fleets = [run.execute(host, 'fleet', **SCENE, **ELECTION, members=members)
                  for host, members in MEMBERS.items()]
        run.until(led_by(8, range(1, 9)))
        ports = bound(fleets)
        assert any(port > multicast_port() for port in ports) and multicast_port() not in ports
        run.network.connect(RIGHT, False)
        # Nothing passes the network by, as shared memory of this one machine would.
        run.until(led_by(4, range(1, 5)))
        run.network.connect(RIGHT, True)
        run.until(led_by(8, range(1, 9)))
        if name == 'fastdds_discovery_server':
            server.kill()
            fleets.pop().kill()
            run.until(led_by(4, range(1, 5)))
