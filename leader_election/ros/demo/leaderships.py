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

"""What all robots say on topic ``leadership``: who leads, who may act, over which robots."""

from collections.abc import Iterable

from diagnostic_msgs.msg import DiagnosticArray
from leader_election.election.robot.codec import MAIN
from leader_election.election.robot.diagnostics import (
    ACTING_UNTIL,
    ID,
    INSTANCE,
    IS_LEADER,
    Status,
)
from leader_election.election.robot.leadership import LEADERSHIP
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.ros.demo.checks import Check
from leader_election.ros.nodes import clock
from leader_election.ros.nodes.qos import EVENTS
from leader_election.swarm.gate_log import LeaderLog
from leader_election.swarm.recording.mandate_times import MandateTimes
from rclpy.node import Node
from rclpy.time import Time


class Leaderships(Node):
    """
    Subscribes to ``robot_<id>/leadership``.

    :ivar log: who believed to lead, and who might act, by the stamps of messages.
    """

    def __init__(self, ids: Iterable[int]) -> None:
        """
        Subscribe.

        :param ids: of the robots.
        """
        super().__init__('leaderships')
        self.log = LeaderLog(ElectionParameters.message_expiry)
        self._times = MandateTimes(ElectionParameters.message_expiry, MAIN)
        for robot in ids:
            self.create_subscription(
                DiagnosticArray, f'robot_{robot}/{LEADERSHIP}', self._take, EVENTS)

    def _take(self, message: DiagnosticArray) -> None:
        statuses = [Status(status.name, status.hardware_id,
                           {pair.key: pair.value for pair in status.values})
                    for status in message.status]
        self._times.add(statuses, clock.seconds(self.get_clock()))
        stamp = Time.from_msg(message.header.stamp).nanoseconds * 1e-9
        for values in (status.values for status in statuses):
            if values.get(INSTANCE) == MAIN:
                until = values.get(ACTING_UNTIL, '')
                self.log.add(int(values[ID]), stamp, values[IS_LEADER] == 'true',
                             float(until) if until else None)

    def checks(self) -> list[Check]:
        """Return the check that no robot was under two mandates, with the share under one."""
        shares = self._times.shares()
        if shares is None:
            return [Check(False, 'no robot has published anything about mandates')]
        return [Check(
            shares.under_two == 0.0, 'robots were under a mandate in '
            f'{shares.under_one:.1%} of their time, under those of two leaders '
            + ('never' if shares.under_two == 0.0 else f'for {shares.under_two:.2f} s'))]
