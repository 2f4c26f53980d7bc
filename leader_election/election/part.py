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
Parts: what a robot may have beside its elections, such as regions or mandates.

A part is one small protocol. It declares what it sends, what it does with received messages and
after an election, and what it reports. An instance knows its parts by :class:`Part` only. A part
that is not configured is not imported. A further part is a module of its own and a line of
:data:`PARTS`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar, NamedTuple


@dataclass(frozen=True, kw_only=True)
class PartEntry:
    """
    One part. Its pieces are named as ``module:name`` below the package.

    :ivar name: also that in ``Message.parts``.
    :ivar wanted: the parameter of an instance, or the property of its parameters, that is true
        where the instance has the part.
    :ivar wire: its declaration on the wire, a :class:`WirePart`, empty if it sends nothing.
    :ivar part: its class, empty if the robot itself makes it.
    :ivar parameters: its dataclass of parameters, which an instance has then, empty if it has
        none of its own. Its module is always imported.
    :ivar topics: its class on a node, a :class:`PartTopics`, empty if it has none.
    :ivar counts_time: whether a pause of the process, and sleep, have to count as time.
    """

    name: str
    wanted: str = ''
    wire: str = ''
    part: str = ''
    parameters: str = ''
    topics: str = ''
    counts_time: bool = False

    def load(self, piece: str) -> Any:
        """Import a piece: ``wire``, ``part``, ``parameters`` or ``topics``."""
        module, _, name = getattr(self, piece).partition(':')
        return getattr(import_module(f'leader_election.{module}'), name)


PARTS = (
    PartEntry(name='localisation', wire='election.messages.localisation_codec:LOCALISATION'),
    PartEntry(name='zones', wanted='zones', part='election.robot.zones:ZonePart'),
    PartEntry(name='mandates', wanted='mandate', wire='election.messages.mandate_codec:MANDATES',
              part='election.mandates.part:MandatesOfRobot',
              parameters='election.mandates.parameters:MandateParameters',
              topics='ros.nodes.robot_topics:MandateFiles', counts_time=True),
    PartEntry(name='regions', wanted='forms_regions',
              wire='election.messages.region_codec:REGIONS',
              part='election.robot.membership:Membership',
              parameters='election.regions.region:RegionSettings',
              topics='ros.nodes.region_topics:RegionTopics'),
)
"""All parts of the package, in the order of their calls."""


class PartSetup(NamedTuple):
    """The input of the constructor of a part: one instance on one robot."""

    robot_id: int
    parameters: Any
    counts: Counter[str]
    parts: Mapping[str, 'Part']
    """The parts before it in the same instance."""
    below: Mapping[str, 'Part'] | None
    """The parts of the instance below, ``None`` if there is no instance below."""
    first_number: int
    """Numbers that other robots have to see grow over restarts begin here."""
    tool: Any
    """An object of the node that the part uses, such as a factory of tasks, or ``None``."""


class ElectionOutcome(NamedTuple):
    """The result of an election, as parts read it."""

    device: Any
    """The id and the strength (:class:`leader_election.election.algorithms.Device`)."""
    role: int
    is_relay: bool
    leads: bool
    leader: int
    """-1: none that is known."""
    distance: float
    """The distance to the leader. With feedback it is rescaled [m]."""
    radius: float
    """The radius of the region [m]."""
    before: Any
    state: Any
    view: Any
    """The neighbours: a :class:`~leader_election.election.robot.neighbourhood.NeighbourView`."""
    departed: Any
    """
    Robots with a valid message that are no longer neighbours: out of range, or not measurable.
    Their shares of a summary are not yet anywhere else.
    """
    position: tuple[float, float] | None
    """The own position [m]."""
    now: float = 0.0
    """The time [s]."""
    lasts: float = float('inf')
    """The age at which an output of the leader counts as none [s]."""
    period: float = 0.0
    """The period of rounds [s]."""


class Part:
    """
    One part of an instance. A subclass overrides what it needs.

    :cvar name: that of its entry in :data:`PARTS`.
    :ivar scales: whether the election runs by other distances than those of the metric.
    """

    name: ClassVar[str]
    scales = False

    def __init__(self, setup: PartSetup) -> None:
        """
        Make the part.

        :raises ParameterError: if a parameter is wrong.
        """

    def check(self, parameters: Any) -> None:
        """
        Check changed parameters against the present state.

        :raises ParameterError: for a change that is refused now.
        """

    def configure(self, parameters: Any, radius: float, link_range: float) -> None:
        """
        Apply changed parameters.

        :param radius: of the election [m], infinite if it has none.
        :param link_range: the greatest distance of a neighbour [m], infinite if unknown.
        """

    # Before an election.

    def settings(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Return the settings of the election's round, by name, as this part changes them."""
        return settings

    def place(self, position: tuple[float, float] | None) -> None:
        """Process the own position [m]."""

    def takes_part(self) -> bool:
        """Return whether the robot takes part in the election, otherwise it is a relay."""
        return True

    def admits(self, message: Any) -> bool:
        """Return whether the sender of a message takes part in the same election."""
        return True

    def read(self, sender: int, export: Any, sent: Any, missed: int) -> tuple[Any, str | None]:
        """
        Return the part that a neighbour has sent, and the counter of a fault in it, or none.

        The views of a part that overrides this have it, by the name of the part, in ``read``.

        :param export: the neighbour's candidacy.
        :param sent: the part of its message, ``None`` if it has sent none.
        :param missed: the number of its messages that were due since.
        """
        return sent, None

    def scaled(self, view: Any) -> list[float]:
        """Return the distances to neighbours by which the election runs, where this scales."""
        raise NotImplementedError

    def radius(self, radius: float) -> float:
        """Return the radius of the region [m]."""
        return radius

    # Messages, and after an election.

    def process(self, sender: int, export: Any, sent: Any, now: float) -> bool:
        """Process the part of a received message, and return whether it asks for a round."""
        return False

    @property
    def is_news(self) -> bool:
        """Return whether a message received since the last round asks for one."""
        return False

    def round(self, elected: ElectionOutcome) -> None:  # noqa: A003
        """Act on the result of an election."""

    def sent(self) -> Any:
        """Return the part of the next message, ``None`` if none is sent."""
        return None

    def was_sent(self, sent: Any) -> None:
        """Process what of the part the message had room for, ``None`` for nothing."""

    def close(self) -> None:
        """End, with the node."""

    # What is reported.

    def leadership(self, stamp: float, now: float | None, active: bool) -> dict[str, str]:
        """
        Return values for the topic ``leadership``, by their names.

        :param stamp: the time of the message, on the clock of which times are given [s].
        :param now: the time on the robot's own clock [s], ``None`` for that of the last round.
        :param active: whether the robot takes part.
        """
        return {}

    def settings_shown(self) -> dict[str, str]:
        """Return the settings on which robots have to agree, for diagnostics."""
        return {}

    def warning(self, leads: bool, now: float) -> str:
        """Return the reason why the election does not serve its purpose, empty if it does."""
        return ''

    def concern(self) -> tuple[str, str, dict[str, Any]] | None:
        """Return fault (empty: none), text and values for a status, ``None`` if there is none."""
        return None


def overriding(parts: Iterable[Part], method: str) -> tuple[Part, ...]:
    """Return the parts that override a method, so that the others cost nothing."""
    return tuple(each for each in parts
                 if getattr(type(each), method) is not getattr(Part, method))
