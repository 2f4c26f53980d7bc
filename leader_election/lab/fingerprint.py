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

from dataclasses import replace
import hashlib

from leader_election.lab import sources
from leader_election.lab.events import EVENTS
from leader_election.lab.scenario import Scenario
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
             sources.of_runs(entrant.algorithm.name,
                             entrant.regions.aggregate if entrant.regions is not None else ''))
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def stem(scenario: Scenario, algorithm: str) -> str:
    """
    Return a digest of all that the runs follow from until something happens.

    Runs with the same one, and the same seed, are the same up to the first event that differs.
    """
    raw = yaml.safe_load(scenario.text)
    # What is prepared at the start counts from then on.
    raw['events'] = [event for event in raw.get('events') or ()
                     if EVENTS.get(event['kind']).prepare is not None]
    return fingerprint(replace(scenario, text=yaml.safe_dump(raw)), algorithm)
