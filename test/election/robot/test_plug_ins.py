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

"""Strengths, and algorithms, metrics and strength sources that users add."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
import json
import math
from types import SimpleNamespace
from typing import Any, NamedTuple

from election.robot.swarm import line, Swarm
from leader_election import Algorithm, ALGORITHMS, Metric, METRICS, parameter, StrengthSource
from leader_election.election.algorithms import BOUNDED
from leader_election.election.messages.codec import codec_for, Message
from leader_election.election.regions.task import Task
from leader_election.election.robot.diagnostics import own_fields
from leader_election.election.robot.parameters import (
    ElectionParameters,
    further_names,
    own_sections,
)
from leader_election.election.robot.robot import Robot
from leader_election.election.robot.sensing import METRIC_ERRORS
from leader_election.election.robot.strength import (
    LEAST_TRUST,
    RobotKnowledge,
    Strength,
    STRENGTH_SOURCES,
)
from leader_election.parameters import build
import pytest


@dataclass(frozen=True)
class Settings:
    margin: float = parameter(1.0, 'Less than the radius by this.', lower=0.0, upper=9.0)


class Near(NamedTuple):
    leader: int
    distance: float
    steps: int


class Nears(NamedTuple):
    leader: list[int]
    distance: list[float]
    steps: list[int]


class Reach(NamedTuple):
    reach: float


def near_round(device: Any, state: Any, neighbours: Any, metric: Any, parameters: Any) -> Near:
    """Follow the highest id within the radius less the margin."""
    best = Near(device.id, 0.0, 0)
    for j in range(len(metric)):
        far = neighbours.distance[j] + metric[j]
        if ((neighbours.leader[j], -far) > (best.leader, -best.distance)
                and neighbours.leader[j] != device.id and far <= parameters.reach):
            best = Near(neighbours.leader[j], far, neighbours.steps[j] + 1)
    return best


NEAR = Algorithm(
    name='near-by', round=near_round, state=Near, columns=Nears,
    start=lambda device: Near(device.id, 0.0, 0),
    configure=lambda radius, margin: Reach(radius - margin), parameters=Settings)


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Any, Any], None]]:
    def register(registry: Any, entry: Any) -> None:
        monkeypatch.setitem(registry._entries, entry.name, entry)

    register(ALGORITHMS, NEAR)
    yield register


def test_plug_in_algorithm_elects_by_its_own_parameters() -> None:
    swarm = Swarm(line(5), algorithm='near-by', radius=3.0)
    swarm.sweep(8)
    # A radius of 3 m less a margin of 1 m: two steps of 1 m.
    assert [robot.state.leader for robot in swarm.robots.values()] == [2, 2, 5, 5, 5]
    assert own_fields(NEAR, swarm.robots[3].state) == {'steps': 2}
    wide = replace(swarm.robots[1].parameters, own={'near-by': Settings(0.0)})
    for i, robot in swarm.robots.items():
        robot.configure(replace(wide, robot_id=i))
    swarm.sweep(8)
    assert [robot.state.leader for robot in swarm.robots.values()] == [1, 5, 5, 5, 5]


class Fetch(Task):
    parameters = Settings


def test_names_of_parameters_include_those_of_instances_tasks_and_plug_ins() -> None:
    task = f'{__name__}:Fetch'
    names = {*further_names({'instances': 'rescue', 'tasks': 'unknown', 'rescue.tasks': task})}
    own = {*further_names({})}
    assert {'radius', 'near_by.margin', 'given.leaders', 'patrol.lane'} <= own
    assert names - own == {f'rescue.{name}' for name in {*own, 'fetch.margin'}}
    assert own_sections()['near_by.'] == Settings


def test_metric_receives_what_is_known_of_each_message(registered: Any) -> None:
    """It is called once a message, and fails for robot 4. Its reading becomes too long."""
    known: list[Any] = []

    def measure(ranging: Any) -> float:
        known.append(ranging)
        return 7.0 / (ranging.neighbour[0] - 4.0)

    def reading(known: Any) -> tuple[float, ...]:
        return (known.parameters.margin,) * (64 if known.now < 3.0 else 65)

    registered(METRICS, Metric('own', measure, once_a_message=True, needs_measurements=True,
                               reading=reading, parameters=Settings))
    robot = Robot(build(ElectionParameters, {
        'robot_id': 1, 'metric': 'own', 'input_expiry': 1.75, 'message_expiry': 9.0,
        'communication_range': math.inf}))
    assert robot.sensing.reading == () and not robot.sensing.has_no_heading
    state = BOUNDED.state(-9.0, 1.5, 9, 1)

    def receive(sender: int, x: float, now: float) -> None:
        robot.receive(codec_for(BOUNDED).encode(Message(sender, 'map', (x, 0.0), state)), now)

    receive(2, 5.0, 0.0)
    robot.sensing.take_measurements([2.0, 3.0], 0.0)
    robot.round(0.0)
    robot.sensing.take_measurements([2.0, 3.0], 0.25)
    robot.round(1.0)
    receive(2, 6.0, 2.0)
    receive(4, 4.0, 2.0)
    robot.round(2.0)
    first, second, failing = known
    assert (first.previous, first.measurement, first.own_reading) == (None, 3.0, (1.0,) * 64)
    assert (second.previous, second.measurement) == (7.0, 3.0)
    assert (failing.previous, failing.measurement) == (None, None)
    assert {each.message.id: each.distance for each in robot.neighbours} == {2: 3.5}
    assert robot.counts[METRIC_ERRORS] == 1
    robot.round(3.0)
    assert robot.counts[METRIC_ERRORS] == 2 and robot.sensing.reading == ()


def test_strength_source_knows_the_numbers_of_its_robot(registered: Any) -> None:
    known: list[tuple[RobotKnowledge, Any]] = []

    def compute(*given: Any) -> float:
        known.append(given)
        return 1.0

    registered(STRENGTH_SOURCES, StrengthSource(
        'all', hysteresis=0.0, topic='all', extract=lambda number, settings: (
            number - settings.margin), compute=compute, parameters=Settings))
    robot = Robot(build(ElectionParameters, {
        'robot_id': 1, 'strength_source': 'all', 'metric': 'sensor_difference', 'radius': 9.0}))
    robot.round(0.0)
    robot.sensing.take_odometry((1.0, 2.0, 0.0), 1.0)
    robot.sensing.take_sensed(4.5, 1.0)
    robot.main.take_strength(3.0, 1.0)
    robot.receive(codec_for(BOUNDED).encode(Message(
        2, 'map', (1.0, 3.0), BOUNDED.state(-9.0, 1.5, 9, 1), reading=(7.0,))), 1.0)
    assert json.loads(robot.round(1.0))['m'] == [4.5]
    robot.sensing.take_odometry((2.0, 2.0, 0.0), 2.0)
    robot.round(2.0)
    nan, numbers = math.nan, {'x': 1.0, 'y': 2.0, 'reading': 4.5, 'received': 2.0}
    alone = RobotKnowledge(1, 0, math.inf, nan, nan, 0.0, 1, 0.0, nan, nan, nan)
    first = alone._replace(neighbours=1, nearest=2.5, time=1.0, speed=0.0, **numbers)
    speed = math.hypot(*robot.sensing.velocity)
    second = first._replace(x=2.0, time=2.0, leader=9, distance=4.0, speed=speed)
    assert speed > 0.0
    assert [str(each) for each in known] == [
        str((each, Settings())) for each in (alone, first, second)]


@pytest.mark.parametrize('fails', [lambda known, p: 1 / 0, lambda known, p: 'x',
                                   lambda known, p: float('nan')])
def test_strength_is_kept_and_counted_when_its_source_fails(registered: Any, fails: Any) -> None:
    registered(STRENGTH_SOURCES, StrengthSource('bad', hysteresis=0.0, compute=fails))
    swarm = Swarm(line(2), strength_source='bad', strength=7.0)
    swarm.sweep(3)
    strength = swarm.robots[1].main.strength
    assert strength.rejected == 3 and strength.announced == 7.0


@pytest.mark.parametrize('reading', [['x'], 'x', [0.0] * 65, [True]])
def test_reading_is_dropped_when_wrong(reading: Any) -> None:
    swarm = Swarm(line(2), metric='sensor_difference')
    swarm.sweep(2)
    said = {**json.loads(swarm.said[2]), 'm': reading}
    robot = swarm.robots[1]
    robot.receive(json.dumps(said), swarm.now)
    assert robot.counts['rejected_reading'] == 1
    entry = robot.mailbox.entry(2)
    assert entry is not None and entry.message.reading == ()


# Strength: the hysteresis, numbers that are none, and sources of topic and state.

def test_first_strength_is_announced_within_the_hysteresis():
    strength = Strength(0.5, hysteresis=0.1)
    assert not strength.received
    assert strength.update(0.55)
    assert strength.received
    assert strength.announced == 0.55
    strength = Strength(0.5, hysteresis=0.25)
    assert [strength.update(number) for number in (1.0, 1.25, 1.3)] == [True, False, True]


def test_number_on_a_topic_is_the_strength_until_it_expires() -> None:
    main = Robot(build(ElectionParameters, {
        'robot_id': 1, 'strength_source': 'topic', 'strength': 7.0})).main
    main.take_strength(SimpleNamespace(data=2.0), 1.0)
    for number in (1, 2):
        main.take_strength(None, 1.5)
        assert main.strength.rejected == number
    nothing: Any = None
    main.compute_strength(nothing)
    assert main.strength.rejected == 2, 'this source computes none'
    for before, announced in ((1.0, 2.0), (1.1, 7.0)):
        main.expire_strength(before)
        assert main.strength.announced == announced


def test_every_strength_is_announced_without_hysteresis():
    strength = Strength(0.0, hysteresis=0.0)
    assert [strength.update(n) for n in (0.0, 1e-300, 1e-300, -5.0)] == [False, True, False, True]


def test_robot_is_a_candidate_when_its_trust_is_the_limit() -> None:
    known = RobotKnowledge(1, 0, math.inf, 0.0, 0.0, 0.0, 1, 0.0, math.nan, received=LEAST_TRUST)
    compute = STRENGTH_SOURCES.get('trust').compute
    assert compute is not None and compute(known, None) == LEAST_TRUST


def test_robot_is_no_candidate_when_its_trust_is_below_the_limit() -> None:
    """The trust in 3 falls below the limit. Finally the topic with the trust in 2 falls silent."""
    swarm = Swarm(line(3), strength_source='trust', radius=9.0, input_expiry=12.5)

    def give(trusts: dict[int, float]) -> None:
        for i, trust in trusts.items():
            swarm.robots[i].main.take_strength(SimpleNamespace(data=trust), swarm.now)
        swarm.sweep(12)

    swarm.sweep(2)
    assert {robot.main.role for robot in swarm.robots.values()} == {'worker'}
    give({1: 0.5, 2: 0.6, 3: 0.9})
    assert set(swarm.leaders().values()) == {3}
    give({1: 0.5, 2: 0.6, 3: 0.49})
    assert set(swarm.leaders().values()) == {2} and swarm.robots[3].main.role == 'worker'
    give({1: 0.5, 3: 0.49})
    assert set(swarm.leaders().values()) == {1} and swarm.robots[2].main.role == 'worker'
