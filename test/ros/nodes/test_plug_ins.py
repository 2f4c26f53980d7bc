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

"""Parameters of users' algorithms, metrics and sources on real nodes, and what they measure."""

from dataclasses import dataclass, replace
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from election.robot.test_plug_ins import NEAR
from leader_election import ALGORITHMS, Metric, METRICS, parameter
from leader_election.parameters import ParameterError
import pytest
from rclpy.parameter import Parameter
from ros.nodes.bench import Bench, NEVER, robot
from std_msgs.msg import Float64
from support import spin_until


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


def test_own_parameters_are_declared_under_the_name_of_their_entry() -> None:
    node = robot(1, algorithm='near-by', metric='by_factor', round_period=NEVER,
                 **{'near_by.margin': 2.5})
    assert node.get_parameter('near_by.margin').value == 2.5
    assert node.robot.main.round_parameters.reach == 7.5
    descriptor = node.describe_parameter('by_factor.factor')
    assert descriptor.description == 'A metre counts this much.' and not descriptor.read_only
    assert descriptor.floating_point_range[0].to_value == 9.0
    assert node.describe_parameter('near_by.margin').read_only


def test_instances_have_their_own_plug_in_parameters() -> None:
    node = robot(1, instances='rescue', round_period=NEVER,
                 **{'rescue.algorithm': 'near-by', 'rescue.near_by.margin': 3.0})
    assert node.robot.instances['rescue'].round_parameters.reach == 7.0
    assert not node.has_parameter('near_by.margin')


@pytest.mark.parametrize('values, line', [
    ({'near_by.margin': -1.0}, 'parameter near_by.margin: -1.0 is not allowed; it takes 0 to 9'),
    ({'near_by.margin': 'x'}, "parameter near_by.margin: 'x' is not allowed; it takes 0 to 9")])
def test_wrong_plug_in_parameter_is_one_line(values: dict[str, Any], line: str) -> None:
    with pytest.raises(ParameterError) as error:
        robot(1, algorithm='near-by', round_period=NEVER, **values)
    assert str(error.value) == line


def test_plug_in_parameter_changes_at_run_time() -> None:
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


def test_two_entries_of_one_name_cannot_both_have_parameters(
        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METRICS._entries, 'near-by', replace(FACTOR, name='near-by'))
    with pytest.raises(ParameterError, match="'near-by' is not allowed beside a metric"):
        robot(1, algorithm='near-by', metric='near-by', round_period=NEVER)


def test_diagnostics_have_the_fields_of_a_plug_in_algorithm() -> None:
    robots = [robot(i, algorithm='near-by', communication_range=4.0) for i in (1, 2)]
    bench = Bench({1: (0.0, 0.0), 2: (3.0, 0.0)})
    found: dict[str, str] = {}

    def take(message: DiagnosticArray) -> None:
        for status in message.status:
            if status.name == 'r1: election':
                found.update({value.key: value.value for value in status.values})
    bench.create_subscription(DiagnosticArray, '/diagnostics', take, 10)
    spin_until([bench, *robots], lambda: found.get('state.steps') == '1')


def test_metric_of_a_sensor_divides_regions() -> None:
    """Robots 1 and 2 read the same, robot 3 far less: it leads itself."""
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


def test_round_trips_are_measured_over_dds() -> None:
    robots: list[Any] = [
        robot(i, metric='round_trip', communication_range=float('inf'), radius=1e6)
        for i in (1, 2)]
    spin_until(robots, lambda: all(
        [0.0 < near.distance < 1e4 for near in r.robot.neighbours] == [True] for r in robots))
