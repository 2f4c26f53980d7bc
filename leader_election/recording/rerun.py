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

"""A swarm, run once more from what was recorded of it: looks at it, and what else was told."""

from collections.abc import Iterable
import json
import re
from typing import NamedTuple

from leader_election.recording.reading import Entry, RecordingError
from leader_election.recording.settings import Settings
from leader_election.recording.told import Told
from leader_election.swarm.snapshot import Snapshot
from leader_election.swarm.tracker import SwarmTracker
from leader_election.view.frame import Rings, rings_of

NEIGHBOURHOOD = 'neighbourhood'
WANTED = {
    NEIGHBOURHOOD: 'std_msgs/msg/String', 'world': 'visualization_msgs/msg/MarkerArray',
    'ground_truth': 'nav_msgs/msg/Odometry', 'diagnostics': 'diagnostic_msgs/msg/DiagnosticArray',
    'clock': 'rosgraph_msgs/msg/Clock'}
"""The topics that are read, by the last part of their names, and their types."""
LONGEST_GAP = 60.0
"""Over so long a silence of the whole swarm no looks are taken [s]: a clock was set."""


class Run(NamedTuple):
    """What a recording holds of a swarm."""

    snapshots: list[Snapshot]
    """Looks at it, at least one; on the clock of the recording, or of the simulation."""
    begin: float
    """When it was heard for the first time [s]; what is shown counts from then."""
    tracker: SwarmTracker
    """With what all messages came to."""
    rings: Rings
    told: Told
    """What the robots said of themselves on ``/diagnostics``."""
    truth: dict[int, list[tuple[float, float, float]]]
    """Time [s] and true place x, y [m] of robots, by their ids, where that was recorded."""


def wanted(topic: str, kind: str, settings: Settings) -> bool:
    """
    Return whether a topic is of use.

    >>> by_default = Settings()
    >>> wanted('/neighbourhood', 'std_msgs/msg/String', by_default)
    True
    >>> wanted('/robot_3/leader', 'std_msgs/msg/Int64', by_default)
    False
    >>> wanted('/said', 'std_msgs/msg/String', Settings(topic='/said'))
    True
    """
    last = topic.rpartition('/')[2]
    if kind == WANTED[NEIGHBOURHOOD] and settings.topic:
        return topic == settings.topic
    return WANTED.get(last) == kind


def rerun(entries: Iterable[Entry], settings: Settings) -> Run:
    """
    Return what recorded messages come to.

    :raises RecordingError: where there are none of a swarm, or of several swarms.
    """
    again = _Again(settings)
    for entry in entries:
        again.take(entry)
    return again.run()


class _Again:
    """Takes messages one after the other, and a look at the swarm every now and then."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._clock: float | None = None
        self._tracker: SwarmTracker | None = None
        self._topic = ''
        self._begin = self._next = self._now = 0.0
        self._snapshots: list[Snapshot] = []
        self._rings = Rings()
        self._told = Told()
        self._truth: dict[int, list[tuple[float, float, float]]] = {}

    def take(self, entry: Entry) -> None:
        message = entry.message
        if entry.kind == WANTED['clock']:
            self._tick(message.clock.sec + message.clock.nanosec * 1e-9)
            return
        self._now = entry.time if self._clock is None else self._clock
        if entry.kind == WANTED[NEIGHBOURHOOD]:
            self._hear(entry.topic, message.data)
        elif entry.kind == WANTED['world']:
            self._rings = rings_of(message.markers)
        elif entry.kind == WANTED['diagnostics']:
            heard = self._tracker.heard if self._tracker is not None else {}
            self._told.take(message.status, heard)
        elif (robot := _robot(entry.topic)) is not None:
            place = message.pose.pose.position
            self._truth.setdefault(robot, []).append((self._now, place.x, place.y))

    def _tick(self, time: float) -> None:
        if self._clock is None and self._tracker is not None:
            # What was heard before was on another clock.
            self._tracker, self._snapshots = None, []
            self._truth.clear()
        self._clock = time

    def _hear(self, topic: str, payload: str) -> None:
        if self._tracker is None:
            self._tracker = self._settings.tracker(_algorithm(payload))
            self._topic, self._begin = topic, self._now
            self._next = self._now + self._settings.look
        if topic != self._topic:
            raise RecordingError(f'the recording holds the messages of several swarms: '
                                 f'{self._topic}, {topic}; choose one by --topic')
        self._look()
        self._tracker.hear(payload, self._now)

    def _look(self) -> None:
        """Take the looks that are due."""
        if not 0.0 <= self._now - self._next + self._settings.look <= LONGEST_GAP:
            self._next = self._now
        while self._next <= self._now:
            self._see(self._next)
            self._next += self._settings.look

    def _see(self, time: float) -> None:
        if (self._tracker is not None
                and self._settings.begin <= time - self._begin <= self._settings.end):
            self._snapshots.append(self._tracker.snapshot(time))

    def run(self) -> Run:
        if self._tracker is None:
            what = self._settings.topic or f'a topic {NEIGHBOURHOOD}'
            raise RecordingError(f'there are no messages of robots in it, on {what}')
        self._see(self._now)
        if not self._snapshots:
            raise RecordingError(
                f'there is nothing from {self._settings.begin:g} s on; the recording holds '
                f'{self._now - self._begin:.1f} s')
        return Run(self._snapshots, self._begin, self._tracker, self._rings, self._told,
                   self._truth)


def _algorithm(payload: str) -> str:
    """
    Return by which algorithm a message says that its sender elects.

    >>> _algorithm('{"v":1,"id":3,"a":"classic"}'), _algorithm('nonsense')
    ('classic', 'bounded')
    """
    try:
        return str(json.loads(payload)['a'])
    except (ValueError, TypeError, LookupError, RecursionError):
        return 'bounded'


def _robot(topic: str) -> int | None:
    """
    Return the id in the namespace of a topic.

    >>> _robot('/swarm/robot_12/ground_truth'), _robot('/alice/ground_truth')
    (12, None)
    """
    found = re.search(r'(\d+)/[^/]*$', topic)
    return int(found[1]) if found else None
