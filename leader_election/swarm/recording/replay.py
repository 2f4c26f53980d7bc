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

"""Replay of a recorded swarm: snapshots at regular times, and further recorded data."""

from collections.abc import Mapping
import math
from typing import Any, NamedTuple

from leader_election.election.algorithms import ALGORITHMS
from leader_election.election.messages.codec import algorithm_of, codec_for
from leader_election.election.messages.wire import RejectReason
from leader_election.election.robot import diagnostics as vocabulary
from leader_election.swarm.recording import content as contents
from leader_election.swarm.recording.content import Entry, RecordingError
from leader_election.swarm.recording.localisation_errors import DistanceRow
from leader_election.swarm.recording.options import ReplaySettings
from leader_election.swarm.snapshot import Snapshot
from leader_election.swarm.tracker import SwarmTracker
from leader_election.swarm.view.frame import Rings

NEIGHBOURHOOD = 'neighbourhood'
RELEVANT = {NEIGHBOURHOOD: contents.STRING, 'world': contents.MARKERS,
            'diagnostics': contents.DIAGNOSTICS, 'neighbour_distances': contents.NUMBERS}
"""The topics that are read, by the last part of their names, and their types."""
LONGEST_GAP = 60.0
"""Silence of the whole swarm beyond which no snapshots are taken [s]."""
Track = list[tuple[float, float, float, float]]
"""Time [s] and pose x, y, yaw [m, rad], in the order of time."""


LOOK = 0.25
"""Time between two snapshots [s]."""


class Run(NamedTuple):
    """The content of a recording, its times on one continuous clock (:class:`Clocks`)."""

    snapshots: list[Snapshot]
    """At regular times, at least one."""
    begin: float
    """The time of the first message of a robot, from which shown times count [s]."""
    end: float
    """The time of the last message [s]."""
    tracker: SwarmTracker
    """It has counted the messages between robots."""
    rings: Rings
    radius: float
    """The radius of regions as set, otherwise as published [m], infinite if unknown."""
    communication_range: float
    """[m], likewise."""
    diagnostics: contents.DiagnosticsSummary = contents.DiagnosticsSummary()
    true_tracks: Mapping[int, Track] = {}
    """True poses of robots by id, where they were recorded."""
    distances: Mapping[int, list[DistanceRow]] = {}
    """Distances of neighbours by the id of the robot that published them."""
    jumps: int = 0
    """How often a clock was set."""


def is_relevant(topic: str, kind: str, settings: ReplaySettings) -> bool:
    """
    Return whether a topic is read.

    >>> by_default = ReplaySettings()
    >>> is_relevant('/neighbourhood', 'std_msgs/msg/String', by_default)
    True
    >>> is_relevant('/robot_3/leader', 'std_msgs/msg/Int64', by_default)
    False
    >>> is_relevant('/robot_3/ground_truth', 'nav_msgs/msg/Odometry', by_default)
    True
    >>> is_relevant('/radio', 'std_msgs/msg/String', ReplaySettings(topic='/radio'))
    True
    """
    if kind == contents.CLOCK:
        return topic == '/clock'
    if kind == contents.STRING and settings.topic:
        return topic == settings.topic
    name = topic.rpartition('/')[2]
    return RELEVANT.get(name) == kind or (name == settings.truth and kind in contents.POSES)


