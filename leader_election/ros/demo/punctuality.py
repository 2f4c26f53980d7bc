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

"""Whether robots of a demonstration kept up with the clock of the simulation."""

from collections.abc import Mapping

from leader_election.swarm.reference_partition import Share

TRUSTED = 0.95
"""The least agreement of the two swarms by true poses for which the timing counts as good."""
PUNCTUAL = 0.95
"""The least punctual share of a swarm's time for which the timing counts as good."""
TOLERANCE = 1.25
"""The time between two messages of a robot up to which it is punctual [round periods]."""


class Punctuality:
    """
    The share of time in which each robot's last message is as recent as its rounds make it.

    Messages between rounds, as the reactive schedule sends them, do not make up for late ones.

    >>> punctual = Punctuality(1.0, [1])
    >>> for time in (0.0, 1.0, 1.1, 1.2, 3.2):
    ...     punctual.hear(1, time)
    >>> round(punctual.share(3.2), 3)
    0.766
    """

    def __init__(self, round_period: float, robots: list[int]) -> None:
        """
        Begin at time 0; silence before a robot's first message does not count.

        :param round_period: of the robots [s].
        """
        self._longest = TOLERANCE * round_period
        self._heard: dict[int, float] = {}
        self._robots = robots
        self._late = self._total = 0.0

    def hear(self, robot: int, now: float) -> None:
        """Take a message at a time [s]."""
        if robot in self._heard:
            gap = max(now - self._heard[robot], 0.0)
            self._late += max(gap - self._longest, 0.0)
            self._total += gap
        self._heard[robot] = now

    def share(self, end: float) -> float:
        """Return the punctual share up to a time [s]; 0 if a robot was never heard."""
        if len(self._heard) < len(self._robots):
            return 0.0
        last = [max(end - heard, 0.0) for heard in self._heard.values()]
        late = self._late + sum(max(gap - self._longest, 0.0) for gap in last)
        total = self._total + sum(last)
        return 1.0 - late / total if total else 1.0


def overload(control: Share | None, punctual: Mapping[str, float]) -> str:
    """
    Return a sign that the machine could not keep up with the replay, empty without one.

    :param control: the agreement of two swarms that should agree, ``None``: not known.
    :param punctual: the punctual share of each swarm's time.
    """
    late = min(punctual, key=lambda name: punctual[name])
    if punctual[late] < PUNCTUAL:
        return (f'robots of {late} sent late in {1.0 - punctual[late]:.1%} of their time; what '
                'is late spoils the filter most')
    if control is not None and control.robots < TRUSTED:
        return 'by true poses the swarm should agree with itself'
    return ''
