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

"""Strength: the hysteresis, numbers that are none, and sources of topic and state."""

from types import SimpleNamespace

from election.robot.swarm import line, Swarm
from leader_election.election.robot.strength import BATTERY, Strength, STRENGTH_SOURCES
import pytest


def test_the_first_number_counts_however_near():
    strength = Strength(0.5, hysteresis=0.1)
    assert not strength.received
    assert strength.update(0.55)
    assert strength.received
    assert strength.announced == 0.55


def test_hysteresis_counts_from_what_was_announced():
    strength = Strength(0.0, hysteresis=1.0)
    assert strength.update(10.0)
    # Not by more than 1 from 10, exactly 1 included, however often.
    assert [strength.update(n) for n in (9.5, 10.9, 9.0, 11.0)] == [False] * 4
    assert strength.announced == 10.0
    assert strength.update(11.25)
    assert strength.announced == 11.25


def test_without_hysteresis_every_change_counts():
    strength = Strength(0.0, hysteresis=0.0)
    assert [strength.update(n) for n in (0.0, 1e-300, 1e-300, -5.0)] == [False, True, False, True]


@pytest.mark.parametrize('number', [float('nan'), float('inf'), float('-inf')])
def test_non_finite_strength_is_rejected(number):
    strength = Strength(3.0, hysteresis=0.0)
    assert not strength.update(number)
    assert (strength.announced, strength.rejected, strength.received) == (3.0, 1, False)


def test_sources():
    assert STRENGTH_SOURCES.names() == (
        'battery', 'constant', 'data_rate', 'degree', 'stillness', 'topic')
    assert STRENGTH_SOURCES.get('battery') is BATTERY
    with pytest.raises(KeyError, match="unknown strength source 'x'; known: battery, constant"):
        STRENGTH_SOURCES.get('x')
    with pytest.raises(ValueError, match="strength source 'battery' is registered already"):
        STRENGTH_SOURCES.add(type(BATTERY)('battery', 0.0))


def test_the_stillest_robot_leads():
    """Robot 1 stands, 2 and 3 move at 0.2 and 0.5 m/s; then 1 moves at 1 m/s."""
    swarm = Swarm(line(3), strength_source='stillness', radius=9.0, communication_range=100.0)
    for speeds, leader in (((0.0, 0.2, 0.5), 1), ((1.0, 0.2, 0.5), 2)):
        for _ in range(8):
            swarm.places = {i: (x + speeds[i - 1], y) for i, (x, y) in swarm.places.items()}
            swarm.sweep()
        assert set(swarm.leaders().values()) == {leader}
    assert swarm.robots[3].strength.announced == pytest.approx(-0.5)


def test_a_data_rate_counts_while_it_is_fresh():
    """A source of topic and state: 2 has the better uplink, until nothing more is heard of it."""
    swarm = Swarm(line(2), strength_source='data_rate', radius=9.0, measurement_expiry=2.5)
    for i, rate in ((1, 3.0), (2, 50.0)):
        swarm.robots[i].main.take_strength(SimpleNamespace(data=rate), 0.0)
    swarm.sweep(2)
    assert set(swarm.leaders().values()) == {2}
    swarm.robots[1].main.take_strength(SimpleNamespace(data=3.0), swarm.now)
    swarm.sweep(2)
    assert swarm.robots[2].strength.announced == 0.0
    assert set(swarm.leaders().values()) == {1}
