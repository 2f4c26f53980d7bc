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

"""Results to draw and to compare, made by hand."""

from leader_election_lab.runs.results import MISSING, PERIOD, WINDOW
from leader_election_lab.runs.store import Key
from leader_election_lab.states import COUNTERS
import numpy as np
import xarray as xr

MEASURES = ('instability', 'changes', 'leaders', 'named', 'correct', 'spurious', 'mean_size',
            'largest_size', 'running', 'counted', 'present', 'informed', 'agreeing', 'load_mean',
            'load_sigma', 'mean_reach')
DEVICES = 100
"""Their number. Each runs a round a second."""


def results(algorithms, times, seeds=3, vary=None, title='An experiment', **values):
    """
    Return results in which each measure is a broadcast array (0 if it is not given).

    :param values: of measures, over algorithm, the keys that vary, seed and time.
    """
    vary, values = vary or {}, {'running': DEVICES, **values}
    coordinates = {'algorithm': list(algorithms), **vary, 'seed': list(range(seeds)),
                   'time': np.asarray(times, float)}
    shape = tuple(len(values) for values in coordinates.values())
    runs = tuple(coordinates)[:-1]
    measures = {
        measure: ((*runs, 'time'), np.broadcast_to(
            np.asarray(values.get(measure, 0.0), float), shape).copy())
        for measure in dict.fromkeys((*MEASURES, *values))}
    counts = (*runs, 'counter'), np.full((*shape[:-1], 1), DEVICES * max(times), np.int64)
    return xr.Dataset(
        {**measures, 'counts': counts, PERIOD: 1.0, WINDOW: 10},
        {**coordinates, 'counter': ['rounds']}, {'scenario': 'example', 'title': title})


def present(dataset):
    """Return the keys of the runs that are in a dataset."""
    labels, seeds = dataset['algorithm'].values, dataset['seed'].values
    counts = dataset['counts'].values.reshape(len(labels), -1, len(seeds), len(COUNTERS))
    return {Key(str(labels[a]), int(variant), int(seeds[s]))
            for a, variant, s in np.argwhere(counts[..., 0] != MISSING)}
