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

"""What robots say of themselves on ``/diagnostics``, as far as a report is made of it."""

from collections import Counter
from collections.abc import Iterable, Mapping
import math
import re
from typing import NamedTuple

from leader_election.robot.codec import MAIN

ROUNDS, STRENGTH, RADIUS, RANGE = 'rounds', 'strength', 'radius', 'communication_range'
_ID = r'(\d{1,18})'


class Status(NamedTuple):
    """A ``diagnostic_msgs/msg/DiagnosticStatus``, as far as it is of use."""

    name: str
    """The robot's namespace and the concern: ``robot_3: election``."""
    hardware: str
    """Of a robot: ``robot 3``."""
    values: Mapping[str, str]


class _Sent(NamedTuple):
    """How many messages a robot had sent by its own count, and how many of them are here."""

    rounds: int
    here: int


class Told:
    """
    Takes diagnostics one after the other.

    :ivar names: the robots' ids by their namespaces.
    :ivar strengths: the last of each robot, by its id.
    :ivar radius: what was said last of how far a leader reaches [m], if anything.
    :ivar communication_range: likewise of how far a robot is heard [m].
    :ivar sent: how many messages the robots sent while they were listened to, by their own count.
    :ivar here: how many of these are in the recording.

    >>> told = Told()
    >>> told.take([Status('tb3_0: election', 'robot 7', {'strength': '2', 'radius': '6'})], {})
    >>> told.names, told.strengths, told.radius
    ({'tb3_0': 7}, {7: 2.0}, 6.0)
    """

    def __init__(self, instance: str = MAIN) -> None:
        """
        Begin with nothing.

        :param instance: whose radius is meant.
        """
        self.names: dict[str, int] = {}
        self.strengths: dict[int, float] = {}
        self.radius: float | None = None
        self.communication_range: float | None = None
        self.sent = self.here = 0
        self._radius = RADIUS if instance == MAIN else f'{instance}.{RADIUS}'
        self._last: dict[int, _Sent] = {}

    def take(self, statuses: Iterable[Status], heard: Mapping[int, int],
             counted: bool = True) -> None:
        """
        Take in a message.

        :param statuses: all of it; those of robots count.
        :param heard: how many messages of each robot are in the recording up to here.
        :param counted: whether what was sent since the last one counts.
        """
        if not counted:
            self._last.clear()
        for status in statuses:
            found = re.fullmatch(f'robot {_ID}', status.hardware)
            if found:
                robot = int(found[1])
                self.names[status.name.rpartition(': ')[0].strip('/')] = robot
                self._take(robot, status.values)
                rounds = _number(status.values.get(ROUNDS))
                if counted and rounds is not None and math.isfinite(rounds):
                    self._count(robot, _Sent(int(rounds), heard.get(robot, 0)))

    def _take(self, robot: int, values: Mapping[str, str]) -> None:
        strength = _number(values.get(STRENGTH))
        if strength is not None and math.isfinite(strength):
            self.strengths[robot] = strength
        radius, reach = _number(values.get(self._radius)), _number(values.get(RANGE))
        # Not a number is not above anything.
        if radius is not None and radius >= 0.0:
            self.radius = radius
        if reach is not None and reach >= 0.0:
            self.communication_range = reach

    def _count(self, robot: int, now: _Sent) -> None:
        before = self._last.get(robot, now)
        # A robot that was started anew counts from the beginning; and who was never heard here
        # may send where nobody records.
        if now.rounds >= before.rounds and before.here:
            self.sent += now.rounds - before.rounds
            self.here += now.here - before.here
        self._last[robot] = now


def ids(namespaces: Iterable[str], names: Mapping[str, int]) -> dict[str, int]:
    """
    Return the ids of the robots that go by namespaces.

    :param names: those that are known; of others the id is the number at the end, unless
        another has that.

    >>> ids(['tb3_0', 'tb3_1', 'swarm/robot_12', 'alice'], {'tb3_0': 1, 'tb3_2': 3})
    {'tb3_0': 1, 'swarm/robot_12': 12}
    """
    known, guessed = dict[str, int](), dict[str, int]()
    for namespace in namespaces:
        found = re.search(f'{_ID}$', namespace)
        if namespace in names:
            known[namespace] = names[namespace]
        elif found:
            guessed[namespace] = int(found[1])
    taken = Counter([*{*names.values()}, *guessed.values()])
    return known | {name: robot for name, robot in guessed.items() if taken[robot] == 1}


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None
