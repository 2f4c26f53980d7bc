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
Observations of a swarm over some seconds, the input of all checks, and their output: symptoms.

Times are seconds on the observer's own steady clock, except where noted.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property, lru_cache
import math
from typing import Any, NamedTuple, TypeVar

from leader_election.election.algorithms import ALGORITHMS
from leader_election.election.messages.codec import algorithm_of, codec_for, Message
from leader_election.election.messages.wire import RejectReason
from leader_election.election.robot import diagnostics as vocabulary
from leader_election.election.robot.parameters import ElectionParameters

K = TypeVar('K')
T = TypeVar('T')
ODOMETRY = 'nav_msgs/msg/Odometry'
TEXT = 'std_msgs/msg/String'
IS_LEADER = 'is_leader'
"""The topic that identifies the node of a robot: only such nodes publish it."""
RADIO = ('neighbourhood', 'outgoing')
"""The names of topics between robots. Node link has the second one."""
CLOCK = '/clock'
BRIDGES = ('clock_bridge', 'gazebo_bridge')
"""The nodes between Gazebo and ROS."""


class Level(IntEnum):
    """Severity of a symptom."""

    NOTE = 0
    """For information. Nothing is wrong."""
    WARN = 1
    """The swarm works, but worse than it could, or not for long."""
    ERROR = 2
    """A robot takes no part in the election, or a wrong one."""


class Symptom(NamedTuple):
    """A deviation from the expected state, found by a check."""

    level: Level
    subjects: tuple[str, ...]
    """The names of the robots concerned, empty for the whole swarm."""
    what: str
    """The description, one line."""


class HeardMessage(NamedTuple):
    """A message between robots, as the observer received it."""

    received: float
    payload: str
    topic: str
    delay: float | None = None


class OdometryReading(NamedTuple):
    """A message of odometry."""

    received: float
    delay: float
    """The observer's time of day less the stamp [s]."""


class RobotReport(NamedTuple):
    """The diagnostics of a robot at one time, with all concerns merged."""

    received: float
    robot: str
    id: int  # noqa: A003
    level: int
    """The worst one. 0: OK, 1: warning, 2: error."""
    message: str
    values: Mapping[str, str] = {}


class KnownRobot(NamedTuple):
    """A robot that was there before the observation began."""

    topic: str
    """On which its swarm exchanges messages."""
    id: int  # noqa: A003
    name: str


class Endpoint(NamedTuple):
    """A publisher or a subscription."""

    topic: str
    type: str  # noqa: A003
    publishes: bool
    node: str
    reliable: bool = False
    latched: bool = False
    """Whether the durability is transient local."""

    @property
    def robot(self) -> str:
        """
        Return the name of the robot to which the node would belong: its namespace, if any.

        >>> Endpoint('/r1/odom', ODOMETRY, False, '/r1/election_node').robot
        'r1'
        """
        space, _, own = self.node.rpartition('/')
        return space.strip('/') or own


