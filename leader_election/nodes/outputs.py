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

"""A robot's typed outputs, latched and published when they change."""

from typing import Any

from geometry_msgs.msg import Point32, PolygonStamped
from leader_election.nodes.qos import STATE
from leader_election.robot.regions import outline
from leader_election.robot.robot import Robot
from rclpy.node import Node
from std_msgs.msg import Bool, Float64, Int64, Int64MultiArray


class Outputs:
    """``leader``, ``is_leader``, ``distance``, ``neighbours`` and, on a leader, ``region``."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._publishers = {
            name: node.create_publisher(kind, name, STATE)
            for name, kind in (('leader', Int64), ('is_leader', Bool), ('distance', Float64),
                               ('neighbours', Int64MultiArray), ('region', PolygonStamped))}
        self._last: dict[str, Any] = {}

    def publish(self, robot: Robot) -> None:
        """Publish what has changed."""
        state = robot.state
        self._send('leader', state.leader, Int64)
        self._send('is_leader', robot.leads, Bool)
        self._send('distance', float(state.distance), Float64)
        self._send('neighbours', [n.message.id for n in robot.neighbours], Int64MultiArray)
        self._region(robot)

    def _send(self, name: str, value: Any, kind: Any) -> None:
        if name not in self._last or self._last[name] != value:
            self._last[name] = value
            self._publishers[name].publish(kind(data=value))

    def _region(self, robot: Robot) -> None:
        """Publish the outline of the members within earshot; an empty one once it is over."""
        members = [robot.position] if robot.leads else []
        members += [n.message.position for n in robot.neighbours
                    if robot.leads and n.message.export.leader == robot.parameters.robot_id]
        known = sorted(p for p in members if p is not None)
        if known == self._last.get('region', []):
            return
        self._last['region'] = known
        message = PolygonStamped()
        message.header.frame_id = robot.parameters.frame
        message.header.stamp = self._node.get_clock().now().to_msg()
        if known:
            ring = outline(known).exterior.coords[:-1]
            message.polygon.points = [Point32(x=x, y=y) for x, y in ring]
        self._publishers['region'].publish(message)
