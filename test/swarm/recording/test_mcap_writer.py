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

"""The text that defines a type reads what ROS itself writes."""

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import PolygonStamped
from leader_election.ros.nodes.recorder import message_file
from leader_election.swarm.recording.mcap_writer import message_definition
from mcap.records import Schema
from mcap_ros2.decoder import DecoderFactory
from nav_msgs.msg import Odometry
import pytest
from rclpy.serialization import serialize_message
from std_msgs.msg import Float64MultiArray, Int64MultiArray, String
from swarm.recording.made import arena, kind_of


@pytest.mark.parametrize('message', [
    String(data='ünï'), Int64MultiArray(data=[3, 5]), Float64MultiArray(data=[0.5]),
    Odometry(child_frame_id='base'), PolygonStamped(), arena((0.0, 1.0), (2.0, 3.0)),
    DiagnosticArray(status=[DiagnosticStatus(
        level=b'\1', name='n', values=[KeyValue(key='k', value='v')])]),
], ids=kind_of)
def test_recorded_type_is_read_by_its_definition(message):
    kind = kind_of(message)
    text = message_definition(kind, message_file)
    decode = DecoderFactory().decoder_for('cdr', Schema(1, text.encode(), 'ros2msg', kind))
    same(decode(serialize_message(message)), message)


def same(read, message):
    """Compare what was read with a message, field by field, all the way down."""
    if hasattr(message, 'get_fields_and_field_types'):
        for field in message.get_fields_and_field_types():
            same(getattr(read, field), getattr(message, field))
    elif hasattr(message, 'tolist'):
        assert list(read) == message.tolist()
    elif isinstance(message, (list, tuple)) or type(message).__name__ == 'array':
        assert len(read) == len(message)
        for one, other in zip(read, message):
            same(one, other)
    elif isinstance(message, bytes):
        assert bytes([read]) == message
    else:
        assert read == message


def test_each_type_is_defined_once_and_fields_of_all_kinds_are_found():
    files = {
        ('a', 'Top'): 'b/Part[] parts  # many\nb/Part<=3 odd\nOwn[<=4] own\nint32 X=7\n'
                      'string<=10 name "b/None x"\n# b/None no\n',
        ('b', 'Part'): 'a/Own own\nfloat64 y', ('a', 'Own'): 'b/msg/Leaf[3] leaves',
        ('b', 'Leaf'): 'bool is'}
    text = message_definition('a/msg/Top', lambda package, name: files[package, name])
    assert [line for line in text.splitlines() if line.startswith('MSG')] == [
        'MSG: b/Part', 'MSG: a/Own', 'MSG: b/Leaf']
