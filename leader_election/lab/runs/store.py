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

A fingerprint has digests of the scenario, of the algorithm, and of their code. The scenario is
digested as read: a comment, a title, another order of keys or ``10.0`` for ``10`` make no
difference, but a default that is written out does.
"""

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
import fcntl
import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple
import zipfile

from leader_election.election.algorithms import ALGORITHMS
from leader_election.election.coordination.aggregate import AGGREGATES
from leader_election.lab.experiment import scenario as scenarios
from leader_election.lab.experiment.parser import label_of
from leader_election.lab.experiment.scenario import named_files, Scenario
from leader_election.lab.experiment.schema import Entrant
from leader_election.lab.runs import provenance, results, sources
from leader_election.lab.runs.results import Key, ResultError
from leader_election.lab.simulation.network_events import EVENTS
from leader_election.lab.simulation.run import Run
import numpy as np
import xarray

MADE_OF = 'made_of'
"""The attribute of results with a digest of the names of the runs that they are made of."""
NOT_OF_RUNS = ('title', 'source', 'algorithms', 'vary')
"""Sections of a scenario that a run of one algorithm in one variant does not depend on."""
DIGITS = 12
"""Hexadecimal digits of each digest."""


class Fingerprint(NamedTuple):
    """The digests of all inputs of the runs of an algorithm in a scenario."""

    scenario: str
    """Of the scenario without its algorithms, and of the files that it names."""
    algorithm: str
    """Of the entry of the algorithm, but for its label."""
    code: str
    """Of the version and the sources of this package, and of code of others that is chosen."""

    def __str__(self) -> str:
        """Return the fingerprint as text, as used in file names."""
        return '-'.join(self)

    def difference(self, other: str) -> str:
        """
        Return the parts that differ from another fingerprint, given as text.

        >>> Fingerprint('a', 'b', 'c').difference('a-b-d')
        'code'
        """
        parts = other.split('-')
        if len(parts) != len(self):
            return 'code'
        named = {'scenario': 'scenario', 'algorithm': 'parameters', 'code': 'code'}
        return ' and '.join(text for (field, text), own, others in zip(
            named.items(), self, parts) if own != others)


def fingerprint(scenario: Scenario, algorithm: str, but_later_events: bool = False) -> Fingerprint:
    """
    Return the digests of all inputs of the runs of an algorithm in a scenario.

    :param algorithm: its label.
    :param but_later_events: without the events that happen during the run. Runs with the same
        digests and seed are identical up to the first event that differs.
    """
    entrant, world = scenario.entrant(algorithm), inputs_of(scenario, algorithm)
    entry = world.pop('algorithm')
    # Events that are prepared at the start have an effect from the start on.
    world['events'] = [event for event in world.get('events') or () if not but_later_events
                       or EVENTS.get(event['kind']).prepare is not None]
    return Fingerprint(
        _digest(world, *_contents(scenario)), _digest(entry),
        sources.of_run(tuple(_chosen(scenario, entrant)))[:DIGITS])


def inputs_of(scenario: Scenario, algorithm: str) -> dict[str, Any]:
    """
    Return all of a scenario's text that the runs of an algorithm depend on, by section.

    :param algorithm: its label; its entry, but for the label, is the section ``algorithm``.
    """
    raw = scenario.raw()
    entry = next(dict(entry) for entry in raw['algorithms'] if label_of(entry) == algorithm)
    entry.pop('label', None)
    return {**{key: value for key, value in raw.items() if key not in NOT_OF_RUNS},
            'algorithm': entry}


def _digest(*parts: Any) -> str:
    # 10 and 10.0 are the same number.
    parsed = json.loads(json.dumps(parts, default=str), parse_int=float)
    return hashlib.sha256(json.dumps(parsed, sort_keys=True).encode()).hexdigest()[:DIGITS]


def _contents(scenario: Scenario) -> Iterator[str]:
    """Yield digests of the files that topologies, motion and events read."""
    named = [group.parameters for group in scenario.groups]
    named += [scenario.motion_parameters, *(parameters for _, parameters in scenario.events)]
    for parameters in named:
        yield from (sources.digest([file]) for file in named_files(parameters))


def _chosen(scenario: Scenario, entrant: Entrant) -> Iterator[Any]:
    """Yield the functions that the scenario chooses by name."""
    election = ALGORITHMS.get(entrant.algorithm.name)
    for algorithm in (election, entrant.algorithm):
        yield from (algorithm.round, algorithm.state, algorithm.start, algorithm.configure)
    if entrant.regions is not None:
        yield AGGREGATES.get(entrant.regions.aggregate).make
    yield from (scenario.motion.step, scenario.motion.begin, scenario.motion.speed)
    for group in scenario.groups:
        yield group.topology.place
    for event, _ in scenario.events:
        yield event.happen


Digests = Mapping[tuple[str, int], Fingerprint]
"""The fingerprint of each algorithm, by label, and variant."""


def digests(scenario: Scenario) -> Digests:
    """Return the fingerprint of each algorithm, by label, and variant."""
    return {(entrant.label, k): fingerprint(variant, entrant.label)
            for k, (_, variant) in enumerate(scenario.variants())
            for entrant in scenario.entrants}


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
    """Remove all finished runs of a scenario, and its texts."""
    results.path_of(folder, name).unlink(missing_ok=True)
    for file in runs_of(folder, name).glob('[!.]*'):
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
    chosen = [piece for entrant in scenario.entrants for piece in _chosen(scenario, entrant)]
    results.save(dataset.assign_attrs({MADE_OF: made_of, **provenance.attributes(
        scenario, chosen)}), scenario, path, digests)
    return results.load(path)


def keep(finished: Run, file: Path) -> None:
    """Write one run; raise a :class:`ResultError` if that fails."""
    with results.replacing(file) as temporary, open(temporary, 'wb') as stream:
        # In a thread, where no Ctrl-C arrives: an interrupted archive cannot be closed.
        with ThreadPoolExecutor(1) as writer:
            writer.submit(
                np.savez_compressed, stream, samples=finished.samples, counts=finished.counts,
                message_bytes=finished.message_bytes).result()


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
