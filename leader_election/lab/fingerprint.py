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

"""What the numbers of a run follow from, as digests."""

from collections.abc import Iterator
from dataclasses import replace
import hashlib
from typing import Any

from leader_election.algorithms import ALGORITHMS
from leader_election.coordination.aggregate import AGGREGATES
from leader_election.lab import sources
from leader_election.lab.events import EVENTS
from leader_election.lab.scenario import Entrant, Scenario
import yaml


def fingerprint(scenario: Scenario, algorithm: str) -> str:
    """
    Return a digest of all that the runs of an algorithm in a scenario follow from.

    :param algorithm: its label.
    :return: 16 hexadecimal digits.
    """
    entrant = scenario.entrant(algorithm)
    text = yaml.safe_dump({**yaml.safe_load(scenario.text), 'vary': {}, 'algorithms': [],
                           'title': '', 'source': ''})
    parts = (text, entrant.label, entrant.parameters, entrant.weakest, entrant.regions,
             sources.of_run(tuple(_chosen(scenario, entrant)), algorithm_modules()))
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def algorithm_modules() -> frozenset[str]:
    """Return the modules of all algorithms: runs follow from that of their own one only."""
    return frozenset(ALGORITHMS.get(name).round.__module__ for name in ALGORITHMS.names())


def stem(scenario: Scenario, algorithm: str) -> str:
    """
    Return a digest of all that the runs follow from until something happens.

    Runs with the same one, and the same seed, are the same up to the first event that differs.
    """
    raw = yaml.safe_load(scenario.text)
    # What is prepared at the start counts from then on.
    raw['events'] = [event for event in raw.get('events') or ()
                     if EVENTS.get(event['kind']).prepare is not None]
    events = tuple(each for each in scenario.events if each[0].prepare is not None)
    return fingerprint(replace(scenario, text=yaml.safe_dump(raw), events=events), algorithm)


def _chosen(scenario: Scenario, entrant: Entrant) -> Iterator[Any]:
    """Yield the functions that the scenario has chosen by their names."""
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
