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
The store of the finished runs of a scenario: a database, by fingerprint and seed.

It is the file ``<folder>/<scenario>.runs/runs.sqlite``. A file for each run would take longer than
a small run. Runs of another text of the scenario, or of other code, stay there, and are used again
if that text and code return. The results file, ``<folder>/<scenario>.nc``, has all runs of the
present text and code. It is made of these (:mod:`leader_election_lab.runs.kept`).

A fingerprint has digests of the scenario, of the algorithm, and of their code. The scenario is
digested as read. A comment, a title, another order of keys or ``10.0`` for ``10`` make no
difference, but a default that is written out does.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
import fcntl
import hashlib
import json
from pathlib import Path
import sqlite3
from time import monotonic
from typing import Any, NamedTuple
import zlib

from leader_election.election.algorithms import ALGORITHMS
from leader_election.election.regions.aggregate import AGGREGATES
from leader_election_lab.experiment.parser import label_of
from leader_election_lab.experiment.scenario import named_files, Scenario
from leader_election_lab.experiment.schema import Entrant
from leader_election_lab.own_measures import OWN_MEASURES
from leader_election_lab.runs import sources
from leader_election_lab.runs.files import path_of, reason, ResultError
from leader_election_lab.simulation.run import Run
from leader_election_lab.states import DEVICE_MEASURES
import numpy as np
from numpy.typing import NDArray

NOT_OF_RUNS = ('title', 'source', 'algorithms', 'vary')
"""Sections of a scenario that a run of one algorithm in one variant does not depend on."""
DIGITS = 12
"""Hexadecimal digits of each digest."""
Place = tuple[str, int]
"""The place of a run in the store: its fingerprint as text, and its seed."""


class Key(NamedTuple):
    """The identity of one run of a scenario."""

    algorithm: str
    variant: int
    seed: int


class Fingerprint(NamedTuple):
    """The digests of all inputs of the runs of an algorithm in a scenario."""

    scenario: str
    """The digest of the scenario without its algorithms, and of the files that it names."""
    algorithm: str
    code: str
    """The digest of this package's version and sources, and of the code chosen from others."""

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


def fingerprint(scenario: Scenario, algorithm: str) -> Fingerprint:
    """
    Return the digests of all inputs of the runs of an algorithm in a scenario.

    :param algorithm: its label.
    """
    entrant, raw = scenario.entrant(algorithm), scenario.raw()
    entry = next(dict(entry) for entry in raw['algorithms'] if label_of(entry) == algorithm)
    entry.pop('label', None)
    world = {key: value for key, value in raw.items() if key not in NOT_OF_RUNS}
    world['events'] = world.get('events') or []
    return Fingerprint(
        _digest(world, *_contents(scenario)), _digest(entry),
        sources.of_run(tuple(chosen(scenario, entrant)))[:DIGITS])


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


def chosen(scenario: Scenario, entrant: Entrant) -> Iterator[Any]:
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
    for measure in scenario.measure.own:
        yield OWN_MEASURES.get(measure).compute


Digests = Mapping[tuple[str, int], Fingerprint]
"""The fingerprint of each algorithm, by label, and variant."""


def digests(scenario: Scenario) -> Digests:
    """Return the fingerprint of each algorithm, by label, and variant."""
    return {(entrant.label, k): fingerprint(variant, entrant.label)
            for k, (_, variant) in enumerate(scenario.variants())
            for entrant in scenario.entrants}


def database_of(folder: Path, name: str) -> Path:
    """Return the file of the finished runs of a scenario."""
    return folder / f'{name}.runs' / 'runs.sqlite'


def finished(folder: Path, name: str) -> dict[str, set[int]]:
    """Return the seeds of all finished runs of a scenario, by fingerprint."""
    seeds: dict[str, set[int]] = {}
    path = database_of(folder, name)
    # A run that was killed at its start, or found the disk full, leaves an empty file.
    if path.exists() and path.stat().st_size:
        with _reading(path) as database:
            for digest, seed in database.execute('SELECT fingerprint, seed FROM runs'):
                seeds.setdefault(digest, set()).add(seed)
    return seeds


def keys_of(seeds: dict[str, set[int]], digests: Digests) -> set[Key]:
    """Return the keys of the runs that have one of some fingerprints."""
    return {Key(label, variant, seed) for (label, variant), digest in digests.items()
            for seed in seeds.get(str(digest), ())}


def discard(folder: Path, name: str) -> None:
    """Remove all finished runs of a scenario, and their results."""
    path_of(folder, name).unlink(missing_ok=True)
    database_of(folder, name).unlink(missing_ok=True)


