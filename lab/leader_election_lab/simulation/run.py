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
A run of a scenario: its result, and how it is computed.

A run is a pure function of the scenario, the algorithm and the seed. Its result has the length of
the messages that the devices would send as robots.
"""

from collections.abc import Sequence
from dataclasses import dataclass
import math
from typing import Any, NamedTuple

from leader_election.election.algorithms import ALGORITHMS
from leader_election.election.messages.codec import codec_for, Message, state_kinds, wire_part
from leader_election.election.messages.region_codec import plain, RegionCodec, RegionPart
from leader_election.election.messages.wire import dumps
from leader_election.election.regions.aggregate import AggregateSet
from leader_election.election.regions.region import Region
from leader_election_lab.engine.network import Network
from leader_election_lab.experiment.scenario import Scenario
from leader_election_lab.experiment.schema import Entrant, Regions
from leader_election_lab.simulation.algorithm_mistakes import one_line
from leader_election_lab.simulation.composed_rounds import aggregate_of
from leader_election_lab.simulation.variants import with_levels
from leader_election_lab.states import state_layout
import numpy as np
from numpy.typing import NDArray


class Snapshot(NamedTuple):
    """A network of n devices at one time."""

    time: float
    """[s]."""
    id: NDArray[np.int64]  # noqa: A003
    position: NDArray[np.float64]
    """Shape (n, 2) [m]."""
    leader: NDArray[np.int64]
    is_leader: NDArray[np.bool_]
    running: NDArray[np.bool_]
    pairs: NDArray[np.int32]
    """The indices of devices that are in range of each other, shape (m, 2)."""


@dataclass(frozen=True)
class Run:
    """The result of a run."""

    samples: NDArray[np.float64]
    counts: NDArray[np.int64]
    message_bytes: float
    """The mean length of the messages that devices would send at the end, as robots do [bytes]."""
    snapshots: Sequence[Snapshot] = ()
    devices: NDArray[np.float64] | None = None
    """The id and the measures of each device, shape (n, 1 + measures), if they are wanted."""


def simulate(
    scenario: Scenario, algorithm: str, seed: int, snapshots: Sequence[float] = (),
) -> Run:
    """
    Return the result of a run of the scenario, always the same for the same arguments.

    The interpreter's lock is released during the computation, so runs can go in threads.

    :param algorithm: the label of one of the scenario's algorithms.
    :param seed: >= 0.
    :param snapshots: the times of snapshots [s].
    """
    # With the compiler, which a program that only reads results does not need.
    from leader_election_lab.simulation.simulation import Simulation
    entrant = scenario.entrant(algorithm)
    with one_line(entrant):
        simulation = Simulation(scenario, entrant, seed)
        taken = simulation.play(snapshots=snapshots)
        watch, each = simulation.network.watch, simulation.device_measures
        return Run(watch.samples, watch.counts, message_bytes(entrant, simulation.network), taken,
                   None if each is None else each.table())


SIZED = 100
"""Greatest number of devices whose messages are encoded."""
DIGITS = 4
"""Decimal places of positions and distances [m], as on robots."""


def message_bytes(entrant: Entrant, network: Network) -> float:
    """Return the mean length of the messages that devices would send now [bytes]."""
    devices = network.devices
    # A message names the election, and the region part stands beside it.
    election = ALGORITHMS.get(entrant.algorithm.name)
    levels = entrant.algorithm.levels
    codec = codec_for(election if levels == election.levels else with_levels(election, levels))
    n = len(devices.id)
    chosen = np.linspace(0, n - 1, SIZED).astype(int) if n > SIZED else np.arange(n)
    ids, places = devices.id[chosen].tolist(), devices.position[chosen].round(DIGITS).tolist()
    states = state_layout(entrant.algorithm).states(network.exports[chosen])
    kinds = state_kinds(codec.algorithm)
    columns = dict(zip(codec.algorithm.state._fields, zip(*states)))
    columns['distance'] = tuple(round(each, DIGITS) for each in columns['distance'])
    values = [map(kind.write, column) for kind, column in zip(kinds, columns.values())]
    parts = [] if entrant.regions is None else [
        _region_part(state, entrant.regions) for state in states]
    rows = list(map(list, zip(ids, places, map(list, zip(*values)), *(
        [map(wire_part('regions').write, parts)] if parts else []))))
    # Messages differ in these members alone. To encode the members takes a quarter of the time.
    first = Message(ids[0], 'map', tuple(places[0]), codec.algorithm.state(
        *(column[0] for column in columns.values())), {'regions': parts[0]} if parts else {})
    more = len(codec.encode(first)) - len(dumps(rows[0]))
    # A list has a comma or bracket more than it has members.
    return (len(dumps(rows)) - 1 + (more - 1) * len(rows)) / len(rows)


def _region_part(state: Any, regions: Regions) -> RegionPart:
    """Return the region part that a robot with one task, named as the aggregate, sends."""
    aggregate = aggregate_of(regions)
    decision = '' if state.decision[0] == math.inf else dumps([aggregate.result(state.decision)])
    region = plain(Region(**{
        **{name: getattr(state, name) for name in Region._fields}, 'decision': decision}))
    codec = RegionCodec(regions.aggregate, AggregateSet({regions.aggregate: aggregate}), region, 1)
    return codec.pack(region, feedback=regions.feedback_gain > 0.0)
