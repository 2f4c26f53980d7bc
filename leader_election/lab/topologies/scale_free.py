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
A scale-free tree: each new device links to one that is there, the rather the more links that has.

A.-L. Barabasi, R. Albert, "Emergence of Scaling in Random Networks", Science 286, 1999, with one
link a new device. The places are those of a layout by springs, as in the artefact of D. Pianini,
R. Casadei, M. Viroli, ACSOS 2022, section V (Zenodo 6566627).
"""

from dataclasses import dataclass

from leader_election.lab.topologies.springs import settle
from leader_election.lab.topologies.topology import Placement, TOPOLOGIES, Topology
from leader_election.parameters import parameter, REQUIRED_INT
import networkx as nx  # type: ignore[import-untyped]
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ScaleFreeParameters:
    """How many, and how far apart."""

    count: int = parameter(
        REQUIRED_INT, 'How many devices there are.', lower=2, upper=5000, required=True)
    edge_length: float = parameter(
        1.0, 'The length at which the spring of a link pulls no more; links come out longer, '
        'since devices also repel each other.',
        unit='m', lower=1e-6, upper=1e6)


def place(parameters: ScaleFreeParameters, random: np.random.Generator) -> Placement:
    """Return devices in the order in which they were added, linked for good."""
    tree = nx.barabasi_albert_graph(parameters.count, 1, seed=random)
    pairs = np.array(sorted(sorted(pair) for pair in tree.edges), np.int32)
    return Placement(parameters.edge_length * settle(sprout(pairs, random), pairs), pairs)


def sprout(pairs: NDArray[np.int32], random: np.random.Generator) -> NDArray[np.float64]:
    """
    Return a first place for each device of a tree, shape (n, 2): near the one it linked to.

    :param pairs: the links, the earlier device first, shape (n - 1, 2).
    """
    offset = random.uniform(-1.0, 1.0, (len(pairs) + 1, 2))
    position: NDArray[np.float64] = offset.copy()
    for earlier, later in sorted(pairs.tolist(), key=lambda pair: int(pair[1])):
        position[later] = position[earlier] + offset[later]
    return position


SCALE_FREE = TOPOLOGIES.add(Topology(
    name='scale_free', parameters=ScaleFreeParameters, place=place))
