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
Runs of earlier code or values, beside the present ones: two versions of an algorithm.

The store keeps runs of earlier sources and texts (:mod:`leader_election_lab.runs.store`). Of an
algorithm the latest ones count that have the same values and other code; if there are none, those
in a scenario of the same name with other values.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
import hashlib
from pathlib import Path
from typing import Any, NamedTuple

from leader_election_lab.experiment.parser import ScenarioError
from leader_election_lab.experiment.scenario import parse, Scenario
from leader_election_lab.runs import results, store
from leader_election_lab.runs.files import replacing, ResultError
from leader_election_lab.runs.results import MISSING
from leader_election_lab.runs.store import Key
import numpy as np
import xarray as xr
import yaml

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
    changed: tuple[str, ...] = ()
    """Values of the scenario that were others then, as text."""


def earlier(scenario: Scenario, label: str, folder: Path) -> Earlier | None:
    """
    Return the runs of the latest earlier version of an algorithm; ``None``: there are none.

    :param folder: of the results.
    """
    found = versions(scenario, scenario, label, folder) or [
        version for then in kept_texts(folder, scenario.name)
        for version in versions(scenario, then, label, folder)]
    return max(found, key=lambda version: version.when, default=None)


def keep_text(scenario: Scenario, folder: Path) -> None:
    """Keep the text of a scenario beside its runs, which tells later what has changed."""
    name = hashlib.sha256(scenario.text.encode()).hexdigest()[:store.DIGITS]
    file = store.runs_of(folder, scenario.name) / f'{name}.yaml'
    with replacing(file) as temporary:
        temporary.write_text(scenario.text)


def kept_texts(folder: Path, name: str) -> Iterator[Scenario]:
    """Yield a scenario by each of its kept texts; one that is not allowed any more is left out."""
    for file in store.runs_of(folder, name).glob('[!.]*.yaml'):
        with suppress(ScenarioError):
            yield parse(yaml.safe_load(file.read_text()), name)


def versions(scenario: Scenario, then: Scenario, label: str, folder: Path) -> list[Earlier]:
    """
    Return the runs of an algorithm that are not the present ones, by code.

    :param then: the scenario at that time. Other samples, or variants that the present one does
        not have, cannot be compared.
    :param folder: of the results.
    """
    if not np.array_equal(scenario.times(), then.times()):
        return []
    places = {repr(values): k for k, (values, _) in enumerate(scenario.variants())}
    now, digests = store.digests(scenario), store.digests(then)
    inputs: dict[tuple[str, ...], int] = {
        digests[label, k][:2]: places[repr(values)]
        for k, (values, _) in enumerate(then.variants())
        if (label, k) in digests and repr(values) in places}
    found: dict[str, dict[Key, Path]] = {}
    for text, seeds in store.finished(folder, scenario.name).items():
        *of, code = text.split('-')
        variant = inputs.get(tuple(of))
        if variant is not None and text != str(now[label, variant]):
            found.setdefault(code, {}).update({
                Key(label + BEFORE, variant, seed):
                store.file_of(folder, scenario.name, text, seed) for seed in seeds})
    changed = tuple(changed_values(scenario, then, label)) if found else ()
    return [Earlier(code, datetime.fromtimestamp(max(
        file.stat().st_mtime for file in files.values())), files, changed)
        for code, files in found.items()]


def changed_values(scenario: Scenario, then: Scenario, label: str) -> Iterator[str]:
    """Yield the values of a scenario that a run of an algorithm depends on and that differ."""
    now, before = (dict(_flat(store.inputs_of(each, label))) for each in (scenario, then))
    for key in dict.fromkeys([*now, *before]):
        if now.get(key) != before.get(key):
            one, other = (values.get(key, 'not given') for values in (now, before))
            yield f'{key} {one} now, {other} before'


def _flat(value: Any, name: str = '') -> Iterator[tuple[str, Any]]:
    """
    Yield the values of a scenario by their dotted keys; a list of sections counts from 0 on.

    >>> list(_flat({'messages': {'loss': 0.2}, 'devices': [{'count': 5}]}))
    [('messages.loss', 0.2), ('devices.0.count', 5)]
    """
    if isinstance(value, list) and all(isinstance(each, dict) for each in value):
        value = dict(enumerate(value))
    if not isinstance(value, dict) or not value:
        yield name, value
    else:
        for key, each in value.items():
            yield from _flat(each, f'{name}.{key}' if name else str(key))


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
    found = {label: version for label in labels
             if (version := earlier(scenario, label, folder)) is not None}
    if not found:
        raise ResultError(f'{store.runs_of(folder, scenario.name)} has no runs of earlier code or '
                          f'values of {", ".join(labels)}; lab run keeps them when these have '
                          'changed, with the same duration and interval of samples')
    seeds = sorted({*present['seed'].values.tolist(), *(
        key.seed for version in found.values() for key in version.files)})
    old = results.empty(scenario, [label + BEFORE for label in found], seeds)
    for version in found.values():
        for key, file in version.files.items():
            results.put(old, key, store.read(file))
    numbers = present.drop_vars('fingerprint')
    now = numbers.reindex(seed=seeds, fill_value={
        name: MISSING if name == 'counts' else np.nan for name in numbers})
    return xr.concat([now, old], 'algorithm', data_vars='minimal', combine_attrs='override'
                     ).assign_attrs(present.attrs), found


def lines(scenario: Scenario, versions: Mapping[str, Earlier]) -> list[str]:
    """Return a line for each algorithm with an earlier version: what is compared."""
    found, digests = [], store.digests(scenario)
    for label, version in versions.items():
        code = f'code {digests[label, 0].code} now, {version.code} before'
        differences = [*version.changed, *[code] * (digests[label, 0].code != version.code)]
        found.append(f'{label}: {"; ".join(differences)} '
                     f'(last run {version.when:%Y-%m-%d %H:%M})')
    return found
