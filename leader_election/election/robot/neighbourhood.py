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

"""The neighbourhood: whose messages count, who is a neighbour now, and how instances see them."""

from collections import Counter
from collections.abc import Callable, Iterable
import math
from typing import Any, NamedTuple

from leader_election.election.algorithms.algorithm import BARRED
from leader_election.election.algorithms.bounded import BoundedParameters, Candidacy
from leader_election.election.messages.codec import Message
from leader_election.election.messages.wire import RejectReason
from leader_election.election.robot.mailbox import (
    Acquaintances,
    Mailbox,
    PLACE_TOLERANCE,
    ReceivedMessage,
    reserve_left,
    velocity_after,
)
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.sensing import Sensing

OUT_OF_RANGE = 'messages_out_of_range'
LATE_AFTER = 1.25
"""The silence after which a neighbour has lost a message or left [periods]."""


class Neighbour(NamedTuple):
    """A robot whose last message is valid in this round."""

    message: Message
    distance: float
    """The distance by the metric [m]."""
    missed: int = 0
    """The number of further messages of it that were due."""


class Neighbourhood:
    """
    The other robots in range: which messages of theirs count, and who is a neighbour now.

    :param counts: the robot's counters.
    :ivar parameters: the robot's. It may be replaced at any time.
    :ivar unmeasured: the number of robots in range at the last call of :meth:`at` whose distance
        could not be measured.
    """

    def __init__(self, parameters: ElectionParameters, mailbox: Mailbox, sensing: Sensing,
                 counts: Counter[str]) -> None:
        self.parameters = parameters
        self.unmeasured = 0
        self._mailbox = mailbox
        self._acquaintances = Acquaintances(mailbox)
        self._sensing = sensing
        self._counts = counts
        self._left: dict[int, float] = {}
        """When a message of a neighbour put it out of range [s], by id."""

    def heard(self, now: float) -> set[int]:
        """Return the robots whose last message has not expired, also those that left the range."""
        expiry = self.parameters.message_expiry
        self._left = {robot: at for robot, at in self._left.items() if now - at <= expiry}
        return {*self._left, *(entry.message.id for entry in self._mailbox.valid(now))}

    def knows(self, sender: int) -> bool:
        """Return whether a sender was heard lately."""
        return self._mailbox.entry(sender) is not None or sender in self._acquaintances

    def admit(self, message: Message, now: float,
              is_news: Callable[[Message, Message], bool]) -> bool:
        """
        Process a valid message of another robot.

        A changed position alone is not news, nor is a region part: they count in the next round.

        :param now: the time [s].
        :param is_news: compares the last message of the sender that was news with this one.
        :return: whether it may cause a round.
        """
        sensing, last = self._sensing, self._mailbox.entry(message.id)
        here, reserve, is_known = sensing.locate(now), PLACE_TOLERANCE, False
        if last is not None and now - last.received <= self.parameters.message_expiry:
            is_known = True
            reserve = reserve_left(last, message, now, self.parameters.top_speed)
            if reserve < 0.0:
                self._counts[RejectReason.IMPLAUSIBLE.value] += 1
                return False
        for fault in message.faults:
            self._counts[fault.value] += 1
        sensing.hear(message, now)
        place = sensing.place_of(message)
        if here is not None and not sensing.reaches(message.id, place, now):
            self._counts[OUT_OF_RANGE] += 1
            self._mailbox.forget(message.id)
            if last is not None:
                self._left[message.id] = now
            return last is not None
        # Without a position of its own this robot cannot check the range. The round does.
        self._acquaintances.note(message.id, now)
        news = True
        noted: Message | None = message
        if last is not None and is_known:
            news = message is not last.message and (
                last.noted is None or is_news(last.noted, message))
            noted = message if news else last.noted
        distance = math.inf if here is None or place is None else math.dist(here, place)
        velocity = velocity_after(last, message, now, self.parameters.round_period)
        entry = ReceivedMessage(message, now, distance, noted, reserve, velocity)
        if self._mailbox.put(entry):
            return news
        # Only one of two senders can be kept.
        self._counts[RejectReason.LIMIT.value] += 1
        return self._acquaintances.make_room(entry) and self._mailbox.put(entry) and news

    def at(self, now: float) -> list[Neighbour]:
        """Return the robots that are neighbours now, with their distances."""
        neighbours = []
        self.unmeasured = 0
        self._sensing.refresh(now)
        for entry in self._mailbox.valid(now):
            message, missed = entry.message, self.missed(entry, now)
            if not self._reaches(entry, missed, now):
                continue
            distance = self._sensing.distance_to(entry, now)
            if distance is not None:
                neighbours.append(Neighbour(message, distance, missed))
            else:
                self.unmeasured += 1
        return neighbours

    def missed(self, entry: ReceivedMessage, now: float) -> int:
        """Return the number of further messages of the sender that were due at a time [s]."""
        age = now - entry.received
        return int(max(age / self.parameters.round_period + 1.0 - LATE_AFTER, 0.0))

    def _reaches(self, entry: ReceivedMessage, missed: int, now: float) -> bool:
        """
        Return whether a sender is in range. A silent one also where its last velocity takes it.

        It would remain a neighbour with outdated candidacies until its last message expires.
        """
        sender, place = entry.message.id, self._sensing.place_of(entry.message)
        if not self._sensing.reaches(sender, place, now):
            return False
        if missed == 0 or place is None:
            return True
        age = now - entry.received
        ahead = place[0] + age * entry.velocity[0], place[1] + age * entry.velocity[1]
        return self._sensing.reaches(sender, ahead, now)


