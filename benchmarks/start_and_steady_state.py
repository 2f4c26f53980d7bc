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
Hosted robots: their cold start, and the cost of a swarm at rest.

The cold start is the time from the last node's first message to a partition that no longer
changes, on a lattice of 10 x 10 robots that hear their eight neighbours, the strongest in a
corner: its candidacy has to cross nine hops. Reactive against periodic rounds, both at 1 Hz; with
the world's radio, which delivers a message to the robots in range only, and on one shared topic,
where this machine's two cores, and not the robots, are the bottleneck.

At rest, with rounds at 1 Hz, a round is missed when a robot sends fewer messages than there were
whole periods.
"""

import math

from benchmarks.hosted_swarm import hosted_swarm
import psutil

ROBOTS = 100
HOPS = 9
RADIUS = 30.0
RANGE = 1.2
QUIET = 6.0
"""The time without a change after which a partition is final [s]."""
REPEATS = 3


STARTS = {
    'relay': (('periodic', 0.1), ('reactive', 0.1), ('reactive', 0.05)),
    'shared': (('periodic', 0.1), ('reactive', 0.1)),
}
"""Schedules and the least time between two reactive rounds [s], by the kind of radio."""


def seconds_to_partition(radio: str, schedule: str, interval: float) -> float:
    """Return the time to the final partition [s]."""
    with hosted_swarm(ROBOTS, 2, radio, schedule=schedule, reactive_interval=interval,
                      radius=RADIUS, communication_range=RANGE) as swarm:
        swarm.go()
        observer = swarm.observer
        while observer.now() < observer.last_change + QUIET:
            observer.wait(0.5)
        leaders = {view.leader for view in observer.tracker.snapshot(0.0).robots.values()}
        assert leaders == {ROBOTS}, leaders
        begin = max(observer.tracker.first_heard.values())
        return max(0.0, observer.last_change - begin)


def cold_start() -> None:
    """Print the times and their ratios."""
    print(f'## Cold start: {ROBOTS} robots on one machine, {HOPS} hops, rounds at 1 Hz')
    for radio, cases in STARTS.items():
        periodic = 0.0
        for schedule, interval in cases:
            times = sorted(
                seconds_to_partition(radio, schedule, interval) for _ in range(REPEATS))
            median = times[REPEATS // 2]
            periodic = periodic or median
            every = f' every {interval:g} s' if schedule == 'reactive' else ''
            print(f'radio {radio:6} {schedule}{every:13} {median:6.2f} s (median of '
                  f'{", ".join(f"{time:.2f}" for time in times)}), '
                  f'{periodic / max(median, 0.01):.1f} times as fast as periodic', flush=True)


STEADY = (('relay', 50, 1), ('relay', 100, 1), ('relay', 200, 2),
          ('shared', 50, 1), ('shared', 100, 1), ('shared', 200, 2))
"""Kind of radio, number of robots, number of fleet processes that host them."""
SETTLE = 15.0
MEASURE = 20.5


def steady(radio: str, robots: int, processes: int) -> None:
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


def steady_state() -> None:
    """Print the figures of some sizes; their differences are the cost of a robot."""
    print('## Steady state: static, odometry at 10 Hz')
    for radio, robots, processes in STEADY:
        steady(radio, robots, processes)


def main() -> None:
    """Print the figures of both."""
    cold_start()
    steady_state()


if __name__ == '__main__':
    main()
