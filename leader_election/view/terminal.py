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

"""The swarm in a terminal."""

import math

from leader_election.swarm.snapshot import orphans, regions
from leader_election.swarm.statistics import Statistics
from leader_election.view.colours import GONE, hexadecimal
from leader_election.view.frame import Frame
from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

_BAR = 24
"""How long the bar of the largest region is [characters]."""


def render(frame: Frame, statistics: Statistics, rows: int = 16) -> RenderableType:
    """
    Return what a rich console prints: a table of the regions, totals, and the frame's note.

    :param rows: how many regions are listed, the largest first; the others are counted.
    """
    parts: list[RenderableType] = [_table(frame, statistics, rows), _totals(frame, statistics)]
    if frame.note:
        parts.append(Text(frame.note, style='bold'))
    return Panel(Group(*parts), title='swarm', title_align='left',
                 subtitle=f't = {statistics.duration:.1f} s',
                 subtitle_align='right', border_style='dim', width=96)


def line(frame: Frame, statistics: Statistics) -> str:
    """Return the same in one plain line, for where there is no terminal."""
    return ' · '.join((*_facts(frame, statistics), *([frame.note] if frame.note else [])))


def _table(frame: Frame, statistics: Statistics, rows: int) -> Table:
    table = Table(box=SIMPLE_HEAD, expand=True, pad_edge=False)
    table.add_column('leader', ratio=2)
    for name in ('strength', 'robots'):
        table.add_column(name, justify='right')
    table.add_column('', width=_BAR)
    for name in ('radius', 'stable for'):
        table.add_column(name, justify='right')
    robots = frame.snapshot.robots
    largest = sorted(regions(frame.snapshot).items(), key=lambda item: (-len(item[1]), item[0]))
    for leader, members in largest[:rows]:
        style = hexadecimal(frame.colours.get(leader, GONE))
        label = Text(f'● {leader}', style=f'bold {style}')
        if leader not in robots:
            label.append('  gone', style='bold red')
        value = robots[members[0]].value
        # Not every algorithm says how strong a leader is.
        strength = '' if math.isnan(value) else f'{-value:.4g}'
        radius = max(robots[i].distance for i in members)
        bar = max(1, round(_BAR * len(members) / len(largest[0][1])))
        table.add_row(label, strength, str(len(members)), Text('█' * bar, style=style),
                      '' if math.isinf(radius) else f'{radius:.2f} m',
                      f'{statistics.stable_for(leader):.0f} s')
    if len(largest) > rows:
        rest = largest[rows:]
        table.add_row(Text(f'... and {len(rest)} more', style='dim'), '',
                      str(sum(len(members) for _, members in rest)))
    return table


def _totals(frame: Frame, statistics: Statistics) -> Text:
    text = Text(' · ').join(Text(fact) for fact in _facts(frame, statistics))
    text.highlight_regex(r'[1-9]\d* orphans?', 'bold red')
    return text


def _facts(frame: Frame, statistics: Statistics) -> tuple[str, ...]:
    snapshot = frame.snapshot
    return (
        count(len(snapshot.robots), 'robot')
        + (f' ({len(snapshot.gone)} gone)' if snapshot.gone else ''),
        count(len(regions(snapshot)), 'region'),
        count(len(orphans(snapshot)), 'orphan'),
        f'{count(statistics.changes_a_minute, "leader change")}/min',
        f'{statistics.messages_a_second:.0f} msg/s',
        f'{statistics.bytes_a_second / 1000:.1f} kB/s')


def count(number: int, noun: str) -> str:
    """
    Return a number of things in words.

    >>> count(1, 'robot'), count(2, 'robot')
    ('1 robot', '2 robots')
    """
    return f'{number} {noun}{"" if number == 1 else "s"}'
