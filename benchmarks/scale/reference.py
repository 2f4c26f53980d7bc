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
"""The reference partition of a network at rest: which devices have the leader that is right."""

from leader_election_lab.simulation.network_events import leading
from leader_election_lab.simulation.simulation import Simulation
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import KDTree

TOLERANCE = 1e-6
"""By how much a path at the limit of the radius may be longer or shorter [m]."""


def right(position: NDArray[np.float64], leader: NDArray[np.int64], leads: NDArray[np.bool_],
          strength: NDArray[np.float64], reach: float, radius: float) -> NDArray[np.bool_]:
    """
    Return a mask of the devices whose leader no neighbour and no strength contradicts, shape (n,).

    All are right if and only if they form the reference partition without hysteresis. It follows
    from true positions: a device is wrong if its leader is not within the radius over devices with
    the same leader, if it is stronger than its leader, or if a stronger leader of a neighbour is
    within the radius. Of equal strengths the first device is the stronger one.

    :param position: of the running devices, shape (n, 2) [m].
    :param leader: the place of each device's leader in these arrays, -1 for others, shape (n,).
    :param leads: whether each device leads itself, shape (n,).
    :param strength: of each device, shape (n,).
    :param reach: the range of messages [m].
    :param radius: the greatest distance to a leader [m].

    >>> line, strength = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]), np.array([5.0, 0.0, 9.0])
    >>> right(line, np.array([0, 1, 2]), np.full(3, True), strength, 1.0, 1.5)
    array([ True, False,  True])
    >>> right(line, np.array([0, 2, 2]), np.array([True, False, True]), strength, 1.0, 1.5)
    array([ True,  True,  True])
    """
    n = len(position)
    one, other = KDTree(position).query_pairs(reach, output_type='ndarray').T
    one, other = np.concatenate([one, other]), np.concatenate([other, one])
    length = np.hypot(*(position[one] - position[other]).T)
    rank = np.empty(n + 1, np.int64)
    rank[np.lexsort((np.arange(n), -strength))] = np.arange(n)
    rank[-1] = n  # Of no leader.
    within = leader[one] == leader[other]
    links = coo_array((length[within], (one[within], other[within])), shape=(n, n)).tocsr()
    own = np.flatnonzero(leads)
    far = dijkstra(links, indices=own, min_only=True) if len(own) else np.full(n, np.inf)
    found = (leader >= 0) & (far <= radius + TOLERANCE) & (rank[leader] <= rank[:n])
    missed = ~within & (rank[leader[other]] < rank[leader[one]]) & (
        far[other] + length <= radius - TOLERANCE)
    found[one[missed]] = False
    return found


def right_share(simulation: Simulation, radius: float) -> float:
    """
    Return the share of the running devices that have the right leader, 1 if none runs.

    :param radius: the greatest distance to a leader [m].
    """
    network = simulation.network
    devices, running = network.devices, network.devices.running
    if not running.any():
        return 1.0
    places = np.full(devices.id.max() - devices.id.min() + 2, -1)
    places[devices.id[running] - devices.id.min()] = np.arange(running.sum())
    named = network.exports[running, network.offsets.leader] - devices.id.min()
    leader = places[np.where((named >= 0) & (named < len(places)), named, -1)]
    return float(right(devices.position[running], leader, leading(network)[running],
                       devices.strength[running], simulation.scenario.messages.range,
                       radius).mean())
