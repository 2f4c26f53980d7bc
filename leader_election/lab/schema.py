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

"""The sections of a scenario: each is declared once, here, with ranges and units."""

from dataclasses import dataclass
from typing import Any

from leader_election.algorithms import Algorithm
from leader_election.coordination.aggregate import AGGREGATES
from leader_election.coordination.region import CANDIDATE
from leader_election.coordination.settings import RegionSettings
from leader_election.lab.topologies import Topology
from leader_election.parameters import parameter, ParameterError

INFINITE = float('inf')


@dataclass(frozen=True)
class Messages:
    """How messages get from one device to another."""

    range: float = parameter(
        INFINITE, 'A message is heard as far as this, inclusive. Where links are given, '
        'it does not count.', unit='m', lower=1e-9, upper=INFINITE)
    expiry: float = parameter(
        INFINITE, 'A message counts for so long after its receipt. .inf: as long as its sender '
        'is in range when a round runs.', unit='s', lower=1e-9, upper=INFINITE)
    loss: float = parameter(0.0, 'The part of messages that is lost, for each receiver.',
                            lower=0.0, upper=1.0)
    delay: tuple[float, ...] = parameter(
        (0.0, 0.0), 'How long a message takes, at random between two times.', unit='s',
        lengths=(2,))
    duplication: float = parameter(0.0, 'The part of messages that arrives twice; takes a delay.',
                                   lower=0.0, upper=1.0)
    metric: str = parameter('distance', 'How far a neighbour is: as it is now, or 1.',
                            choices=lambda: ('distance', 'hops'))
    floor: float = parameter(0.01, 'The least distance to a neighbour.', unit='m', lower=0.0,
                             upper=1e6)

    def __post_init__(self) -> None:
        """Refuse what makes no sense together."""
        if not 0.0 <= self.delay[0] <= self.delay[1]:
            raise ParameterError(f'parameter delay: {self.delay} is not allowed; it takes two '
                                 'times in ascending order, at least 0 s')
        if self.duplication > 0.0 and self.delay[1] == 0.0:
            raise ParameterError(f'parameter duplication: {self.duplication} is not allowed; '
                                 'it takes a delay greater than 0 s')


@dataclass(frozen=True)
class Rounds:
    """When devices run their rounds."""

    period: float = parameter(1.0, 'Time between two rounds of a device.', unit='s', lower=1e-3,
                              upper=1e6)
    phase: str = parameter(
        'random', 'When in the first period a device begins: at random, all together, or by its '
        'place: as far into the period as it is across the area it was placed in.',
        choices=lambda: ('random', 'together', 'place'))
    acquainted: bool = parameter(
        False, 'Whether all have heard, before the first round, in what state those in their '
        'range begin.')
    spread: float = parameter(
        0.0, 'By how much periods of devices differ, as a part of the period.', lower=0.0,
        upper=0.99)
    jitter: float = parameter(
        0.0, 'By how much a period varies from round to round, as a part of it.', lower=0.0,
        upper=0.99)


STRENGTHS = ('random', 'degree', 'id', 'lower_id', 'equal')


@dataclass(frozen=True)
class Strength:
    """What makes a device strong."""

    cycle: tuple[str, ...] = parameter(
        ('random',), 'One of random (0 to 1, drawn anew each time), degree (the neighbours heard '
        'since then), id, lower_id (the id, negated), equal; or several, one after another.')
    every: float = parameter(INFINITE, 'Time from one to the next.', unit='s', lower=1e-3,
                             upper=INFINITE)

    def __post_init__(self) -> None:
        """Refuse no strength at all, and one that is not known."""
        if not self.cycle:
            raise ParameterError('parameter cycle: [] is not allowed; it takes at least one of '
                                 f'{", ".join(STRENGTHS)}')
        for kind in self.cycle:
            if kind not in STRENGTHS:
                raise ParameterError(f'parameter cycle: {kind!r} is not allowed; it takes some '
                                     f'of {", ".join(STRENGTHS)}')


@dataclass(frozen=True)
class Measure:
    """What is measured."""

    window: int = parameter(
        10, 'Instability is the part of so many last rounds in which the leader changed.',
        unit='rounds', lower=1, upper=63)
    interval: float = parameter(1.0, 'Time between two samples.', unit='s', lower=1e-3, upper=1e6)


@dataclass(frozen=True)
class Group:
    """Some devices, placed alike."""

    topology: Topology
    parameters: Any
    moves: bool
    """Whether they go where ``motion`` takes them; else they stay where they were placed."""
    among: bool
    """Whether they hear each other; else they hear only devices of groups that do."""
    role: int = CANDIDATE
    """``CANDIDATE``, ``WORKER`` or ``RELAY``, for algorithms with regions."""
    contributes: float = 1.0
    """What each senses, which is what aggregates are of; relays contribute nothing."""


@dataclass(frozen=True)
class Regions(RegionSettings):
    """What an algorithm's regions collect, and how; the role is the devices' own."""

    aggregate: str = parameter('count', 'What is collected of all that devices contribute.',
                               choices=lambda: AGGREGATES.names())


@dataclass(frozen=True)
class Entrant:
    """An algorithm that takes part."""

    label: str
    algorithm: Algorithm
    parameters: Any
    """What its ``configure`` returned."""
    weakest: bool
    """Whether it is handed negated strengths, so that the weakest wins."""
    regions: Regions | None = None
    """What goes on in the regions of its leaders; ``None``: nothing."""
