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

"""The result of a run, apart from the simulation: what only reads results takes no compiler."""

from collections.abc import Sequence
from dataclasses import dataclass

from leader_election_lab.simulation.snapshots import Snapshot
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Run:
    """The result of a run."""

    samples: NDArray[np.float64]
    """Shape (times, len(COLUMNS))."""
    counts: NDArray[np.int64]
    """Shape (len(COUNTERS),)."""
    message_bytes: float
    """The mean length of the messages that devices would send at the end, as robots do [bytes]."""
    snapshots: Sequence[Snapshot] = ()
    shared: int = 0
    """Number of its rounds that were computed for an earlier run with the same start."""
