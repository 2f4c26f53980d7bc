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

"""Isolate the tests of one run from all other DDS traffic of this machine; long tests first."""

from collections.abc import Iterator
import gc
from itertools import count
import os
from pathlib import Path

from hypothesis import settings
import pytest

# The time of an example depends on what else the machine does.
settings.register_profile('untimed', deadline=None)
settings.load_profile('untimed')

# Before the first import of rclpy, and inherited by the processes that tests start.
os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')

WORKERS = int(os.environ.get('PYTEST_XDIST_WORKER_COUNT', '1'))
WORKER = int(os.environ.get('PYTEST_XDIST_WORKER', 'gw0').removeprefix('gw'))
DOMAINS = 102 // WORKERS
"""How many ROS domains (0 to 101) each worker of pytest-xdist has for itself."""
_tests = count(os.getpid())

LONG = ('test/chaos', 'test/demo', 'test/lab', 'test/nodes', 'test/config', 'test/test_')
"""The parts of the tests that start processes and nodes or compute for long, longest first."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put long tests first: a worker that begins one last would keep all others waiting."""
    root = Path(__file__).parents[1]

    def rank(item: pytest.Item) -> int:
        path = item.path.relative_to(root).as_posix()
        return next((n for n, part in enumerate(LONG) if path.startswith(part)), len(LONG))

    items.sort(key=rank)


@pytest.fixture(autouse=True)
def ros_domain() -> None:
    """
    Give each test a ROS domain of its own, and the processes that it starts too.

    What an earlier test has left, even if only in the caches of discovery, is not seen then.
    """
    os.environ['ROS_DOMAIN_ID'] = str(WORKER * DOMAINS + next(_tests) % DOMAINS)


@pytest.fixture
def real_logs() -> str:
    """Return the folder with the logs of five real robots; the test is skipped without it."""
    from benchmarks import real_logs
    from leader_election.world.csv_table import LogError
    try:
        return real_logs.real_logs()
    except LogError as error:
        pytest.skip(str(error))


@pytest.fixture
def ros(ros_domain: None) -> Iterator[None]:
    """
    Start ROS for one test, and shut it down after.

    Nodes that a test leaves, or that one that failed holds, would be discovered by the next test.
    """
    import rclpy
    from rclpy.node import Node
    rclpy.init(args=[])
    yield
    for each in gc.get_objects():
        if issubclass(type(each), Node):
            each.destroy_node()
    rclpy.try_shutdown()
