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

"""A robot's numbers, each on a topic of its own, for tools that plot (PlotJuggler, rqt_plot)."""

from collections.abc import Callable
from typing import Any

from leader_election.nodes.qos import SENSOR
from leader_election.robot.robot import HEARD, LEADER_CHANGES, OUT_OF_RANGE, Robot, ROUNDS
from leader_election.robot.wire import RejectReason
from rclpy.node import Node
from std_msgs.msg import Float64, Int64

FOLDER = 'metrics'
"""The topics are in this, in the robot's namespace."""
COUNTS: dict[str, Callable[[Robot], int]] = {
    'leader': lambda robot: int(robot.state.leader),
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
"""Other numbers [m], but for the strength."""
DURATION = 'round_duration'
"""How long the last round took to compute [s]."""


class Metrics:
    """Publishes the numbers of a robot's first instance, when it is told to."""

    def __init__(self, node: Node, robot: Robot) -> None:
        self._robot = robot
        self.round_duration = 0.0
        """Of the last round [s]."""
        kinds: dict[str, Any] = {name: Int64 for name in COUNTS}
        kinds |= {name: Float64 for name in (*LENGTHS, DURATION)}
        self._publishers = {name: node.create_publisher(kind, f'{FOLDER}/{name}', SENSOR)
                            for name, kind in kinds.items()}

    def publish(self) -> None:
        """Publish all of them."""
        for name, count in COUNTS.items():
            self._publishers[name].publish(Int64(data=count(self._robot)))
        for name, length in LENGTHS.items():
            self._publishers[name].publish(Float64(data=float(length(self._robot))))
        self._publishers[DURATION].publish(Float64(data=self.round_duration))
