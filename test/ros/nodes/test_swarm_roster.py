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

"""The command ``swarm_roster``, over DDS."""

import subprocess
import sys

from leader_election.parameters import ParameterError
from leader_election.ros.nodes.swarm_roster import first_step
import pytest
from ros.nodes.bench import acts, robot
from support import spin_until

COMMAND = 'from leader_election import cli; raise SystemExit(cli.run("swarm_roster"))'


@pytest.mark.parametrize(('texts', 'step'), [
    (['1-3', '1-3'], 'v1 1-3 to 2-4'), (['v1 1-3 to 2-4', '1-3'], 'v1 1-3 to 2-4'),
    (['v1 2-4', 'v1 1-3 to 2-4'], 'v1 1-3 to 2-4'), (['v1 2-4', 'v1 2-4'], '')])
def test_first_step_has_the_robots_of_the_version_before(texts: list[str], step: str) -> None:
    assert first_step('v1 2-4', texts) == step


def test_first_step_is_refused_when_the_version_is_not_the_next_one() -> None:
    with pytest.raises(ParameterError, match='have version 1 of their roster, so the next one'):
        first_step('v4 2-4', ['v1 1-3', '1-3'])


@pytest.mark.usefixtures('ros')
def test_swarm_roster_adds_and_removes_robots_while_a_leader_acts() -> None:
    robots = [robot(i, metric='hops', communication_range=float('inf'), mandate=1.0,
                    quorum='majority', roster='1-2') for i in (1, 2, 3, 4)]
    leader = robots[-1].robot.main.parts['mandates']
    spin_until(robots, lambda: acts(leader))
    command = subprocess.Popen([sys.executable, '-c', COMMAND, 'v1', '2-4'],
                               stdout=subprocess.PIPE, text=True)
    spin_until(robots, lambda: command.poll() is not None)
    said, _ = command.communicate()
    assert command.returncode == 0, said
    for i in (1, 2, 3, 4):
        assert f'/r{i}/election_node: v1 1-2 to 2-4\n' in said
        assert f'/r{i}/election_node: v1 2-4\n' in said
    assert said.endswith('3 of 3 robots of v1 2-4 have it\n')
    spin_until(robots, lambda: acts(leader))
    assert leader.mandates.proven.version == 1 and leader.mandates.settings.old == frozenset()


@pytest.mark.usefixtures('ros')
def test_swarm_roster_changes_nothing_when_half_of_the_new_roster_are_missing() -> None:
    robots = [robot(i, metric='hops', communication_range=float('inf'), mandate=1.0,
                    quorum='majority', roster='1-2') for i in (1, 2)]
    command = subprocess.Popen(
        [sys.executable, '-c', COMMAND, 'v1', '1-4', '--seconds', '4'],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    spin_until(robots, lambda: command.poll() is not None)
    said, _ = command.communicate()
    assert command.returncode != 0 and '2 of 4 robots of v1 1-4 were found' in said
    assert all(each.get_parameter('roster').value == '1-2' for each in robots)
