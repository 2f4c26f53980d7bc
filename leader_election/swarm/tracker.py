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

"""Listen to the whole swarm."""

from collections import Counter
import math

from leader_election.algorithms import ALGORITHMS
from leader_election.robot.codec import codec_for, MAIN, Message
from leader_election.robot.instance_parameters import names_in
from leader_election.robot.mailbox import Mailbox
from leader_election.robot.wire import RejectReason
from leader_election.swarm.snapshot import RobotView, Snapshot

_LIMIT = 100000
"""The most robots remembered."""


class SwarmTracker:
    """
    Keeps the last word of each robot; one unheard for a while counts as gone.

    :param expiry: how long a message counts after its receipt [s].
    :param algorithm: the election algorithm that the robots run, in their first instance.
    :param frame: the frame that they share; empty: any.
    :param instance: whose leaders and regions are meant; who does not run it says nothing.

    >>> tracker = SwarmTracker(expiry=3.0)
    >>> tracker.hear('{"v":1,"id":3,"frame":"map","p":[1.5,2.0],"c":[-7.0,3.25,8]}', now=10.0)
    >>> tracker.snapshot(12.0).robots[3][:5]
    (3, (1.5, 2.0), -7.0, 3.25, 8)
    >>> tracker.snapshot(14.0).robots, list(tracker.snapshot(14.0).gone)
    ({}, [3])
    """

    def __init__(self, expiry: float, algorithm: str = 'bounded', frame: str = 'map',
                 instance: str = MAIN) -> None:
        self.messages = 0
        """How many messages were heard, malformed ones too."""
        self.bytes = 0
        """The size of all their payloads."""
        self.rejected = 0
        """How many of the messages said nothing."""
        self.first_heard: dict[int, float] = {}
        """When each robot was first heard to say where it is [s]."""
        self.heard: Counter[int] = Counter()
        """How many messages of each robot counted."""
        self._codec = codec_for(ALGORITHMS.get(algorithm))
        self._frame = frame
        self._instance = instance
        self._mailbox = Mailbox(expiry, _LIMIT)
        self._last: dict[int, RobotView] = {}

    def hear(self, payload: str, now: float) -> None:
        """Take in a message; never raises, whatever the payload."""
        self.messages += 1
        self.bytes += len(payload.encode(errors='replace'))
        message = self._codec.decode(payload)
        if (isinstance(message, RejectReason) or self._frame not in ('', message.frame)
                or message.part(self._instance)[1] is None
                or not self._mailbox.put(message, now)):
            self.rejected += 1
            return
        self.heard[message.id] += 1
        self._last[message.id] = _view(message, self._instance)
        if message.position is not None:
            self.first_heard.setdefault(message.id, now)

    def snapshot(self, now: float) -> Snapshot:
        """Return the swarm as it is now [s]."""
        living = {message.id for message in self._mailbox.messages(now)}
        return Snapshot(
            now,
            {i: view for i, view in sorted(self._last.items()) if i in living},
            {i: view for i, view in sorted(self._last.items()) if i not in living})


def _view(message: Message, instance: str) -> RobotView:
    _, export, part = message.part(instance)
    view = RobotView(message.id, message.position, getattr(export, 'value', math.nan),
                     export.distance, export.leader)
    if part is None:
        return view
    # With gossip there are the known members instead of a summary, which begins with their count.
    region = part.region
    members = len(region.members) or next(iter(region.summary), math.nan)
    return view._replace(tasks=names_in(part.tasks), members=float(members),
                         decision=region.decision)
