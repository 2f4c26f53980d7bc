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

"""The trials of tasks that drive: rally and patrol."""

from demo.scenarios.example import look, scenario
from leader_election.demo.scenarios.rally import JOURNEY
from leader_election.view.frame import Rings
from PIL import Image
import pytest


def test_whoever_overlaps_was_hit():
    # Robots are discs of 0.15 m.
    rally = scenario('rally')
    rally.look(look(0.0, (1, (0.0, 0.0), 1), (2, (0.31, 0.0), 1)))
    rally.look(look(0.1, (1, (0.0, 0.0), 1), (2, (0.31, 0.4), 1)))
    apart, drove, _ = rally.checks()
    assert apart.holds and '0.31 m' in apart.text
    assert drove.holds and 'drove 0 m' in drove.text
    rally.look(look(0.2, (1, (0.0, 0.0), 1), (2, (0.29, 0.0), 1)))
    assert not rally.checks()[0].holds


def test_nobody_drives_where_nothing_moves():
    rally = scenario('rally')
    for time in (0.0, JOURNEY):
        rally.look(look(time, (1, (0.0, 0.0), 1), (2, (1.0, 0.0), 1)))
    assert [check.holds for check in rally.checks()] == [True, False, True]


@pytest.mark.parametrize(('away', 'holds'), [(2.4, True), (2.6, False)])
def test_members_are_with_their_leader_when_they_have_had_the_time(away, holds):
    # A circle of 1.5 m, and 1 m for being behind; it is true places that count.
    rally = scenario('rally')
    rally.look(look(0.0, (1, (0.0, 0.0), 1), (2, (9.0, 0.0), 1)))
    rally.look(look(JOURNEY, (1, (0.0, 0.0), 1), (2, None, 1),
                    truth={1: (0.0, 0.0), 2: (away, 0.0)}))
    assert rally.checks()[-1].holds == holds


def test_who_joins_another_region_has_the_time_again():
    rally = scenario('rally')
    rally.look(look(0.0, (1, (0.0, 0.0), 1), (2, (0.0, 1.0), 1), (3, (9.0, 0.0), 3)))
    rally.look(look(5.0, (1, (0.0, 0.0), 1), (2, (0.0, 1.0), 3), (3, (9.0, 0.0), 3)))
    rally.look(look(JOURNEY, (1, (0.0, 0.0), 1), (2, (0.0, 1.0), 3), (3, (9.0, 0.0), 3)))
    # Nobody but leaders has been anywhere for long: that is no rally.
    assert '0% of its members' in rally.checks()[-1].text and not rally.checks()[-1].holds
    rally.look(look(5.0 + JOURNEY, (2, (8.0, 0.0), 3), (3, (9.0, 0.0), 3)))
    assert rally.checks()[-1].holds


def test_what_robots_came_near_to_was_visited():
    # Of 19 m x 13 m, a strip of 2 m all along the middle is 2/13.
    patrol = scenario('patrol', '--world', 'empty')
    for time, x in enumerate((-12.0, 0.0, 12.0)):
        patrol.look(look(time, (1, (x, 0.0), 1)))
    assert patrol.visited() == pytest.approx(2 / 13)
    assert not patrol.checks()[-1].holds
    for number, y in enumerate((-5.5, -3.5, -1.5, 2.0, 4.0), start=2):
        for time, x in enumerate((-12.0, 12.0)):
            patrol.look(look(time, (number, (x, y), 1)))
    # Five strips more; those at -1.5 and 0 overlap by half a metre.
    assert patrol.visited() == pytest.approx(11.5 / 13)
    assert patrol.checks()[-1].holds


def test_the_ways_are_drawn(tmp_path):
    patrol = scenario('patrol')
    for time in range(3):
        patrol.look(look(time, (1, (float(time), 0.0), 1)))
    [path] = patrol.draw(tmp_path, Rings())
    with Image.open(path) as image:
        assert image.format == 'PNG' and image.width == 1600
