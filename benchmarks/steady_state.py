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


def cpu_seconds(fleets: list[psutil.Process]) -> float:
    """Return the processor time of these processes [s]."""
    return sum(times.user + times.system for times in (fleet.cpu_times() for fleet in fleets))


def measure(radio: str, robots: int, processes: int) -> None:
    """Print the figures of one size of swarm."""
    with hosted_swarm(robots, processes, radio, schedule='reactive', radius=8.0,
                      communication_range=1.2) as swarm:
        swarm.go()
        observer, fleets = swarm.observer, [psutil.Process(pid) for pid in swarm.pids]
        observer.wait(SETTLE)
        tracker, before, begin = observer.tracker, cpu_seconds(fleets), observer.now()
        messages, size = tracker.messages, tracker.bytes
        observer.heard.clear()
        observer.wait(MEASURE)
        time, cpu = observer.now() - begin, cpu_seconds(fleets) - before
        messages, size = tracker.messages - messages, tracker.bytes - size
        due = math.floor(MEASURE)
        missed = sum(max(0, due - observer.heard[robot]) for robot in tracker.first_heard)
        memory = sum(fleet.memory_info().rss for fleet in fleets) / 1e6
        print(f'radio {radio:6} {robots:4d} robots in {processes}: {cpu / time:6.1%} of one core, '
              f'{memory:.0f} MB, {messages / time:.1f} messages/s, '
              f'{size / messages:.1f} bytes a message, '
              f'{missed} of {robots * due} rounds missed', flush=True)


def main() -> None:
    """Print the figures of some sizes; their differences are the cost of a robot."""
    print('## Steady state: static, odometry at 10 Hz')
    for radio, robots, processes in CASES:
        measure(radio, robots, processes)


if __name__ == '__main__':
    main()
