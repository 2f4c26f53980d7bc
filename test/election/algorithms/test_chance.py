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

"""Chance that no seed repeats is found. Robots draw by id and round."""

from collections.abc import Callable
from functools import partial, wraps
import math
import os
import random
from types import SimpleNamespace
from typing import Any, NamedTuple

from leader_election.election.algorithms import Algorithm, ALGORITHMS, Device
from leader_election.election.algorithms.chance import drawn, reads_chance, unseeded
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.robot import Robot
from leader_election.parameters import build, LeaderElectionError
import numpy as np
import pytest

GENERATOR = np.random.default_rng(3)
FIRST_LINE = 1


def of_a_module() -> float:
    return random.random()


def of_numpy() -> float:
    return 1.0 + np.random.rand()


def without_a_seed() -> float:
    return np.random.default_rng().random()


def imported_within() -> float:
    import random as dice
    return dice.random()


def by_a_generator() -> float:
    return GENERATOR.random()


HOLDER = SimpleNamespace(random=random.random)
COMPILED: Any = SimpleNamespace(py_func=of_a_module)


def of_an_object() -> float:
    return HOLDER.random()


def compiled() -> float:
    return COMPILED() + harmless()


def called() -> float:
    return math.sqrt(of_a_module())


def enclosing() -> Callable[[], float]:
    draw, dice = of_a_module, random.Random(3)

    def by_name() -> float:
        return draw() + dice.random()
    return by_name


@wraps(of_numpy)
def wrapped() -> float:
    return 0.0


@pytest.mark.parametrize('function, found', [
    (of_a_module, 'random.random'), (of_numpy, 'np.random.rand'), (imported_within, 'random'),
    (without_a_seed, 'np.random.default_rng'),
    (by_a_generator, 'GENERATOR'), (called, 'random.random'), (of_an_object, 'HOLDER.random'),
    (compiled, 'random.random'), (enclosing(), 'dice'), (wrapped, 'np.random.rand'),
    (SimpleNamespace(py_func=of_numpy), 'np.random.rand')],
    ids=lambda each: each if isinstance(each, str) else getattr(each, '__name__', 'compiled'))
def test_unseeded_chance_is_found_with_its_line(function: Any, found: str) -> None:
    place, _, name = unseeded(function).rpartition(': ')
    assert name == found
    line = int(place.rpartition('line ')[2])
    with open(__file__, encoding='utf-8') as source:
        assert found.rpartition('.')[2] in source.read().splitlines()[line - 1]


def harmless() -> float:
    return float(np.sqrt(2.0)) + math.pi + FIRST_LINE + len(os.sep) + missing()  # noqa: F821


def endless() -> str:
    import math as maths
    return 'random' if maths.pi > 3.0 else endless() + math.no_such  # type: ignore


@pytest.mark.parametrize('function', [harmless, endless, math.sqrt])
def test_other_names_are_no_chance(function: Callable[..., Any]) -> None:
    assert unseeded(function) == ''


def test_rounds_of_the_package_take_no_chance() -> None:
    assert [unseeded(ALGORITHMS.get(name).round) for name in ALGORITHMS.names()] == [
        ''] * len(ALGORITHMS.names())


def drawing(device: Any) -> float:
    return device.chance


def drawing_by_name(device: Any) -> float:
    return drawing(device)


def test_round_reads_chance_where_it_names_the_field() -> None:
    assert [reads_chance(each) for each in (drawing, drawing_by_name, harmless)] == [
        True, True, False]


class Drawn(NamedTuple):
    """A state that keeps the number of its round."""

    distance: float
    leader: int
    number: float


def draw_round(
        device: Device, state: Drawn, neighbours: Any, metric: Any, parameters: Any) -> Drawn:
    return Drawn(0.0, device.id, device.chance)


def drawing_algorithm(round_: Any) -> Any:
    return Algorithm('draw', round_, Drawn, Drawn, lambda device: Drawn(  # type: ignore
        0.0, device.id, 0.0), lambda: ())


def test_algorithm_of_a_user_is_refused_when_its_round_takes_chance() -> None:
    with pytest.raises(LeaderElectionError, match=(
            r'test_chance.py, line \d+: random.random gives numbers that no seed repeats; '
            'a round takes device.chance')):
        drawing_algorithm(of_a_module)
    assert drawing_algorithm(partial(draw_round)), 'a round without code'


def test_robot_draws_by_its_id_and_the_number_of_the_round(
        monkeypatch: pytest.MonkeyPatch) -> None:
    made = drawing_algorithm(draw_round)
    monkeypatch.setattr(ALGORITHMS, '_entries', {**ALGORITHMS._entries, 'draw': made})
    robot, numbers = Robot(build(ElectionParameters, {'robot_id': 7, 'algorithm': 'draw'})), []
    for second in range(4):
        robot.round(float(second))
        numbers.append(robot.state.number)
    assert numbers == [drawn(0, 7, number) for number in range(4)]
