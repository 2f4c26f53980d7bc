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
The results of a scenario, as one labelled netCDF file: ``<folder>/<scenario>.nc``.

Dimensions: ``algorithm``, one for each key that the scenario varies, ``seed``, ``time`` [s] and
``counter``. Variables: each of ``MEASURES`` over all but ``counter``, nan where a run is missing,
and of ``REGION_MEASURES`` where algorithms have regions, nan for those that have none;
``counts``, -1 where a run is missing; ``message_bytes``; and ``fingerprint`` over algorithms and
the keys that vary: the digests of all that the numbers depend on. Fingerprint and seed identify a
run in any dataset. The attributes ``long_name``, ``units`` and ``description`` document each
variable.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timezone
from itertools import product
import math
import os
from pathlib import Path
import platform
from typing import Any, NamedTuple

import leader_election
from leader_election.lab.engine.samples import COLUMNS, COUNTERS, MEASURES
from leader_election.lab.fingerprint import Fingerprint, fingerprint
from leader_election.lab.labels import attributes
from leader_election.lab.scenario import Scenario
from leader_election.lab.simulate import Run
from leader_election.lab.sources import ChangedSourceError
import numba
import numpy as np
from numpy.typing import NDArray
import xarray

MISSING = -1
"""The value of ``counts`` for a run that is missing."""
EXACT = ('instability',)
"""Measures that are stored as float64; float32, for all others, is exact for integers to 2**24."""


class ResultError(Exception):
    """A file of results that cannot be used; the text is one line for the user."""


class Key(NamedTuple):
    """The identity of one run of a scenario."""

    algorithm: str
    """The label of the algorithm."""
    variant: int
    """Index into ``scenario.variants()``."""
    seed: int


def path_of(folder: Path, name: str) -> Path:
    """Return the path of the results of a scenario."""
    return folder / f'{name}.nc'


def dimensions(scenario: Scenario) -> dict[str, list[Any]]:
    """Return the keys that vary and their values: numbers, or texts if any is not a number."""
    values = {key: [change.value for change in changes]
              for key, changes in scenario.vary.items()}
    return {key: of_key if all(isinstance(value, (int, float)) for value in of_key)
            else [str(value) for value in of_key]
            for key, of_key in values.items()}


Digests = Mapping[tuple[str, int], Fingerprint]
"""The fingerprint of each algorithm, by label, and variant."""


def digests(scenario: Scenario) -> Digests:
    """
    Return the fingerprint of each algorithm, by label, and variant.

    :raises ResultError: if a source file changed after its import.
    """
    try:
        return {(entrant.label, k): fingerprint(variant, entrant.label)
                for k, (_, variant) in enumerate(scenario.variants())
                for entrant in scenario.entrants}
    except ChangedSourceError as error:
        raise ResultError(str(error)) from None


def measures_of(scenario: Scenario) -> tuple[str, ...]:
    """Return the names of the measures of a scenario's runs."""
    return MEASURES if all(e.regions is None for e in scenario.entrants) else COLUMNS


def empty(scenario: Scenario, algorithms: Sequence[str], seeds: Sequence[int]) -> xarray.Dataset:
    """Return a dataset in which all runs are missing."""
    coordinates = {'algorithm': list(algorithms), **dimensions(scenario), 'seed': list(seeds)}
    runs = tuple(coordinates)
    shape = tuple(len(values) for values in coordinates.values())
    times = scenario.times()
    variables: dict[str, Any] = {
        measure: ((*runs, 'time'), np.full(
            (*shape, len(times)), np.nan, np.float64 if measure in EXACT else np.float32))
        for measure in measures_of(scenario)}
    variables['counts'] = (*runs, 'counter'), np.full((*shape, len(COUNTERS)), MISSING, np.int64)
    variables['message_bytes'] = runs, np.full(shape, np.nan)
    dataset = xarray.Dataset(
        variables, {**coordinates, 'time': times, 'counter': list(COUNTERS)})
    for name in dataset.variables:
        dataset[name].attrs = attributes(str(name), scenario)
    return dataset


def copy_runs(source: xarray.Dataset, target: xarray.Dataset, known: Digests) -> None:
    """
    Write all runs of a dataset to their places in another, which must have their seeds.

    :param source: with fingerprints, by which its runs are found; labels are ignored.
    :param known: the fingerprints of ``target``.
    """
    found, done = places(source), _done(source)
    column = {seed: k for k, seed in enumerate(target['seed'].values.tolist())}
    seeds = source['seed'].values.tolist()
    index = {label: a for a, label in enumerate(target['algorithm'].values.tolist())}
    copied = [name for name in (*COLUMNS, 'counts', 'message_bytes')
              if name in source and name in target]
    pairs = [(_by_run(source[name].values, source), _by_run(target[name].values, target))
             for name in copied]
    for (label, k), digest in known.items():
        for a, variant in found.get(str(digest), ()) if label in index else ():
            rows = np.flatnonzero(done[a, variant])
            columns = [column[seeds[row]] for row in rows]
            for values, copies in pairs:
                copies[index[label], k, columns] = values[a, variant, rows]


