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

"""
An instance: one election with its regions, of which a robot may run several at once.

The pattern is COORDINATION 2019 (:mod:`leader_election.coordination.pattern`); here it gets its
tasks, and its variants: zones, leaders that know their neighbours, leaders of leaders.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
import json
import math
from typing import Any, NamedTuple

from leader_election.algorithms import ALGORITHMS, Device
from leader_election.coordination.aggregate import Aggregate, count, Layout
from leader_election.coordination.extent import DIRECTIONS, extent
from leader_election.coordination.feedback import scaled
from leader_election.coordination.pattern import coordinate
from leader_election.coordination.plan import OWN, RANKED
from leader_election.coordination.region import BARRED, CANDIDATE, Region, RELAY, ROLES
from leader_election.coordination.settings import blank_region, parameters_of
from leader_election.parameters import ParameterError
from leader_election.robot.codec import Message, Part, Position
from leader_election.robot.duty import Duty
from leader_election.robot.instance_parameters import InstanceParameters
from leader_election.robot.strength import Strength, STRENGTH_SOURCES
from leader_election.robot.told import dumps, exactly, MAX_DECISION, Told
from leader_election.robot.zones import Zones

MEMBERS = 'members'
"""The number of a region's robots, which every summary begins with; relays do not count."""
OUTLINE = 'outline'
BORDERS = 'borders'
MOST_MEMBERS = 100_000
"""A summary of more robots than this is wrong."""
WORDS = 3
"""So many numbers leaders tell each other over the borders of their regions."""
MOST_BORDERS = 8
"""The most regions that a leader knows next to its own; those of the lowest ids."""
TASK_ERRORS = 'task_errors'
TASKS_DIFFER = 'rejected_other_tasks'
WRONG_SUMMARY = 'rejected_other_summary'
DECISION_TOO_LONG = 'decisions_too_long'


class Neighbour(NamedTuple):
    """A robot whose message counts in this round."""

    message: Message
    distance: float
    """By the metric [m]."""


class Seen(NamedTuple):
    """The neighbours of a round that take part in this instance."""

    messages: list[Message]
    exports: list[Any]
    regions: list[Any]
    """As :class:`~leader_election.coordination.region.Region`, blank where nothing is told."""
    metric: list[float]


class _Columns(NamedTuple):
    """What the pattern reads of neighbours, a column a field."""

    leader: Sequence[int]
    distance: Sequence[float]
    device: Sequence[int]
    via: Sequence[int]
    reach: Sequence[float]
    heirs: Sequence[Sequence[int]]
    shares: Sequence[Sequence[float]]
    summary: Sequence[Sequence[float]]
    word: Sequence[Sequence[float]]
    members: Sequence[Sequence[int]]
    ages: Sequence[Sequence[int]]
    offers: Sequence[Sequence[float]]
    decision: Sequence[str]


class _Before(NamedTuple):
    """The own state before a round, as the pattern reads it."""

    leader: int
    distance: float
    role: int
    offer: Sequence[float]
    load: float
    say: Sequence[float]
    word: Sequence[float]
    members: Sequence[int]
    ages: Sequence[int]
    offers: Sequence[float]
    heirs: Sequence[int]
    shares: Sequence[float]


