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
Digests of all inputs of a run: the scenario, the algorithm, and their code.

Scenarios are digested as parsed: a comment, a title, another order of keys, ``1e1`` for ``10`` or
an explicit default make no difference.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
import hashlib
from typing import Any, NamedTuple

from leader_election.election.algorithms import ALGORITHMS
from leader_election.election.coordination.aggregate import AGGREGATES
from leader_election.lab import sources
from leader_election.lab.scenario import Entrant, named_files, Scenario
import numpy as np

NOT_OF_RUNS = ('name', 'text', 'title', 'source', 'entrants', 'vary')
"""Parts of a scenario that a run of one algorithm in one variant does not depend on."""
DIGITS = 12
"""Hexadecimal digits of each digest."""


class Fingerprint(NamedTuple):
    """The digests of all inputs of the runs of an algorithm in a scenario."""

    scenario: str
    """Of the scenario without its algorithms, and of the files that it names."""
    algorithm: str
    """Of the algorithm, its parameters, and its regions; not of its label."""
    code: str
    """Of the sources, without those of the other algorithms."""

    def __str__(self) -> str:
        """Return the fingerprint as text, as used in file names."""
        return '-'.join(self)

    def difference(self, other: str) -> str:
        """
        Return the parts that differ from another fingerprint, given as text.

        >>> Fingerprint('a', 'b', 'c').difference('a-b-d')
        'code'
        """
        parts = other.split('-')
        if len(parts) != len(self):
            return 'code'
        named = {'scenario': 'scenario', 'algorithm': 'parameters', 'code': 'code'}
        return ' and '.join(text for (field, text), own, others in zip(
            named.items(), self, parts) if own != others)


def fingerprint(scenario: Scenario, algorithm: str) -> Fingerprint:
    """
    Return the digests of all inputs of the runs of an algorithm in a scenario.

    :param algorithm: its label.
    """
    entrant = scenario.entrant(algorithm)
    world = [(field.name, _canonical(getattr(scenario, field.name)))
             for field in fields(scenario) if field.name not in NOT_OF_RUNS]
    under_test = (entrant.algorithm.name, _canonical(entrant.parameters), entrant.weakest,
                  _canonical(entrant.regions), entrant.algorithm.levels)
    return Fingerprint(
        _digest(world, list(_contents(scenario))), _digest(under_test),
        sources.of_run(tuple(_chosen(scenario, entrant)), algorithm_modules())[:DIGITS])


def _digest(*parts: Any) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:DIGITS]


def _canonical(value: Any) -> Any:
    """Return a value in a form with the same ``repr`` in all processes."""
    if is_dataclass(value) and not isinstance(value, type):
        return type(value).__name__, [(field.name, _canonical(getattr(value, field.name)))
                                      for field in fields(value)]
    if isinstance(value, Mapping):
        return sorted((str(key), _canonical(inner)) for key, inner in value.items())
    if isinstance(value, (set, frozenset)):
        return sorted(map(repr, map(_canonical, value)))
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.shape, hashlib.sha256(value.tobytes()).hexdigest()
    if isinstance(value, (bool, int, float, np.generic)):
        number = value.item() if isinstance(value, np.generic) else value
        # 10 and 10.0 are the same number; ids beyond 2**53 are no floats.
        return float(number) if float(number) == number else number
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return [_canonical(inner) for inner in value]
    if callable(value):
        # Its code is in the digest of the code.
        return getattr(value, '__module__', ''), getattr(value, '__qualname__', '')
    return value


def _contents(scenario: Scenario) -> Iterator[str]:
    """Yield digests of the files that topologies, motion and events read."""
    named = [group.parameters for group in scenario.groups]
    named += [scenario.motion_parameters, *(parameters for _, parameters in scenario.events)]
    for parameters in named:
        yield from (sources.digest([file]) for file in named_files(parameters))


def algorithm_modules() -> frozenset[str]:
    """Return the modules of all algorithms; a run depends only on that of its own algorithm."""
    return frozenset(ALGORITHMS.get(name).round.__module__ for name in ALGORITHMS.names())


def stem(scenario: Scenario, algorithm: str) -> str:
    """
    Return a digest of all inputs of the runs but later events.

    Runs with the same digest and seed are identical up to the first event that differs.
    """
    # Events that are prepared at the start have an effect from the start on.
    events = tuple(each for each in scenario.events if each[0].prepare is not None)
    return str(fingerprint(replace(scenario, events=events), algorithm))


def _chosen(scenario: Scenario, entrant: Entrant) -> Iterator[Any]:
    """Yield the functions that the scenario chooses by name."""
    election = ALGORITHMS.get(entrant.algorithm.name)
    for algorithm in (election, entrant.algorithm):
        yield from (algorithm.round, algorithm.state, algorithm.start, algorithm.configure)
    if entrant.regions is not None:
        yield AGGREGATES.get(entrant.regions.aggregate).make
    yield from (scenario.motion.step, scenario.motion.begin, scenario.motion.speed)
    for group in scenario.groups:
        yield group.topology.place
    for event, _ in scenario.events:
        yield event.happen
