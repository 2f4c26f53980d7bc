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
from pathlib import Path
from typing import Any, NamedTuple

from leader_election.algorithms import ALGORITHMS
from leader_election.recording.clocks import Clocks, Jump
from leader_election.recording.decode import (
    CLOCK,
    content,
    DIAGNOSTICS,
    MARKERS,
    ODOMETRY,
    STRING,
)
from leader_election.recording.diagnostics import ids, Told
from leader_election.recording.mcap_reader import Entry, RecordingError
from leader_election.recording.options import Settings
from leader_election.robot.codec import codec_for, DEFAULT_ALGORITHM, MAIN
from leader_election.robot.wire import RejectReason
from leader_election.swarm.snapshot import Snapshot
from leader_election.swarm.tracker import SwarmTracker
from leader_election.view.frame import Rings

NEIGHBOURHOOD = 'neighbourhood'
WANTED = {NEIGHBOURHOOD: STRING, 'world': MARKERS, 'ground_truth': ODOMETRY,
          'diagnostics': DIAGNOSTICS}
"""The topics that are read, by the last part of their names, and their types."""
LONGEST_GAP = 60.0
"""Over so long a silence of the whole swarm no looks are taken [s]."""
Track = list[tuple[float, float, float]]
"""Time [s] and place x, y [m], one after the other."""


class Heard(NamedTuple):
    """What messages came to, in the part that is shown."""

    messages: int = 0
    bytes: int = 0
    rejected: int = 0
    """How many of the messages said nothing."""


class Run(NamedTuple):
    """What a recording holds of a swarm, its times on one clock (:class:`Clocks`)."""

    snapshots: list[Snapshot]
    """Looks at it, at least one."""
    begin: float
    """When it was heard for the first time [s]; what is shown counts from then."""
    end: float
    """When anything was heard for the last time [s]."""
    heard: Heard
    rings: Rings
    told: Told
    """What the robots said of themselves on ``/diagnostics``."""
    truth: dict[int, Track]
    """True places of robots, by their ids, where that was recorded."""
    read: dict[Path, float]
    """The time of the last message of each file [s]."""
    jumps: list[Jump]
    """Where clocks were set."""


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
    if kind == CLOCK:
        return topic == '/clock'
    if kind == STRING and settings.topic:
        return topic == settings.topic
    return WANTED.get(topic.rpartition('/')[2]) == kind


class Rerun:
    """
    Takes messages one after the other, and a look at the swarm every now and then.

    :ivar unlike: how many messages were not what their types say.
    """

    def __init__(self, settings: Settings) -> None:
        self.unlike = 0
        self._settings = settings
        self._clocks = Clocks()
        self._tracker: SwarmTracker | None = None
        self._topic = self._unknown = ''
        self._begin = self._next = self._now = 0.0
        self._heard = Heard()
        self._snapshots: list[Snapshot] = []
        self._rings = Rings()
        self._told = Told(settings.instance)
        self._truth: dict[str, Track] = {}
        self._read: dict[Path, float] = {}

    def take(self, entry: Entry) -> None:
        """
        Take in a message.

        :raises RecordingError: where there are several swarms.
        """
        found = content(entry.kind, entry.message)
        if found is None:
            self.unlike += 1
        elif entry.kind == CLOCK:
            self._clocks.tick(entry.time, found)
        else:
            self._now = self._read[entry.path] = self._clocks.advance(entry.time)
            self._take(entry.topic, entry.kind, found)

    def _take(self, topic: str, kind: str, found: Any) -> None:
        if kind == STRING:
            self._hear(topic, found)
        elif kind == MARKERS:
            self._rings = found
        elif kind == DIAGNOSTICS:
            heard = self._tracker.heard if self._tracker is not None else {}
            self._told.take(found, heard, bool(self._topic) and self._is_shown(self._now))
        else:
            namespace = topic.strip('/').rpartition('/')[0]
            self._truth.setdefault(namespace, []).append((self._now, *found))

    def _hear(self, topic: str, payload: str) -> None:
        if not self._topic:
            self._topic, self._begin = topic, self._now
            self._next = self._now + self._settings.look
        if topic != self._topic:
            raise RecordingError(f'the recording holds the messages of several swarms: '
                                 f'{self._topic}, {topic}; choose one by --topic')
        if self._tracker is None:
            self._tracker = self._listen(payload)
        self._look()
        rejected = 1
        if self._tracker is not None:
            before = self._tracker.rejected
            self._tracker.hear(payload, self._now)
            rejected = self._tracker.rejected - before
        if self._is_shown(self._now):
            self._heard = Heard(self._heard.messages + 1,
                                self._heard.bytes + len(payload.encode(errors='replace')),
                                self._heard.rejected + rejected)

    def _listen(self, payload: str) -> SwarmTracker | None:
        """Return what listens to a swarm one of whose messages this is, if it is one."""
        name = algorithm(payload)
        if name not in ALGORITHMS.names():
            self._unknown = self._unknown or name
        elif not isinstance(codec_for(ALGORITHMS.get(name)).decode(payload), RejectReason):
            return SwarmTracker(self._settings.expiry, name, '', self._settings.instance)
        return None

    def _look(self) -> None:
        """Take the looks that are due."""
        if self._now - self._next + self._settings.look > LONGEST_GAP:
            self._next = self._now
        while self._next <= self._now:
            self._see(self._next)
            self._next += self._settings.look

    def _see(self, time: float) -> None:
        if self._tracker is not None and self._is_shown(time):
            self._snapshots.append(self._tracker.snapshot(time))

    def _is_shown(self, time: float) -> bool:
        return self._settings.begin <= time - self._begin <= self._settings.end

    def run(self) -> Run:
        """
        Return what all of it came to.

        :raises RecordingError: where there was no robot, or none in the part to be shown.
        """
        if self._tracker is None or not self._tracker.heard:
            raise RecordingError(self._nobody())
        self._see(self._now)
        if not self._snapshots:
            raise RecordingError(
                f'there is nothing from {self._settings.begin:g} s on; the recording holds '
                f'{self._now - self._begin:.1f} s')
        robots = ids(self._truth, self._told.names)
        truth = {robot: self._truth[namespace] for namespace, robot in robots.items()}
        return Run(self._snapshots, self._begin, self._now, self._heard, self._rings, self._told,
                   truth, self._read, self._clocks.jumps)

    def _nobody(self) -> str:
        """Say why there is no robot."""
        if not self._topic:
            what = self._settings.topic or f'a topic {NEIGHBOURHOOD}'
            return f'there are no messages of robots in it, on {what}'
        if self._tracker is not None and self._settings.instance != MAIN:
            return f'no robot in it runs an instance {self._settings.instance!r}'
        if self._unknown:
            return (f'the robots elect by {self._unknown!r}, which is not known here; known: '
                    f'{", ".join(ALGORITHMS.names())}')
        return f'no message on {self._topic} is one of a robot'


def rerun(entries: Iterable[Entry], settings: Settings) -> Run:
    """
    Return what recorded messages come to.

    :raises RecordingError: where there are none of a swarm, or of several swarms.
    """
    again = Rerun(settings)
    for entry in entries:
        again.take(entry)
    return again.run()


def algorithm(payload: str) -> str:
    """
    Return by which algorithm a message says that its sender elects.

    >>> algorithm('{"v":1,"id":3,"a":"classic"}'), algorithm('nonsense')
    ('classic', 'bounded')
    """
    try:
        return str(json.loads(payload)['a'])
    except (ValueError, TypeError, LookupError, RecursionError):
        return DEFAULT_ALGORITHM
