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

"""Devices that stay."""

from lab.motions.walking import compiled_walk, walk
from leader_election.lab.motions import STATIC
import numpy as np

START = [[1.0, 2.0], [3.0, 4.0]]


def test_nobody_moves():
    assert np.all(walk(STATIC, {}, START, 5) == START)
    assert np.all(compiled_walk(STATIC, {}, START, 5) == START)
    assert STATIC.speed(STATIC.parameters()) == 0.0
