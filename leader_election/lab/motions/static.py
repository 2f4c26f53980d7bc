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

"""Nobody moves."""

from dataclasses import dataclass
from typing import NamedTuple

from leader_election.lab.motions.motion import Motion, MOTIONS
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class StaticParameters:
    """Nothing to say."""


class Static(NamedTuple):
    """Nothing to know."""

    none: NDArray[np.float64]
    """Shape (0,)."""


def stay(motion: Static, i: int, position: NDArray[np.float64], now: float,
         random: np.random.Generator) -> None:
    """Leave device i where it is."""
    return None


def begin(parameters: StaticParameters, position: NDArray[np.float64], tick: float,
          random: np.random.Generator) -> Static:
    """Return the state of devices that stay where they are."""
    return Static(np.empty(0))


STATIC = MOTIONS.add(Motion(
    name='static',
    parameters=StaticParameters,
    state=Static,
    step=stay,
    begin=begin,
    speed=lambda parameters: 0.0,
))
