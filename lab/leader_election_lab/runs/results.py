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

Dimensions: ``algorithm``, one for each key that the scenario varies, ``seed``, ``time`` [s],
``counter``, and ``device`` if there are measures of devices. Variables:

- each of ``MEASURES``, and of other packages' measures that the scenario names, over all but
  ``counter``, nan where a run is missing;
- each of ``REGION_MEASURES`` where an algorithm has regions, nan for those that have none;
- each of ``DEVICE_MEASURES``, by the id of the device, if the scenario has ``measure.devices``;
- ``counts``, -1 where a run is missing, and ``message_bytes``;
- ``round_period`` and ``instability_window`` over the keys that vary;
- ``fingerprint`` over algorithms and these keys: digests of all that the numbers depend on.
  Fingerprint and seed identify a run in any dataset.

The attributes ``long_name``, ``units`` and ``description`` document each variable, by the
conventions for climate and forecast metadata (CF).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from importlib.metadata import version
import math
from pathlib import Path
import platform
from typing import Any, NamedTuple

import leader_election
from leader_election.election.robot.metrics import METRICS
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.parameters import table
from leader_election_lab.experiment.scenario import count_devices, parse, Scenario
from leader_election_lab.own_measures import OWN_MEASURES
from leader_election_lab.runs.files import check_no_folder, reason, replacing, ResultError
from leader_election_lab.runs.store import Digests, Key
from leader_election_lab.simulation.run import Run
from leader_election_lab.states import COLUMNS, COUNTERS, DEVICE_MEASURES, MEASURES
import numpy as np
import xarray
import yaml

ONE = '1'
"""The unit of numbers without one: counts and parts."""
DISTANCE = 'distance'
"""Placeholder for the unit of the scenario's metric: metres, or none (hops, costs)."""


class Label(NamedTuple):
    """The label of a variable."""

    long_name: str
    units: str
    """As UDUNITS writes them. ``DISTANCE`` stands for the unit of the scenario's metric."""
    description: str


LABELS = {name: Label(*label) for name, label in yaml.safe_load(
    Path(__file__).with_name('labels.yaml').read_text(encoding='utf-8')).items()}
"""The labels of all variables, coordinates, counters, and derived measures."""


def attributes(name: str, scenario: Scenario) -> dict[str, str]:
    """
    Return the attributes of a variable, a coordinate or a counter of a scenario's results.

    :param name: of the variable, or of a key that varies.
    :return: ``long_name``, ``units`` (missing for texts) and ``description``.
    """
    if name in scenario.measure.own:
        own = OWN_MEASURES.get(name)
        label = Label(name.replace('_', ' '), own.unit, own.description)
    else:
        label = LABELS.get(name) or _label_of_key(name, scenario)
    units = _unit_of_distance(scenario) if label.units == DISTANCE else label.units
    return {'long_name': label.long_name, **({'units': units} if units else {}),
            'description': label.description}


def _unit_of_distance(scenario: Scenario) -> str:
    name = scenario.messages.metric
    return 'm' if name == 'distance' or name in METRICS.names() and METRICS.get(
        name).is_length else ONE


def _label_of_key(name: str, scenario: Scenario) -> Label:
    """Return the label of a key that varies, from the table that declares it."""
    key = next(iter(scenario.vary[name][0].keys)) if name in scenario.vary else name
    last, text = key.split('.')[-1], name.replace('.', ' ').replace('_', ' ')
    for declared in _declarations(key.split('.')[0], scenario):
        for parameter in table(declared):
            if parameter.name == last:
                # Without the unit of other cases, in brackets, such as hops.
                units = parameter.unit.partition(' (')[0] or ONE
                return Label(text, units if parameter.type in (int, float) else '',
                             f'Key {key} of the scenario: {parameter.description}')
    return Label(text, '', f'Key {key} of the scenario.')


def _declarations(section: str, scenario: Scenario) -> list[type[Any]]:
    """Return the dataclasses that declare the parameters of a section."""
    chosen: Mapping[str, Sequence[Any]] = {
        'algorithms': [entrant.algorithm for entrant in scenario.entrants],
        'devices': [group.topology for group in scenario.groups],
        'motion': [scenario.motion],
        'messages': [scenario.sensing.metric],
        'strength': [scenario.sensing.source],
        'events': [event for event, _ in scenario.events]}
    own: list[Any] = [getattr(entry, 'parameters', None) for entry in chosen.get(section, ())]
    if section == 'algorithms':
        own = [ElectionParameters, *own, *(type(each.regions) for each in scenario.entrants)]
    else:
        own.append(type(getattr(scenario, section, None)))
    return [kind for kind in own if hasattr(kind, '__dataclass_fields__')]


MISSING = -1
"""The value of ``counts`` for a run that is missing."""
EXACT = ('instability',)
"""Measures that are stored as float64. All others are float32, exact for integers to 2**24."""


PERIOD, WINDOW = 'round_period', 'instability_window'
"""The variables with the time between rounds [s] and the window of instability [rounds]."""


def dimensions(scenario: Scenario) -> dict[str, list[Any]]:
    """Return the keys that vary and their values: numbers, or texts if any is not a number."""
    values = {key: [change.value for change in changes] for key, changes in scenario.vary.items()}
    return {key: of_key if all(isinstance(value, (int, float)) for value in of_key)
            else [str(value) for value in of_key]
            for key, of_key in values.items()}


