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
The store of the finished runs of a scenario, by fingerprint and seed.

The runs of the present text and code are in the results file, ``<folder>/<scenario>.nc``; each run
that is not merged into it yet has its own file in ``<folder>/.<scenario>.parts``. Runs of another
text of the scenario, or of other code, are set aside in files in ``<folder>/<scenario>.aside``,
and are used again if that text and code return.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
import fcntl
import hashlib
import os
from pathlib import Path
import shutil
from typing import NamedTuple, TextIO
import zipfile

from leader_election.lab import results
from leader_election.lab.results import Digests, Key, ResultError
from leader_election.lab.scenario import Scenario
from leader_election.lab.simulate import Run
import numpy as np
import xarray

ATTEMPTS = 100
"""Attempts to take a lock whose file another process has just removed."""


class Finished(NamedTuple):
    """The finished runs of a scenario, of this text and of others."""

    dataset: xarray.Dataset | None
    """The content of the results file; ``None`` without a file."""
    parts: dict[tuple[str, int], Path]
    """The runs that are in no results file yet, by fingerprint and seed."""
    aside: dict[Path, dict[str, set[int]]]
    """The seeds of the runs that were set aside, by fingerprint, in each file."""
    seeds: dict[str, set[int]]
    """The seeds of all these runs, by fingerprint."""

    def keys(self, digests: Digests) -> set[Key]:
        """Return the runs that have one of some fingerprints."""
        return {Key(label, variant, seed) for (label, variant), digest in digests.items()
                for seed in self.seeds.get(str(digest), ())}


def find(folder: Path, name: str, variables: Sequence[str] | None = None) -> Finished:
    """
    Return the finished runs of a scenario.

    :param folder: of the results.
    :param name: of the scenario.
    :param variables: of the results file, only these; ``None``: all.
    :raises ResultError: if a file cannot be read.
    """
    path = results.path_of(folder, name)
    results.check_no_folder(path)
    dataset = results.load(path, variables) if path.exists() else None
    seeds = results.seeds_present(dataset) if dataset is not None else {}
    parts = {}
    for file in sorted(parts_of(folder, name).glob('*.npz')):
        digest, _, seed = file.stem.partition(',')
        parts[digest, int(seed)] = file
        seeds.setdefault(digest, set()).add(int(seed))
    aside = {file: results.seeds_present(results.load(file, ('counts', 'fingerprint')))
             for file in sorted(aside_of(folder, name).glob('*.nc'))}
    for file_seeds in aside.values():
        for digest, of_digest in file_seeds.items():
            seeds.setdefault(digest, set()).update(of_digest)
    return Finished(dataset, parts, aside, seeds)


def parts_of(folder: Path, name: str) -> Path:
    """Return the folder of finished runs that are not in a scenario's results file yet."""
    return folder / f'.{name}.parts'


def part_of(parts: Path, digest: object, seed: int) -> Path:
    """Return the file of one run in the folder of :func:`parts_of`."""
    return parts / f'{digest},{seed}.npz'


def aside_of(folder: Path, name: str) -> Path:
    """Return the folder of runs of other texts of a scenario, and of other code."""
    return folder / f'{name}.aside'


def discard(folder: Path, name: str) -> None:
    """Remove all finished runs of a scenario."""
    results.path_of(folder, name).unlink(missing_ok=True)
    for file in parts_of(folder, name).glob('*.npz'):
        file.unlink()
    shutil.rmtree(aside_of(folder, name), ignore_errors=True)


