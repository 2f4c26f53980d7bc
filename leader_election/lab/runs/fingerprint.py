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
The key of a run: digests of the scenario, of the algorithm, and of their code.

The scenario is digested as read: a comment, a title, another order of keys or ``10.0`` for ``10``
make no difference, but a default that is written out does.
"""

from collections.abc import Iterator
import hashlib
import json
from typing import Any, NamedTuple

from leader_election.election.algorithms import ALGORITHMS
from leader_election.election.coordination.aggregate import AGGREGATES
from leader_election.lab.experiment.scenario import Entrant, named_files, Scenario
from leader_election.lab.experiment.variations import label_of
from leader_election.lab.runs import sources
from leader_election.lab.simulation.events import EVENTS

NOT_OF_RUNS = ('title', 'source', 'algorithms', 'vary')
"""Sections of a scenario that a run of one algorithm in one variant does not depend on."""
DIGITS = 12
"""Hexadecimal digits of each digest."""


class Fingerprint(NamedTuple):
    """The digests of all inputs of the runs of an algorithm in a scenario."""

    scenario: str
    """Of the scenario without its algorithms, and of the files that it names."""
    algorithm: str
    """Of the entry of the algorithm, but for its label."""
    code: str
    """Of the version and the sources of this package, and of code of others that is chosen."""

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


def fingerprint(scenario: Scenario, algorithm: str, but_later_events: bool = False) -> Fingerprint:
    """
    Return the digests of all inputs of the runs of an algorithm in a scenario.

    :param algorithm: its label.
    :param but_later_events: without the events that happen during the run. Runs with the same
        digests and seed are identical up to the first event that differs.
    """
    entrant, raw = scenario.entrant(algorithm), scenario.raw()
    world = {key: value for key, value in raw.items() if key not in NOT_OF_RUNS}
    # Events that are prepared at the start have an effect from the start on.
    world['events'] = [event for event in raw.get('events') or () if not but_later_events
                       or EVENTS.get(event['kind']).prepare is not None]
    entry = next(dict(entry) for entry in raw['algorithms'] if label_of(entry) == algorithm)
    entry.pop('label', None)
    return Fingerprint(
        _digest(world, *_contents(scenario)), _digest(entry),
        sources.of_run(tuple(_chosen(scenario, entrant)))[:DIGITS])


def _digest(*parts: Any) -> str:
    # 10 and 10.0 are the same number.
    parsed = json.loads(json.dumps(parts, default=str), parse_int=float)
    return hashlib.sha256(json.dumps(parsed, sort_keys=True).encode()).hexdigest()[:DIGITS]


def _contents(scenario: Scenario) -> Iterator[str]:
    """Yield digests of the files that topologies, motion and events read."""
    named = [group.parameters for group in scenario.groups]
    named += [scenario.motion_parameters, *(parameters for _, parameters in scenario.events)]
    for parameters in named:
        yield from (sources.digest([file]) for file in named_files(parameters))


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
