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

"""The settings derived from an instance's parameters, and the check that its messages fit."""

from collections.abc import Sequence
import math
from typing import Any

from leader_election.election.algorithms import Algorithm
from leader_election.election.algorithms.algorithm import hop_limit
from leader_election.election.coordination.aggregate import AggregateSet
from leader_election.election.coordination.summary_layout import OWN
from leader_election.election.robot.parameters import InstanceParameters, own_parameters
from leader_election.election.robot.task_runner import COMMON, TaskRunner
from leader_election.election.robot.wire import MAX_NAMES, MOST_NUMBERS
from leader_election.parameters import ParameterError


def election_settings(algorithm: Algorithm, parameters: InstanceParameters, link_range: float, *,
                      zone_radius: float | None = None,
                      counts_links: bool = False) -> dict[str, Any]:
    """
    Return the settings of the election's round, by name.

    :param link_range: the greatest distance of a neighbour by the metric [m]; infinite: not known.
    :param zone_radius: the radius that covers each zone [m]; ``None``: there are no zones.
    :param counts_links: whether the metric counts links, so that distances are whole.
    """
    settings = {**vars(parameters), **vars(own_parameters(algorithm, parameters))}
    if zone_radius is not None:
        # Zones bound the regions; a radius is needed to drop candidacies of failed leaders.
        settings |= {'radius': zone_radius, 'radius_hysteresis': 0.0}
    radius = settings['radius']
    if counts_links and radius > 0.0:
        # Links are whole: with a fraction of radius 1 no robot could join another.
        joining = math.ceil(radius * (1.0 - settings['radius_hysteresis']))
        settings['radius_hysteresis'] = max(1.0 - joining / radius, 0.0)
    largest = radius * (parameters.feedback_most if parameters.feedback_gain > 0.0 else 1.0)
    settings['hop_limit'] = hop_limit(
        parameters.hop_limit, largest if 'radius' in algorithm.takes else math.inf, link_range)
    return settings


def check_message(parameters: InstanceParameters, task_runners: Sequence[TaskRunner],
                  aggregates: AggregateSet) -> None:
    """
    Refuse parameters whose messages the neighbours would reject.

    :param aggregates: what the regions collect.
    :raises ParameterError: naming the parameter.
    """
    for part, aggregate in aggregates.by_name.items():
        if parameters.collection == 'multi-path' and not aggregate.idempotent \
                and aggregate.kind == OWN:
            raise ParameterError('collection', problem=": 'multi-path' is not allowed for "
                                 f'{part}, which is not idempotent; it takes tree or gossip')
    for runner in task_runners:
        for name in runner.task.collects:
            if name in COMMON:
                raise ParameterError('tasks', problem=f': {runner.name!r} is not allowed; it '
                                     f'collects {name!r}, and so does every region: '
                                     f"{', '.join(COMMON)}")
    tasks = ','.join(runner.name for runner in task_runners)
    if len(tasks) > MAX_NAMES:
        raise ParameterError('tasks', problem=f': names of {len(tasks)} characters are not '
                             f'allowed; it takes up to {MAX_NAMES}')
    rows = parameters.gossip_members if parameters.collection == 'gossip' else 1
    numbers = rows * len(aggregates.identity)
    if numbers > MOST_NUMBERS:
        name = 'gossip_members' if rows > 1 else 'tasks'
        raise ParameterError(name, problem=f': {getattr(parameters, name)!r} is not allowed; a '
                             f'message would hold {numbers} numbers, and it may hold '
                             f'{MOST_NUMBERS}')
