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
The subcommands of the command ``lab``.

Each imports what it alone needs: ``lab run`` takes the compiler only if a run is missing.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from leader_election.parameters.command_line import ExitStatus, print_error
from leader_election_lab.analysis.measures import DERIVED, time_average
from leader_election_lab.analysis.paired_differences import (
    ALGORITHM,
    all_pairs,
    check_labels,
    pair_rows,
    to_first_rows,
)
from leader_election_lab.analysis.summary import level_lines, table
from leader_election_lab.commands import MEASURE, SEEDS
from leader_election_lab.experiment import scenario as scenarios
from leader_election_lab.experiment.scenario import count_devices, Scenario, ScenarioError
from leader_election_lab.runs import computation as runs
from leader_election_lab.runs import results, store
from leader_election_lab.runs.files import check_writable, path_of, replacing, ResultError
from leader_election_lab.runs.kept import kept
from leader_election_lab.runs.results import scenario_of
from leader_election_lab.states import COUNTERS, DEVICE_MEASURES
from leader_election_lab.terminal_output import console, Rows, terminal_table
import pandas
import xarray

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def run(options: argparse.Namespace) -> int:
    """Run the missing runs of a scenario, and print their summary."""
    scenario = scenarios.load(options.scenario).replaced(dict(options.set))
    if options.checked:
        check_rounds(scenario, options)
    dataset = runs.run(scenario, options.seeds or range(SEEDS), options.results,
                       options.algorithm, options.workers, options.again, cluster=options.cluster)
    console().print(table(dataset))
    rows = to_first_rows(dataset)
    if rows is not None:
        console().print()
        console().print(terminal_table(rows))
    for line in level_lines(dataset):
        print(line)
    print(f'wrote {path_of(options.results, scenario.name)}')
    return ExitStatus.OK


def check_rounds(scenario: Scenario, options: argparse.Namespace) -> None:
    """Compute the first seed of each algorithm of the first variant in plain Python, too."""
    from leader_election_lab.simulation.checked_rounds import check
    values, variant = scenario.variants()[0]
    seed = (options.seeds or range(1))[0]
    which = ', '.join([f'seed {seed}', *(f'{key}={value}' for key, value in values.items())])
    for label in options.algorithm or [entrant.label for entrant in variant.entrants]:
        print(f'checking {label}, {which} in plain Python ...', flush=True)
        print(f'checked {label}: {check(variant, label, seed)} rounds are as in plain Python, '
              'within their neighbours, and finite', flush=True)


def show_list(options: argparse.Namespace) -> int:
    """Print the scenarios that come with the package, and further ones with kept results."""
    rows: list[tuple[str, ...]] = []
    for name in scenarios.names():
        scenario = scenarios.load(name)
        # Labels of algorithms with regions differ by settings: the algorithm's name is enough.
        labels = [e.label if e.regions is None else e.algorithm.name for e in scenario.entrants]
        rows.append((name, scenario.title, ', '.join(dict.fromkeys(labels)),
                     str(count_devices(scenario)), seeds_done(scenario, options.results)))
    for path in sorted(options.results.glob('*.nc')):
        if path.stem not in scenarios.names():
            dataset = results.load(path)
            rows.append((path.stem, dataset.attrs['title'],
                         ', '.join(dataset['algorithm'].values.tolist()),
                         str(count_devices(results.scenario_of(dataset))),
                         str(dataset.sizes['seed'])))
    console().print(terminal_table(Rows(
        '', ('scenario', 'title', 'algorithms', 'devices', 'seeds done'), rows)))
    return ExitStatus.OK


def seeds_done(scenario: Scenario, folder: Path) -> str:
    """
    Return the number of seeds that are done for all algorithms and variants, as text.

    Runs of another text of the scenario, or of other code, are not counted.
    """
    digests, finished = store.digests(scenario), store.finished(folder, scenario.name)
    runs_of_seeds = Counter(key.seed for key in store.keys_of(finished, digests))
    done = sum(count == len(digests) for count in runs_of_seeds.values())
    current = {str(digest) for digest in digests.values()}
    return f'{done}' if current.issuperset(finished) else f'{done}, others changed'


def compare(options: argparse.Namespace) -> int:
    """Print the paired differences between algorithms or variants over kept results."""
    key, chosen, pairs = options.key, options.algorithm, None
    if len(chosen) == 1 and key == ALGORITHM:
        raise ScenarioError(f'--algorithm: {chosen[0]!r} is not allowed alone; it takes two or '
                            'more')
    dataset = kept(options.scenario, options.results)
    if chosen:
        check_labels(dataset[ALGORITHM].values.tolist(), chosen)
        dataset = dataset.sel(algorithm=chosen)
        pairs = all_pairs(chosen) if key == ALGORITHM else None
    # All of them before the first line is printed, since a measure may be refused.
    for table_of in [pair_rows(dataset, measure, pairs, key)
                     for measure in options.measure or [MEASURE]]:
        console().print(terminal_table(table_of))
        console().print()
    return ExitStatus.OK


