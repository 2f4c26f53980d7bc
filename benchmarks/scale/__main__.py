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
Rounds, messages and recovery of all algorithms from 100 to 1,000,000 devices.

Each run starts, then loses 1 % of all devices, 10 %, and all leaders at once, and each of these
phases lasts until nothing changes any more. Finished runs are stored. After Ctrl-C the same
command continues from there. The tables, scale.md, and the picture, scale.png, are in the folder
of the results. The exit status is 1 if leaders of any run are wrong at its end.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import as_completed, ThreadPoolExecutor
from dataclasses import asdict
from functools import cache
import hashlib
import json
import os
from pathlib import Path
import signal
import sys
from typing import NamedTuple

from benchmarks.scale import phases, reference
from benchmarks.scale.figure import draw
from benchmarks.scale.networks import (
    Contestant,
    CONTESTANTS,
    diameter,
    Network,
    NETWORKS,
    scenario_of,
)
from benchmarks.scale.phases import BUDGET, LEADERS, LOSSES, Outcome, Phase, run, SKIPPED
from benchmarks.scale.report import has_wrong, report, Runs
from leader_election.parameters.command_line import CommandLineParser, ExitStatus, print_error
from leader_election_lab.runs.computation import cores
from leader_election_lab.runs.files import replacing, ResultError
from leader_election_lab.runs.processes import compile_by_running
from leader_election_lab.runs.store import fingerprint
from leader_election_lab.simulation.build import placements_of
from leader_election_lab.terminal_output import Progress


class Key(NamedTuple):
    """The identity of a run."""

    network: Network
    contestant: Contestant
    seed: int


def path_of(folder: Path, key: Key) -> Path:
    """Return the file of a run."""
    return folder / f'{key.network.name},{key.contestant.label},{key.seed}.json'


@cache
def digest_of(network: Network, contestant: Contestant) -> str:
    """Return a digest of all inputs of the runs of an algorithm in a network."""
    # The budget determines the end of a run, not its results until then.
    scenario = scenario_of(network, contestant, 1000)
    parts = (fingerprint(scenario, contestant.label), contestant.quiet(network.hops),
             *(Path(each.__file__).read_text(encoding='utf-8') for each in (phases, reference)))
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def keep(folder: Path, key: Key, digest: str, budget: int, outcome: Outcome) -> None:
    """
    Write a run to its file, atomically.

    :param budget: of this run [rounds a phase].
    """
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(path_of(folder, key)) as temporary:
        temporary.write_text(json.dumps(
            {'digest': digest, 'budget': budget, **asdict(outcome)}, indent=1), encoding='utf-8')


def kept(folder: Path, key: Key, digest: str, budget: int) -> Outcome | None:
    """
    Return a stored run, ``None`` if it has to be run.

    It has to be run again after an end by a smaller budget, or with other code or settings.

    :param budget: the present one [rounds a phase].
    """
    try:
        found = json.loads(path_of(folder, key).read_text(encoding='utf-8'))
        outcome = Outcome(found['devices'], found['diameter'], found['receivers'], {
            name: Phase(**phase) for name, phase in found['phases'].items()})
        complete = not any(phase.ended in (BUDGET, SKIPPED) for phase in outcome.phases.values())
        current = found['digest'] == digest and (complete or found['budget'] >= budget)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return outcome if current else None


SEEDS = ((2_000, 10), (20_000, 5), (10_000_000, 3))
DEVICE_ROUNDS = 1_000_000_000
"""Rounds of devices that a phase may take."""
MOST_ROUNDS = 20_000


