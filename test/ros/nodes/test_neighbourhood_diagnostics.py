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

"""The diagnostics of the neighbourhood, over real DDS."""


from diagnostic_msgs.msg import DiagnosticStatus
import pytest
from ros.nodes.bench import DiagnosticsReader, robot
from std_msgs.msg import String
from support import spin_until

pytestmark = pytest.mark.usefixtures('ros')


def test_rejected_messages_are_a_warning_until_there_are_no_more():
    node, bench = robot(1), DiagnosticsReader('neighbourhood')
    bench.others[7] = 9.0
    spin_until([bench, node], lambda: bench.says(DiagnosticStatus.OK, 'neighbours: 1'))
    timer = bench.create_timer(0.02, lambda: bench.voice.publish(String(data='{"v":2}')))
    spin_until([bench, node], lambda: bench.says(
        DiagnosticStatus.WARN, 'neighbours: 1; messages are refused: rejected_version'))
    timer.cancel()
    spin_until([bench, node], lambda: bench.says(DiagnosticStatus.OK, 'neighbours: 1'))


def test_silence_is_a_warning():
    node, bench = robot(1), DiagnosticsReader('neighbourhood')
    spin_until([bench, node], lambda: bench.says(
        DiagnosticStatus.WARN, 'neighbours: 0; no message of another robot for'))
    bench.others[7] = 9.0
    spin_until([bench, node], lambda: bench.says(DiagnosticStatus.OK, 'neighbours: 1'))


def test_publishers_that_offer_too_little_are_a_warning_until_they_are_gone():
    node = robot(1, **{'qos_overrides./neighbourhood.subscription.reliability': 'reliable'})
    bench = DiagnosticsReader('neighbourhood')
    spin_until([bench, node], lambda: bench.says(
        DiagnosticStatus.WARN, 'nothing is received from /bench, whose profiles (QoS)'))
    bench.destroy_publisher(bench.voice)
    spin_until([bench, node], lambda: not bench.says(DiagnosticStatus.WARN, 'QoS'))