class Instance:
    """
    One instance on one robot.

    :param name: ``main`` for the first.
    :param link_range: where a neighbour is heard no more, in the metric [m]; infinite: not known.
    :param duties: what its regions do.
    :param below: the instance whose leaders are its candidates.
    """

    def __init__(self, name: str, robot_id: int, parameters: InstanceParameters,
                 link_range: float, duties: Sequence[Duty] = (),
                 below: 'Instance | None' = None) -> None:
        self.name = name
        self.robot_id = robot_id
        self.algorithm = ALGORITHMS.get(parameters.algorithm)
        self.source = STRENGTH_SOURCES.get(parameters.strength_source)
        self.strength = Strength(parameters.strength, 0.0)
        self.zones = Zones(parameters.zones) if parameters.zones else None
        self.zone: str | None = None
        """The zone that the robot is in, where there are zones."""
        self.duties = list(duties)
        self.below = below
        self.counts: Counter[str] = Counter(
            {TASK_ERRORS: 0, TASKS_DIFFER: 0, WRONG_SUMMARY: 0, DECISION_TOO_LONG: 0})
        self.tasks = ','.join(duty.name for duty in self.duties)
        self._link_range = link_range
        self._layout = _layout(self.duties, parameters)
        for part, aggregate in self._layout.aggregates.items():
            if parameters.collection == 'multi-path' and not aggregate.idempotent \
                    and aggregate.kind == OWN:
                raise ParameterError(
                    f"parameter collection: 'multi-path' is not allowed for {part}, which is not "
                    'idempotent; it takes tree or gossip')
        self._role = ROLES.index(parameters.role)
        self.configure(parameters)
        self.state: Any = self.algorithm.start(self._device())
        blank = self._layout.blank
        self._blank: Region | None = None
        if parameters.forms_regions:
            self._blank = blank_region(
                parameters, blank, blank, words=WORDS * parameters.connected, undecided='')
        self.region = self._blank
        self.decision: list[Any] = []
        """The leader's decision, an entry a task; empty: none."""

    def configure(self, parameters: InstanceParameters) -> None:
        """Take over parameters that were changed."""
        self.parameters = parameters
        settings = dict(vars(parameters))
        if parameters.zones:
            settings['radius'] = math.inf
        self._round_parameters = self.algorithm.parameters(settings)
        asked = parameters.strength_hysteresis
        self.strength.hysteresis = self.source.hysteresis if asked < 0.0 else asked
        if not self.strength.heard:
            self.strength.announced = parameters.strength
        takes = 'radius' in self.algorithm.takes and not parameters.zones
        border = len(self._layout.aggregates) - 1 if parameters.connected else -1
        self._region_parameters = parameters_of(
            parameters, self._layout.plan, radius=parameters.radius if takes else math.inf,
            link_range=self._link_range, undecided='', border=border)

    # What it has come to.

    @property
    def leads(self) -> bool:
        """Whether it is a leader, and not only led by itself for want of any other."""
        return (self.state.leader == self.robot_id and math.isfinite(self.state.distance)
                and self.standing == CANDIDATE)

    @property
    def standing(self) -> int:
        """``CANDIDATE``, ``WORKER`` or ``RELAY``, as of now."""
        if self.zones is not None and self.zone is None:
            return RELAY
        if self.below is not None:
            return CANDIDATE if self.below.leads else RELAY
        return self._role

    @property
    def role(self) -> str:
        """What the robot is now: candidate (without a leader yet), leader, worker or relay."""
        if self.leads:
            return 'leader'
        if self.standing == CANDIDATE and self.state.leader != self.robot_id:
            return 'worker'
        return ROLES[self.standing]

    @property
    def strength_missing(self) -> bool:
        """Whether the strength comes from a topic that has not spoken yet."""
        return self.source.topic != '' and not self.strength.heard

    @property
    def radius(self) -> float:
        """The radius of the region [m]; infinite where the algorithm knows none."""
        if self.region is not None and self.region.reach > 0.0:
            return float(self.region.reach)
        if self.zones is not None or 'radius' not in self.algorithm.takes:
            return math.inf
        return self.parameters.radius

    @property
    def distance(self) -> float:
        """The way to the leader [m]; under feedback the state's own is in units of radii."""
        if self.parameters.feedback_gain > 0.0:
            return float(self.state.distance) * self.radius / self.parameters.radius
        return float(self.state.distance)

    @property
    def summary(self) -> dict[str, Any]:
        """What was collected up to here, on a leader: of its region; by task and name."""
        if self.region is None:
            return {}
        return self._layout.results(self.region.summary)

    @property
    def outline(self) -> list[Position] | None:
        """The corners of the region [m], as far as is known; ``None`` where nothing is."""
        corners = self.summary.get(OUTLINE)
        return None if corners is None else [(x, y) for x, y in corners]

    def borders(self) -> dict[int, tuple[float, ...]]:
        """Return the regions next to one's own that are known: what their leaders say, by id."""
        found = self.summary.get(BORDERS, [])
        return {int(record[0]): tuple(record[2:]) for record in found}

    # What it does.

    def place(self, position: Position | None) -> None:
        """Take in where the robot is."""
        if self.zones is not None:
            self.zone = self.zones.at(position)

    def see(self, neighbours: Sequence[Neighbour]) -> Seen:
        """Return the neighbours that take part in this instance."""
        seen = Seen([], [], [], [])
        for message, far in neighbours:
            algorithm, export, told = message.part(self.name)
            if export is None or algorithm not in (None, self.algorithm.name):
                continue
            if self.zones is not None and (
                    self.zone is None or self.zones.at(message.position) != self.zone):
                continue
            seen.messages.append(message)
            seen.exports.append(export)
            seen.regions.append(self._region_of(message.id, told))
            seen.metric.append(far)
        return seen

    def elect(self, seen: Seen) -> Any:
        """Return the state of the election after a round; nothing is changed."""
        metric: Any = seen.metric
        if self._blank is not None and self._region_parameters.gain > 0.0:
            metric = scaled([region.reach for region in seen.regions], metric,
                            self._region_parameters).tolist()
        state = self.algorithm.compute(
            self._device(), self.state, seen.exports, metric, self._round_parameters)
        # A tenth of a millimetre is what positions are told to.
        return state._replace(distance=round(state.distance, 4)) \
            if math.isfinite(state.distance) else state

    def round(self, seen: Seen, position: Position | None) -> None:
        """Run a round: elect, then coordinate, then act."""
        before, self.state = self.state, self.elect(seen)
        if self.region is None or self._blank is None:
            return
        self._brief(seen)
        old = self.region
        columns = _Columns(
            [export.leader for export in seen.exports],
            [export.distance for export in seen.exports],
            *([getattr(region, field) for region in seen.regions]
              for field in _Columns._fields[2:]))
        own = _Before(
            before.leader, before.distance, self.standing, self._offer(position), old.load,
            self._say(position), old.word, old.members, old.ages, old.offers, old.heirs, old.shares)
        after = coordinate(
            self._device(), self.state.leader, self.state.distance, own, columns, seen.metric,
            self._region_parameters, self._decide)
        self.region = _plain(after)
        self.decision = json.loads(after.decision) if after.decision else []
        for k, duty in enumerate(self.duties):
            if self.below is None:
                duty.act(self._decided(k))
            else:
                self.below.hear_from_above(duty.name, self._decided(k))
        self.counts[TASK_ERRORS] = sum(duty.errors for duty in self.duties)

    def told(self) -> Told | None:
        """Return what the neighbours are told of the region, if there are any."""
        region = self.region
        if region is None:
            return None
        known = sum(heir != -1 for heir in region.heirs)
        members = sum(member != -1 for member in region.members)
        gossip = members * len(self._layout.blank)
        return Told(
            self.tasks, region.via,
            region.reach if self._region_parameters.gain > 0.0 else 0.0,
            () if members else region.summary, region.heirs[:known], region.shares[:known],
            region.word, region.members[:members], region.ages[:members],
            region.offers[:gossip], region.decision)

    def part(self) -> Part:
        """Return what the neighbours are told of this instance."""
        return Part(self.algorithm.name, self.state, self.told())

    def hear_from_above(self, task: str, decision: Any) -> None:
        """Take in what the leader of leaders has decided for a task."""
        for duty in self.duties:
            if duty.name == task:
                duty.task.member.above = decision

    # Inside.

    def _decided(self, k: int) -> Any:
        """Return the leader's decision for one of the tasks."""
        return self.decision[k] if k < len(self.decision) else None

    def _brief(self, seen: Seen) -> None:
        """Tell the tasks how their robot stands."""
        for duty in self.duties:
            member = duty.task.member
            member.leader, member.leads = self.state.leader, self.leads
            member.distance, member.radius = self.distance, self.radius
            member.neighbours = {
                message.id: message.position
                for message, export in zip(seen.messages, seen.exports)
                if export.leader == self.state.leader}
            member.borders = self.borders() if self.leads else {}

    def _device(self) -> Device:
        if self.below is not None:
            strength = self.below.strength.announced
        else:
            strength = self.strength.announced
        return Device(self.robot_id, strength if self.standing == CANDIDATE else BARRED)

    def _offer(self, position: Position | None) -> tuple[float, ...]:
        """Return what this robot contributes in this round."""
        if self.below is not None:
            if self.below.leads and self.below.region is not None:
                # What is told over borders is another matter on each level.
                border = self._region_parameters.border
                known = self._layout.plan.start[border] if border >= 0 else None
                return self.below.region.summary[:known] + self._layout.blank[
                    len(self.below.region.summary[:known]):]
            return self._layout.blank
        if self.standing == RELAY:
            return self._layout.blank
        rows = [duty.sense(self.robot_id) for duty in self.duties]
        if self.parameters.outline:
            nowhere = (math.inf,) * DIRECTIONS
            rows.append(tuple(extent().offer(self.robot_id, position)) if position else nowhere)
        row = (1.0, *chain.from_iterable(rows))
        return row + self._layout.blank[len(row):]

    def _say(self, position: Position | None) -> tuple[float, ...]:
        """Return what this robot tells other regions' leaders, if it leads."""
        if not self.parameters.connected or self.region is None:
            return ()
        for duty in self.duties:
            said = duty.say()
            if said is not None:
                return (*said, 0.0, 0.0, 0.0)[:WORDS]
        return (*(position or (0.0, 0.0)), float(self.region.summary[0]))

    def _decide(self, summary: Any) -> str:
        """Return the decision of a leader, as it is told."""
        if not self.duties:
            return ''
        results = self._layout.results(tuple(float(number) for number in summary))
        decisions = [duty.decide(_of(duty.name, results)) for duty in self.duties]
        if all(decision is None for decision in decisions):
            return ''
        text = dumps(decisions)
        if len(text) > MAX_DECISION:
            self.counts[DECISION_TOO_LONG] += 1
            return ''
        return text

    def _region_of(self, sender: int, told: Told | None) -> Any:
        """Return what a neighbour told of its region; a blank one where that cannot be used."""
        blank = self._blank
        if blank is None:
            return None
        nothing = blank._replace(device=sender, reach=self.parameters.radius)
        if told is None:
            return nothing
        if told.tasks != self.tasks:
            self.counts[TASKS_DIFFER] += 1
            return nothing
        row = self._layout.blank
        members = len(told.members)
        summary = _of_length(told.summary, row) if told.summary or not members else row
        offers = _of_length(told.offers, row * members) if members else ()
        if (summary is None or offers is None or len(told.heirs) > len(blank.heirs)
                or members > len(blank.members) or not 0.0 <= summary[0] <= MOST_MEMBERS):
            self.counts[WRONG_SUMMARY] += 1
            return nothing
        return blank._replace(
            device=sender, via=told.via, reach=told.reach or self.parameters.radius,
            heirs=_filled(told.heirs, blank.heirs), shares=_filled(told.shares, blank.shares),
            summary=summary, word=_filled(told.word, blank.word)[:len(blank.word)],
            members=_filled(told.members, blank.members), ages=_filled(told.ages, blank.ages),
            offers=_filled(offers, blank.offers), decision=told.decision)


