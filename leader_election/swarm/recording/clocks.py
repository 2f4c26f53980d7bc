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
One continuous time for a recording, from clocks that may be set, restart or stop.

A robot's computer without a battery sets its clock when it first reaches a network, a simulator
restarts at 0, and some programs publish the time on ``/clock`` only once.
"""

from typing import NamedTuple

SET = 3600.0
"""A clock that advances by more than this from one message to the next was set [s]."""
BACK = 1.0
"""A clock that goes back by more than this was set; by less, messages are out of order [s]."""
SILENT = 60.0
"""A simulation's clock is used while its last tick is no older than this [s]."""


class Jump(NamedTuple):
    """A discontinuity of a clock: it was set, or restarted."""

    time: float
    """On the continuous time [s]."""
    by: float
    """Size of the jump [s]."""


class Clocks:
    """
    Derives one continuous time from the recorder's clock and that of a simulation.

    :ivar now: the continuous time, 0 at the first message [s].
    :ivar jumps: discontinuities that were left out of it.

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
        """The offsets added to the reading of the clock in use; the last one is valid now."""
        self._tick: tuple[float, float] | None = None
        """The last tick: time of its recording and time in it [s]."""
        self._ticks = False
        """Whether the simulation's clock is in use."""

    def advance(self, recorded: float) -> float:
        """Return the continuous time of a message, given the time of its recording [s]."""
        if not (self._ticks and self._tick is not None
                and abs(recorded - self._tick[0]) <= SILENT):
            self._ticks = False
            self._read(False, recorded)
        return self.now

    def tick(self, recorded: float, simulated: float) -> None:
        """
        Add a message of ``/clock``.

        It is used from the second tick on, since some clocks never advance.

        :param recorded: time of its recording [s].
        :param simulated: time in it [s].
        """
        before, self._tick = self._tick, (recorded, simulated)
        if (before is not None and before[1] < simulated
                and abs(recorded - before[0]) <= SILENT):
            self._ticks = True
        if self._ticks:
            self._read(True, simulated)

    def _read(self, simulated: bool, reading: float) -> None:
        if simulated is not self._simulated:
            # The other clock takes over: it continues from here.
            self._simulated, self._offsets = simulated, [self.now - reading]
        step = reading + self._offsets[-1] - self.now
        if not -BACK <= step <= SET:
            self.jumps.append(Jump(self.now, step))
            # A clock that is set back to its former time gets its former offset again.
            fitting = (offset for offset in self._offsets
                       if -BACK <= reading + offset - self.now <= SILENT)
            self._offsets.append(next(fitting, self.now - reading))
        self.now = max(self.now, reading + self._offsets[-1])
