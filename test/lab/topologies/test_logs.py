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

"""Devices where logs begin."""

from leader_election.lab.topologies import LOGS
import numpy as np


def test_the_packaged_robots_start_where_their_logs_say():
    """As the first rows of the five files have it."""
    placement = LOGS.place(LOGS.parameters(), np.random.default_rng(0))
    assert placement.position.tolist() == [
        [1.380, -3.772], [2.351, -0.138], [2.615, 2.420], [3.459, -1.243], [2.697, -3.268]]
    assert placement.pairs is None
