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

"""The presentation in the terminal."""

import io
import math

from leader_election.swarm.history import Statistics
from leader_election.swarm.snapshot import regions, RobotView, Snapshot
from leader_election.swarm.view.formatting import hexadecimal, PALETTE, Palette
from leader_election.swarm.view.frame import Frame, Rings
from leader_election.swarm.view.terminal import columns_for, line, render, swarm_map
import pytest
from rich.console import Console
from swarm.view.example import frame, mandated, RINGS, working


def shown(drawn, size=(80, 24), **options):
    statistics = Statistics()
    statistics.observe(drawn.snapshot, 0, 0)
    width, height = size
    console = Console(file=io.StringIO(), width=width, height=height, record=True,
                      force_terminal=True, color_system='truecolor')
    console.print(render(drawn, statistics, size, **options))
    return console


def test_table_lists_regions_the_largest_first():
    drawn = frame(note='[bold] is no markup')
    console = shown(drawn, (80, 40))
    text = console.export_text(clear=False)
    rows = [row.split()[1:6] for row in text.splitlines() if '●' in row]
    assert [row[1] for row in rows] == ['1', '7', '40'] and 'gone' in rows[2]
    assert rows[0][2:4] == ['9', '3'] and '2.00 m' in text and '2.50 m' in text
    assert '7 robots (1 gone) · 3 regions · 1 without' in text
    assert '[bold] is no markup' in text
    assert hexadecimal(drawn.colours[1]) in console.export_html()


def test_leader_in_an_unusual_namespace_is_named():
    assert '● 1 /tb3_0 ' in shown(changed(frame(), r1={'name': '/tb3_0'})).export_text()


def test_many_regions_are_cut_short_and_fit_the_terminal():
    # Classic election says no strength, and an infinite distance as long as it has found nobody.
    text = shown(of_robots(*(RobotView(i, None, math.nan, math.inf, i)
                             for i in range(200)))).export_text()
    assert 'nan' not in text and 'inf' not in text
    assert '+ 187 more' in text
    assert len(text.splitlines()) <= 24 and max(map(len, text.splitlines())) <= 80


def test_summary_is_one_line_without_a_terminal():
    text = line(frame(note='killed'), Statistics())
    assert '\n' not in text and text.startswith('7 robots (1 gone) · 3 regions')
    assert text.endswith('killed')


def test_line_names_the_largest_known_deviation():
    assert 'uncertain' not in line(frame(), Statistics())
    drawn = changed(frame(), r2={'deviation': 0.314}, r8={'deviation': 0.1})
    text = 'positions uncertain by up to 0.31 m, one standard deviation (robot 2)'
    assert text in line(drawn, Statistics())
    assert text in ' '.join(
        row.strip('│ ') for row in shown(drawn).export_text().splitlines())


def of_robots(*views):
    """Return a frame with these robots."""
    snapshot = Snapshot(0.0, {view.id: view for view in views})
    return Frame(snapshot, Palette().assign(regions(snapshot)), 'x')


def changed(drawn, **robots):
    """Return a frame with other values of robots ``r<id>``."""
    views = {**drawn.snapshot.robots}
    for name, values in robots.items():
        views[int(name[1:])] = views[int(name[1:])]._replace(**values)
    return drawn._replace(snapshot=drawn.snapshot._replace(robots=views))


def test_table_shows_counts_and_decisions_beside_observations():
    console = shown(working(frame()))
    text = console.export_text()
    rows = [row.split()[1:6] for row in text.splitlines() if '●' in row]
    # Leader, strength, robots as seen, robots as counted; 40 is gone and says nothing.
    assert rows[0][1:] == ['1', '9', '3', '3'] and rows[1][1:] == ['7', '5', '3', '3']
    assert '[{"area":' in text and '…' in text
    assert 'patrol: the leaders count 6 robots, 7 are heard' in text
    assert max(map(len, text.splitlines())) <= 80


def test_one_line_has_the_totals_of_a_task():
    text = line(working(frame(note='killed')), Statistics())
    assert ' · patrol: the leaders count 6 robots, 7 are heard · killed' in text


