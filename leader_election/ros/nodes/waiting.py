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
Missing inputs of the nodes of a process: time, odometry, commands, messages.

While its simulated clock stands still a node runs no timers, so it could not report this. This
diagnosis uses a steady clock, in the loop that spins the process.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from leader_election.swarm.fleet.robot_list import BUFFER_REMEDY
from rclpy.node import Node

PERIOD = 2.5
"""Time between two checks [s, steady]."""
LOOKS = 3
"""The number of successive checks after which a missing input is reported: within ten seconds."""
LONGEST = 60.0
"""The longest time between two warnings of the same input, which doubles at first [s, steady]."""
TIME = 'time'
"""The input without which the others are not looked at."""
MOST_NAMES = 3
BUFFERS = f'with many robots in Gazebo Sim raise the receive buffers: {BUFFER_REMEDY}'


class MissingInput(NamedTuple):
    """A missing input of a node."""

    what: str
    """A noun, such as ``odometry``."""
    topic: str
    remedy: str
    observed: str = 'nothing comes'


@dataclass
class _Record:
    """The time since which an input is missing, and that of the next warning [s, steady]."""

    since: float
    looks: int = 0
    due: float = 0.0
    warned: bool = False


class InputWatch:
    """
    Warns of missing inputs of the nodes of a process, and reports their arrival.

    A node that waits for anything except time has a method ``missing()`` that returns a list of
    :class:`MissingInput`.
    """

    def __init__(self, nodes: Sequence[Node], now: float) -> None:
        """
        Begin to wait.

        :param nodes: of the process; the first one logs.
        :param now: by a steady clock [s].
        """
        self._nodes = nodes
        self._next = now + PERIOD
        self._times = _times(nodes)
        self._missing: dict[str, _Record] = {}

    def look(self, now: float) -> None:
        """
        Warn if a warning is due, cheap otherwise.

        :param now: by a steady clock [s].
        """
        if now < self._next:
            return
        begin, self._next = self._next - PERIOD, now + PERIOD
        lines, logger = self._lines(), self._nodes[0].get_logger()
        # While time stands still, nothing is known of the other inputs.
        for what in () if TIME in lines else self._missing.keys() - lines.keys():
            if self._missing.pop(what).warned:
                logger.info(f'no longer waiting for {what}')
        for what, line in lines.items():
            record = self._missing.setdefault(what, _Record(begin))
            record.looks += 1
            if record.looks >= LOOKS and now >= record.due:
                record.warned = True
                record.due = now + min(now - record.since, LONGEST)
                logger.warning(f'waiting for {what} for {now - record.since:.0f} s: {line}')

    def _lines(self) -> dict[str, str]:
        """Return a line of text for each kind of missing input."""
        times, before = _times(self._nodes), self._times
        self._times = times
        still = [name for name, time in times.items() if time == before.get(name)]
        if still:
            # All other inputs may be missing because of this.
            some = '' if len(still) == len(self._nodes) else f' of {still[0]}'
            return {TIME: (
                f'simulated time{some} stands still at {times[still[0]] * 1e-9:.1f} s: nothing '
                'new comes on /clock; start the simulator, or what publishes /clock, let it run '
                f'where it is paused, or set use_sim_time to false; {BUFFERS}')}
        found: dict[str, list[MissingInput]] = {}
        for node in self._nodes:
            missing: Callable[[], list[MissingInput]] | None = getattr(node, 'missing', None)
            for each in missing() if missing else ():
                found.setdefault(each.what, []).append(each)
        return {what: _line(each) for what, each in found.items()}


def _times(nodes: Sequence[Node]) -> dict[str, int]:
    """Return the time of each node that uses simulated time [ns], by its name."""
    return {node.get_fully_qualified_name(): node.get_clock().now().nanoseconds for node in nodes
            # ROS clocks only. Nodes without simulated time have them, too.
            if getattr(node.get_clock(), 'ros_time_is_active', False)}


def _line(missing: Sequence[MissingInput]) -> str:
    topics = list(dict.fromkeys(each.topic for each in missing))
    names = ', '.join(topics[:MOST_NAMES]) + (
        f' and {len(topics) - MOST_NAMES} more topics' if len(topics) > MOST_NAMES else '')
    remedy = Counter(each.remedy for each in missing).most_common(1)[0][0]
    return f'{missing[0].observed} on {names}; {remedy}'