MEAN = 'Mean over time without the first sixth. '
TIMES, RUNS, DEVICES = 'times', 'runs', 'devices'
"""What a row of an exported table stands for: a run at a time, a run, or a device of a run."""


def export_results(options: argparse.Namespace) -> int:
    """Write the kept results of a scenario as a table, and print descriptions of its columns."""
    dataset = kept(options.scenario, options.results)
    scenario = scenario_of(dataset)
    rows = RUNS if options.summary else DEVICES if options.devices else TIMES
    suffix = '' if rows == TIMES else '_summary' if rows == RUNS else '_devices'
    out = options.out or options.results / f'{scenario.name}{suffix}.csv'
    count = write_table(dataset, scenario, out, rows)
    labels = {name: results.attributes(name, scenario)
              for name in next(frames(dataset, rows)).columns}
    averaged = (*results.measures_of(scenario), *DERIVED) if rows == RUNS else ()
    console().print(terminal_table(Rows('', ('column', 'unit', 'description'), [
        (name, label.get('units', ''), MEAN * (name in averaged) + label['description'])
        for name, label in labels.items()])))
    print(f'wrote {out}: {count} rows')
    return ExitStatus.OK


def write_table(dataset: xarray.Dataset, scenario: Scenario, path: Path, rows: str) -> int:
    """
    Write results as a CSV table, and replace the file as a whole.

    A row has the algorithm, the keys that vary, the seed, and the time or the device, and all
    measures. In a table with a row for each run, measures are means over time without the first
    sixth, and derived measures and counters follow. Missing runs have no rows.

    :param dataset: the results of the scenario.
    :param path: ends in ``.csv``.
    :param rows: ``TIMES``, ``RUNS`` or ``DEVICES``.
    :return: the number of rows.
    :raises ResultError: if the file cannot be written, or the results have no devices.
    """
    check_writable(path, ['.csv'])
    if rows == DEVICES and not scenario.measure.devices:
        raise ResultError(f'the results of {scenario.name} have no measures of devices; they take '
                          'measure: {devices: true} in the scenario')
    count = 0
    with replacing(path) as temporary, open(
            temporary, 'w', newline='', encoding='utf-8') as stream:
        for frame in frames(dataset, rows):
            frame.to_csv(stream, index=False, header=count == 0)
            count += len(frame)
    return count


def frames(dataset: xarray.Dataset, rows: str) -> Iterator[pandas.DataFrame]:
    """
    Yield the rows of each algorithm and variant that has been run, without missing runs.

    :param rows: ``TIMES``, ``RUNS`` or ``DEVICES``.
    """
    own = {TIMES: ['time'], RUNS: [], DEVICES: ['device']}[rows]
    keys = ['algorithm', *results.varied(dataset), 'seed']
    for one in results.finished_variants(dataset):
        measures = {name: one[name] for name in (
            DEVICE_MEASURES if rows == DEVICES else results.sampled(one))}
        if rows == RUNS:
            measures |= {name: derive(one) for name, derive in DERIVED.items()}
            measures = {name: time_average(values) for name, values in measures.items()}
            measures |= {name: one['counts'].sel(counter=name, drop=True) for name in COUNTERS}
            measures['message_bytes'] = one['message_bytes']
        frame = xarray.Dataset(measures).to_dataframe(dim_order=['seed', *own]).reset_index()
        if rows == DEVICES:
            # A variant may have fewer devices than another one.
            frame = frame[frame['uptime'].notna()]
        yield frame[[*keys, *own, *measures]]


def figure(options: argparse.Namespace) -> int:
    """Draw a figure of any scenario."""
    # With matplotlib.
    from leader_election_lab.figures import draw_own, draw_to, make_room
    dataset = kept(options.scenario, options.results)

    def fitted() -> 'Figure':
        made = draw_own(dataset, options.measure)
        if options.size is not None:
            made.set_size_inches(options.size)
            make_room(made)
        if options.range is not None:
            made.axes[0].set_ylim(options.range)
        return made
    drawn = draw_to(fitted, options.out or (
        options.results / 'figures' / f'{dataset.attrs["scenario"]}.png'))
    print(f'wrote {drawn}')
    return ExitStatus.OK


def report_own(options: argparse.Namespace) -> int:
    """Write the report of any scenario, with its figure."""
    from leader_election_lab.reports import write_report
    dataset = kept(options.scenario, options.results)
    print(f'wrote {write_report(dataset, options.results, options.measure, options.out)}')
    return ExitStatus.OK


COMMANDS: Mapping[str, Callable[[argparse.Namespace], int]] = {
    'list': show_list, 'run': run, 'compare': compare, 'export': export_results,
    'figure': figure, 'report': report_own}


def execute(options: argparse.Namespace) -> int:
    """Run the subcommand that the options name, and return the exit status."""
    try:
        return COMMANDS[options.command](options)
    except (ScenarioError, ResultError) as error:
        return print_error(error)
