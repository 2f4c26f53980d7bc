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

"""Leaders last longer on the move with a joining radius smaller than the radius."""

from benchmarks.moving_swarm import measure


def test_hysteresis_saves_a_quarter_of_the_leader_changes():
    """Half of them over a longer time."""
    plain = measure(1, 20.0, 0.0, radius_hysteresis=0.0)
    steady = measure(1, 20.0, 0.0)
    assert steady.changes < 0.75 * plain.changes
    assert steady.whole > plain.whole


def test_same_seed_gives_the_same_figures():
    assert measure(1, 2.0, 0.2) == measure(1, 2.0, 0.2)