class Packed(NamedTuple):
    """A run as it is stored."""

    samples: bytes
    width: int
    """The number of columns of samples."""
    counts: bytes
    message_bytes: float
    devices: bytes | None


def packed(run: Run) -> Packed:
    """Return a run as it is stored: its numbers, compressed, with checksums."""
    return Packed(_compressed(run.samples), run.samples.shape[1], _compressed(run.counts),
                  run.message_bytes, None if run.devices is None else _compressed(run.devices))


def _compressed(numbers: NDArray[Any]) -> bytes:
    # The fastest way, since small runs take no longer.
    return zlib.compress(numbers.tobytes(), 1)


def unpacked(run: Packed) -> Run:
    """Return a run that was packed."""
    return Run(
        _table(run.samples, run.width), np.frombuffer(zlib.decompress(run.counts), np.int64),
        run.message_bytes,
        devices=None if run.devices is None else _table(run.devices, 1 + len(DEVICE_MEASURES)))


def _table(part: bytes, width: int) -> NDArray[np.float64]:
    return np.frombuffer(zlib.decompress(part)).reshape(-1, width)


COMMIT_PERIOD = 0.5
"""The time between two writes to the disk [s]: so much is lost when the process is killed."""


MAKE_ROOM = 'make room, or choose another folder'
REMOVE = 'remove it, and its runs are computed again'
_REMEDIES = {
    'is locked': 'close the program that has it open',
    'unable to open': 'allow this user to read and write it and its folder',
    'readonly': 'allow this user to read and write it and its folder',
}
"""What helps with errors of SQLite that do not concern the content of a file, by their text."""


def _remedy(error: Exception) -> str:
    return next((remedy for text, remedy in _REMEDIES.items() if text in str(error)), '')


class Keeper:
    """
    Writes runs into the store of a scenario.

    :raises ResultError: if it cannot be written. All methods do so.
    """

    def __init__(self, folder: Path, name: str) -> None:
        """Create the store unless it exists."""
        self._path = database_of(folder, name)
        self._due = 0.0
        with self._writing():
            self._database = sqlite3.connect(self._path)
            self._database.execute(
                f'CREATE TABLE IF NOT EXISTS runs (fingerprint TEXT, seed INTEGER, '
                f'{", ".join(Packed._fields)}, PRIMARY KEY (fingerprint, seed))')

    def keep(self, run: Packed, place: Place) -> None:
        """Write one run."""
        with self._writing():
            self._database.execute(
                f'INSERT OR REPLACE INTO runs VALUES (?, ?{", ?" * len(run)})', (*place, *run))
            if monotonic() >= self._due:
                self._database.commit()
                self._due = monotonic() + COMMIT_PERIOD

    def drop(self, places: Iterable[Place]) -> None:
        """Remove runs."""
        with self._writing():
            self._database.executemany(
                'DELETE FROM runs WHERE fingerprint = ? AND seed = ?', places)

    def close(self) -> None:
        """Write what is left."""
        with self._writing(), closing(self._database):
            self._database.commit()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise ResultError(f'{self._path} cannot be written ({error}); '
                              f'{_remedy(error) or MAKE_ROOM}') from None


def read(folder: Path, name: str, places: Iterable[Place]) -> Iterator[Run]:
    """Yield runs of the store."""
    path = database_of(folder, name)
    with _reading(path) as database:
        for place in places:
            row = database.execute(f'SELECT {", ".join(Packed._fields)} FROM runs '
                                   'WHERE fingerprint = ? AND seed = ?', place).fetchone()
            yield unpacked(Packed(*row))


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    try:
        with closing(sqlite3.connect(f'{path.resolve().as_uri()}?mode=rw', uri=True)) as database:
            yield database
    except (sqlite3.Error, zlib.error, TypeError, ValueError) as error:
        raise ResultError(f'{path} cannot be read ({reason(error)}); '
                          f'{_remedy(error) or REMOVE}') from None


@contextmanager
def claimed(folder: Path, name: str) -> Iterator[None]:
    """Lock the runs of a scenario against other processes within a block."""
    runs = database_of(folder, name).parent
    try:
        runs.mkdir(parents=True, exist_ok=True)
        lock = open(runs / '.lock', 'w', encoding='utf-8')
    except OSError as error:
        raise ResultError(f'{runs} cannot be written ({reason(error)}); choose another '
                          'folder with --results') from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ResultError(f'{runs} is in use by another lab run; wait for it, or choose '
                              'another folder with --results') from None
        yield