@pytest.mark.parametrize('width', [80, 200])
@pytest.mark.parametrize('drawn', [frame(), working(frame())], ids=['plain', 'task'])
def test_width_of_the_terminal_is_used_and_no_header_is_cut(width, drawn):
    text = shown(drawn, (width, 40), rings=RINGS).export_text()
    assert max(map(len, text.splitlines())) == width and len(text.splitlines()) < 40
    header = next(row for row in text.splitlines() if 'strength' in row)
    for name in ('leader', 'strength', 'robots'):
        assert f' {name} ' in header
    has_task = 'counted' in header
    assert (' extent ' in header) != has_task
    assert '╭─' in text.partition(' map ')[0][-60:], 'there is room for a map'
    assert width > 80 or ' map ' not in shown(drawn, (width, 11), rings=RINGS).export_text()


@pytest.mark.parametrize('drawn', [frame(), mandated(frame())], ids=['plain', 'mandates'])
def test_small_terminal_has_map_and_news_and_the_address_of_the_page(drawn):
    drawn = drawn._replace(note='killed', news='robot 2 leads', upcoming='in 9 s it ends',
                           warning='overload')
    text = shown(drawn, rings=RINGS, title='shown at http://localhost:5006/', keys='space: pause',
                 ).export_text()
    for part in (' map ', '● 7 ', 'overload', 'killed', 'robot 2 leads', 'next: in 9 s it ends',
                 '─ shown at http://localhost:5006/ ─', ' space: pause · t = 0.0 s '):
        assert part in text
    assert len(text.splitlines()) < 24 and {*map(len, text.splitlines())} == {80}
    assert line(drawn, Statistics()).endswith(' · overload · killed · next: in 9 s it ends')


# The map in characters: robots, leaders and walls are where they are.

def test_robots_and_walls_are_at_their_places():
    drawn = swarm_map(frame(), RINGS, 24, 8)
    rows = drawn.plain.splitlines()
    assert {len(row) for row in rows} == {24} and len(rows) == 8
    # Two characters, and half a line, are a metre: robot 2 is at (4, 2), robot 3 at (2, 4).
    assert rows[6][8] == rows[4][4] == '•'
    assert rows[6][4:6] == '★1' and rows[6][16:18] == '★7'
    assert rows[1][18:22] == '▒▒▒▒' and rows[1][8] == '×'
    assert columns_for(frame(), RINGS, 8) == 24


def test_robots_have_the_colours_of_their_leaders_and_peaks_are_shaded():
    drawn, shown = frame(), swarm_map(frame(), RINGS, 24, 8)
    styles = {shown.plain[span.start]: str(span.style) for span in shown.spans}
    assert styles['★'] == f'bold {hexadecimal(drawn.colours[7])}'
    peak = ((7.0, 1.0), (9.0, 1.0), (9.0, 3.0), (7.0, 3.0))
    assert '·' in swarm_map(drawn, Rings(peaks=(peak,)), 60, 20).plain, 'without an arena'


def test_map_writes_remarks_and_alarms_as_words():
    drawn = changed(frame()._replace(remarks={40: 'killed here'}),
                    r7={'tasks': ('field',), 'decision': '[{"alarm":1}]'})
    text = swarm_map(drawn, RINGS, 48, 16).plain
    assert 'killed here×' in text and '★7 alarm' in text


# Colours of leaders: kept, and apart.

def test_leaders_have_different_colours_up_to_the_size_of_the_palette():
    palette = Palette()
    leaders = {12 * i: (12 * i,) for i in range(len(PALETTE))}
    colours = palette.assign(leaders)
    assert len(set(colours.values())) == len(PALETTE)
    assert palette.assign(leaders) == colours
    assert len(palette.assign({i: (i,) for i in range(50)})) == 50


def test_leader_keeps_its_colour_while_others_come_and_go():
    palette = Palette()
    kept = palette.assign({5: (1, 2, 5), 17: (17,)})
    assert palette.assign({17: (17,)}) == {17: kept[17]}
    assert palette.assign({5: (1, 2, 5), 29: (29,), 17: (17,)})[5] == kept[5]


@pytest.mark.parametrize('width', [80, 160])
def test_table_shows_mandates_when_the_swarm_has_them(width):
    drawn = working(frame())
    plain = shown(drawn).export_text()
    assert 'mandate' not in plain and '◦' not in plain and ' act' not in line(drawn, Statistics())
    drawn = mandated(drawn)
    text = shown(drawn, (width, 40)).export_text()
    rows = [row for row in text.splitlines() if '●' in row]
    assert ' 3 of 3 ' in rows[0] and ' 0 of 3 ' in rows[1] and 'decision' in text
    assert '★1' in text and '☆7' in text and '◦' in text
    assert max(map(len, text.splitlines())) <= width
    assert '1 leader acts, over 3 robots' in line(drawn, Statistics())
