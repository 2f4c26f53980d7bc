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

"""
Measures of other packages: a plain function computes a number from all devices at each sample.

A scenario names them under ``measure.own``. Their numbers are variables of the results, like those
of this package.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from leader_election.parameters.registry import Registry
import numpy as np
from numpy.typing import NDArray


class Sample(NamedTuple):
    """All devices at the time of a sample. Arrays have an entry for each, shape (n,)."""

    time: float
    """[s]."""
    id: NDArray[np.int64]  # noqa: A003
    position: NDArray[np.float64]
    """Shape (n, 2) [m]."""
    running: NDArray[np.bool_]
    """Whether the device runs, and has run a round."""
    leads: NDArray[np.bool_]
    """Whether it also leads itself."""
    states: Any
    """The states, as columns with the names of the algorithm's fields, such as ``leader``."""


@dataclass(frozen=True)
class OwnMeasure:
    """A measure of another package."""

    name: str
    compute: Callable[[Sample], float]
    """It must not change the arrays."""
    description: str = ''
    unit: str = '1'
    """As UDUNITS writes it."""


OWN_MEASURES: Registry[OwnMeasure] = Registry('measure', 'leader_election.measures')
