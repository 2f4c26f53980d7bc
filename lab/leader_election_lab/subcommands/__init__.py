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

Each is imported when it is called, with what it alone needs: ``lab list`` takes neither xarray nor
the compiler, and ``lab run`` takes the compiler only if a run is missing.
"""

import argparse
from collections.abc import Mapping
from importlib import import_module

from leader_election.parameters.command_line import print_error
from leader_election_lab.experiment.parser import ScenarioError
from leader_election_lab.runs.files import ResultError

COMMANDS: Mapping[str, str] = {
    'list': 'scenario_list.show_list', 'run': 'running.run', 'reproduce': 'running.run_papers',
    'study': 'running.run_papers', 'compare': 'kept_results.compare',
    'export': 'kept_results.export_results', 'figure': 'kept_results.figure',
    'report': 'kept_results.report_own', 'statements': 'kept_results.show_statements'}
"""The module and the function of each subcommand, which takes the options and returns a status."""


def execute(options: argparse.Namespace) -> int:
    """Run the subcommand that the options name; return the exit status."""
    module, _, function = COMMANDS[options.command].partition('.')
    try:
        status: int = getattr(import_module(f'{__name__}.{module}'), function)(options)
        return status
    except (ScenarioError, ResultError, OSError) as error:
        # OSError: from a file of another library, such as the cache of compiled code.
        return print_error(error)
