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

"""Robots' nodes over real DDS, with each of the algorithms."""

from leader_election.election.algorithms import ALGORITHMS
from leader_election.parameters import ParameterError
import pytest
from rclpy.parameter import Parameter
from ros.nodes.bench import Bench, leaders, NEVER, robot
from support import spin_until

SETTINGS = {'radius': 40.0, 'replicate_period': 5, 'leaders': '4'}
"""Far enough for one leader; short enough that a test sees replicates come and go."""


pytestmark = pytest.mark.usefixtures('ros')


@pytest.mark.parametrize('name', ALGORITHMS.names())
def test_swarm_elects_and_recovers_with_each_algorithm(name):
    """Four in a line, each in range of the next; the strongest, at its end, leads, then dies."""
    takes = ALGORITHMS.get(name).takes
    settings = {key: value for key, value in SETTINGS.items() if key in takes}
    robots = [robot(i, algorithm=name, communication_range=4.0, **settings)
              for i in (1, 2, 3, 4)]
    bench = Bench({i: (3.0 * i, 0.0) for i in (1, 2, 3, 4)})
    spin_until([bench, *robots], lambda: leaders(robots) == [4, 4, 4, 4])
    assert [r.robot.leads for r in robots] == [False, False, False, True]
    robots.pop().destroy_node()

    def recovered() -> bool:
        found = leaders(robots)
        if name == 'given':
            # Nobody else may lead: each robot names itself, and none is a leader.
            return found == [1, 2, 3]
        if name == 'classic':
            # Its history decides who leads then: mostly 3, but 2 where that was heard of first.
            return all(leader < 4 and found[leader - 1] == leader for leader in found)
        return found == [3, 3, 3]
    spin_until([bench, *robots], recovered)
    assert [r.robot.leads for r in robots] == [
        leader == i and name != 'given' for i, leader in enumerate(leaders(robots), 1)]


def test_parameter_of_another_algorithm_is_refused_at_the_start():
    with pytest.raises(ParameterError, match='algorithm classic takes no ties, but radius'):
        robot(1, algorithm='classic', ties='nearest')


def test_parameter_of_another_algorithm_is_refused_at_run_time():
    node = robot(1, algorithm='resilient', round_period=NEVER)
    result, = node.set_parameters([Parameter('radius', value=7.0)])
    assert not result.successful
    assert result.reason == ('parameter radius: 7 is not allowed; algorithm resilient takes no '
                             'radius, but diameter_factor, radius_inclusive, hop_limit')
    assert node.robot.parameters.radius == node.get_parameter('radius').value == 10.0


# Metrics of robots' nodes over real DDS.


def test_predicted_metric_leaves_a_robot_that_drives_away() -> None:
    """Half a minute ahead 2 is 12 m farther, beyond the radius; it stops, and is led again."""
    robots = [robot(i, metric='look_ahead', look_ahead=30.0, radius=10.0, radius_hysteresis=0.0,
                    communication_range=100.0) for i in (1, 2)]
    bench = Bench({1: (0.0, 0.0), 2: (2.0, 0.0)})
    speed = [0.4]

    def drive() -> None:
        x, y = bench.places[2]
        bench.places[2] = x + 0.05 * speed[0], y
    bench.create_timer(0.05, drive)
    everyone = [bench, *robots]

    def ahead() -> float:
        return max((near.distance for near in robots[1].robot.neighbours), default=0.0)
    spin_until(everyone, lambda: leaders(robots) == [1, 2] and ahead() > 10.0)
    assert ahead() > bench.places[2][0] + 5.0
    speed[0] = 0.0
    spin_until(everyone, lambda: ahead() < bench.places[2][0] + 1.0)
    spin_until(everyone, lambda: len(set(leaders(robots))) == 1 or bench.places[2][0] > 10.0)
