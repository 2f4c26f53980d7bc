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

"""Nodes with algorithms and metrics of plug-ins."""

from dataclasses import dataclass

from election.robot.test_plug_ins import NEAR
from leader_election import ALGORITHMS, Metric, METRICS, parameter
import pytest
from rclpy.parameter import Parameter
from ros.nodes.bench import Bench, NEVER, robot
from std_msgs.msg import Float64
from support import spin_until

pytestmark = pytest.mark.usefixtures('ros')


@dataclass(frozen=True)
class Changing:
    factor: float = parameter(2.0, 'A metre counts this much.', unit='1/m', lower=0.5, upper=9.0,
                              dynamic=True)


FACTOR = Metric('by_factor', cost=lambda metres, own, other, p: metres * p.factor,
                parameters=Changing, needs_positions=True)


@pytest.fixture(autouse=True)
def registered(ros: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Start ROS with an algorithm and a metric of a user's."""
    monkeypatch.setitem(ALGORITHMS._entries, 'near-by', NEAR)
    monkeypatch.setitem(METRICS._entries, 'by_factor', FACTOR)


def test_plug_in_parameters_are_declared_under_the_name_of_their_entry():
    node = robot(1, algorithm='near-by', metric='by_factor', round_period=NEVER,
                 **{'near_by.margin': 2.5})
    assert node.get_parameter('near_by.margin').value == 2.5
    assert node.robot.main.round_parameters.reach == 7.5
    descriptor = node.describe_parameter('by_factor.factor')
    assert descriptor.description == 'A metre counts this much.' and not descriptor.read_only
    assert descriptor.floating_point_range[0].to_value == 9.0
    assert node.describe_parameter('near_by.margin').read_only


def test_instances_have_their_own_plug_in_parameters():
    node = robot(1, instances='rescue', round_period=NEVER,
                 **{'rescue.algorithm': 'near-by', 'rescue.near_by.margin': 3.0})
    assert node.robot.instances['rescue'].round_parameters.reach == 7.0
    assert not node.has_parameter('near_by.margin')


def test_plug_in_parameter_changes_at_run_time():
    node = robot(1, metric='by_factor', communication_range=9.0)
    bench = Bench({1: (0.0, 0.0)})
    bench.others = {9: 9.0}

    def far(metres: float) -> bool:
        return [near.distance for near in node.robot.neighbours] == [metres]
    spin_until([bench, node], lambda: far(2.0))
    result, = node.set_parameters([Parameter('by_factor.factor', value=3.0)])
    assert result.successful
    spin_until([bench, node], lambda: far(3.0))
    result, = node.set_parameters([Parameter('by_factor.factor', value=99.0)])
    assert not result.successful and 'by_factor.factor' in result.reason


def test_sensor_metric_divides_regions():
    """Robots 1 and 2 read the same value. Robot 3 reads far less, so it leads itself."""
    robots = [robot(i, metric='sensor_difference', radius=2.0, communication_range=9.0)
              for i in (1, 2, 3)]
    bench = Bench({i: (float(i), 0.0) for i in (1, 2, 3)})
    sensors = {i: bench.create_publisher(Float64, f'/r{i}/reading', 10) for i in (1, 2, 3)}

    def publish() -> None:
        for i, value in ((1, 20.0), (2, 20.5), (3, 5.0)):
            sensors[i].publish(Float64(data=value))
    bench.create_timer(0.05, publish)
    spin_until([bench, *robots],
               lambda: [r.robot.state.leader for r in robots] == [2, 2, 3]
               and all(len(r.robot.neighbours) == 2 for r in robots))
