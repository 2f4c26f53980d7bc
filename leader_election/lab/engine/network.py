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

"""The arrays that a run lives in."""

from typing import NamedTuple

from leader_election.lab.engine.event_queue import EventQueue
from leader_election.lab.engine.links import Links
from leader_election.lab.engine.messages import Pool
from leader_election.lab.engine.samples import Watch
from leader_election.lab.engine.states import Places
import numpy as np
from numpy.typing import NDArray


class Devices(NamedTuple):
    """All devices, by index; shapes are (n,) unless said."""

    id: NDArray[np.int64]  # noqa: A003
    """Consecutive numbers, in any order."""
    by_id: NDArray[np.int64]
    """Where the device with the least id is, the one with the next, and so on."""
    strength: NDArray[np.float64]
    position: NDArray[np.float64]
    """Where each is now [m], shape (n, 2)."""
    present: NDArray[np.bool_]
    """Whether it can be in anybody's range."""
    running: NDArray[np.bool_]
    """Whether it runs rounds, and moves."""
    group: NDArray[np.int32]
    """Devices of different groups have no link, however near."""
    among: NDArray[np.bool_]
    """Of two devices that are not, neither hears the other."""
    period: NDArray[np.float64]
    """Time between two rounds, before jitter [s]."""
    sent: NDArray[np.float64]
    """When it last sent [s], -inf for never."""
    error: NDArray[np.float64]
    """By how much the position that it believes to have is off [m], shape (n, 2)."""


class Medium(NamedTuple):
    """What holds for all links and rounds; numbers only."""

    reach: float
    """The farthest that a message is heard, inclusive [m]."""
    estimated: bool
    """Whether distances are those between estimated positions, ``Devices.error`` included."""
    trusted: float
    """A neighbour at a greater distance, estimated where that holds, is none [m]."""
    floor: float
    """The least distance that the metric gives [m]."""
    hops: bool
    """Whether the metric is 1 for all neighbours, instead of the distance."""
    expiry: float
    """How long a message counts after its receipt [s]."""
    loss: float
    """The part of messages that a receiver in range does not get."""
    delay_least: float
    """How long a message takes: between this and ``delay_most``, at random [s]."""
    delay_most: float
    duplication: float
    """The part of messages that come twice."""
    jitter: float
    """By how much a period varies from round to round, as a part of it, at random."""
    degree_since: float
    """Strength is the number of neighbours heard since then [s]; nan: it is what it is."""
    degree_sign: float
    """Or so many times that number."""


class Lists(NamedTuple):
    """Whether the rows of links hold all that they must."""

    first: NDArray[np.int32]
    """One of each pair of devices that are linked for good."""
    second: NDArray[np.int32]
    """The other."""
    fixed: bool
    """Whether these are the links, and distance plays no part; else all within reach are."""
    skin: float
    """How much farther than the reach the rows look [m]."""
    speed: float
    """No device is faster [m/s]."""
    tick: float
    """Time between two steps of a device [s]."""
    due: NDArray[np.float64]
    """When the rows have to be made anew [s], shape (1,)."""


class Room(NamedTuple):
    """Room for the neighbours of one device while it runs its round."""

    heard: NDArray[np.int64]
    """Room for the columns that a round works on, shape (room, width)."""
    sources: NDArray[np.int64]
    """Room for where the rows lie that these columns are made of, shape (room,)."""
    metric: NDArray[np.float64]
    """Room for the distances to these neighbours [m], shape (room,)."""
    inside: NDArray[np.uint8]
    """Room for masks of those in range, eight slots each."""


def room(size: int, width: int) -> Room:
    """Return room for so many neighbours, whose rows have a width."""
    return Room(np.zeros((size, width), np.int64), np.zeros(size, np.int64), np.zeros(size),
                np.zeros(size, np.uint8))


class Network(NamedTuple):
    """All of a run."""

    devices: Devices
    places: Places
    vectors: NDArray[np.int64]
    """Where in a row vectors are, and how long, as ``StateLayout.vectors``."""
    exports: NDArray[np.int64]
    """What each device sent last, which is also its state, shape (n, width)."""
    rounds: EventQueue
    moves: EventQueue
    links: Links
    lists: Lists
    pool: Pool
    watch: Watch
    frame: NDArray[np.int64]
    """What a round is given besides its own device, by ``entry_points.FRAME``."""
    room: Room
