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

"""Summary of the diagnostics in a recording: names, strengths, radius, range, messages sent."""

from collections import Counter
from collections.abc import Iterable, Mapping
import re
from typing import NamedTuple

from leader_election.election.robot.codec import MAIN
from leader_election.election.robot.diagnostics import (
    COMMUNICATION_RANGE,
    key_of,
    MAX_DIGITS,
    number,
    RADIUS,
    robot_statuses,
    RobotStatus,
    Status,
    STRENGTH,
)
from leader_election.election.robot.robot import ROUNDS
from leader_election.localisation.neighbourhood_filter import COUNTERS as SIGHTING_COUNTERS

_FINAL_NUMBER = re.compile(rf'(\d{{1,{MAX_DIGITS}}})$')


class _Sent(NamedTuple):
    """The number of messages that a robot has sent by its own count, and of those recorded."""

    rounds: int
    recorded: int


class DiagnosticsSummary:
    """
    Collects the data of a report from diagnostics, message by message.

    :ivar names: ids of the robots by their namespaces.
    :ivar strengths: the last strength of each robot, by id.
    :ivar radius: the last published radius of a region [m], if any.
    :ivar communication_range: the last published communication range [m], if any.
    :ivar sightings: the last values of the neighbourhood filter's counters, by name and robot.
    :ivar sent: number of messages that robots sent while they were recorded, by their own count.
    :ivar recorded: the number of these in the recording.

    >>> summary = DiagnosticsSummary()
    >>> summary.add([Status('tb3_0: election', 'robot 7', {'strength': '2', 'radius': '6'})], {})
    >>> summary.names, summary.strengths, summary.radius
    ({'tb3_0': 7}, {7: 2.0}, 6.0)
    """

    def __init__(self, instance: str = MAIN) -> None:
        """
        Create an empty summary.

        :param instance: the instance whose radius is collected.
        """
        self.names: dict[str, int] = {}
        self.strengths: dict[int, float] = {}
        self.radius: float | None = None
        self.communication_range: float | None = None
        self.sightings: dict[str, dict[int, int]] = {}
        self.sent = self.recorded = 0
        self._radius_key = key_of(RADIUS, instance)
        self._last: dict[int, _Sent] = {}

    def add(self, statuses: Iterable[Status], received: Mapping[int, int],
            counted: bool = True) -> None:
        """
        Add the statuses of one message.

        :param statuses: all of them; those of robots count.
        :param received: number of messages of each robot in the recording so far, by id.
        :param counted: whether messages sent since the previous status are counted.
        """
        if not counted:
            self._last.clear()
        for status in robot_statuses(statuses):
            self.names[status.robot] = status.id
            self._add_values(status)
            rounds = number(status.values, ROUNDS)
            if counted and rounds is not None:
                self._count(status.id, _Sent(int(rounds), received.get(status.id, 0)))

    def _add_values(self, status: RobotStatus) -> None:
        strength = number(status.values, STRENGTH)
        if strength is not None:
            self.strengths[status.id] = strength
        radius = number(status.values, self._radius_key)
        if radius is not None and radius >= 0.0:
            self.radius = radius
        reach = number(status.values, COMMUNICATION_RANGE)
        if reach is not None and reach >= 0.0:
            self.communication_range = reach

        for name in SIGHTING_COUNTERS:
            counted = number(status.values, name)
            if counted is not None:
                self.sightings.setdefault(name, {})[status.id] = int(counted)

    def _count(self, robot: int, now: _Sent) -> None:
        before = self._last.get(robot, now)
        # Not counted: a restarted robot, whose rounds begin at 0 again, and a robot without
        # a recorded message, which may publish on a topic that is not recorded.
        if now.rounds >= before.rounds and before.recorded:
            self.sent += now.rounds - before.rounds
            self.recorded += now.recorded - before.recorded
        self._last[robot] = now


def ids_of(namespaces: Iterable[str], names: Mapping[str, int]) -> dict[str, int]:
    """
    Return the ids of robots by their namespaces.

    :param names: known ids by namespace, valid for namespaces below, too. For other namespaces
        the id is the number at the end, unless another robot has that id.

    >>> ids_of(['tb3_0', 'tb3_1', 'swarm/robot_12', 'alice'], {'tb3_0': 1, 'tb3_2': 3})
    {'tb3_0': 1, 'swarm/robot_12': 12}
    >>> ids_of(['alice/election'], {'alice': 7})
    {'alice/election': 7}
    """
    known, guessed = dict[str, int](), dict[str, int]()
    for namespace in namespaces:
        found = _FINAL_NUMBER.search(namespace)
        parts = namespace.split('/')
        owner = next((space for space in ('/'.join(parts[:n]) for n in range(len(parts), 0, -1))
                      if space in names), None)
        if owner is not None:
            known[namespace] = names[owner]
        elif found:
            guessed[namespace] = int(found[1])
    taken = Counter([*{*names.values()}, *guessed.values()])
    return known | {name: robot for name, robot in guessed.items() if taken[robot] == 1}
