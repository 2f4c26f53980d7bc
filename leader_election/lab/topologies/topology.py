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

"""The one face that all topologies have: where devices are at the start, and who is linked."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from leader_election.registry import Registry
import numpy as np
from numpy.typing import NDArray


class Placement(NamedTuple):
    """Where some devices are at the start."""

    position: NDArray[np.float64]
    """Shape (n, 2) [m]."""
    pairs: NDArray[np.int32] | None = None
    """The links, there for good, shape (m, 2); ``None``: those in range of each other."""
    fraction: NDArray[np.float64] | None = None
    """How far each is across the area it was placed in at random, 0 to 1, shape (n, 2)."""


@dataclass(frozen=True)
class Topology:
    """A kind of placement: what it is told, and how it is made."""

    name: str
    """What ``kind`` says in a scenario to choose it."""
    parameters: type[Any]
    """A dataclass of ``leader_election.parameters.parameter`` fields."""
    place: Callable[[Any, np.random.Generator], Placement]
    """``place(parameters, random) -> placement``."""


TOPOLOGIES: Registry[Topology] = Registry('topology', 'leader_election.topologies')
