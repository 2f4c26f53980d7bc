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

from collections.abc import Iterable, Mapping
import math
import re
from typing import Any, NamedTuple

ROUNDS, STRENGTH, RADIUS, RANGE = 'rounds', 'strength', 'radius', 'communication_range'


class _Sent(NamedTuple):
    """How many messages a robot had sent by its own count, and how many of them are here."""

    rounds: int
    here: int


class Told:
    """
    Takes diagnostics one after the other.

    :ivar strengths: the last of each robot, by its id.
    :ivar settings: the last that was said of ``radius`` and ``communication_range`` [m].
    :ivar sent: how many messages the robots sent while they were listened to, by their own count.
    :ivar here: how many of these are in the recording.
    """

    def __init__(self) -> None:
        self.strengths: dict[int, float] = {}
        self.settings: dict[str, float] = {}
        self.sent = self.here = 0
        self._last: dict[int, _Sent] = {}

    def take(self, statuses: Iterable[Any], heard: Mapping[int, int]) -> None:
        """
        Take in a message.

        :param statuses: ``diagnostic_msgs/msg/DiagnosticStatus``; those of robots count.
        :param heard: how many messages of each robot are in the recording up to here.
        """
        for status in statuses:
            found = re.fullmatch(r'robot (\d+)', status.hardware_id)
            if found:
                self._robot(int(found[1]), {v.key: v.value for v in status.values}, heard)

    def _robot(self, robot: int, values: Mapping[str, str], heard: Mapping[int, int]) -> None:
        strength = _number(values.get(STRENGTH))
        if strength is not None:
            self.strengths[robot] = strength
        for name in (RADIUS, RANGE):
            length = _number(values.get(name))
            if length is not None:
                self.settings[name] = length
        rounds = _number(values.get(ROUNDS))
        if rounds is not None and math.isfinite(rounds):
            self._count(robot, _Sent(int(rounds), heard.get(robot, 0)))

    def _count(self, robot: int, now: _Sent) -> None:
        before = self._last.get(robot, now)
        # A robot that was started anew counts from the beginning; and who was never heard here
        # may send where nobody records.
        if now.rounds >= before.rounds and before.here:
            self.sent += now.rounds - before.rounds
            self.here += now.here - before.here
        self._last[robot] = now


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None
