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
"""The algorithms of the study, with settings for a network of a given diameter."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from leader_election.lab.experiment.scenario import load
import yaml

SCENARIO = 'scale'
"""The scenario of the package that declares all of them."""


@dataclass(frozen=True)
class Contestant:
    """An algorithm, its settings for a network, and its estimated time."""

    label: str
    """As in the scenario."""
    gateways: bool = False
    """Whether its leaders are given: gateways, on a grid of their own."""
    one_leader: bool = False
    """Whether it elects one leader for all."""
    by_diameter: Mapping[str, float] = field(default_factory=dict, hash=False)
    """Settings that are multiples of the diameter, rounded, and at least 1."""
    first: float = 0.0
    """The approximate rounds until nothing changes, in units of the diameter."""
    again: float = 0.0
    """Likewise after the loss of all leaders."""
    squared: float = 0.0
    """The addition in both cases, in units of the square of the diameter."""
    waits: float = 1.0
    """The longest time without a change before leaders change again, in units of the diameter."""
    patience: int = 0
    """The same for regions, whose depth does not grow with the diameter [rounds]."""
    most_leaders: float = float('inf')
    """The greatest number of leaders that it can elect."""

    def entry(self, hops: int) -> dict[str, Any]:
        """
        Return the algorithm as a scenario declares it.

        :param hops: the diameter of the network.

        >>> Contestant('bounded-all', by_diameter={'hop_limit': 1.5}).entry(100)['hop_limit']
        150
        """
        [entry] = [entry for entry in yaml.safe_load(load(SCENARIO).text)['algorithms']
                   if entry.get('label', entry['name']) == self.label]
        return entry | {key: max(1, round(times * hops))
                        for key, times in self.by_diameter.items()}

    def quiet(self, hops: int) -> int:
        """
        Return the number of rounds without a change of leaders after which a phase is over.

        It is used for states that never rest. As rounds of neighbours are not simultaneous,
        information travels some four hops a round. So a leader waits for information from the
        whole network for fewer rounds than the diameter has hops.
        """
        return max(self.patience, round(self.waits * hops)) + 20

    def foreseen(self, hops: int, leaders_lost: bool) -> float:
        """Return the estimated rounds of a phase, from smaller networks."""
        linear = self.again if leaders_lost else self.first
        return 60.0 + linear * hops + self.squared * hops * hops


CONTESTANTS: Sequence[Contestant] = (
    Contestant('bounded'),
    Contestant('given', gateways=True),
    Contestant('classic'),
    Contestant('resilient-regions', waits=0.0, patience=80),
    Contestant('recursive', most_leaders=16),
    Contestant('recursive-replicated', by_diameter={'replicate_period': 0.6}, first=3.0,
               again=5.0, waits=2.4, most_leaders=16),
    Contestant('bounded-all', one_leader=True, by_diameter={'hop_limit': 1.5}, first=0.5,
               again=1.8),
    Contestant('resilient-2', one_leader=True, first=2.2, again=3.7),
    Contestant('resilient-1', one_leader=True, first=1.0, again=3.0, squared=0.3),
    Contestant('colour', one_leader=True, first=2.0, again=2.7))
"""Algorithms with regions first, then those with one leader for all."""
