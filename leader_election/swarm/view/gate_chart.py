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

"""The picture of a run with a gate: who believed to lead, who might act, what the gate obeyed."""

from pathlib import Path
from typing import Any

from leader_election.swarm.gate_log import Answer, GateStory, Interval
from leader_election.swarm.view.charts import FAINT, FONT, INK, new_figure
from leader_election.swarm.view.formatting import Colour, count, NOTE, Palette
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

GATE_ROW, GATE_HEIGHT = 0.0, 0.8
ROBOT_HEIGHT, ACTS_HEIGHT = 0.62, 0.3
"""Of the rows; that of the gate is the upper one."""
FROM_GATE = 1.35
"""From the gate's row to that of the first robot."""
LEAST_NAMED = 0.07
"""The least share of the picture's width that a bar needs for its text."""
BRIEF = 1.0
"""Robots that led for a shorter time share a row [s]."""
CUT = '#eef0f3'
"""The background of the time in which the swarm is cut in two."""


def draw_gate(story: GateStory, path: Path) -> None:
    """
    Draw the timeline of a run with a gate as a PNG.

    :raises OSError: when the file cannot be written.
    """
    rows = _rows(story)
    figure = new_figure(12.0, 2.7 + 0.62 * len(set(rows.values())), _words(story), '')
    axes = figure.subplots()
    add_gate_timeline(axes, story)
    figure.savefig(path, format='png')


def _words(story: GateStory) -> str:
    """Return title and result."""
    answers, twice = story.gate.answers, story.gate.at_once()
    obeyed = sum(answer.obeyed for answer in answers)
    old = sum(answer.obeyed for answer in story.gate.outdated())
    open_twice = f'was open for two robots at once {f"for {twice:.1f} s" if twice else "never"}'
    if story.mandates:
        return ('A gate that only the leader with a mandate opens\n'
                f'it obeyed {count(obeyed, "command")}, refused {len(answers) - obeyed} with an '
                f'old term, and {open_twice}')
    return ('The same without mandates: a gate that whoever believes to lead opens\n'
            f'it obeyed {count(obeyed, "command")}, {old} of them old ones, and {open_twice}')


def _rows(story: GateStory) -> dict[int, float]:
    """Return the row of each robot: those that led only briefly share the last one."""
    long = [robot for robot in story.robots
            if sum(end - begin for begin, end in story.leaders.leads(robot)) > BRIEF]
    return {robot: -FROM_GATE - (long.index(robot) if robot in long else len(long))
            for robot in story.robots}


def add_gate_timeline(axes: Axes, story: GateStory) -> None:
    """Draw the rows of the gate and of the robots that ever led, and what was done to them."""
    colours = Palette().assign({robot: (robot,) for robot in story.robots})
    rows = _rows(story)
    bottom, top = min(rows.values(), default=0.0) - 0.6, GATE_HEIGHT / 2 + 0.12
    axes.set(xlim=(0.0, story.end - story.begin), ylim=(bottom, top))
    if story.apart is not None:
        axes.axvspan(*(time - story.begin for time in story.apart), color=CUT, zorder=0,
                     linewidth=0)
    for event in story.events:
        at = event.time - story.begin
        axes.axvline(at, color=FAINT, linewidth=1.0, linestyle=(0, (4, 3)), zorder=1)
        axes.annotate(event.text, (at, top), (0, 4), textcoords='offset points', fontsize=FONT,
                      fontweight='bold', color=INK)
    for robot, row in rows.items():
        _add_robot(axes, story, robot, row, colours[robot])
    _add_gate(axes, story, colours)
    _add_outdated(axes, story, rows)
    names = {row: f'robot {robot}' for robot, row in rows.items()}
    names |= {row: 'others' for row in names if list(rows.values()).count(row) > 1}
    axes.set_yticks([GATE_ROW, *names], ['the gate', *names.values()], fontsize=FONT)
    axes.get_yticklabels()[0].set_fontweight('bold')
    axes.tick_params(axis='y', length=0)
    axes.tick_params(axis='x', labelsize=FONT - 1, colors=FAINT)
    axes.set_xlabel('time [s]', fontsize=FONT - 1, color=FAINT)
    axes.spines[:].set_visible(False)
    axes.figure.legend(handles=_legend(story), loc='outside lower center', ncol=5,
                       frameon=False, fontsize=FONT - 1)


def _bars(axes: Axes, story: GateStory, intervals: list[Interval], row: float, height: float,
          **style: Any) -> None:
    """Draw intervals as bars of a row, as far as the picture goes."""
    shown = [(max(begin, story.begin) - story.begin, min(end, story.end) - story.begin)
             for begin, end in intervals if begin < story.end and end > story.begin]
    axes.broken_barh([(begin, end - begin) for begin, end in shown], (row - height / 2, height),
                     **style)


