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

"""All that is known of one robot, as HTML, and the way of its candidacy from its leader."""

from collections.abc import Iterable, Sequence
from html import escape
import math

from leader_election.election.robot import diagnostics as vocabulary
from leader_election.election.robot.diagnostics import RobotStatus
from leader_election.swarm.snapshot import RobotView, Snapshot
from leader_election.swarm.view import formatting
from leader_election.swarm.web.timeline import Event

MOST_EVENTS = 6
"""The greatest number of events of a robot that are shown."""
_DECISION = 300
"""The greatest length of a decision that is shown [characters]."""


def way_to_leader(snapshot: Snapshot, robot: int, communication_range: float) -> list[int]:
    """
    Return a shortest way of messages from a robot to its leader, by the announced distances.

    :param communication_range: the longest link [m].
    :return: ids from the robot to its leader; a part of the way where the rest is not known.

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
    Return all that is known of a robot, as HTML; texts of its messages are escaped.

    :param way: to its leader (:func:`way_to_leader`).
    :param statuses: its last ones on ``/diagnostics``; empty: not received.
    :param events: of all robots.
    """
    view = snapshot.robots.get(robot) or snapshot.gone.get(robot)
    if view is None:
        return f'<h2>robot {robot}</h2><p>not heard yet</p>'
    found = {status.concern: status for status in statuses}
    values = {key: text for status in found.values() for key, text in status.values.items()}
    rows = [*_election(view, snapshot, way, values), *_place(view, found)]
    rows += [('warning', status.message) for status in found.values() if status.level > 0]
    table = ''.join(f'<tr class="{name}"><th>{name}</th><td>{escape(text)}</td></tr>'
                    for name, text in rows if text)
    own = [event for event in events if event.robot == robot][:-MOST_EVENTS - 1:-1]
    lines = ''.join(f'<li>{event.time:.1f} s: {escape(event.text)}</li>' for event in own)
    return (f'<h2>robot {robot} {escape(view.name)}</h2><table>{table}</table>'
            f'{f"<ul>{lines}</ul>" if lines else ""}')


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
        ('role', role),
        ('distance', '' if leads else f'{view.distance:.2f} m'
         + (f', {values[vocabulary.HOPS]} hops' if vocabulary.HOPS in values else '')),
        ('way', '' if leads else ' → '.join(map(str, way))),
        ('strength', values.get(vocabulary.STRENGTH, f'{-view.value:g}' if leads else '')),
        ('mandate', '' if view.term is None else
         (f'acts, term {view.term}' if view.term else 'leads, does not act') if leads else
         'under one' if view.granted else 'none'),
        ('members', '' if math.isnan(view.members) else formatting.member_number(view.members)),
        ('tasks', ', '.join(view.tasks)),
        ('decision', formatting.shortened(view.decision, _DECISION)),
        ('fields', formatting.shortened(formatting.fields_text(view.fields), _DECISION)),
        ('neighbours', values.get(vocabulary.NEIGHBOURS, ''))]


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
