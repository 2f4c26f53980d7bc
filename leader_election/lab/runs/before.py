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
Runs of earlier code, beside those of the present one: two versions of an algorithm.

The store keeps runs of earlier sources (:mod:`leader_election.lab.runs.store`). Of an algorithm
they are those with the same scenario and parameters, and other code; the latest code counts.
"""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from leader_election.lab.experiment.scenario import Scenario
from leader_election.lab.runs import results, store
from leader_election.lab.runs.results import Key, MISSING, ResultError
import numpy as np
import xarray as xr

BEFORE = ' before'
"""What follows the label of an algorithm in the label of its earlier version."""


class Earlier(NamedTuple):
    """The runs of an earlier version of an algorithm."""

    code: str
    """Digest of its code."""
    when: datetime
    """When the last of the runs was kept."""
    files: Mapping[Key, Path]
    """The runs."""


def earlier(scenario: Scenario, label: str, folder: Path) -> Earlier | None:
    """
    Return the runs of the latest earlier code of an algorithm; ``None``: there are none.

    :param folder: of the results.
    """
    digests = {k: digest for (of, k), digest in store.digests(scenario).items() if of == label}
    inputs = {(digest.scenario, digest.algorithm): k for k, digest in digests.items()}
    found: dict[str, dict[Key, Path]] = {}
    for text, seeds in store.finished(folder, scenario.name).items():
        *of, code = text.split('-')
        variant = inputs.get((of[0], of[1])) if len(of) == 2 else None
        if variant is not None and code != digests[variant].code:
            found.setdefault(code, {}).update({
                Key(label + BEFORE, variant, seed):
                store.file_of(folder, scenario.name, text, seed) for seed in seeds})
    versions = [Earlier(code, datetime.fromtimestamp(max(
        file.stat().st_mtime for file in files.values())), files) for code, files in found.items()]
    return max(versions, key=lambda version: version.when, default=None)


def with_before(present: xr.Dataset, scenario: Scenario, folder: Path) -> tuple[
        xr.Dataset, dict[str, Earlier]]:
    """
    Return results with the earlier versions of their algorithms as further ones.

    :param present: of the scenario.
    :param folder: of the results.
    :return: the labels of earlier versions end in :data:`BEFORE`; the versions by their
        algorithm's label.
    :raises ResultError: if there are none, or a file cannot be read.
    """
    labels = [str(label) for label in present['algorithm'].values]
    versions = {label: version for label in labels
                if (version := earlier(scenario, label, folder)) is not None}
    if not versions:
        raise ResultError(f'{store.runs_of(folder, scenario.name)} has no runs of earlier code of '
                          f'{", ".join(labels)}; lab run keeps them when code has changed')
    seeds = sorted({*present['seed'].values.tolist(), *(
        key.seed for version in versions.values() for key in version.files)})
    old = results.empty(scenario, [label + BEFORE for label in versions], seeds)
    for version in versions.values():
        for key, file in version.files.items():
            results.put(old, key, store.read(file))
    numbers = present.drop_vars('fingerprint')
    now = numbers.reindex(seed=seeds, fill_value={
        name: MISSING if name == 'counts' else np.nan for name in numbers})
    return xr.concat([now, old], 'algorithm', data_vars='minimal', combine_attrs='override'
                     ).assign_attrs(present.attrs), versions


def lines(scenario: Scenario, versions: Mapping[str, Earlier]) -> list[str]:
    """Return a line for each algorithm with an earlier version: which code is compared."""
    digests = store.digests(scenario)
    return [f'{label}: code {digests[label, 0].code} now, {version.code} before (last run '
            f'{version.when:%Y-%m-%d %H:%M})' for label, version in versions.items()]
