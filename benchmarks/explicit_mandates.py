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
Explicit-state check of mandates: the robots' own class, all small networks, breadth first.

From two states, after a start and with a leader that acts over all, every sequence of so many
steps is explored in every connected graph of labelled robots. A step is one of

- a round of a robot that follows whom it wants, before which it hears no message or one that a
  neighbour has ever sent: so messages are lost, late, doubled and reordered without limit;
- time for all: robot 1 has the slowest clock, all others the fastest. Of up to three
  robots the computer of one may sleep meanwhile: its clock of promises then stops, and that of
  leases goes on;
- a restart, which forgets all but the wall clock, the roster, and what the robot keeps. A crash,
  or a cut, is a robot without steps;
- with rosters that change, another roster that the robot takes.

Robots 1 and 2 may lead; of three robots all may. After each step the guarantees (a), (b) with all
robots as the roster, or with changing ones, and (c) are checked (doc/mandates.md).

A state of a robot has its times relative to now, and is computed once. So a network is a tuple of
numbers, and most steps are look-ups: of the state of each robot, the set of messages that it has
sent, and the terms under which leaders have acted so far.
"""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
import gc
from itertools import permutations
import math
import sys
import time
from typing import Any, NamedTuple

from benchmarks.explicit_states import distances, graphs
from benchmarks.state_sets import Graph
from leader_election.election.mandates.mandates import (
    Follows,
    MandatePart,
    Mandates,
    NeighbourPart,
    NO_ONE,
)
from leader_election.election.mandates.parameters import Kept, MandateSettings, Memory, NOTHING
from leader_election.parameters import ParameterError

DURATION, RATE_ERROR, TICK = 8.0, 0.125, 4.0
"""Times in binary fractions [s]: a mandate lasts for 6 s, a promise for 10 s of its clock."""
LAG = 64.0
"""How far a clock of promises is behind that of leases [s]; any number shows a mix-up."""
OLD = -16.0
"""Times this long ago [s] or longer are the same."""
DEPTHS = {1: 9, 2: 6, 3: 5, 4: 4}
"""The number of steps, by the number of robots."""
CHANGES = {2: ({1}, {2}), 3: ({1, 3}, {2})}
"""Rosters, the first and the next one, which have no robot in common."""
ROSTER_DEPTHS = {2: 6, 3: 3}
"""The number of steps with rosters that change, by the number of robots."""
ROBOT_FIELDS = frozenset(vars(Mandates(1, MandateSettings(DURATION))))
SWARM = 0
"""Stands for the whole swarm, where the other numbers are robots under a mandate."""


class Robot(NamedTuple):
    """A state of a robot, of which all times are relative to now [s]."""

    id: int  # noqa: A003
    fields: tuple[Any, ...]
    """Of :class:`Mandates`."""
    mailbox: tuple[NeighbourPart, ...]


class Found(NamedTuple):
    """The result of a check."""

    states: int
    """Of networks, all different."""
    transitions: int
    rounds: int
    """Executed by the robots' own class. The others were known."""
    mandates: int
    """The most mandates at one time."""
    faults: list[str]


