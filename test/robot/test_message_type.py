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

"""Types of messages by name."""

from leader_election.robot.message_type import message_type
import pytest
from std_msgs.msg import Float64


def test_a_type_is_found_by_its_name() -> None:
    assert message_type('std_msgs/msg/Float64') is Float64


@pytest.mark.parametrize(('name', 'error'), [
    ('Float64', ValueError), ('std_msgs/Float64', ValueError),
    ('std_msgs/srv/Float64', ValueError),
    ('no_msgs/msg/Float64', ImportError), ('std_msgs/msg/Float65', AttributeError)])
def test_a_name_of_nothing(name: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        message_type(name)
