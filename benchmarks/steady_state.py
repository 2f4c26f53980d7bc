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
Steady state: the cost of a static swarm at 1 Hz rounds, without any changes.

A round is missed when a robot sends fewer messages than there were whole periods.
"""

import math

from benchmarks.hosted_swarm import hosted_swarm
import psutil

CASES = (('relay', 50, 1), ('relay', 100, 1), ('relay', 200, 2),
         ('shared', 50, 1), ('shared', 100, 1), ('shared', 200, 2))
"""Kind of radio, number of robots, number of fleet processes that host them."""
SETTLE = 15.0
MEASURE = 20.5


def measure(radio: str, robots: int, processes: int) -> None:
    """Print the figures of one size of swarm."""
    with hosted_swarm(robots, processes, radio, schedule='reactive', radius=8.0,
                      communication_range=1.2) as swarm:
        swarm.go()
        observer, due = swarm.observer, math.floor(MEASURE)
        observer.wait(SETTLE)
        observer.heard.clear()
        cost = swarm.cost(lambda: observer.wait(MEASURE))
        missed = sum(max(0, due - observer.heard[robot]) for robot in observer.tracker.first_heard)
        memory = sum(psutil.Process(pid).memory_info().rss for pid in swarm.pids) / 1e6
        print(f'radio {radio:6} {robots:4d} robots in {processes}: {cost.cores:6.1%} of one core, '
              f'{memory:.0f} MB, {cost.messages:.1f} messages/s, {cost.size:.1f} bytes a message, '
              f'{missed} of {robots * due} rounds missed', flush=True)


def main() -> None:
    """Print the figures of some sizes; their differences are the cost of a robot."""
    print('## Steady state: static, odometry at 10 Hz')
    for radio, robots, processes in CASES:
        measure(radio, robots, processes)


if __name__ == '__main__':
    main()
