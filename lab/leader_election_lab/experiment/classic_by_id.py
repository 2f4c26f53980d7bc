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
The classic election as in the artefact of ACSOS 2022, in which the weakest wins.

There a device leads while it backs a pair with its own id, also of a strength that it no longer
has (DanySK/experiment-2022-self-stab-leader-election: ``broadcast(classic2 == mid, mid)``). On
robots, as in the Protelis library, it leads while it backs its present pair. The two differ only
after a change of strengths.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from leader_election.election.algorithms import Algorithm, Device
from leader_election.election.algorithms.algorithm import BARRED
from leader_election.election.algorithms.classic import (
    Choice,
    Choices,
    classic_round,
    ClassicParameters,
)


def classic_by_id_round(device: Device, state: Choice, neighbours: Choices,
                        metric: Sequence[float], parameters: ClassicParameters) -> Choice:
    """Return the result of the classic round, in which a device leads while it backs its id."""
    after = classic_round(device, state, neighbours, metric, parameters)
    if after.lead != device.id or device.strength <= BARRED:
        return after
    return Choice(after.lead_value, after.lead, after.lead_distance, 0.0, device.id,
                  after.lead_hops, 0)


@cache
def by_id(algorithm: Algorithm) -> Algorithm:
    """Return the algorithm, as in the artefact if it is the classic one."""
    if algorithm.round is not classic_round:
        return algorithm
    return replace(algorithm, round=classic_by_id_round)
