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
How often warnings of localisation stood where a robot's leader was wrong because of positions.

That is: where the robot has another leader than that of the partition by true positions, and in
the same run with true poses has not. The robot itself is mistaken if by its true distances to the
robots in range it would have another leader, otherwise a robot from which it has its candidacy is.
A warning while it has the right leader is false, unless the robot itself is faulty at that time.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from benchmarks.logged_swarm import LoggedSwarm, LogSample


class Warned(NamedTuple):
    """Seconds with a warning, and in all, of robots."""

    mistaken: tuple[int, int]
    """With a wrong leader by its own distances."""
    wrong: tuple[int, int]
    """With a wrong leader."""
    right: tuple[int, int]
    """With a right leader."""


def warned(swarm: LoggedSwarm, true: Mapping[int, LogSample],
           is_faulty: Callable[[int, float], bool] = lambda robot, time: False) -> Warned:
    """
    Return the counts of samples with a warning.

    :param true: the moments of the same run with true poses, by their times [s].
    :param is_faulty: whether a robot has a fault at a time [s].
    """
    counts = {kind: [0, 0] for kind in Warned._fields}
    for moment in swarm.moments:
        for robot, fault in moment.faults.items():
            right = robot in moment.same
            if is_faulty(robot, moment.time) if right else (
                    robot not in true[round(moment.time)].same):
                continue
            kinds = ('right',) if right else (
                ('wrong', 'mistaken') if robot in moment.mistaken else ('wrong',))
            for kind in kinds:
                counts[kind][0] += bool(fault)
                counts[kind][1] += 1
    return Warned(**{kind: (count[0], count[1]) for kind, count in counts.items()})


def moments(swarm: LoggedSwarm) -> dict[int, LogSample]:
    """Return the moments of a run by their times [s]."""
    return {round(moment.time): moment for moment in swarm.moments}


def share(counts: Iterable[tuple[int, int]]) -> str:
    """Return the share of seconds with a warning [%], and their number in all."""
    some, everything = (sum(each) for each in zip(*counts))
    return f'{100.0 * some / everything:.0f} ({everything})' if everything else '-'
