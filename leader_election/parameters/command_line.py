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

"""The common code of all commands: exit statuses, error lines, the parser of options."""

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from enum import IntEnum
from importlib.util import find_spec
from itertools import takewhile
import math
import os
from pathlib import Path
import shlex
import shutil
import signal
import sys
import textwrap
from types import FrameType
from typing import Any, NoReturn

from leader_election.parameters import did_you_mean


class ExitStatus(IntEnum):
    """The exit statuses of all executables."""

    OK = 0
    FAILED = 1
    """A check failed."""
    USAGE = 2
    """An option, a parameter or a file is wrong, or something is not installed."""
    INTERRUPTED = 130
    """Stopped before the requested work was done."""


ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGALRM,
        signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU)
"""The signals that end a process unless it handles them, without those of its own faults."""


def handle_ends(handler: Callable[[int, FrameType | None], None]) -> None:
    """
    Handle the signals that would end this process.

    :param handler: of a signal. It does not get those that this process was started to ignore,
        such as SIGHUP by ``nohup``; SIGINT, which shells ignore in the background, and SIGTERM it
        gets in any case.
    """
    for number in ENDS:
        if number in ENDS[:2] or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


def print_error(error: object) -> ExitStatus:
    """
    Print an error as one line on standard error.

    :param error: an exception or a text. Line breaks in it become spaces.
    :return: the exit status that goes with it, :attr:`ExitStatus.USAGE`.
    """
    with suppress(OSError):
        print('error: ' + ' '.join(str(error).split()), file=sys.stderr, flush=True)
    return ExitStatus.USAGE


PACKAGE = 'leader_election'
ROS2 = 'ros2'
"""The command of ROS 2, which its wheels do not have."""


def fitted(line: str, indent: int = 8) -> str:
    """
    Return a line of text, broken between words where it goes to a terminal that is narrower.

    :param indent: the number of spaces before the further lines.
    """
    if not sys.stdout.isatty():
        return line
    width = shutil.get_terminal_size().columns - 1
    return '\n'.join(textwrap.wrap(line, width, subsequent_indent=' ' * indent,
                                   break_long_words=False, break_on_hyphens=False))


def how_to_run(executable: str) -> str:
    """Return the command line that runs an executable here, as this process was run."""
    return shlex.join([*_start(sys.orig_argv), executable])


def _start(words: Sequence[str]) -> list[str]:
    """
    Return the words that run the command ``leader_election``.

    :param words: by which the operating system started a process.

    >>> _start(['.venv/bin/python', '-m', 'leader_election', 'demo'])
    ['.venv/bin/python', '-m', 'leader_election']
    >>> _start(['python3', '/ws/lib/leader_election/leader_election', 'demo'])
    ['ros2', 'run', 'leader_election']
    >>> _start(['python3', 'elsewhere/bin/leader_election', 'demo'])
    ['elsewhere/bin/leader_election']
    >>> _start(['python3', '-m', 'pytest'])
    ['leader_election']
    """
    here = f'{os.getcwd()}/'
    for before, word in zip(words, words[1:]):
        if (before, word) == ('-m', PACKAGE):
            return [words[0].removeprefix(here), '-m', PACKAGE]
        path = Path(word)
        if path.name == PACKAGE and path.parts[-3:-1] == ('lib', PACKAGE):
            return [ROS2, 'run', PACKAGE]
        if path.name == PACKAGE and path.parent.name == 'bin':
            found = shutil.which(PACKAGE) == str(path.absolute())
            return [PACKAGE if found else word.removeprefix(here)]
    return [PACKAGE]


FOLDERS = {'leader_election_lab': './lab'}
"""Where the other distributions of a checkout are."""


def how_to_install(distributions: Iterable[str]) -> str:
    """
    Return the end of an error line: how to install distributions, or that of a folder.

    With a sourced ROS 2 this needs a virtual environment, outside of which Ubuntu refuses pip. It
    needs the system's packages, because another numpy would not fit the packages of apt. The
    package itself is not on PyPI, where a name that commands print could be a stranger's.

    >>> how_to_install(['leader_election_lab'])  # doctest: +ELLIPSIS
    'install it with: pip install ./lab (beside a sourced ROS 2, in ...)'
    """
    words = [FOLDERS.get(name, name) for name in distributions]
    return (f'install it with: pip install {" ".join(map(shlex.quote, words))} (beside a sourced '
            'ROS 2, in python3 -m venv --system-site-packages)')


def outside_ros_args(arguments: Sequence[str]) -> Iterator[str]:
    """
    Yield the arguments of a process before those for ROS, without importing ROS.

    >>> list(outside_ros_args(['-v', '--ros-args', '-p', 'radius:=3.0']))
    ['-v']
    """
    return takewhile(lambda word: word != '--ros-args', arguments)


def number(fits: Callable[[float], bool], allowed: str,
           kind: Callable[[str], float] = float) -> Callable[[str], float]:
    """
    Return the type of an option that is a number.

    :param fits: returns whether a number is allowed, false for NaN.
    :param allowed: the numbers that are, for the error line.
    :param kind: ``int`` for whole numbers.

    >>> number(lambda seconds: seconds > 0.0, 'more than 0 s')('1e2')
    100.0
    """
    def convert(text: str) -> float:
        with suppress(ValueError):
            if fits(value := kind(text)):
                return value
        raise argparse.ArgumentTypeError(f'{text!r} is not allowed; it takes {allowed}')
    return convert


POSITIVE = number(lambda value: 0.0 < value < math.inf, 'more than 0')


PAGE = 'write a page that opens without a server: the run, its figures and events'
"""The help of the option ``--html``."""


class CommandLineParser(argparse.ArgumentParser):
    """A parser of options whose errors are one line, and exit status 2."""

    def error(self, message: str) -> NoReturn:
        """Print the error, and end the process."""
        sys.exit(print_error(f'{message}; {self.prog} --help shows the usage'))

    def _print_message(self, message: str, file: Any = None) -> None:
        # The method of argparse ignores errors, such as a full disk.
        (file or sys.stderr).write(message or '')

    def need(self, option: str, module: str) -> None:
        """End the process where the module that an option needs is not installed."""
        if find_spec(module) is None:
            self.error(f'argument {option}: {module} is not installed; '
                       + how_to_install([module]))

    def check_page(self, path: Path | None) -> None:
        """End the process where the page of the option ``--html`` could not be made."""
        if path is None:
            return
        self.need('--html', 'bokeh')
        if path.is_dir() or not path.absolute().parent.is_dir():
            self.error(f'argument --html: {path} cannot be written; it takes a file in a folder '
                       'that exists')

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse arguments, also those of a subcommand. An unknown option is an error."""
        parsed, rest = super().parse_known_args(args, namespace)
        for word in rest:
            if word.startswith('-'):
                name = word.partition('=')[0]
                hint = did_you_mean(name, self._option_string_actions)
                self.error(f'there is no option {name}; {hint}'.rstrip('; '))
        return parsed, rest

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            known = [str(choice) for choice in action.choices]
            raise argparse.ArgumentError(
                action, f'{value!r} is not allowed; {did_you_mean(value, known)}it takes one of '
                f'{", ".join(known)}')
