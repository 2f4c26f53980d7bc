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

"""
The own parameters of an algorithm, a metric or a strength source, declared with it.

Their names on a node begin with its name: ``given.leaders``. Those of what is not chosen are
refused.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TYPE_CHECKING, TypeVar

from leader_election.election.algorithms import ALGORITHMS
from leader_election.election.robot.metrics import METRICS
from leader_election.election.robot.strength import STRENGTH_SOURCES
from leader_election.parameters import build, NoParameters, ParameterError, table
from leader_election.parameters.registry import Registry
from leader_election.parameters.values import shown

if TYPE_CHECKING:
    from leader_election.election.robot.parameters import InstanceParameters

P = TypeVar('P', bound='InstanceParameters')
S = TypeVar('S')


def own_parameters(entry: Any, parameters: Any) -> Any:
    """
    Return the own parameters of an algorithm, a metric or a strength source on a robot.

    :param entry: from its registry.
    :param parameters: the robot's, or those of one of its instances.
    """
    return parameters.own.get(entry.name) or entry.parameters()


def prefix_of(entry: Any) -> str:
    """
    Return the prefix of an entry's own parameters on a node.

    >>> prefix_of(ALGORITHMS.get('recursive-replicated'))
    'recursive_replicated.'
    """
    return str(entry.name).replace('-', '_') + '.'


CHOICES: Mapping[str, Registry[Any]] = {
    'algorithm': ALGORITHMS, 'strength_source': STRENGTH_SOURCES, 'metric': METRICS}
"""The parameters that choose an entry with parameters of its own."""


def own_sections() -> dict[str, type]:
    """Return the own parameters of all entries of :data:`CHOICES`, by their prefix on a node."""
    return {prefix_of(entry): entry.parameters for registry in CHOICES.values()
            for entry in map(registry.get, registry.names())
            if entry.parameters is not NoParameters}


def chosen_entries(values: Mapping[str, Any], prefix: str = '') -> list[Any]:
    """
    Return the chosen entries that have parameters of their own.

    :param values: of a robot's parameters by name, not all of them and unchecked.
    :param prefix: of the instance's parameters.

    >>> [entry.name for entry in chosen_entries({'top.algorithm': 'given'}, 'top.')]
    ['given']
    """
    chosen = [registry.get(values[prefix + key]) for key, registry in CHOICES.items()
              if values.get(prefix + key) in registry.names()]
    return [entry for entry in chosen if entry.parameters is not NoParameters]


def refuse_unchosen(values: Mapping[str, Any], prefix: str = '') -> None:
    """
    Refuse own parameters of what is not chosen. A parameter file may name them with the default.

    :param values: as :func:`chosen_entries` takes them.
    :raises ParameterError: for the first one.
    """
    chosen = [prefix_of(entry) for entry in chosen_entries(values, prefix)]
    for section, parameters in own_sections().items():
        for p in table(parameters, prefix + section):
            if (section not in chosen and p.name in values
                    and p.check(values[p.name]) != p.default):
                raise ParameterError(p.name, problem=f': {shown(values[p.name])} is not allowed; '
                                     f'{section[:-1]} is not chosen')


def built(kind: type[P], values: Mapping[str, Any], prefix: str = '') -> P:
    """
    Return checked parameters of a robot or an instance, with those of what it chooses.

    :param values: by their names on a node. Others than these parameters are ignored.
    :param prefix: of the instance's parameters.
    :raises ParameterError: for a wrong value. It has the name on the node.
    """
    def section(kind: type[S], prefix: str) -> S:
        try:
            return build(kind, {p.name: values[prefix + p.name] for p in table(kind)
                                if prefix + p.name in values})
        except ParameterError as error:
            raise error.named(prefix + error.name) from None

    refuse_unchosen(values, prefix)
    return replace(section(kind, prefix), own={
        entry.name: section(entry.parameters, prefix + prefix_of(entry))
        for entry in chosen_entries(values, prefix)})
