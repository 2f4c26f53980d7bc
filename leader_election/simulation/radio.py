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

"""The radio between the simulated robots."""

from collections import Counter
from collections.abc import Sequence
import heapq
from typing import Any, NamedTuple

from leader_election.parameters import within
from leader_election.simulation.motion import Array
from leader_election.simulation.parameters import groups, WorldParameters
import numpy as np
from numpy.typing import NDArray

IN_RANGE, LOST, SEPARATED, DUPLICATED = 'in_range', 'lost', 'separated', 'duplicated'
DELIVERED, OVERFLOWED = 'delivered', 'overflowed'
COUNTERS = (IN_RANGE, LOST, SEPARATED, DUPLICATED, DELIVERED, OVERFLOWED)
"""
The names of the radio's counters, which count copies of messages: one per robot within range.

``in_range + duplicated = lost + separated + overflowed + delivered + pending`` at any time.
"""
MOST_PENDING = 100_000
"""The greatest number of copies under way, which bounds the memory."""


class Delivery(NamedTuple):
    """A copy of a message on its way to one robot."""

    due: float
    """The time of its arrival [s]."""
    order: int
    """The number of the copy, in the order of sending: breaks ties between equal arrival times."""
    receiver: int
    """The row of the robot."""
    message: Any


class Radio:
    """
    Carries messages: limited range, loss, groups, delay, duplicates.

    :ivar counts: the numbers of copies by :data:`COUNTERS`.
    """

    def __init__(self, ids: Sequence[int], parameters: WorldParameters,
                 rng: np.random.Generator) -> None:
        """
        Start without messages.

        :param ids: of the robots, in the order of their rows.
        :param parameters: all whose names begin with ``radio_``.
        :param rng: the random generator.
        """
        self.counts: Counter[str] = Counter(dict.fromkeys(COUNTERS, 0))
        self._rng = rng
        self._ids = ids
        self._on_the_way: list[Delivery] = []
        self._order = 0
        self._positions: Array | None = None
        self._in_range: dict[int, NDArray[np.intp]] = {}
        """The robots in range of a sender, as long as no robot moves."""
        self.configure(parameters)

    def configure(self, parameters: WorldParameters) -> None:
        """Apply changed parameters. Copies that are on their way are not affected."""
        self._parameters = parameters
        self._in_range.clear()
        # A group for each part of the text, and one of all robots that it does not name.
        named = groups(parameters.radio_groups)
        self._groups = np.array([
            next((number for number, group in enumerate(named) if within(robot, group)), -1)
            for robot in self._ids])

    def receivers(self, sender: int, positions: Array) -> NDArray[np.intp]:
        """
        Return which robots receive one message of a robot.

        :param sender: the row of the sending robot.
        :param positions: true x, y (further columns are ignored) [m], shape (n, 2 or more). The
            same array, unchanged, as long as no robot moves.
        :return: the rows of the receiving robots, ascending.
        """
        p = self._parameters
        if positions is not self._positions:
            self._positions = positions
            self._in_range.clear()
        found = self._in_range.get(sender)
        if found is None:
            receives = np.hypot(*(positions[:, :2] - positions[sender, :2]).T) <= p.radio_range
            receives[sender] = False
            found = self._in_range[sender] = np.flatnonzero(receives)
        self.counts[IN_RANGE] += len(found)
        if p.radio_groups:
            found = self._kept(found, self._groups[found] == self._groups[sender], SEPARATED)
        if p.radio_loss > 0.0:
            found = self._kept(found, self._rng.random(len(found)) >= p.radio_loss, LOST)
        return found

    def _kept(self, rows: NDArray[np.intp], kept: NDArray[np.bool_], reason: str,
              ) -> NDArray[np.intp]:
        """Return the rows of the robots that receive a message. The others are counted."""
        remaining = rows[kept]
        self.counts[reason] += len(rows) - len(remaining)
        return remaining

    def send(self, sender: int, message: Any, positions: Array, now: float) -> None:
        """
        Send a message. :meth:`arrived` returns its copies as they arrive.

        :param sender: the row of the sending robot.
        :param message: is handed back as it is.
        :param positions: as in :meth:`receivers`.
        :param now: the time [s].
        """
        p = self._parameters
        rows = self.receivers(sender, positions)
        if p.radio_duplication > 0.0:
            twice = rows[self._rng.random(len(rows)) < p.radio_duplication]
            self.counts[DUPLICATED] += len(twice)
            rows = np.concatenate((rows, twice))
        delays = np.full(len(rows), p.radio_delay)
        if p.radio_jitter > 0.0:
            delays += p.radio_jitter * self._rng.random(len(rows))
        for row, delay in zip(rows.tolist(), delays.tolist()):
            if len(self._on_the_way) >= MOST_PENDING:
                self.counts[OVERFLOWED] += 1
                continue
            self._order += 1
            heapq.heappush(self._on_the_way, Delivery(now + delay, self._order, row, message))

    def arrived(self, now: float) -> list[Delivery]:
        """
        Return the copies that have arrived, in the order of arrival, and forget them.

        :param now: the time [s].
        """
        found = []
        while self._on_the_way and self._on_the_way[0].due <= now:
            found.append(heapq.heappop(self._on_the_way))
        self.counts[DELIVERED] += len(found)
        return found

    @property
    def pending(self) -> int:
        """Return the number of copies on their way."""
        return len(self._on_the_way)

    @property
    def next_arrival(self) -> float | None:
        """Return the time of the next arrival [s], ``None``: nothing is on its way."""
        return self._on_the_way[0].due if self._on_the_way else None
