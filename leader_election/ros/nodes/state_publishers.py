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

"""
A robot's typed outputs: its state, latched and published on change, and numbers for plots.

The topics of the first instance are in the robot's namespace, those of another instance in a
namespace with the name of that instance.
"""

from collections.abc import Callable, Mapping
from copy import copy
import math
from typing import Any

from geometry_msgs.msg import Point32, PolygonStamped
from leader_election.election.robot.codec import MAIN, Position
from leader_election.election.robot.instance import Instance, NO_LEADER
from leader_election.election.robot.leadership import INACTIVE
from leader_election.election.robot.neighbourhood import NeighbourView, OUT_OF_RANGE
from leader_election.election.robot.reception import HEARD, ROUNDS
from leader_election.election.robot.robot import LEADER_CHANGES, Robot
from leader_election.election.robot.wire import RejectReason
from leader_election.election.robot.zones import outline
from leader_election.ros.nodes.qos import OUTPUT, overridable, PROMISES, SENSOR
from rclpy.node import Node
from std_msgs.msg import (
    Bool,
    Float64,
    Float64MultiArray,
    Int64,
    Int64MultiArray,
    MultiArrayDimension,
    String,
)

FOLDER = 'metrics'
"""The namespace of the topics, below the robot's."""
COUNTS: dict[str, Callable[[Robot], int]] = {
    'leader': lambda robot: robot.main.leader,
    'leader_changes': lambda robot: robot.counts[LEADER_CHANGES],
    'rounds': lambda robot: robot.counts[ROUNDS],
    'neighbours': lambda robot: len(robot.neighbours),
    'messages_heard': lambda robot: robot.counts[HEARD],
    'messages_out_of_range': lambda robot: robot.counts[OUT_OF_RANGE],
    'messages_rejected': lambda robot: sum(robot.counts[reason.value] for reason in RejectReason),
    'senders_expired': lambda robot: robot.mailbox.expired,
}
"""Whole numbers, by the name of their topic; all but ``leader`` and ``neighbours`` only grow."""
LENGTHS: dict[str, Callable[[Robot], float]] = {
    'distance': lambda robot: robot.main.distance,
    'strength': lambda robot: robot.strength.announced,
    'radius': lambda robot: robot.main.radius,
}
"""Other numbers [m], except the strength."""
DURATION = 'round_duration'
"""The computation time of the last round [s]."""


