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

"""Colours of leaders: kept, and apart."""

from leader_election.swarm.view.formatting import PALETTE, Palette


def test_leaders_have_colours_apart_as_long_as_there_are_enough():
    palette = Palette()
    leaders = {12 * i: (12 * i,) for i in range(len(PALETTE))}
    colours = palette.assign(leaders)
    assert len(set(colours.values())) == len(PALETTE)
    assert palette.assign(leaders) == colours
    assert len(palette.assign({i: (i,) for i in range(50)})) == 50


def test_a_leader_keeps_its_colour_while_others_come_and_go():
    palette = Palette()
    kept = palette.assign({5: (1, 2, 5), 17: (17,)})
    assert palette.assign({17: (17,)}) == {17: kept[17]}
    assert palette.assign({5: (1, 2, 5), 29: (29,), 17: (17,)})[5] == kept[5]
