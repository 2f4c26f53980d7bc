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
Rounds of elections composed with regions, and with the robots' metrics and strength sources.

Straight distance, hops and degree are built into the engine. Any other metric with a ``cost`` or
``course``, and any other strength source with a ``compute``, is composed with the election's
round. One round measures, computes the strength, and elects. Robots call the same functions.
Devices sense a field over the plane. A reading is part of the device's state and messages.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
import math
from typing import Any, cast, get_type_hints, NamedTuple

from leader_election.election.algorithms import Algorithm, Device
from leader_election.election.algorithms.algorithm import BARRED
from leader_election.election.algorithms.classic import Choice, classic_round, ClassicParameters
from leader_election.election.algorithms.fields import Kept
from leader_election.election.regions import collection
from leader_election.election.regions.aggregate import Aggregate, AGGREGATES, layout_of
from leader_election.election.regions.collection import SummaryLayout
from leader_election.election.regions.region import initial_region, parameters_of, RELAY, ROLES
from leader_election.election.robot.metrics import Metric, METRICS
from leader_election.election.robot.strength import (
    RobotKnowledge,
    STRENGTH_SOURCES,
    StrengthSource,
)
from leader_election.parameters import build, NoParameters, ParameterError, table
from leader_election.parameters.registry import Registry
from leader_election_lab.experiment import schema
from leader_election_lab.simulation.variants import coordinated, types_of
import numpy as np
from numpy.typing import NDArray

FIELDS: dict[str, Any] = {
    'sensed': float, 'place_x': float, 'place_y': float, 'speed_x': float, 'speed_y': float,
    'clock': Kept[float], 'announced': Kept[float]}
"""
The fields of a state beside those of the election: the device's reading, its position, its
velocity by the last two positions, the time, and the strength that it announces.
"""
NOTHING = -BARRED
"""The strength announced before the first round, from which any other differs enough."""
_REGISTRIES: dict[str, Registry[Any]] = {'metric': METRICS, 'source': STRENGTH_SOURCES}


@dataclass(frozen=True)
class Sensing:
    """The metric and the strength source of a scenario that the engine does not have built in."""

    metric: Metric | None = None
    metric_parameters: Any = None
    source: StrengthSource | None = None
    source_parameters: Any = None
    hysteresis: float = 0.0
    """The least change of the source's strength that a device announces."""

    def with_metric(self, name: str, values: Mapping[str, Any]) -> 'Sensing':
        """
        Return a copy with the metric of a scenario.

        :param values: the metric's own parameters by name.
        :raises ParameterError: for a metric that only robots have, or a wrong value.
        """
        metric = None if name in schema.BUILT_IN_METRICS else METRICS.get(name)
        return replace(self, metric=metric, metric_parameters=_numbers('metric', metric, values))

    def with_source(self, cycle: Sequence[str], values: Mapping[str, Any],
                    hysteresis: float = -1.0) -> 'Sensing':
        """
        Return a copy with the strength source of a scenario.

        :param values: the source's own parameters by name.
        :param hysteresis: if negative, the default of the source.
        :raises ParameterError: for a source beside other strengths, or a wrong value.
        """
        computed = [kind for kind in cycle if kind not in schema.STRENGTHS]
        if computed and len(cycle) > 1:
            raise ParameterError('cycle', problem=f': {list(cycle)} is not allowed; {computed[0]} '
                                 'is computed in each round, so it stands alone')
        source = STRENGTH_SOURCES.get(computed[0]) if computed else None
        if source is None and hysteresis >= 0.0:
            raise ParameterError('hysteresis', problem=f': {hysteresis:g} is not allowed; it goes '
                                 'with a strength source of robots')
        if source is not None and hysteresis < 0.0:
            hysteresis = source.hysteresis
        return replace(self, source=source, source_parameters=_numbers('source', source, values),
                       hysteresis=hysteresis)

    def __bool__(self) -> bool:
        """Return whether there is a metric or a source."""
        return self.metric is not None or self.source is not None


class Parameters(NamedTuple):
    """The parameters of a composed round."""

    election: Any
    metric: Any
    source: Any
    floor: float
    sign: float
    """-1 where the weakest wins, else 1."""
    hysteresis: float
    """The least change of the strength that a device announces."""


def _numbers(kind: str, entry: Any, values: Mapping[str, Any]) -> Any:
    """Return own parameters as a named tuple for compiled code."""
    checked = build(NoParameters if entry is None else entry.parameters, values)
    if entry is None:
        return ()
    return own_type(kind, entry.name)(
        *(getattr(checked, p.name) for p in table(entry.parameters) if p.type in _NUMERIC), 0)


_NUMERIC = (bool, int, float)
"""The types of parameters that compiled code accepts. Texts and lists are left out."""


