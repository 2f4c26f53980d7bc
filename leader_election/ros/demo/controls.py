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

"""The settings of the playground: their ranges, and the parameters of processes by them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from leader_election.election.algorithms import ALGORITHMS
from leader_election.election.algorithms.given import GIVEN, leader_ranges
from leader_election.election.robot.parameters import ElectionParameters, prefix_of
from leader_election.parameters import Parameter, ParameterError, table
from leader_election.ros.demo.task_scenarios import GATE, SCENARIOS
from leader_election.simulation.odometry import EXACT_ODOMETRY
from leader_election.simulation.parameters import WorldParameters
from leader_election.swarm.web.play_page import PLAYGROUND

LEADERS = prefix_of(GIVEN) + 'leaders'
"""The parameter of algorithm ``given``."""
SETTINGS: Mapping[str, Mapping[str, Any]] = PLAYGROUND['settings']
"""The settings of the page by their names on a node."""
TOURS: Mapping[str, Any] = PLAYGROUND['tours']
_ALL, _WORLD, _SENSORS, _ROBOTS = (
    PLAYGROUND['processes'][name] for name in ('all', 'world', 'sensors', 'robots'))
SEED: int = _ALL['seed']
EXPIRY: float = _ROBOTS['message_expiry']


def _declared(name: str) -> Parameter:
    """Return the declaration of a setting, with the choices and the upper end of the page."""
    given = SETTINGS[name]
    (found,) = (p for p in (*table(WorldParameters if 'of_world' in given else ElectionParameters),
                            *table(GIVEN.parameters, prefix_of(GIVEN)))
                if p.name == name)
    choices = (lambda: tuple(each for each in SCENARIOS if each != GATE)) \
        if name == 'tasks' else found.choices
    return replace(found, name=name, choices=choices, upper=given.get('most', found.upper))


CONTROLS = {name: _declared(name) for name in SETTINGS}
MOST_ROBOTS = SETTINGS['robots']['most']


def taken(name: str, values: Mapping[str, Any]) -> bool:
    """
    Return whether the algorithm takes a parameter. Parameters of no algorithm are taken by all.

    :param values: of all controls.
    """
    algorithm = ALGORITHMS.get(values['algorithm'])
    if name == LEADERS:
        return algorithm is GIVEN
    return name in algorithm.takes or not any(
        name in ALGORITHMS.get(each).takes for each in ALGORITHMS.names())


def changed(values: Mapping[str, Any], name: str, value: Any) -> dict[str, Any]:
    """
    Return the values of all controls after a change of one.

    :raises ParameterError: for a wrong value, and if its algorithm does not take the parameter.
    """
    after = {**values, name: CONTROLS[name].check(value)}
    if not leader_ranges(after[LEADERS]) and taken(LEADERS, after):
        raise ParameterError(LEADERS, problem=': algorithm given takes the ids of its leaders, '
                             'such as 1, 5; fill in "leaders of given" first')
    if name != LEADERS and not taken(name, after):
        raise ParameterError(
            name, problem=f': algorithm {values["algorithm"]} does not take it')
    WorldParameters(**{each: after[each] for each in SETTINGS if 'of_world' in SETTINGS[each]})
    return after


def world_parameters(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of the world."""
    return {**_ALL, **_WORLD, **_SENSORS.get(values['metric'], {}),
            **SCENARIOS[values['tasks']].world_parameters,
            **{name: values[name] for name in SETTINGS if 'of_world' in SETTINGS[name]}}


def robot_parameters(values: Mapping[str, Any], members: str) -> dict[str, Any]:
    """Return the parameters of the process of a robot, by its id."""
    chosen = {key: value for key, value in values.items()
              if 'of_world' not in SETTINGS[key] and taken(key, values)}
    return {**_ALL, 'robots': values['robots'], 'members': members, **_ROBOTS, **EXACT_ODOMETRY,
            **chosen, **SCENARIOS[values['tasks']].robot_parameters}
