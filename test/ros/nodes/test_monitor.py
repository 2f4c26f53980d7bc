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

"""The monitor hears a swarm over DDS, shows it in markers, and draws it."""

import math

from diagnostic_msgs.msg import DiagnosticArray
from leader_election.ros.nodes.monitor import Markers, Monitor
from leader_election.ros.nodes.qos import EVENTS, NEIGHBOURHOOD, STATE
from leader_election.swarm.snapshot import is_partition, RobotView, Snapshot
from leader_election.swarm.view.formatting import PALETTE
from leader_election.swarm.view.frame import Frame
import pytest
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_msgs.msg import String
from support import spin_until
from visualization_msgs.msg import Marker, MarkerArray


def overrides(**values):
    values = {'live': False, 'message_expiry': 1.0, **values}
    return [Parameter(name, value=value) for name, value in values.items()]


class Swarm(Node):
    """Publishes the messages of three robots, and collects markers."""

    def __init__(self):
        super().__init__('swarm')
        self.living = {1: (1, 0.0), 2: (1, 2.0), 3: (3, 0.0)}
        self.out = self.create_publisher(String, 'neighbourhood', NEIGHBOURHOOD)
        self.create_timer(0.1, self.say)
        self.shown = {}
        self.create_subscription(MarkerArray, 'markers', self.show, EVENTS)

    def say(self):
        for robot, (leader, distance) in self.living.items():
            self.out.publish(String(
                data=f'{{"v":1,"id":{robot},"frame":"map","p":[{2 * robot},1],'
                     f'"c":[-{leader},{distance},{leader},{int(robot != leader)}]}}'))

    def show(self, message):
        for marker in message.markers:
            if marker.action == Marker.DELETE:
                del self.shown[marker.ns, marker.id]
            else:
                self.shown[marker.ns, marker.id] = marker


def test_markers_show_the_swarm_and_delete_lost_robots(ros):
    monitor, swarm = Monitor(parameter_overrides=overrides()), Swarm()
    nodes = [monitor, swarm]
    spin_until(nodes, lambda: len(swarm.shown.get(('robots', 0), Marker()).points) == 3)

    assert is_partition(monitor.snapshot, 2.0) and not is_partition(monitor.snapshot, 1.9)
    assert set(monitor.tracker.first_heard) == {1, 2, 3}
    assert set(swarm.shown) == {('robots', 0), ('leaders', 0), ('links', 0), ('labels', 1),
                                ('labels', 3), ('regions', 1), ('regions', 3)}
    robots, leaders = swarm.shown['robots', 0], swarm.shown['leaders', 0]
    assert [(p.x, p.y) for p in robots.points] == [(2.0, 1.0), (4.0, 1.0), (6.0, 1.0)]
    assert robots.colors[0] == robots.colors[1] != robots.colors[2]
    assert [p.x for p in leaders.points] == [2.0, 6.0]
    assert swarm.shown['labels', 3].text == '3'
    assert all(marker.header.frame_id == 'map' for marker in swarm.shown.values())
    spin_until(nodes, lambda: monitor.statistics.messages_a_second > 10)

    del swarm.living[3]
    spin_until(nodes, lambda: ('regions', 3) not in swarm.shown)
    assert ('labels', 3) not in swarm.shown
    assert [(p.x, p.y) for p in swarm.shown['gone', 0].points] == [(6.0, 1.0)]
    assert list(monitor.snapshot.gone) == [3]


def test_monitor_receives_robot_namespaces_when_started_later(ros):
    """Robots with default names send no name. Robot 9 sends its name."""
    monitor, swarm = Monitor(parameter_overrides=overrides()), Swarm()
    swarm.create_timer(0.1, lambda: swarm.out.publish(String(
        data='{"v":1,"id":9,"frame":"map","p":[9,1],"c":[-9,0,9,0],"n":{"9":"/alice","8":"/x"}}')))
    spin_until([monitor, swarm], lambda: len(monitor.snapshot.robots) == 4)
    seen = []
    swarm.create_subscription(DiagnosticArray, 'robots', seen.append, STATE)
    spin_until([monitor, swarm], lambda: seen and {
        pair.key: pair.value for pair in seen[-1].status[0].values} == {
        '1': '/robot_1', '2': '/robot_2', '3': '/robot_3', '9': '/alice'})
    count, heard = len(seen), monitor.tracker.messages
    spin_until([monitor, swarm], lambda: monitor.tracker.messages > heard + 12)
    assert len(seen) == count, 'only on change'


