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

"""Entry of the laboratory."""

import argparse
from collections.abc import Callable, Mapping
import os
from pathlib import Path
import signal
import sys
from typing import Any

from leader_election.lab import results, runs
from leader_election.lab import scenario as scenarios
from leader_election.lab.options import parse
from leader_election.lab.results import ResultError
from leader_election.lab.scenario import Scenario, ScenarioError
from leader_election.lab.summary import table
from leader_election.lab.terminal import console
import numpy as np
from rich.box import SIMPLE_HEAD
from rich.table import Table

USAGE_ERROR = 2
INTERRUPTED = 130


def main() -> int:
    """Do what the command line asks for; return the exit status."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    options = parse()
    commands: dict[str, Callable[[argparse.Namespace], int]] = {
        'list': show_list, 'run': run, 'figure': figure, 'reproduce': reproduce,
        'study': study}
    try:
        return commands[options.command](options)
    except (ScenarioError, ResultError) as error:
        print(f'error: {error}', file=sys.stderr)
        return USAGE_ERROR
    except OSError as error:
        # Of a file that is none of ours to name, such as one that numba compiles into.
        print(f'error: {error}', file=sys.stderr)
        return USAGE_ERROR
    except KeyboardInterrupt:
        again = ' without --again' if getattr(options, 'again', False) else ''
        print(f'stopped; finished runs are kept, and the same command{again} goes on from there',
              file=sys.stderr, flush=True)
        sys.stdout.flush()
        # The runs that threads are at would be waited for.
        os._exit(INTERRUPTED)


def show_list(options: argparse.Namespace) -> int:
    """Print the scenarios that come with the package."""
    shown = Table(box=SIMPLE_HEAD)
    for name in ('scenario', 'title', 'algorithms'):
        shown.add_column(name)
    for name in ('devices', 'seeds done'):
        shown.add_column(name, justify='right')
    for name in scenarios.names():
        scenario = scenarios.load(name)
        # Those with regions are many variants of a few.
        labels = [e.label if e.regions is None else e.algorithm.name for e in scenario.entrants]
        shown.add_row(name, scenario.title, ', '.join(dict.fromkeys(labels)),
                      str(devices(scenario)), seeds_done(scenario, options.results))
    console().print(shown)
    return 0


def devices(scenario: Scenario) -> int:
    """Return how many devices a scenario has."""
    random = np.random.default_rng(0)
    return sum(getattr(group.parameters, 'count', None)
               or len(group.topology.place(group.parameters, random).position)
               for group in scenario.groups)


def seeds_done(scenario: Scenario, folder: Path) -> str:
    """Say how many seeds are done for all of a scenario's algorithms and variants."""
    path, parts = results.path_of(folder, scenario.name), runs.parts_of(folder, scenario.name)
    try:
        keys = set(runs.kept_in(parts, results.digests(scenario)))
        if path.exists():
            keys |= results.present(results.fitting(results.load(path), scenario, path))
    except ResultError:
        # Damaged, or of another version: lab run says which.
        return 'not usable'
    return str(results.seeds_done(keys, scenario))


def run(options: argparse.Namespace) -> int:
    """Run what is missing of a scenario, and print what it comes to."""
    scenario = scenarios.load(options.scenario).replaced(dict(options.set))
    label = (options.algorithm or [scenario.entrants[0].label])[0]
    out = options.results / f'{scenario.name}_{label}.gif'
    if not options.no_animation:
        from leader_election.lab.figures.animation import animate, check_kind
        check_kind(out)  # Not only after an hour.
    dataset = runs.run(scenario, options.seeds, options.results, options.algorithm,
                       options.workers, options.again)
    console().print(table(dataset, scenario.rounds.period, scenario.measure.window))
    print(f'wrote {results.path_of(options.results, scenario.name)}')
    if not options.no_animation:
        values, variant = scenario.variants()[0]
        print(f'wrote {animate(variant, label, options.seeds[0], out)}: '
              f'{which(options.seeds[0], values)}')
    return 0


def which(seed: int, values: Mapping[str, Any]) -> str:
    """
    Say which run of a scenario is meant.

    >>> which(3, {'messages.loss': 0.2, 'rounds.phase': 'random'})
    'seed 3, messages.loss=0.2, rounds.phase=random'
    """
    return ', '.join([f'seed {seed}', *(f'{key}={value}' for key, value in values.items())])


def figure(options: argparse.Namespace) -> int:
    """Draw a figure, or name those that there are."""
    from leader_election.lab import figures
    if not options.name:
        print(*figures.names(), sep='\n')
        return 0
    out = options.out or options.results / 'figures' / f'{options.name}.png'
    print(f'wrote {figures.draw(options.name, options.results, out)}')
    return 0


def reproduce(options: argparse.Namespace) -> int:
    """Reproduce the papers' figures."""
    from leader_election.lab.report import reproduce as report
    return report(options.seeds, options.results, options.workers)


def study(options: argparse.Namespace) -> int:
    """Run the study of regions."""
    from leader_election.lab.study_report import study as report
    return report(options.seeds, options.results, options.workers)