class Numbers:
    """Numbers of values, in the order of their first occurrence."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._numbers: dict[Any, int] = {}

    def of(self, value: Any) -> int:
        """Return the number of a value."""
        number = self._numbers.setdefault(value, len(self.values))
        if number == len(self.values):
            self.values.append(value)
        return number


class Network:
    """
    A connected graph of robots, with all that has been computed of them.

    :param kind: the class of mandates.
    :param leaders: the ids of those that may lead.
    :param rosters: settings that robots may take, of which they have the first at the start.
    """

    def __init__(self, graph: Graph, leaders: tuple[int, ...], kind: type[Any] = Mandates,
                 rosters: Sequence[MandateSettings] = ()) -> None:
        self._graph, self._kind, self.rounds = graph, kind, 0
        self._rosters = rosters or (
            MandateSettings(DURATION, RATE_ERROR, frozenset(graph), 0.0),)
        self._robots, self._heard = Numbers(), Numbers()
        self._sent, self._terms = Numbers(), Numbers()
        self._follows = {i: [
            Follows(leader, 0.0 if leader == i else distances(graph, {leader}, set(graph))[i],
                    leader == i) for leader in leaders] for i in graph}
        self._round, self._tick = cache(self._run_round), cache(self._pass_time)
        self._restart, self._rights = cache(self._started), cache(self._rights_of)
        self._adds, self._judged = cache(self._add), cache(self._judge)
        self._heard_as = cache(self._message)
        self._changes = cache(self._changed)
        self._number = cache(lambda robot: self._robots.values[robot].fields[1])
        self._followed = cache(lambda robot: self._robots.values[robot].fields[6])
        self._kept_of = cache(lambda robot: self._robots.values[robot].fields[-1])
        self._settings_of = cache(lambda robot: self._robots.values[robot].fields[-3])

    # One robot.

    def _kept(self, i: int, mandates: Any, mailbox: tuple[NeighbourPart, ...], now: float,
              asleep: bool = False) -> int:
        """
        Return the number of a state, with times relative to ``now``.

        :param asleep: whether the clock of promises has stood still until now.
        """
        assert vars(mandates).keys() == ROBOT_FIELDS, 'A new field belongs to the state'

        def left(at: float, now: float) -> float:
            return at if math.isnan(at) else max(at - now, 0.0)

        promise, part = mandates.promise, mandates.part
        on_promises = (0.0 if asleep else now) - LAG
        silent = left(mandates.silent_until, on_promises)
        return self._robots.of(Robot(i, (
            None if math.isnan(silent) else silent, mandates.number, mandates.highest,
            promise and promise._replace(until=left(promise.until, on_promises)),
            tuple(sorted((robot, held._replace(until=left(held.until, now)))
                         for robot, held in mandates.held.items())),
            _hashable(part), mandates._follows, mandates._beat,
            tuple((beat, max(made - now, OLD)) for beat, made in mandates._beats.items()),
            tuple(sorted(mandates._void.items())), mandates._term, mandates.settings,
            mandates.proven, mandates.memory.kept), mailbox))

    def _made(self, number: int) -> tuple[Robot, Any]:
        """Return the robot in a state, at time 0."""
        robot = self._robots.values[number]
        made = self._kind(robot.id, self._rosters[0], 0, _lag)
        (silent, made.number, made.highest, made.promise, held, made.part, made._follows,
         made._beat, beats, void, made._term, made.settings, made.proven,
         made.memory.kept) = robot.fields
        made.silent_until = math.nan if silent is None else silent - LAG
        if made.promise is not None:
            made.promise = made.promise._replace(until=made.promise.until - LAG)
        made.held, made._beats, made._void = dict(held), dict(beats), dict(void)
        return robot, made

    def _run_round(self, number: int, message: int | None, which: int) -> tuple[int, int]:
        """Return the state after a message and a round, and the message that is sent."""
        self.rounds += 1
        robot, made = self._made(number)
        follows, mailbox = self._follows[robot.id][which], robot.mailbox
        if message is not None:
            heard = self._heard_as(message)
            mailbox = (*(old for old in mailbox if old.sender != heard.sender), heard)
            made.hear(_counted(made, heard), 0.0)
        made.round(follows, [_counted(made, each) for each in mailbox], 0.0)
        sent = NeighbourPart(robot.id, follows.leader, follows.distance, _hashable(made.part))
        return self._kept(robot.id, made, mailbox, 0.0), self._heard.of(sent)

    def _message(self, number: int) -> NeighbourPart:
        heard: NeighbourPart = self._heard.values[number]
        return heard

    def _pass_time(self, number: int, asleep: bool) -> int:
        robot, made = self._made(number)
        rate = 1.0 + (-RATE_ERROR if robot.id == 1 else RATE_ERROR)
        return self._kept(robot.id, made, robot.mailbox, rate * TICK, asleep)

    def _changed(self, number: int) -> tuple[int, ...]:
        """Return the states after the changes of the roster that a robot takes."""
        found = []
        for settings in self._rosters:
            robot, made = self._made(number)
            with suppress(ParameterError):
                made.change(settings)
                found.append(self._kept(robot.id, made, robot.mailbox, 0.0))
        return tuple(after for after in found if after != number)

    def _started(self, i: int, settings: MandateSettings, first: int, silent_until: float,
                 kept: Kept = NOTHING) -> int:
        made = self._kind(i, settings, first, _lag, Memory(kept))
        made.silent_until = silent_until - LAG
        return self._kept(i, made, (), 0.0)

    def _rights_of(self, number: int) -> tuple[tuple[int, int], ...]:
        """Return the robots over which a robot may act now as a leader, and the terms."""
        _, made = self._made(number)
        acting = made.acting(0.0)
        return (*((robot, held.first) for robot, held in made.over(0.0).items()),
                *(() if acting is None else ((SWARM, acting.term),)))

    # The network.

    def starts(self) -> list[tuple[int, ...]]:
        """Return the states from which executions begin."""
        size = len(self._graph)
        fresh = (*(self._started(i, self._rosters[0], 0, 0.0) for i in self._graph),
                 *[self._sent.of(())] * size, self._terms.of(((NO_ONE, 0),) * (size + 1)))
        state = fresh
        # Down the graph and up again: all grant robot 1, which hears so.
        by_distance = sorted(self._graph, key=lambda i: self._follows[i][0].distance)
        for i in (*by_distance, *reversed(by_distance)):
            for j in self._graph[i] or [i]:
                sent = self._sent.values[state[size + j - 1]]
                state = self._after(state, i, sent[-1] if sent else None, 0)
        return [fresh, state]

    def _add(self, sent: int, message: int) -> int:
        """Return the set of messages with one more."""
        known = self._sent.values[sent]
        return sent if message in known else self._sent.of(tuple(sorted((*known, message))))

    def _after(self, state: tuple[int, ...], i: int, message: int | None,
               which: int) -> tuple[int, ...]:
        """Return the state after a round of a robot."""
        robot, sent = self._round(state[i - 1], message, which)
        changed, at = list(state), len(self._graph) + i - 1
        changed[i - 1], changed[at] = robot, self._adds(state[at], sent)
        if self._rights(robot):
            changed[-1] = self._judged(state[-1], robot)
        return tuple(changed)

    def _judge(self, terms: int, robot: int) -> int:
        """Return the terms with those under which a robot may act now."""
        known, i = list(self._terms.values[terms]), self._robots.values[robot].id
        for over, term in self._rights(robot):
            holder, before = known[over]
            if holder != i or term > before:
                known[over] = i, max(term, before)
        return self._terms.of(tuple(known))

    def steps(self, state: tuple[int, ...]) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield all next states, each with the robot that may have got a right to act, or 0."""
        size = len(self._graph)
        for i, near in self._graph.items():
            before = self._followed(state[i - 1])
            messages = [message for j in near
                        for message in self._sent.values[state[size + j - 1]]]
            for which, follows in enumerate(self._follows[i]):
                # A follower that has heard nothing new says what it has said before.
                if follows.leads or follows != before:
                    yield i, self._after(state, i, None, which)
                for message in messages:
                    yield i, self._after(state, i, message, which)
        for asleep in (0, *(self._graph if size < 4 else ())):
            yield 0, (*(self._tick(robot, i == asleep) for i, robot in enumerate(state[:size], 1)),
                      *state[size:])
        top = max(map(self._number, state[:size])) + 1
        for i in self._graph:
            started = self._restart(i, self._settings_of(state[i - 1]), top, math.nan,
                                    self._kept_of(state[i - 1]))
            yield 0, (*state[:i - 1], started, *state[i:])
            for changed in self._changes(state[i - 1]):
                yield 0, (*state[:i - 1], changed, *state[i:])

    def faults(self, before: tuple[int, ...], i: int, state: tuple[int, ...]) -> list[str]:
        """Return the violations of the guarantees after a step that changed robot i."""
        found = []
        for over, term in self._rights(state[i - 1]):
            what = f'{over}' if over else 'the swarm'
            for j in self._graph:
                if j != i and any(over == each for each, _ in self._rights(state[j - 1])):
                    found.append(f'{i} and {j} act over {what}')
            holder, greatest = self._terms.values[before[-1]][over]
            if (holder not in (i, NO_ONE) and term <= greatest) or (
                    over == SWARM and term < greatest):
                found.append(f'term {term} of {i} over {what} after {greatest} of {holder}')
        return found

    def check(self, depth: int, most_states: float = math.inf) -> Found:
        """
        Explore all executions of so many steps, until the first fault.

        :param most_states: beyond which no further steps are taken.
        """
        level = dict.fromkeys(self.starts())
        seen, transitions, mandates = set(level), 0, 0
        for _ in range(depth):
            following: list[tuple[int, ...]] = []
            for state in level:
                for i, after in self.steps(state):
                    transitions += 1
                    if after in seen:
                        continue
                    seen.add(after)
                    following.append(after)
                    if i and self._rights(after[i - 1]):
                        faults = self.faults(state, i, after)
                        if faults:
                            return Found(len(seen), transitions, self.rounds, mandates, faults)
                        mandates = max(mandates, sum(
                            len(self._rights(robot)) for robot in after[:len(self._graph)]))
            level = dict.fromkeys(following)
            if len(seen) > most_states:
                break
        return Found(len(seen), transitions, self.rounds, mandates, [])


