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

"""All kinds of motion, and devices that do not move."""

from lab.motions.walks import compiled_walk, walk
from leader_election.lab.motions import MOTIONS, STATIC
from leader_election.parameters import table
import numpy as np


def test_each_kind_of_motion_has_its_own_type_of_state():
    states = [MOTIONS.get(name).state for name in MOTIONS.names()]
    assert len(set(states)) == len(states)


def test_every_parameter_is_described():
    for name in MOTIONS.names():
        for parameter in table(MOTIONS.get(name).parameters):
            assert parameter.description.endswith('.') and parameter.allowed()


START = [[1.0, 2.0], [3.0, 4.0]]


def test_static_devices_stay():
    assert np.all(walk(STATIC, {}, START, 5) == START)
    assert np.all(compiled_walk(STATIC, {}, START, 5) == START)
    assert STATIC.speed(STATIC.parameters()) == 0.0
