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
Explicit-state exploration of rounds in any order with losses, by sets of states.

The network is asynchronous: at any time any device runs its round on the last message that it
received of each neighbour, and each message may be lost or late. An *epoch* is a shortest time in
which, over each link, a message that was sent in this epoch is delivered; in lockstep without
losses it is one round. Fairness means that epochs never cease.

For each device there is a set of states: all that it may send after the current epoch; at the
start all that occur in any execution. The set of the next epoch is the image under the compiled
round of **every** combination of an own state out of its set and a message out of the set of
each neighbour. This holds for any order, losses and delays: after an epoch, each
message that a device uses was sent in that epoch or later (asynchronous convergence theorem:
D. P. Bertsekas, J. N. Tsitsiklis, "Parallel and distributed computation", 1989, section 6.2). If
all sets shrink to one state each, every execution ends there, and the number of epochs is an upper
bound. If devices may keep a leader (hysteresis), several states remain, depending on the
execution. Then the exploration continues with possible *changes*: a device sends another state
only after a message has changed. If no change is possible after some epochs, every execution has
come to rest by then, in one of the states in which no round changes anything.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from leader_election.election.algorithms import Algorithm, Device
from leader_election_lab.engine.compilation import jit
from leader_election_lab.engine.device_round import call_round
from leader_election_lab.engine.entry_points import round_entry
from leader_election_lab.engine.network import empty_workspace
from leader_election_lab.states import COUNTERS, state_layout
import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
"""Different states of a device, one per row of 64-bit words, in the form of the engine."""

MOST_STATES = 512
"""The most different states of one device; with more, they may never end."""
MOST_COMBINATIONS = 20000
"""
The most combinations that are enumerated. With more, in the first epochs, the new states are those
after no message and after each single one: a superset, since a round
selects one of the messages (:meth:`Rounds.selects`).
"""


@jit
def enumerate_round(function, argument, device, strength, received, heard, first, own, row, known,
                    found, table):  # type: ignore[no-untyped-def]
    """
    Run the round for every own state and every combination of messages.

    :param received: where the round reads messages, ``row`` for its own state, shape (1, width).
    :param heard: all messages, those of neighbour j in rows ``first[j]`` to ``first[j + 1]``.
    :param known: takes the different new states; ``found`` of them are in it.
    :param table: takes the number of the new state in ``known`` for each combination, the own
        state varying slowest, or is empty.
    :return: the number of new states, -1 if ``known`` is too small for them.
    """
    neighbours, width = len(first) - 1, own.shape[1]
    at = first[:-1].copy()
    last, number = 0, 0
    for o in range(len(own)):
        for j in range(neighbours):
            at[j] = first[j]
        while True:
            for j in range(neighbours):
                received[j] = heard[at[j]]
            row[0] = own[o]
            call_round(function, argument, np.uint32(0), device, neighbours, strength)
            place = -1
            for k in range(found):
                candidate = (last + k) % found
                same = True
                for w in range(width):
                    if known[candidate, w] != row[0, w]:
                        same = False
                        break
                if same:
                    place = candidate
                    break
            if place < 0:
                if found == len(known):
                    return -1
                place = found
                known[place] = row[0]
                found += 1
            last = place
            if len(table):
                table[number] = place
            number += 1
            j = neighbours - 1
            while j >= 0:
                at[j] += 1
                if at[j] < first[j + 1]:
                    break
                at[j] = first[j]
                j -= 1
            if j < 0:
                break
    return found


class Undecided(Exception):
    """The sets do not decide whether every execution ends. Carries the sets."""


