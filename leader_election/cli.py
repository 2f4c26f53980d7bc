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
The command ``leader_election``, which runs an executable by its name.

Signals are handled before the import of slow modules such as rclpy, so that a stop at any moment
is a clean one.
"""

from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from io import TextIOWrapper
import os
from pathlib import Path
import select
import signal
import sys
import tempfile

import leader_election
from leader_election.executables import Executable, EXECUTABLES
from leader_election.parameters import did_you_mean
from leader_election.parameters.command_line import (
    ENDS,
    ExitStatus,
    fitted,
    handle_ends,
    how_to_install,
    how_to_run,
    outside_ros_args,
    print_error,
)

COMMAND = 'leader_election'
DISTRIBUTIONS = {'PIL': 'pillow', 'mcap_ros2': 'mcap-ros2-support'}
"""Modules whose distribution has another name on PyPI."""
NO_HOME = 'Could not determine home directory.'
"""The text of Python's error."""
DRAWING = {'matplotlib', 'leader_election_lab'}


def usage() -> str:
    """Return the help of the command: all executables, with their descriptions."""
    width = max(len(each.name) for each in EXECUTABLES)
    lines = [fitted(f'  {each.name:{width}}  {each.description}', width + 4)
             for each in EXECUTABLES]
    return '\n'.join([
        f'usage: {how_to_run("EXECUTABLE")} [ARGUMENTS]', f'       {how_to_run("--version")}', '',
        'Decentralised leader election and regions for robot swarms on ROS 2.', '',
        'executables:', *lines, '',
        fitted(f'{how_to_run("EXECUTABLE")} --help shows the options, or the parameters of a '
               'node.', 0)])


def parameter_help(executable: Executable) -> str:
    """Return the help of a node: its parameters, as a parameter file that holds the defaults."""
    from leader_election.config import text
    return (f'usage: {how_to_run(executable.name)} [--ros-args [-p NAME:=VALUE] '
            f'[--params-file FILE]]\n\n'
            f'{executable.description.capitalize()}. A parameter file with all defaults:\n\n'
            + text(executable.parameter_file))


def wrong_argument(executable: Executable) -> str:
    """Return the error text for the first argument that is not for ROS, empty for none."""
    word = next(outside_ros_args(sys.argv[1:]), '')
    if not word or not executable.parameter_file:
        return ''
    from leader_election.config import FILES
    from leader_election.parameters import table
    known = [p.name for parameters, _ in FILES.values() for p in table(parameters)]
    name = word.lstrip('-').partition('=')[0].rstrip(':').replace('-', '_')
    return (f'{executable.name} has no option {word}; {did_you_mean(name, known)}parameters come '
            f'after --ros-args, as in --ros-args -p NAME:=VALUE; {how_to_run(executable.name)} '
            '--help lists them')


def stop_with(status: int) -> None:
    """
    End the process with a status on any signal that ends it: no node is up yet.

    The scripts for ``ros2 run`` block SIGINT while Python starts. One that has arrived counts now.
    """
    handle_ends(lambda number, frame: os._exit(status))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDS)


def missing(executable: Executable) -> str:
    """Return the error text for modules that are not installed, empty if all are."""
    needed = executable.requires
    if needed is None:
        return ''
    names = [DISTRIBUTIONS.get(name, name) for name in needed.modules if find_spec(name) is None]
    if not names:
        return ''
    return f'{needed.purpose} needs {", ".join(names)}; {how_to_install(names)}'


def keep_caches_of_matplotlib() -> None:
    """Give matplotlib a folder for its caches where its own below HOME cannot be written."""
    if 'MPLCONFIGDIR' in os.environ:
        return
    with suppress(OSError, RuntimeError):
        usual = [Path(os.environ.get(variable) or Path.home() / name) / 'matplotlib'
                 for variable, name in (('XDG_CONFIG_HOME', '.config'),
                                        ('XDG_CACHE_HOME', '.cache'))]
        for folder in usual:
            folder.mkdir(parents=True, exist_ok=True)
        if all(os.access(folder, os.W_OK) for folder in usual):
            return
    folder = Path(tempfile.gettempdir()) / f'{COMMAND}-{os.getuid()}' / 'matplotlib'
    with suppress(OSError):
        for each in (folder.parent, folder):
            each.mkdir(mode=0o700, exist_ok=True)
        # The folder may hold settings that run code, so it must belong to this user.
        if all(each.lstat().st_uid == os.getuid() for each in (folder.parent, folder)):
            os.environ['MPLCONFIGDIR'] = str(folder)


