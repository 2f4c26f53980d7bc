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

"""How agreement between two swarms is counted."""

from leader_election.swarm.reference_partition import Agreement, Hysteresis, partition
from leader_election.swarm.snapshot import RobotView, Snapshot
import pytest


def swarm(*leaders):
    """Return a snapshot of robots 0, 1, ... with these leaders."""
    return Snapshot(0.0, {
        i: RobotView(i, None, 0.0, 0.0, leader) for i, leader in enumerate(leaders)}, {})


def test_comparison_has_shares_of_robots_and_of_whole_partitions():
    agreement = Agreement()
    agreement.compare(1.0, swarm(0, 0, 0, 3), swarm(0, 0, 0, 3))
    agreement.compare(2.0, swarm(0, 0, 0, 3), swarm(0, 0, 2, 3))
    share = agreement.share(0.0, 10.0)
    assert share.robots == pytest.approx(7 / 8)
    assert share.partitions == pytest.approx(1 / 2)


def test_comparison_counts_robots_in_both_only():
    agreement = Agreement()
    agreement.compare(1.0, swarm(0, 0), swarm(0))
    assert agreement.share(0.0, 2.0).robots == 1.0


def test_comparison_over_time_leaves_out_unseen_times():
    agreement = Agreement()
    agreement.compare(1.0, swarm(0), swarm(0))
    agreement.compare(25.0, swarm(0), swarm(1))
    assert [(s.begin, s.end, s.robots) for s in agreement.over_time(10.0)] == [
        (0.0, 10.0, 1.0), (20.0, 30.0, 0.0)]


def test_comparison_of_nothing_has_no_shares():
    agreement = Agreement()
    agreement.compare(1.0, swarm(), swarm())
    assert agreement.share(0.0, 2.0) is None
    assert agreement.end == 0.0


def test_partition_with_hysteresis_keeps_leaders_up_to_the_radius():
    """A line of three: 3 leads what it reaches, at the whole radius only what follows it."""
    line = {1: {2: 1.0}, 2: {1: 1.0, 3: 1.0}, 3: {2: 1.0}}
    strengths = {1: 1.0, 2: 0.0, 3: 9.0}

    def leaders(following):
        found = partition(line, strengths, 2.0, 'id', Hysteresis(0.25, following))
        return {device: led[0] for device, led in found.items()}

    assert leaders({}) == {1: 1, 2: 3, 3: 3}
    kept = {1: 3, 2: 3, 3: 3}
    assert leaders(kept) == kept == leaders({1: 3})
    # Who does not follow a leader does not hand its candidacy on.
    far = partition(line, strengths, 1.2, 'id', Hysteresis(0.25, {1: 3}))
    assert {device: led[0] for device, led in far.items()} == {1: 1, 2: 2, 3: 3}
