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

"""Report on the limit of levels of a recursive election, which a scenario may set."""

from collections.abc import Iterator

from leader_election.lab.engine.samples import COUNTERS, OUT_OF_LEVELS, ROUNDS
from leader_election.lab.kept import scenario_of
from leader_election.lab.results import MISSING
import xarray as xr


def level_lines(results: xr.Dataset) -> Iterator[str]:
    """
    Yield a line for each algorithm with levels: how many rounds ended at the last one.

    A device that reaches the last level leads itself. If none did, the result is that of an
    endless recursion.

    :param results: of a scenario, with its text in the attribute ``text``.
    """
    if COUNTERS[OUT_OF_LEVELS] not in results['counter']:
        return
    for entrant in scenario_of(results).entrants:
        levels = entrant.algorithm.levels
        if levels == 0 or entrant.label not in results['algorithm']:
            continue
        counts = results['counts'].sel(algorithm=entrant.label)
        run = counts.where(counts != MISSING, 0)
        rounds = int(run.sel(counter=COUNTERS[ROUNDS]).sum())
        hit = int(run.sel(counter=COUNTERS[OUT_OF_LEVELS]).sum())
        if rounds == 0:
            continue
        varies = any(str(name).endswith('.levels') for name in results.dims)
        last = f'the last of its {"" if varies else f"{levels} "}levels'
        yield (f'{entrant.label}: no round reached {last}; the result is that of an endless '
               'recursion' if hit == 0 else
               f'{entrant.label}: {hit} of {rounds} rounds ({hit / rounds:.2%}) reached {last}, '
               'where a device leads itself; algorithms.levels sets more')
