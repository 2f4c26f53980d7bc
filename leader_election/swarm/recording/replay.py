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

from pathlib import Path
from typing import Any, NamedTuple

from leader_election.election.algorithms import ALGORITHMS
from leader_election.election.messages.codec import algorithm_of, codec_for, MAIN
from leader_election.election.messages.wire import RejectReason
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


class Traffic(NamedTuple):
    """The messages between robots, in the part that is shown."""

    messages: int = 0
    bytes: int = 0  # noqa: A003
    """Size of their payloads."""
    rejected: int = 0
    """Number of messages that could not be decoded, or belong to another instance."""


class Run(NamedTuple):
    """The content of a recording, its times on one continuous clock (:class:`Clocks`)."""

    snapshots: list[Snapshot]
    """At regular times, at least one."""
    begin: float
    """The time of the first message of a robot, from which shown times count [s]."""
    end: float
    """The time of the last message [s]."""
    traffic: Traffic
    rings: Rings
    diagnostics: contents.DiagnosticsSummary
    true_tracks: dict[int, Track]
    """True poses of robots by id, where they were recorded."""
    distances: dict[int, list[DistanceRow]]
    """Distances of neighbours by the id of the robot that published them, in the same part."""
    read_until: dict[Path, float]
    """The time of the last message of each file [s]."""
    jumps: list[contents.Jump]
    """Discontinuities of the clocks."""


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
        self._unknown_algorithm = ''
        self._first_refusal: RejectReason | None = None
        """Why the first message was rejected."""
        self._begin = self._next_snapshot = self._now = 0.0
        self._traffic = Traffic()
        self._snapshots: list[Snapshot] = []
        self._rings = Rings()
        self._diagnostics = contents.DiagnosticsSummary(settings.instance)
        self._true_tracks: dict[str, Track] = {}
        self._distances: dict[str, list[DistanceRow]] = {}
        self._read_until: dict[Path, float] = {}

    def add(self, entry: Entry) -> None:
        """
        Process a message.

        :raises RecordingError: if the recording holds messages of several swarms.
        """
        found = contents.content(entry.kind, entry.message)
        if found is None:
            self.mismatched += 1
        elif entry.kind == contents.CLOCK:
            self._clocks.tick(entry.time, found)
        else:
            self._now = self._read_until[entry.path] = self._clocks.advance(entry.time)
            self._add_content(entry.topic, entry.kind, found)

    def _add_content(self, topic: str, kind: str, found: Any) -> None:
        if kind == contents.STRING:
            self._hear(topic, found)
        elif kind == contents.MARKERS:
            self._rings = found
        elif kind == contents.DIAGNOSTICS:
            received = self._tracker.heard if self._tracker is not None else {}
            self._diagnostics.add(
                found, received, counted=bool(self._topic) and self._is_shown(self._now))
        else:
            namespace = topic.strip('/').rpartition('/')[0]
            if kind in contents.POSES:
                self._true_tracks.setdefault(namespace, []).append((self._now, *found))
            elif self._topic and self._is_shown(self._now):
                self._distances.setdefault(namespace, []).extend(
                    (self._now, *row) for row in found)

    def _hear(self, topic: str, payload: str) -> None:
        """Process a message of a robot, after the snapshots that were due before it."""
        if not self._topic:
            self._topic, self._begin = topic, self._now
            self._next_snapshot = self._now + self._settings.look
        if topic != self._topic:
            raise RecordingError(f'the recording holds the messages of several swarms: '
                                 f'{self._topic}, {topic}; choose one by --topic')
        if self._tracker is None:
            self._tracker = self._new_tracker(payload)
        self._take_due_snapshots()
        rejected = 1
        if self._tracker is not None:
            before = self._tracker.rejected
            self._tracker.hear(payload, self._now)
            rejected = self._tracker.rejected - before
        if self._is_shown(self._now):
            self._traffic = Traffic(self._traffic.messages + 1,
                                    self._traffic.bytes + len(payload.encode(errors='replace')),
                                    self._traffic.rejected + rejected)

    def _new_tracker(self, payload: str) -> SwarmTracker | None:
        """Return the tracker of the message's swarm, ``None`` if it belongs to none."""
        name = algorithm_of(payload)
        if name not in ALGORITHMS.names():
            self._unknown_algorithm = self._unknown_algorithm or name
            return None
        decoded = codec_for(ALGORITHMS.get(name)).decode(payload)
        if isinstance(decoded, RejectReason):
            self._first_refusal = self._first_refusal or decoded
            return None
        # All frames: a recording has one swarm.
        return SwarmTracker(expiry=self._settings.expiry, algorithm=name, frame='',
                            instance=self._settings.instance)

    def _take_due_snapshots(self) -> None:
        if self._now - self._next_snapshot + self._settings.look > LONGEST_GAP:
            self._next_snapshot = self._now
        while self._next_snapshot <= self._now:
            self._take_snapshot(self._next_snapshot)
            self._next_snapshot += self._settings.look

    def _take_snapshot(self, time: float) -> None:
        if self._tracker is not None and self._is_shown(time):
            self._snapshots.append(self._tracker.snapshot(time))

    def _is_shown(self, time: float) -> bool:
        return self._settings.begin <= time - self._begin <= self._settings.end

    def run(self) -> Run:
        """
        Return the run, after all messages were added.

        :raises RecordingError: without messages of robots, or without any in the shown part.
        """
        if self._tracker is None or not self._tracker.heard:
            raise RecordingError(self._why_no_robot())
        self._take_snapshot(self._now)
        if not self._snapshots:
            raise RecordingError(
                f'there is nothing from {self._settings.begin:g} s on; the recording holds '
                f'{self._now - self._begin:.1f} s')
        names = self._diagnostics.names
        robots = contents.ids_of(self._true_tracks, names)
        publishers = contents.ids_of(self._distances, names)
        return Run(
            snapshots=self._snapshots, begin=self._begin, end=self._now, traffic=self._traffic,
            rings=self._rings, diagnostics=self._diagnostics,
            true_tracks={robot: self._true_tracks[name] for name, robot in robots.items()},
            distances={robot: self._distances[name] for name, robot in publishers.items()},
            read_until=self._read_until, jumps=self._clocks.jumps)

    def _why_no_robot(self) -> str:
        if not self._topic:
            what = self._settings.topic or f'a topic {NEIGHBOURHOOD}'
            return f'the recording holds no messages of robots on {what}'
        if self._tracker is not None and self._settings.instance != MAIN:
            return f'no robot in it runs an instance {self._settings.instance!r}'
        if self._unknown_algorithm:
            return (f'the robots elect by {self._unknown_algorithm!r}, which is not known here; '
                    f'known: {", ".join(ALGORITHMS.names())}')
        why = f': {self._first_refusal.value} of the first one' if self._first_refusal else ''
        return f'no message on {self._topic} comes from a robot of this version{why}'
