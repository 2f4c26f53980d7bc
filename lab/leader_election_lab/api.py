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
The laboratory's interface for scripts and notebooks: ``import leader_election_lab as lab``.

::

    import leader_election_lab as lab
    scenario = lab.load('my.yaml')
    results = lab.run(scenario, seeds=20)
    lab.means(results)
    lab.compare(results)
    lab.figure(results)
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from leader_election.election.algorithms import Algorithm, ALGORITHMS
from leader_election_lab.analysis.measures import each_run, estimate_mean
from leader_election_lab.analysis.paired_differences import ALGORITHM, differences, SHOWN
from leader_election_lab.experiment import scenario as scenarios
from leader_election_lab.experiment.scenario import Scenario
from leader_election_lab.figures import draw_own as figure
from leader_election_lab.reports import write_report
from leader_election_lab.runs import computation as runs
from leader_election_lab.runs.files import RESULTS
from leader_election_lab.runs.kept import kept as load_results
from leader_election_lab.runs.results import varied
from leader_election_lab.terminal_output import Progress
import numpy as np
import pandas as pd
from rich.console import Console
import xarray as xr

__all__ = ['compare', 'figure', 'load', 'load_results', 'means', 'register', 'run', 'write_report']


def register(algorithm: Algorithm) -> Algorithm:
    """
    Make an algorithm known to scenarios by its name, and return it.

    A repeated call with a changed algorithm replaces it. Installed packages use entry points
    instead.

    :raises ValueError: if an algorithm of this package or of an installed one has the name.
    """
    return ALGORITHMS.replace(algorithm)


def load(scenario: str | Path | Mapping[str, Any], name: str = 'own',
         values: Mapping[str, Any] | None = None) -> Scenario:
    """
    Return a scenario.

    :param scenario: a name of ``lab list``, the path of a YAML file, or the content of one.
    :param name: name of the results, if the content is given.
    :param values: values to replace, by dotted keys such as ``{'messages.loss': 0.2}``.
    :raises ScenarioError: if there is no such scenario, or its content is not allowed.

    >>> load('acsos2022_random', values={'messages.loss': 0.2}).messages.loss
    0.2
    """
    found = scenarios.parse(dict(scenario), name) if isinstance(scenario, Mapping) \
        else scenarios.load(str(scenario))
    return found.replaced(values) if values else found


def run(scenario: Scenario, seeds: int | Sequence[int] = 10, folder: Path | str = RESULTS,
        algorithms: Sequence[str] = (), workers: int | None = None,
        progress: bool = False, cluster: str | None = None) -> xr.Dataset:
    """
    Run the missing runs of a scenario, and return its results.

    :param seeds: the number of seeds, or the seeds themselves.
    :param folder: of the results, where runs are kept.
    :param algorithms: labels. Without any, all algorithms run.
    :param workers: number of processes. The default is one for each core.
    :param progress: whether to print the progress.
    :param cluster: the address of a Dask scheduler, or ``local``, in place of forked processes.
    :return: the requested seeds and algorithms, as :mod:`leader_election_lab.runs.results` has it.
    :raises ResultError: if a file cannot be read or written.
    """
    wanted = range(seeds) if isinstance(seeds, int) else seeds
    labels = [entrant.label for entrant in scenario.entrants
              if not algorithms or entrant.label in algorithms]
    results = runs.run(scenario, wanted, Path(folder), algorithms, workers, cluster=cluster,
                       progress=Progress(None if progress else Console(quiet=True)))
    return results.sel(algorithm=labels, seed=list(wanted))


def means(results: xr.Dataset, measures: Sequence[str] = SHOWN) -> pd.DataFrame:
    """
    Return the means over seeds with their 95 % intervals.

    :param measures: some of :func:`leader_election_lab.analysis.measures.measures_of`. Averages
        over time, without the first sixth of the run.
    :return: a row for each algorithm and variant, with mean, ``low`` and ``high`` of each measure.
    """
    keys = ['algorithm', *varied(results)]
    columns = {}
    for measure in measures:
        values = each_run(results, measure).transpose(*keys, 'seed').values.astype(float)
        rows = values.reshape(-1, values.shape[-1])
        columns[measure] = [estimate_mean(row[~np.isnan(row)]) for row in rows]
    index = pd.MultiIndex.from_product([results[key].values for key in keys], names=keys)
    return pd.DataFrame(
        {(measure, part): [estimate[k] for estimate in column]
         for measure, column in columns.items()
         for k, part in enumerate(('mean', 'low', 'high'))},
        index=index if len(keys) > 1 else pd.Index(results['algorithm'].values, name='algorithm'))


def compare(results: xr.Dataset, measure: str = 'instability',
            pairs: Sequence[tuple[str, str]] | None = None,
            key: str = ALGORITHM) -> pd.DataFrame:
    """
    Return the paired differences between algorithms, or values of a key, with 95 % intervals.

    :param measure: one of :func:`leader_election_lab.analysis.measures.measures_of`.
    :param pairs: labels. The values of the second are subtracted. ``None`` selects all pairs.
    :param key: that the scenario varies: its values are compared with the first one, within each
        algorithm.
    :return: a row for each pair and variant: the number of common ``seeds``, both means, the
        ``difference`` with ``low`` and ``high``, the ``ratio`` of the means, ``p`` and ``p_holm``
        (corrected for the number of rows), and ``apart``: whether the difference is
        distinguishable from chance by ``p_holm``.
    """
    keys = [each for each in (ALGORITHM, *varied(results)) if each != key]
    return pd.DataFrame([
        {key: pair.algorithm, 'minus': pair.other, **dict(zip(keys, pair.varied)),
         'seeds': pair.seeds, 'mean': pair.means[0], 'mean of other': pair.means[1],
         'difference': pair.difference.value, 'low': pair.difference.low,
         'high': pair.difference.high, 'ratio': pair.ratio.value, 'p': pair.p,
         'p_holm': pair.p_holm, 'apart': pair.apart}
        for pair in differences(results, measure, pairs, key)])