class NeighbourView(NamedTuple):
    """The neighbours of a round that take part in this instance."""

    messages: list[Message]
    exports: list[Any]
    metric: list[float]
    missed: list[int]
    read: dict[str, list[Any]]
    """The result of ``Part.read`` for each neighbour, by the names of the parts."""
    faults: list[str]
    """The counters of neighbours, or parts of neighbours, that were ignored."""


def no_view() -> NeighbourView:
    """Return a view without neighbours."""
    return NeighbourView([], [], [], [], {}, [])


def contradicted(view: NeighbourView) -> list[int]:
    """
    Return the neighbours, by index, whose leader is a neighbour, too, and does not lead.

    Such a leader follows another robot, has no leader, or is no candidate. The candidacies for it
    are outdated: the message of that leader itself is later news. The check needs no memory, and
    is right at the latest when the leader's next message has arrived.
    """
    own = {message.id: export for message, export in zip(view.messages, view.exports)}
    return [j for j, export in enumerate(view.exports)
            if _denies(own.get(export.leader, export), export)]


def _denies(own: Any, candidacy: Any) -> bool:
    """Return whether a robot's own state denies a candidacy for this robot."""
    return bool(
        own.leader != candidacy.leader
        or math.isinf(own.distance) and math.isfinite(candidacy.distance)
        or _may_not_lead(own) and not _may_not_lead(candidacy))


def _may_not_lead(export: Any) -> bool:
    return bool(getattr(export, 'value', -math.inf) >= -BARRED)


def leader_name(view: NeighbourView, leader: int) -> str:
    """
    Return the namespace of a leader as its followers announce it, empty if none is announced.

    The neighbour nearest to the leader counts, at best the leader itself: so a changed name
    replaces the earlier one along the path of the candidacy.

    :param view: the neighbours of an instance.
    """
    if not any(message.names for message in view.messages):
        return ''
    following = [(export.distance, message.names.get(leader, ''))
                 for message, export in zip(view.messages, view.exports)
                 if export.leader == leader]
    return min(following, key=lambda each: each[0], default=(0.0, ''))[1]


class Offer(NamedTuple):
    """The candidacy that another robot has sent, in range or not."""

    candidacy: Candidacy
    distance: float
    """To the sender, estimated [m]."""
    deviation: float
    """Its standard deviation, > 0 [m]."""


def doubt(state: Candidacy, robot: int, offers: Iterable[Offer], link_range: float,
          parameters: BoundedParameters) -> float:
    """
    Return the probability that another leader is right by the true distances to the senders.

    Errors of distances are normal, and those to the senders of different leaders independent. The
    candidacies themselves are taken to be right.

    :param state: the robot's own.
    :param robot: its id.
    :param link_range: the greatest distance of a neighbour [m].

    At the very edge of the radius it is a half, and far within it none.

    >>> from leader_election.election.algorithms.bounded import configure
    >>> own, sent = Candidacy(-9.0, 2.0, 2, 1), Candidacy(-9.0, 0.0, 2)
    >>> doubt(own, 1, [Offer(sent, 2.0, 0.1)], 2.0, configure(3.0, 'id'))
    0.5
    >>> round(doubt(own, 1, [Offer(sent, 1.5, 0.1)], 2.0, configure(3.0, 'id')), 3)
    0.0
    """
    chances: dict[tuple[float, int], float] = {}
    for (value, before, leader, hops), distance, deviation in offers:
        if leader == robot or (value, leader) > (state.value, state.leader) or (
                hops >= parameters.hop_limit):
            continue
        reach = parameters.radius if leader == state.leader else parameters.joining_radius
        spare = min(link_range, reach - before) - distance
        chance = 0.5 * math.erfc(-spare / (deviation * math.sqrt(2.0)))
        chances[value, leader] = max(chance, chances.get((value, leader), 0.0))
    right = 1.0
    for (_, leader), chance in chances.items():
        right *= chance if leader == state.leader else 1.0 - chance
    return 1.0 - right
