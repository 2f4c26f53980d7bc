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

"""Rounds with regions, and with the robots' metrics and strength sources."""

from dataclasses import dataclass
import math
from typing import Any

from leader_election import Device, parameter, STRENGTH_SOURCES, StrengthSource
from leader_election.election.messages.region_codec import WHOLE_SHARE
from leader_election.election.regions.aggregate import Aggregate, AGGREGATES, Maker
from leader_election.election.regions.collection import OWN
from leader_election.election.regions.region import CANDIDATE, RELAY, WORKER
from leader_election_lab.experiment.scenario import parse, Scenario, ScenarioError
from leader_election_lab.experiment.schema import Sensor
from leader_election_lab.runs.store import fingerprint
from leader_election_lab.simulation.composed_rounds import readings
from leader_election_lab.simulation.run import message_bytes, simulate
from leader_election_lab.simulation.simulation import Simulation
import numpy as np
import pytest
from simulations import begun, LINE, line, scene, states


def entrant(**settings: Any) -> list[dict[str, Any]]:
    return [{'name': 'bounded', 'radius': 60, 'regions': settings}]


def states_at(time: float, **sections: Any) -> list[Any]:
    """Return the states of :func:`until`."""
    return states(until(time, **sections))


def until(time: float, **sections: Any) -> Simulation:
    """Return five devices on a line with regions, the greatest id the strongest, at a time."""
    stage = begun(line(**{'algorithms': entrant(), **sections}))
    stage.run(time)
    return stage


@pytest.mark.parametrize(('metric', 'reach'), [('distance', 10.0), ('hops', math.inf)])
def test_regions_have_the_range_of_links_in_the_metric(metric: str, reach: float) -> None:
    made = line(messages={'range': 10, 'metric': metric}, algorithms=entrant())
    region = made.entrants[0].parameters.region
    assert (region.link_range, region.radius) == (reach, 60.0)


