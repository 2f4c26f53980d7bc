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
The reproduction of the papers: what they say, compared with results of the laboratory.

This module has the published numbers and the allowed deviations from them. They are read from the
files in this folder (see its README.md). ``python -m reproduction --help`` lists the commands.
"""

import csv
from pathlib import Path

from leader_election_lab.analysis import measures
import numpy as np
from numpy.typing import NDArray
import xarray as xr

FOLDER = Path(__file__).parent
CURVES = {'acsos2022_random': 'acsos2022_random', 'acsos2022_edge': 'acsos2022_edge',
          'acsos2022_edge_rounding': 'acsos2022_edge',
          'acsos2022_edge_by_the_text': 'acsos2022_edge',
          'acsos2022_scale_free': 'acsos2022_scale_free'}
EARLY, LATE = (12, 40), (101, 600)
"""Rounds over which the exports of each seed were averaged: first and last, both inclusive."""


def instability(scenario: str) -> xr.Dataset | None:
    """
    Return the published instability of a scenario, ``None`` if none is available.

    :return: ``mean`` and ``sd`` over seeds (parts, 0 to 1), each over ``algorithm`` and
        ``time`` [s]. Source: ACSOS 2022, section V.

    >>> published = instability('acsos2022_random')
    >>> published['mean'].sel(algorithm='bounded', time=100.0).item()
    0.0538695
    >>> instability('sweep_loss') is None
    True
    """
    if scenario not in CURVES:
        return None
    rows = np.genfromtxt(FOLDER / f'{CURVES[scenario]}.csv', delimiter=',', names=True)
    columns = rows.dtype.names or ()
    algorithms = [name.removesuffix('_mean') for name in columns if name.endswith('_mean')]
    return xr.Dataset(
        {kind: (('algorithm', 'time'), np.stack([rows[f'{name}_{kind}'] for name in algorithms]))
         for kind in ('mean', 'sd')},
        coords={'algorithm': algorithms, 'time': rows['round']})


def averages(scenario: str, algorithm: str, rounds: tuple[int, int]) -> NDArray[np.float64] | None:
    """
    Return the published instability of each seed, averaged over rounds.

    :param rounds: :data:`EARLY` or :data:`LATE`.
    :return: shape (200,), ``None`` if none are available. Source: ACSOS 2022, section V.

    >>> averages('acsos2022_edge', 'bounded', LATE).mean().round(4).item()
    0.013
    """
    wanted = CURVES.get(scenario, '').removeprefix('acsos2022_')
    column = f'{algorithm}_{"late" if rounds == LATE else "early"}'
    with open(FOLDER / 'acsos2022_per_seed.csv', newline='', encoding='utf-8') as file:
        found = [float(row[column]) for row in csv.DictReader(file)
                 if row['scenario'] == wanted and column in row]
    return np.array(found) if found else None


def rounds_to_one_leader() -> dict[tuple[str, str], float]:
    """
    Return the published rounds until all devices have one leader, by scenario and algorithm.

    Source: IFAC 2020, the text of section 5.

    >>> rounds_to_one_leader()['ifac2020_convergence', 'resilient-2']
    36.0
    """
    with open(FOLDER / 'ifac2020.csv', newline='', encoding='utf-8') as file:
        return {(row['scenario'], row['algorithm']): float(row['rounds'])
                for row in csv.DictReader(file)}


def findings() -> str:
    """Return the known causes of differences from the papers, as Markdown."""
    return (FOLDER / 'findings.md').read_text(encoding='utf-8').strip()


INSTABILITY_AIM, SETTLING_AIM, ROUNDS_AIM = 0.08, 0.25, 0.10
"""Allowed deviations from the published numbers, relative to these."""
TRIALS = 10
"""The number of networks of each published number of IFAC 2020."""
REPLICAS = 200
"""The number of seeds of each published curve of ACSOS 2022."""
COVERAGE = {200: 0.99, 50: 0.90, 20: 0.80, 10: 0.73}
"""The part of bootstrap intervals of settling times that contain the value, by number of seeds."""
ENOUGH = 50
"""Bootstrap intervals from fewer seeds are too narrow to decide anything."""
SETTLED = 0.001
"""A network has settled when its instability is below this."""
SWITCHES = (0, 100, 200, 300, 400, 500)
"""Times at which strengths switch in the scale-free network [s]."""


def coverage(seeds: int) -> str:
    """
    Return how often a bootstrap interval of a number of seeds contains the value, as text.

    :return: no text if it does so at least as often as intervals claim.

    >>> coverage(5), coverage(30), coverage(200)
    ('covers less than 73%', 'covers about 80%', '')
    """
    part = next((part for least, part in COVERAGE.items() if seeds >= least), 0.0)
    if part >= measures.CONFIDENCE:
        return ''
    return f'covers about {part:.0%}' if part else \
        f'covers less than {min(COVERAGE.values()):.0%}'
