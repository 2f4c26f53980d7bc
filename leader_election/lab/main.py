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

"""The command ``lab``: its options, and what each subcommand does."""

import argparse
from argparse import ArgumentTypeError
from collections.abc import Callable, Mapping, Sequence
import os
from pathlib import Path
import re
import signal
import sys
from typing import Any

from leader_election.command_line import CommandLineParser, ExitStatus, print_error
from leader_election.lab import results, runs
from leader_election.lab import scenario as scenarios
from leader_election.lab.results import ResultError
from leader_election.lab.scenario import Scenario, ScenarioError
from leader_election.lab.summary import table
from leader_election.lab.terminal import console
from leader_election.parameters import strict_yaml
import numpy as np
from rich.box import SIMPLE_HEAD
from rich.table import Table


def main() -> int:
    """Run the command ``lab``; return the exit status."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    options = parse_options()
    commands: dict[str, Callable[[argparse.Namespace], int]] = {
        'list': show_list, 'run': run, 'figure': figure, 'reproduce': reproduce,
        'study': study}
    try:
        return commands[options.command](options)
    except (ScenarioError, ResultError, OSError) as error:
        # OSError: of a file of another library, such as the cache of compiled code.
        return print_error(error)
    except KeyboardInterrupt:
        again = ' without --again' if getattr(options, 'again', False) else ''
        print(f'stopped; finished runs are kept, and the same command{again} goes on from there',
              file=sys.stderr, flush=True)
        sys.stdout.flush()
        # A normal exit would wait for the runs that threads are computing.
        os._exit(ExitStatus.INTERRUPTED)


def show_list(options: argparse.Namespace) -> int:
    """Print the scenarios that come with the package."""
    shown = Table(box=SIMPLE_HEAD)
    for name in ('scenario', 'title', 'algorithms'):
        shown.add_column(name)
    for name in ('devices', 'seeds done'):
        shown.add_column(name, justify='right')
    for name in scenarios.names():
        scenario = scenarios.load(name)
        # Labels of algorithms with regions differ by settings: the algorithm's name is enough.
        labels = [e.label if e.regions is None else e.algorithm.name for e in scenario.entrants]
        shown.add_row(name, scenario.title, ', '.join(dict.fromkeys(labels)),
                      str(count_devices(scenario)), seeds_done(scenario, options.results))
    console().print(shown)
    return ExitStatus.OK


def count_devices(scenario: Scenario) -> int:
    """Return the number of devices of a scenario."""
    random = np.random.default_rng(0)
    return sum(getattr(group.parameters, 'count', None)
               or len(group.topology.place(group.parameters, random).position)
               for group in scenario.groups)


def seeds_done(scenario: Scenario, folder: Path) -> str:
    """Return the number of seeds that are done for all algorithms and variants, as text."""
    path, parts = results.path_of(folder, scenario.name), runs.parts_of(folder, scenario.name)
    try:
        keys = set(runs.kept_in(parts, results.digests(scenario)))
        if path.exists():
            keys |= results.present(results.check_current(results.load(path), scenario, path))
    except ResultError:
        # Damaged, or of another version: `lab run` reports which.
        return 'not usable'
    return str(results.seeds_done(keys, scenario))


def run(options: argparse.Namespace) -> int:
    """Run the missing runs of a scenario, and print their summary."""
    scenario = scenarios.load(options.scenario).replaced(dict(options.set))
    label = (options.algorithm or [scenario.entrants[0].label])[0]
    out = options.results / f'{scenario.name}_{label}.gif'
    if not options.no_animation:
        from leader_election.lab.figures.partition import animate, check_format
        check_format(out)  # Not only after an hour.
    dataset = runs.run(scenario, options.seeds, options.results, options.algorithm,
                       options.workers, options.again)
    console().print(table(dataset, scenario.rounds.period, scenario.measure.window))
    print(f'wrote {results.path_of(options.results, scenario.name)}')
    if not options.no_animation:
        values, variant = scenario.variants()[0]
        print(f'wrote {animate(variant, label, options.seeds[0], out)}: '
              f'{run_label(options.seeds[0], values)}')
    return ExitStatus.OK


def run_label(seed: int, values: Mapping[str, Any]) -> str:
    """
    Return the label of one run: its seed, and the values of the keys that vary.

    >>> run_label(3, {'messages.loss': 0.2, 'rounds.phase': 'random'})
    'seed 3, messages.loss=0.2, rounds.phase=random'
    """
    return ', '.join([f'seed {seed}', *(f'{key}={value}' for key, value in values.items())])


def figure(options: argparse.Namespace) -> int:
    """Draw a figure, or list the names of all figures."""
    from leader_election.lab import figures
    if not options.name:
        print(*figures.names(), sep='\n')
        return ExitStatus.OK
    out = options.out or options.results / 'figures' / f'{options.name}.png'
    print(f'wrote {figures.draw(options.name, options.results, out)}')
    return ExitStatus.OK


def reproduce(options: argparse.Namespace) -> int:
    """Run the papers' experiments, and write ``report.md``."""
    from leader_election.lab import report
    return report.reproduce(options.seeds, options.results, options.workers)


