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
"""Robots in regions, to try coordination on: their networks, states and what to expect."""

from collections.abc import Iterable
import math
import sys
from typing import Any, get_type_hints, NamedTuple

from election.algorithms.networks import links
from election.algorithms.simulate import Network
from leader_election.election.algorithms import Algorithm, ALGORITHMS
from leader_election.election.algorithms.algorithm import BARRED
from leader_election.election.algorithms.fields import Unbounded
from leader_election.election.regions.collection import ADD, SummaryLayout
from leader_election.election.regions.pattern import coordinate, Member, scaled
from leader_election.election.regions.region import (
    CANDIDATE,
    initial_region,
    parameters_of,
    Region,
    RegionSettings,
)
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.swarm.reference_partition import Graph

COUNT = SummaryLayout((ADD,), (0, 1), (0,))
"""A summary that is one number, which adds up."""
LINE = links((0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0))
FIRST = {i: -float(i) for i in range(9)}
"""Strengths with which 0 leads."""


class Said(NamedTuple):
    """Columns of what neighbours say, as far as coordination looks at them."""

    leader: Any
    distance: Any
    device: Any
    parent: Any
    reach: Any
    recipients: Any
    shares: Any
    summary: Any
    announcement: Any
    members: Any
    ages: Any
    contributions: Any
    decision_version: Any
    decision_age: Any
    decision: Any


NEUTRAL: dict[str, Any] = {
    'leader': -1, 'distance': 0.0, 'device': -1, 'parent': -1, 'reach': 1.0,
    'decision_version': 0, 'decision_age': 0, 'decision': ()}


def columns(*said: dict[str, Any]) -> Said:
    """Return columns of these exports. What is left out is of no interest."""
    return Said(*([row.get(field, NEUTRAL.get(field, ())) for row in said]
                  for field in Said._fields))


class Both(NamedTuple):
    """The parameters of an election and of its regions."""

    election: Any
    region: Any


def in_regions(election: Algorithm, alone: Region) -> Algorithm:
    """Return an election and its regions as one algorithm, from regions of single robots."""
    hints = get_type_hints(Region, include_extras=True) | {'decision': tuple[Unbounded, ...]}
    state = NamedTuple('State', [
        *get_type_hints(election.state, include_extras=True).items(), *hints.items()])

    def effective(device: Any, role: int) -> Any:
        return device if role == CANDIDATE else device._replace(strength=BARRED)

    def member(said: Any) -> Any:
        return Member(*(getattr(said, field) for field in Member._fields))

    def run(device: Any, before: Any, neighbours: Any, metric: Any, parameters: Any) -> Any:
        region = parameters.region
        units = scaled(neighbours.reach, metric, region) if region.gain > 0.0 else metric
        elected = election.round(effective(device, before.role), before, neighbours, units,
                                 parameters.election)
        return state(*elected, *coordinate(
            device, elected.leader, elected.distance, member(before), member(neighbours), metric,
            region, None))
    return Algorithm(
        name=election.name, round=run, state=state, columns=state, levels=election.levels,
        configure=Both, start=lambda device: state(
            *election.start(effective(device, alone.role)), *alone._replace(device=device.id)))


def network_of(
    election: str,
    collection: str,
    graph: Graph,
    strengths: dict[int, float],
    *,
    layout: SummaryLayout = COUNT,
    contribution: tuple[float, ...] = (1.0,),
    identity: tuple[float, ...] = (0.0,),
    radius: float = math.inf,
    announcement_size: int = 0,
    border: int = -1,
    regions: RegionSettings | None = None,
    **settings: Any,
) -> Network:
    """
    Return a network that elects and coordinates; everybody offers the same, unless changed.

    :param regions: all but the collection. Gossip takes all robots, however far, by default.
    :param settings: of the election.
    """
    chosen = vars(regions or RegionSettings(gossip_members=len(graph), gossip_depth=len(graph)))
    region = RegionSettings(**{**chosen, 'collection': collection})
    undecided = (math.inf,) * len(identity)
    algorithm = ALGORITHMS.get(election)
    parameters = algorithm.round_parameters({
        **vars(ElectionParameters(robot_id=0)), **algorithm.as_published,
        'radius': min(radius, sys.float_info.max), **settings})
    alone = initial_region(
        region, contribution, identity, announcement_size=announcement_size, undecided=undecided
    )
    return Network(
        in_regions(algorithm, alone), graph, strengths, Both(
            parameters, parameters_of(region, layout, radius=radius, link_range=math.inf,
                                      undecided=undecided, border=border)))


def change(network: Network, i: int, **fields: Any) -> None:
    """Change fields of a robot's own state."""
    network.states[i] = network.states[i]._replace(**fields)


def summaries(network: Network) -> dict[int, tuple[float, ...]]:
    """Return the summary of each robot."""
    return {i: state.summary for i, state in network.states.items()}


def decisions(network: Network) -> dict[int, tuple[float, ...]]:
    """Return the decision that each robot knows."""
    return {i: state.decision for i, state in network.states.items()}


def members(network: Network) -> dict[int, set[int]]:
    """Return who is led by each leader, as they themselves say."""
    found: dict[int, set[int]] = {}
    for i, state in network.states.items():
        found.setdefault(state.leader, set()).add(i)
    return found


def hops(graph: Graph, inside: Iterable[int], leader: int) -> int:
    """Return the most links on the fewest from a leader to any member of its region."""
    inside, reached, most = set(inside), {leader}, 0
    while reached != inside:
        further = {j for i in reached for j in graph[i] if j in inside} - reached
        if not further:
            raise ValueError(f'the region of {leader} does not hang together')
        reached |= further
        most += 1
    return most
