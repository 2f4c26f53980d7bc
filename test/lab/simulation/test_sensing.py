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

"""Metrics and strength sources of robots in the laboratory: the same functions, compiled."""

from collections.abc import Iterator
from typing import Any

from election.robot.test_plug_ins import Settings
from leader_election import METRICS, STRENGTH_SOURCES, StrengthSource
from leader_election.lab.experiment.scenario import parse, Scenario, ScenarioError
from leader_election.lab.experiment.schema import Sensor
from leader_election.lab.runs.fingerprint import fingerprint
from leader_election.lab.simulation.sensing import readings
from leader_election.lab.simulation.simulation import Simulation
import numpy as np
import pytest

WARM = {'base': 20.0, 'peaks': [0.0, 0.0, 10.0], 'spread': 2.5}
"""Ten degrees warmer at the origin."""


def east(known: Any, parameters: Any) -> float:
    """Return a strength that grows to the east."""
    return known.x * parameters.margin + 0.0 * known.nearest


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(STRENGTH_SOURCES._entries, 'east', StrengthSource(
        'east', hysteresis=0.0, compute=east, parameters=Settings))
    yield


def line(**changes: Any) -> Scenario:
    """Return six devices, 1 m apart on the x axis, each in range of the next; ids decide."""
    raw: dict[str, Any] = {
        'duration': 12, 'algorithms': [{'name': 'bounded', 'radius': 20.0}],
        'devices': [{'kind': 'line', 'count': 6, 'first': [0.0, 0.0], 'step': [1.0, 0.0],
                     'linked': False}],
        'messages': {'range': 1.5}, 'strength': {'cycle': ['lower_id']}}
    for key, values in changes.items():
        raw[key] = {**raw.get(key, {}), **values} if isinstance(values, dict) else values
    return parse(raw, 'line')


def leaders(scenario: Scenario, label: str = 'bounded') -> list[int]:
    """Return the leader of each device at the end."""
    simulation = Simulation(scenario, scenario.entrant(label), 0)
    simulation.play()
    return [int(leader) for leader in simulation.columns.leader]


def test_a_field_over_the_plane() -> None:
    sensor = Sensor(base=20.0, peaks=(0.0, 0.0, 10.0, 5.0, 0.0, -4.0), spread=1.0)
    found = readings(sensor, np.array([[0.0, 0.0], [1.0, 0.0], [5.0, 0.0]]))
    assert found == pytest.approx([30.0, 20.0 + 10.0 * np.exp(-0.5), 16.0], abs=0.01)


def test_regions_follow_readings() -> None:
    """The radius is in degrees: a leader reaches all devices with similar readings."""
    scenario = line(messages={'metric': 'sensor_difference'}, sensor=WARM,
                    algorithms=[{'name': 'bounded', 'radius': 4.0}])
    simulation = Simulation(scenario, scenario.entrant('bounded'), 0)
    simulation.play()
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


def test_own_parameters_of_a_metric() -> None:
    one = line(messages={'metric': 'sensor_difference'}, sensor=WARM)
    two = line(messages={'metric': 'sensor_difference',
                         'metric_parameters': {'sensor_weight': 3.0}}, sensor=WARM)
    distances = []
    for scenario in (one, two):
        simulation = Simulation(scenario, scenario.entrant('bounded'), 0)
        simulation.play()
        distances.append(simulation.columns.distance[1])
    assert distances[1] == pytest.approx(3.0 * distances[0])


@pytest.mark.parametrize('regions', [{}, {'regions': {'collection': 'tree'}}])
def test_metres_by_the_robots_metric_are_metres(regions: Any) -> None:
    entry = {'name': 'bounded', 'radius': 2.5, **regions}
    plain, by_metric = (leaders(line(algorithms=[entry], messages={'metric': metric}))
                        for metric in ('distance', 'odometry'))
    assert by_metric == plain == [0, 0, 0, 3, 3, 3]


def test_a_strength_that_robots_compute() -> None:
    assert leaders(line(strength={'cycle': ['east']})) == [5] * 6
    scenario = line(strength={'cycle': ['east']},
                    algorithms=[{'name': 'bounded', 'radius': 20.0, 'wins': 'weakest'}])
    assert leaders(scenario) == [0] * 6


def test_own_parameters_of_a_strength_source() -> None:
    scenario = line(strength={'cycle': ['east'], 'source_parameters': {'margin': 0.0}})
    # All are equally strong: the lower id leads.
    assert leaders(scenario) == [0] * 6


