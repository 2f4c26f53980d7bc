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

"""Chance in rounds: the same on robots and in the engine."""

from collections import Counter
from functools import cache
from runpy import run_path

from engine.test_advance import reference_for, side_by_side
from environment import ROOT
from leader_election import Algorithm, ALGORITHMS, Device
from leader_election.election.algorithms.chance import drawn
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.robot import Robot
from leader_election.parameters import build
from leader_election_lab.engine.compilation import uncached
import numpy as np
import pytest
from simulations import begun, rounds, scene, states

EPOCH = 5 * 10
COMPILED = uncached(drawn)


@cache
def example() -> Algorithm:
    """Return the example, compiled once for all tests."""
    made: Algorithm = run_path(str(ROOT / 'doc' / 'examples' / 'leach.py'))['LEACH']
    return made


@pytest.fixture
def leach(monkeypatch: pytest.MonkeyPatch) -> Algorithm:
    """Return the example, which can be selected meanwhile."""
    monkeypatch.setattr(ALGORITHMS, '_entries', {**ALGORITHMS._entries, 'leach': example()})
    return example()


@pytest.mark.parametrize('seed, device, number', [
    (0, 0, 0), (7, 3, 12), (2**40, 2**52, 2**33), (1, 2**53 - 1, 2**31)])
def test_compiled_numbers_equal_those_of_robots(seed: int, device: int, number: int) -> None:
    assert COMPILED(seed, device, number) == drawn(seed, device, number)


def test_numbers_are_evenly_distributed_and_independent() -> None:
    numbers = np.array([[COMPILED(1, i, n) for n in range(200)] for i in range(200)])
    parts = np.histogram(numbers, 10, (0.0, 1.0))[0]
    assert np.abs(parts - 4000).max() < 5 * 60
    for one, other in ((numbers[1:], numbers[:-1]), (numbers[:, 1:], numbers[:, :-1])):
        assert abs(np.corrcoef(one.ravel(), other.ravel())[0, 1]) < 5 / 200


def test_example_gives_the_same_on_robots_in_the_engine_and_twice(leach: Algorithm) -> None:
    """Robots run their rounds in the engine's order. Seed 0 is that of robots."""
    scenario = scene(duration=EPOCH + 10, algorithms=[{'name': 'leach'}], messages={'range': 25})
    stage, again = begun(scenario, 0), begun(scenario, 0)
    devices = stage.network.devices
    robots = []
    for i, place in zip(devices.id.tolist(), devices.position.tolist()):
        robots.append(Robot(build(ElectionParameters, {
            'robot_id': i, 'algorithm': 'leach', 'communication_range': 25.0})))
        robots[-1].sensing.take_odometry((*place, 0.0), 0.0)
    for i, now in rounds(stage, EPOCH + 10):
        robots[i].sensing.take_odometry((*devices.position[i].tolist(), 0.0), now)
        payload = robots[i].round(now)
        for other in robots:
            if other is not robots[i]:
                other.receive(payload, now)
        assert robots[i].state.leader == states(stage)[i].leader, f'device {i} at {now} s'
    again.run(EPOCH + 10)
    assert states(again) == states(stage)
    assert len({state.leader for state in states(stage)}) > 1


def test_each_device_leads_once_an_epoch(leach: Algorithm) -> None:
    scenario = scene(duration=EPOCH, algorithms=[{'name': 'leach'}], messages={'range': 25})
    stage = begun(scenario, 3)
    turns: Counter[int] = Counter()
    for i, _, _ in side_by_side(stage, reference_for(stage, 3), EPOCH):
        state = states(stage)[i]
        turns[i] += state.distance == 0.0
    assert set(turns.values()) <= set(range(9, 12))


def test_device_has_no_chance_where_no_round_reads_it() -> None:
    robot = Robot(build(ElectionParameters, {'robot_id': 3}))
    robot.round(0.0)
    assert robot.main._device() == Device(3, 0.0)
