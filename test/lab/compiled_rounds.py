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

"""Rounds as the laboratory compiles them, called one at a time."""

from typing import Any

from leader_election.election.algorithms import Algorithm, Device
from leader_election.lab.engine import COUNTERS, FRAME, round_entry, state_layout
from leader_election.lab.engine.lanes import LANES
from leader_election.lab.engine.memory import address_of, call_round
from numba import njit
import numpy as np


@njit
def call(function, row, device, strength, given, frame, sources, metric, heard, vectors, counts,
         others):  # type: ignore[no-untyped-def]
    """Call a round as the engine does, on neighbours in rows of their own."""
    for j in range(len(others)):
        sources[j] = address_of(others) + 8 * j * others.shape[1]
    frame[0], frame[1], frame[2] = given, address_of(sources), address_of(metric)
    frame[3], frame[4], frame[5] = address_of(heard), len(heard), address_of(vectors)
    frame[6] = address_of(counts)
    call_round(function, address_of(frame), address_of(row), device, len(others), strength)


def called(algorithm: Algorithm, parameters: Any, device: Device, state: Any, others: list[Any],
           metric: list[float]) -> Any:
    """Return the new state that the compiled round of an algorithm makes."""
    layout, entry = state_layout(algorithm), round_entry(algorithm, parameters)
    own, rows = layout.rows(1), layout.rows(len(others))
    for where, exports in ((own, [state]), (rows, others)):
        for j, export in enumerate(exports):
            for column, value in zip(layout.columns(where), export):
                column[j] = value
    call(entry.addresses[0], own, device.id, device.strength, entry.addresses[1],
         np.zeros(len(FRAME), np.int64), np.zeros(len(others) + LANES, np.int64),
         np.array(metric), layout.rows(len(others) + LANES), layout.vectors,
         np.zeros(len(COUNTERS), np.int64), rows)
    return layout.state(own, 0)
