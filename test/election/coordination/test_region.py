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
"""Roles: which devices may lead; and the parent on the way to a leader."""

from math import inf, nan

from election.coordination.regions import columns
from leader_election.election.algorithms import Device
from leader_election.election.algorithms.algorithm import BARRED
from leader_election.election.algorithms.fields import NOBODY
from leader_election.election.coordination.region import (
    CANDIDATE,
    parent_of,
    RELAY,
    with_effective_strength,
    WORKER,
)
import pytest


def test_effective_strength_of_worker_and_relay_is_barred():
    assert with_effective_strength(Device(3, 7.0), CANDIDATE) == Device(3, 7.0)
    assert (
        with_effective_strength(Device(3, 7.0), WORKER)
        == with_effective_strength(Device(3, -7.0), RELAY)
        == Device(3, BARRED)
    )
    assert BARRED < -1e300


def said(*leader_and_distance: tuple[int, float]):
    return columns(*({'leader': leader, 'distance': far} for leader, far in leader_and_distance))


def test_parent_is_on_the_shortest_path():
    # 1 + 3, 2 + 1 and 0 + 4 m: by the second.
    assert parent_of(8, 5.0, said((8, 1.0), (8, 2.0), (8, 0.0)), [3.0, 1.0, 4.0]) == 1
    # 4 + 2 and 0 + 4 m: the leader itself.
    assert parent_of(8, 5.0, said((8, 4.0), (8, 0.0)), [2.0, 4.0]) == 1
    # Of ways as long the first.
    assert parent_of(8, 5.0, said((8, 1.0), (8, 2.0)), [2.0, 1.0]) == 0


@pytest.mark.parametrize('wrong', [
    (9, 1.0), (8, 5.0), (8, 6.0), (8, inf), (8, nan), (8, -1.0), (8, -inf)])
def test_neighbour_of_another_region_or_not_nearer_is_no_parent(wrong):
    """Another region's; who is no nearer; who says what cannot be."""
    assert parent_of(8, 5.0, said(wrong), [1.0]) == NOBODY
    assert parent_of(8, 5.0, said(wrong, (8, 4.5)), [1.0, 9.0]) == 1


def test_leader_has_no_parent():
    assert parent_of(8, 0.0, said((8, 0.0), (8, 1.0)), [1.0, 1.0]) == NOBODY
    assert parent_of(8, 0.0, said(), []) == NOBODY
