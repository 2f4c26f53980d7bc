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

"""Computation of the missing runs of a scenario, in threads; each finished run is kept at once."""

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
from leader_election.lab.engine.samples import ROUNDS
from leader_election.lab.fingerprint import stem
from leader_election.lab.results import Key, ResultError
from leader_election.lab.scenario import Scenario
from leader_election.lab.simulate import Run, simulate_branches
from leader_election.lab.terminal import Progress
import numpy as np
import xarray

ATTEMPTS = 100
"""Attempts to take a lock whose file another process has just removed."""


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0))


def run(
    scenario: Scenario, seeds: Sequence[int], folder: Path = Path('results'),
    algorithms: Sequence[str] = (), workers: int | None = None, again: bool = False,
    progress: Progress | None = None,
) -> xarray.Dataset:
    """
    Return the results of a scenario, after computing the runs of it that are missing.

    Results depend on the seeds only, not on the number of workers. A computation that was
    interrupted continues from the finished runs when it is called again.

    :param algorithms: labels; none: all of the scenario's.
    :param folder: of the results (see :mod:`leader_election.lab.results`).
    :param workers: number of threads; ``None``: one for each core.
    :param again: discard all present results of this scenario.
    :param progress: where progress is reported; ``None``: the standard output.
    :return: all results of this scenario, including those of other seeds and algorithms.
    :raises ResultError: where a file cannot be read or written, or has other content.
    :raises KeyboardInterrupt: when interrupted; finished runs are kept.
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
            _read(file)  # A damaged file is found now, not after an hour of computation.
        done = set(kept)
        if path.exists():
            done |= results.present(results.check_current(results.load(path), scenario, path))
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
            # Variants with the same fingerprint for an algorithm share a file, and one run.
            keys = {parts / f'{digests[key.algorithm, key.variant]},{key.seed}.npz': key
                    for key in missing}
            with progress.counting(scenario.name, len(keys)):
                _compute(_grouped_by_stem(keys, variants), variants, workers or cores(), progress)
        dataset = _merged(kept_in(parts, digests), scenario, path)
        # Only now that all runs are in one file, and while the lock is still held.
        _empty(parts)
    return dataset


def parts_of(folder: Path, name: str) -> Path:
    """Return the folder of finished runs that are not in a scenario's results file yet."""
    return folder / f'.{name}.parts'


def kept_in(parts: Path, digests: Mapping[tuple[str, int], str]) -> dict[Key, Path]:
    """
    Return the finished runs in a folder, with their files.

    :param digests: the fingerprint of each algorithm and variant.
    :raises ResultError: where a run has none of these fingerprints.
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


def _grouped_by_stem(keys: Mapping[Path, Key], variants: Sequence[Scenario],
                     ) -> list[dict[Path, Key]]:
    """Return the runs in groups that are identical until their events differ."""
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
    """Compute groups of runs, each group in one thread, and write each run to its file."""
    writing, stopped = Lock(), Event()

    def compute(group: Mapping[Path, Key]) -> list[tuple[Key, int]]:
        finished_runs = []
        first = next(iter(group.values()))
        branches = simulate_branches([variants[key.variant] for key in group.values()],
                                     first.algorithm, first.seed)
        for (file, key), finished in zip(group.items(), branches):
            with writing:
                if stopped.is_set():
                    break
                _keep(finished, file)
            finished_runs.append((key, int(finished.counts[ROUNDS]) - finished.shared))
        return finished_runs

    pool = ThreadPoolExecutor(workers)
    try:
        for future in as_completed([pool.submit(compute, group) for group in groups]):
            for key, rounds in future.result():
                progress.finished(f'{key.algorithm}, seed {key.seed}', rounds)
    except BaseException:
        # Runs that are being computed are neither waited for nor kept.
        with writing:
            stopped.set()
        raise
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _keep(finished: Run, file: Path) -> None:
    with results.replacing(file) as temporary, open(temporary, 'wb') as stream:
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
