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

"""Presentation of a swarm in the terminal as a table, or as one line without a terminal."""

import math

from leader_election.swarm.history import Statistics
from leader_election.swarm.snapshot import (
    member_counts,
    most_uncertain,
    orphans,
    regions,
    RobotView,
    Snapshot,
    task_names,
)
from leader_election.view.formatting import (
    count,
    fields_text,
    GONE,
    hexadecimal,
    member_number,
    shortened,
)
from leader_election.view.frame import Frame
from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

_BAR = 24
"""Length of the bar of the largest region [characters]."""
_DECISION_LENGTH = 40
"""The length of a decision in the one line [characters]."""
_FIELDS_LENGTH = 120
"""The length of the algorithm's own fields in the one line [characters]."""
_WIDTH = 96
"""Of the panel [characters]."""


def render(frame: Frame, statistics: Statistics, rows: int = 16) -> RenderableType:
    """
    Return what a rich console prints: a table of the regions, totals, and the frame's note.

    The algorithm's own fields follow, if any, one line per robot.

    :param rows: number of regions and of robots with fields that are listed; the largest regions
        and the lowest ids come first, the others are counted.
    """
    robots = [robot for robot in frame.snapshot.robots.values() if robot.fields]
    if robots:
        # Both lists share the lines of one, so the height does not change.
        rows = max(rows // 2 - 1, 1)
    parts: list[RenderableType] = [_table(frame, statistics, rows), _totals(frame, statistics)]
    if member_counts(frame.snapshot):
        parts.append(Text(collected(frame.snapshot)))
    if robots:
        parts.append(_fields(robots, rows))
    if frame.note:
        parts.append(Text(frame.note, style='bold'))
    return Panel(Group(*parts), title='swarm', title_align='left',
                 subtitle=f't = {statistics.duration:.1f} s',
                 subtitle_align='right', border_style='dim', width=_WIDTH)


def line(frame: Frame, statistics: Statistics) -> str:
    """Return the same in one plain line, for output without a terminal."""
    snapshot = frame.snapshot
    facts = list(_facts(frame, statistics))
    counts = member_counts(snapshot)
    if counts:
        facts.append(collected(snapshot))
    leader = max(counts.items(), key=lambda item: item[1], default=(-1, 0.0))[0]
    decision = snapshot.robots[leader].decision if leader != -1 else ''
    if decision:
        facts.append(f'{leader} decided {shortened(decision, _DECISION_LENGTH)}')
    fields = '; '.join(f'{robot.id}: {fields_text(robot.fields)}'
                       for robot in snapshot.robots.values() if robot.fields)
    if fields:
        facts.append(shortened(fields, _FIELDS_LENGTH))
    return ' · '.join((*facts, *([frame.note] if frame.note else [])))


def _table(frame: Frame, statistics: Statistics, rows: int) -> Table:
    robots, counts = frame.snapshot.robots, member_counts(frame.snapshot)
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
        # Not every algorithm exports the strength of a leader.
        strength = '' if math.isnan(value) else f'{-value:.4g}'
        radius = max(robots[i].distance for i in members)
        bar = max(1, round(_BAR * len(members) / len(largest[0][1])))
        # No room for bars beside counts and decisions.
        beside, decision = '█' * bar, []
        if counts:
            known = leader in counts
            beside = member_number(counts[leader]) if known else ''
            decision = [Text(robots[leader].decision if known else '')]
        table.add_row(label, strength, str(len(members)), Text(beside, style=style),
                      '' if math.isinf(radius) else f'{radius:.2f} m',
                      f'{statistics.stable_for(leader):.0f} s', *decision)
    if len(largest) > rows:
        rest = largest[rows:]
        table.add_row(Text(f'... and {len(rest)} more', style='dim'), '',
                      str(sum(len(members) for _, members in rest)))
    return table


def _fields(robots: list[RobotView], rows: int) -> Table:
    """Return the table of the algorithm's own fields, one row a robot."""
    table = Table(box=SIMPLE_HEAD, expand=True, pad_edge=False)
    table.add_column('robot')
    table.add_column('fields', ratio=1, no_wrap=True, overflow='ellipsis')
    for robot in robots[:rows]:
        # Text, since names and values of a plug-in are not markup.
        table.add_row(str(robot.id), Text(fields_text(robot.fields)))
    if len(robots) > rows:
        table.add_row(Text('...', style='dim'), Text(f'and {len(robots) - rows} more', 'dim'))
    return table


def _totals(frame: Frame, statistics: Statistics) -> Text:
    text = Text(' · ').join(Text(fact) for fact in _facts(frame, statistics))
    text.highlight_regex(r'[1-9]\d* orphans?', 'bold red')
    return text


def _facts(frame: Frame, statistics: Statistics) -> tuple[str, ...]:
    snapshot = frame.snapshot
    uncertain = most_uncertain(snapshot)
    return (
        count(len(snapshot.robots), 'robot')
        + (f' ({len(snapshot.gone)} gone)' if snapshot.gone else ''),
        count(len(regions(snapshot)), 'region'),
        count(len(orphans(snapshot)), 'orphan'),
        f'{count(statistics.changes_a_minute, "leader change")}/min',
        f'{statistics.messages_a_second:.0f} msg/s',
        f'{statistics.bytes_a_second / 1000:.1f} kB/s',
        *([] if uncertain is None else
          [f'deviation up to {uncertain.deviation:.2f} m (robot {uncertain.id})']))


def collected(snapshot: Snapshot) -> str:
    """Return the names of the tasks, and the sum of all leaders' counts."""
    total = member_number(sum(member_counts(snapshot).values()))
    names = ', '.join(task_names(snapshot))
    return (f'{names}: ' if names else '') + f'{total} of {len(snapshot.robots)} counted'
