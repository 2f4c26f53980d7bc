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

"""The engine compared with the reference simulator in plain Python, round by round."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from budget import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from leader_election.election.algorithms import Algorithm, ALGORITHMS, BOUNDED, Device
from leader_election.election.algorithms.algorithm import NONE
from leader_election.election.algorithms.given import GivenSettings
from leader_election.election.messages.codec import Codec, Message
from leader_election.election.regions.aggregate import AGGREGATES
from leader_election.election.regions.region import COLLECTIONS
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.robot import Robot
from leader_election_lab.engine.network import OLDER
from leader_election_lab.experiment.scenario import Scenario
from leader_election_lab.simulation.build import relinked
from leader_election_lab.simulation.simulation import Simulation
import numpy as np
import pytest
from reference_simulator import NeighbourPart, ReferenceSimulator
from simulations import (
    begun,
    counts,
    held,
    in_flight,
    leaders,
    played,
    rounds,
    scene,
    SQUARE,
    states,
    WALK,
)

FLEETING = {'round_period': 0.01, 'message_expiry': 0.02, 'input_expiry': 0.02}
"""Messages and measurements that expire before the next round."""


def reference_for(stage: Simulation, seed: int) -> ReferenceSimulator:
    """Return the reference simulator of the same run, with the same random numbers."""
    devices, lists = stage.network.devices, stage.network.lists
    given = zip(lists.first.tolist(), lists.second.tolist())
    reference = ReferenceSimulator(
        stage.entrant.algorithm, stage.entrant.parameters,
        [Device(*both) for both in zip(devices.id.tolist(), devices.strength.tolist())],
        stage.scenario.messages, np.random.default_rng([seed, 4]),  # As the stage's messages.
        pairs=None if not lists.fixed else {
            (min(pair), max(pair)) for pair in given}, seed=seed)
    assert stage.entrant.regions is not None or reference.states == states(stage)
    # Roles and contributions in regions are set by the scenario.
    reference.states = states(stage)
    return reference


def sent_fields(algorithm: Algorithm, state: Any) -> tuple[Any, ...]:
    """Return the fields of a state that are sent."""
    return tuple(value for field, value in zip(algorithm.fields, state) if not field.kept)


def side_by_side(stage: Simulation, reference: ReferenceSimulator, until: float,
                 ) -> Iterator[tuple[int, float, list[NeighbourPart]]]:
    """Run both, and yield each round after a comparison of its result and of the mailboxes."""
    for i, now in rounds(stage, until):
        links = stage.network.links
        row = links.neighbour[slice(*links.row[i])].tolist()
        heard = reference.round(i, now, stage.network.devices.position, row)
        assert states(stage) == reference.states, f'device {i} at {now} s'
        boxes = held(stage.network, reference.algorithm, [i])
        assert ({sender: sent_fields(reference.algorithm, export)
                 for (_, sender), export in boxes.items()}
                == {sender: sent_fields(reference.algorithm, letter.export)
                    for (receiver, sender), letter in reference.boxes.items() if receiver == i})
        yield i, now, heard


def compare(scenario: Scenario, seed: int) -> Simulation:
    """Run a scenario to its end in both, and compare."""
    stage = begun(scenario, seed)
    reference = reference_for(stage, seed)
    for _ in side_by_side(stage, reference, scenario.duration):
        pass
    stage.run(scenario.duration)
    assert leaders(stage) == [state.leader for state in reference.states]
    return stage


MESSAGES = {
    'plain': {},
    'loss, expiry': {'loss': 0.4, 'expiry': 2.5},
    'all lost': {'loss': 1.0},
    'delay, loss, expiry': {'delay': [0.0, 2.0], 'loss': 0.3, 'expiry': 1.0},
    'twice': {'delay': [0.1, 1.5], 'duplication': 0.5, 'loss': 0.2},
    'far': {'range': 200.0},
    'alone': {'range': 0.5},
    'floor': {'floor': 15.0},
    'hops': {'metric': 'hops'},
}


LINKED = [{'kind': 'grid', 'columns': 4, 'rows': 3, 'step': [10, 10], 'linked': True}]
WORLDS = {'static': {}, 'walk': {'motion': WALK}, 'links': {'devices': LINKED}}


@pytest.mark.parametrize(('messages', 'world'), [
    *((name, 'walk') for name in MESSAGES),
    *((name, 'static') for name in ('plain', 'alone', 'floor')),
    *((name, 'links') for name in ('plain', 'delay, loss, expiry', 'twice', 'hops'))])
def test_engine_agrees_with_the_reference(messages, world):
    compare(scene(duration=15, messages={
        key: value for key, value in {'range': 25, **MESSAGES[messages]}.items()
        if key != 'range' or world != 'links'}, **WORLDS[world]), 0)


@pytest.mark.parametrize('world', [
    {'motion': WALK},
    {'devices': [{'kind': 'grid', 'columns': 7, 'rows': 2, 'step': [9, 9], 'linked': True}]}],
    ids=['walk', 'links'])
@pytest.mark.parametrize('messages', [
    {}, {'loss': 0.3, 'expiry': 2.5}, {'delay': [0.2, 1.7], 'loss': 0.2}],
    ids=['plain', 'loss', 'delay'])
def test_engine_agrees_when_devices_come_and_go(messages, world):
    # Each event, the devices absent from then on, and the devices that run no more rounds.
    script: list[tuple[dict[str, Any], set[int], set[int]]] = [
        ({'kind': 'join', 'at': 4, 'first': 12}, set(), set()),
        ({'kind': 'die', 'at': 8, 'last': 2}, {0, 1, 2}, {0, 1, 2}),
        ({'kind': 'die', 'at': 12, 'first': 3, 'last': 4, 'linger': True}, {0, 1, 2}, {3, 4}),
        ({'kind': 'split', 'at': 16, 'line': 30}, {0, 1, 2}, {3, 4}),
        ({'kind': 'heal', 'at': 20}, {0, 1, 2}, {3, 4}),
        ({'kind': 'die', 'at': 24, 'first': 3, 'last': 5}, {0, 1, 2, 3, 4, 5}, set()),
    ]
    scenario = scene(messages={'range': 25, **messages},
                     events=[happening for happening, _, _ in script], **world)
    stage = begun(scenario, 1)
    reference = reference_for(stage, 1)
    reference.gone, still = {12, 13}, set[int]()
    for (event, parameters), (happening, gone, silent) in zip(scenario.events, script):
        ran = {i for i, _, _ in side_by_side(stage, reference, parameters.at)}
        assert ran == set(range(14)) - reference.gone - still
        stage.run(parameters.at)
        stage.happen(event, parameters)
        x = stage.network.devices.position[:, 0].tolist()
        split = happening['kind'] == 'split'
        reference.side = {i: x[i] > happening['line'] for i in range(14)} if split else {}
        reference.gone, still = gone, silent
    assert {i for i, _, _ in side_by_side(stage, reference, 30.0)} == set(range(6, 14))


@pytest.mark.parametrize('messages', [{}, {'loss': 0.2, 'delay': [0.2, 1.7]}],
                         ids=['plain', 'delay'])
def test_engine_agrees_when_each_link_has_losses(messages):
    scenario = scene(devices=LINKED, messages=messages)
    stage = begun(scenario)
    reference, random = reference_for(stage, 0), np.random.default_rng(7)
    pairs = np.stack([stage.network.lists.first, stage.network.lists.second], axis=1)
    for until in (6.0, 12.0, 18.0):
        # Of each pair, the directions lose all messages, none, or some.
        loss = random.choice([0.0, 0.5, 1.0], pairs.shape)
        stage.network = relinked(stage.network, pairs, loss, scenario.messages.loss)
        combined = 1.0 - (1.0 - loss) * (1.0 - scenario.messages.loss)
        reference.losses = {(i, j): there for (a, b), (to, back) in zip(
            pairs.tolist(), combined.tolist()) for i, j, there in ((a, b, to), (b, a, back))}
        for _ in side_by_side(stage, reference, until):
            pass
        pairs = random.permuted(pairs, axis=1)


@settings(max_examples=examples(15), deadline=None)
@given(
    seed=st.integers(0, 2**32), count=st.integers(1, 20), speed=st.sampled_from([0, 1, 4]),
    tick=st.sampled_from([0.25, 1.0, 1.3]), metric=st.sampled_from(['distance', 'hops']),
    messages=st.fixed_dictionaries({}, optional={
        'expiry': st.floats(0.1, 5), 'loss': st.floats(0, 0.9),
        'delay': st.tuples(st.floats(0, 1), st.floats(1, 3)).map(list)}))
def test_engine_agrees_in_any_world(seed, count, speed, tick, metric, messages):
    compare(scene(
        devices=[{**SQUARE, 'count': count}], motion={**WALK, 'speed': speed, 'tick': tick},
        messages={'range': 25, 'metric': metric, **messages},
        algorithms=[{'name': 'bounded', 'radius': 40 if metric == 'distance' else 2}],
        duration=12), seed)


@pytest.mark.parametrize('messages', [{}, {'loss': 0.4, 'expiry': 1.5}, {'delay': [0.2, 1.2]}],
                         ids=['plain', 'loss', 'delay'])
def test_engine_agrees_when_strength_is_the_number_of_neighbours(messages):
    scenario = scene(duration=15, motion=WALK, messages={'range': 25, **messages},
                     strength={'cycle': ['degree']})
    stage = begun(scenario, 1)
    reference = reference_for(stage, 1)
    reference.by_degree = True
    degrees = {len(heard) for _, _, heard in side_by_side(stage, reference, scenario.duration)}
    assert len(degrees) > 4


@pytest.mark.parametrize('strength', ['random', 'degree'])
@pytest.mark.parametrize('messages', [
    {}, {'loss': 0.4, 'expiry': 1.5}, {'delay': [0.2, 1.2]}, {'metric': 'hops'}],
    ids=['plain', 'loss', 'delay', 'hops'])
def test_engine_agrees_when_positions_have_errors(messages, strength):
    localisation = {'model': 'cooperative', 'deviation': 5.0, 'communication_range': 20.0}
    scenario = scene(duration=12, motion=WALK, messages={'range': 25, **messages},
                     localisation=localisation, strength={'cycle': [strength]})
    stage = begun(scenario, 1)
    reference = reference_for(stage, 1)
    reference.by_degree = strength == 'degree'
    reference.error, reference.trusted = stage.network.devices.error, 20.0
    several = set()
    for until in np.arange(1.0, scenario.duration + 1.0):
        several |= {len(heard) for _, _, heard in side_by_side(stage, reference, until)}
        stage.run(until)
        stage.change_errors()
    assert len(several) > 4


@pytest.mark.parametrize('timing', [
    {'period': 0.7}, {'spread': 0.5}, {'jitter': 0.5},
    {'period': 0.7, 'spread': 0.3, 'jitter': 0.3}], ids=['equal', 'spread', 'jitter', 'both'])
def test_engine_agrees_and_rounds_are_in_the_order_of_their_times(timing):
    scenario = scene(duration=15, motion=WALK, rounds=timing,
                     messages={'range': 25, 'expiry': 1.2})
    stage = begun(scenario, 5)
    assert stage.network.rounds.ring == (timing == {'period': 0.7})
    reference = reference_for(stage, 5)
    period = stage.network.devices.period.copy()
    least, most = 1.0 - timing.get('jitter', 0.0), 1.0 + timing.get('jitter', 0.0)
    assert (timing.get('spread', 0.0) > 0.0) == (len(set(period)) > 1)
    last: dict[int, float] = {}
    for i, now, _ in side_by_side(stage, reference, scenario.duration):
        if i in last:
            assert least * period[i] <= now - last[i] + 1e-9
            assert now - last[i] <= most * period[i] + 1e-9
        assert now >= max(last.values(), default=0.0)
        last[i] = now
    assert len(last) == 14


# Of a fast device the rows of links are rebuilt at every step.
@pytest.mark.parametrize('motion', [{'tick': 0.1}, {'tick': 0.7}, {'tick': 3.0}, {'speed': 8}])
def test_engine_agrees_for_any_tick_and_speed(motion):
    compare(scene(duration=12, motion={**WALK, **motion}), 0)


@pytest.mark.parametrize('collection', COLLECTIONS)
def test_engine_agrees_on_regions(collection):
    regions = {'collection': collection, 'gossip_members': 6, 'gossip_depth': 3,
               'aggregate': 'mean',
               'spreading': 'gossip' if collection == 'multi-path' else 'gradient',
               'feedback_gain': 1, 'feedback_alpha': 0.3, 'feedback_target': 4}
    stage = compare(scene(
        duration=15, algorithms=[{'name': 'bounded', 'radius': 40, 'regions': regions}],
        motion=WALK, messages={'range': 25, 'loss': 0.2, 'expiry': 2.5},
        devices=[{**SQUARE, 'count': 9}, {**SQUARE, 'count': 3, 'role': 'worker'},
                 {**SQUARE, 'count': 2, 'role': 'relay'}]), 1)
    assert len({state.summary for state in states(stage)}) > 1


# Readings of ``union`` are collections, not numbers.
@pytest.mark.parametrize('aggregate', [name for name in AGGREGATES.names() if name != 'union'])
def test_engine_agrees_on_aggregates(aggregate):
    stage = compare(scene(
        duration=10, motion=WALK,
        algorithms=[{'name': 'bounded', 'radius': 40, 'regions': {'aggregate': aggregate}}],
        devices=[{**SQUARE, 'count': 9}, {
            **SQUARE, 'count': 5, 'contributes': 0.3}]), 1)
    assert all(np.isfinite(state.decision).any() for state in states(stage))


@pytest.mark.parametrize('name', ALGORITHMS.names())
def test_robot_computes_the_same_as_the_engine(name):
    # Robots receive the messages and distances of devices of the engine that walk, with loss.
    takes = ALGORITHMS.get(name).takes
    radius = {'radius': 30.0} if 'radius' in takes else {}
    leaders = {'leaders': '0-2'} if 'leaders' in takes else {}
    scenario = scene(
        duration=15, algorithms=[{'name': name, **radius, **leaders}], motion=WALK,
        devices=[{'kind': 'uniform', 'count': 8, 'low': [0, 0], 'high': [60, 60]}],
        messages={'range': 25, 'loss': 0.2})
    stage = begun(scenario)
    reference = reference_for(stage, 0)
    codec = Codec(reference.algorithm)
    robots = [Robot(ElectionParameters(
        robot_id=device.id, strength=device.strength, algorithm=name, metric='range',
        communication_range=float('inf'), hop_limit=NONE, radius_hysteresis=0.0, **FLEETING,
        own={'given': GivenSettings(**leaders)}, **radius)) for device in reference.devices]
    heard_at_all = 0
    for i, now, heard in side_by_side(stage, reference, scenario.duration):
        heard_at_all += len(heard)
        for sender, export, distance in heard:
            robots[i].receive(codec.encode(Message(sender, 'map', None, export)), now)
            robots[i].sensing.take_measurements([sender, distance], now)
        said = codec.decode(robots[i].round(now))
        state = states(stage)[i]
        # Robots round distances to tenths of a millimetre.
        assert said.export.distance == pytest.approx(state.distance, rel=0, abs=1e-4)
        assert said == Message(i, 'map', None, state._replace(distance=said.export.distance))
    assert heard_at_all > 100 and len({state.leader for state in reference.states}) < 8


@pytest.mark.parametrize('expiry', [1e6, 2.5])
def test_robot_with_mailbox_and_odometry_computes_the_same(expiry):
    # Complete robots, with codec, mailbox, range and odometry. Steps of 3 m and 4 m give
    # distances in whole metres, so that nothing is rounded.
    scenario = scene(
        duration=15, devices=[{'kind': 'grid', 'columns': 4, 'rows': 4, 'step': [3, 4]}],
        algorithms=[{'name': 'bounded', 'radius': 11.0}],
        messages={'range': 5, 'loss': 0.4, 'expiry': expiry})
    stage = begun(scenario)
    reference = reference_for(stage, 0)
    robots = [Robot(ElectionParameters(
        robot_id=device.id, strength=device.strength, radius=11.0, communication_range=5.0,
        message_expiry=expiry, hop_limit=NONE, radius_hysteresis=0.0))
        for device in reference.devices]
    for robot in robots:
        # Only robots check whether a leader contradicts the robots that name it.
        robot.main.algorithm = replace(BOUNDED, leaders_follow_themselves=False)
    expired = 0
    for i, now, _ in side_by_side(stage, reference, scenario.duration):
        robots[i].sensing.take_odometry((*stage.network.devices.position[i], 0.0), now)
        said = robots[i].round(now)
        # Only robots count the age of a message as hops.
        assert robots[i].state._replace(hops=0) == states(stage)[i]._replace(hops=0)
        for j, other in enumerate(robots):
            if j != i and j not in reference.lost:
                # Robots need odometry to measure distances before their own first round.
                other.sensing.take_odometry((*stage.network.devices.position[j], 0.0), now)
                other.receive(said, now)
        expired = sum(robot.mailbox.expired for robot in robots)
    assert (expired > 0) == (expiry < 30.0)




EVENTS = [
    {'kind': 'join', 'at': 5, 'first': 11, 'last': 13},
    {'kind': 'corrupt', 'at': 7.5, 'share': 0.5},
    {'kind': 'die', 'at': 9.3, 'first': 0, 'last': 1},
    {'kind': 'die', 'at': 12, 'first': 2, 'last': 3, 'linger': True},
    {'kind': 'split', 'at': 15, 'line': 30},
    {'kind': 'join', 'at': 17, 'first': 11, 'last': 12},
    {'kind': 'state', 'at': 18, 'claim': 'random', 'heard': True},
    {'kind': 'heal', 'at': 20},
    {'kind': 'die', 'at': 25, 'share': 0.2},
]


@pytest.mark.parametrize('motion', [{'kind': 'static'}, WALK], ids=['static', 'walk'])
@pytest.mark.parametrize('messages', [
    {}, {'expiry': 1.5}, {'loss': 0.4, 'expiry': 2.5}, {'loss': 1}, {'delay': [0.5, 0.5]},
    {'delay': [0.1, 4], 'loss': 0.2, 'duplication': 0.3, 'expiry': 2}],
    ids=['plain', 'expiry', 'loss', 'all lost', 'delay', 'everything'])
def test_messages_are_conserved(messages, motion):
    stage = played(scene(motion=motion, messages={'range': 25, **messages}, events=EVENTS,
                         rounds={'acquainted': motion is WALK, 'jitter': 0.2}), 2)
    number, network = counts(stage), stage.network
    flying = len(in_flight(network, stage.entrant.algorithm))
    # Each message sent is lost, delivered, undelivered or in flight.
    assert number['sent'] + number['duplicated'] == (
        number['lost'] + number['delivered'] + number['undelivered'] + flying)
    # Each message delivered is overwritten, expired, departed with its sender or in a mailbox.
    boxes = held(network, stage.entrant.algorithm)
    assert number['delivered'] == (
        number['overwritten'] + number['expired'] + number['departed'] + len(boxes))
    # The pool contains only older messages and those in flight.
    older = network.links.flags & OLDER != 0
    assert len(network.pool.time) - network.pool.top[0] == flying + sum(older)
    assert number['sent'] > 500
    assert (number['lost'] > 0) == ('loss' in messages)
    assert (number['duplicated'] > 0) == ('duplication' in messages)
    assert (number['expired'] > 0) <= ('expiry' in messages)
    assert (number['moves'] > 0) == (motion is WALK)