def _by_run(values: NDArray[Any], dataset: xarray.Dataset) -> NDArray[Any]:
    """Return a view of the values of all runs, shape (algorithms, variants, seeds, ...)."""
    runs = len(varied(dataset)) + 2
    return values.reshape(values.shape[0], math.prod(values.shape[1:runs - 1]),
                          *values.shape[runs - 1:])


def put(dataset: xarray.Dataset, key: Key, run: Run) -> None:
    """Write a run to its place in a dataset; the dataset must include the key."""
    place = (dataset.get_index('algorithm').get_loc(key.algorithm),
             *np.unravel_index(key.variant, [dataset.sizes[name] for name in varied(dataset)]),
             dataset.get_index('seed').get_loc(key.seed))
    for column, measure in enumerate(COLUMNS):
        if measure in dataset:
            dataset[measure].values[place] = run.samples[:, column]
    dataset['counts'].values[place] = run.counts
    dataset['message_bytes'].values[place] = run.message_bytes


def varied(dataset: xarray.Dataset) -> list[str]:
    """Return the names of the dimensions that vary."""
    return [str(name) for name in dataset['counts'].dims
            if name not in ('algorithm', 'seed', 'counter')]


def finished_variants(dataset: xarray.Dataset) -> Iterator[xarray.Dataset]:
    """
    Yield the finished runs of each algorithm and variant; none if all are missing.

    :return: over ``seed`` first; the algorithm and the keys that vary are scalar coordinates.
    """
    stacked = dataset.stack(variant=['algorithm', *varied(dataset)], create_index=False).transpose(
        'variant', 'seed', ...)
    for k in range(stacked.sizes['variant']):
        one = stacked.isel(variant=k)
        one = one.isel(seed=np.flatnonzero(one['counts'].values[:, 0] != MISSING))
        if one.sizes['seed']:
            yield one


def present(dataset: xarray.Dataset) -> set[Key]:
    """Return the keys of the runs in a dataset."""
    labels, seeds = dataset['algorithm'].values, dataset['seed'].values
    return {Key(str(labels[a]), int(variant), int(seeds[s]))
            for a, variant, s in np.argwhere(_done(dataset))}


def _done(dataset: xarray.Dataset) -> NDArray[np.bool_]:
    """Return a mask of the runs in a dataset, shape (algorithms, variants, seeds)."""
    done: NDArray[np.bool_] = _by_run(dataset['counts'].values, dataset)[..., 0] != MISSING
    return done


def places(dataset: xarray.Dataset) -> dict[str, list[tuple[int, int]]]:
    """Return the places of each fingerprint in a dataset: indices of algorithm and variant."""
    found: dict[str, list[tuple[int, int]]] = {}
    rows = dataset['fingerprint'].values.reshape(dataset.sizes['algorithm'], -1).tolist()
    for a, row in enumerate(rows):
        for variant, digest in enumerate(row):
            found.setdefault(digest, []).append((a, variant))
    return found


def place_of(dataset: xarray.Dataset, algorithm: int, variant: int) -> tuple[str, Any]:
    """Return the label of an algorithm, and the keys that vary with their values in a variant."""
    names = varied(dataset)
    index = np.unravel_index(variant, [dataset.sizes[name] for name in names])
    return str(dataset['algorithm'].values[algorithm]), tuple(
        (name, dataset[name].values.tolist()[k]) for name, k in zip(names, index))


def seeds_present(dataset: xarray.Dataset) -> dict[str, set[int]]:
    """Return the seeds of the runs in a dataset, by fingerprint."""
    seeds, done = dataset['seed'].values, _done(dataset)
    return {digest: {seed for place in of_digest for seed in seeds[done[place]].tolist()}
            for digest, of_digest in places(dataset).items()}


def table_of(dataset: xarray.Dataset, wanted: Mapping[str, Collection[int]]) -> xarray.Dataset:
    """
    Return a dataset of some runs of another one, with fingerprints in place of labels.

    :param wanted: the seeds of these runs by fingerprint; the dataset has all of them.
    """
    found = places(dataset)
    rows = [(digest, *place) for digest in wanted for place in found[digest][:1]]
    # Variants with the same fingerprint may have different seeds.
    seeds = sorted(set().union(*wanted.values()))
    table = xarray.Dataset(coords={
        'algorithm': [digest for digest, *_ in rows], 'seed': seeds,
        'time': dataset['time'], 'counter': dataset['counter']}, attrs=dataset.attrs)
    column = {seed: k for k, seed in enumerate(dataset['seed'].values.tolist())}
    done = _done(dataset)
    for name in (*COLUMNS, 'counts', 'message_bytes'):
        if name in dataset:
            values = _by_run(dataset[name].values, dataset)
            filled = np.full((len(rows), len(seeds), *values.shape[3:]),
                             MISSING if name == 'counts' else np.nan, values.dtype)
            for row, (digest, *_) in enumerate(rows):
                for k, seed in enumerate(seeds):
                    for place in found[digest] if seed in wanted[digest] else ():
                        if done[place][column[seed]]:
                            filled[row, k] = values[place][column[seed]]
            table[name] = ('algorithm', 'seed', *dataset[name].dims[len(varied(dataset)) + 2:]
                           ), filled
    table['fingerprint'] = 'algorithm', table['algorithm'].values
    return table


