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
The result of a run, and snapshots of its network.

This module needs no compiler, so that programs that only read results load fast.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from leader_election_lab.engine.network import Network
from leader_election_lab.simulation.network_events import leading
import numpy as np
from numpy.typing import NDArray


class Snapshot(NamedTuple):
    """A network of n devices at one time."""

    time: float
    """[s]."""
    id: NDArray[np.int64]  # noqa: A003
    position: NDArray[np.float64]
    """Shape (n, 2) [m]."""
    leader: NDArray[np.int64]
    is_leader: NDArray[np.bool_]
    running: NDArray[np.bool_]
    pairs: NDArray[np.int32]
    """The indices of devices that are in range of each other, shape (m, 2)."""


@dataclass(frozen=True)
class Run:
    """The result of a run."""

    samples: NDArray[np.float64]
    counts: NDArray[np.int64]
    message_bytes: float
    """The mean length of the messages that devices would send at the end, as robots do [bytes]."""
    snapshots: Sequence[Snapshot] = ()
    devices: NDArray[np.float64] | None = None
    """The id and the measures of each device, shape (n, 1 + measures), if they are wanted."""


class Listed(NamedTuple):
    """The links that are listed, in range or not."""

    slots: NDArray[np.int64]
    pairs: NDArray[np.int32]
    """The receiver and the sender of each, shape (m, 2)."""
    near: NDArray[np.bool_]


def links_of(network: Network, reach: float) -> Listed:
    """
    Return all listed links of a network.

    :param reach: the range of messages [m].
    """
    links, position = network.links, network.devices.position
    length = links.row[:, 1] - links.row[:, 0]
    receiver = np.repeat(np.arange(len(length)), length)
    # Row by row in the order of devices.
    slots = links.row[receiver, 0] + np.arange(len(receiver)) - np.repeat(
        np.cumsum(length) - length, length)
    pairs = np.stack([receiver, links.neighbour[slots]], axis=1).astype(np.int32)
    apart = np.linalg.norm(position[pairs[:, 0]] - position[pairs[:, 1]], axis=1)
    return Listed(slots, pairs, apart <= reach)


def snapshot(network: Network, leader: NDArray[np.int64], reach: float, time: float) -> Snapshot:
    """
    Return a copy of the present network.

    :param leader: the id of each device's leader, shape (n,).
    :param reach: the range of messages [m].
    :param time: now [s].
    """
    devices = network.devices
    _, pairs, near = links_of(network, reach)
    return Snapshot(
        time, devices.id.copy(), devices.position.copy(), leader.copy(), leading(network),
        devices.running.copy(), pairs[near & (pairs[:, 0] < pairs[:, 1])])
