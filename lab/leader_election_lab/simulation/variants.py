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
Algorithms in forms that only the laboratory runs: with regions on top, or with other levels.

An election with regions is one algorithm with a flat state. Its decisions are numbers. The round
is the one that robots run after their election
(:func:`leader_election.election.regions.pattern.coordinate`).
"""

from dataclasses import replace
from functools import cache, lru_cache
from typing import Any, cast, get_type_hints, NamedTuple

from leader_election.election.algorithms import Algorithm, ALGORITHMS, Device
from leader_election.election.algorithms.algorithm import BARRED
from leader_election.election.algorithms.fields import Unbounded
from leader_election.election.regions.pattern import coordinate, Member, scaled
from leader_election.election.regions.region import CANDIDATE, Region
from leader_election.parameters import ParameterError


def with_effective_strength(device: Device, role: int) -> Device:
    """
    Return the device with its effective strength: only candidates have their own.

    :param role: ``CANDIDATE``, ``WORKER`` or ``RELAY``.

    >>> from leader_election.election.regions.region import WORKER
    >>> with_effective_strength(Device(3, 7.0), WORKER).strength == BARRED
    True
    """
    return Device(
        device.id, device.strength if role == CANDIDATE else BARRED, device.chance)


class Types(NamedTuple):
    """The named tuples of an election with regions, found as ``State_bounded`` in this module."""

    State: type[Any]
    Columns: type[Any]
    """The same fields, each a sequence of its type."""
    Parameters: type[Any]
    """``election`` and ``region``, the parameters of both."""


@cache
def types_of(election: str) -> Types:
    """Return the types of an election algorithm with regions, cached."""
    state = get_type_hints(ALGORITHMS.get(election).state, include_extras=True)
    region = {**get_type_hints(Region, include_extras=True), 'decision': tuple[Unbounded, ...]}
    both = state.keys() & region.keys()
    if both:
        raise ParameterError(f'algorithm {election} cannot have regions on top, since its state '
                             f'has a field named {", ".join(sorted(both))}; rename it')
    fields = {**state, **region}

    def named(kind: str, fields: dict[str, Any]) -> Any:
        # Cached compiled code finds the type by this name.
        made = cast(Any, NamedTuple)(_name(kind, election), list(fields.items()))
        made.__module__ = __name__
        return made
    return Types(named('State', fields), named('Columns', fields),
                 named('Parameters', {'election': Any, 'region': Any}))


def _name(kind: str, election: str) -> str:
    return f'{kind}_{election.replace("-", "_")}'


def __getattr__(name: str) -> Any:
    """Return a type by its name."""
    for election in ALGORITHMS.names():
        for kind in Types._fields:
            if name == _name(kind, election):
                return getattr(types_of(election), kind)
    raise AttributeError(f'module {__name__} has no {name}')


@cache
def round_of(election: str) -> Any:
    """Return the round of an election algorithm with regions, cached."""
    elect, state = ALGORITHMS.get(election).round, types_of(election).State
    # Fields of others may follow.
    end = len(state._fields)
    begin = end - len(Region._fields)

    def round_in_regions(device: Device, before: Any, neighbours: Any, metric: Any,
                         parameters: Any) -> Any:
        region = parameters.region
        stands = with_effective_strength(device, before.role)
        if region.gain > 0.0:
            elected = elect(stands, before, neighbours, scaled(neighbours.reach, metric, region),
                            parameters.election)
        else:
            elected = elect(stands, before, neighbours, metric, parameters.election)
        after = coordinate(
            device, elected.leader, elected.distance,
            Member(*((before.leader, before.distance) + before[begin:end])),
            Member(*((neighbours.leader, neighbours.distance) + neighbours[begin:end])),
            metric, region, None)
        return state(*(elected[:] + after[:]))
    return round_in_regions


@lru_cache(maxsize=64)
def coordinated(election: str, identity: Region) -> Algorithm:
    """
    Return an election algorithm with regions on top.

    Its parameters are ``types_of(election).Parameters``.

    :param identity: the initial state of a robot in its region, with vectors of the final length.
    """
    algorithm, types = ALGORITHMS.get(election), types_of(election)

    def start(device: Device) -> Any:
        alone = algorithm.start(with_effective_strength(device, identity.role))
        return types.State(*alone, *identity._replace(device=device.id))
    return Algorithm(
        name=algorithm.name, round=round_of(election), state=types.State, columns=types.Columns,
        start=start, configure=types.Parameters, levels=algorithm.levels)


@lru_cache(maxsize=64)
def with_levels(algorithm: Algorithm, levels: int) -> Algorithm:
    """
    Return the same algorithm with another number of levels, for a recursion without an end.

    Robots have to agree on the length of their messages, so they all have
    :attr:`~leader_election.Algorithm.levels`.

    :param levels: >= 2.
    """
    longer = {field.name: field.padding[:1] * (len(field.padding) // algorithm.levels * levels)
              for field in algorithm.fields if field.per_level and field.padding is not None}

    def start(device: Device) -> Any:
        return algorithm.start(device)._replace(**longer)
    return replace(algorithm, levels=levels, start=start)
