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

"""Keep the tests of one run apart from whatever else speaks DDS or computes on this machine."""

from collections.abc import Iterator
import gc
import os

from hypothesis import settings
import pytest

# How long an example takes depends on who else is at work on the machine.
settings.register_profile('untimed', deadline=None)
settings.load_profile('untimed')

# Before the first import of rclpy, and inherited by the processes that tests start.
os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
os.environ.setdefault('ROS_DOMAIN_ID', str(os.getpid() % 102))
if 'PYTEST_XDIST_WORKER' in os.environ:
    # Who tests beside others (pytest-xdist) has the domain of all and a number: gw0, gw1...
    _number = int(os.environ['PYTEST_XDIST_WORKER'].removeprefix('gw'))
    os.environ['ROS_DOMAIN_ID'] = str((int(os.environ['ROS_DOMAIN_ID']) + _number) % 102)


@pytest.fixture
def ros() -> Iterator[None]:
    """
    Start ROS for one test, and shut it down after.

    Nodes that a test leaves, or one that failed holds, would be heard by the next.
    """
    import rclpy
    from rclpy.node import Node
    rclpy.init(args=[])
    yield
    for each in gc.get_objects():
        if issubclass(type(each), Node):
            each.destroy_node()
    rclpy.try_shutdown()