def without_ros(error: ModuleNotFoundError) -> str:
    """Return the error text for a missing module of ROS 2, empty for any other module."""
    module = (error.name or '').partition('.')[0]
    if module != 'rclpy' and not module.endswith(('_msgs', '_interfaces')):
        return ''
    return (f'no ROS 2 here (no {module}): source one, as in source /opt/ros/jazzy/setup.bash; '
            f"where none is installed, in a checkout: pip install '.[wheels]'")


def run(name: str) -> int:
    """
    Run an executable with the arguments ``sys.argv[1:]``.

    :return: its exit status.
    """
    executable = {each.name: each for each in EXECUTABLES}[name]
    stop_with(executable.stop_status)
    plain = list(outside_ros_args(sys.argv[1:]))
    if plain == ['--version']:
        print(COMMAND, leader_election.__version__)
        return ExitStatus.OK
    wants_help = not {'--help', '-h'}.isdisjoint(plain)
    if wants_help and executable.parameter_file:
        print(parameter_help(executable), end='')
        return ExitStatus.OK
    if error := missing(executable):
        if wants_help and executable.parser:
            parsing, _, parse = executable.parser.partition(':')
            getattr(import_module(parsing), parse)(sys.argv[1:])
        return print_error(error)
    if error := wrong_argument(executable):
        return print_error(error)
    if executable.requires and DRAWING.intersection(executable.requires.modules):
        keep_caches_of_matplotlib()
    try:
        module = import_module(executable.module)
    except ModuleNotFoundError as failure:
        if text := without_ros(failure):
            return print_error(text)
        raise
    try:
        return _with_output(module.main)
    finally:
        # Ctrl-C reaches a process from its terminal and again from ros2 launch. The interpreter
        # resets handlers when it ends, and the second signal would kill the process then.
        for number in ENDS:
            signal.signal(number, signal.SIG_IGN)


def open_streams() -> None:
    """
    Open those standard streams of this process that are closed, on nothing.

    Otherwise the next file would get the number of a closed one, and with it what is printed.
    Characters that the output's encoding lacks are replaced.
    """
    for number, name, mode in ((0, 'stdin', 'r'), (1, 'stdout', 'w'), (2, 'stderr', 'w')):
        try:
            os.fstat(number)
        except OSError:
            # It gets the lowest free number, which is this one.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding='utf-8'))
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors='replace')


def _with_output(main: Callable[[], int]) -> int:
    """
    Return the status of ``main()``, or print one line if a file or the output fails.

    If the reader of the output is gone, it is the status of SIGPIPE, without a line. Some
    libraries need a home, which is another reason for a line.
    """
    open_streams()
    try:
        try:
            return int(main())
        finally:
            # Here, since an error at the exit of the interpreter could not be caught.
            sys.stdout.flush()
    except OSError as error:
        gone = isinstance(error, BrokenPipeError) and _is_reader_gone()
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if gone:
            return 128 + signal.SIGPIPE
        where = f'{error.filename}: ' if error.filename else ''
        return print_error(f'{where}{error.strerror or error}')
    except RuntimeError as error:
        if str(error) != NO_HOME:
            raise
        return print_error('this user has no home; set HOME to a folder that it can write')


def _is_reader_gone() -> bool:
    """Return whether the reader of the output is gone, not that of another pipe."""
    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))


def main() -> int:
    """Run the executable that the command line names, and return the exit status."""
    return _with_output(_main)


def _main() -> int:
    name, *arguments = sys.argv[1:] or ['--help']
    if name in ('--help', '-h'):
        print(usage())
        return ExitStatus.OK
    if name == '--version':
        print(COMMAND, leader_election.__version__)
        return ExitStatus.OK
    names = [each.name for each in EXECUTABLES]
    if name not in names:
        return print_error(f'{name!r} is not an executable; {did_you_mean(name, names)}'
                           f'{how_to_run("--help")} lists them')
    # As if it were its own command, with its name as the first argument.
    sys.argv = [f'{COMMAND} {name}', *arguments]
    return run(name)
