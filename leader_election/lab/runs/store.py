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
The store of the finished runs of a scenario: one file a run, named by fingerprint and seed.

The files are in ``<folder>/<scenario>.runs``. Runs of another text of the scenario, or of other
code, stay there, and are used again if that text and code return. The results file,
``<folder>/<scenario>.nc``, has all runs of the present text and code; it is made of these files.
"""

from collections.abc import Iterator
from contextlib import contextmanager
import fcntl
import hashlib
from pathlib import Path
import zipfile

from leader_election.lab.experiment import scenario as scenarios
from leader_election.lab.experiment.scenario import Scenario
from leader_election.lab.runs import results
from leader_election.lab.runs.results import Digests, Key, ResultError
from leader_election.lab.simulation.simulate import Run
import numpy as np
import xarray
import yaml

MADE_OF = 'made_of'
"""The attribute of results with a digest of the names of the runs that they are made of."""


def runs_of(folder: Path, name: str) -> Path:
    """Return the folder of the finished runs of a scenario."""
    return folder / f'{name}.runs'


def file_of(folder: Path, name: str, digest: object, seed: int) -> Path:
    """Return the file of one run."""
    return runs_of(folder, name) / f'{digest},{seed}.npz'


def finished(folder: Path, name: str) -> dict[str, set[int]]:
    """Return the seeds of all finished runs of a scenario, by fingerprint."""
    seeds: dict[str, set[int]] = {}
    for file in runs_of(folder, name).glob('[!.]*,*.npz'):
        digest, _, seed = file.stem.partition(',')
        seeds.setdefault(digest, set()).add(int(seed))
    return seeds


def keys_of(seeds: dict[str, set[int]], digests: Digests) -> set[Key]:
    """Return the keys of the runs that have one of some fingerprints."""
    return {Key(label, variant, seed) for (label, variant), digest in digests.items()
            for seed in seeds.get(str(digest), ())}


def discard(folder: Path, name: str) -> None:
    """Remove all finished runs of a scenario."""
    results.path_of(folder, name).unlink(missing_ok=True)
    for file in runs_of(folder, name).glob('*.npz'):
        file.unlink()


def collect(scenario: Scenario, folder: Path, digests: Digests) -> xarray.Dataset:
    """
    Return all finished runs of a scenario, at least one; its results file is made of them.

    :param digests: the fingerprints of the scenario.
    :raises ResultError: if a file cannot be read or written.
    """
    path = results.path_of(folder, scenario.name)
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
    results.save(dataset.assign_attrs({MADE_OF: made_of}), scenario, path, digests)
    return results.load(path)


def keep(finished: Run, file: Path) -> None:
    """Write one run; raise a :class:`ResultError` if that fails."""
    with results.replacing(file) as temporary, open(temporary, 'wb') as stream:
        np.savez_compressed(stream, samples=finished.samples, counts=finished.counts,
                            message_bytes=finished.message_bytes)


def read(file: Path) -> Run:
    """Return a run that :func:`keep` has written."""
    try:
        with np.load(file) as part:
            return Run(part['samples'], part['counts'], float(part['message_bytes']))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise ResultError(f'{file} cannot be read ({results.reason(error)}); remove it, and this '
                          'run is computed again') from None


@contextmanager
def claimed(folder: Path, name: str) -> Iterator[None]:
    """Lock the runs of a scenario against other processes within a block."""
    runs = runs_of(folder, name)
    try:
        runs.mkdir(parents=True, exist_ok=True)
        lock = open(runs / '.lock', 'w')
    except OSError as error:
        raise ResultError(f'{runs} cannot be written ({results.reason(error)}); choose another '
                          'folder with --results') from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ResultError(f'{runs} is in use by another lab run; wait for it, or choose '
                              'another folder with --results') from None
        yield


class UnknownResultsError(ResultError):
    """A name of neither a scenario nor results; the text is one line for the user."""


def kept(name_or_path: str, folder: Path) -> xarray.Dataset:
    """
    Return the kept results of a scenario.

    :param name_or_path: the path of a scenario's file, the name of one of the package's, or the
        name of results in the folder, which are then used without a check.
    :param folder: of the results (see :mod:`leader_election.lab.runs.results`).
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
