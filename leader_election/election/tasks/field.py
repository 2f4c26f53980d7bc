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

"""Task ``field``: the readings of a region's sensors, and an alarm when one is out of bounds."""

from collections.abc import Mapping
from dataclasses import dataclass
import math
from typing import Any

from leader_election.election.regions.aggregate import mean, top, union
from leader_election.election.regions.pattern import decay
from leader_election.election.regions.task import Member, Task
from leader_election.parameters import parameter
from std_msgs.msg import Bool, Float64


@dataclass(frozen=True)
class FieldParameters:
    """The parameters of the task: which sensor, and when to raise an alarm."""

    topic: str = parameter('reading', 'The topic of the sensor (std_msgs/Float64).', empty=False)
    alarm_above: float = parameter(
        1e9, 'A reading above this raises an alarm. By default no reading does.',
        lower=-1e9, upper=1e9)
    alarm_below: float = parameter(
        -1e9, 'A reading below this raises an alarm. By default no reading does.',
        lower=-1e9, upper=1e9)


READING_EXPIRY = 5.0
HOLD = 5.0
"""The number of rounds that an alarm lasts after the last reading out of bounds."""
MOST_ALARMS = 16
"""The number of robots that are named as those whose readings have raised an alarm."""


class Field(Task):
    """
    Monitor a quantity over the region.

    The decision is ``{"mean": m, "least": [l, x, y], "greatest": [g, x, y], "alarm": n}``.
    Each extreme has the position [m] of the robot that measured it. ``None`` stands for unknown
    values. The alarm lasts for n more rounds. From the first alarm on ``"raised"``
    lists the ids of the robots whose readings raised one, at most ``MOST_ALARMS``, also under
    leaders before. Every member publishes ``alarm`` (``std_msgs/Bool``, latched, on change).
    """

    parameters = FieldParameters
    settings: FieldParameters
    # An extreme is followed by 1 or 0 (whether its position is known), and x, y.
    collects = {'mean': mean(), 'least': top(1, extra=3, reverse=True),
                'greatest': top(1, extra=3), 'raised': union(MOST_ALARMS)}

    def __init__(self, member: Member, settings: FieldParameters) -> None:
        """Subscribe to the sensor."""
        super().__init__(member, settings)
        self._reading = (0.0, -math.inf)
        self._rounds_left = 0.0
        self._raised: set[int] = set()
        """The known ids of the robots whose readings have raised an alarm."""
        self._published: bool | None = None
        self._alarm = member.node.publisher('alarm', Bool, latched=True)
        member.node.listen(settings.topic, Float64, self._receive)

    def sense(self) -> Mapping[str, Any]:
        """Contribute the last reading, unless it is too old."""
        value, received = self._reading
        if not 0.0 <= self.member.node.seconds() - received <= READING_EXPIRY:
            return {'raised': self._raised}
        if self._is_out_of_bounds(value):
            self._raised.add(self.member.id)
        pose = self.member.pose()
        position = (0, 0, 0) if pose is None else (1, round(pose[0], 2), round(pose[1], 2))
        record = (value, *position)
        return {'mean': value, 'least': record, 'greatest': record, 'raised': self._raised}

    def decide(self, summary: Mapping[str, Any]) -> Any:
        """Raise the alarm if a reading is out of bounds, or let it expire."""
        low, high = summary['least'], summary['greatest']
        self._rounds_left = decay(self._rounds_left, 0.0, step=1.0)
        if any(self._is_out_of_bounds(record[0]) for record in (*high, *low)):
            self._rounds_left = HOLD
        average, raised = summary['mean'], summary['raised']
        return {'mean': None if average is None else _short(average), 'least': _extreme(low),
                'greatest': _extreme(high), 'alarm': int(self._rounds_left),
                **({'raised': raised} if raised else {})}

    def act(self, decision: Any) -> None:
        """
        Publish whether there is an alarm.

        The remaining rounds are kept, so that the next leader continues with them; without a
        decision they expire on each robot.
        """
        if decision is None:
            self._rounds_left = decay(self._rounds_left, 0.0, step=1.0)
        else:
            # A text might be 'nan', which would never expire.
            if type(decision['alarm']) not in (int, float):
                raise ValueError(f'alarm is {decision["alarm"]!r}; it takes a number of rounds')
            self._rounds_left = min(float(decision['alarm']), HOLD)
            # Ids of robots that have left the swarm are kept by those that remain.
            self._raised |= {int(robot) for robot in decision.get('raised', ())}
        self._publish(self._rounds_left > 0.0)

    def close(self) -> None:
        """Take the alarm back, which nobody would end."""
        if self._published:
            self._publish(False)

    def _publish(self, alarm: bool) -> None:
        if alarm != self._published:
            self._published = alarm
            self._alarm.publish(Bool(data=alarm))

    def _is_out_of_bounds(self, value: float) -> bool:
        return not self.settings.alarm_below <= value <= self.settings.alarm_above

    def _receive(self, message: Float64) -> None:
        if math.isfinite(message.data):
            self._reading = (_short(message.data), self.member.node.seconds())


def _short(number: float) -> float:
    """Return a number to six digits, to keep messages short."""
    return float(f'{number:.6g}')


def _extreme(found: list[list[float]]) -> list[float | None] | None:
    """Return the value of the first record, and its position if known."""
    return next(([value, *(position if known else (None, None))]
                 for value, _, known, *position in found), None)