def study(options: argparse.Namespace) -> int:
    """Run the study of regions, and write ``study.md``."""
    from leader_election.lab import report
    return report.study(options.seeds, options.results, options.workers)


DESCRIPTION = """
Measure election algorithms in networks that move, lose messages and fail. An experiment is a
scenario, one YAML file, run with many seeds. The result of a run depends only on the scenario, the
algorithm and the seed.
"""


LARGEST_SEED = 2**31
MOST = 1_000_000
"""The greatest number of seeds, or of workers, that an option takes."""


def parse_seeds(text: str) -> range:
    """
    Return the seeds of an option: a number of them, from 0 on, or the first and the last.

    >>> parse_seeds('3'), parse_seeds('5-9')
    (range(0, 3), range(5, 10))
    """
    match = re.fullmatch(r'([0-9]{1,10})(?:-([0-9]{1,10}))?', text)
    if match:
        first, last = (0, int(match[1]) - 1) if match[2] is None else map(int, match.groups())
        if first <= last <= LARGEST_SEED and last - first < MOST:
            return range(first, last + 1)
    raise ArgumentTypeError(f'{text!r} is not allowed; it takes a number of at least 1, '
                            'or the first and the last such as 10-19: '
                            f'up to {MOST} of them, and none above {LARGEST_SEED}')


def parse_setting(text: str) -> tuple[str, Any]:
    """
    Return a dotted key of a scenario and a value, which is read as YAML.

    >>> parse_setting('messages.loss=0.2'), parse_setting('messages.delay=[0, 0.5]')
    (('messages.loss', 0.2), ('messages.delay', [0, 0.5]))
    """
    key, equals, value = text.partition('=')
    try:
        if key and equals:
            return key, strict_yaml.read(value)
    except ValueError:
        pass
    raise ArgumentTypeError(f'{text!r} is not allowed; it takes KEY=VALUE such as '
                            'messages.loss=0.2')


def _parse_count(text: str) -> int:
    if re.fullmatch('[0-9]{1,10}', text) and 1 <= int(text) <= MOST:
        return int(text)
    raise ArgumentTypeError(f'{text!r} is not allowed; it takes a whole number from 1 to {MOST}')


def parse_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """
    Return the options of ``lab``.

    A wrong option ends the process with status 2 and one line with the reason.

    :param arguments: of the command line; ``None``: those of this process.
    """
    parser = CommandLineParser(prog='leader_election lab', description=DESCRIPTION)
    commands = parser.add_subparsers(dest='command', required=True, metavar='COMMAND')
    everywhere = CommandLineParser(add_help=False)
    everywhere.add_argument('--results', type=Path, default=Path('results'), metavar='DIR',
                            help='folder of the results (default: results)')
    computing = CommandLineParser(add_help=False)
    computing.add_argument('--workers', type=_parse_count, metavar='N',
                           help='runs at the same time (default: one a core)')

    commands.add_parser('list', parents=[everywhere],
                        help='list the scenarios, and the number of seeds done')

    run = commands.add_parser(
        'run', parents=[everywhere, computing],
        help='run the missing runs of a scenario',
        description='Run the missing runs of a scenario. After Ctrl-C, the same command '
        'continues with the rest.')
    run.add_argument('scenario', metavar='SCENARIO', help='a name of lab list, or a YAML file')
    run.add_argument('--seeds', type=parse_seeds, default=range(10), metavar='N|A-B',
                     help='number of seeds, or the first and the last (default: 10)')
    run.add_argument('--algorithm', action='append', default=[], metavar='NAME',
                     help='only this algorithm; may be repeated')
    run.add_argument('--set', action='append', default=[], type=parse_setting, metavar='KEY=VALUE',
                     help='change the scenario, for example messages.loss=0.2; may be repeated')
    run.add_argument('--again', action='store_true',
                     help='discard all present results of this scenario')
    run.add_argument('--no-animation', action='store_true',
                     help='do not write an animation of the first seed')

    figure = commands.add_parser('figure', parents=[everywhere], help='draw a figure')
    figure.add_argument('name', metavar='NAME', nargs='?', default='',
                        help='name of the figure; none: list all names')
    figure.add_argument('--out', type=Path, metavar='FILE',
                        help='(default: figures/NAME.png in the folder of the results)')

    reproduce = commands.add_parser(
        'reproduce', parents=[everywhere, computing],
        help="run the papers' scenarios, and compare with the published numbers",
        description='The exit status is 0 if no aim is missed, 1 if one is missed, 2 after an '
        'error. With 10 seeds or fewer, a number misses its aim only if its 95 % interval does '
        'not hold the published one either.')
    reproduce.add_argument('--seeds', type=_parse_count, default=200, metavar='N',
                           help='number of seeds of each scenario (default: 200)')

    study = commands.add_parser(
        'study', parents=[everywhere, computing],
        help='run the study of regions, and compare with the claims of its paper',
        description='Run coordination2019, and collections with a fifth of the seeds; draw their '
        'figures, and write study.md.')
    study.add_argument('--seeds', type=_parse_count, default=100, metavar='N',
                       help='number of seeds of each variant (default: 100)')
    return parser.parse_args(arguments)