class Rounds:
    """
    The compiled round of an algorithm, applied to sets of states.

    :ivar most_combinations: the most combinations that are enumerated (:data:`MOST_COMBINATIONS`).
    :ivar evaluated: the number of rounds that were run so far.
    :ivar reached: the number of different states that they led to, epoch by epoch.
    """

    def __init__(self, algorithm: Algorithm, parameters: Any) -> None:
        self.algorithm = algorithm
        self.layout = state_layout(algorithm)
        self.most_combinations = MOST_COMBINATIONS
        self.evaluated = 0
        self.reached = 0
        self._parameters = parameters
        self._leader = self.layout.offsets.leader

    def rows(self, states: Sequence[Any]) -> Rows:
        """Return states as rows, without repetitions."""
        distinct = list(dict.fromkeys(states))
        rows = self.layout.rows(len(distinct))
        for j, state in enumerate(distinct):
            for column, value in zip(self.layout.columns(rows), state):
                column[j] = value
        return rows

    def states(self, rows: Rows) -> list[Any]:
        """Return the states in rows, in plain Python."""
        return self.layout.states(rows)

    def leaders(self, rows: Rows) -> Rows:
        """Return the leader in each row."""
        return rows[:, self._leader]

    def image(self, device: Device, own: Rows, messages: Sequence[Rows],
              metric: Sequence[float], table: bool = False) -> tuple[Rows, NDArray[np.int32]]:
        """
        Return the states after a round, over all combinations of the own state and messages.

        :param messages: the possible messages of each neighbour.
        :param metric: the distance to each neighbour [m].
        :param table: whether the number of the new state is wanted for each combination, shape
            (own states, messages of the first neighbour, ...).
        """
        shape = (len(own), *map(len, messages))
        total = int(np.prod(shape))
        if total > self.most_combinations and len(messages) > 1 and not table:
            parts = [self.image(device, own, [sent], [length])[0]
                     for sent, length in zip(messages, metric)]
            return union(self.image(device, own, [], [])[0], *parts), np.zeros(0, np.int32)
        self.evaluated += total
        first = np.cumsum([0, *map(len, messages)]).astype(np.int64)
        heard = np.concatenate(messages) if messages else self.layout.rows(0)
        numbers = np.zeros(total if table else 0, np.int32)
        known = self.layout.rows(MOST_STATES)
        row, workspace = self.layout.rows(1), empty_workspace(len(messages), self.layout.width)
        workspace.metric[:] = metric
        entry = round_entry(self.algorithm, self._parameters, row, workspace,
                            np.zeros(len(COUNTERS), np.int64))
        found = enumerate_round(
            *entry.addresses, device.id, float(device.strength), workspace.heard, heard, first,
            own, row, known, 0, numbers)
        if found < 0:
            raise Undecided(f'a device has more than {MOST_STATES} states')
        self.reached += found
        return known[:found].copy(), numbers.reshape(shape if table else 0)

    def selects(self, device: Device, own: Rows, messages: Rows, lengths: Sequence[float],
                ) -> bool:
        """
        Return whether a round always has the result of a single message, or of none.

        All pairs of messages are tried, at all lengths, with every own state.
        """
        size = len(messages)
        none, without = self.image(device, own, [], [], table=True)
        single = {length: self.image(device, own, [messages], [length], table=True)
                  for length in lengths}
        for a, b in product(lengths, repeat=2):
            both, table = self.image(device, own, [messages, messages], [a, b], table=True)
            found = both[table]
            right = (found == none[without][:, None, None]).all(axis=-1)
            right |= (found == single[a][0][single[a][1]][:, :, None]).all(axis=-1)
            right |= (found == single[b][0][single[b][1]][:, None, :]).all(axis=-1)
            assert right.shape == (len(own), size, size)
            if not right.all():
                return False
        return True


Graph = Mapping[int, Mapping[int, float]]


class Settled(NamedTuple):
    """The possible ends of a network."""

    epochs: int
    """The most epochs until no device changes its state any more."""
    ends: list[dict[int, Any]]
    """The states of all devices, for each way that it may end."""


