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

"""The values of topic ``leadership``."""

from election.robot.swarm import line, Swarm
from leader_election.election.robot.leadership import text, values


def test_values_of_leaders_followers_and_robots_without_a_leader() -> None:
    """Robot 1 may only follow: it has no leader before it hears one, and when it has stopped."""
    swarm = Swarm(line(2), lambda i: {'role': 'worker'} if i == 1 else {}, radius=9.0)
    swarm.robots[2].name = '/alice'

    def of(i: int, active: bool = True) -> dict[str, str]:
        robot = swarm.robots[i]
        return values(robot, robot.main, f'/robot_{i}', '/neighbourhood', active)

    swarm.speak(1)
    assert text(swarm.robots[1].main) == 'has no leader yet'
    alone = of(1)
    assert (alone['leader'], alone['leader_namespace'], alone['is_leader']) == ('-1', '', 'false')
    swarm.sweep(2)
    assert of(1) == {
        'id': '1', 'namespace': '/robot_1', 'instance': 'main', 'leader': '2',
        'leader_namespace': '/alice', 'is_leader': 'false', 'role': 'worker',
        'distance': '1.000', 'hops': '1', 'tasks': ''}
    assert (of(2)['is_leader'], of(2)['leader_namespace']) == ('true', '/robot_2')
    assert text(swarm.robots[1].main) == 'follows 2 at 1.0 m'
    swarm.robots[2].name = ''
    swarm.sweep(1)
    swarm.sweep(1)
    assert of(1)['leader_namespace'] == '/robot_2'
    assert of(2, active=False) | {'id': '1', 'namespace': '/robot_1'} == alone | {
        'role': 'inactive'}
