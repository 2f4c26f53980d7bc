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

"""The subcommands that show kept results: comparisons, tables, figures, reports, statements."""

import argparse

from leader_election.parameters.command_line import ExitStatus
from leader_election_lab.analysis.paired_differences import all_pairs, pair_rows
from leader_election_lab.commands import MEASURE
from leader_election_lab.experiment.scenario import ScenarioError
from leader_election_lab.runs.files import ResultError
from leader_election_lab.runs.kept import kept, UnknownResultsError
from leader_election_lab.runs.results import scenario_of
from leader_election_lab.terminal_output import console, terminal_table


def compare(options: argparse.Namespace) -> int:
    """Print the paired differences between a scenario's algorithms over kept results."""
    dataset = kept(options.scenario, options.results)
    pairs = all_pairs(options.algorithm) if options.algorithm else None
    if len(options.algorithm) == 1:
        raise ScenarioError(f'--algorithm: {options.algorithm[0]!r} is not allowed alone; it '
                            'takes two or more')
    for measure in options.measure or [MEASURE]:
        console().print(terminal_table(pair_rows(dataset, measure, pairs)))
        console().print()
    return ExitStatus.OK


def export_results(options: argparse.Namespace) -> int:
    """Write the kept results of a scenario as a table, and print descriptions of its columns."""
    from leader_election_lab.runs import export
    dataset = kept(options.scenario, options.results)
    scenario = scenario_of(dataset)
    out = options.out or options.results / (
        f'{scenario.name}{"_summary" if options.summary else ""}.csv')
    rows = export.write(dataset, scenario, out, options.summary)
    console().print(export.legend(dataset, scenario, options.summary))
    print(f'wrote {out}: {rows} rows')
    return ExitStatus.OK


def figure(options: argparse.Namespace) -> int:
    """Draw a figure of the package or of any scenario, or list the names of all figures."""
    from leader_election_lab import figures
    from leader_election_lab.figures.curves import draw_own
    from leader_election_lab.figures.style import draw_to
    if not options.name:
        print(*figures.names(), sep='\n')
        return ExitStatus.OK
    folder = options.results / 'figures'
    if options.name in figures.names():
        if options.measure is not None:
            raise ResultError(f'--measure is not allowed with {options.name}, whose measures are '
                              'given; it is for figures of scenarios')
        drawn = figures.draw(options.name, options.results,
                             options.out or folder / f'{options.name}.png')
    else:
        try:
            dataset = kept(options.name, options.results)
        except UnknownResultsError as error:
            raise ResultError(f'{error}, or is one of {", ".join(figures.names())}') from None
        drawn = draw_to(lambda: draw_own(dataset, options.measure),
                        options.out or folder / f'{dataset.attrs["scenario"]}.png')
    print(f'wrote {drawn}')
    return ExitStatus.OK


def report_own(options: argparse.Namespace) -> int:
    """Write the report of any scenario, with its figure."""
    from leader_election_lab.reports import write_report
    dataset = kept(options.scenario, options.results)
    print(f'wrote {write_report(dataset, options.results, options.measure, options.out)}')
    return ExitStatus.OK


def show_statements(options: argparse.Namespace) -> int:
    """Print the statements of the papers, with verdicts from kept results."""
    from leader_election_lab.published import statements
    print(statements.markdown(options.results))
    return ExitStatus.OK
