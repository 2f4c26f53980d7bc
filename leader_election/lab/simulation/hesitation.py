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
Recursive election with the rounding error of the artefact of ACSOS 2022, for the laboratory only.

In the artefact, a device takes part in the gossip of a level once its strength at that level has
been constant for a second, measured as a sum of differences of rounded times. In the round in
which the time crosses a power of two, its last bit is lost. Times with this bit set are rounded to
the even neighbour, half of them down, and the difference is slightly less than 1 s. Times that
were rounded at the last power of two are even, so a third of all have this bit set, and a sixth of
all devices get a difference that is too small. If such a device reaches a level in this round, it
is not in the level's gossip yet, and names itself there for one round. Devices near it take it for
the best of that level, and measure their distance to it.

Source: DanySK/experiment-2022-self-stab-leader-election (the condition), Protelis/Protelis
(``isSignalStable``, the time since the last round).
"""

from functools import cache
from typing import Any, cast, get_type_hints, NamedTuple

from leader_election.election.algorithms import Algorithm, Device
from leader_election.election.algorithms.fields import Kept
from leader_election.election.algorithms.recursive import (
    elected,
    Levels,
    LevelsOfAll,
    recursive_round,
)

FIELD = 'hesitates'
"""The field of the state: 1 if the device hesitates in its next round, else 0."""
_FIELDS = [*get_type_hints(Levels, include_extras=True).items(), (FIELD, Kept[int])]
HesitantLevels = cast(Any, NamedTuple)('HesitantLevels', _FIELDS)
HesitantLevelsOfAll = cast(Any, NamedTuple)('HesitantLevelsOfAll', [
    *get_type_hints(LevelsOfAll, include_extras=True).items(), (FIELD, Any)])


def hesitant_round(device: Device, state: Any, neighbours: Any, metric: Any,
                   parameters: Any) -> Any:
    """Return the result of the recursive election's round, in which the device may hesitate."""
    after = elected(device, state, neighbours, metric, parameters, state.hesitates == 0)
    return HesitantLevels(
        after.depth, after.strength, after.best_value, after.best, after.best_distance,
        after.distance, after.leader, after.best_hops, 0)


@cache
def hesitant(algorithm: Algorithm) -> Algorithm:
    """Return an algorithm in which devices may hesitate; only the recursive one changes."""
    if algorithm.round is not recursive_round:
        return algorithm
    first = algorithm.start
    return Algorithm(
        name=algorithm.name, round=hesitant_round, state=HesitantLevels,
        columns=HesitantLevelsOfAll, start=lambda device: HesitantLevels(*first(device), 0),
        configure=algorithm.configure, levels=algorithm.levels)
