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

"""Steady state: what a static swarm costs at 1 Hz rounds, when nothing happens any more."""

from benchmarks.hosted_swarm import hosted_swarm
from leader_election.nodes import clock
import psutil

SETTLE = 10.0
MEASURE = 20.0


def measure(robots: int) -> None:
    """Print the figures of one size of swarm, all robots in one process."""
    with hosted_swarm(robots, 1, schedule='reactive', radius=8.0,
                      communication_range=1.2) as swarm:
        swarm.go()
        observer, fleet = swarm.observer, psutil.Process(swarm.pids[0])
        observer.wait(SETTLE)
        tracker, before = observer.tracker, fleet.cpu_times()
        messages, size = tracker.messages, tracker.bytes
        begin = clock.now(observer)
        observer.wait(MEASURE)
        time = clock.now(observer) - begin
        after = fleet.cpu_times()
        messages, size = tracker.messages - messages, tracker.bytes - size
        cpu = after.user + after.system - before.user - before.system
        memory = fleet.memory_info().rss / 1e6
        rounds = robots * time
        print(f'{robots:4d} robots: {cpu / time:6.1%} of one core, {memory:.0f} MB in all, '
              f'{messages / time:.1f} messages/s, {size / messages:.1f} bytes a message, '
              f'{max(0.0, rounds - messages) / rounds:.2%} of the rounds missed')


def main() -> None:
    """Print the figures of three sizes; their differences are what a robot costs."""
    print('## Steady state: one fleet process on a shared topic, odometry at 10 Hz')
    for robots in (50, 100, 200):
        measure(robots)


if __name__ == '__main__':
    main()
