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

import pytest

# Before the first import of rclpy, and inherited by the processes that tests start.
os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')

WORKERS = int(os.environ.get('PYTEST_XDIST_WORKER_COUNT', '1'))
WORKER = int(os.environ.get('PYTEST_XDIST_WORKER', 'gw0').removeprefix('gw'))
DOMAINS = 100 // WORKERS
"""The number of ROS domains (0 to 99) of each worker of pytest-xdist."""
_tests = count(os.getpid())

LONG = ('test/test_typed_messages', 'test/test_tutorials', 'test/ros/demo', 'test/test_',
        'test/ros/nodes', 'test/config')
"""The folders of tests that start processes and nodes or compute for long, longest first."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """
    Put long tests first, the same number on each worker, which gets a part of the list in a row.

    Otherwise all workers would wait at the end for the one that has them.
    """
    root = Path(__file__).parents[1]

    def rank(item: pytest.Item) -> int:
        path = item.path.relative_to(root).as_posix()
        return next((n for n, part in enumerate(LONG) if path.startswith(part)), len(LONG))

    items.sort(key=rank)
    items[:] = [item for worker in range(WORKERS) for item in items[worker::WORKERS]]


@pytest.fixture(autouse=True)
def ros_domain(request: pytest.FixtureRequest) -> None:
    """
    Set a separate ROS domain for each test and the processes that it starts.

    So remains of an earlier test, even if only in the caches of discovery, have no effect.
    """
    if 'ros' in request.path.parts:
        # A node whose start failed keeps its DDS participant until it is collected. Two of one
        # domain in one process may wait for each other for ever when one of them ends.
        gc.collect()
    os.environ['ROS_DOMAIN_ID'] = str(WORKER * DOMAINS + next(_tests) % DOMAINS)


@pytest.fixture
def ros(ros_domain: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """
    Start ROS for one test, and shut it down after.

    The next test would otherwise discover nodes left by a test, or held by a failed one.
    """
    import rclpy
    from rclpy.node import Node
    monkeypatch.setenv('XDG_STATE_HOME', str(tmp_path / 'state'))
    rclpy.init(args=[])
    yield
    for each in gc.get_objects():
        if issubclass(type(each), Node):
            each.destroy_node()
    rclpy.try_shutdown()
