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
One time for a recording, which goes on evenly whatever became of the clocks it was made by.

A robot's computer without a battery learns the time of day when it first reaches a network, a
simulator begins anew, and some say the time on ``/clock`` once and never again.
"""

from typing import NamedTuple

SET = 3600.0
"""A clock that went on by more than this from one message to the next was set [s]."""
BACK = 1.0
"""And so was one that went back by more than this [s]; by less, messages were out of order."""
SILENT = 60.0
"""A simulation's clock counts while its last tick is not older than this by the other [s]."""


class Jump(NamedTuple):
    """A clock was set, or began anew."""

    time: float
    """When, on the time that goes on [s]."""
    by: float
    """How far [s]."""


class Clocks:
    """
    Makes one time of the recorder's clock and of the simulation's, which begins with 0.

    :ivar now: that time [s].
    :ivar jumps: what was left out of it.

    >>> clocks = Clocks()
    >>> [clocks.advance(time) for time in (50.0, 51.0, 9e6, 9e6 + 1, 52.5)]
    [0.0, 1.0, 1.0, 2.0, 2.5]
    >>> [jump.time for jump in clocks.jumps]
    [1.0, 2.0]
    """

    def __init__(self) -> None:
        self.now = 0.0
        self.jumps: list[Jump] = []
        self._simulated: bool | None = None
        self._offsets = [0.0]
        """What is added to a clock's reading, now and before it was set."""
        self._tick: tuple[float, float] | None = None
        """The last tick: when it was recorded, and what it said."""
        self._ticks = False

    def advance(self, recorded: float) -> float:
        """Take in that a message was recorded [s]; return the time."""
        if not (self._ticks and self._tick is not None
                and abs(recorded - self._tick[0]) <= SILENT):
            self._ticks = False
            self._read(False, recorded)
        return self.now

    def tick(self, recorded: float, simulated: float) -> None:
        """Take in what ``/clock`` said [s]; it counts from when it has gone on."""
        before, self._tick = self._tick, (recorded, simulated)
        if (before is not None and before[1] < simulated
                and abs(recorded - before[0]) <= SILENT):
            self._ticks = True
        if self._ticks:
            self._read(True, simulated)

    def _read(self, simulated: bool, reading: float) -> None:
        if simulated is not self._simulated:
            # The other clock goes on from here.
            self._simulated, self._offsets = simulated, [self.now - reading]
        step = reading + self._offsets[-1] - self.now
        if not -BACK <= step <= SET:
            self.jumps.append(Jump(self.now, step))
            # A clock that is set back to what it was goes on from there.
            fitting = (offset for offset in self._offsets
                       if -BACK <= reading + offset - self.now <= SILENT)
            self._offsets.append(next(fitting, self.now - reading))
        self.now = max(self.now, reading + self._offsets[-1])
