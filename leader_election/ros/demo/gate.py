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
A gate that opens at the command of a leader: a process of its own, no robot of the swarm.

It opens at each command that it obeys, and closes ``HOLD`` after the last one. With ``fence`` it
obeys no command under an older term than one that it has obeyed before.
"""

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from leader_election.election.mandates.fence import Fence
from leader_election.ros.nodes.process import run
from leader_election.swarm.gate_log import Answer
from rclpy.node import Node
from rclpy.time import Time
from std_msgs.msg import Int64MultiArray

COMMAND, ANSWER = '/gate/command', '/gate/answer'
"""The topics: robot, term and time [ns] of a command; the answer to each."""
DEPTH = 100
"""Of their queues: a process that was stopped sends what has waited."""


def answer_of(message: DiagnosticArray) -> Answer:
    """Return what a message on ``ANSWER`` says."""
    values = {pair.key: pair.value for pair in message.status[0].values}
    received = Time.from_msg(message.header.stamp).nanoseconds * 1e-9
    return Answer(int(values['robot']), int(values['term']), received - float(values['age']),
                  received, values['obeyed'] == 'true')


class Gate(Node):
    """Obeys or refuses commands, counts them, and publishes each answer."""

    def __init__(self) -> None:
        super().__init__('gate')
        self._fence = Fence() if self.declare_parameter('fence', True).value else None
        self._counts = {True: 0, False: 0}
        self._answers = self.create_publisher(DiagnosticArray, ANSWER, DEPTH)
        self.create_subscription(Int64MultiArray, COMMAND, self._take, DEPTH)

    def _take(self, command: Int64MultiArray) -> None:
        robot, term, given = command.data
        obeyed = self._fence is None or self._fence.admits(term)
        self._counts[obeyed] += 1
        text = (f'open, by robot {robot}' if obeyed or self._fence is None else
                f'robot {robot} refused: its term {term} is older than {self._fence.highest}')
        if not obeyed:
            self.get_logger().warning(text)
        now = self.get_clock().now()
        values = {
            'robot': robot, 'term': term, 'obeyed': str(obeyed).lower(),
            'age': f'{(now.nanoseconds - given) * 1e-9:.6f}',
            'commands_obeyed': self._counts[True], 'commands_refused': self._counts[False]}
        message = DiagnosticArray(status=[DiagnosticStatus(
            name='gate', message=text,
            values=[KeyValue(key=key, value=str(value)) for key, value in values.items()])])
        message.header.stamp = now.to_msg()
        self._answers.publish(message)


if __name__ == '__main__':
    raise SystemExit(run(lambda: [Gate()]))
