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

"""The processes that tests of the laboratory start import the sources of this checkout."""

from collections.abc import Iterator
import os

from environment import variables
from leader_election.election.algorithms import ALGORITHMS
import pytest

os.environ['PYTHONPATH'] = variables()['PYTHONPATH']


@pytest.fixture
def registered() -> Iterator[None]:
    """Remove the algorithms that a test registers."""
    before = dict(ALGORITHMS._entries)
    yield
    ALGORITHMS._entries = before
