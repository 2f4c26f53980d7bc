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

"""The parameters of a robot's instances and plug-ins, declared on its node."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
import re
from typing import Any, TypeVar

from leader_election.election.algorithms import ALGORITHMS
from leader_election.election.messages.codec import MAIN
from leader_election.election.robot.metrics import METRICS
from leader_election.election.robot.parameters import (
    ElectionParameters,
    has_own,
    InstanceParameters,
    names_in,
    prefix_of,
)
from leader_election.election.robot.strength import STRENGTH_SOURCES
from leader_election.parameters import ParameterError
from leader_election.ros.nodes.declare import Declarations, Declared

P = TypeVar('P', bound=InstanceParameters)
NAME = r'[a-z][a-z0-9_]*'
"""The allowed names of instances, which become part of topic and parameter names."""


def declare(
    declarations: Declarations, parameters: ElectionParameters,
    changed: Callable[[str, InstanceParameters], None],
) -> dict[str, Declared[InstanceParameters]]:
    """
    Declare the parameters of all further instances, each under ``<instance>.``.

    :param changed: called with an instance's name and its new values after a change at run time.
    :raises ParameterError: for an invalid or a duplicate name.
    """
    found: dict[str, Declared[InstanceParameters]] = {}
    for name in names_in(parameters.instances):
        if not re.fullmatch(NAME, name) or name == MAIN or name in found:
            raise ParameterError('instances', name, 'different names of small letters, digits and '
                                 f'_, none of them {MAIN}')
        found[name] = declarations.declare(
            InstanceParameters, partial(changed, name), f'{name}.')
    return found


def with_own_parameters(declarations: Declarations, values: P, changed: Callable[[], None],
                        prefix: str = '') -> P:
    """
    Return the parameters of a robot or an instance, with those of its plug-ins.

    The parameters of the chosen algorithm, strength source and metric are declared under their
    names, for example ``greedy.margin``.

    :param changed: called after one of them has changed at run time.
    :param prefix: the prefix of the instance's parameters.
    :raises ParameterError: for a value of the wrong type or out of range.
    """
    entries: list[Any] = [ALGORITHMS.get(values.algorithm),
                          STRENGTH_SOURCES.get(values.strength_source)]
    if isinstance(values, ElectionParameters):
        entries.append(METRICS.get(values.metric))
    entries = [entry for entry in entries if has_own(entry)]
    names = [entry.name for entry in entries]
    for name in names:
        if names.count(name) > 1:
            raise ParameterError('algorithm', problem=f': {name!r} is not allowed beside a '
                                 'metric or a strength source of the same name, since both have '
                                 'parameters of their own; rename one')
    own = {entry.name: declarations.declare(
        entry.parameters, lambda _: changed(), prefix + prefix_of(entry)).values
        for entry in entries}
    return replace(values, own=own) if own else values
