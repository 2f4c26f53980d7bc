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

"""The diagnostics of the localisation, over real DDS."""

from diagnostic_msgs.msg import DiagnosticStatus
from leader_election.parameters import ParameterError
from leader_election.ros.nodes.qos import SENSOR
import pytest
from ros.nodes.bench import DiagnosticsReader, robot
from sensor_msgs.msg import Imu
from std_msgs.msg import Bool, Float64MultiArray, String
from support import spin_until

pytestmark = pytest.mark.usefixtures('ros')


def test_deviation_beyond_the_limit_is_an_error() -> None:
    node, bench = robot(1, max_deviation=0.04), DiagnosticsReader('localisation')
    spin_until([bench, node], lambda: bench.says(
        DiagnosticStatus.WARN, 'distances are too uncertain: their deviation is 0.05'))
    assert bench.values['deviation'] == '0.050' and bench.values['max_deviation'] == '0.04'
    assert bench.values['pose_source'] == 'odometry'
    assert 'range_bias' not in bench.values


def test_cooperating_robot_reports_neighbours_and_sightings() -> None:
    node = robot(1, pose_source='cooperative', sighting_interval=0.1)
    bench = DiagnosticsReader('localisation')
    bench.others[7] = 9.0
    ranges = bench.create_publisher(Float64MultiArray, '/r1/measurements', SENSOR)
    bench.create_timer(0.05, lambda: ranges.publish(Float64MultiArray(data=[7.0, 1.0])))
    spin_until([bench, node], lambda: bench.says(
        DiagnosticStatus.OK, 'neighbours localised: 1, deviation of distances 0.')
        and int(bench.values['sightings_accepted']) > 3)
    assert bench.values['sightings_rejected'] == '0' and bench.values['landmarks'] == '0'
    assert float(bench.values['innovations_mean_square']) < 1.0
    assert abs(float(bench.values['range_bias'])) < 0.1


def test_sightings_of_unknown_robots_are_a_warning() -> None:
    node = robot(1, pose_source='cooperative', sighting_interval=0.1)
    bench = DiagnosticsReader('localisation')
    ranges = bench.create_publisher(Float64MultiArray, '/r1/measurements', SENSOR)
    bench.create_timer(0.05, lambda: ranges.publish(Float64MultiArray(data=[70.0, 1.0])))
    spin_until([bench, node], lambda: bench.says(
        DiagnosticStatus.WARN, 'sightings are of robots that are not heard'))


@pytest.mark.parametrize(('source', 'kind', 'reason'), [
    ('bumper', Bool, 'it touches something while they drive it forward'),
    ('imu', Imu, 'its gyroscope contradicts their turning')])
def test_slipping_wheels_are_a_warning(source: str, kind: type, reason: str) -> None:
    node, bench = robot(1, slip_sources=source), DiagnosticsReader('localisation')
    message = kind()
    if source == 'bumper':
        message.data = True
    else:
        message.angular_velocity.z = -2.0
    sensor = bench.create_publisher(kind, f'/r1/{source}', SENSOR)

    def push() -> None:
        sensor.publish(message)
        bench.places[1] = (bench.places[1][0] + 0.02, 0.0)
    bench.create_timer(0.05, push)
    spin_until([bench, node], lambda: bench.says(
        DiagnosticStatus.WARN, f'wheels turn, but the robot does not move as they say: {reason}')
        and float(bench.values['deviation']) > 0.2)
    assert bench.values['slips'] == '1'


def test_unknown_slip_source_is_refused() -> None:
    with pytest.raises(ParameterError, match="slip_sources: 'bump' is not allowed; it takes a "
                                             'list of bumper, imu'):
        robot(1, slip_sources='bump')


# The diagnostics of the neighbourhood, over real DDS.


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
