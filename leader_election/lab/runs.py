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

"""Run what is missing of a scenario, in threads, and keep each run as soon as it is finished."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import as_completed, ThreadPoolExecutor
from contextlib import contextmanager
import fcntl
import os
from pathlib import Path
import shutil
from threading import Event, Lock
from typing import TextIO
import zipfile

from leader_election.lab import results
from leader_election.lab.compiling import compile_by_running
from leader_election.lab.engine.network import ROUNDS
from leader_election.lab.fingerprint import stem
from leader_election.lab.results import Key, ResultError
from leader_election.lab.scenario import Scenario
from leader_election.lab.simulate import Run, simulate_branches
from leader_election.lab.terminal import Progress
import numpy as np
import xarray

ATTEMPTS = 100
"""How often a lock is tried that others have just given back."""


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0))


def run(
    scenario: Scenario, seeds: Sequence[int], folder: Path = Path('results'),
    algorithms: Sequence[str] = (), workers: int | None = None, again: bool = False,
    progress: Progress | None = None,
) -> xarray.Dataset:
    """
    Return the results of a scenario, after computing the runs of it that are missing.

    Results are the same for the same seeds, whatever the number of workers. What is interrupted
    goes on from the finished runs when it is called again.

    :param algorithms: labels; none: all of the scenario's.
    :param folder: where results are kept, as :mod:`leader_election.lab.results` says.
    :param workers: threads; ``None``: one a core.
    :param again: throw away what there is of this scenario.
    :return: all results of this scenario, of other seeds and algorithms as well.
    :raises ResultError: where a file cannot be read or written, or holds something else.
    :raises KeyboardInterrupt: as it comes; what is finished is kept.
    """
    progress = progress or Progress()
    labels = [scenario.entrant(label).label for label in algorithms] or [
        entrant.label for entrant in scenario.entrants]
    path = results.path_of(folder, scenario.name)
    results.check_no_folder(path)
    variants = [variant for _, variant in scenario.variants()]
    digests = results.digests(scenario)
    with _claimed(parts_of(folder, scenario.name)) as parts:
        if again:
            path.unlink(missing_ok=True)
            _empty(parts)
        kept = kept_in(parts, digests)
        for file in kept.values():
            _read(file)  # What is damaged is found now, not after an hour.
        done = set(kept)
        if path.exists():
            done |= results.present(results.fitting(results.load(path), scenario, path))
        missing = [Key(label, variant, seed) for seed in seeds
                   for variant in range(len(variants)) for label in labels
                   if Key(label, variant, seed) not in done]
        asked = len(seeds) * len(variants) * len(labels)
        if len(missing) < asked:
            progress.note(f'{scenario.name}: {asked - len(missing)} of {asked} runs are there '
                          'already')
        if missing:
            for label in dict.fromkeys(key.algorithm for key in missing):
                compile_by_running(variants[0], label, progress)
            # Variants that are all the same to an algorithm share a file, and are run once.
            keys = {parts / f'{digests[key.algorithm, key.variant]},{key.seed}.npz': key
                    for key in missing}
            with progress.counting(scenario.name, len(keys)):
                _compute(_grouped(keys, variants), variants, workers or cores(), progress)
        dataset = _merged(kept_in(parts, digests), scenario, path)
        # Only now that all of it is in one file, and before anybody else computes into the folder.
        _empty(parts)
    return dataset


def parts_of(folder: Path, name: str) -> Path:
    """Return the folder of the runs of a scenario that are in no results yet."""
    return folder / f'.{name}.parts'


def kept_in(parts: Path, digests: Mapping[tuple[str, int], str]) -> dict[Key, Path]:
    """
    Return the runs that are kept in a folder, with their files.

    :param digests: what the numbers of each algorithm and variant follow from.
    :raises ResultError: where a run follows from something else.
    """
    known: dict[str, list[tuple[str, int]]] = {}
    for which, digest in digests.items():
        known.setdefault(digest, []).append(which)
    found = {}
    for file in sorted(parts.glob('*.npz')):
        digest, _, seed = file.stem.partition(',')
        if digest not in known:
            raise results.stale(file)
        for algorithm, variant in known[digest]:
            found[Key(algorithm, variant, int(seed))] = file
    return found


def _empty(parts: Path) -> None:
    for file in parts.glob('*.npz'):
        file.unlink()


@contextmanager
def _claimed(parts: Path) -> Iterator[Path]:
    """
    Keep other processes from computing into a folder.

    It is made, and removed in the end if no runs are in it.
    """
    with _locked(parts):
        try:
            yield parts
        finally:
            if not any(parts.glob('*.npz')):
                # What another process puts there in this very moment may keep it in place.
                shutil.rmtree(parts, ignore_errors=True)


def _locked(parts: Path) -> TextIO:
    """Return the open file that holds the lock of a folder, which is made."""
    for _ in range(ATTEMPTS):
        try:
            parts.mkdir(parents=True, exist_ok=True)
            lock = open(parts / 'lock', 'w')
        except FileNotFoundError:
            continue  # Who had the lock has just removed the folder.
        except OSError as error:
            if isinstance(error, FileExistsError) and (parts.is_dir() or not parts.exists()):
                continue  # Likewise, while it was to be made here.
            raise ResultError(f'{parts} cannot be written ({results.reason(error)}); choose '
                              'another folder with --results') from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Who had the lock may have removed the file after we opened it: that locks nothing.
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


def _grouped(keys: Mapping[Path, Key], variants: Sequence[Scenario]) -> list[dict[Path, Key]]:
    """Return runs that begin the same together."""
    stems: dict[tuple[str, int], str] = {}
    groups: dict[tuple[str, int], dict[Path, Key]] = {}
    for file, key in keys.items():
        which = key.algorithm, key.variant
        if which not in stems:
            stems[which] = stem(variants[key.variant], key.algorithm)
        groups.setdefault((stems[which], key.seed), {})[file] = key
    return list(groups.values())


def _compute(groups: Sequence[Mapping[Path, Key]], variants: Sequence[Scenario], workers: int,
             progress: Progress) -> None:
    """Compute runs, those that begin the same together, by the files to keep them in."""
    writing, stopped = Lock(), Event()

    def compute(group: Mapping[Path, Key]) -> list[tuple[Key, int]]:
        told = []
        first = next(iter(group.values()))
        branches = simulate_branches([variants[key.variant] for key in group.values()],
                                     first.algorithm, first.seed)
        for (file, key), finished in zip(group.items(), branches):
            with writing:
                if stopped.is_set():
                    break
                _keep(finished, file)
            told.append((key, int(finished.counts[ROUNDS]) - finished.shared))
        return told

    pool = ThreadPoolExecutor(workers)
    try:
        for future in as_completed([pool.submit(compute, group) for group in groups]):
            for key, rounds in future.result():
                progress.finished(f'{key.algorithm}, seed {key.seed}', rounds)
    except BaseException:
        # What is being computed is neither waited for nor kept.
        with writing:
            stopped.set()
        raise
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _keep(finished: Run, file: Path) -> None:
    with results.writing(file) as temporary, open(temporary, 'wb') as stream:
        np.savez(stream, samples=finished.samples, counts=finished.counts,
                 message_bytes=finished.message_bytes)


def _read(file: Path) -> Run:
    try:
        with np.load(file) as part:
            return Run(part['samples'], part['counts'], float(part['message_bytes']))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise ResultError(f'{file} cannot be read ({results.reason(error)}); remove it, and this '
                          'run is computed again') from None


def _merged(kept: Mapping[Key, Path], scenario: Scenario, path: Path) -> xarray.Dataset:
    """Return all results of the scenario, after saving them in one file."""
    algorithms = [entrant.label for entrant in scenario.entrants
                  if any(key.algorithm == entrant.label for key in kept)]
    seeds = sorted({key.seed for key in kept})
    if path.exists():
        dataset = results.load(path)
        if not kept:
            return dataset
        dataset = results.widened(dataset, scenario, algorithms, seeds)
    else:
        dataset = results.empty(scenario, algorithms, seeds)
    for key, file in kept.items():
        results.put(dataset, key, _read(file))
    results.save(dataset, scenario, path)
    return results.load(path)