def parser() -> CommandLineParser:
    """Return the parser of the command line."""
    options = CommandLineParser('scale', description=__doc__)
    options.add_argument('--largest', type=int, default=1_000_000, metavar='N',
                         help='only networks of up to this many devices (1000000)')
    options.add_argument('--seeds', type=int, default=10, metavar='N',
                         help='seeds of the small networks (10); large ones have fewer')
    options.add_argument('--algorithm', action='append', default=[], metavar='NAME',
                         help='only this algorithm; may be repeated')
    options.add_argument('--budget', type=float, default=DEVICE_ROUNDS, metavar='N',
                         help='rounds of devices that a phase may take (1e9)')
    options.add_argument('--workers', type=int, default=cores(), metavar='N',
                         help='runs at the same time (one a core)')
    options.add_argument('--show', action='store_true',
                         help='run nothing: tables and picture of the stored runs')
    options.add_argument('--results', type=Path, default=Path('results/scale'), metavar='DIR',
                         help='folder of runs, tables and picture (results/scale)')
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the missing runs, print the tables, draw the picture, and return the exit status."""
    options = parser().parse_args(arguments)
    known = [contestant.label for contestant in CONTESTANTS]
    unknown = [name for name in options.algorithm if name not in known]
    if unknown:
        parser().error(f'--algorithm {unknown[0]} is not allowed; it takes one of '
                       f'{", ".join(known)}')
    networks = [network for network in NETWORKS if network.devices <= options.largest]
    if not networks or min(options.seeds, options.workers) < 1 or not options.budget >= 1.0:
        parser().error('--largest takes 100 or more, --seeds, --workers and --budget 1 or more')
    contestants = [contestant for contestant in CONTESTANTS
                   if contestant.label in (options.algorithm or known)]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        runs = measure(networks, contestants, options.seeds, options.budget,
                       0 if options.show else options.workers, options.results, Progress())
        text = report(runs, networks, contestants)
        (options.results / 'scale.md').write_text(text, encoding='utf-8')
        print(text + f'wrote {options.results / "scale.md"}')
        print(f'wrote {draw(runs, networks, contestants, options.results / "scale.png")}')
    except (ResultError, OSError) as error:
        return print_error(error)
    except KeyboardInterrupt:
        print('stopped; finished runs are kept, and the same command goes on from there',
              file=sys.stderr, flush=True)
        # A normal exit would wait for the runs of the threads.
        os._exit(ExitStatus.INTERRUPTED)
    return ExitStatus.FAILED if has_wrong(runs) else ExitStatus.OK


def measure(networks: Sequence[Network], contestants: Sequence[Contestant], seeds: int,
            budget: float, workers: int, folder: Path, progress: Progress) -> Runs:
    """
    Return all runs, after computing the missing ones, small networks first.

    :param seeds: the greatest number of seeds.
    :param budget: of a phase [rounds of devices].
    :param workers: runs at the same time, 0 if missing runs are not computed.
    :param folder: of the stored runs.
    """
    found: dict[Key, Outcome] = {}
    missing: dict[Key, str] = {}
    for key in keys(networks, contestants, seeds):
        digest = digest_of(key.network, key.contestant)
        before = kept(folder, key, digest, rounds_of(key.network, budget) if workers else 0)
        if before is not None:
            found[key] = before
        elif workers:
            missing[key] = digest
    if found:
        progress.note(f'scale: {len(found)} of {len(found) + len(missing)} runs are there already')
    for contestant in dict.fromkeys(key.contestant for key in missing):
        smallest = scenario_of(networks[0], contestant, 1)
        compile_by_running(smallest, contestant.label, progress)
    if missing:
        with progress.counting('scale', len(missing)):
            for key, outcome in _computed(missing, budget, workers, folder):
                found[key] = outcome
                spent = sum(phase.spent for phase in outcome.phases.values())
                progress.finished(f'{key.contestant.label}, {key.network.devices:,} devices, '
                                  f'seed {key.seed}', spent * key.network.devices)
    runs: dict[tuple[Network, Contestant], list[Outcome]] = {}
    for key in sorted(found, key=lambda key: key.seed):
        runs.setdefault((key.network, key.contestant), []).append(found[key])
    return runs


def keys(networks: Sequence[Network], contestants: Sequence[Contestant],
         seeds: int) -> Iterator[Key]:
    """Yield all possible runs, small networks first."""
    for network in sorted(networks, key=lambda network: network.devices):
        most = next(count for devices, count in SEEDS if network.devices <= devices)
        for contestant in contestants:
            if network.leaders <= contestant.most_leaders:
                for seed in range(min(seeds, most)):
                    yield Key(network, contestant, seed)


def rounds_of(network: Network, budget: float) -> int:
    """Return the rounds that a phase may take in a network."""
    return max(1, min(MOST_ROUNDS, int(budget / network.devices)))


def _computed(missing: dict[Key, str], budget: float, workers: int,
              folder: Path) -> Iterator[tuple[Key, Outcome]]:
    """Yield runs when they are finished and stored."""
    def compute(key: Key) -> tuple[Key, Outcome]:
        outcome = outcome_of(key, rounds_of(key.network, budget))
        keep(folder, key, missing[key], rounds_of(key.network, budget), outcome)
        return key, outcome

    pool = ThreadPoolExecutor(workers)
    try:
        for future in as_completed([pool.submit(compute, key) for key in missing]):
            yield future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def outcome_of(key: Key, budget: int) -> Outcome:
    """
    Return the result of a run.

    :param budget: of a phase [rounds]. A phase that is foreseen to take longer does not begin.
    """
    network, contestant, seed = key
    skipped = frozenset(name for name in LOSSES if contestant.foreseen(
        network.hops, name == LEADERS) > budget)
    scenario = scenario_of(network, contestant, budget)
    position = placements_of(scenario.groups, seed)[0].position
    hops = diameter(position, network.range)
    return run(scenario, seed, hops, contestant.quiet(network.hops), budget, contestant.radius,
               skipped)


if __name__ == '__main__':
    raise SystemExit(main())