class Network:
    """Devices in a graph, explored by sets of states."""

    def __init__(self, rounds: Rounds, graph: Graph, strengths: Mapping[int, float]) -> None:
        self.rounds = rounds
        self.graph = graph
        self.devices = {i: Device(i, strengths[i]) for i in graph}

    def next(self, i: int, own: Mapping[int, Rows], sent: Mapping[int, Rows],  # noqa: A003
             table: bool = False) -> tuple[Rows, NDArray[np.int32]]:
        """Return the possible messages of device i after an epoch, from those of all before."""
        return self.rounds.image(self.devices[i], own[i], [sent[j] for j in self.graph[i]],
                                 list(self.graph[i].values()), table)

    def settle(self, sets: Mapping[int, Rows], most: int) -> Settled:
        """
        Return the ends of all executions.

        :param sets: the possible first states of each device, and of its messages in each mailbox.
        :param most: an execution that may take more epochs is :class:`Undecided`.
        """
        epochs, closed = self._close(sets, most)
        tables = {i: self._table(i, closed) for i in self.graph}
        return Settled(epochs + self._last_change(tables, closed, most),
                       [{i: self.rounds.states(closed[i])[k] for i, k in end.items()}
                        for end in self._silent(tables, closed)])

    def _close(self, sets: Mapping[int, Rows], most: int) -> tuple[int, dict[int, Rows]]:
        """Return the number of epochs after which the sets no longer change, and the sets."""
        now = self.closure(sets)
        sizes = {i: len(rows) for i, rows in now.items()}
        for epochs in range(most):
            now = self.epoch(now)
            # No set gains a state that it has not had before.
            before, sizes = sizes, {i: len(rows) for i, rows in now.items()}
            if sizes == before:
                return epochs, now
        raise Undecided(now)

    def epoch(self, sets: Mapping[int, Rows]) -> dict[int, Rows]:
        """Return the possible states and messages of the devices after a further epoch."""
        return {i: self.next(i, sets, sets)[0] for i in self.graph}

    def closure(self, sets: Mapping[int, Rows]) -> dict[int, Rows]:
        """Return the states of all executions from these, including these."""
        now = dict(sets)
        while True:
            after = {i: union(now[i], rows) for i, rows in self.epoch(now).items()}
            if all(len(after[i]) == len(now[i]) for i in self.graph):
                return after
            now = after

    def _table(self, i: int, sets: Mapping[int, Rows]) -> NDArray[np.int32]:
        """Return the number of the new state of a device, by own state and those received."""
        after, table = self.next(i, sets, sets, table=True)
        number = {row.tobytes(): k for k, row in enumerate(sets[i])}
        renumbered: NDArray[np.int32] = np.array([number[row.tobytes()] for row in after])[table]
        return renumbered

    def _last_change(self, tables: Mapping[int, Any], sets: Mapping[int, Rows], most: int) -> int:
        """
        Return the number of epochs after which no device changes its state any more.

        ``later[i][x, y]``: device i may send x and at some later time y. At first anything is
        possible. A device changes only if a message changes, so the possible changes after the
        next epoch follow from the present ones.
        """
        later = {i: np.ones((len(rows), len(rows)), bool) for i, rows in sets.items()}
        for epochs in range(most):
            if all(len(relation) == 1 or not (relation & ~np.eye(len(relation), dtype=bool)).any()
                   for relation in later.values()):
                return epochs
            later = {i: self._changes(tables[i], [later[j] for j in self.graph[i]])
                     for i in self.graph}
        raise Undecided(sets)

    @staticmethod
    def _changes(table: Any, later: Sequence[Any]) -> Any:
        """Return the possible later states of a device, by its present state."""
        states = len(table)
        possible = np.eye(states, dtype=bool)
        if states == 1:
            return possible
        for now in range(states):
            # The messages that it may have had when it took this state, then those received later.
            messages = (table == now).any(axis=0)
            for axis, relation in enumerate(later):
                messages = np.moveaxis(
                    np.tensordot(messages, relation.astype(int), (axis, 0)) > 0, -1, axis)
            possible[now, table[now][messages]] = True
        while True:
            further = possible | (possible.astype(int) @ possible > 0)
            if (further == possible).all():
                return possible
            possible = further

    def _silent(self, tables: Mapping[int, Any], sets: Mapping[int, Rows],
                ) -> Iterator[dict[int, int]]:
        """Yield the numbers of the states of all devices that no round changes."""
        order = sorted(self.graph)

        def extended(chosen: dict[int, int]) -> Iterator[dict[int, int]]:
            if len(chosen) == len(order):
                yield chosen
                return
            device = order[len(chosen)]
            for k in range(len(sets[device])):
                more = chosen | {device: k}
                # Each device is checked as soon as it and its neighbours have a state.
                ready = [i for i in (device, *self.graph[device])
                         if i in more and more.keys() >= self.graph[i].keys()]
                if all(tables[i][(more[i], *(more[j] for j in self.graph[i]))] == more[i]
                       for i in ready):
                    yield from extended(more)
        return extended({})


def union(*sets: Rows) -> Rows:
    """Return the different rows of some sets."""
    return np.unique(np.concatenate(sets), axis=0)
