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
The content of recorded messages: plain values, a summary of diagnostics, one continuous time.

Fields of recorded messages may differ from our types. Clocks may be set, restart or stop: a
robot's computer without a battery sets its clock when it first reaches a network, a simulator
restarts at 0, and some programs publish the time on ``/clock`` only once.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
import math
import re
from typing import Any, NamedTuple

from leader_election.election.messages.codec import MAX_COORDINATE
from leader_election.election.robot import diagnostics as vocabulary
from leader_election.localisation.poses import PlanePose, yaw_of
from leader_election.parameters import LeaderElectionError
from leader_election.swarm.view.frame import Rings, rings_of

STRING, MARKERS = 'std_msgs/msg/String', 'visualization_msgs/msg/MarkerArray'
ODOMETRY, CLOCK = 'nav_msgs/msg/Odometry', 'rosgraph_msgs/msg/Clock'
DIAGNOSTICS = 'diagnostic_msgs/msg/DiagnosticArray'
NUMBERS = 'std_msgs/msg/Float64MultiArray'
POSE = 'geometry_msgs/msg/PoseStamped'
POSE_WITH_COVARIANCE = 'geometry_msgs/msg/PoseWithCovarianceStamped'
LATEST = 1e12
"""The greatest time on a clock [s]."""
POSES = (ODOMETRY, POSE, POSE_WITH_COVARIANCE)


class RecordingError(LeaderElectionError, ValueError):
    """A file is no recording of a swarm."""


class Entry(NamedTuple):
    """One recorded message."""

    topic: str
    kind: str
    """The type of the message, for example ``std_msgs/msg/Int64``."""
    time: float
    """The time of its recording [s]."""
    message: Any
    """An object with the fields of its type."""


def content(kind: str, message: Any) -> Any:
    """
    Return the content of a message, ``None`` if its fields do not match its type.

    A place or a time that cannot be does not match, either.

    :param kind: one of the types above.
    :return: of a string its text, of markers the outlines (:class:`Rings`), of odometry or a pose
        x, y, yaw [m, rad], nan without an orientation, of a clock the time [s], of diagnostics a
        list of :class:`Status`, of numbers (``neighbour_distances``) a list of id, distance [m]
        and its standard deviation [m].

    >>> from types import SimpleNamespace
    >>> content(STRING, SimpleNamespace(data='text')), content(STRING, SimpleNamespace(data=3))
    ('text', None)
    """
    try:
        return _READERS[kind](message)
    except (AttributeError, TypeError, ValueError, OverflowError):
        return None


def _text(message: Any) -> str:
    if not isinstance(message.data, str):
        raise TypeError
    return message.data


def _time(message: Any) -> float:
    time = float(message.clock.sec) + float(message.clock.nanosec) * 1e-9
    if not abs(time) <= LATEST:
        raise ValueError('no time')
    return time


def _pose(message: Any) -> PlanePose:
    # That of odometry has a covariance beside it.
    pose = getattr(message.pose, 'pose', message.pose)
    # Without an orientation, a quaternion of zeros, the heading is unknown.
    yaw = yaw_of([float(getattr(pose.orientation, name)) for name in 'xyzw'])
    place = float(pose.position.x), float(pose.position.y)
    # A comparison with NaN is false.
    if not math.hypot(*place) <= MAX_COORDINATE:
        raise ValueError('no place')
    return *place, math.nan if yaw is None else yaw


def _distances(message: Any) -> list[tuple[int, float, float]]:
    rows = zip(*[iter(map(float, message.data))] * 3, strict=True)
    found = [(int(neighbour), distance, deviation) for neighbour, distance, deviation in rows]
    if any(MAX_COORDINATE < distance < math.inf for _, *lengths in found for distance in lengths):
        raise ValueError('no distance')
    return found


def _statuses(message: Any) -> list[vocabulary.Status]:
    return [vocabulary.Status(str(status.name), str(status.hardware_id),
                              {str(value.key): str(value.value) for value in status.values})
            for status in message.status]


def _rings(message: Any) -> Rings:
    found = rings_of(message.markers)
    if not all(math.hypot(*place) <= MAX_COORDINATE
               for rings in found for ring in rings for place in ring):
        raise ValueError('no place')
    return found


_READERS: dict[str, Callable[[Any], Any]] = {
    STRING: _text, MARKERS: _rings, **dict.fromkeys(POSES, _pose), CLOCK: _time,
    DIAGNOSTICS: _statuses, NUMBERS: _distances}

