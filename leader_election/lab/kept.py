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

"""The kept results of a scenario, found by its path or name."""

from pathlib import Path

from leader_election.lab import results
from leader_election.lab import scenario as scenarios
from leader_election.lab.results import ResultError
from leader_election.lab.scenario import Scenario
import xarray
import yaml


class UnknownResultsError(ResultError):
    """A name of neither a scenario nor results; the text is one line for the user."""


def kept(name_or_path: str, folder: Path) -> xarray.Dataset:
    """
    Return the kept results of a scenario.

    :param name_or_path: the path of a scenario's file, the name of one of the package's, or the
        name of results in the folder, which are then used without a check.
    :param folder: of the results (see :mod:`leader_election.lab.results`).
    :raises ResultError: if there are none, or they are of another scenario or version; the text
        has the command to run.
    :raises ScenarioError: if the scenario's file is missing or its content is not allowed.
    """
    if name_or_path.endswith(scenarios.SUFFIXES) or name_or_path in scenarios.names():
        return kept_of(scenarios.load(name_or_path), folder, name_or_path)
    path = results.path_of(folder, name_or_path)
    if Path(name_or_path).name != name_or_path or not path.exists():
        raise UnknownResultsError(
            f'there are no results {name_or_path!r} in {folder}; it takes the path of a scenario '
            f'such as {Path(name_or_path).name}.yaml')
    return results.load(path)


def kept_of(scenario: Scenario, folder: Path, argument: str) -> xarray.Dataset:
    """
    Return the kept results of a scenario that is loaded already.

    :param argument: its name on the command line, for the error text.
    """
    path = results.path_of(folder, scenario.name)
    if not path.exists():
        raise ResultError(f'{path} is not there; it is made by: lab run {argument}')
    return results.check_current(results.load(path), scenario, path)


def scenario_of(dataset: xarray.Dataset) -> Scenario:
    """Return the scenario of results, by the text that they hold."""
    return scenarios.parse(yaml.safe_load(dataset.attrs['text']), dataset.attrs['scenario'])
