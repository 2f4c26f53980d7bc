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

"""The sensing and the mailbox of a robot, without the robot."""

from collections import Counter
from typing import Any

from leader_election.election.algorithms import BOUNDED
from leader_election.election.messages.codec import Message
from leader_election.election.robot.mailbox import Mailbox, ReceivedMessage
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.sensing import Sensing
from leader_election.parameters import build


class Sensed:
    """The sensing of robot 1 with a counter, and the last messages of robots in a mailbox."""

    def __init__(self, **settings: Any) -> None:
        self.counts: Counter[str] = Counter()
        self.mailbox = Mailbox(3.0, 10)
        self.parameters = build(ElectionParameters, {
            'robot_id': 1, 'input_expiry': 2.0, 'odometry_expiry': 1.0, **settings})
        self.sensing = Sensing(self.parameters, self.mailbox, self.counts)

    def hear(self, robot: int, x: float, reading: tuple[float, ...] = ()) -> ReceivedMessage:
        """Receive a message of a robot."""
        entry = ReceivedMessage(Message(
            robot, 'map', (x, 0.0), BOUNDED.state(0.0, 0.0, robot, 0), reading=reading), 0.0)
        self.mailbox.put(entry)
        return entry
