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
Cold start: from the last node's first message to a partition that no longer changes.

A lattice of 10 x 10 robots that hear their eight neighbours, the strongest in a corner: its
candidacy has to cross nine hops. Reactive against periodic rounds, both at 1 Hz; with the world's
radio, which delivers a message to the robots in range only, and on one shared topic, where this
machine's two cores, and not the robots, are the bottleneck.
"""

from benchmarks.hosted_swarm import hosted_swarm

ROBOTS = 100
HOPS = 9
RADIUS = 30.0
RANGE = 1.2
QUIET = 6.0
"""The time without a change after which a partition is final [s]."""
REPEATS = 3


CASES = {
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


def main() -> None:
    """Print the times and their ratios."""
    print(f'## Cold start: {ROBOTS} robots on one machine, {HOPS} hops, rounds at 1 Hz')
    for radio, cases in CASES.items():
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


if __name__ == '__main__':
    main()
