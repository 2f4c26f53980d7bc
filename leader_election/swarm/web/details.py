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
import math
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from jinja2 import Environment
from leader_election.election.robot import diagnostics as vocabulary
from leader_election.election.robot.diagnostics import RobotStatus
from leader_election.swarm.doctor.command import MARKS
from leader_election.swarm.doctor.communication import hearing
from leader_election.swarm.doctor.diagnoses import choose, examine, Finding
from leader_election.swarm.doctor.observations import Level, listing, Observations
from leader_election.swarm.snapshot import Snapshot
from leader_election.swarm.view.formatting import fields_text
from leader_election.swarm.web.swarm_map import ALARM, Data, tabulated, WARNING

MOST_RECEIVED = 4
_ROBOT = Environment(autoescape=True).from_string(
    Path(__file__).with_name('robot.html.j2').read_text(encoding='utf-8'))


def way_to_leader(snapshot: Snapshot, robot: int, communication_range: float) -> list[int]:
    """
    Return a shortest path of messages from a robot to its leader, by announced distances.

    :param communication_range: the longest link [m].
    :return: ids from the robot to its leader, as far as the path is known.

    >>> from leader_election.swarm.snapshot import RobotView
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
               statuses: Iterable[RobotStatus] = ()) -> str:
    """
    Return the details of a robot as HTML, with escaped texts of its messages.

    :param way: the path to its leader (:func:`way_to_leader`).
    :param statuses: its last statuses on ``/diagnostics``, empty if not received.
    """
    view = snapshot.robots.get(robot) or snapshot.gone.get(robot)
    if view is None:
        return f'<h2>robot {robot}</h2><p>not heard yet</p>'
    found = {status.concern: status for status in statuses}
    values = {key: text for status in found.values() for key, text in status.values.items()}
    return _ROBOT.render(
        view=view, way=way, robots=snapshot.robots, silent=snapshot.time - view.heard,
        values=values, fields=fields_text(view.fields), statuses=found,
        received=_received(values.get(vocabulary.CANDIDACIES, '')), radii=radii(found.values()))


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
    listed = sorted(filter(None, text.split('; ')), key=lambda each: not each.endswith(': taken'))
    more = len(listed) - MOST_RECEIVED
    return [*listed[:MOST_RECEIVED], *([f'… and {more} more'] if more > 0 else [])]


TINTS = {Level.NOTE: '#0072b2', Level.WARN: WARNING, Level.ERROR: ALARM}
NOTHING: Mapping[Any, Any] = MappingProxyType({})


class Examination(NamedTuple):
    """The findings of the checks, and the links between robots."""

    ids: Mapping[str, int] = NOTHING
    """By the names of robots."""
    hears: Mapping[tuple[str, str], bool] = NOTHING
    """Whether the sender hears the receiver, too, by names of receiver and sender."""
    findings: Sequence[Finding] = ()
    """Root causes, the gravest first."""

    def html(self) -> str:
        """Return the findings as HTML: level, robots, description and advice."""
        return f'<h2>{len(self.findings)} findings</h2>' + ''.join(
            f'<p><b style="color:{TINTS[found.level]}">{MARKS[found.level]}</b> '
            + escape(f'{listing(found.subjects)}{": " if found.subjects else ""}{found.what}. '
                     f'{found.remedy}') + '</p>' for found in self.findings)


def examination(swarm: Observations, topics: Collection[str]) -> Examination:
    """
    Return the root causes that the checks find in the swarms of some topics.

    :param topics: of messages between robots.
    """
    chosen = choose(swarm, topics)
    causes = [finding for finding in examine(chosen) if not finding.explained_by]
    return Examination(chosen.ids, hearing(chosen),
                       sorted(causes, key=lambda finding: -finding.level))


def marks(snapshot: Snapshot, way: Sequence[int], around: Sequence[float],
          examined: Examination) -> dict[str, Data]:
    """
    Return the marks of one viewer on the map, as the data of their sources.

    These are the chosen robot, its way to its leader and its radii, links and findings.

    :param way: from the chosen robot to its leader, empty without a chosen robot.
    :param around: radii around the leader of the chosen robot [m].
    """
    known = snapshot.gone | snapshot.robots
    places = {i: view.position for i, view in known.items() if view.position is not None}
    leader = known[way[0]].leader if way and way[0] in known else None
    living = {f'id {i}': place for i, place in places.items() if i in snapshot.robots}
    living |= {name: places[i] for name, i in examined.ids.items() if f'id {i}' in living}
    ends: dict[bool, list[tuple[float, ...]]] = {True: [], False: []}
    for (receiver, sender), mutual in examined.hears.items():
        once = not mutual or examined.ids[receiver] < examined.ids[sender]
        if once and {receiver, sender} <= living.keys():
            ends[mutual].append((*living[sender], *living[receiver]))
    # The gravest come first.
    worst = {name: found.level for found in reversed(examined.findings)
             for name in found.subjects if name in living}
    return tabulated({
        'way': [places[i] for i in way if i in places],
        'chosen': [places[i] for i in way[:1] if i in places],
        'radii': [(*places[leader], radius) for radius in around if leader in places],
        'mutual': ends[True], 'one_way': ends[False],
        'found': [(*living[name], TINTS[level]) for name, level in worst.items()]})