def _layout(duties: Sequence[Duty], parameters: InstanceParameters) -> Layout:
    # Shares are told in so many digits only; a thousandth of a robot is none.
    members = replace(count(), result=lambda row: round(float(row[0]), 3))
    parts: dict[str, Aggregate] = {MEMBERS: members}
    for duty in duties:
        parts.update({f'{duty.name}.{name}': aggregate
                      for name, aggregate in duty.layout.aggregates.items()})
    if parameters.outline:
        parts[OUTLINE] = extent()
    if parameters.connected:
        width = 2 + WORDS
        parts[BORDERS] = Aggregate(
            BORDERS, RANKED, (math.inf,) * width * MOST_BORDERS, lambda _, reading: reading,
            lambda row: [list(row[at:at + width]) for at in range(0, len(row), width)
                         if row[at] < math.inf], width)
    return Layout(parts)


def _of(task: str, results: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was collected for a task, and what all get."""
    start = f'{task}.'
    return {name.removeprefix(start): value for name, value in results.items()
            if name.startswith(start) or '.' not in name}


def _of_length(row: Sequence[float], blank: Sequence[float]) -> tuple[float, ...] | None:
    """Return a row with what was left out at its end; ``None`` where it is of another kind."""
    if len(row) > len(blank) or any(n != math.inf for n in blank[len(row):]):
        return None
    full = (*row, *blank[len(row):])
    wrong = any(number == math.inf != none for number, none in zip(full, blank))
    return None if wrong else full


def _filled(row: Sequence[Any], blank: Sequence[Any]) -> tuple[Any, ...]:
    return (*row, *blank[len(row):])


def _plain(region: Region) -> Region:
    """Return a region in plain Python, with shares as they are told."""
    return region._replace(
        load=float(region.load), reach=float(region.reach), via=int(region.via),
        summary=tuple(map(float, region.summary)), word=tuple(map(float, region.word)),
        heirs=tuple(map(int, region.heirs)), shares=exactly([float(s) for s in region.shares]),
        members=tuple(map(int, region.members)), ages=tuple(map(int, region.ages)),
        offers=tuple(map(float, region.offers)), offer=tuple(region.offer))
