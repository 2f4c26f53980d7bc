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

"""What the doctor observed of a swarm, and the symptoms that checks report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property, lru_cache
import json
import math
from typing import Any, NamedTuple

from leader_election.algorithms import ALGORITHMS
from leader_election.robot.codec import codec_for, DEFAULT_ALGORITHM, Message
from leader_election.robot.parameters import ElectionParameters
from leader_election.robot.wire import RejectReason

ODOMETRY = 'nav_msgs/msg/Odometry'
IS_LEADER = 'is_leader'
"""Who says on this topic whether it leads is a robot."""
CLOCK = '/clock'


class Heard(NamedTuple):
    """A message between robots."""

    received: float
    payload: str
    topic: str
    delay: float | None = None
    """The observer's time of day less the sender's when it was sent [s]; ``None``: not known."""


class Reading(NamedTuple):
    """A message of odometry."""

    received: float
    stamp: float
    """In its header [s]; 0: there is none."""
    delay: float
    """The observer's time of day less the stamp [s]."""
    frame: str
    child: str
    position: tuple[float, float]


class Status(NamedTuple):
    """What a robot said of itself on ``/diagnostics``."""

    received: float
    robot: str
    id: int
    level: int
    """0: fine, 1: warning, 2: error."""
    message: str
    values: Mapping[str, str] = {}


class Neighbours(NamedTuple):
    """Whom a robot had as neighbours from a time on."""

    received: float
    ids: tuple[int, ...]


class Endpoint(NamedTuple):
    """A publisher or a subscription."""

    topic: str
    type: str
    writes: bool
    node: str
    """With its namespace."""
    reliable: bool = False
    latched: bool = False
    """Whether who comes late gets what was said before, or wants to."""
    deadline: float = float('inf')
    """The longest time between two messages that is offered, or asked for [s]."""

    @property
    def robot(self) -> str:
        """
        Return what the robot is called that the node would belong to: its namespace, if any.

        >>> Endpoint('/r1/odom', ODOMETRY, False, '/r1/election_node').robot
        'r1'
        """
        space, _, own = self.node.rpartition('/')
        return space.strip('/') or own


@dataclass(frozen=True)
class Observations:
    """All of it."""

    seconds: float
    """How long it was."""
    end: float = 0.0
    """When it ended."""
    messages: Sequence[Heard] = ()
    odometry: Mapping[str, Sequence[Reading]] = field(default_factory=dict)
    """By topic."""
    diagnostics: Sequence[Status] = ()
    neighbours: Mapping[str, Sequence[Neighbours]] = field(default_factory=dict)
    """By robot."""
    endpoints: Sequence[Endpoint] = ()
    """Those of others than the observer, at the end."""
    clock: Sequence[float] = ()
    """What was told on ``/clock`` [s], in the order of its coming."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """What of the observer's environment decides whom it can hear."""
    expected: Mapping[str, int | None] = field(default_factory=dict)
    """The robots that there should be, with their ids where these are known."""
    only_expected: bool = False
    """Whether there should be no others."""
    radio_topics: Sequence[str] = ()
    """The topics that they should talk on, where that is known."""

    # Who is there.

    @cached_property
    def nodes(self) -> list[Endpoint]:
        """Return an endpoint of each robot's node: the one that says whether it leads."""
        return sorted(e for e in self.endpoints
                      if e.writes and e.topic.rpartition('/')[2] == IS_LEADER
                      # Further instances have it in a namespace of theirs.
                      and e.topic == f'{e.node.rpartition("/")[0]}/{IS_LEADER}')

    @cached_property
    def robots(self) -> list[str]:
        """Return the names of all robots that have a node, or say something of themselves."""
        return sorted({e.robot for e in self.nodes} | {s.robot for s in self.diagnostics})

    @cached_property
    def ids(self) -> dict[str, int]:
        """Return the id of each robot that says something of itself."""
        return {status.robot: status.id for status in self.diagnostics}

    def named(self, robot_id: int) -> tuple[str, ...]:
        """Return the names of the robots that go by an id; where it is nobody's, the id."""
        names = tuple(sorted(name for name, own in self.ids.items() if own == robot_id))
        return names or (f'id {robot_id}',)

    # What they said.

    @cached_property
    def decoded(self) -> list[tuple[Heard, Message | RejectReason]]:
        """Return each message with what it means, or why nothing."""
        return [(heard, decode(heard.payload)) for heard in self.messages]

    @cached_property
    def said(self) -> dict[int, list[tuple[Heard, Message]]]:
        """Return what each sender said that can be read."""
        by: dict[int, list[tuple[Heard, Message]]] = {}
        for heard, message in self.decoded:
            if isinstance(message, Message):
                by.setdefault(message.id, []).append((heard, message))
        return dict(sorted(by.items()))

    def apart(self, one: int, other: int) -> float:
        """Return how far two robots are apart by their last words [m]; 0: that is not known."""
        places = [self.said[i][-1][1].position for i in (one, other) if i in self.said]
        known = [place for place in places if place is not None]
        return math.dist(*known) if len(known) == 2 else 0.0

    def told(self, robot: str) -> list[Status]:
        """Return what a robot said of itself."""
        return [status for status in self.diagnostics if status.robot == robot]

    def grown(self, robot: str, count: str) -> float:
        """Return by how much one of its counts has grown; 0 where that cannot be told."""
        numbers = [float(s.values[count]) for s in self.told(robot)
                   if s.values.get(count, '').isdigit()]
        return max(numbers[-1] - numbers[0], 0.0) if numbers else 0.0

    # How they are wired.

    def readers(self, topic: str) -> list[Endpoint]:
        return [e for e in self.endpoints if e.topic == topic and not e.writes]

    def writers(self, topic: str) -> list[Endpoint]:
        return [e for e in self.endpoints if e.topic == topic and e.writes]

    def heard_odometry(self) -> list[tuple[str, str]]:
        """Return each robot, and the topic that it hears its odometry on."""
        nodes = {e.node for e in self.nodes}
        return sorted({(e.robot, e.topic) for e in self.endpoints
                       if not e.writes and e.type == ODOMETRY and e.node in nodes})

    @property
    def simulated(self) -> bool:
        """Return whether there is any simulated time."""
        return bool(self.writers(CLOCK) or self.clock)


