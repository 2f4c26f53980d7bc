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

"""Details on the page of a running swarm: one robot, and the findings of the doctor."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape
from itertools import chain, repeat
import math
from types import MappingProxyType
from typing import Any, NamedTuple

from bokeh.models import ColumnDataSource
from bokeh.models.annotations import Arrow, VeeHead
from leader_election.election.robot import diagnostics as vocabulary
from leader_election.election.robot.diagnostics import RobotStatus
from leader_election.swarm.doctor.command import MARKS
from leader_election.swarm.doctor.communication import hearing
from leader_election.swarm.doctor.diagnoses import choose, examine, Finding
from leader_election.swarm.doctor.observations import Level, listing, Observations
from leader_election.swarm.snapshot import RobotView, Snapshot
from leader_election.swarm.view import formatting
from leader_election.swarm.view.drawing import FAINT
from leader_election.swarm.web.swarm_map import Data, lines
from leader_election.swarm.web.timeline import Event

MOST_EVENTS, MOST_RECEIVED = 4, 4
_DECISION = 300
"""The shown length of a decision [characters]."""


def way_to_leader(snapshot: Snapshot, robot: int, communication_range: float) -> list[int]:
    """
    Return a shortest path of messages from a robot to its leader, by announced distances.

    :param communication_range: the longest link [m].
    :return: ids from the robot to its leader, as far as the path is known.

    >>> robots = {i: RobotView(i, (2.0 * i, 0.0), -9.0, 2.0 * i, 0) for i in range(4)}
    >>> way_to_leader(Snapshot(0.0, robots), 3, 2.5)
    [3, 2, 1, 0]
    """
    robots, way = snapshot.robots, [robot]
    while (here := robots.get(way[-1])) is not None and here.leader != here.id:
        steps = [(other.distance + math.dist(here.position, other.position), other.id)
                 for other in robots.values()
                 if here.position is not None and other.position is not None
                 and other.leader == here.leader and other.distance < here.distance
                 and math.dist(here.position, other.position) <= communication_range]
        if not steps:
            break
        way.append(min(steps)[1])
    return way


def robot_html(robot: int, snapshot: Snapshot, way: Sequence[int],
               statuses: Iterable[RobotStatus] = (), events: Iterable[Event] = ()) -> str:
    """
    Return the details of a robot as HTML, with escaped texts of its messages.

    :param way: the path to its leader (:func:`way_to_leader`).
    :param statuses: its last statuses on ``/diagnostics``, empty if not received.
    :param events: of all robots.
    """
    view = snapshot.robots.get(robot) or snapshot.gone.get(robot)
    if view is None:
        return f'<h2>robot {robot}</h2><p>not heard yet</p>'
    found = {status.concern: status for status in statuses}
    values = {key: text for status in found.values() for key, text in status.values.items()}
    reaches = radii(found.values())
    rows = [*_election(view, snapshot, way, values), *_place(view, found)]
    rows += [('circles', 'it leaves a leader beyond {:g} m, and joins one within {:g} m'.format(
        *reaches))] if reaches else []
    rows += [('warning', status.message) for status in found.values() if status.level > 0]
    table = ''.join(f'<tr class="{name}"><th>{name}</th><td>{escape(text)}</td></tr>'
                    for name, text in rows if text)
    return f'<h2>robot {robot} {escape(view.name)}</h2><table>{table}</table>' + events_html(
        [event for event in events if event.robot == robot], MOST_EVENTS)


def events_html(events: Sequence[Event], most: int) -> str:
    """Return the last events as HTML, the newest first."""
    return ''.join(f'<p>{event.time:.1f} s: {escape(event.text)}</p>'
                   for event in events[:-most - 1:-1])


def radii(statuses: Iterable[RobotStatus]) -> tuple[float, ...]:
    """
    Return within which distance of its leader a robot stays, and it joins [m].

    :param statuses: its last statuses on ``/diagnostics``. Without radii the result is empty.
    """
    for status in statuses:
        radius = vocabulary.number(status.values, vocabulary.RADIUS)
        hysteresis = vocabulary.number(status.values, vocabulary.RADIUS_HYSTERESIS)
        if radius is not None and hysteresis is not None:
            return radius, radius * (1.0 - hysteresis)
    return ()


def _received(text: str) -> list[str]:
    """
    Return the candidacies that a robot received, the taken one first, at most some.

    >>> _received('7 offers 31 (4) at 2 m: weaker; 9 offers 34 (5) at 3 m: taken')
    ['9 offers 34 (5) at 3 m: taken', '7 offers 31 (4) at 2 m: weaker']
    """
    listed = sorted(text.split('; '), key=lambda each: not each.endswith(': taken'))
    more = len(listed) - MOST_RECEIVED
    return [*listed[:MOST_RECEIVED], *([f'… and {more} more'] if more > 0 else [])]


def _election(view: RobotView, snapshot: Snapshot, way: Sequence[int],
              values: dict[str, str]) -> list[tuple[str, str]]:
    """Return the rows about the election."""
    leads = view.leader == view.id
    role = values.get(vocabulary.ROLE, '')
    return [
        ('state', 'alive' if view.id in snapshot.robots else
         f'silent for {snapshot.time - view.heard:.1f} s'),
        ('leader', 'itself' if leads else
         f'{view.leader}{"" if view.leader in snapshot.robots else ", not alive"}'),
        ('because', values.get(vocabulary.BECAUSE, '')),
        ('role', role),
        ('distance', '' if leads else f'{view.distance:.2f} m'
         + (f', {formatting.count(int(values[vocabulary.HOPS]), "hop")}'
            if vocabulary.HOPS in values else '')),
        ('way', '' if leads else ' → '.join(map(str, way))),
        ('strength', values.get(vocabulary.STRENGTH, f'{-view.value:g}' if leads else '')),
        ('mandate', '' if view.term is None else
         (f'acts, term {view.term}' if view.term else 'leads, does not act') if leads else
         'under one' if view.granted else 'none'),
        ('members', '' if math.isnan(view.members) else formatting.member_number(view.members)),
        ('tasks', ', '.join(view.tasks)),
        ('decision', formatting.shortened(view.decision, _DECISION)),
        ('fields', formatting.shortened(formatting.fields_text(view.fields), _DECISION)),
        ('neighbours', values.get(vocabulary.NEIGHBOURS, '')),
        *((name, received) for name, received in zip(
            chain(['received'], repeat('')), _received(values.get(vocabulary.CANDIDACIES, ''))))]


def _place(view: RobotView, found: dict[str, RobotStatus]) -> list[tuple[str, str]]:
    """Return the rows about its position."""
    reckoned = view.dead_reckoned
    odometry = found.get(vocabulary.ODOMETRY)
    return [
        ('position', 'not known' if view.position is None else
         '{:.2f}, {:.2f} m'.format(*view.position)
         + ('' if math.isnan(view.deviation) else f' ± {view.deviation:.2f} m')),
        ('by odometry', '' if reckoned is None else '{:.2f}, {:.2f} m'.format(*reckoned[:2])),
        ('odometry', '' if odometry is None else odometry.message)]


TINTS = {Level.NOTE: '#0072b2', Level.WARN: '#e69f00', Level.ERROR: '#b3261f'}
NOTHING: Mapping[Any, Any] = MappingProxyType({})


class Examination(NamedTuple):
    """The findings of the checks, and the links between robots."""

    ids: Mapping[str, int] = NOTHING
    """By the names of robots."""
    hears: Mapping[tuple[str, str], bool] = NOTHING
    """Whether the sender hears the receiver, too, by names of receiver and sender."""
    findings: Sequence[Finding] = ()
    """Root causes, the gravest first."""

    def robots(self, index: int) -> list[int]:
        """Return the known ids of the robots of a finding."""
        return [self.ids[name] if name in self.ids else int(name.removeprefix('id '))
                for name in self.findings[index].subjects
                if name in self.ids or name.startswith('id ')]

    def lines(self) -> list[str]:
        """Return the findings as texts: level, robots, description and advice."""
        return [f'{MARKS[found.level]} {listing(found.subjects)}{": " if found.subjects else ""}'
                f'{found.what}. {found.remedy}' for found in self.findings]

    def graph(self, snapshot: Snapshot) -> dict[str, Data]:
        """Return the lines ``mutual``, ``one_way`` sender to receiver, and rings ``found``."""
        places = {i: view.position for i, view in snapshot.robots.items()
                  if view.position is not None}
        ends: dict[bool, list[tuple[float, ...]]] = {True: [], False: []}
        for (receiver, sender), mutual in self.hears.items():
            one, other = self.ids[receiver], self.ids[sender]
            if one in places and other in places and (not mutual or one < other):
                ends[mutual].append((*places[other], *places[one]))
        worst: dict[int, Level] = {}
        for index, found in enumerate(self.findings):
            for robot in self.robots(index):
                worst.setdefault(robot, found.level)
        ringed = [(*places[i], TINTS[level]) for i, level in worst.items() if i in places]
        return {'mutual': lines(ends[True]), 'one_way': lines(ends[False]),
                'found': {name: [row[k] for row in ringed]
                          for k, name in enumerate(('x', 'y', 'tint'))}}


def examination(swarm: Observations, topics: Collection[str]) -> Examination:
    """
    Return the root causes that the checks find in the swarms of some topics.

    :param topics: of messages between robots.
    """
    chosen = choose(swarm, topics)
    causes = [finding for finding in examine(chosen) if not finding.explained_by]
    return Examination(chosen.ids, hearing(chosen),
                       sorted(causes, key=lambda finding: -finding.level))


class HearingGraph:
    """
    Draws the links between robots, and rings around robots with findings.

    :param chart: the figure of the map.
    :ivar sources: the sources of links and rings, by name.
    """

    def __init__(self, chart: Any) -> None:
        self.sources = {name: ColumnDataSource(data, name=name)
                        for name, data in Examination().graph(Snapshot(0.0, {})).items()}
        chart.segment('x0', 'y0', 'x1', 'y1', source=self.sources['mutual'], line_color=FAINT,
                      line_width=1.5)
        tint = TINTS[Level.WARN]
        chart.add_layout(Arrow(
            x_start='x0', y_start='y0', x_end='x1', y_end='y1', source=self.sources['one_way'],
            line_color=tint, line_width=3,  # type: ignore[call-arg]
            end=VeeHead(size=14, line_color=tint, fill_color=tint)))
        chart.scatter('x', 'y', source=self.sources['found'], size=20, fill_color=None,
                      line_width=3, line_color='tint')

    def show(self, examined: Examination, snapshot: Snapshot) -> None:
        """Draw an examination at the present positions of the robots."""
        for name, data in examined.graph(snapshot).items():
            self.sources[name].data = data
