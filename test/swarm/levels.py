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

"""A plug-in algorithm for tests, whose state has fields of its own: a number and a vector."""

from collections.abc import Sequence
from typing import NamedTuple

from leader_election.election.algorithms import Algorithm, ALGORITHMS
import pytest


class Level(NamedTuple):
    leader: int
    distance: float
    level: int
    trace: tuple[int, ...]


class LevelColumns(NamedTuple):
    leader: Sequence[int]
    distance: Sequence[float]
    level: Sequence[int]
    trace: Sequence[Sequence[int]]


LEVELS = Algorithm(
    name='levels', round=lambda device, state, neighbours, metric, parameters: state,
    state=Level, columns=LevelColumns,
    start=lambda device: Level(device.id, 0.0, 0, (-1, -1, -1)), configure=lambda: None)


def register_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register the algorithm for one test."""
    # The names are loaded first, so that entry points are not added to a changed registry.
    ALGORITHMS.names()
    monkeypatch.setitem(ALGORITHMS._entries, LEVELS.name, LEVELS)


def level_message(robot: int, leader: int, level: int, *trace: int) -> str:
    """Return the payload of a robot 2 m east of the one with the next lower id."""
    return (f'{{"v":1,"id":{robot},"frame":"map","a":"levels","p":[{2.0 * robot},1.0],'
            f'"c":[{leader},{2.0 * abs(robot - leader)},{level},{list(trace)}]}}')