def _lag() -> float:
    return LAG


def changing(robots: int) -> tuple[MandateSettings, ...]:
    """Return the steps from a roster to the next one."""
    old, new = map(frozenset, CHANGES[robots])
    first = MandateSettings(DURATION, RATE_ERROR, old, 0.0, version=1)
    return first, first._replace(roster=new, version=2, old=old), first._replace(
        roster=new, version=2)


def _counted(robot: Any, heard: NeighbourPart) -> NeighbourPart:
    return heard._replace(part=robot.counted(heard.part))


class _Grants(dict[int, int]):
    """Grants that can be hashed."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))


def _hashable(part: MandatePart) -> MandatePart:
    return part._replace(grants=_Grants(part.grants))


def different(every: Iterable[Graph], leaders: int) -> Iterator[Graph]:
    """Yield the graphs that differ by more than the ids of robots that may not lead."""
    seen = set()
    for graph in every:
        links = {(i, j) for i in graph for j in graph[i]}
        others = [i for i in graph if i > leaders]
        swapped = {frozenset((new.get(i, i), new.get(j, j)) for i, j in links)
                   for new in (dict(zip(others, order)) for order in permutations(others))}
        if seen.isdisjoint(swapped):
            seen.add(frozenset(links))
            yield graph


def main() -> int:
    """Check all graphs, and print the coverage."""
    parser = argparse.ArgumentParser(description=__doc__.strip().split('\n')[0])
    parser.add_argument('--robots', type=int, default=4, help='the most robots (default: 4)')
    parser.add_argument('--deeper', type=int, default=0, help='so many more steps (default: 0)')
    options = parser.parse_args()
    # There is no garbage, and looking for it takes as long as the check.
    gc.disable()
    wrong = []
    print('robots  leaders  graphs  steps       states  transitions  rounds of the class  seconds')
    cases: list[tuple[int, int, int, tuple[MandateSettings, ...]]] = [
        (robots, leaders, DEPTHS[robots] - (leaders > 2), ())
        for robots in range(1, options.robots + 1)
        for leaders in sorted({min(2, robots), min(3, robots) if robots == 3 else min(2, robots)})]
    cases += [(robots, 2, depth, changing(robots)) for robots, depth in ROSTER_DEPTHS.items()
              if robots <= options.robots]
    for robots, leaders, depth, rosters in cases:
        begin, found = time.monotonic(), []
        # Of robots in different rosters none may stand for another.
        for graph in different(graphs(robots, 'one'), robots if rosters else leaders):
            network = Network(graph, tuple(range(1, leaders + 1)), rosters=rosters)
            found.append(network.check(depth + options.deeper))
            wrong += [f'{graph}: {fault}' for fault in found[-1].faults]
        print(f'{robots:6}  {leaders:7}  {len(found):6}  {depth + options.deeper:5}  '
              f'{sum(each.states for each in found):11,}  '
              f'{sum(each.transitions for each in found):11,}  '
              f'{sum(each.rounds for each in found):19,}  '
              f'{time.monotonic() - begin:7.0f}'
              + ('  with rosters that change' if rosters else ''), flush=True)
    for line in wrong[:20]:
        print(f'wrong: {line}')
    print(f'{len(wrong)} violations')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