def test_moving_devices_update_their_readings() -> None:
    scenario = line(messages={'metric': 'sensor_difference', 'range': 50.0}, sensor=WARM,
                    motion={'kind': 'waypoint', 'walls': [-1.0, -1.0, 9.0, 9.0],
                            'speed': [0.5, 0.5]})
    simulation = Simulation(scenario, scenario.entrant('bounded'), 0)
    before = simulation.columns.sensed.copy()
    simulation.play()
    assert not np.allclose(before, simulation.columns.sensed)


def test_fingerprints_depend_on_metric_and_source() -> None:
    plain = fingerprint(line(), 'bounded')
    assert plain == fingerprint(line(), 'bounded')
    others = [fingerprint(line(messages={'metric': 'odometry'}), 'bounded'),
              fingerprint(line(messages={'metric': 'sensor_difference'}), 'bounded'),
              fingerprint(line(strength={'cycle': ['east']}), 'bounded')]
    assert len({plain, *others}) == 4


def test_the_distance_ahead_of_a_device_that_drives_away() -> None:
    """Device 1 drives along x at 0.1 m/s, 0 and 2 stand; 10 s ahead it is a metre farther."""
    scenario = line(
        duration=20, algorithms=[{'name': 'bounded', 'radius': 50.0}],
        devices=[{'kind': 'grid', 'columns': 1, 'rows': 1, 'moves': False},
                 {'kind': 'grid', 'columns': 1, 'rows': 1, 'first': [1.5, 0]},
                 {'kind': 'grid', 'columns': 1, 'rows': 1, 'first': [-2.0, 0], 'moves': False}],
        motion={'kind': 'shuttle', 'start': [1.5, 0], 'end': [9, 0], 'speed': 0.1, 'tick': 0.5},
        messages={'range': 30, 'metric': 'look_ahead', 'metric_parameters': {'look_ahead': 10.0}},
        strength={'cycle': ['lower_id']})
    simulation = Simulation(scenario, scenario.entrants[0], 0)
    simulation.play()
    columns = simulation.columns
    assert columns.speed_x[:3] == pytest.approx([0.0, 0.1, 0.0], abs=1e-9)
    assert columns.distance[2] == pytest.approx(2.0)
    # Positions are those of the last reading and the last message: up to 2 s old.
    assert 1.0 - 0.25 < columns.distance[1] - columns.place_x[1] <= 1.0 + 1e-9
    assert columns.place_x[1] > 3.0


def test_for_devices_at_rest_the_distance_ahead_is_the_present_one() -> None:
    near = line(messages={'metric': 'odometry', 'range': 10})
    ahead = line(messages={'metric': 'look_ahead', 'range': 10})
    found = []
    for scenario in (near, ahead):
        simulation = Simulation(scenario, scenario.entrants[0], 0)
        simulation.play()
        found.append([simulation.columns.leader.tolist(), simulation.columns.distance.tolist()])
    assert found[0][0] == found[1][0]
    assert found[0][1] == pytest.approx(found[1][1])


@pytest.mark.parametrize('changes, text', [
    ({'messages': {'metric': 'rssi'}}, "messages.metric: 'rssi' is not allowed; it takes one of "
     'distance, hops, look_ahead, odometry, sensor_difference'),
    ({'strength': {'cycle': ['east', 'id']}}, 'strength.cycle: .* east is computed in each round'),
    ({'strength': {'cycle': ['far']}}, "strength.cycle: 'far' is not allowed; it takes some of"),
    ({'messages': {'metric_parameters': {'sensor_weight': 1.0}}}, 'sensor_weight'),
    ({'messages': {'metric': 'sensor_difference', 'metric_parameters': {'sensor_weight': -1.0}}},
     'messages.sensor_weight: -1.0 is not allowed; it takes 0 to 1e'),
    ({'strength': {'cycle': ['east'], 'source_parameters': {'margin': 99.0}}},
     'strength.margin: 99.0 is not allowed; it takes 0 to 9'),
    ({'sensor': {'peaks': [1.0, 2.0]}}, 'sensor.peaks: .* it takes three numbers a peak')])
def test_refused_sections(changes: dict[str, Any], text: str) -> None:
    with pytest.raises(ScenarioError, match=text):
        line(**changes)


def test_the_metrics_that_a_scenario_may_name() -> None:
    assert all(METRICS.get(name).cost is not None
               for name in ('odometry', 'hops', 'sensor_difference'))