def merge(finished: Finished, scenario: Scenario, folder: Path, digests: Digests,
          ) -> tuple[xarray.Dataset, int]:
    """
    Merge all runs of the present scenario into its results file, and set aside all others.

    :param finished: all finished runs, at least one of them of this scenario.
    :return: the content of the file, and the number of runs that were set aside.
    :raises ResultError: if a file cannot be read or written; then no run is lost.
    """
    path, old = results.path_of(folder, scenario.name), finished.dataset
    known: dict[str, list[tuple[str, int]]] = {}
    for which, digest in digests.items():
        known.setdefault(str(digest), []).append(which)
    current = {digest: seeds for digest, seeds in finished.seeds.items()
               if digest in known and seeds}
    dataset = results.empty(
        scenario, [entrant.label for entrant in scenario.entrants
                   if any(str(digest) in current for (label, _), digest in digests.items()
                          if label == entrant.label)], sorted(set().union(*current.values())))
    parts = {key: file for key, file in finished.parts.items() if key[0] in known}
    present = results.seeds_present(old) if old is not None else {}
    wanted = [file for file, file_seeds in finished.aside.items() if any(
        not seeds <= present.get(digest, set()) for digest, seeds in file_seeds.items()
        if digest in known)]
    if old is not None and not parts and not wanted and _same_layout(
            old, dataset, scenario, digests):
        return old, 0
    for source in (*([] if old is None else [old]), *map(results.load, wanted)):
        results.copy_runs(source, dataset, digests)
    for (text, seed), file in parts.items():
        run = read(file)
        for label, variant in known[text]:
            results.put(dataset, Key(label, variant, seed), run)
    stale = {digest: seeds for digest, seeds in present.items() if digest not in known and seeds}
    aside = aside_of(folder, scenario.name)
    if old is not None and stale:
        _set_aside(old, {digest: seeds for digest, seeds in stale.items() if not any(
            seeds <= file_seeds.get(digest, set()) for file_seeds in finished.aside.values())},
            aside)
    results.save(dataset, scenario, path, digests)
    # Only after all runs are in one file.
    merged = [file for file, file_seeds in finished.aside.items()
              if file_seeds.keys() <= known.keys()]
    for file in (*parts.values(), *merged):
        file.unlink()
    if merged and not any(aside.iterdir()):
        aside.rmdir()
    return results.load(path), sum(map(len, stale.values()))


def _same_layout(old: xarray.Dataset, dataset: xarray.Dataset, scenario: Scenario,
                 digests: Digests) -> bool:
    """Return whether a results file already equals the file that would replace it."""
    return (old.attrs.get('text') == scenario.text
            and all(name in old.coords and old[name].equals(values)
                    for name, values in dataset.coords.items())
            and set(results.places(old)) <= set(map(str, digests.values())))


def _set_aside(old: xarray.Dataset, stale: Mapping[str, Collection[int]], aside: Path) -> None:
    """Write some runs of a results file to a file of their own."""
    if not stale:
        return
    try:
        aside.mkdir(exist_ok=True)
    except OSError as error:
        raise ResultError(f'{aside} cannot be made ({results.reason(error)}); move it '
                          'away') from None
    name = hashlib.sha256(repr(sorted((digest, sorted(seeds)) for digest, seeds in stale.items())
                               ).encode()).hexdigest()[:16]
    results.write(results.table_of(old, stale), aside / f'{name}.nc')


def size(folder: Path) -> int:
    """Return the size of the files in a folder [bytes]."""
    return sum(file.stat().st_size for file in folder.glob('*'))


def keep(finished: Run, file: Path) -> None:
    """Write one run; raise a :class:`ResultError` if that fails."""
    with results.replacing(file) as temporary, open(temporary, 'wb') as stream:
        np.savez(stream, samples=finished.samples, counts=finished.counts,
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
def claimed(parts: Path) -> Iterator[Path]:
    """
    Lock a folder against other processes within a block.

    The folder is created, and removed in the end if no runs are in it.
    """
    with _locked(parts):
        try:
            yield parts
        finally:
            if not any(parts.glob('*.npz')):
                # Another process may create a file at this moment; then the folder stays.
                shutil.rmtree(parts, ignore_errors=True)


def _locked(parts: Path) -> TextIO:
    """Create a folder, and return the open file that holds its lock."""
    for _ in range(ATTEMPTS):
        try:
            parts.mkdir(parents=True, exist_ok=True)
            lock = open(parts / 'lock', 'w')
        except FileNotFoundError:
            continue  # The previous holder of the lock has just removed the folder.
        except OSError as error:
            if isinstance(error, FileExistsError) and (parts.is_dir() or not parts.exists()):
                continue  # Likewise, between the check and the creation.
            raise ResultError(f'{parts} cannot be written ({results.reason(error)}); choose '
                              'another folder with --results') from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # The previous holder may have removed the file after it was opened here: a lock on
            # a removed file excludes no other process.
            if os.path.samestat(os.fstat(lock.fileno()), os.stat(parts / 'lock')):
                return lock
        except FileNotFoundError:
            pass
        except OSError:
            lock.close()
            break
        lock.close()
    raise ResultError(f'{parts} is in use by another lab run; wait for it, or choose another '
                      'folder with --results')