def save(dataset: xarray.Dataset, scenario: Scenario, path: Path, known: Digests) -> None:
    """
    Write results, with their fingerprints and versions; the file is replaced as a whole.

    :param known: the fingerprints with which the runs were computed.
    :raises ResultError: if it cannot be written; then an older file is unchanged.
    """
    complete = dataset.assign(fingerprint=_fingerprints(dataset, known))
    complete['fingerprint'].attrs = attributes('fingerprint', scenario)
    complete.attrs = {
        'scenario': scenario.name, 'title': scenario.title, 'source': scenario.source,
        'text': scenario.text, 'leader_election': leader_election.__version__,
        'python': platform.python_version(), 'numpy': np.__version__,
        'numba': numba.__version__, 'xarray': xarray.__version__,
        'created': datetime.now(timezone.utc).isoformat(timespec='seconds')}
    write(complete, path)


def write(dataset: xarray.Dataset, path: Path) -> None:
    """
    Write a dataset with its fingerprints unchanged; the file is replaced as a whole.

    :raises ResultError: if it cannot be written; then an older file is unchanged.
    """
    compressed = {measure: {'zlib': True, 'complevel': 4} for measure in COLUMNS
                  if measure in dataset}
    with replacing(path) as temporary:
        dataset.to_netcdf(temporary, engine='netcdf4', encoding=compressed)


def load(path: Path, variables: Sequence[str] | None = None) -> xarray.Dataset:
    """
    Return the results in a file.

    :param variables: only these; ``None``: all.
    :raises ResultError: if the file is missing, cannot be read, or has other content.
    """
    check_no_folder(path)
    if not path.exists():
        raise ResultError(f'{path} is not there; it is made by: lab run {path.stem}')
    try:
        with xarray.open_dataset(path, engine='netcdf4') as opened:
            if not {*MEASURES, 'counts', 'message_bytes', 'fingerprint'} <= set(opened):
                raise ResultError(f'{path} holds no results of lab run; move it away')
            wanted = opened if variables is None else opened[list(variables)]
            loaded: xarray.Dataset = wanted.load()
            return loaded
    except (OSError, RuntimeError, ValueError) as error:
        raise ResultError(f'{path} cannot be read ({reason(error)}); run it again with '
                          '--again') from None


def check_no_folder(path: Path) -> None:
    """Raise a :class:`ResultError` if the path of results is a folder."""
    if path.is_dir():
        raise ResultError(f'{path} is a folder, where a file is to be; move it away')


def check_current(dataset: xarray.Dataset, scenario: Scenario, path: Path) -> xarray.Dataset:
    """
    Return results that were read from a path, if all are of this scenario and the present code.

    :raises ResultError: if some are not.
    """
    known, keys = digests(scenario), dimensions(scenario)
    expected = {(label, tuple(zip(keys, values))): str(known[label, k])
                for label in (entrant.label for entrant in scenario.entrants)
                for k, values in enumerate(product(*keys.values()))}
    if any(expected.get(place_of(dataset, *place)) != digest
           for digest, of_digest in places(dataset).items() for place in of_digest):
        raise ResultError(f'{path} holds runs of another text of the scenario, or of other code; '
                          'lab run sets them aside, and runs again what is missing')
    return dataset


def _fingerprints(dataset: xarray.Dataset, known: Digests) -> xarray.DataArray:
    shape = [dataset.sizes[name] for name in varied(dataset)]
    return xarray.DataArray(
        np.array([[str(known[label, k]) for k in range(math.prod(shape))]
                  for label in dataset['algorithm'].values.tolist()]).reshape(-1, *shape),
        {name: dataset[name] for name in ('algorithm', *varied(dataset))})


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """
    Yield the path of a temporary file that replaces ``path`` once it is complete.

    :raises ResultError: if it cannot be written.
    """
    temporary = path.with_name(f'.{path.name}.writing')
    try:
        yield temporary
        os.replace(temporary, path)
    except (OSError, RuntimeError) as error:
        raise ResultError(f'{path} cannot be written ({reason(error)}); make room, or choose '
                          'another folder by --results') from None
    finally:
        temporary.unlink(missing_ok=True)


def reason(error: Exception) -> str:
    """
    Return the reason of a failed file access, in one line.

    >>> reason(OSError(28, 'No space left on device', 'results/random.nc'))
    'No space left on device'
    """
    return str(getattr(error, 'strerror', None) or error).splitlines()[0]


def seeds_done(keys: Collection[Key], scenario: Scenario) -> int:
    """Return the number of seeds that are done for all algorithms and variants."""
    needed = len(scenario.entrants) * len(scenario.variants())
    runs = Counter(key.seed for key in keys)
    return sum(count == needed for count in runs.values())
