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

"""Markers of a plug-in's fields and of deviations; others are tested by the monitor."""

import math

from leader_election.ros.nodes.markers import Markers
from leader_election.swarm.snapshot import RobotView, Snapshot
from leader_election.swarm.view.formatting import PALETTE
from leader_election.swarm.view.frame import Frame
import pytest
from visualization_msgs.msg import Marker


def frame(**fields: object) -> Frame:
    """Return robot 1, which leads 2; robot 2 has fields, and 3, without a position, too."""
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
    long = Markers('map').update(frame(trace=list(range(99))), 5.0).markers
    [text] = [m.text for m in long if m.ns == 'fields']
    assert text.startswith('trace=[0, 1, ') and len(text) == 48


def uncertain(deviation: float) -> Frame:
    """Return the swarm of above, in which robot 2 publishes a deviation."""
    drawn = frame()
    robots = drawn.snapshot.robots
    return drawn._replace(snapshot=drawn.snapshot._replace(
        robots=robots | {2: robots[2]._replace(deviation=deviation)}))


def test_a_deviation_is_a_circle_of_its_radius_in_the_colour_of_the_leader() -> None:
    markers = Markers('map')
    [circle] = [m for m in markers.update(uncertain(0.4), 5.0).markers if m.ns == 'deviations']
    assert (circle.type, circle.id, circle.action) == (Marker.LINE_STRIP, 2, Marker.ADD)
    assert [math.hypot(point.x, point.y) for point in circle.points] == pytest.approx(
        [0.4] * len(circle.points))
    assert (circle.pose.position.x, circle.pose.position.y) == (2.0, 0.0)
    assert (circle.points[0].x, circle.points[0].y) == pytest.approx(
        (circle.points[-1].x, circle.points[-1].y))
    assert (circle.color.r, circle.color.g, circle.color.b) == pytest.approx(PALETTE[0])
    assert 0.0 < circle.color.a < 1.0
    # A circle of no size is none, and disappears.
    for deviation in (0.0, math.nan):
        markers.update(uncertain(0.4), 5.0)
        [gone] = [m for m in markers.update(uncertain(deviation), 5.0).markers
                  if m.ns == 'deviations']
        assert (gone.id, gone.action) == (2, Marker.DELETE)
