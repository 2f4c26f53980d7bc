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

"""The report of a run: checks, a table of recoveries, and a picture of all robots."""

from collections.abc import Mapping, Sequence
from pathlib import Path
import statistics
from textwrap import wrap

from benchmarks.chaos.judge import Recovery
from benchmarks.chaos.run import Outcome
from benchmarks.chaos.schedule import ATTACK, ATTACK_OVER
from leader_election.ros.demo.checks import Check, right_check
from leader_election.swarm.view.charts import (
    add_timeline,
    FAINT,
    FONT,
    INK,
    new_figure,
    tidy,
    timeline_height,
)
from leader_election.swarm.view.formatting import colour, NOTE
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
import numpy as np

TRACEBACK = 'Traceback (most recent call last)'
LOST_SHARE = 0.01
"""The largest share of the relay's copies that DDS may lose: it delivers with best effort."""
GROWTH_SHARE, GROWTH_BYTES = 0.05, 8e6
"""The allowed growth of a process's memory in the second half of its time."""
LONGEST_SILENCE = 10.0
"""The longest time that may pass between two messages of a living robot [s]."""
NO_BREAK = '\u00a0'
YOUNG = 60.0
"""Processes that ran for a shorter time have no second half [s]."""

Memory = Sequence[tuple[float, float]]


def growth(measured: Memory) -> tuple[float, float]:
    """
    Return the memory at half time and its growth until the end.

    :param measured: times [s] and bytes.
    :return: bytes; of medians over a fifth of the time.

    >>> growth([(float(second), 100.0 + second) for second in range(101)])
    (150.0, 40.0)
    """
    times, sizes = np.array(measured).T
    begin, end = times[0], times[-1]
    fifth = (end - begin) / 10
    middle = float(np.median(sizes[abs(times - (begin + end) / 2) <= fifth]))
    return middle, float(np.median(sizes[times >= end - 2 * fifth])) - middle


def allowed_growth(measured: Memory) -> float:
    """
    Return the least growth that a measurement of this length tells from none [bytes per hour].

    >>> round(allowed_growth([(float(second), 1e8) for second in range(601)]) / 1e6)
    156
    """
    half = (measured[-1][0] - measured[0][0]) / 2
    return (GROWTH_BYTES + GROWTH_SHARE * growth(measured)[0]) / half * 3600.0


def grows(measured: Memory) -> bool:
    """Return whether the memory of a process is not flat."""
    if measured[-1][0] - measured[0][0] < YOUNG:
        return False
    middle, more = growth(measured)
    return more > GROWTH_BYTES + GROWTH_SHARE * middle


def memory_check(memory: Mapping[str, Memory]) -> Check:
    """Return the check of memory, which says how much growth a run of this length can show."""
    old = {name: measured for name, measured in memory.items()
           if measured[-1][0] - measured[0][0] >= YOUNG}
    if growing := [name for name, measured in old.items() if grows(measured)]:
        return Check(False, f'memory grows: {", ".join(growing)}')
    if not old:
        return Check(True, f'memory: not judged, as no process ran for {YOUNG:g} s')
    return Check(True, 'memory grows by less than '
                 f'{max(map(allowed_growth, old.values())) / 1e6:.0f} MB an hour in each of '
                 f'{len(old)} processes; a longer run tells less')


def tracebacks(folder: Path) -> list[str]:
    """Return the names of the logs with an uncaught exception."""
    return sorted(log.name for log in folder.glob('*.log')
                  if TRACEBACK in log.read_text(encoding='utf-8', errors='replace'))


def checks(outcome: Outcome, crashed: Sequence[str]) -> list[Check]:
    """
    Return the checks.

    :param crashed: names of logs with an uncaught exception.
    """
    judged = [each for each in outcome.recoveries if each.happened.change.judged]
    beyond = [each for each in judged if not each.holds]
    wrong = {name: status for name, status in outcome.statuses.items() if status != 0}
    gap, which = max(outcome.gaps, default=(0.0, 'nothing'))
    account, missing = outcome.account, outcome.account.delivered - outcome.account.heard
    worst = max(judged, key=share_of_bound, default=None)
    return [
        Check(not outcome.failures, 'the run went as planned' if not outcome.failures
              else '; '.join(outcome.failures[:5])),
        Check(bool(judged) and not beyond,
              f'{len(judged) - len(beyond)} of {len(judged)} recoveries within the bound, to the '
              'partition that is right by true positions'
              + ('' if worst is None else f'; the nearest to it: {worst.happened.change.text}, '
                 f'{max(worst.seconds, worst.wrong):.1f} of {worst.happened.bound:.1f} s')),
        Check(outcome.settled, 'at the end each robot has the right leader'),
        right_check(outcome.right_time, outcome.most_wrong,
                    'losses, attacks and recoveries excepted'),
        Check(gap <= LONGEST_SILENCE,
              f'longest time between two messages of a living robot: {gap:.1f} s ({which})'),
        Check(not wrong and not crashed,
              f'{len(outcome.statuses)} processes ended with status 0, none with a traceback'
              if not wrong and not crashed else f'crashed: {wrong} {crashed}'),
        memory_check(outcome.memory),
        Check(outcome.unbalanced == 0,
              'the relay accounts for each copy in all of its reports'),
        Check(account.delivered > 0 and 0 <= missing <= LOST_SHARE * account.delivered,
              f'of {account.delivered} copies that the relay delivered robots counted '
              f'{account.heard}; DDS lost {missing}'),
        *outcome.further,
    ]