class StatePublishers:
    """
    ``leader``, ``is_leader``, ``role``, ``distance``, ``neighbours`` and, on a leader, ``region``.

    Where there are regions also ``decision`` and, on a leader, ``region_summary``.
    """

    def __init__(self, node: Node, instance: Instance, space: str = '') -> None:
        """
        Create the publishers.

        :param space: the start of all names, empty or ending in a slash.
        """
        self._node = node
        self._instance = instance
        kinds: dict[str, Any] = {
            'leader': Int64, 'is_leader': Bool, 'role': String, 'distance': Float64,
            'neighbours': Int64MultiArray, 'region': PolygonStamped}
        if instance.membership.region is not None:
            kinds |= {'decision': String, 'region_summary': Float64MultiArray}
        prefix = space + ('' if instance.name == MAIN else f'{instance.name}/')
        self._publishers = {
            name: node.create_publisher(kind, prefix + name, copy(OUTPUT),
                                        qos_overriding_options=overridable(PROMISES[:1]))
            for name, kind in kinds.items()}
        self._last: dict[str, Any] = {}

    def publish(self, robot: Robot) -> None:
        """Publish the topics whose values have changed."""
        instance = self._instance
        view = instance.view
        self._send('leader', instance.leader, Int64)
        self._send('is_leader', instance.leads, Bool)
        self._send('role', instance.role, String)
        self._send('distance', instance.distance, Float64)
        self._send('neighbours', [message.id for message in view.messages], Int64MultiArray)
        self._region(robot, view)
        if instance.membership.region is not None:
            self._send('decision', instance.membership.region.decision, String)
            self._summary()

    def withdraw(self) -> None:
        """Publish that the robot neither leads nor follows, if it has published otherwise."""
        if not self._last:
            return
        self._send('leader', NO_LEADER, Int64)
        self._send('is_leader', False, Bool)
        self._send('role', INACTIVE, String)
        self._send('distance', math.inf, Float64)
        self._send('neighbours', [], Int64MultiArray)
        self._send_region([], '')
        if self._instance.membership.region is not None:
            self._send('decision', '', String)
            self._send_summary({})

    def _send(self, name: str, value: Any, kind: Any) -> None:
        if name not in self._last or self._last[name] != value:
            self._last[name] = value
            self._publishers[name].publish(kind(data=value))

    def _summary(self) -> None:
        """Publish the summary of a leader as named numbers; none when it does not lead."""
        instance = self._instance
        self._send_summary(named(instance.membership.summary) if instance.leads else {})

    def _send_summary(self, numbers: dict[str, float]) -> None:
        if numbers == self._last.get('region_summary'):
            return
        self._last['region_summary'] = numbers
        message = Float64MultiArray(data=list(numbers.values()))
        message.layout.dim = [
            MultiArrayDimension(label=label, size=1, stride=1) for label in numbers]
        self._publishers['region_summary'].publish(message)

    def _region(self, robot: Robot, view: NeighbourView) -> None:
        """Publish the outline of the region; an empty one when the robot does not lead."""
        leads, own = self._instance.leads, robot.parameters.robot_id
        members = [robot.position] if leads else []
        members += [message.position for message, export in zip(view.messages, view.exports)
                    if leads and export.leader == own]
        known = sorted(p for p in members if p is not None)
        if leads:
            known = self._instance.membership.outline or known
        self._send_region(known, robot.parameters.frame)

    def _send_region(self, known: list[Position], frame: str) -> None:
        if known == self._last.get('region', []):
            return
        self._last['region'] = known
        message = PolygonStamped()
        message.header.frame_id = frame
        message.header.stamp = self._node.get_clock().now().to_msg()
        if known:
            ring = outline(known).exterior.coords[:-1]
            message.polygon.points = [Point32(x=x, y=y) for x, y in ring]
        self._publishers['region'].publish(message)


class PlotPublishers:
    """
    Publishes numbers of a robot's first instance for tools that plot (PlotJuggler, rqt_plot).

    Each has a topic of its own, published on request.
    """

    def __init__(self, node: Node, robot: Robot) -> None:
        self._robot = robot
        folder = robot.parameters.output_prefix + FOLDER
        self.round_duration = 0.0
        """The computation time of the last round [s]."""
        kinds: dict[str, Any] = {name: Int64 for name in COUNTS}
        kinds |= {name: Float64 for name in (*LENGTHS, DURATION)}
        self._publishers = {name: node.create_publisher(kind, f'{folder}/{name}', SENSOR)
                            for name, kind in kinds.items()}

    def publish(self) -> None:
        """Publish all numbers."""
        for name, count in COUNTS.items():
            self._publishers[name].publish(Int64(data=count(self._robot)))
        for name, length in LENGTHS.items():
            self._publishers[name].publish(Float64(data=float(length(self._robot))))
        self._publishers[DURATION].publish(Float64(data=self.round_duration))


def named(summary: Mapping[str, Any]) -> dict[str, float]:
    """
    Return a summary as named numbers; unknown and non-numeric values are NaN.

    >>> named({'members': 3.0, 'count.centre': [1.0, 2.0], 'field.mean': None})
    {'members': 3.0, 'count.centre.0': 1.0, 'count.centre.1': 2.0, 'field.mean': nan}
    """
    numbers: dict[str, float] = {}
    for name, value in summary.items():
        if isinstance(value, (list, tuple)):
            value = dict(enumerate(value))
        if isinstance(value, Mapping):
            numbers |= named({f'{name}.{part}': of_it for part, of_it in value.items()})
        else:
            numbers[name] = _number(value)
    return numbers


def _number(value: Any) -> float:
    """Return a value as a float; NaN if it is not a number or too large."""
    try:
        number = float(value) if isinstance(value, (bool, int, float)) else math.nan
    except OverflowError:
        return math.nan
    # math.nan itself: dictionaries compare by identity first, so equal summaries are equal.
    return math.nan if math.isnan(number) else number