def _add_robot(axes: Axes, story: GateStory, robot: int, row: float, tint: Colour) -> None:
    log = story.leaders
    _bars(axes, story, log.leads(robot), row, ROBOT_HEIGHT, facecolor=to_rgba(tint, 0.22),
          edgecolor=to_rgba(tint, 0.8), linewidth=1.0, zorder=2)
    _bars(axes, story, log.acts(robot), row, ACTS_HEIGHT, facecolor=tint, zorder=3)
    if story.frozen is not None and story.frozen[0] == robot:
        begin, end = story.frozen[1]
        _bars(axes, story, [story.frozen[1]], row, ROBOT_HEIGHT, facecolor='none',
              edgecolor=FAINT, hatch='////', linewidth=0.8, zorder=2)
        axes.text((begin + end) / 2 - story.begin, row, 'frozen', ha='center', va='center',
                  fontsize=FONT, color=INK, zorder=6,
                  bbox={'facecolor': 'white', 'edgecolor': 'none', 'pad': 1.5})
    if story.killed is not None and story.killed[0] == robot:
        axes.plot(story.killed[1] - story.begin, row, marker='X', markersize=13, color=NOTE,
                  markeredgecolor='white', zorder=7)
    if story.apart is not None:
        _say_why_not(axes, story, robot, row)


def _say_why_not(axes: Axes, story: GateStory, robot: int, row: float) -> None:
    """Say, in the cut swarm, why a leader without a mandate may not act."""
    assert story.apart is not None
    begin, end = story.apart
    ended = max((acted for _, acted in story.leaders.acts(robot) if begin < acted < end),
                default=end)
    leads = any(first < ended and last >= end for first, last in story.leaders.leads(robot))
    if leads and end - ended > LEAST_NAMED * (story.end - story.begin):
        axes.text((ended + end) / 2 - story.begin, row, 'no majority', ha='center', va='center',
                  fontsize=FONT, color=INK, zorder=6)


def _add_gate(axes: Axes, story: GateStory, colours: dict[int, Colour]) -> None:
    span = story.end - story.begin
    axes.broken_barh([(0.0, span)], (GATE_ROW - GATE_HEIGHT / 2, GATE_HEIGHT),
                     facecolor='white', edgecolor=INK, linewidth=1.2, zorder=1)
    for begin, end, robots in story.gate.held():
        part = GATE_HEIGHT / len(robots)
        for number, robot in enumerate(robots):
            low = GATE_ROW + GATE_HEIGHT / 2 - (number + 0.5) * part
            _bars(axes, story, [(begin, end)], low, part, facecolor=colours.get(robot, FAINT),
                  zorder=3)
        twice = len(robots) > 1
        if twice:
            _bars(axes, story, [(begin, end)], GATE_ROW, GATE_HEIGHT, facecolor='none',
                  edgecolor=NOTE, linewidth=2.5, zorder=5)
        begin, end = max(begin, story.begin), min(end, story.end)
        if end - begin >= LEAST_NAMED * span:
            axes.text((begin + end) / 2 - story.begin, GATE_ROW,
                      'two at once' if twice else f'open for {robots[0]}', ha='center',
                      va='center', fontsize=FONT, fontweight='bold', color='white', zorder=6,
                      bbox={'facecolor': NOTE if twice else 'none', 'edgecolor': 'none',
                            'pad': 2.0})


def _add_outdated(axes: Axes, story: GateStory, rows: dict[int, float]) -> None:
    """Draw refused commands, and outdated ones, from when they were given to their receipt."""
    outdated = story.gate.outdated()
    shown = [answer for answer in story.gate.answers
             if answer.robot in rows and (not answer.obeyed or answer in outdated)]
    for answer in shown:
        _add_command(axes, story, answer, rows[answer.robot])
    if shown:
        last = max(answer.received for answer in shown) - story.begin
        axes.annotate(
            f'{count(len(shown), "old command")} {"refused" if story.mandates else "obeyed"}',
            (last, GATE_ROW - GATE_HEIGHT / 2), (10, -13), textcoords='offset points',
            fontsize=FONT, fontweight='bold', color=NOTE, va='center', zorder=9)


def _add_command(axes: Axes, story: GateStory, answer: Answer, row: float) -> None:
    given, received = answer.given - story.begin, answer.received - story.begin
    axes.plot([given, received], [row, GATE_ROW - GATE_HEIGHT / 2], color=NOTE, linewidth=1.3,
              zorder=8)
    axes.plot(given, row, marker='o', markersize=4, color=NOTE, zorder=8)
    axes.plot(received, GATE_ROW - GATE_HEIGHT / 2, marker='v' if answer.obeyed else 'X',
              markersize=10, color=NOTE, markeredgecolor='white', zorder=9)


def _legend(story: GateStory) -> list[Any]:
    grey = to_rgba(FAINT, 0.22)
    old = Line2D([], [], marker='X' if story.mandates else 'v', color=NOTE, markersize=9,
                 linewidth=1.3, markeredgecolor='white',
                 label='a command that comes after a later one of another leader')
    found = [Patch(facecolor=grey, edgecolor=FAINT, label='believes that it leads')]
    if story.mandates:
        found.append(Patch(facecolor=FAINT, label='has a mandate: may act'))
    return [*found, old, Patch(facecolor=CUT, label='the swarm is cut in two')]
