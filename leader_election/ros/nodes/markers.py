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

"""Markers of a swarm, for RViz and Foxglove."""

from collections.abc import Iterable, Mapping, Sequence
import math

from geometry_msgs.msg import Point
from leader_election.election.robot.codec import Position
from leader_election.election.robot.zones import outline
from leader_election.swarm.snapshot import links, positions, regions, RobotView
from leader_election.swarm.view.formatting import Colour, fields_text, GONE, label, shortened
from leader_election.swarm.view.frame import Frame
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

ROBOT_SIZE = 0.3
"""Diameter of a robot's sphere; a leader's is twice as large [m]."""
MARGIN = 0.35
"""Distance of a region's outline from its members [m]."""
CIRCLE = [(math.cos(math.pi * k / 12), math.sin(math.pi * k / 12)) for k in range(25)]
"""The points of a circle of radius 1, closed."""
TEXT_LENGTH = 48
"""The shown length of a decision, or of an algorithm's own fields [characters]."""


class Markers:
    """
    Converts frames to markers, and deletes markers that are no longer valid.

    Namespaces: ``robots``, ``leaders``, ``gone`` and ``links``, one marker each; ``regions``,
    ``labels`` and, where leaders decide, ``decisions``, one marker per leader; ``fields``, one
    marker per robot, if the algorithm has its own fields; ``deviations``, one marker per robot
    that publishes its deviation: a circle whose radius is the standard deviation of its position.
    Leaders that may not act, and robots under no mandate, are translucent.
    """

    def __init__(self, frame_id: str) -> None:
        self._frame_id = frame_id
        self._shown: dict[tuple[str, int], Marker] = {}

    def update(self, frame: Frame, communication_range: float) -> MarkerArray:
        """
        Return the markers that bring a display from the previous frame to this one.

        :param communication_range: robots within this distance are linked by a line [m].
        """
        snapshot, robots = frame.snapshot, frame.snapshot.robots
        placed = [robot for robot in robots.values() if robot.position is not None]
        leaders = [robot for robot in placed if robot.leader == robot.id]
        markers = [
            self._spheres('robots', placed, frame, ROBOT_SIZE),
            self._spheres('leaders', leaders, frame, 2 * ROBOT_SIZE),
            self._gone([robot for robot in snapshot.gone.values() if robot.position is not None]),
            self._links(p for pair in links(snapshot, communication_range)
                        for p in positions(snapshot, pair)),
            *(self._label(robot) for robot in leaders),
            *(self._decision(robot) for robot in leaders),
            *(self._fields(robot) for robot in placed if robot.fields),
            *(self._deviation(robot, frame) for robot in placed if robot.deviation > 0.0),
            *(self._region(leader, positions(snapshot, members), frame.colours[leader])
              for leader, members in regions(snapshot).items())]
        new = {(marker.ns, marker.id): marker for marker in markers
               if marker.points or marker.text}
        invalid = [Marker(ns=ns, id=number, action=Marker.DELETE)
                   for ns, number in self._shown if (ns, number) not in new]
        self._shown = new
        return MarkerArray(markers=[*invalid, *new.values()])

    def _marker(self, namespace: str, kind: int, scale: float, colour: Colour = GONE,
                alpha: float = 1.0) -> Marker:
        marker = Marker(ns=namespace, type=kind, action=Marker.ADD)
        marker.header.frame_id = self._frame_id
        marker.pose.orientation.w = 1.0
        marker.scale.x = marker.scale.y = marker.scale.z = scale
        marker.color = _rgba(colour, alpha)
        return marker

    def _spheres(self, namespace: str, robots: list[RobotView], frame: Frame,
                 size: float) -> Marker:
        marker = self._marker(namespace, Marker.SPHERE_LIST, size)
        marker.points = _points(robot.position for robot in robots)
        marker.colors = [_rgba(frame.colours[robot.leader], 1.0 if robot.ruled else 0.35)
                         for robot in robots]
        return marker

    def _gone(self, robots: list[RobotView]) -> Marker:
        marker = self._marker('gone', Marker.CUBE_LIST, ROBOT_SIZE)
        marker.points = _points(robot.position for robot in robots)
        return marker

    def _links(self, ends: Iterable[Position]) -> Marker:
        marker = self._marker('links', Marker.LINE_LIST, 0.02, GONE, 0.4)
        marker.points = _points(ends)
        return marker

    def _label(self, robot: RobotView) -> Marker:
        return self._text('labels', robot, label(robot), 0.6, 0.0)

    def _decision(self, robot: RobotView) -> Marker:
        return self._text('decisions', robot, shortened(robot.decision, TEXT_LENGTH), 0.3, -0.6)

    def _fields(self, robot: RobotView) -> Marker:
        return self._text('fields', robot, shortened(fields_text(robot.fields), TEXT_LENGTH), 0.2,
                          -0.9)

    def _deviation(self, robot: RobotView, frame: Frame) -> Marker:
        """Return a circle, not a disc: deviations of odometry alone soon overlap."""
        marker = self._marker('deviations', Marker.LINE_STRIP, 0.03,
                              frame.colours[robot.leader], 0.6)
        marker.id = _number(robot.id)
        [marker.pose.position] = _points([robot.position])
        marker.points = _points((robot.deviation * x, robot.deviation * y) for x, y in CIRCLE)
        return marker

    def _text(self, namespace: str, robot: RobotView, text: str, size: float,
              above: float) -> Marker:
        """Return a text of this height at a robot, shifted along y by ``above`` [m]."""
        marker = self._marker(namespace, Marker.TEXT_VIEW_FACING, size, (0.1, 0.1, 0.1))
        marker.id = _number(robot.id)
        [marker.pose.position] = _points([robot.position])
        marker.pose.position.y += above
        marker.pose.position.z = 0.6
        marker.text = text
        return marker

    def _region(self, leader: int, members: list[Position], colour: Colour) -> Marker:
        marker = self._marker('regions', Marker.LINE_STRIP, 0.06, colour, 0.8)
        marker.id = _number(leader)
        if members:
            marker.points = _points(outline(members, MARGIN).exterior.coords)
        return marker


def trail_marker(paths: Mapping[int, Sequence[Position]], frame: Frame,
                 frame_id: str) -> MarkerArray:
    """
    Return the trails of robots as one marker ``trails``, each in the colour of its leader.

    :param paths: points of each robot's trail, by id [m].
    """
    marker = Marker(ns='trails', type=Marker.LINE_LIST, action=Marker.ADD)
    marker.header.frame_id = frame_id
    marker.pose.orientation.w = 1.0
    marker.scale.x = 0.04
    for robot, path in paths.items():
        view = frame.snapshot.robots.get(robot)
        colour = _rgba(frame.colours[view.leader] if view else GONE, 0.5)
        ends = [end for segment in zip(path, path[1:]) for end in segment]
        marker.points += _points(ends)
        marker.colors += [colour] * len(ends)
    if not marker.points:
        marker.action = Marker.DELETE
    return MarkerArray(markers=[marker])


def _number(robot_id: int) -> int:
    """Return the id as 31 bits of a marker's id; of two equal ones only one would be shown."""
    return robot_id % 2**31


def _points(places: Iterable[Position | None]) -> list[Point]:
    return [Point(x=place[0], y=place[1]) for place in places if place is not None]


def _rgba(colour: Colour, alpha: float = 1.0) -> ColorRGBA:
    return ColorRGBA(r=colour[0], g=colour[1], b=colour[2], a=alpha)
