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

"""Where the robots of the embedded world truly are."""

from collections.abc import Iterable

from leader_election.robot.codec import Position
from nav_msgs.msg import Odometry
from rclpy.node import Node


class Truth(Node):
    """
    Hears ``robot_<id>/ground_truth``.

    :ivar places: the last x, y of each robot that was heard of [m], by id.
    """

    def __init__(self, ids: Iterable[int]) -> None:
        super().__init__('truth')
        self.places: dict[int, Position] = {}
        for robot in ids:
            def hear(message: Odometry, robot: int = robot) -> None:
                point = message.pose.pose.position
                self.places[robot] = (point.x, point.y)
            self.create_subscription(Odometry, f'robot_{robot}/ground_truth', hear, 10)
