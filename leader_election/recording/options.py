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

"""The command lines of ``record`` and ``replay``."""

import argparse
from collections.abc import Sequence
from typing import Any

from leader_election.parameters import Parameter, ParameterError, table
from leader_election.recording.parameters import RecorderParameters

FILE = 'output'
"""The parameter of the recorder that stands for itself on the command line."""


def recorder_options(arguments: Sequence[str]) -> dict[str, Any]:
    """
    Return the parameters of the recorder that a command line gives, by name.

    Each is an option: ``--odom-rate 5`` is ``odom_rate: 5.0``. A wrong one ends the process with
    status 2 and a line that says why.

    >>> recorder_options(['run.mcap', '--exclude', 'markers', '/robot_3/*', '--odom-rate', '5'])
    {'output': 'run.mcap', 'exclude': ['markers', '/robot_3/*'], 'odom_rate': 5.0}
    """
    parser = argparse.ArgumentParser(
        prog='record', description='Record a swarm to a file (MCAP) that Foxglove, ros2 bag and '
        'replay read, until Ctrl-C. Each option is a parameter of the node, too.')
    for p in table(RecorderParameters):
        _add(parser, p)
    given = vars(parser.parse_args(arguments))
    try:
        for p in table(RecorderParameters):
            if p.name in given:
                p.check(given[p.name])
    except ParameterError as error:
        parser.error(str(error))
    return given


def _add(parser: argparse.ArgumentParser, p: Parameter) -> None:
    """Add the option of a parameter; without it, the parameter is left to ROS."""
    help_text = f'{p.description} (default: {_shown(p.default)})'.replace('%', '%%')
    if p.name == FILE:
        parser.add_argument(p.name, metavar='FILE', nargs='?', default=argparse.SUPPRESS,
                            help=help_text)
        return
    kinds: dict[Any, dict[str, Any]] = {
        bool: {'action': 'store_true'}, tuple[str, ...]: {'nargs': '+'}}
    how = kinds.get(p.type, {'type': p.type})
    parser.add_argument('--' + p.name.replace('_', '-'), help=help_text,
                        default=argparse.SUPPRESS, **how)


def _shown(value: Any) -> str:
    return ' '.join(value) if isinstance(value, tuple) else str(value)
