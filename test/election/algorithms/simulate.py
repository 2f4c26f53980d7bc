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

"""The least network that an algorithm runs on: mailboxes without expiry, rounds in any order."""

from collections.abc import Callable, Iterable, Mapping
import random
from typing import Any

from election.algorithms.networks import links
from hypothesis import strategies as st
from leader_election.election.algorithms import Algorithm, Device
from leader_election.swarm.reference_partition import Graph


class Network:
    """
    Devices that hear their neighbours in the graph.

    :ivar states: the state of each device, which is also what it said last.
    :ivar mailboxes: for each device the last message of each neighbour; at first, anything.
    """

    def __init__(self, algorithm: Algorithm, graph: Graph, strengths: Mapping[int, float],
                 parameters: Any) -> None:
        self.algorithm = algorithm
        self.graph = graph
        self.devices = {i: Device(i, strengths[i]) for i in graph}
        self.parameters = parameters
        self.states = {i: algorithm.start(device) for i, device in self.devices.items()}
        self.mailboxes: dict[int, dict[int, Any]] = {i: {} for i in graph}

    def round(self, i: int) -> None:  # noqa: A003
        """Run one device's round. Its neighbours have the message at once."""
        self._say(i, self._computed(i))

    def lockstep(self) -> None:
        """Run one round of each device, at the same time: all hear what was said before."""
        for i, state in {i: self._computed(i) for i in self.states}.items():
            self._say(i, state)

    def _computed(self, i: int) -> Any:
        heard = self.mailboxes[i]
        return self.algorithm.compute(
            self.devices[i], self.states[i], list(heard.values()),
            [self.graph[i][j] for j in heard], self.parameters)

    def _say(self, i: int, state: Any) -> None:
        self.states[i] = state
        for j in self.graph[i]:
            if j in self.mailboxes:
                self.mailboxes[j][i] = state

    def sweep(self, order: Iterable[int]) -> None:
        """Run one round of each device, in this order."""
        for i in order:
            self.round(i)

    def remove(self, i: int) -> None:
        """Let a device fall silent, and its neighbours' memory of it expire."""
        del self.mailboxes[i], self.states[i]
        for heard in self.mailboxes.values():
            heard.pop(i, None)


def shuffled(network: Network, seed: int) -> Callable[[], None]:
    """Return a function that sweeps over a network, each time in another order."""
    order, draw = sorted(network.graph), random.Random(seed)

    def sweep() -> None:
        draw.shuffle(order)
        network.sweep(order)
    return sweep


def settle(network: Network, sweeps: int = 100) -> Network:
    """Return the network after more than enough sweeps, having checked that it came to rest."""
    order = sorted(network.graph)
    for _ in range(sweeps):
        network.sweep(order)
    before = dict(network.states)
    network.sweep(order)
    assert network.states == before
    return network


def falling_line(algorithm: Algorithm, parameters: Any) -> Network:
    """Return a line of 33 devices with links of 1 m and falling strengths, after 80 sweeps."""
    graph = links(*((i, i + 1, 1.0) for i in range(32)))
    network = Network(algorithm, graph, {i: -float(i) for i in graph}, parameters)
    for _ in range(80):
        network.sweep(sorted(graph))
    return network


def corrupt(network: Network, lies: Any, draw: Any) -> Network:
    """Replace each state and message by one of a few lies, which several sides then tell."""
    lies = draw(st.lists(lies, min_size=1, max_size=6))
    for i in network.graph:
        network.states[i] = draw(st.sampled_from(lies))
        for j in network.graph[i]:
            network.mailboxes[i][j] = draw(st.sampled_from(lies))
    return network


def led(network: Network) -> dict[int, tuple[int, float]]:
    """Return the leader of each device and the distance to it."""
    return {i: (state.leader, state.distance) for i, state in network.states.items()}
