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
Moving regions: the accuracy of the leaders' counts, and their cost.

100 robots walk about the embedded world at 0.3 m/s and run the task ``count``. Twice a second
the sum of all leaders' counts is compared with 100. A swarm without regions, and so without
counts, is the reference for the cost.
"""

import argparse
from statistics import fmean
from typing import NamedTuple

from benchmarks.hosted_swarm import hosted_swarm, HostedSwarm
from leader_election.swarm.snapshot import member_counts

ROBOTS = 100
PROCESSES = 2
LAYOUT = {'layout': 'random', 'seed': 1}
WALK = {'motion': 'levy', 'speed': 0.3}
ELECTION = {'strengths': 'random', 'communication_range': 3.0, 'radius': 6.0}
TASK = {'tasks': 'count', 'gossip_members': 64}
"""The members known by gossip: with fewer the regions here would be too large."""
LOOK = 0.5
"""Time between two samples of the counts [s]."""


class Case(NamedTuple):
    """One row of the table."""

    name: str
    robots: dict[str, object]
    """Parameters of the robots."""
    schedule: str = 'periodic'
    loss: float = 0.0


SECOND = {'instances': 'second', 'second.radius': 6.0, 'second.tasks': 'count'}
CASES = (
    Case('no regions', {}), Case('no regions', {}, 'reactive'),
    *(Case(collection, {**TASK, 'collection': collection}, schedule, loss)
      for collection in ('multi-path', 'tree', 'gossip')
      for schedule in ('periodic', 'reactive') for loss in (0.0, 0.2)),
    Case('two instances', {**TASK, **SECOND}),
)


def watch(swarm: HostedSwarm, seconds: float, totals: list[float]) -> None:
    """Append the sum of all leaders' counts of each sample."""
    for _ in range(round(seconds / LOOK)):
        swarm.observer.wait(LOOK)
        counts = member_counts(swarm.observer.tracker.snapshot(swarm.observer.now()))
        if counts:
            totals.append(sum(counts.values()))


def measure(case: Case, settle: float, seconds: float) -> str:
    """Return the row of one case."""
    with hosted_swarm(ROBOTS, PROCESSES, 'relay', LAYOUT, WALK | {'radio_loss': case.loss},
                      schedule=case.schedule, **ELECTION, **case.robots) as swarm:
        swarm.go()
        swarm.observer.wait(settle)
        totals: list[float] = []
        cost = swarm.cost(lambda: watch(swarm, seconds, totals))
    counts = f'{"-":>7} {"-":>7} {"-":>7}'
    if totals:
        bias = fmean(totals) / ROBOTS - 1.0
        error = fmean(abs(total / ROBOTS - 1.0) for total in totals)
        worst = max(abs(total / ROBOTS - 1.0) for total in totals)
        counts = f'{bias:+7.1%} {error:7.1%} {worst:7.1%}'
    return (f'{case.name:14} {case.schedule:9} {case.loss:5.0%} {counts} {cost.messages:7.1f} '
            f'{cost.size:6.0f} {swarm.observer.longest:6d} {cost.cores:7.1%}')


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--settle', type=float, default=20.0, help='[s] before each measurement')
    parser.add_argument('--seconds', type=float, default=60.0, help='length of each [s]')
    parser.add_argument('--only', default='', help='only cases whose name contains this')
    options = parser.parse_args()
    print(f'## Regions on the move: {ROBOTS} robots, Levy walk at {WALK["speed"]} m/s, range '
          f'{ELECTION["communication_range"]} m, radius {ELECTION["radius"]} m; count against '
          f'{ROBOTS}: bias, mean and greatest error; bytes of a message, on average and at most; '
          'CPU of the fleet in cores')
    print(f'{"collection":14} {"schedule":9} {"loss":>5} {"bias":>7} {"error":>7} {"worst":>7} '
          f'{"msg/s":>7} {"bytes":>6} {"most":>6} {"CPU":>7}')
    for case in CASES:
        if options.only in case.name:
            print(measure(case, options.settle, options.seconds), flush=True)


if __name__ == '__main__':
    main()
