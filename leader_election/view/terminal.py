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

from leader_election.swarm.history import Statistics
from leader_election.swarm.snapshot import counted, orphans, regions, Snapshot, tasks
from leader_election.view.formatting import count, GONE, hexadecimal, members_in_words, shortened
from leader_election.view.frame import Frame
from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

_BAR = 24
"""How long the bar of the largest region is [characters]."""
_GLIMPSE = 40
"""So much of a decision is in the one line [characters]."""


def render(frame: Frame, statistics: Statistics, rows: int = 16) -> RenderableType:
    """
    Return what a rich console prints: a table of the regions, totals, and the frame's note.

    :param rows: how many regions are listed, the largest first; the others are counted.
    """
    parts: list[RenderableType] = [_table(frame, statistics, rows), _totals(frame, statistics)]
    if counted(frame.snapshot):
        parts.append(Text(work(frame.snapshot)))
    if frame.note:
        parts.append(Text(frame.note, style='bold'))
    return Panel(Group(*parts), title='swarm', title_align='left',
                 subtitle=f't = {statistics.duration:.1f} s',
                 subtitle_align='right', border_style='dim', width=96)


def line(frame: Frame, statistics: Statistics) -> str:
    """Return the same in one plain line, for where there is no terminal."""
    snapshot = frame.snapshot
    facts = list(_facts(frame, statistics))
    if counted(snapshot):
        facts.append(work(snapshot))
    leader = max(counted(snapshot).items(), key=lambda item: item[1], default=(-1, 0.0))[0]
    decision = snapshot.robots[leader].decision if leader != -1 else ''
    if decision:
        facts.append(f'{leader} says {shortened(decision, _GLIMPSE)}')
    return ' · '.join((*facts, *([frame.note] if frame.note else [])))


def _table(frame: Frame, statistics: Statistics, rows: int) -> Table:
    robots, counts = frame.snapshot.robots, counted(frame.snapshot)
    table = Table(box=SIMPLE_HEAD, expand=True, pad_edge=False)
    table.add_column('leader', ratio=None if counts else 2)
    for name in ('strength', 'robots'):
        table.add_column(name, justify='right')
    if counts:
        table.add_column('counted', justify='right')
    else:
        table.add_column('', width=_BAR)
    for name in ('radius', 'stable for'):
        table.add_column(name, justify='right')
    if counts:
        table.add_column('decision', ratio=1, no_wrap=True, overflow='ellipsis')
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
        # Where leaders count there is no room for bars.
        beside, decision = '█' * bar, []
        if counts:
            says = leader in counts
            beside = members_in_words(counts[leader]) if says else ''
            decision = [Text(robots[leader].decision if says else '')]
        table.add_row(label, strength, str(len(members)), Text(beside, style=style),
                      '' if math.isinf(radius) else f'{radius:.2f} m',
                      f'{statistics.stable_for(leader):.0f} s', *decision)
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


def work(snapshot: Snapshot) -> str:
    """Return what the swarm does, and how many of its robots all leaders together count."""
    total = members_in_words(sum(counted(snapshot).values()))
    names = ', '.join(tasks(snapshot))
    return (f'{names}: ' if names else '') + f'{total} of {len(snapshot.robots)} counted'