def share_of_bound(recovery: Recovery) -> float:
    """Return the share of its bound that a recovery took."""
    return max(recovery.seconds, recovery.wrong) / recovery.happened.bound


def table(recoveries: Sequence[Recovery]) -> str:
    """Return a table of recoveries, one line per kind of change."""
    lines = ['| change | times | led: median, worst [s] | right: median, worst [s] | bound [s] | '
             'most of it used |', '|---|---|---|---|---|---|']
    kinds: dict[str, list[Recovery]] = {}
    for each in recoveries:
        if each.happened.change.judged:
            kinds.setdefault(each.happened.change.label, []).append(each)
    for kind, found in sorted(kinds.items()):
        bounds = [each.happened.bound for each in found]
        low, high = f'{min(bounds):.1f}', f'{max(bounds):.1f}'
        times = ' | '.join(f'{statistics.median(seconds):.1f}, {max(seconds):.1f}' for seconds in (
            [each.seconds for each in found], [each.wrong for each in found]))
        lines.append(f'| {kind} | {len(found)} | {times} | '
                     f'{low if low == high else f"{low} to {high}"} | '
                     f'{max(map(share_of_bound, found)):.0%} |')
    return '\n'.join(lines)


def draw(outcome: Outcome, path: Path) -> None:
    """
    Draw all robots over time in their leaders' colours, with changes and robots without a leader.

    :param path: of the PNG.
    """
    start = outcome.begun
    attacks = list(dict.fromkeys(
        each.happened.change.label for each in outcome.recoveries
        if each.happened.change.kind == ATTACK))
    height = timeline_height(outcome.frames)
    figure = new_figure(12, height + 4.6, 'A swarm that is exposed to faults',
                        'middle: robots without a leader in reach; grey: with another leader '
                        'than the right one, which is not judged while the radio loses messages'
                        '\nbelow: the colour of each robot is that of its '
                        'leader; white: silent; dark lines: leads itself')
    above, middle, below = figure.subplots(3, 1, sharex=True, height_ratios=(2.2, 1.2, height))
    _add_changes(above, outcome, start, attacks)
    seen = [each for each in outcome.observations if 0.0 <= each.time - start <= outcome.seconds]
    times = [each.time - start for each in seen]
    middle.fill_between(times, [len(each.wrong or each.unled) for each in seen],
                        step='post', color=FAINT, linewidth=0.0)
    middle.fill_between(times, [len(each.unled) for each in seen],
                        step='post', color=colour(8), linewidth=0.0)
    middle.set_ylabel('robots', fontsize=FONT, color=INK)
    middle.set_ylim(bottom=0.0)
    middle.yaxis.set_major_locator(MaxNLocator(4, integer=True, min_n_ticks=1))
    add_timeline(below, outcome.frames, start)
    below.set_xlabel('time [s]', fontsize=FONT, color=INK)
    # The first fault is at the beginning. Its mark needs some room.
    below.set_xlim(-0.012 * outcome.seconds, 1.012 * outcome.seconds)
    for axes in (above, middle):
        tidy(axes)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, format='png')


def _add_changes(axes: Axes, outcome: Outcome, start: float, attacks: Sequence[str]) -> None:
    """Draw a line for each kind of change, with a mark when it happened. Attacks are numbered."""
    kinds: dict[str, list[Recovery]] = {}
    for each in outcome.recoveries:
        if each.happened.change.kind != ATTACK_OVER:
            kinds.setdefault(each.happened.change.kind, []).append(each)
    rows = {kind: row for row, kind in enumerate(sorted(kinds, reverse=True))}
    for kind, found in kinds.items():
        for each in found:
            at, held = each.happened.at - start, each.holds or not each.happened.change.judged
            if kind == ATTACK:
                axes.annotate(str(attacks.index(each.happened.change.label) + 1),
                              (at, rows[kind]), ha='center', va='center', fontsize=FONT - 1,
                              color=INK if held else NOTE)
            else:
                axes.plot(at, rows[kind], marker='o', markersize=5, color=INK if held else NOTE)
    axes.set_yticks(range(len(rows)), [kind.replace('_', ' ') for kind in rows])
    axes.set_ylim(-0.6, len(rows) - 0.4)
    names = ', '.join(f'{number} {label.partition(": ")[2]}'.replace(' ', NO_BREAK)
                      for number, label in enumerate(attacks, 1))
    missed = any(not each.holds for each in outcome.recoveries if each.happened.change.judged)
    axes.set_title('\n'.join(wrap(
        f'above: when the faults happened{"; red: recovered too late" if missed else ""}'
        + (f'; attacks: {names}' if names else ''), 150)), fontsize=FONT - 1, color=FAINT)


def statuses_of(ended: Mapping[str, int]) -> dict[str, int]:
    """Return the exit statuses, by name of the log."""
    return dict(sorted(ended.items()))