LENGTHS = (vocabulary.RADIUS, vocabulary.COMMUNICATION_RANGE)
_FINAL_NUMBER = re.compile(rf'(\d{{1,{vocabulary.MAX_DIGITS}}})$')


class DiagnosticsSummary:
    """
    Collects the data of a report from diagnostics, message by message.

    :ivar names: ids of the robots by their namespaces.
    :ivar strengths: the last strength of each robot, by id.
    :ivar lengths: the last published radius of a region, and communication range, by key [m].

    >>> summary = DiagnosticsSummary()
    >>> status = vocabulary.Status('tb3_0: election', 'robot 7', {'strength': '2', 'radius': '6'})
    >>> summary.add([status])
    >>> summary.names, summary.strengths, summary.lengths
    ({'tb3_0': 7}, {7: 2.0}, {'radius': 6.0})
    """

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        self.strengths: dict[int, float] = {}
        self.lengths: dict[str, float] = {}

    def add(self, statuses: Iterable[vocabulary.Status]) -> None:
        """Add the statuses of one message. Those of robots count."""
        for status in vocabulary.robot_statuses(statuses):
            self.names[status.robot] = status.id
            for key in status.values:
                value = vocabulary.number(status.values, key)
                if value is None:
                    continue
                if key == vocabulary.STRENGTH:
                    self.strengths[status.id] = value
                elif key in LENGTHS and value >= 0.0:
                    self.lengths[key] = value


def ids_of(namespaces: Iterable[str], names: Mapping[str, int]) -> dict[str, int]:
    """
    Return the ids of robots by their namespaces.

    :param names: known ids by namespace, valid for namespaces below, too. For other namespaces
        the id is the number at the end, unless another robot has that id.

    >>> ids_of(['tb3_0', 'tb3_1', 'swarm/robot_12', 'alice'], {'tb3_0': 1, 'tb3_2': 3})
    {'tb3_0': 1, 'swarm/robot_12': 12}
    >>> ids_of(['alice/election'], {'alice': 7})
    {'alice/election': 7}
    """
    known, guessed = dict[str, int](), dict[str, int]()
    for namespace in namespaces:
        owner = namespace
        while owner and owner not in names:
            owner = owner.rpartition('/')[0]
        if owner:
            known[namespace] = names[owner]
        elif found := _FINAL_NUMBER.search(namespace):
            guessed[namespace] = int(found[1])
    taken = Counter([*{*names.values()}, *guessed.values()])
    return known | {name: robot for name, robot in guessed.items() if taken[robot] == 1}


SET = 3600.0
"""Advance between two messages beyond which a clock was set [s]."""
BACK = 1.0
"""Step back beyond which a clock was set. With smaller steps, messages are out of order [s]."""


class Clocks:
    """
    Derives one continuous time from the recorder's clock and that of a simulation.

    :ivar now: the continuous time, 0 at the first message [s].
    :ivar jumps: how often a clock was set, or restarted. No time passes then.

    >>> clocks = Clocks()
    >>> [clocks.advance(time) for time in (50.0, 51.0, 9e6, 9e6 + 1, 52.5, 53.5)], clocks.jumps
    ([0.0, 1.0, 1.0, 2.0, 2.0, 3.0], 2)
    """

    def __init__(self) -> None:
        self.now = 0.0
        self.jumps = 0
        self._reading = math.nan
        """The last one of the clock in use, nan before the first [s]."""
        self._tick = math.inf
        """The time of the last tick [s]."""
        self._ticks = False
        """Whether the simulation's clock is in use."""

    def advance(self, recorded: float) -> float:
        """Return the continuous time of a message, given the time of its recording [s]."""
        if not self._ticks:
            self._read(recorded)
        return self.now

    def tick(self, simulated: float) -> None:
        """
        Add a message of ``/clock``, given the time in it [s].

        It is used from the second tick on, since some clocks never advance.
        """
        if not self._ticks and self._tick < simulated:
            # The other clock continues from here.
            self._ticks, self._reading = True, math.nan
        self._tick = simulated
        if self._ticks:
            self._read(simulated)

    def _read(self, reading: float) -> None:
        step = reading - self._reading
        if -BACK <= step <= SET:
            self.now += max(step, 0.0)
            self._reading = max(self._reading, reading)
        else:
            self.jumps += not math.isnan(step)
            self._reading = reading
