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

"""The examination of a swarm by the checks of ``swarm_doctor``, and who hears whom, as a graph."""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from bokeh.models import ColumnDataSource
from bokeh.models.annotations import Arrow, VeeHead
from leader_election.swarm.doctor.command import MARKS
from leader_election.swarm.doctor.communication import hearing
from leader_election.swarm.doctor.diagnoses import choose, examine, Finding
from leader_election.swarm.doctor.observations import Level, listing, Observations
from leader_election.swarm.snapshot import Snapshot
from leader_election.swarm.view.drawing import FAINT
from leader_election.swarm.web.swarm_map import Data, lines

TINTS = {Level.NOTE: '#0072b2', Level.WARN: '#e69f00', Level.ERROR: '#b3261f'}
"""The colours of levels."""
NOTHING: Mapping[Any, Any] = MappingProxyType({})


class Examination(NamedTuple):
    """The findings of the checks, and the links between robots."""

    ids: Mapping[str, int] = NOTHING
    """By the names of robots."""
    hears: Mapping[tuple[str, str], bool] = NOTHING
    """By names of receiver and sender: whether the sender hears the receiver, too."""
    findings: Sequence[Finding] = ()
    """The causes, the gravest first."""

    def robots(self, index: int) -> list[int]:
        """Return the ids of the robots of a finding, as far as they are known."""
        return [self.ids[name] if name in self.ids else int(name.removeprefix('id '))
                for name in self.findings[index].subjects
                if name in self.ids or name.startswith('id ')]

    def lines(self) -> list[str]:
        """Return the findings as texts: level, robots, what was found, and what to do."""
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
    Return what the checks find in the swarms of some topics; of what explains another, the cause.

    :param topics: those between robots.
    """
    chosen = choose(swarm, topics)
    causes = [finding for finding in examine(chosen) if not finding.explained_by]
    return Examination(chosen.ids, hearing(chosen),
                       sorted(causes, key=lambda finding: -finding.level))


class HearingGraph:
    """
    The graph of who hears whom, and rings around robots with findings, on a map.

    :param chart: the figure of the map.
    :ivar sources: of what is drawn, by name.
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
        """Show an examination, with the robots where they are now."""
        for name, data in examined.graph(snapshot).items():
            self.sources[name].data = data
