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

"""Who drives the robots of a launch."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from leader_election.launching.arguments import read
from leader_election.launching.nodes import ours
from leader_election.launching.one_robot import NODE
from leader_election.launching.parameter_file import told
from leader_election.parameters import Parameter, ParameterError
from leader_election.robot.instance_parameters import names_in

STANDING = ('count', 'field')
"""The tasks that drive nobody; of those that are not of this package it is taken that they do."""
BY_SCANS = ('patrol', 'rally')
"""The tasks that drive by a laser scanner, and stand where there is none."""
MOTION = Parameter(
    'motion', str, '', 'Who drives the robots: nobody (static), wander, a node that has them walk '
    'at random past walls and each other, or what you start yourself (none). Empty: wander, but '
    f'not those with tasks that drive by themselves, as all do but {" and ".join(STANDING)}.',
    choices=lambda: ('static', 'wander', 'none'))


def wandering(settings: Mapping[str, str], robots: Sequence[str], parameters: Mapping[str, Any],
              **options: Any) -> list[Any]:
    """
    Return the node that has robots wander, where argument motion wants it.

    :param robots: their namespaces.
    :param parameters: what it is told beside that; ``world``, where empty, means that they go by
        what their laser scanners show.
    :param options: for ``launch_ros.actions.Node``.
    """
    motion = read(MOTION, settings[MOTION.name]) if settings[MOTION.name] else ''
    driven = [robot for robot, tasks in zip(robots, tasks_of(settings, robots))
              if motion == 'wander' or not motion and set(tasks) <= set(STANDING)]
    if not driven:
        return []
    return [ours(settings, 'wander', 'wander' if len(robots) > 1 else f'wander_{robots[0]}',
                 {'robots': ','.join(driven), **parameters}, **options)]


def tasks_of(settings: Mapping[str, str], robots: Iterable[str]) -> list[list[str]]:
    """
    Return the tasks of each robot, by argument or by the file of parameters, in all instances.

    :param robots: their namespaces.

    >>> tasks_of({'tasks': 'count, patrol', 'params_file': ''}, ['robot_1'])
    [['count', 'patrol']]
    """
    argument = {'tasks': settings['tasks']} if settings['tasks'] else {}
    return [[name for place in _places(said) for name in names_in(str(said.get(place, '')))]
            for said in told(settings['params_file'], [f'{robot}/{NODE}' for robot in robots],
                             argument)]


def _places(said: Mapping[str, Any]) -> list[str]:
    """Return the parameters that name tasks of a robot that is told so."""
    return ['tasks', *(f'{name}.tasks' for name in names_in(str(said.get('instances', ''))))]


def check_scanner(settings: Mapping[str, str], robots: Sequence[str], beams: int) -> None:
    """
    Refuse tasks that would have robots stand for ever.

    :param robots: their namespaces.
    :param beams: of the laser scanner; 0 for none.
    :raises ParameterError: naming the tasks.
    """
    tasks = {name: None for names in tasks_of(settings, robots) for name in names}
    blind = [name for name in tasks if name in BY_SCANS]
    if blind and not beams:
        raise ParameterError(f'parameter lidar: 0 leaves robots blind, and {", ".join(blind)} '
                             'drives by a laser scanner; give lidar:=36, for example')