@cache
def own_type(kind: str, name: str) -> Any:
    """Return the named tuple of an entry's own numeric parameters, the same one each time."""
    entry = _REGISTRIES[kind].get(name)
    fields = [(p.name, p.type) for p in table(entry.parameters) if p.type in _NUMERIC]
    # Never empty: the type of the parameters distinguishes the compiled code of two entries.
    own = cast(Any, NamedTuple)(f'{kind}_{name}'.replace('-', '_'), [*fields, ('unused', int)])
    # Compiled code that is loaded from the cache finds the type by this name.
    own.__module__ = __name__
    return own


def __getattr__(name: str) -> Any:
    """Return the named tuple of own parameters with a name."""
    for kind, registry in _REGISTRIES.items():
        for entry in registry.names():
            if name == f'{kind}_{entry}'.replace('-', '_'):
                return own_type(kind, entry)
    raise AttributeError(f'module {__name__} has no {name}')


def with_sensing(entrant: schema.Entrant, sensing: Sensing, floor: float) -> schema.Entrant:
    """
    Return an entrant whose round measures and computes as robots do.

    :param floor: the least distance to a neighbour.
    :raises ParameterError: for an algorithm whose state has one of :data:`FIELDS` already.
    """
    if not sensing:
        return entrant
    parameters = Parameters(
        entrant.parameters, sensing.metric_parameters, sensing.source_parameters, floor,
        -1.0 if entrant.weakest else 1.0, sensing.hysteresis)
    return replace(entrant, algorithm=_composed(entrant.algorithm, sensing.metric, sensing.source),
                   parameters=parameters)


def plain_parameters(entrant: schema.Entrant) -> Any:
    """Return the parameters of an entrant's round, without those of metric and source."""
    parameters = entrant.parameters
    return parameters.election if isinstance(parameters, Parameters) else parameters


@cache
def _composed(algorithm: Algorithm, metric: Metric | None,
              source: StrengthSource | None) -> Algorithm:
    """Return an algorithm with a metric and a strength source, the same one each time."""
    fields = get_type_hints(algorithm.state, include_extras=True)
    if fields.keys() & FIELDS.keys():
        raise ParameterError(f'algorithm {algorithm.name}: its state has a field named '
                             f'{", ".join(fields.keys() & FIELDS.keys())}; rename it')
    state = cast(Any, NamedTuple)('State', [*fields.items(), *FIELDS.items()])
    columns = cast(Any, NamedTuple)('Columns', [*fields.items(), *FIELDS.items()])
    return Algorithm(
        name=algorithm.name, state=state, columns=columns,
        round=_round(algorithm.round, state, None if metric is None else _measured(metric),
                     None if source is None else source.compute),
        start=lambda device: state(*algorithm.start(device), math.nan, math.nan, math.nan, 0.0,
                                   0.0, 0.0, NOTHING),
        configure=algorithm.configure, parameters=algorithm.parameters,
        levels=algorithm.levels)


def _measured(metric: Metric) -> Any:
    """Return the distance to neighbour j by a metric, as a function that compiles."""
    cost: Any = metric.cost
    course: Any = metric.course
    if course is None:
        def by_cost(before: Any, neighbours: Any, metric: Any, j: Any, parameters: Any) -> Any:
            return cost(metric[j], before.sensed, neighbours.sensed[j], parameters)
        return by_cost

    def by_course(before: Any, neighbours: Any, metric: Any, j: Any, parameters: Any) -> Any:
        return course(
            neighbours.place_x[j] - before.place_x, neighbours.place_y[j] - before.place_y,
            neighbours.speed_x[j] - before.speed_x, neighbours.speed_y[j] - before.speed_y,
            parameters)
    return by_course


def _round(elect: Any, state: Any, cost: Any, compute: Any) -> Any:
    """Return the composed round, to which a missing metric or source adds no code."""
    if cost is None:
        def measured(before: Any, neighbours: Any, metric: Any, parameters: Any) -> Any:
            return metric
    else:
        def measured(before: Any, neighbours: Any, metric: Any, parameters: Any) -> Any:
            found = np.empty(len(metric))
            for j in range(len(metric)):
                distance = cost(before, neighbours, metric, j, parameters.metric)
                # A device without a distance is not a neighbour: no candidacy reaches infinity.
                found[j] = math.inf if math.isnan(distance) else max(distance, parameters.floor)
            return found
    if compute is None:
        def with_strength(device: Any, before: Any, metric: Any, parameters: Any) -> Any:
            return device
    else:
        def with_strength(device: Any, before: Any, metric: Any, parameters: Any) -> Any:
            nearest = math.inf
            for j in range(len(metric)):
                nearest = min(nearest, metric[j])
            known = RobotKnowledge(
                device.id, len(metric), nearest, before.place_x, before.place_y, before.clock,
                before.leader, before.distance, before.sensed,
                math.hypot(before.speed_x, before.speed_y), before.sensed)
            strength = compute(known, parameters.source)
            # As on robots: what is no number is not announced.
            if not math.isfinite(strength):
                strength = 0.0 if before.announced == NOTHING else before.announced
            elif abs(strength - before.announced) <= parameters.hysteresis:
                strength = before.announced
            return Device(device.id, parameters.sign * strength, device.chance)

    def round_with_sensing(device: Any, before: Any, neighbours: Any, metric: Any,
                           parameters: Any) -> Any:
        distances = measured(before, neighbours, metric, parameters)
        strong = with_strength(device, before, distances, parameters)
        after = elect(strong, before, neighbours, distances, parameters.election)
        return state(*(after[:] + (
            before.sensed, before.place_x, before.place_y, before.speed_x, before.speed_y,
            before.clock, parameters.sign * strong.strength)))
    return round_with_sensing


