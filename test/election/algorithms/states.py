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

"""Any state of any algorithm, drawn by what is known of its fields."""

from typing import Any

from hypothesis import strategies as st
from leader_election.election.algorithms import Algorithm
from leader_election.election.algorithms.fields import Field

Strategy = st.SearchStrategy[Any]


def states(algorithm: Algorithm, ids: Strategy, whole: Strategy, real: Strategy) -> Strategy:
    """
    Return a strategy for the states of an algorithm.

    :param ids: for the leader.
    :param whole: for all other whole numbers.
    :param real: for all finite numbers. Distances are made positive.
    """
    return st.builds(algorithm.state, *(
        _values(field, ids if field.name == 'leader' else whole, real)
        for field in algorithm.fields))


def _values(field: Field, whole: Strategy, real: Strategy) -> Strategy:
    one = whole
    if field.least is not None:
        one = whole.filter(lambda number: number >= field.least)
    if field.type is float:
        one = real.map(abs) if field.is_distance else real
        one = one | st.just(float('inf')) if field.infinite else one
    if field.padding is None:
        return one
    # As vectors are: something at the front, nothing behind it.
    padding = field.padding
    return st.lists(one, max_size=len(padding)).map(
        lambda front: tuple(front) + padding[len(front):])
