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

"""The subcommands that run what is missing: ``lab run``, ``lab reproduce``, ``lab study``."""

import argparse
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from leader_election.parameters.command_line import ExitStatus
from leader_election_lab.analysis.measures import check_measure, measures_to_come
from leader_election_lab.analysis.paired_differences import to_first_rows
from leader_election_lab.analysis.summary import level_lines, table
from leader_election_lab.commands import LIMIT, SEEDS
from leader_election_lab.experiment import scenario as scenarios
from leader_election_lab.experiment.scenario import Scenario
from leader_election_lab.runs import computation as runs
from leader_election_lab.runs import results, store
from leader_election_lab.runs.files import check_writable, path_of
from leader_election_lab.runs.until_width import conclusion, run_until
from leader_election_lab.terminal_output import console, terminal_table
from PIL import Image
import xarray

MISSED = 1
"""Exit status if intervals are wider than wanted."""


def run(options: argparse.Namespace) -> int:
    """Run the missing runs of a scenario, and print their summary."""
    scenario = scenarios.load(options.scenario).replaced(dict(options.set))
    label = (options.algorithm or [scenario.entrants[0].label])[0]
    out = options.results / f'{scenario.name}_{label}.gif'
    if not options.no_animation:
        check_writable(out, ['.gif'])  # Before any run.
    discard = [options.again]  # Only before the first batch of seeds.

    def compute(seeds: Sequence[int]) -> xarray.Dataset:
        return runs.run(scenario, seeds, options.results, options.algorithm, options.workers,
                        discard.pop() if discard else False, cluster=options.cluster)
    outcome = None
    if options.until_width is None:
        dataset = compute(options.seeds or range(SEEDS))
    else:
        labels = [each.label for each in scenario.entrants
                  if not options.algorithm or each.label in options.algorithm]
        # Before any run, not after the first batch.
        check_measure(measures_to_come(results.empty(scenario, labels, [0])), options.measure)
        outcome = run_until(compute, options.seeds or range(LIMIT), options.measure,
                            options.until_width, labels, lambda text: print(text, flush=True))
        dataset = outcome.results
    console().print(table(dataset))
    rows = to_first_rows(dataset)
    if rows is not None:
        console().print()
        console().print(terminal_table(rows))
    for line in level_lines(dataset):
        print(line)
    if outcome is not None:
        print(conclusion(outcome, options.measure, options.until_width))
    print(f'wrote {path_of(options.results, scenario.name)}')
    if not options.no_animation:
        values, variant = scenario.variants()[0]
        seed = (options.seeds or range(1))[0]
        wrote = write_animation(variant, label, seed, out)
        print(f'wrote {out}: {run_label(seed, values)}' if wrote
              else f'{out} is there already: {run_label(seed, values)}')
    return ExitStatus.OK if outcome is None or outcome.reached else MISSED


def write_animation(scenario: Scenario, label: str, seed: int, out: Path) -> bool:
    """
    Write the animation of a run, unless the file shows this run already.

    :return: whether it was written.
    """
    of = f'{scenario.title}; {label}, seed {seed}; {store.fingerprint(scenario, label)}'
    with suppress(OSError), Image.open(out) as present:
        if present.info.get('comment') == of.encode():
            return False
    # With matplotlib and the compiler.
    from leader_election_lab.figures.network_snapshots import animate
    animate(scenario, label, seed, out, of)
    return True


def run_label(seed: int, values: Mapping[str, Any]) -> str:
    """
    Return the label of one run: its seed, and the values of the keys that vary.

    >>> run_label(3, {'messages.loss': 0.2, 'rounds.phase': 'random'})
    'seed 3, messages.loss=0.2, rounds.phase=random'
    """
    return ', '.join([f'seed {seed}', *(f'{key}={value}' for key, value in values.items())])


def run_papers(options: argparse.Namespace) -> int:
    """Run the papers' experiments, or the study of regions; write ``report.md``, ``study.md``."""
    from leader_election_lab import reports
    write = {'reproduce': reports.reproduce, 'study': reports.study}[options.command]
    return write(options.seeds, options.results, options.workers, options.cluster)
