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

"""Settings that the robots of a fleet file must agree on, or must not share."""

from typing import Any

from leader_election.swarm.fleet.fleet_file import read_fleet
import pytest
from swarm.fleet.example import fleet, wrong


@pytest.mark.parametrize(('others', 'said'), [
    ({'neighbourhood': '/air'}, "robots.bob: neighbourhood is '/air', and '/neighbourhood' with "
     'alice; such robots do not hear each other: give all the same'),
    ({'frame': 'odom'}, "robots.bob: frame is 'odom', and 'map' with alice; such robots drop each "
     "other's messages: give all the same"),
    ({'algorithm': 'classic'}, "robots.bob: algorithm is 'classic', and 'bounded' with alice; "
     "such robots drop each other's messages: give all the same"),
    ({'round_period': 2, 'message_expiry': 6}, 'robots.alice: message_expiry: 3 is not allowed; '
     'it takes at least 4 s, 2 times the greatest round_period, that of bob, or one message lost '
     'makes it not a neighbour'),
])
def test_robots_that_cannot_work_together_are_refused(others: dict[str, Any], said: str) -> None:
    assert wrong(fleet(**others)) == said
    assert len(read_fleet(fleet(**others, enabled=False), 'mine.yaml').robots) == 2


def test_robots_with_and_without_a_key_are_told_to_mix_or_refused() -> None:
    said = ('robots.alice: swarm_key_file is not set, but with bob it is; such robots drop each '
            "other's messages: set it for all, or accept_unverified: true for all")
    keyed = {'swarm_key_file': '/etc/leader_election/swarm.key'}
    assert wrong(fleet(**keyed)) == said
    assert wrong(fleet(**keyed, accept_unverified=True)) == said, 'alice is not told to mix'
    text = 'defaults: {accept_unverified: true}\n' + fleet(**keyed)
    assert len(read_fleet(text, 'mine.yaml').robots) == 2


def test_two_robots_with_one_initial_position_are_refused() -> None:
    start = 'robots: {alice: {id: 1, initial_pose: [2, 1, 0]}, bob: {id: 2}, carol: {id: 3}}'
    assert wrong(start) == ('robots.carol: initial_pose is at 0, 0, where bob starts, too; it '
                            'takes a place of its own, or pose_source: tf')
    for instead in ('pose_source: tf', 'communication_range: .inf, metric: hops', 'frame: odom'):
        text = f'defaults: {{{instead}}}\n' + start
        if 'frame' in instead:
            text = text.replace('initial_pose: [2, 1, 0]', '')
        assert len(read_fleet(text, 'mine.yaml').robots) == 3