def test_moving_robot_leaves_a_trail(ros):
    monitor = Monitor(parameter_overrides=overrides(trail=2.0))
    swarm, seen, steps = Swarm(), [], [0]
    swarm.create_subscription(MarkerArray, 'trails', seen.append, EVENTS)

    def drive():
        steps[0] += 1
        swarm.out.publish(String(data=f'{{"v":1,"id":9,"frame":"map","p":[{0.1 * steps[0]},5],'
                                      f'"c":[-9,0,9,0]}}'))

    swarm.create_timer(0.05, drive)
    spin_until([monitor, swarm], lambda: seen and len(seen[-1].markers[0].points) >= 4)
    [marker] = seen[-1].markers
    assert {point.y for point in marker.points} == {5.0}, 'the others stand still'
    assert len(marker.colors) == len(marker.points)
    assert (marker.ns, marker.header.frame_id) == ('trails', 'map')


def test_monitor_shows_the_decision_of_a_leader(ros):
    monitor, swarm = Monitor(parameter_overrides=overrides()), Swarm()
    voice = swarm.create_publisher(String, 'neighbourhood', NEIGHBOURHOOD)
    swarm.create_timer(0.1, lambda: voice.publish(String(
        data='{"v":1,"id":9,"frame":"map","p":[2,0],"c":[-5,0,9,0],'
             '"t":"count","r":{"s":[4.25]},"d":[{"m":1}]}')))
    spin_until([monitor, swarm], lambda: ('decisions', 9) in swarm.shown)
    assert swarm.shown['labels', 9].text == '9 (4)'
    marker = swarm.shown['decisions', 9]
    assert marker.text == '[{"m":1}]' and marker.pose.position.x == 2.0
    assert monitor.snapshot.robots[9].value == -5.0


def test_monitor_reports_messages_of_another_algorithm(ros):
    monitor, swarm = Monitor(parameter_overrides=overrides(algorithm='given')), Swarm()
    nodes = [monitor, swarm]
    assert [each.what for each in monitor.missing()] == ['messages of robots']
    spin_until(nodes, lambda: monitor.tracker.rejected > 0)
    missing, = monitor.missing()
    assert missing.topic == '/neighbourhood' and 'algorithm' in missing.remedy
    assert missing.observed == f'{monitor.tracker.rejected} messages were rejected'


# Markers of a plug-in's fields and of deviations. Others are tested by the monitor.

def frame(**fields: object) -> Frame:
    """Return robot 1, which leads 2. Robot 2 has fields, and 3, without a position, too."""
    views = {1: RobotView(1, (0.0, 0.0), -9.0, 0.0, 1),
             2: RobotView(2, (2.0, 0.0), -9.0, 2.0, 1, fields=fields),
             3: RobotView(3, None, -9.0, 2.0, 1, fields=fields)}
    return Frame(Snapshot(0.0, views), {1: PALETTE[0]})


def test_fields_are_written_at_each_robot_and_deleted_with_it() -> None:
    markers = Markers('map')
    shown = {(m.ns, m.id): m for m in markers.update(frame(level=2, heat=0.5), 5.0).markers}
    assert [key for key in shown if key[0] == 'fields'] == [('fields', 2)]
    assert shown['fields', 2].text == 'level=2, heat=0.5'
    assert shown['fields', 2].pose.position.x == 2.0
    later = {(m.ns, m.id): m.action for m in markers.update(frame(), 5.0).markers}
    assert later['fields', 2] == Marker.DELETE


def uncertain(deviation: float) -> Frame:
    """Return the swarm of above, in which robot 2 publishes a deviation."""
    drawn = frame()
    robots = drawn.snapshot.robots
    return drawn._replace(snapshot=drawn.snapshot._replace(
        robots=robots | {2: robots[2]._replace(deviation=deviation)}))


def test_deviation_is_a_circle_in_the_colour_of_the_leader() -> None:
    markers = Markers('map')
    [circle] = [m for m in markers.update(uncertain(0.4), 5.0).markers if m.ns == 'deviations']
    assert (circle.type, circle.id, circle.action) == (Marker.LINE_STRIP, 2, Marker.ADD)
    assert [math.hypot(point.x, point.y) for point in circle.points] == pytest.approx(
        [0.4] * len(circle.points))
    assert (circle.pose.position.x, circle.pose.position.y) == (2.0, 0.0)
    assert (circle.color.r, circle.color.g, circle.color.b) == pytest.approx(PALETTE[0])
    # A circle of no size is none, and disappears.
    for deviation in (0.0, math.nan):
        markers.update(uncertain(0.4), 5.0)
        [gone] = [m for m in markers.update(uncertain(deviation), 5.0).markers
                  if m.ns == 'deviations']
        assert (gone.id, gone.action) == (2, Marker.DELETE)
