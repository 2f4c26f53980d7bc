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

"""The guarantees of mandates hold against an adversary."""

from election.mandates.adversary import Adversary
import pytest


@pytest.mark.parametrize('quorum', [False, True])
def test_adversary_breaks_no_guarantee(quorum: bool) -> None:
    """Check guarantees (a), for robots and for nodes beside them, (c), and with a quorum (b)."""
    held = acted = 0
    for seed in range(120):
        adversary = Adversary(seed, robots=3 + seed % 2, quorum=quorum)
        assert adversary.play(150) == [], seed
        held, acted = held + adversary.held, acted + adversary.acted
    assert held > 1000
    assert acted > 500 or not quorum


def test_two_nodes_act_over_a_robot_when_no_time_to_react_is_reserved() -> None:
    found = [fault for seed in range(60) for fault in Adversary(seed, reaction=0.0).play(150)]
    assert found and all(fault.startswith('nodes of ') for fault in found)
