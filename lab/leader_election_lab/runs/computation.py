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

"""Compute the missing runs of a scenario, in processes or by a cluster, for its results."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import product
import os
from pathlib import Path

from leader_election_lab.experiment.parser import in_section, of_scenario
from leader_election_lab.experiment.scenario import Scenario
from leader_election_lab.runs import kept, results, store
from leader_election_lab.runs.files import check_no_folder, path_of, ResultError
from leader_election_lab.runs.store import Digests, Keeper, Key, Place
from leader_election_lab.terminal_output import Progress
from leader_election_lab.topologies.contacts import check_begin, ContactsParameters
import xarray


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0))


def run(
    scenario: Scenario, seeds: Sequence[int], folder: Path = Path('results'),
    algorithms: Sequence[str] = (), workers: int | None = None, again: bool = False,
    progress: Progress | None = None, cluster: str | None = None,
) -> xarray.Dataset:
    """
    Compute the missing runs of a scenario, and return its results.

    Results depend on the seeds only, not on the number of workers. A computation that was
    interrupted continues from the finished runs when it is called again. Only runs whose scenario,
    algorithm's parameters or code have changed are computed again. The earlier ones are kept (see
    :mod:`leader_election_lab.runs.store`).

    :param algorithms: labels. Without any, all of the scenario's run.
    :param folder: of the results (see :mod:`leader_election_lab.runs.results`).
    :param workers: number of processes, by default one for each core.
    :param again: discard all finished runs of this scenario.
    :param progress: where progress is reported, by default the standard output.
    :param cluster: the address of a Dask scheduler whose workers compute, or ``local`` for
        ``workers`` processes on this machine. By default forked processes compute.
    :return: all results of this scenario, including those of other seeds and algorithms.
    :raises ResultError: if a file cannot be read or written, or a cluster cannot be used.
    :raises KeyboardInterrupt: when interrupted. Finished runs are kept.
    """
    progress = progress or Progress()
    labels = [scenario.entrant(label).label for label in algorithms] or [
        entrant.label for entrant in scenario.entrants]
    check_no_folder(path_of(folder, scenario.name))
    variants = [variant for _, variant in scenario.variants()]
    digests = store.digests(scenario)
    with store.claimed(folder, scenario.name):
        if again:
            store.discard(folder, scenario.name)
        asked = [Key(label, variant, seed) for seed in seeds
                 for variant in range(len(variants)) for label in labels]
        path = path_of(folder, scenario.name)
        # A damaged file is found now, not after hours of computation.
        old = results.load(path, ['fingerprint']) if path.exists() else None
        finished = store.finished(folder, scenario.name)
        done = store.keys_of(finished, digests)
        missing = [key for key in asked if key not in done]
        if finished:
            progress.note(f'{scenario.name}: {len(asked) - len(missing)} of {len(asked)} runs are '
                          f'there already{_changes(missing, finished, old, scenario, digests)}')
        if missing:
            _check_contacts(scenario, variants)
            # Variants with the same fingerprint for an algorithm share a place, and one run.
            keys = {(str(digests[key[:2]]), key.seed): key for key in missing}
            with closing(Keeper(folder, scenario.name)) as keeper, \
                    _unchanged_inputs(scenario, digests, keys, keeper):
                if cluster is not None:
                    from leader_election_lab.runs.cluster import connected, Sweep
                    with connected(cluster, workers or cores()) as client, \
                            progress.counting(scenario.name, len(keys)):
                        Sweep(client, cluster, scenario, keys, digests, keeper, progress).run()
                else:
                    # With the compiler, which nothing else here needs.
                    from leader_election_lab.runs import processes
                    for label in dict.fromkeys(key.algorithm for key in missing):
                        processes.compile_by_running(variants[0], label, progress)
                    processes.compute(
                        keys, variants, workers or cores(), keeper, scenario.name, progress)
        return kept.collect(scenario, folder, digests)


def _check_contacts(scenario: Scenario, variants: Sequence[Scenario]) -> None:
    with of_scenario(scenario.name), in_section('devices'):
        for parameters, duration in {
                (group.parameters, variant.duration) for variant in variants
                for group in variant.groups if isinstance(group.parameters, ContactsParameters)}:
            check_begin(parameters, duration)


@contextmanager
def _unchanged_inputs(scenario: Scenario, digests: Digests, places: Iterable[Place],
                      keeper: Keeper) -> Iterator[None]:
    """
    Discard the runs computed meanwhile if a file that the scenario names has changed.

    :param places: of these runs.
    :raises ResultError: if one has changed.
    """
    try:
        yield
    finally:
        if {key: digest.scenario for key, digest in store.digests(scenario).items()} != {
                key: digest.scenario for key, digest in digests.items()}:
            keeper.drop(places)
            raise ResultError(f'{scenario.name}: a file that the scenario names was changed '
                              'during the computation, whose runs are discarded; run it again')


def _changes(missing: Sequence[Key], finished: Mapping[str, Collection[int]],
             old: xarray.Dataset | None, scenario: Scenario, digests: Digests) -> str:
    """
    Return the numbers of runs that are run again, with the reason, and of new ones, as text.

    :param missing: the runs that are to be computed.
    :param finished: the seeds of all finished runs by fingerprint.
    :param old: the content of the results file before.
    """
    if old is None or not missing:
        return ''
    values = [dict(zip(scenario.vary, place))
              for place in product(*results.dimensions(scenario).values())]
    again: Counter[tuple[str, str]] = Counter()
    for key in missing:
        try:
            before = str(old['fingerprint'].sel(
                algorithm=key.algorithm, **values[key.variant]).item())
        except (KeyError, ValueError):
            continue  # It had no such algorithm, key or value.
        if key.seed in finished.get(before, ()):
            again[key.algorithm, digests[key[:2]].difference(before)] += 1
    line = '; run again: ' * bool(again) + ', '.join(
        f'{count} of {label} (changed: {why})' for (label, why), count in again.items())
    new = len(missing) - again.total()
    return line + (f'; new: {new}' if new else '')
