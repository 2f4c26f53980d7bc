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

"""How many device-rounds a second the laboratory runs on one core, and how that scales."""

import argparse
import resource
import time

from leader_election.lab.scenario import load, Scenario
from leader_election.lab.simulate import Simulation

SCENARIOS = ('acsos2022_random', 'acsos2022_edge')
SIZES = (1_000, 10_000, 100_000, 1_000_000)


def rate(scenario: Scenario, algorithm: str, repetitions: int) -> float:
    """Return device-rounds a second, with mobility and all measures, the best of some runs."""
    best = 0.0
    for seed in range(repetitions):
        stage = Simulation(scenario, scenario.entrant(algorithm), seed)
        # Links are made, and the first sweep is over, before the clock runs.
        stage.run(2.0 * scenario.rounds.period)
        before = int(stage.network.watch.counts[0])
        start = time.process_time()
        stage.run(scenario.duration)
        rounds = int(stage.network.watch.counts[0]) - before
        best = max(best, rounds / (time.process_time() - start))
    return best


def grown(scenario: Scenario, devices: int, duration: float) -> Scenario:
    """Return the scenario with so many devices, at the same density."""
    side = 1030.0 * (devices / 1000.0) ** 0.5
    return scenario.replaced({
        'duration': duration, 'devices.count': devices,
        'devices.high': [80.0 + side, 80.0 + side],
        'motion.walls': [70.0, 76.0, 94.0 + side, 100.0 + side]})


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--largest', type=int, default=SIZES[-1], help='the most devices')
    largest = parser.parse_args().largest
    compiled = time.perf_counter()
    rate(load(SCENARIOS[0]).replaced({'duration': 3.0}), 'bounded', 1)
    print(f'compiled, or found compiled, in {time.perf_counter() - compiled:.1f} s')
    print('device-rounds a second and core, in millions, the best of 5 runs')
    for name in SCENARIOS:
        scenario = load(name)
        for entrant in scenario.entrants:
            print(f'  {name} {entrant.label:10} {rate(scenario, entrant.label, 5) / 1e6:6.2f}')
    print('bounded at the density of acsos2022_random')
    first = None
    for devices in SIZES:
        if devices > largest:
            break
        # As many rounds in all, but enough of them to be moving.
        scenario = grown(load(SCENARIOS[0]), devices, max(12.0, min(600.0, 3e6 / devices)))
        reached = rate(scenario, 'bounded', 3 if devices < 1_000_000 else 1)
        first = first or reached
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f'  {devices:9,} devices {reached / 1e6:6.2f} million a second, '
              f'{reached / first:4.0%} of the first; {memory:,.0f} MB')


if __name__ == '__main__':
    main()
