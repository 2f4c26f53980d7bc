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

"""Strength: the hysteresis, and numbers that are none."""

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
def test_what_is_not_finite_is_counted_and_dropped(number):
    strength = Strength(3.0, hysteresis=0.0)
    assert not strength.update(number)
    assert (strength.announced, strength.rejected, strength.received) == (3.0, 1, False)


def test_sources():
    assert STRENGTH_SOURCES.names() == ('battery', 'constant', 'degree', 'topic')
    assert STRENGTH_SOURCES.get('battery') is BATTERY
    with pytest.raises(KeyError, match="unknown strength source 'x'; known: battery, constant"):
        STRENGTH_SOURCES.get('x')
    with pytest.raises(ValueError, match="strength source 'battery' is registered already"):
        STRENGTH_SOURCES.add(type(BATTERY)('battery', 0.0))
