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

"""The gate of the demonstration: a process of its own, which checks terms."""

from diagnostic_msgs.msg import DiagnosticArray
from leader_election.ros.demo.gate import ANSWER, COMMAND, DEPTH
from leader_election.ros.demo.gate_demo import GATE
from leader_election.ros.demo.processes import Processes
import pytest
from rclpy.node import Node
from std_msgs.msg import Int64MultiArray
from support import spin_until


@pytest.mark.parametrize(('fence', 'obeyed'), [
    (True, [True, True, False, False, True]), (False, [True] * 5)])
def test_gate_with_a_fence_obeys_no_older_term(ros, tmp_path, fence, obeyed):
    node, answers = Node('leader'), []
    publisher = node.create_publisher(Int64MultiArray, COMMAND, DEPTH)
    node.create_subscription(DiagnosticArray, ANSWER, answers.append, DEPTH)
    now = node.get_clock().now().nanoseconds
    with Processes(tmp_path) as processes:
        processes.start('gate', GATE, {'fence': fence})
        spin_until([node], lambda: (publisher.get_subscription_count() > 0
                                    and node.count_publishers(ANSWER) > 0))
        for robot, term in ((9, 17), (8, 23), (9, 17), (7, 0), (8, 23)):
            publisher.publish(Int64MultiArray(data=[robot, term, now]))
        spin_until([node], lambda: len(answers) == 5)
        assert processes.stop() == {'gate': 0}
    told = [{pair.key: pair.value for pair in each.status[0].values} for each in answers]
    assert [values['obeyed'] == 'true' for values in told] == obeyed
    assert int(told[-1]['commands_obeyed']) == sum(obeyed)
    assert int(told[-1]['commands_refused']) == 5 - sum(obeyed)
    assert all(float(values['age']) > 0.0 for values in told)