def measures_of(scenario: Scenario) -> tuple[str, ...]:
    """Return the names of the measures of a scenario's runs."""
    has_regions = any(entrant.regions is not None for entrant in scenario.entrants)
    return (*(COLUMNS if has_regions else MEASURES), *scenario.measure.own)


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
    ids = {}
    if scenario.measure.devices:
        ids['device'] = device_ids(scenario)
        variables |= {measure: ((*runs, 'device'), np.full((*shape, len(ids['device'])), np.nan))
                      for measure in DEVICE_MEASURES}
    dataset = xarray.Dataset({**variables, **_settings(scenario)}, {
        **coordinates, 'time': times, 'counter': list(COUNTERS), **ids})
    for name in dataset.variables:
        dataset[name].attrs = attributes(str(name), scenario)
    return dataset


def device_ids(scenario: Scenario) -> range:
    """Return the ids of the devices of all variants."""
    ranges = [range(each.first_id, each.first_id + count_devices(each))
              for _, each in scenario.variants()]
    return range(min(each.start for each in ranges), max(each.stop for each in ranges))


def _settings(scenario: Scenario) -> dict[str, Any]:
    """Return the numbers of the scenario that measures depend on, over the keys that vary."""
    variants, keys = [variant for _, variant in scenario.variants()], dimensions(scenario)
    return {name: (tuple(keys), np.reshape(values, [len(of_key) for of_key in keys.values()]))
            for name, values in ((PERIOD, [float(each.rounds.period) for each in variants]),
                                 (WINDOW, [each.measure.window for each in variants]))}


def put(dataset: xarray.Dataset, runs: Iterable[tuple[Key, Run]]) -> None:
    """Write runs to their places in a dataset, which must include their keys."""
    # Looked up once: a look at a dataset takes longer than a small run.
    measures = [(column, dataset[measure].values) for column, measure in enumerate(
        dict.fromkeys((*COLUMNS, *sampled(dataset)))) if measure in dataset]
    counts, lengths = dataset['counts'].values, dataset['message_bytes'].values
    labels, seeds = dataset.get_index('algorithm'), dataset.get_index('seed')
    sizes = [dataset.sizes[name] for name in varied(dataset)]
    for key, run in runs:
        place = (labels.get_loc(key.algorithm), *np.unravel_index(key.variant, sizes),
                 seeds.get_loc(key.seed))
        for column, values in measures:
            values[place] = run.samples[:, column]
        counts[place], lengths[place] = run.counts, run.message_bytes
        if run.devices is not None:
            ids, *columns = run.devices.T
            rows = dataset.get_index('device').get_indexer(ids)
            for measure, column in zip(DEVICE_MEASURES, columns):
                dataset[measure].values[place][rows] = column


def sampled(dataset: xarray.Dataset) -> list[str]:
    """Return the names of the measures over time, in the order of a sample's columns."""
    return [str(name) for name, values in dataset.data_vars.items() if 'time' in values.dims]


def varied(dataset: xarray.Dataset) -> list[str]:
    """Return the names of the dimensions that vary."""
    return [str(name) for name in dataset['counts'].dims
            if name not in ('algorithm', 'seed', 'counter')]


def finished_variants(dataset: xarray.Dataset) -> Iterator[xarray.Dataset]:
    """
    Yield the finished runs of each algorithm and variant, unless all of them are missing.

    :return: over ``seed`` first. The algorithm and the keys that vary are scalar coordinates.
    """
    stacked = dataset.stack(variant=['algorithm', *varied(dataset)], create_index=False).transpose(
        'variant', 'seed', ...)
    for k in range(stacked.sizes['variant']):
        one = stacked.isel(variant=k)
        one = one.isel(seed=np.flatnonzero(one['counts'].values[:, 0] != MISSING))
        if one.sizes['seed']:
            yield one


def save(dataset: xarray.Dataset, scenario: Scenario, path: Path, known: Digests) -> None:
    """
    Write results, with their fingerprints and versions, and replace the file as a whole.

    :param known: the fingerprints with which the runs were computed.
    :raises ResultError: if it cannot be written. Then an older file is unchanged.
    """
    complete = dataset.assign(fingerprint=fingerprints(dataset, known))
    complete['fingerprint'].attrs = attributes('fingerprint', scenario)
    complete.attrs = {
        **dataset.attrs,
        'scenario': scenario.name, 'title': scenario.title, 'source': scenario.source,
        'text': scenario.text, 'leader_election': leader_election.__version__,
        'python': platform.python_version(), 'numpy': np.__version__,
        'numba': version('numba'), 'xarray': xarray.__version__,
        'created': datetime.now(timezone.utc).isoformat(timespec='seconds')}
    compressed = {measure: {'zlib': True, 'complevel': 4}
                  for measure in (*sampled(dataset), *DEVICE_MEASURES) if measure in dataset}
    with replacing(path) as temporary:
        complete.to_netcdf(temporary, engine='netcdf4', encoding=compressed)


def load(path: Path, variables: Sequence[str] | None = None) -> xarray.Dataset:
    """
    Return the results in a file.

    :param variables: the ones to read, by default all.
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


def scenario_of(dataset: xarray.Dataset) -> Scenario:
    """Return the scenario of results, by the text that they hold."""
    return parse(yaml.safe_load(dataset.attrs['text']), dataset.attrs['scenario'])


def fingerprints(dataset: xarray.Dataset, known: Digests) -> xarray.DataArray:
    shape = [dataset.sizes[name] for name in varied(dataset)]
    return xarray.DataArray(
        np.array([[str(known[label, k]) for k in range(math.prod(shape))]
                  for label in dataset['algorithm'].values.tolist()]).reshape(-1, *shape),
        {name: dataset[name] for name in ('algorithm', *varied(dataset))})