def listing(names: Sequence[Any], most: int = 5) -> str:
    """
    Return names for people.

    >>> listing(['a', 'b', 'c', 'd'], 2)
    'a, b and 2 more'
    """
    shown = ', '.join(str(name) for name in names[:most])
    return shown + (f' and {len(names) - most} more' if len(names) > most else '')


def algorithm_of(payload: str) -> str:
    """
    Return the name of the algorithm of a message, that of who names none where there is none.

    >>> algorithm_of('{"v":1,"id":3,"a":"colour"}'), algorithm_of('nonsense')
    ('colour', 'bounded')
    """
    try:
        name = json.loads(payload).get('a', DEFAULT_ALGORITHM)
    except (ValueError, AttributeError, RecursionError):
        return DEFAULT_ALGORITHM
    return str(name)


@lru_cache(maxsize=1024)
def decode(payload: str) -> Message | RejectReason:
    """Return what a message says, by whichever algorithm; or why nothing."""
    name = algorithm_of(payload)
    if name not in ALGORITHMS.names():
        return RejectReason.ALGORITHM
    return codec_for(ALGORITHMS.get(name)).decode(payload)


class Level(IntEnum):
    """How bad it is."""

    NOTE = 0
    """Good to know; nothing is wrong."""
    WARN = 1
    """It works, but not as well as it might, or not for long."""
    ERROR = 2
    """A robot takes no part, or the wrong one."""


class Symptom(NamedTuple):
    """Something that is not as it should be."""

    level: Level
    subjects: tuple[str, ...]
    """The names of the robots that it is about; empty: the whole swarm."""
    what: str
    """In one line."""


class Finding(NamedTuple):
    """A sign, with the check that found it, and what to do."""

    check: str
    level: Level
    subjects: tuple[str, ...]
    what: str
    remedy: str


NEEDED = 'odometry_needed'
"""Under this name a robot tells whether its position matters."""


def setting(seen: Observations, robot: str, name: str) -> float:
    """Return the number that a robot goes by, the default where it does not tell it."""
    told = [status.values[name] for status in seen.told(robot) if name in status.values]
    try:
        return float(told[-1])
    except (IndexError, ValueError):
        return float(getattr(ElectionParameters, name))


def needs_position(seen: Observations, robot: str) -> bool:
    """Return whether a robot is of no use without a position; where it does not tell, it is."""
    told = seen.told(robot)
    return not told or told[-1].values.get(NEEDED) != str(False)


TEXT = 'std_msgs/msg/String'
NEIGHBOURHOOD = 'neighbourhood'
"""What the topic is called, unless it is remapped."""


def find_radio_topics(seen: Observations) -> set[str]:
    """
    Return the topics that robots talk on.

    They are called so, or the fleet file says so. A robot's node that talks on none of these
    does so where it both says and hears texts, and offers what robots offer each other: its
    tasks may talk on topics of their own.
    """
    texts = [endpoint for endpoint in seen.endpoints if endpoint.type == TEXT]
    nodes = {endpoint.node for endpoint in seen.nodes}
    known = {e.topic for e in texts if e.topic.rpartition('/')[2] == NEIGHBOURHOOD} | set(
        seen.radio_topics
    )
    at_a_loss = nodes - {e.node for e in texts if e.topic in known}
    # As nodes/qos.NEIGHBOURHOOD has it.
    said = {(e.node, e.topic) for e in texts if e.writes and not e.reliable and not e.latched}
    heard = {(e.node, e.topic) for e in texts if not e.writes}
    return known | {topic for node, topic in said & heard if node in at_a_loss}
