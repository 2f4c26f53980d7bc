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

"""Tracker of a whole swarm by the messages between its robots, and the monitor's parameters."""

from dataclasses import dataclass
import math

from leader_election.election.algorithms import Algorithm, ALGORITHMS
from leader_election.election.messages.codec import codec_for, Message
from leader_election.election.messages.localisation_codec import LOCALISATION
from leader_election.election.messages.mandate_codec import MANDATES
from leader_election.election.messages.region_codec import REGIONS
from leader_election.election.messages.wire import RejectReason, usual_namespace
from leader_election.election.robot.diagnostics import own_fields
from leader_election.election.robot.mailbox import Mailbox, ObservationClock, ReceivedMessage
from leader_election.parameters import names_in, parameter
from leader_election.swarm.snapshot import RobotView, Snapshot

MAX_ROBOTS = 100000
"""The greatest number of tracked robots, which bounds the memory."""


class SwarmTracker:
    """
    Tracks the last message of each robot. A robot whose message has expired counts as gone.

    :param expiry: time for which a message is valid after its receipt [s].
    :param algorithm: name of the election algorithm of the robots' first instance.
    :param frame: the frame that they share. Messages of other frames are rejected, empty for any.

    >>> tracker = SwarmTracker(expiry=3.0)
    >>> tracker.hear('{"v":1,"id":3,"frame":"map","p":[1.5,2.0],"c":[-7.0,3.25,8,1]}', now=10.0)
    3
    >>> tracker.snapshot(12.0).robots[3][:5]
    (3, (1.5, 2.0), -7.0, 3.25, 8)
    >>> tracker.snapshot(14.0).robots, list(tracker.snapshot(14.0).gone)
    ({}, [3])
    """

    def __init__(self, expiry: float, algorithm: str = 'bounded', frame: str = 'map') -> None:
        self.expiry = expiry
        self.messages = 0
        """Number of messages received, rejected ones included."""
        self.bytes = 0
        """Size of all their payloads."""
        self.rejected = 0
        """Number of messages that could not be decoded, or belong to another frame."""
        self.first_heard: dict[int, float] = {}
        """Time of the first message with a position, by robot [s]."""
        self._algorithm = ALGORITHMS.get(algorithm)
        self._codec = codec_for(self._algorithm)
        self._frame = frame
        self._mailbox = Mailbox(expiry, MAX_ROBOTS)
        self._clock = ObservationClock()
        self._last: dict[int, RobotView] = {}

    def hear(self, payload: str, now: float) -> int | None:
        """
        Add a message.

        :param payload: any text. An invalid one is counted, and nothing is raised.
        :param now: the time of its receipt [s].
        :return: its sender, ``None`` of a message that is not accepted.
        """
        self.messages += 1
        self.bytes += len(payload.encode(errors='replace'))
        message = self._codec.decode(payload)
        if (isinstance(message, RejectReason) or self._frame not in ('', message.frame)
                or not self._mailbox.put(ReceivedMessage(message, self._clock.observe(now)))):
            self.rejected += 1
            return None
        self._last[message.id] = _view(message, self._algorithm, now)
        if message.position is not None:
            self.first_heard.setdefault(message.id, now)
        return message.id

    def namespaces(self, topic: str) -> dict[int, str]:
        """
        Return the namespaces of all robots so far, by id.

        :param topic: the full name of the topic on which robots send.
        """
        return {i: view.name or usual_namespace(topic, i)
                for i, view in sorted(self._last.items())}

    def snapshot(self, now: float) -> Snapshot:
        """Return the state of the swarm at this time [s]."""
        living = {entry.message.id for entry in self._mailbox.valid(self._clock.observe(now))}
        return Snapshot(
            now,
            {i: view for i, view in sorted(self._last.items()) if i in living},
            {i: view for i, view in sorted(self._last.items()) if i not in living})


def _view(message: Message, algorithm: Algorithm, now: float) -> RobotView:
    """Return the content of a message that concerns the first instance."""
    export = message.export
    view = RobotView(
        id=message.id, position=message.position, value=getattr(export, 'value', math.nan),
        distance=export.distance, leader=export.leader,
        fields=own_fields(algorithm, export) | message.further,
        heard=now, name=message.names.get(message.id, ''))
    mandate = message.parts.get(MANDATES.name)
    if mandate is not None:
        granted = mandate.grants.get(view.id, 0)
        view = (view._replace(term=granted) if view.leader == view.id
                else view._replace(term=0, granted=granted > 0))
    localised = message.parts.get(LOCALISATION.name)
    if localised is not None:
        view = view._replace(
            deviation=localised.deviation, dead_reckoned=localised.odometry,
            yaw=localised.yaw, heading_deviation=localised.heading_deviation)
    part = message.parts.get(REGIONS.name)
    if part is None:
        return view
    region = part.region
    # A gossip summary lists all known members. Any other summary begins with their number.
    members = len(region.members) or next(iter(region.summary), math.nan)
    return view._replace(
        tasks=names_in(part.tasks), members=float(members), decision=region.decision)


INFINITE = float('inf')


@dataclass(frozen=True)
class ObserverParameters:
    """The swarm that is observed."""

    algorithm: str = parameter(
        'bounded', 'The election algorithm that the robots run, in their first instance.',
        choices=ALGORITHMS.names)
    frame: str = parameter(
        'map', 'The frame that all robots share. Messages of another frame are dropped.',
        is_frame=True)
    communication_range: float = parameter(
        5.0, 'Robots within this distance are shown as linked.',
        unit='m', lower=0.0, upper=INFINITE)
    message_expiry: float = parameter(
        3.0, 'The silence after which a robot counts as gone.', unit='s', lower=0.01, upper=1e6)


@dataclass(frozen=True)
class WebParameters(ObserverParameters):
    """The swarm that is shown in a browser, and where."""

    port: int = parameter(5006, 'The port of the page. 0: any free one.', lower=0, upper=65535)
    address: str = parameter(
        'localhost', 'Where the page is served; localhost: for browsers on this computer alone, '
        '0.0.0.0: for all networks, to those who know the token.', empty=False)
    token: str = parameter(
        '', 'The token at the end of the address, where other computers reach the page. Empty: a '
        'new one for each run.')


@dataclass(frozen=True)
class MonitorParameters(ObserverParameters):
    """The swarm that is monitored, and the outputs of the monitor."""

    trail: float = parameter(
        5.0, 'Length of the trail behind each robot. 0: none.',
        unit='m', lower=0.0, upper=1000.0)
    live: bool = parameter(
        True, 'Show the swarm in the terminal. Without a terminal, print a line every 5 s.')
