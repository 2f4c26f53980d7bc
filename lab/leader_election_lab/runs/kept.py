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

"""The results of a scenario that are kept: the results file, which is made of finished runs."""

import hashlib
from pathlib import Path

from leader_election_lab.experiment import scenario as scenarios
from leader_election_lab.experiment.scenario import Scenario
from leader_election_lab.runs import provenance, results
from leader_election_lab.runs.files import path_of, ResultError
from leader_election_lab.runs.store import (
    chosen,
    Digests,
    digests,
    file_of,
    finished,
    keys_of,
    read,
)
import xarray

MADE_OF = 'made_of'
"""The attribute of results with a digest of the names of the runs that they are made of."""


def collect(scenario: Scenario, folder: Path, digests: Digests) -> xarray.Dataset:
    """
    Return all finished runs of a scenario, at least one; its results file is made of them.

    :param digests: the fingerprints of the scenario.
    :raises ResultError: if a file cannot be read or written.
    """
    path = path_of(folder, scenario.name)
    keys = sorted(keys_of(finished(folder, scenario.name), digests))
    files = [file_of(folder, scenario.name, digests[key[:2]], key.seed) for key in keys]
    made_of = hashlib.sha256(repr((scenario.text, [file.name for file in files])).encode()
                             ).hexdigest()[:16]
    if path.exists():
        dataset = results.load(path)
        if dataset.attrs.get(MADE_OF) == made_of:
            return dataset
    labels = {key.algorithm for key in keys}
    dataset = results.empty(
        scenario, [each.label for each in scenario.entrants if each.label in labels],
        sorted({key.seed for key in keys}))
    for key, file in zip(keys, files):
        results.put(dataset, key, read(file))
    pieces = [piece for entrant in scenario.entrants for piece in chosen(scenario, entrant)]
    results.save(dataset.assign_attrs({MADE_OF: made_of, **provenance.attributes(
        scenario, pieces)}), scenario, path, digests)
    return results.load(path)


class UnknownResultsError(ResultError):
    """A name of neither a scenario nor results; the text is one line for the user."""


def kept(name_or_path: str, folder: Path) -> xarray.Dataset:
    """
    Return the kept results of a scenario.

    :param name_or_path: the path of a scenario's file, the name of one of the package's, or the
        name of results in the folder, which are then used without a check.
    :param folder: of the results (see :mod:`leader_election_lab.runs.results`).
    :raises ResultError: if there are none, or they are of another scenario or version; the text
        has the command to run.
    :raises ScenarioError: if the scenario's file is missing or its content is not allowed.
    """
    if name_or_path.endswith(scenarios.SUFFIXES) or name_or_path in scenarios.names():
        return kept_of(scenarios.load(name_or_path), folder, name_or_path)
    path = path_of(folder, name_or_path)
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
    path = path_of(folder, scenario.name)
    if not path.exists():
        raise ResultError(f'{path} is not there; it is made by: lab run {argument}')
    return check_current(results.load(path), scenario, path)


def check_current(dataset: xarray.Dataset, scenario: Scenario, path: Path) -> xarray.Dataset:
    """
    Return results that were read from a path, if all are of this scenario and the present code.

    :raises ResultError: if some are not.
    """
    now = results.fingerprints(results.empty(scenario, [e.label for e in scenario.entrants], []),
                               digests(scenario))
    then = dataset['fingerprint']
    if now.dims != then.dims or not now.reindex_like(then, fill_value='').equals(then):
        raise ResultError(f'{path} holds runs of another text of the scenario, or of other code; '
                          'lab run keeps them, and runs again what is missing')
    return dataset
