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

"""Robots' nodes with tasks, instances and plug-ins: parameters, topics, and tasks that fail."""

from dataclasses import dataclass
import json
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from election.robot.test_plug_ins import NEAR
from leader_election import ALGORITHMS, Metric, METRICS, parameter
from leader_election.election.regions.task import Task
from leader_election.election.robot.reception import ROUNDS
from leader_election.parameters import ParameterError
from leader_election.ros.nodes.election import ElectionNode
from leader_election.ros.nodes.qos import EVENTS, SENSOR, STATE
import pytest
from rclpy.parameter import Parameter
from ros.nodes.bench import Bench, collect, leaders, NEVER, robot
from std_msgs.msg import Bool, Float64, Float64MultiArray, Int64, String
from support import spin_until

pytestmark = pytest.mark.usefixtures('ros')


def decision(node: ElectionNode, instance: str = 'main') -> list[Any]:
    return node.robot.instances[instance].parts['regions'].decision


def test_two_instances_have_their_own_topics_and_parameters():
    """The first elects 2 and counts. ``rescue`` elects 1 by another algorithm."""
    robots = [robot(i, instances='rescue', tasks='count', **{
        'rescue.algorithm': 'classic', 'rescue.strength': -float(i), 'rescue.radius': 50.0,
        'rescue.regions': True}) for i in (1, 2)]
    bench = Bench({1: (0.0, 0.0), 2: (3.0, 0.0)})
    spin_until([bench, *robots], lambda: all(
        decision(r) == [{'members': 2, 'centre': [1.5, 0.0]}] for r in robots)
        and [r.robot.instances['rescue'].parts['regions'].summary['members']
             for r in robots] == [2.0, 1.0])
    late = Bench({}, name='late')
    heard = {topic: collect(late, kind, f'/r1/{topic}', STATE) for topic, kind in (
        ('leader', Int64), ('rescue/leader', Int64), ('is_leader', Bool),
        ('rescue/is_leader', Bool), ('role', String), ('rescue/role', String),
        ('decision', String), ('rescue/region_summary', Float64MultiArray),
        ('rescue/distance', Float64))}
    spin_until([late, bench], lambda: all(heard.values()))
    values = {topic: messages[-1].data for topic, messages in heard.items()}
    assert json.loads(values.pop('decision')) == [{'members': 2, 'centre': [1.5, 0.0]}]
    summary = heard['rescue/region_summary'][-1]
    assert list(values.pop('rescue/region_summary')) == [2.0]
    assert [dimension.label for dimension in summary.layout.dim] == ['members']
    assert values == {'leader': 2, 'rescue/leader': 1, 'is_leader': False,
                      'rescue/is_leader': True, 'role': 'worker', 'rescue/role': 'leader',
                      'rescue/distance': 0.0}
    one = robots[1]
    assert one.set_parameters([Parameter('rescue.radius', value=1.0)])[0].successful
    spin_until([bench, *robots], lambda: leaders(robots) == [2, 2] and [
        r.robot.instances['rescue'].state.leader for r in robots] == [1, 2])
    assert not one.set_parameters([Parameter('rescue.tasks', value='count')])[0].successful


def test_each_instance_has_its_own_strength_topic():
    node = robot(1, instances='rescue', strength_source='topic', hierarchy='20',
                 **{'rescue.strength_source': 'topic'})
    bench = Bench({1: (0.0, 0.0)})
    topics = [bench.create_publisher(Float64, f'/r1/{topic}', SENSOR)
              for topic in ('strength', 'rescue/strength', 'level_1/strength')]
    spin_until([bench, node], lambda: all(t.get_subscription_count() for t in topics[:2]))
    assert topics[2].get_subscription_count() == 0, 'leaders of leaders have the one below'
    topics[0].publish(Float64(data=3.0))
    topics[1].publish(Float64(data=4.0))
    instances = node.robot.instances
    spin_until([bench, node], lambda: [
        instance.strength.announced for instance in instances.values()] == [3.0, 4.0, 3.0])


class Faulty(Task):
    """Fails in a callback of its own, and in nothing else; and what its host can do."""

    def __init__(self, member: Any, settings: Any) -> None:
        super().__init__(member, settings)
        self.began = member.node.seconds()
        self.heard: list[float] = []
        self.closed = False
        member.node.listen('reading', Float64, self._hear)
        self.out = member.node.publisher('alarm', Bool, latched=True)
        self.timer = member.node.every(0.05, self._tick)

    def _hear(self, message: Float64) -> None:
        self.heard.append(message.data)
        self.out.publish(Bool(data=True))

    def _tick(self) -> None:
        raise SystemExit('no such shelf')

    def decide(self, summary: Any) -> Any:
        return 'go'

    def close(self) -> None:
        self.closed = True
        raise RuntimeError('stuck')


