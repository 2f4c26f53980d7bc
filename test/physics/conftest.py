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

"""Gazebo, for the tests that need it; they are skipped where it was not fetched."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from physics.fetch import is_there, root
import pytest


@pytest.fixture
def gazebo(ros: None) -> Iterator[Path]:
    """Return the folder that Gazebo Classic 11 is in; ROS is up."""
    if not is_there():
        pytest.skip('Gazebo Classic 11 is not in the cache; make test-gazebo fetches it')
    if find_spec('grpc_tools') is None:
        pytest.skip('grpcio-tools is not installed; make test-gazebo installs it')
    yield root()
