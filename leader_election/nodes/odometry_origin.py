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

"""Where a robot's odometry starts: what its own node was told, and tells who asks."""

import math
from typing import Any

from leader_election.nodes import clock
from leader_election.robot.parameters import ElectionParameters
from leader_election.robot.pose import from_parameter, Pose
from rcl_interfaces.msg import ParameterType
from rcl_interfaces.srv import GetParameters
from rclpy.clock import Clock
from rclpy.node import Node

ROBOT_NODE = 'election_node'
"""The name of a robot's node."""
PATIENCE = 1.0
"""A robot that has not answered after so long is asked again: it may have gone in between [s]."""
MOST = 100
"""So many requests may wait for an answer: simulated time can be faster than any robot answers."""
_ASKED = ('robot_id', 'frame', 'initial_pose')


class Origin:
    """
    Asks a robot's node for its parameters, until it answers.

    :ivar id: the robot's; ``None`` until it is known, as all else.
    :ivar frame: the one that the robots share.
    :ivar pose: where odometry starts in it.
    """

    def __init__(self, node: Node, steady_clock: Clock, prefix: str) -> None:
        """
        Get ready to ask.

        :param steady_clock: the clock that patience goes by.
        :param prefix: what the names of the robot's topics begin with.
        """
        self.id: int | None = None
        self.frame = ElectionParameters.frame
        self.pose: Pose | None = None
        self._client = node.create_client(GetParameters, f'{prefix}{ROBOT_NODE}/get_parameters')
        self._steady_clock = steady_clock
        self._asked: list[Any] = []
        self._since = -math.inf

    def ask(self) -> None:
        """Ask, if it is not known and no answer is to be expected; to be called now and then."""
        if self.id is None and not self._waits() and self._client.service_is_ready():
            self._since = clock.seconds(self._steady_clock)
            self._drop(len(self._asked) + 1 - MOST)
            asked = self._client.call_async(GetParameters.Request(names=list(_ASKED)))
            self._asked.append(asked)
            asked.add_done_callback(self._take)

    def _waits(self) -> bool:
        # A clock that was set back says nothing of how long it has been.
        return bool(self._asked) and (
            0.0 <= clock.seconds(self._steady_clock) - self._since <= PATIENCE)

    def _drop(self, count: int) -> None:
        """Expect no answer any more to so many requests, the oldest first."""
        for asked in self._asked[:max(count, 0)]:
            self._client.remove_pending_request(asked)
            self._asked.remove(asked)

    def _take(self, answer: Any) -> None:
        # An answer to any of them will do, however late.
        self._drop(len(self._asked))
        values = answer.result().values
        if not values or any(value.type == ParameterType.PARAMETER_NOT_SET for value in values):
            return
        robot_id, frame, pose = values
        self.frame = frame.string_value
        self.pose = from_parameter(list(pose.double_array_value))
        self.id = robot_id.integer_value
