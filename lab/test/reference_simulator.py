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
A reference simulator in plain Python, slow and simple, with which the engine has to agree.

A message reaches devices in range as soon as it is sent, or after its delay. A mailbox has
one message of each sender, until its sender is found out of range at a round (messages in
flight are then discarded), or the message has expired. There are no neighbour lists, no pool and
no shared exports here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
import math
from typing import Any, NamedTuple

from leader_election.election.algorithms import Algorithm, Device
from leader_election.election.algorithms.chance import drawn
from leader_election_lab.experiment.schema import Messages
import numpy as np
from numpy.typing import NDArray


class ReceivedMessage(NamedTuple):
    """A message."""

    export: Any
    received: float
    """Time of receipt, which is in the future for a message in flight [s]."""


class NeighbourPart(NamedTuple):
    """A message that counts in a round."""

    sender: int
    export: Any
    distance: float
    """To its sender, by the metric [m]."""


@dataclass
class ReferenceSimulator:
    """A network of devices by index. Positions and the order of rounds are given by the caller."""

    algorithm: Algorithm
    parameters: Any
    devices: list[Device]
    messages: Messages
    random: np.random.Generator
    """The generator of losses, duplicates and delays."""
    pairs: set[tuple[int, int]] | None = None
    """Fixed links, the lower index first, ``None`` if devices in range are linked."""
    losses: dict[tuple[int, int], float] = field(default_factory=dict)
    """The loss from a sender to a receiver. That of all messages where there is none."""
    by_degree: bool = False
    """Whether strength is the number of neighbours received from, and the device itself."""
    error: NDArray[np.float64] | None = None
    """The error of each device's estimated position [m], shape (n, 2), ``None`` for no error."""
    trusted: float = math.inf
    """Greatest distance of a neighbour by estimated positions [m]."""
    gone: set[int] = field(default_factory=set)
    seed: int = 0
    """Of the chance of devices."""
    side: dict[int, bool] = field(default_factory=dict)
    """The side of each device; no message crosses from one side to the other."""

    def __post_init__(self) -> None:
        self.rounds = [0] * len(self.devices)
        self.states = [self.algorithm.start(device) for device in self.devices]
        self.boxes: dict[tuple[int, int], ReceivedMessage] = {}
        """By receiver and sender."""
        self.flights: dict[tuple[int, int], list[ReceivedMessage]] = {}
        self.lost: set[int] = set()
        """Devices that did not receive the last message sent."""

    def round(self, i: int, now: float, position: NDArray[np.float64],  # noqa: A003
              order: Sequence[int],
              ) -> list[NeighbourPart]:
        """
        Run a round of device i, and return the messages that it has received.

        :param order: the order of draws for receivers. A device that is not in it is out of
            range.
        """
        apart = {j: distance(position[i], position[j]) for j in range(len(self.devices))
                 if j != i and j not in self.gone and self.side.get(i) == self.side.get(j)}
        near = [j for j in apart if (
            apart[j] <= self.messages.range if self.pairs is None
            else (min(i, j), max(i, j)) in self.pairs)]
        assert set(near) <= set(order), f'device {i} misses some in range at {now} s'
        near.sort(key=order.index)
        if self.error is not None:
            estimated = position + self.error
            apart = {j: distance(estimated[i], estimated[j]) for j in apart}
        for j in set(range(len(self.devices))) - set(near):
            self.boxes.pop((i, j), None)
            self.flights.pop((i, j), None)
        heard = []
        for j in near:
            flight = self.flights.get((i, j), [])
            while flight and flight[0].received <= now:
                self.boxes[i, j] = flight.pop(0)
            message = self.boxes.get((i, j))
            if message and now - message.received > self.messages.expiry:
                del self.boxes[i, j]
            elif message and apart[j] <= self.trusted:
                heard.append(NeighbourPart(j, message.export, self.metric(apart[j])))
        if self.by_degree:
            self.devices[i] = self.devices[i]._replace(strength=1.0 + len(heard))
        device = self.devices[i]
        if self.algorithm.reads_chance:
            device = device._replace(chance=drawn(self.seed, device.id, self.rounds[i]))
        self.rounds[i] += 1
        self.states[i] = self.algorithm.compute(
            device, self.states[i], [each.export for each in heard],
            [each.distance for each in heard], self.parameters)
        self.lost = {j for j in near if not self.send(i, j, now)}
        return heard

    def metric(self, apart: float) -> float:
        """Return the distance of a neighbour, by the metric."""
        return 1.0 if self.messages.metric == 'hops' else max(apart, self.messages.floor)

    def send(self, i: int, j: int, now: float) -> bool:
        """Send the state of device i to j, and return whether it is received now or later."""
        # As in the engine, a number is drawn only if the result depends on it.
        loss = self.losses.get((i, j), self.messages.loss)
        if loss > 0.0 and self.random.random() < loss:
            return False
        least, most = self.messages.delay
        if most == 0.0:
            self.boxes[j, i] = ReceivedMessage(self.states[i], now)
            return True
        twice = self.messages.duplication > 0.0 and \
            self.random.random() < self.messages.duplication
        flight = self.flights.setdefault((j, i), [])
        for _ in range(1 + twice):
            arrival = now + least + (most - least) * self.random.random()
            # No message of a pair overtakes another.
            arrival = max([arrival, *(message.received for message in flight)])
            flight.append(ReceivedMessage(self.states[i], arrival))
        return True


def distance(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Return the distance of two places [m]."""
    # By products, which are rounded alike everywhere. Powers and hypotenuses are not.
    dx, dy = float(a[0] - b[0]), float(a[1] - b[1])
    return math.sqrt(dx * dx + dy * dy)