@pytest.mark.parametrize(('sections', 'text'), [
    ({'algorithms': entrant(aggregate='average')},
     "algorithms.regions.aggregate: 'average' is not allowed; it takes one of all, any, count, "),
    ({'algorithms': entrant(aggregate='union')},
     'algorithms.regions.aggregate: union is not allowed; it collects readings that are not '
     'numbers, which only robots have'),
    ({'algorithms': entrant(role='worker')},
     'algorithms.regions.role: is not allowed; a role is given for each group of devices'),
    ({'algorithms': entrant(size=3)},
     'unknown key algorithms.regions.size; known: collection, gossip_members, gossip_depth, '),
    ({'algorithms': [{'name': 'colour', 'regions': {'feedback_gain': 1}}]},
     'algorithms.regions.feedback_gain: 1 is not allowed; algorithm colour takes no radius, so'),
    ({'algorithms': entrant(), 'devices': [{**LINE, 'role': 'boss'}]},
     "devices.role: 'boss' is not allowed; it takes one of candidate, worker, relay"),
    ({'algorithms': entrant(), 'devices': [{**LINE, 'contributes': 'much'}]},
     "devices.contributes: 'much' is not allowed; it takes -1e+09 to 1e+09"),
    ({'devices': [{**LINE, 'role': 'worker'}]},
     'devices.role: is not allowed; it is for algorithms with regions, and bounded has none'),
    ({'devices': [{**LINE, 'contributes': 2}]},
     'devices.contributes: is not allowed; it is for algorithms with regions, and bounded has'),
])
def test_refused_sections_are_named(sections: dict[str, Any], text: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        line(**sections)
    assert str(caught.value).startswith(f'scenario test: {text}')
    assert '\n' not in str(caught.value)


def test_aggregate_with_a_function_of_its_own_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(AGGREGATES._entries, 'largest', Maker('largest', lambda: Aggregate(
        'largest', OWN, (0.0,), lambda _, reading: (float(reading),), lambda row: row[0],
        combine=max)))
    with pytest.raises(ScenarioError, match='algorithms.regions.aggregate: largest is not allowed;'
                                            ' it combines by a function of its own'):
        line(algorithms=entrant(aggregate='largest'))


ROLES = [{**LINE, 'columns': 2, 'contributes': 5},
         {**LINE, 'columns': 1, 'first': [20, 0], 'role': 'relay', 'contributes': 7},
         {**LINE, 'columns': 2, 'first': [30, 0], 'role': 'worker', 'contributes': 0.5}]
"""Ids 0 and 1 are candidates, 2 is a relay, 3 and 4 workers, each 10 m from the next."""


def test_roles_by_hand() -> None:
    # 4 is the strongest, but no candidate: 1 is the stronger one of the candidates, and leads. The
    # relay forwards the workers' contributions, and contributes nothing: 5 + 5 + 0 + 0.5 + 0.5.
    stage = until(20, devices=ROLES, algorithms=entrant(aggregate='sum'))
    now = states(stage)
    assert [state.role for state in now] == [CANDIDATE, CANDIDATE, RELAY, WORKER, WORKER]
    assert [state.contribution for state in now] == [(5.0,), (5.0,), (0.0,), (0.5,), (0.5,)]
    assert [state.leader for state in now] == [1] * 5
    assert now[1].summary == (11.0,)
    assert [state.decision for state in now] == [(11.0,)] * 5


def test_contributions_have_the_ids_of_their_devices() -> None:
    # The greatest of three readings, with the ids of their devices.
    now = states_at(20, algorithms=entrant(aggregate='top'), devices=ROLES)
    assert now[1].summary == (-5, 0, -5, 1, -0.5, 3)


def test_workers_alone_have_no_leader() -> None:
    stage = until(20, devices=[{**LINE, 'role': 'worker'}])
    # All name the worker with the lowest id, which does not lead, and nothing is decided.
    assert [(state.leader, state.decision) for state in states(stage)] == [(0, (math.inf,))] * 5
    assert not stage.snapshot(20.0).is_leader.any()


def test_joining_device_keeps_its_role_and_contribution() -> None:
    stage = begun(line(
        devices=ROLES, algorithms=entrant(
            aggregate='sum', feedback_gain=0.01, feedback_target=3, feedback_alpha=0.5),
        events=[{'kind': 'join', 'at': 1}, {'kind': 'die', 'at': 15}, {'kind': 'join', 'at': 25}]))
    stage.play(until=25.0)
    assert states(stage)[1].summary == (11.0,) and states(stage)[1].load > 10.0
    stage.happen(*stage.scenario.events[2])
    now = states(stage)
    # Its state is reset, except its role and contribution.
    assert [state.role for state in now] == [CANDIDATE, CANDIDATE, RELAY, WORKER, WORKER]
    assert [state.contribution for state in now] == [(5.0,), (5.0,), (0.0,), (0.5,), (0.5,)]
    assert [state.device for state in now] == [0, 1, 2, 3, 4]
    assert [state.summary for state in now] == [(0.0,)] * 5
    assert {(state.load, state.parent, state.decision) for state in now} == {
        (3.0, -1, (math.inf,))
    }
    stage.run(60.0)
    assert [state.leader for state in states(stage)] == [1] * 5


def test_corruption_leaves_the_role_and_the_contribution() -> None:
    stage = until(20, devices=ROLES, algorithms=entrant(aggregate='sum'),
                  events=[{'kind': 'corrupt', 'at': 20}])
    before = states(stage)
    stage.happen(*stage.scenario.events[0])
    after = states(stage)
    for old, new in zip(before, after):
        assert (old.device, old.role, old.contribution) == (new.device, new.role, new.contribution)
        assert (
            old.summary != new.summary
            and old.recipients != new.recipients
            and old.reach != new.reach
        )
    # Later the result is the same as before.
    stage.run(60.0)
    assert [state.decision for state in states(stage)] == [(11.0,)] * 5


def varied(**vary: Any) -> Scenario:
    return scene(algorithms=[*entrant(feedback_gain=1), {'name': 'bounded', 'label': 'alone',
                                                         'radius': 60}], vary=vary)


def test_settings_of_regions_vary_for_algorithms_with_regions() -> None:
    made = varied(**{'algorithms.regions.feedback_alpha': [0.1, 0.5]})
    variants = [variant for _, variant in made.variants()]
    assert [variant.entrants[0].parameters.region.alpha for variant in variants] == [0.1, 0.5]
    assert all(variant.entrants[1].regions is None for variant in variants)
    # An algorithm without regions is run once for all variants.
    digests = [[fingerprint(variant, label) for variant in variants]
               for label in ('bounded', 'alone')]
    assert len(set(digests[0])) == 2 and len(set(digests[1])) == 1


PARTS = [f'"f":[{WHOLE_SHARE // 2},{WHOLE_SHARE // 2}]', f'"f":[{WHOLE_SHARE}]']
LINE_TEXTS = [
    f'{{"v":1,"id":{i},"frame":"map","p":[{10.0 * i},0.0],"c":[-4.0,{40.0 - 10.0 * i},4,{4 - i}]}}'
    for i in range(5)]
SQUARE_TEXTS = [
    '{"v":1,"id":0,"frame":"map","p":[0.0,0.0],"c":[-3.0,20.0,3,2],"t":"count",'
    f'"r":{{"p":1,"s":[1],"r":60,"n":[1,2],{PARTS[0]}}},"d":[4.0]}}',
    '{"v":1,"id":1,"frame":"map","p":[10.0,0.0],"c":[-3.0,10.0,3,1],"t":"count",'
    f'"r":{{"p":3,"s":[1.5],"r":60,"n":[3],{PARTS[1]}}},"d":[4.0]}}',
    '{"v":1,"id":2,"frame":"map","p":[0.0,10.0],"c":[-3.0,10.0,3,1],"t":"count",'
    f'"r":{{"p":3,"s":[1.5],"r":60,"n":[3],{PARTS[1]}}},"d":[4.0]}}',
    '{"v":1,"id":3,"frame":"map","p":[10.0,10.0],"c":[-3.0,0.0,3,0],"t":"count",'
    '"r":{"s":[4],"r":60},"d":[4.0]}']
GOSSIP_TEXTS = [
    '{"v":1,"id":0,"frame":"map","p":[0.0,0.0],"c":[-1.0,10.0,1,1],"t":"count",'
    '"r":{"p":1,"m":[0,1],"g":[0,1],"c":[[1],[1]]},"d":[2.0]}',
    '{"v":1,"id":1,"frame":"map","p":[10.0,0.0],"c":[-1.0,0.0,1,0],"t":"count",'
    '"r":{"m":[1,0],"g":[0,1],"c":[[1],[1]]},"d":[2.0]}']


@pytest.mark.parametrize(('size', 'algorithms', 'texts'), [
    ((5, 1), [{'name': 'bounded', 'radius': 60}], LINE_TEXTS),
    # A device with two nearer neighbours splits its value between them in halves.
    ((2, 2), entrant(feedback_gain=1, feedback_target=4), SQUARE_TEXTS),
    # Each has both members in its state, its own first. Messages leave out the rest.
    ((2, 1), entrant(collection='gossip'), GOSSIP_TEXTS)], ids=['line', 'square', 'gossip'])
def test_length_of_messages_is_that_of_robots(
        size: tuple[int, int], algorithms: list[Any], texts: list[str]) -> None:
    """The texts are those of robots with one task that has the name of its aggregate, or none."""
    stage = until(20, algorithms=algorithms, devices=[
        {'kind': 'grid', 'columns': size[0], 'rows': size[1], 'step': [10, 10]}])
    assert message_bytes(stage.entrant, stage.network) == np.mean([len(text) for text in texts])


WARM = {'base': 20.0, 'peaks': [0.0, 0.0, 10.0], 'spread': 2.5}
"""Ten degrees warmer at the origin."""


@dataclass(frozen=True)
class Weights:
    east: float = parameter(0.0, 'Weight of the coordinate.', lower=0.0, upper=9.0)
    topic: float = parameter(1.0, "Weight of the number on the source's topic.")
    clock: float = parameter(0.0, 'Weight of time and id.')


def weighted(known: Any, weights: Any) -> float:
    """Return a strength for all tests here, since each one takes seconds to compile."""
    return (weights.east * known.x + weights.topic * known.received
            + weights.clock * known.time * known.id)


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(STRENGTH_SOURCES._entries, 'weighted', StrengthSource(
        'weighted', hysteresis=1.0, compute=weighted, parameters=Weights))


def row(**changes: Any) -> Scenario:
    """Return six devices, 1 m apart on the x axis, each in range of the next; ids decide."""
    raw: dict[str, Any] = {
        'duration': 12, 'algorithms': [{'name': 'bounded', 'radius': 20.0}],
        'devices': [{'kind': 'line', 'count': 6, 'first': [0.0, 0.0], 'step': [1.0, 0.0],
                     'linked': False}],
        'messages': {'range': 1.5}, 'strength': {'cycle': ['lower_id']}}
    for key, values in changes.items():
        raw[key] = {**raw.get(key, {}), **values} if isinstance(values, dict) else values
    return parse(raw, 'row')


def finished(scenario: Scenario) -> Simulation:
    stage = begun(scenario)
    stage.play()
    return stage


def leaders(scenario: Scenario) -> list[int]:
    """Return the leader of each device at the end."""
    found: list[int] = finished(scenario).columns.leader.tolist()
    return found


def test_field_over_the_plane() -> None:
    sensor = Sensor(base=20.0, peaks=(0.0, 0.0, 10.0, 5.0, 0.0, -4.0), spread=1.0)
    found = readings(sensor, np.array([[0.0, 0.0], [1.0, 0.0], [5.0, 0.0]]))
    assert found == pytest.approx([30.0, 20.0 + 10.0 * np.exp(-0.5), 16.0], abs=0.01)


def test_regions_follow_readings() -> None:
    """The radius is in degrees: a leader reaches all devices with similar readings."""
    scenario = row(messages={'metric': 'sensor_difference'}, sensor=WARM,
                   algorithms=[{'name': 'bounded', 'radius': 4.0}])
    simulation = finished(scenario)
    sensed = simulation.columns.sensed
    found = [int(leader) for leader in simulation.columns.leader]
    # By hand, from the least id on: a region ends where the difference exceeds the radius.
    expected, begin = [], 0
    for i in range(6):
        if abs(sensed[i] - sensed[begin]) > 4.0:
            begin = i
        expected.append(begin)
    assert found == expected and len(set(found)) > 1
    distance = simulation.columns.distance
    assert distance[1] == pytest.approx(abs(sensed[0] - sensed[1]))


@pytest.mark.parametrize(('weights', 'wins', 'leader'), [
    ({'east': 1.0}, 'strongest', 5), ({'east': 1.0}, 'weakest', 0),
    # Devices from 3 on read more. Of these, as of all without a weight, the lower id leads.
    ({'topic': 9.0}, 'strongest', 3), ({}, 'strongest', 0),
    # Time passes also where no device moves.
    ({'clock': 1.0}, 'strongest', 5)])
def test_strength_that_robots_compute(weights: dict[str, float], wins: str, leader: int) -> None:
    assert leaders(row(
        strength={'cycle': ['weighted'], 'source_parameters': {'topic': 0.0, **weights}},
        algorithms=[{'name': 'bounded', 'radius': 20.0, 'wins': wins}], sensor={'base': 0.1},
        devices=[{'kind': 'line', 'count': 3, 'reads': 0.2},
                 {'kind': 'line', 'count': 3, 'first': [3.0, 0.0], 'reads': 0.8}])) == [leader] * 6


@pytest.mark.parametrize(('hysteresis', 'leader'), [(0.0, 1), (-1.0, 1), (5.0, 0)])
def test_devices_announce_strengths_with_hysteresis(hysteresis: float, leader: int) -> None:
    """Device 0 drives from a reading of 3 to 0.1, device 1 stands at 1. The default is 1."""
    drive = parse({
        'duration': 40,
        'algorithms': [{'name': 'bounded', 'radius': 100, 'ties': 'id', 'hop_limit': 9}],
        'devices': [{'kind': 'line', 'count': 1}] + 9 * [
            {'kind': 'line', 'count': 1, 'first': [9, 0], 'moves': False}],
        'motion': {'kind': 'shuttle', 'start': [0, 0], 'end': [30, 0], 'speed': 1},
        'sensor': {'peaks': [0, 0, 3], 'spread': 6.07, 'period': 1}, 'messages': {'range': 100},
        'strength': {'cycle': ['weighted'], 'hysteresis': hysteresis}}, 'drive')
    first, last = simulate(drive, 'bounded', 0, [4.0, 25.0]).snapshots
    assert set(first.leader) == {0} and set(last.leader) == {leader}


def test_distance_ahead_of_a_device_that_drives_away() -> None:
    """Device 1 drives along x at 0.1 m/s, 0 and 2 stand; 10 s ahead it is a metre farther."""
    scenario = row(
        duration=20, algorithms=[{'name': 'bounded', 'radius': 50.0}],
        devices=[{'kind': 'grid', 'columns': 1, 'rows': 1, 'moves': False},
                 {'kind': 'grid', 'columns': 1, 'rows': 1, 'first': [1.5, 0]},
                 {'kind': 'grid', 'columns': 1, 'rows': 1, 'first': [-2.0, 0], 'moves': False}],
        motion={'kind': 'shuttle', 'start': [1.5, 0], 'end': [9, 0], 'speed': 0.1, 'tick': 0.5},
        messages={'range': 30, 'metric': 'look_ahead', 'metric_parameters': {'look_ahead': 10.0}},
        strength={'cycle': ['lower_id']})
    simulation = finished(scenario)
    columns = simulation.columns
    assert columns.speed_x[:3] == pytest.approx([0.0, 0.1, 0.0], abs=1e-9)
    assert columns.distance[2] == pytest.approx(2.0)
    # Positions are those of the last reading and the last message: up to 2 s old.
    assert 1.0 - 0.25 < columns.distance[1] - columns.place_x[1] <= 1.0 + 1e-9
    assert columns.place_x[1] > 3.0


def test_distance_ahead_beneath_regions() -> None:
    """In plain Python, since each of both is also compiled alone, and both together take long."""
    entered = row(
        algorithms=[{'name': 'bounded', 'radius': 50.0, 'regions': {}}], messages={
            'metric': 'look_ahead', 'metric_parameters': {'look_ahead': 10.0}}).entrants[0]
    start = entered.algorithm.start
    near, far = (start(device)._replace(place_x=x, place_y=0.0) for device, x in (
        (Device(0, 1.0), 0.0), (Device(1, 0.0), 1.5)))
    after = entered.algorithm.compute(
        Device(1, 0.0), far._replace(speed_x=0.1), [near], [1.5], entered.parameters)
    assert (after.leader, after.parent, after.place_x) == (0, 0, 1.5)
    assert after.distance == pytest.approx(2.5) and after.speed_x == 0.1


@pytest.mark.parametrize('changes, text', [
    ({'messages': {'metric': 'range'}}, "messages.metric: 'range' is not allowed; it takes one of "
     'distance, hops, look_ahead, odometry, sensor_difference'),
    ({'strength': {'cycle': ['weighted', 'id']}}, 'cycle: .* weighted is computed in each round'),
    ({'strength': {'cycle': ['far']}}, "strength.cycle: 'far' is not allowed; it takes some of"),
    ({'messages': {'metric_parameters': {'look_ahead': 1.0}}}, 'look_ahead'),
    ({'strength': {'cycle': ['weighted'], 'source_parameters': {'east': 99.0}}},
     'strength.east: 99.0 is not allowed; it takes 0 to 9'),
    ({'strength': {'hysteresis': 1.0}}, 'strength.hysteresis: 1 is not allowed; it goes with'),
    ({'sensor': {'peaks': [1.0, 2.0]}}, 'sensor.peaks: .* it takes three numbers a peak')])
def test_refused_sections(changes: dict[str, Any], text: str) -> None:
    with pytest.raises(ScenarioError, match=text):
        row(**changes)
