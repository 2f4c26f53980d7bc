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

"""The map in characters: robots, leaders and walls are where they are."""

from leader_election.swarm.view.frame import Rings
from leader_election.swarm.view.terminal_map import columns_for, swarm_map
from swarm.view.example import frame, RINGS


def test_robots_and_walls_are_at_their_places():
    drawn = swarm_map(frame(), RINGS, 24, 8)
    rows = drawn.plain.splitlines()
    assert {len(row) for row in rows} == {24} and len(rows) == 8
    # Two characters, and half a line, are a metre: robot 2 is at (4, 2), robot 3 at (2, 4).
    assert rows[6][8] == rows[4][4] == '•'
    assert rows[6][4:6] == '★1' and rows[6][16:18] == '★7'
    assert rows[1][18:22] == '▒▒▒▒' and rows[1][8] == '×'
    assert columns_for(frame(), RINGS, 8) == 24


def test_colours_are_those_of_the_leaders():
    drawn, shown = frame(), swarm_map(frame(), RINGS, 24, 8)
    styles = {shown.plain[span.start]: str(span.style) for span in shown.spans}
    red, green, blue = drawn.colours[7]
    assert styles['★'] == f'bold #{round(255 * red):02x}{round(255 * green):02x}' \
                          f'{round(255 * blue):02x}'


def test_remarks_and_alarms_are_words():
    drawn = frame()._replace(remarks={40: 'killed here'})
    robots = drawn.snapshot.robots
    robots = robots | {7: robots[7]._replace(tasks=('field',), decision='[{"alarm":1}]')}
    drawn = drawn._replace(snapshot=drawn.snapshot._replace(robots=robots))
    text = swarm_map(drawn, RINGS, 48, 16).plain
    assert 'killed here×' in text and '★7 alarm' in text


def test_no_arena_is_needed_and_a_peak_is_shaded():
    peak = ((7.0, 1.0), (9.0, 1.0), (9.0, 3.0), (7.0, 3.0))
    assert '·' in swarm_map(frame(), Rings(peaks=(peak,)), 60, 20).plain
    assert swarm_map(frame(), Rings(), 1, 1).plain
