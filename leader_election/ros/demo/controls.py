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

"""The settings of the playground, with the ranges of its page."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from leader_election.election.algorithms import ALGORITHMS
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.parameters import Parameter, table
from leader_election.ros.demo.task_scenarios import GATE, SCENARIOS
from leader_election.simulation.parameters import WorldParameters
from leader_election.swarm.web.play_page import PLAYGROUND

BESIDE = 'beside'
"""The instance of the election that runs beside the first, on the same robots."""
LEADERS = 'leaders'
"""The parameter of algorithm ``given``, of both instances."""
SETTINGS: Mapping[str, Mapping[str, Any]] = PLAYGROUND['settings']
"""The settings of the page by their names on a node, which may begin with that of an instance."""
PROCESSES: Mapping[str, Mapping[str, Any]] = PLAYGROUND['processes']
TOURS: Mapping[str, Any] = PLAYGROUND['tours']


def _declared(name: str) -> Parameter:
    """Return the declaration of a setting, with the choices and the upper end of the page."""
    given = SETTINGS[name]
    (found,) = (p for p in table(WorldParameters if 'of_world' in given else ElectionParameters)
                if p.name == name.rpartition('.')[2])
    choices = (lambda: tuple(each for each in SCENARIOS if each != GATE)) \
        if name == 'tasks' else found.choices
    return replace(found, name=name, choices=choices, upper=given.get('most', found.upper))


CONTROLS = {name: _declared(name) for name in SETTINGS}
MOST_ROBOTS = SETTINGS['robots']['most']


def taken(key: str, values: Mapping[str, Any]) -> bool:
    """
    Return whether the algorithm of an instance takes a parameter.

    Parameters of no algorithm are taken by all.

    :param key: its name, which may begin with that of an instance.
    :param values: of all controls.
    """
    instance, dot, name = key.rpartition('.')
    algorithm = values[f'{instance}{dot}algorithm']
    return name in ALGORITHMS.get(algorithm).takes or not any(
        name in ALGORITHMS.get(each).takes for each in ALGORITHMS.names())
