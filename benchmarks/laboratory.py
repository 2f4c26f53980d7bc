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
The rate of device-rounds of the laboratory on one core, and its scaling.

Each figure is measured in its own process, which also reports its memory. With ``--against``
another checkout is measured in turns with this one, stretch by stretch, on the same scenarios:
on a machine with other load only the ratio of the two is meaningful.
"""

import argparse
from collections.abc import Iterator
import os
from pathlib import Path
import resource
import statistics
import subprocess
import sys
import time
from typing import NamedTuple

from leader_election_lab.experiment.scenario import parse, Scenario
from leader_election_lab.simulation.simulation import Simulation
import yaml

HERE = Path(__file__).resolve().parents[1]
SCENARIOS = ('acsos2022_random', 'acsos2022_edge')
ALGORITHMS = ('recursive', 'classic', 'bounded')
SIZES = (1_000, 10_000, 100_000, 1_000_000)
STRETCH = 200_000
"""The least number of rounds of a stretch; at least two per device, so that all move."""


CHANGES: dict[str, dict[str, object]] = {
    'phase: random': {'rounds.phase': 'random'},
    'loss': {'messages.loss': 0.2}, 'expiry': {'messages.expiry': 2.5},
    'localisation': {'localisation.model': 'cooperative', 'localisation.deviation': 5.0},
    **{f'regions, {each}': {} for each in ('tree', 'multi-path', 'gossip')}}
"""What the first scenario is changed by, for the price of a feature. Regions have a collection."""


class Case(NamedTuple):
    """A measurement."""

    scenario: str
    algorithm: str
    devices: int
    """0: the number of the scenario."""
    change: str = ''

    def prepared(self) -> Scenario:
        """Return the scenario of this checkout, with this algorithm only."""
        file = HERE / f'lab/leader_election_lab/scenarios/{self.scenario}.yaml'
        raw = yaml.safe_load(file.read_text(encoding='utf-8'))
        raw['algorithms'] = [each for each in raw['algorithms'] if each['name'] == self.algorithm]
        if self.change.startswith('regions'):
            raw['algorithms'][0]['regions'] = {'collection': self.change.split()[-1]}
        scenario = parse(raw, self.scenario).replaced(CHANGES.get(self.change, {}))
        return grown(scenario, self.devices) if self.devices else scenario


def grown(scenario: Scenario, devices: int) -> Scenario:
    """Return the scenario with a number of devices, at the same density."""
    side = 1030.0 * (devices / 1000.0) ** 0.5
    return scenario.replaced({
        'devices.count': devices, 'devices.high': [80.0 + side, 80.0 + side],
        'motion.walls': [70.0, 76.0, 94.0 + side, 100.0 + side]})


def stretches(case: Case) -> Iterator[tuple[int, float]]:
    """Yield the rounds of each stretch, with motion and all measures, and its time [s]."""
    scenario, seed = case.prepared(), 0
    while True:
        simulation = Simulation(scenario, scenario.entrant(case.algorithm), seed)
        # Links and the first sweep are computed before the clock starts.
        at = 2.0 * scenario.rounds.period
        simulation.run(at)
        seconds = max(2.0, STRETCH / len(simulation.network.devices.id)) * scenario.rounds.period
        while at + seconds <= scenario.duration:
            at += seconds
            before = int(simulation.network.watch.counts[0])
            start = time.process_time()
            simulation.run(at)
            took = time.process_time() - start
            yield int(simulation.network.watch.counts[0]) - before, took
        seed += 1


def serve(case: Case) -> None:
    """Run a stretch for each line of the input; print nanoseconds a round, and megabytes."""
    runs = stretches(case)
    for _ in sys.stdin:
        rounds, took = next(runs)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(1e9 * took / rounds, memory, flush=True)


class Measured(NamedTuple):
    """The results of a checkout, in the order of stretches."""

    nanoseconds: list[float]
    """A round."""
    memory: float
    """The peak memory of the process, including interpreter and libraries [MB]."""

    def text(self) -> str:
        """Return the rates of the best and of the median stretch."""
        best, middle = min(self.nanoseconds), statistics.median(self.nanoseconds)
        return f'{1e3 / best:6.2f} ({1e3 / middle:5.2f})'


def measure(runs: list[tuple[Path, Case]], count: int) -> list[Measured]:
    """Return the results of each case in its checkout, by a number of stretches in turns."""
    children = [subprocess.Popen(
        [sys.executable, __file__, '--serve', *map(str, case)], cwd=tree, encoding='utf-8',
        env={**os.environ, 'PYTHONPATH': os.pathsep.join((str(tree), str(tree / 'lab')))},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE) for tree, case in runs]
    found = [Measured([], 0.0) for _ in runs]
    for turn in range(count + 1):
        for k in range(len(runs)) if turn % 2 else reversed(range(len(runs))):
            given, answers = children[k].stdin, children[k].stdout
            assert given is not None and answers is not None
            given.write('\n')
            given.flush()
            answer = answers.readline()
            if not answer:
                raise SystemExit(f'{runs[k][0]}: {" ".join(map(str, runs[k][1]))} does not run')
            nanoseconds, memory = map(float, answer.split())
            # The first stretch touches code and memory for the first time.
            if turn > 0:
                found[k].nanoseconds.append(nanoseconds)
            found[k] = found[k]._replace(memory=memory)
    for child in children:
        child.communicate()
    return found


def times(this: Measured, other: Measured) -> float:
    """Return the ratio of this rate to the other's, the median of all turns."""
    return statistics.median(
        others / own for own, others in zip(this.nanoseconds, other.nanoseconds))


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--largest', type=int, default=SIZES[-1], help='the most devices')
    parser.add_argument('--against', type=Path, help='the folder of another checkout')
    parser.add_argument('--stretches', type=int, default=15, help='of each figure')
    parser.add_argument('--only', choices=ALGORITHMS,
                        help='one algorithm; the other checkout has to know its parameters')
    parser.add_argument('--serve', nargs=4, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(Case(given.serve[0], given.serve[1], int(given.serve[2]), given.serve[3]))
        return
    trees = [HERE] + ([given.against.resolve()] if given.against else [])
    print('million device-rounds a second and core: the best stretch, and the middle one')
    for name in SCENARIOS:
        for algorithm in ALGORITHMS if given.only is None else (given.only,):
            found = measure([(tree, Case(name, algorithm, 0)) for tree in trees], given.stretches)
            line = '   against '.join(each.text() for each in found)
            if len(found) > 1:
                line += f': {times(*found):.2f} times'
            print(f'  {name} {algorithm:10} {line}', flush=True)
    print('bounded in acsos2022_random with a feature, and how many times as long as without')
    for change in CHANGES:
        plain = Case(SCENARIOS[0], 'bounded', 0)
        found = measure([(HERE, plain), (HERE, plain._replace(change=change))], given.stretches)
        print(f'  {change:20} {found[1].text()}: {1.0 / times(found[1], found[0]):.2f} times',
              flush=True)
    print('bounded at the density of acsos2022_random, and what part of the rate of 1,000 devices')
    for devices in SIZES:
        if devices > given.largest:
            break
        # Each in turns with the least one: no machine is the same from time to time.
        found = measure([(tree, Case(SCENARIOS[0], 'bounded', size))
                         for tree in trees for size in (devices, SIZES[0])],
                        max(3, given.stretches // (5 if devices == SIZES[-1] else 1)))
        line = '   against '.join(
            f'{this.text()}, {times(this, least):4.0%}, {this.memory:,.0f} MB'
            for this, least in zip(found[::2], found[1::2]))
        if len(trees) > 1:
            line += f': {times(found[0], found[2]):.2f} times'
        print(f'  {devices:9,} devices {line}', flush=True)


if __name__ == '__main__':
    main()
