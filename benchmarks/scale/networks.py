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
The algorithms of the study, and its networks: squares, strips and one with a long range.

Devices stand 50 m apart, with an offset of up to a quarter of that. In the squares the diameter
grows with the root of their number. The strips have few devices and a large diameter. The network
with a long range has many devices and a small one. So they show whether a figure depends on size
or on diameter.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
import math
from typing import Any

from leader_election_lab.experiment.scenario import load, Scenario
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import KDTree
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

    @property
    def radius(self) -> float | None:
        """
        Return the radius of the reference partition [m], ``None`` if it is not judged.

        The leaders of ``classic`` depend on the past. Those of ``given`` are given, and those of
        ``resilient-regions`` have no radius.
        """
        if self.label in ('classic', 'given', 'resilient-regions'):
            return None
        return math.inf if self.one_leader else RADIUS

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


SPACING = 50.0
"""From one device to the next, before its offset [m]."""
IRREGULARITY = 0.25
"""The greatest offset of a device in each direction, as a part of the spacing."""
GATEWAYS = 10
"""The distance from one given leader to the next [devices]."""
RANGE = 80.0
"""The default range of messages [m]."""
DETOUR = 1.6
"""The diameter in hops is about this many times the longer side by the range."""
RADIUS = 500.0
"""The radius of regions [m], as in the scenario."""
COVER = 2.9
"""The measured ratio of the area of all leaders' circles to that of the network."""


@dataclass(frozen=True)
class Network:
    """Devices on a jittered grid."""

    columns: int
    rows: int
    range: float = RANGE  # noqa: A003
    """The range of messages [m]."""

    @property
    def devices(self) -> int:
        """Return the number of devices."""
        return self.columns * self.rows

    @property
    def hops(self) -> int:
        """
        Return the diameter by a rule of thumb, from the extent and the range [hops].

        >>> Network(100, 10).hops
        100
        """
        return math.ceil(DETOUR * SPACING * max(self.columns, self.rows) / self.range)

    @property
    def leaders(self) -> float:
        """
        Return the number of leaders with the radius of the study, about.

        >>> round(Network(100, 100).leaders)
        92
        """
        return self.devices * SPACING ** 2 * COVER / (math.pi * RADIUS ** 2)

    @property
    def shape(self) -> str:
        """One of square, strip, long range."""
        if self.range != RANGE:
            return 'long range'
        return 'square' if self.columns == self.rows else 'strip'

    @property
    def name(self) -> str:
        """
        Return the name, the prefix of file names.

        >>> Network(1000, 10).name
        '1000x10-80m'
        """
        return f'{self.columns}x{self.rows}-{self.range:g}m'


NETWORKS: Sequence[Network] = (
    Network(10, 10), Network(32, 32), Network(100, 100), Network(316, 316), Network(1000, 1000),
    Network(100, 10), Network(1000, 10), Network(1000, 100), Network(100, 100, 600.0))
"""Squares, strips that are 100, 1000 and 1000 hops long, and a square of about 14 hops."""


def scenario_of(network: Network, contestant: Contestant, budget: int) -> Scenario:
    """
    Return the scenario ``scale`` with a network, for one algorithm.

    Given leaders are separate devices: one for a hundred others.

    :param budget: of a phase [rounds]. There are four phases.
    """
    entry, devices = contestant.entry(network.hops), [
        {'kind': 'grid', 'columns': network.columns, 'rows': network.rows,
         'step': [SPACING, SPACING], 'irregularity': IRREGULARITY}]
    if contestant.gateways:
        columns, rows = (math.ceil(side / GATEWAYS) for side in (network.columns, network.rows))
        # In the middle between devices.
        first = [SPACING * (min(side, GATEWAYS) - 1) / 2 for side in (network.columns,
                                                                      network.rows)]
        devices.append({'kind': 'grid', 'columns': columns, 'rows': rows, 'first': first,
                        'step': [SPACING * GATEWAYS, SPACING * GATEWAYS]})
        entry['leaders'] = f'{network.devices}-{network.devices + columns * rows - 1}'
    return load(SCENARIO).replaced({
        'duration': 4 * budget + 4, 'events': [], 'algorithms': [entry], 'devices': devices,
        'messages.range': network.range})


def diameter(position: NDArray[np.float64], reach: float) -> int:
    """
    Return the diameter of a network, the greatest number of hops between two devices.

    By two sweeps: the device farthest from a corner, and the device farthest from that. This is
    never too large, and in a strip or a square hardly ever too small.

    :param position: shape (n, 2) [m].
    :param reach: the range of messages [m].

    >>> diameter(np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.5, 0.0]]), 1.5)
    3
    """
    n = len(position)
    pairs = KDTree(position).query_pairs(reach, output_type='ndarray').astype(np.int32)
    links = coo_array((np.ones(len(pairs), np.int8), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    links = links.tocsr()
    farthest, hops = 0, 0.0
    for _ in range(2):
        away: Any = dijkstra(links, directed=False, unweighted=True, indices=farthest)
        away[np.isinf(away)] = -1.0
        farthest, hops = int(away.argmax()), float(away.max())
    return int(hops)
