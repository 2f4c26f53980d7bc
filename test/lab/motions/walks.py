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

"""Walks of some devices: as plain Python, and as the laboratory compiles them."""

from leader_election.lab.engine.entry_points import step_entry
from leader_election.lab.engine.memory import call_step
from leader_election.parameters import build
from numba import njit
import numpy as np


class Dice:
    """Replaces a generator where a case is computed by hand: returns the given numbers."""

    def __init__(self, *numbers):
        self.numbers = list(numbers)

    def uniform(self, low, high):
        return self.numbers.pop(0)

    def random(self):
        return self.numbers.pop(0)

    def integers(self, low, high):
        return self.numbers.pop(0)


def begin(motion, values, position, seed=0, tick=1.0):
    """Return the state, the positions and the generator that a walk begins with."""
    random = np.random.default_rng(seed)
    position = np.array(position, float)
    return motion.begin(build(motion.parameters, values), position, tick, random), position, random


def walk(motion, values, position, ticks, seed=0, tick=1.0):
    """Return the places of all devices at the start and after each tick: (ticks + 1, n, 2)."""
    state, position, random = begin(motion, values, position, seed, tick)
    places = [position.copy()]
    for t in range(1, ticks + 1):
        for i in range(len(position)):
            motion.step(state, i, position, t * tick, random)
        places.append(position.copy())
    return np.array(places)


def compiled_walk(motion, values, position, ticks, seed=0, tick=1.0):
    """Return the same, walked by compiled code."""
    state, position, random = begin(motion, values, position, seed, tick)
    places = np.empty((ticks + 1, *position.shape))
    entry = step_entry(motion.name, motion.step, state, position, random)
    _walk(*entry.addresses, position, tick, places)
    return places


@njit
def _walk(step, given, position, tick, places):
    places[0] = position
    for t in range(1, len(places)):
        for i in range(len(position)):
            call_step(step, given, np.uint32(i), t * tick, np.uint32(i))
        places[t] = position


def step_lengths(places):
    """Return the length of each device's step in each tick."""
    return np.hypot(*np.moveaxis(np.diff(places, axis=0), -1, 0))