def test_failing_task_is_reported_once_and_the_robot_continues(capfd):
    """The log has one line, and diagnostics have the traceback."""
    node = robot(1, tasks='ros.nodes.test_instance_parameters:Faulty')
    bench = Bench({1: (0.0, 0.0)})
    told = collect(bench, DiagnosticArray, '/diagnostics', EVENTS)
    alarms = collect(bench, Bool, '/r1/alarm', STATE)
    reading = bench.create_publisher(Float64, '/r1/reading', SENSOR)
    runner, = node.robot.main.parts['regions'].task_runners
    task: Any = runner.task
    spin_until([bench, node], lambda: runner.errors > 3 and reading.get_subscription_count() > 0)
    # The first may be lost: the node may not know the publisher yet.
    spin_until([bench, node], lambda: bool(alarms) or reading.publish(Float64(data=7.0)))
    spin_until([bench, node], lambda: runner.logged and told and any(
        v.key == 'faulty.errors' and int(v.value) > 3 for v in told[-1].status[-1].values))
    assert {*task.heard} == {7.0} and task.began <= task.member.node.seconds()
    assert node.robot.counts[ROUNDS] > 0 and decision(node) == ['go']
    statuses = [status for message in told for status in message.status]
    assert statuses[-1].level == DiagnosticStatus.WARN
    assert statuses[-1].message == 'task faulty fails: SystemExit: no such shelf'
    traces = [value.value for status in statuses for value in status.values
              if value.key == 'faulty.traceback']
    assert len(traces) == 1 and traces[0].startswith('Traceback')
    assert capfd.readouterr().err.count('task faulty: Traceback') == 1
    node.close()
    assert task.closed


def test_task_of_a_second_level_decides_without_driving():
    """Only one task drives, so ``cmd_vel`` has one publisher, and parameters exist once."""
    node = robot(1, tasks='rally', hierarchy='20', instances='rescue', round_period=NEVER,
                 **{'rally.distance': 3.0, 'rescue.over': 'main'})
    above = [node.robot.instances[name].parts['regions'].task_runners[0].task
             for name in ('level_1', 'rescue')]
    assert [task.settings.distance for task in above] == [3.0, 3.0]
    assert node.count_publishers('/r1/cmd_vel') == node.count_subscribers('/r1/scan') == 1
    for prefix in ('level_1', 'rescue'):
        assert not node.has_parameter(f'{prefix}.rally.distance')
    assert above[0].member.node.seconds() > 0.0 and above[0].member.node.node is node
    for task in above:
        task.close()


class Refuses(Task):
    def __init__(self, member: Any, settings: Any) -> None:
        raise OSError('no\nhardware')


class NoDeclaration(Task):
    parameters = int


@pytest.mark.parametrize('settings, line', [
    ({'tasks': 'ros.nodes.test_instance_parameters:Refuses'}, 'parameter tasks: '
     "'ros.nodes.test_instance_parameters:Refuses' cannot be made: OSError: no\nhardware"),
    ({'tasks': 'ros.nodes.test_instance_parameters:NoDeclaration'}, 'parameter tasks: '
     "'ros.nodes.test_instance_parameters:NoDeclaration' cannot be made: TypeError: "),
    ({'instances': 'a,a'}, "parameter instances: 'a' is not allowed; it takes different names of "
     'small letters, digits and _, none of them main'),
    ({'tasks': 'patrol', 'instances': 'a', 'a.tasks': 'patrol'}, 'parameter a.tasks: a.patrol '
     'and patrol cannot go together; both publish cmd_vel'),
])
def test_instances_are_refused_when_wrong(settings, line):
    with pytest.raises(ParameterError) as error:
        robot(1, **settings)
    assert str(error.value).startswith(line)


@dataclass(frozen=True)
class Changing:
    factor: float = parameter(2.0, 'A metre counts this much.', unit='1/m', lower=0.5, upper=9.0,
                              dynamic=True)


FACTOR = Metric('by_factor', cost=lambda metres, own, other, p: metres * p.factor,
                parameters=Changing, needs_positions=True)


@pytest.fixture
def registered(ros: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Start ROS with an algorithm and a metric of a user's."""
    monkeypatch.setitem(ALGORITHMS._entries, 'near-by', NEAR)
    monkeypatch.setitem(METRICS._entries, 'by_factor', FACTOR)


def test_plug_in_parameters_are_declared_under_the_name_of_their_entry(registered):
    node = robot(1, algorithm='near-by', metric='by_factor', round_period=NEVER,
                 **{'near_by.margin': 2.5})
    assert node.get_parameter('near_by.margin').value == 2.5
    assert node.robot.main.round_parameters.reach == 7.5
    descriptor = node.describe_parameter('by_factor.factor')
    assert descriptor.description == 'A metre counts this much.' and not descriptor.read_only
    assert descriptor.floating_point_range[0].to_value == 9.0
    assert node.describe_parameter('near_by.margin').read_only


def test_plug_in_parameter_changes_at_run_time(registered):
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