@dataclass(frozen=True)
class Observations:
    """All observations of a swarm, and quantities derived from them."""

    seconds: float
    end: float = 0.0
    messages: Sequence[HeardMessage] = ()
    odometry: Mapping[str, Sequence[OdometryReading]] = field(default_factory=dict)
    diagnostics: Sequence[RobotReport] = ()
    endpoints: Sequence[Endpoint] = ()
    """The publishers and subscriptions of all nodes but the observer, at the end."""
    clock: Sequence[float] = ()
    pace: float = 1.0
    """The speed of simulated time relative to the observer's clock, 1 without it."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """The observer's environment variables that discovery depends on."""
    expected: Mapping[str, int] = field(default_factory=dict)
    planned: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The parameters that the fleet file gives robots, by robot."""
    known: Sequence[KnownRobot] = ()
    """The robots of earlier messages, and those that a monitor has seen."""
    radio_topics: Sequence[str] = ()
    """The topics between robots, where known."""
    other_domains: Sequence[int] = ()
    receive_buffers: Mapping[str, int] = field(default_factory=dict)
    """The sizes of the observer's computer, by setting [B]."""
    other_swarms: Sequence[str] = ()
    """The topics of swarms whose observations were left out."""
    links: Sequence[vocabulary.Status] = ()
    """The last status of each link between domains."""

    # Robots and nodes.

    @cached_property
    def nodes(self) -> list[Endpoint]:
        """Return one endpoint of each robot's node: the publisher of ``is_leader``."""
        found = [e for e in self.endpoints
                 if e.publishes and e.topic.rpartition('/')[2] == IS_LEADER
                 and e.topic.startswith(f'{e.node.rpartition("/")[0]}/')]
        # Further instances publish it in a namespace of their own, below that of the first.
        first = {node: min((e.topic for e in found if e.node == node), key=len)
                 for node in {e.node for e in found}}
        return sorted(e for e in found if e.topic == first[e.node])

    @cached_property
    def robots(self) -> list[str]:
        """Return the names of all robots that have a node or publish diagnostics."""
        return sorted({e.robot for e in self.nodes} | {s.robot for s in self.diagnostics})

    @cached_property
    def ids(self) -> dict[str, int]:
        """Return the id of each robot that publishes diagnostics."""
        return {report.robot: report.id for report in self.diagnostics}

    def names_of(self, robot_id: int) -> tuple[str, ...]:
        """Return the names of the robots with an id, ``id 3`` without a known name."""
        names = tuple(sorted(name for name, own in self.ids.items() if own == robot_id))
        return names or (f'id {robot_id}',)

    # Messages between robots, and diagnostics.

    @cached_property
    def sent(self) -> dict[int, list[tuple[HeardMessage, Message]]]:
        """Return the messages that can be decoded, by the sender's id."""
        found = by_key((message.id, (heard, message)) for heard in self.messages
                       if isinstance(message := decode(heard.payload), Message))
        return dict(sorted(found.items()))

    def distance_between(self, one: int, other: int) -> float:
        """Return the distance of two robots by their last messages [m], 0 if unknown."""
        positions = [self.sent[i][-1][1].position for i in (one, other) if i in self.sent]
        known = [position for position in positions if position is not None]
        return math.dist(*known) if len(known) == 2 else 0.0

    @cached_property
    def _reports(self) -> dict[str, list[RobotReport]]:
        return by_key((report.robot, report) for report in self.diagnostics)

    def reports_of(self, robot: str) -> list[RobotReport]:
        """Return the reports of a robot, in the order of time."""
        return self._reports.get(robot, [])

    def value(self, robot: str, key: str) -> str | None:
        """Return the last value of a robot's diagnostics under a key, ``None`` if missing."""
        return next((report.values[key] for report in reversed(self.reports_of(robot))
                     if key in report.values), None)

    def increase(self, robot: str, counter: str) -> float:
        """Return the increase of a counter of a robot, 0 if unknown."""
        values = [float(s.values[counter]) for s in self.reports_of(robot)
                  if s.values.get(counter, '').isdigit()]
        return max(values[-1] - values[0], 0.0) if values else 0.0

    def setting(self, robot: str, name: str) -> float:
        """Return a parameter from a robot's diagnostics, or its default."""
        text = self.value(robot, name)
        found = None if text is None else vocabulary.number({name: text}, name, finite=False)
        return float(getattr(ElectionParameters, name)) if found is None else found

    def needs_position(self, robot: str) -> bool:
        """Return whether a robot depends on its position, true if unknown."""
        reports = self.reports_of(robot)
        return not reports or reports[-1].values.get(vocabulary.ODOMETRY_NEEDED) != str(False)

    # Topics.

    def subscriptions(self, topic: str) -> list[Endpoint]:
        """Return all subscriptions to a topic."""
        return [e for e in self.endpoints if e.topic == topic and not e.publishes]

    def publishers(self, topic: str) -> list[Endpoint]:
        """Return all publishers of a topic."""
        return [e for e in self.endpoints if e.topic == topic and e.publishes]

    def inputs(self, kind: str) -> list[tuple[str, str]]:
        """Return each robot with the topic of a type that it subscribes to."""
        nodes = {e.node for e in self.nodes}
        return sorted({(e.robot, e.topic) for e in self.endpoints
                       if not e.publishes and e.type == kind and e.node in nodes})

    @property
    def simulated(self) -> bool:
        """Return whether simulated time is published."""
        return bool(self.publishers(CLOCK) or self.clock)


def by_key(pairs: Iterable[tuple[K, T]]) -> dict[K, list[T]]:
    """
    Return the values of each key, in their order.

    >>> by_key([('a', 1), ('b', 2), ('a', 3)])
    {'a': [1, 3], 'b': [2]}
    """
    found: dict[K, list[T]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def space_of(name: str) -> str:
    """
    Return the namespace of a topic, node or namespace.

    >>> space_of('/red/r1/election_node'), space_of('/red')
    ('/red/r1', '')
    """
    return name.rpartition('/')[0]


def find_radio_topics(observed: Observations) -> set[str]:
    """
    Return the topics between robots.

    They are known by their name or from the fleet file. For a robot's node without such a topic,
    it is the topic of strings that it both publishes and subscribes to, with the quality of
    service of messages between robots: its tasks may use further topics.
    """
    texts = [endpoint for endpoint in observed.endpoints if endpoint.type == TEXT]
    nodes = {endpoint.node for endpoint in observed.nodes}
    known = {e.topic for e in texts if e.topic.rpartition('/')[2] in RADIO} | set(
        observed.radio_topics)
    without = nodes - {e.node for e in texts if e.topic in known}
    # The profile is nodes/qos.NEIGHBOURHOOD.
    published = {(e.node, e.topic) for e in texts
                 if e.publishes and not e.reliable and not e.latched}
    subscribed = {(e.node, e.topic) for e in texts if not e.publishes}
    return known | {topic for node, topic in published & subscribed if node in without}


def listing(names: Sequence[Any], most: int = 5) -> str:
    """
    Return names as a text, with the number of omitted ones.

    >>> listing(['a', 'b', 'c', 'd'], 2)
    'a, b and 2 more'
    """
    shown = ', '.join(str(name) for name in names[:most])
    return shown + (f' and {len(names) - most} more' if len(names) > most else '')


@lru_cache(maxsize=1024)
def decode(payload: str) -> Message | RejectReason:
    """Return the content of a message of any algorithm, or the reason for rejecting it."""
    name = algorithm_of(payload)
    if name not in ALGORITHMS.names():
        return RejectReason.ALGORITHM
    return codec_for(ALGORITHMS.get(name)).decode(payload)