def readings(sensor: schema.Sensor, position: NDArray[np.float64]) -> NDArray[np.float64]:
    """
    Return the readings of devices.

    :param position: of the devices [m], shape (n, 2).
    :return: shape (n,).
    """
    found = np.full(len(position), sensor.base)
    peaks = np.reshape(sensor.peaks, (-1, 3))
    for x, y, height in peaks:
        squares = (position[:, 0] - x) ** 2 + (position[:, 1] - y) ** 2
        found += height * np.exp(-squares / (2.0 * sensor.spread ** 2))
    return found


def with_regions(algorithm: Algorithm, election: Any, regions: schema.Regions, radius: float,
                 link_range: float) -> tuple[Algorithm, Any]:
    """
    Return an election algorithm with regions on top, and the parameters of its round.

    :param election: the parameters of the election's round.
    :param radius: radius of the election [m], infinite if it has none.
    :param link_range: greatest distance of a neighbour, in the metric, infinite if not known.
    :raises ParameterError: for settings that the laboratory cannot run.
    """
    aggregate = aggregate_of(regions)
    if collection.OWN == aggregate.kind:
        raise ParameterError('aggregate', problem=f': {regions.aggregate} is not allowed; it '
                             'combines by a function of its own, which is for robots only')
    try:
        aggregate.contribution(0, 0.0)
    except TypeError:
        raise ParameterError('aggregate', problem=f': {regions.aggregate} is not allowed; it '
                             'collects readings that are not numbers, which only robots '
                             'have') from None
    if regions.feedback_gain > 0.0 and not math.isfinite(radius):
        raise ParameterError('feedback_gain', problem=f': {regions.feedback_gain:g} is not '
                             f'allowed; algorithm {algorithm.name} takes no radius, so it takes 0')
    identity = initial_region(regions, aggregate.identity, aggregate.identity,
                              undecided=(math.inf,) * len(aggregate.identity))
    kind, start, detail = (np.array(column) for column in layout_of([aggregate]))
    arrays: Any = SummaryLayout(kind, start, detail)  # type: ignore[arg-type]
    region = parameters_of(
        regions, arrays, radius=radius, link_range=link_range,
        undecided=np.array(identity.decision))
    return (coordinated(algorithm.name, identity),
            types_of(algorithm.name).Parameters(election, region))


def aggregate_of(regions: schema.Regions) -> Aggregate:
    """Return the aggregate that regions collect."""
    return AGGREGATES.get(regions.aggregate).make()


def assign(columns: Any, regions: schema.Regions, groups: Sequence[schema.Group],
           member_of: NDArray[np.int64], ids: NDArray[np.int64]) -> None:
    """
    Write the roles and contributions of devices into the columns of their states, at the start.

    :param member_of: the index of each device's group, shape (n,).
    :param ids: the ids of the devices, shape (n,).
    """
    aggregate = aggregate_of(regions)
    for i in range(len(ids)):
        member = groups[member_of[i]].member
        columns.role[i] = ROLES.index(member.role)
        columns.contribution[i] = (aggregate.identity if member.role == ROLES[RELAY]
                                   else aggregate.contribution(int(ids[i]), member.contributes))


def classic_by_id_round(device: Device, state: Choice, neighbours: Any,
                        metric: Sequence[float], parameters: ClassicParameters) -> Choice:
    """
    Return the result of the classic round, in which a device leads while it backs its own id.

    So it is in the artefact of ACSOS 2022, also of a strength that the device no longer has
    (DanySK/experiment-2022-self-stab-leader-election: ``broadcast(classic2 == mid, mid)``). On
    robots, as in the Protelis library, it leads while it backs its present pair. The two differ
    only after a change of strengths.
    """
    after = classic_round(device, state, neighbours, metric, parameters)
    if after.lead != device.id or device.strength <= BARRED:
        return after
    return Choice(after.lead_value, after.lead, after.lead_distance, 0.0, device.id,
                  after.lead_hops, 0)


@cache
def by_id(algorithm: Algorithm) -> Algorithm:
    """Return the algorithm in which the weakest wins, as in the artefact if it is the classic."""
    if algorithm.round is not classic_round:
        return algorithm
    return replace(algorithm, round=classic_by_id_round)
