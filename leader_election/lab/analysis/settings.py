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

"""Numbers of the scenario that results are computed from, such as the period, by variant."""

from collections.abc import Mapping
import copy
from functools import lru_cache
from itertools import product
from typing import Any

from leader_election.lab.experiment.schema import Measure, Rounds
from leader_election.lab.experiment.variations import parse_variations, replace_value
from leader_election.parameters import as_number
import numpy as np
import xarray as xr
import yaml


def period_of(results: xr.Dataset) -> xr.DataArray:
    """Return the time between two rounds of a device [s] (see :func:`setting`)."""
    return setting(results, 'rounds', 'period', Rounds.period)


def window_of(results: xr.Dataset) -> xr.DataArray:
    """Return the window of instability [rounds] (see :func:`setting`)."""
    return setting(results, 'measure', 'window', Measure.window)


def setting(results: xr.Dataset, section: str, key: str, default: float) -> xr.DataArray:
    """
    Return a number of a section of the scenario, in each variant.

    :param results: of a scenario, with its text as an attribute. Results of some variants alone
        have the values of these as coordinates.
    :param default: the value if neither the section nor a variation gives one.
    :return: over those dimensions that vary keys of the section.

    >>> text = 'vary: {pace: [{rounds.period: 1}, {rounds.period: 0.25}]}'
    >>> results = xr.Dataset(coords={'pace': [1, 0.25]}, attrs={'text': text})
    >>> setting(results, 'rounds', 'period', 1.0).values.tolist()
    [1.0, 0.25]
    """
    raw = _parsed(results.attrs['text'])
    vary = {name: changes for name, changes in parse_variations(raw, '').items()
            if any(_section(dotted) == section for change in changes for dotted in change.keys)}
    values = {name: np.atleast_1d(results[name].values).tolist() for name in vary}
    numbers = []
    for place in product(*values.values()):
        keys: dict[str, Any] = {}
        for changes, value in zip(vary.values(), place):
            # Values that are not all numbers are texts in the results.
            keys |= next(change.keys for change in changes
                         if value in (change.value, str(change.value)))
        changed = {section: copy.deepcopy(raw.get(section)) or {}}
        for dotted, value in keys.items():
            if _section(dotted) == section:
                replace_value(changed, dotted.split('.'), value, '', dotted)
        numbers.append(float(as_number((changed[section] or {}).get(key, default))))
    found = xr.DataArray(np.reshape(numbers, [len(of) for of in values.values()]), values,
                         list(values))
    of_dimensions: xr.DataArray = found.isel(
        {name: 0 for name in values if name not in results.dims}, drop=True)
    return of_dimensions


def _section(dotted: str) -> str:
    """Return the section of a dotted key."""
    return dotted.partition('.')[0]


@lru_cache(maxsize=8)
def _parsed(text: str) -> Mapping[str, Any]:
    """Return a scenario's text as read; summaries need it once for each line."""
    parsed: Mapping[str, Any] = yaml.safe_load(text)
    return parsed
