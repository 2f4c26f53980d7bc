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

"""The commands of the reproduction: ``python -m reproduction``, in a checkout."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
import sys

from leader_election.parameters.command_line import CommandLineParser, ExitStatus, print_error
from leader_election_lab.commands import parse_count, shared_options, until_interrupted
from leader_election_lab.experiment.scenario import ScenarioError
from leader_election_lab.runs.files import ResultError
from reproduction import figures, reports, statements


def parse_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """
    Return the options. A wrong one ends the process with status 2 and one line with the reason.

    :param arguments: of the command line. ``None`` stands for those of this process.
    """
    parser = CommandLineParser(prog='python -m reproduction',
                               description='Compare the laboratory with the papers.')
    commands = parser.add_subparsers(dest='command', required=True, metavar='COMMAND')
    everywhere, computing = shared_options()
    papers = commands.add_parser(
        'papers', parents=[everywhere, computing],
        help="run the papers' scenarios, and compare with the published numbers",
        description='The exit status is 0 if no aim is missed, 1 if one is missed, 2 after an '
        'error. With 10 seeds or fewer, a number misses its aim only if its 95 % interval also '
        'excludes the published one.')
    papers.add_argument('--seeds', type=parse_count, default=200, metavar='N',
                        help='number of seeds of each scenario (default: 200)')
    study = commands.add_parser(
        'study', parents=[everywhere, computing],
        help='run the study of regions, and compare with the claims of its paper',
        description='Run coordination2019, and collections with a fifth of the seeds; draw their '
        'figures, and write study.md.')
    study.add_argument('--seeds', type=parse_count, default=100, metavar='N',
                       help='number of seeds of each variant (default: 100)')
    commands.add_parser(
        'statements', parents=[everywhere],
        help='what the papers say beyond their tables, and whether it is so',
        description='Print a table, as Markdown, of the sentences of the papers that can be '
        'measured, with a verdict by the 95 % intervals over kept results; and one of the effect '
        'of hysteresis on these. A row without results names the run that it takes.')
    figure = commands.add_parser('figure', parents=[everywhere],
                                 help='draw a figure of kept results, or list their names')
    figure.add_argument('name', metavar='NAME', nargs='?', default='',
                        help='name of a figure; none: list names')
    figure.add_argument('--out', type=Path, metavar='FILE',
                        help='its ending is the format, such as .png, .svg and .pdf (default: '
                        'figures/NAME.png in the folder of the results)')
    return parser.parse_args(arguments)


def run_papers(options: argparse.Namespace) -> int:
    """Run the papers' experiments, and write their report."""
    return reports.reproduce(options.seeds, options.results, options.workers, options.cluster)


def run_study(options: argparse.Namespace) -> int:
    """Run the study of regions, and write its report."""
    return reports.study(options.seeds, options.results, options.workers, options.cluster)


def show_statements(options: argparse.Namespace) -> int:
    """Print the statements of the papers, with verdicts from kept results."""
    print(statements.markdown(options.results))
    return ExitStatus.OK


def draw_figure(options: argparse.Namespace) -> int:
    """Draw a figure, or list the names of all figures."""
    if options.name:
        drawn = figures.draw(options.name, options.results, options.out or (
            options.results / 'figures' / f'{options.name}.png'))
        print(f'wrote {drawn}')
    else:
        print(*figures.names(), sep='\n')
    return ExitStatus.OK


COMMANDS: Mapping[str, Callable[[argparse.Namespace], int]] = {
    'papers': run_papers, 'study': run_study, 'statements': show_statements,
    'figure': draw_figure}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return the exit status."""
    options = parse_options(arguments)

    def execute() -> int:
        try:
            return COMMANDS[options.command](options)
        except (ScenarioError, ResultError) as error:
            return print_error(error)
    return until_interrupted(execute)


if __name__ == '__main__':
    sys.exit(main())