class Replay:
    """
    Processes messages one by one, and takes a snapshot of the swarm at regular times.

    :ivar mismatched: number of messages whose fields did not match their types.
    """

    def __init__(self, settings: ReplaySettings) -> None:
        self.mismatched = 0
        self._settings = settings
        self._clocks = contents.Clocks()
        self._tracker: SwarmTracker | None = None
        self._topic = ''
        """The topic of the robots' messages, once known."""
        self._refusal = ''
        """Why the first message was rejected."""
        self._begin = self._next_snapshot = self._now = 0.0
        self._refused = 0
        """The number of messages before the first one that was not rejected."""
        self._snapshots: list[Snapshot] = []
        self._rings = Rings()
        self._diagnostics = contents.DiagnosticsSummary()
        self._true_tracks: dict[str, Track] = {}
        self._distances: dict[str, list[DistanceRow]] = {}

    def add(self, entry: Entry) -> None:
        """
        Process a message.

        :raises RecordingError: if the recording holds messages of several swarms.
        """
        found = contents.content(entry.kind, entry.message)
        if found is None:
            self.mismatched += 1
        elif entry.kind == contents.CLOCK:
            self._clocks.tick(found)
        else:
            self._now = self._clocks.advance(entry.time)
            self._add_content(entry.topic, entry.kind, found)

    def _add_content(self, topic: str, kind: str, found: Any) -> None:
        if kind == contents.STRING:
            self._hear(topic, found)
        elif kind == contents.MARKERS:
            self._rings = found
        elif kind == contents.DIAGNOSTICS:
            self._diagnostics.add(found)
        else:
            namespace = topic.strip('/').rpartition('/')[0]
            if kind in contents.POSES:
                self._true_tracks.setdefault(namespace, []).append((self._now, *found))
            else:
                self._distances.setdefault(namespace, []).extend(
                    (self._now, *row) for row in found)

    def _hear(self, topic: str, payload: str) -> None:
        """Process a message of a robot, after the snapshots that were due before it."""
        self._topic = self._topic or topic
        if topic != self._topic:
            raise RecordingError(f'the recording holds the messages of several swarms: '
                                 f'{self._topic}, {topic}; choose one by --topic')
        if self._tracker is None:
            self._tracker = self._new_tracker(payload)
            self._begin, self._next_snapshot = self._now, self._now + LOOK
        if self._tracker is None:
            self._refused += 1
            return
        self._take_due_snapshots(self._tracker)
        self._tracker.hear(payload, self._now)

    def _new_tracker(self, payload: str) -> SwarmTracker | None:
        """Return the tracker of the message's swarm, ``None`` if it belongs to none."""
        name = algorithm_of(payload)
        if name not in ALGORITHMS.names():
            refusal = f'the algorithm {name!r}, known: {", ".join(ALGORITHMS.names())}'
        elif isinstance(decoded := codec_for(ALGORITHMS.get(name)).decode(payload), RejectReason):
            refusal = decoded.value
        else:
            # All frames: a recording has one swarm.
            tracker = SwarmTracker(expiry=self._settings.expiry, algorithm=name, frame='')
            tracker.messages = tracker.rejected = self._refused
            return tracker
        self._refusal = self._refusal or refusal
        return None

    def _take_due_snapshots(self, tracker: SwarmTracker) -> None:
        if self._now - self._next_snapshot + LOOK > LONGEST_GAP:
            self._next_snapshot = self._now
        while self._next_snapshot <= self._now:
            self._snapshots.append(tracker.snapshot(self._next_snapshot))
            self._next_snapshot += LOOK

    def run(self) -> Run:
        """
        Return the run, after all messages were added.

        :raises RecordingError: without messages of robots.
        """
        if self._tracker is None or self._tracker.messages == self._tracker.rejected:
            raise RecordingError(self._why_no_robot())
        names = self._diagnostics.names
        robots = contents.ids_of(self._true_tracks, names)
        publishers = contents.ids_of(self._distances, names)
        tracker, settings = self._tracker, self._settings
        given = {vocabulary.RADIUS: settings.radius,
                 vocabulary.COMMUNICATION_RANGE: settings.communication_range}
        lengths = self._diagnostics.lengths | {
            key: length for key, length in given.items() if length is not None}
        radius, reach = (lengths.get(key, math.inf) for key in given)
        return Run(
            [*self._snapshots, tracker.snapshot(self._now)], self._begin, self._now, tracker,
            self._rings, radius, reach, self._diagnostics,
            {robot: self._true_tracks[name] for name, robot in robots.items()},
            {robot: self._distances[name] for name, robot in publishers.items()},
            self._clocks.jumps)

    def _why_no_robot(self) -> str:
        if not self._topic:
            what = self._settings.topic or f'a topic {NEIGHBOURHOOD}'
            return f'the recording holds no messages of robots on {what}'
        return (f'no message on {self._topic} comes from a robot of this version; the first one '
                f'has {self._refusal}')
