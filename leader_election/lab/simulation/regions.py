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

"""Algorithms with regions on top, and the roles and contributions of devices in a scenario."""

from collections.abc import Sequence
import math
from typing import Any

from leader_election.election.algorithms import Algorithm
from leader_election.election.coordination import summary_layout
from leader_election.election.coordination.aggregate import Aggregate, AGGREGATES, layout_of
from leader_election.election.coordination.pattern import coordinated, types_of
from leader_election.election.coordination.region import initial_region, parameters_of, RELAY
from leader_election.election.coordination.summary_layout import SummaryLayout
from leader_election.lab.experiment.schema import Group, Regions
from leader_election.parameters import ParameterError
import numpy as np
from numpy.typing import NDArray


def with_regions(algorithm: Algorithm, election: Any, regions: Regions, radius: float,
                 link_range: float) -> tuple[Algorithm, Any]:
    """
    Return an election algorithm with regions on top, and the parameters of its round.

    :param election: the parameters of the election's round.
    :param radius: radius of the election [m]; infinite: it has none.
    :param link_range: greatest distance of a neighbour, in the metric; infinite: not known.
    :raises ParameterError: for settings that the laboratory cannot run.
    """
    aggregate = aggregate_of(regions)
    if summary_layout.OWN == aggregate.kind:
        raise ParameterError('aggregate', problem=f': {regions.aggregate} is not allowed; it '
                             'combines by a function of its own, which is for robots only')
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


def aggregate_of(regions: Regions) -> Aggregate:
    """Return the aggregate that regions collect."""
    return AGGREGATES.get(regions.aggregate).make()


def assign(columns: Any, regions: Regions, groups: Sequence[Group], member_of: NDArray[np.int64],
           ids: NDArray[np.int64]) -> None:
    """
    Write the roles and contributions of devices into the columns of their states, at the start.

    :param member_of: the index of each device's group, shape (n,).
    :param ids: the ids of the devices, shape (n,).
    """
    aggregate = aggregate_of(regions)
    for i in range(len(ids)):
        group = groups[member_of[i]]
        columns.role[i] = group.role
        columns.contribution[i] = (aggregate.identity if group.role == RELAY
                                   else aggregate.contribution(int(ids[i]), group.contributes))
