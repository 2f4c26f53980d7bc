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
Why a robot follows its leader, and why it took no other candidacy, by the robot itself.

Observers only pass these reasons on. They are those of ``bounded``
(:mod:`leader_election.election.algorithms.bounded`); for other algorithms they are as good as the
fields of a state tell.
"""

from collections.abc import Container, Sequence
from enum import Enum
import math
from typing import Any, NamedTuple

NO_LEADER = -1
MOST_LISTED = 20


class Reason(str, Enum):
    """What decided, of a change or against a candidacy."""

    TAKEN = 'taken'
    FIRST = 'first'
    STRONGER = 'stronger'
    NEARER = 'nearer'
    LOWER_ID = 'lower_id'
    OWN_STRENGTH = 'own_strength'
    SILENT = 'silent'
    OUT_OF_RANGE = 'out_of_range'
    NOT_PASSED_ON = 'not_passed_on'
    LEADS_NO_MORE = 'leads_no_more'
    BEYOND_RADIUS = 'beyond_radius'
    BEYOND_JOINING_RADIUS = 'beyond_joining_radius'
    TOO_MANY_HOPS = 'too_many_hops'
    WEAKER = 'weaker'
    NO_BETTER = 'no_better'
    OWN = 'own'
    ALGORITHM = 'algorithm'


class ReceivedCandidacy(NamedTuple):
    """A candidacy that a robot received in a round."""

    sender: int
    leader: int
    strength: float
    distance: float
    """To the leader, along the path of the candidacy [m]."""
    reason: Reason
    """``TAKEN``, or why it was not."""

    @property
    def because(self) -> str:
        """
        Return the reason in words.

        >>> ReceivedCandidacy(9, 34, 5.0, 6.31, Reason.BEYOND_RADIUS).because
        'beyond the radius'
        """
        return _ABOUT_CANDIDACIES[self.reason].format(candidacy=self)


_ABOUT_CANDIDACIES = {
    Reason.TAKEN: 'taken',
    Reason.OWN: 'for itself',
    Reason.LEADS_NO_MORE: '{candidacy.leader} leads no more',
    Reason.BEYOND_RADIUS: 'beyond the radius',
    Reason.BEYOND_JOINING_RADIUS: 'beyond the joining radius',
    Reason.TOO_MANY_HOPS: 'too many hops away',
    Reason.WEAKER: 'weaker',
    Reason.NO_BETTER: 'no better',
    Reason.ALGORITHM: 'not by its algorithm',
}


class Change(NamedTuple):
    """The last change of a robot's leader."""

    leader: int = NO_LEADER
    before: int = NO_LEADER
    reason: Reason = Reason.FIRST
    about: int = NO_LEADER
    """The robot whose message decided: the old leader, or the neighbour on the way to it."""
    measured: float = math.nan
    """What was compared: a distance [m], or the time of a silence [s]."""
    limit: float = math.nan
    """What it was compared with [m]."""

    @property
    def because(self) -> str:
        """
        Return the reason in words.

        >>> Change(14, 34, Reason.BEYOND_RADIUS, 34, 6.31, 6.0).because
        '34 is 6.3 m away, beyond its radius of 6'
        >>> Change(12, 34, Reason.SILENT, 34, 3.04).because
        '34 has been silent for 3.0 s'
        >>> Change(12, 34, Reason.SILENT, 9, 3.04).because
        '9, on the way to 34, has been silent for 3.0 s'
        >>> Change(31, 7, Reason.STRONGER, 31, 4.1, 4.5).because
        'stronger, and within 4.5 m'
        """
        way = '' if self.about == self.before else f', on the way to {self.before},'
        return _ABOUT_CHANGES[self.reason].format(change=self, way=way)


_ABOUT_CHANGES = {
    Reason.FIRST: 'it had no leader',
    Reason.STRONGER: 'stronger, and within {change.limit:g} m',
    Reason.NEARER: 'as strong, and nearer',
    Reason.LOWER_ID: 'as strong, with a lower id',
    Reason.OWN_STRENGTH: 'its own strength is another, or it is no candidate',
    Reason.SILENT: '{change.about}{way} has been silent for {change.measured:.1f} s',
    Reason.OUT_OF_RANGE: '{change.about}{way} is out of range',
    Reason.NOT_PASSED_ON: '{change.about}{way} follows another leader',
    Reason.LEADS_NO_MORE: '{change.before} leads no more',
    Reason.BEYOND_RADIUS: (
        '{change.before} is {change.measured:.1f} m away, beyond its radius of {change.limit:g}'),
    Reason.TOO_MANY_HOPS: '{change.before} is too many hops away',
    Reason.WEAKER: '{change.before} is weaker now',
    Reason.ALGORITHM: 'by its algorithm',
}


class Inputs(NamedTuple):
    """What a round went by."""

    own: int
    """The id of the robot."""
    before: Any
    state: Any
    """The states of the election before and after the round."""
    senders: Sequence[int]
    exports: Sequence[Any]
    metric: Sequence[float]
    """Of the neighbours, as the election takes them."""
    contradicted: Container[int]
    """The indices of neighbours whose leader leads no more."""
    parameters: Any
    """Those of the round."""

    @property
    def radius(self) -> float:
        """Return the largest distance to a leader [m], infinite where the algorithm has none."""
        return float(getattr(self.parameters, 'radius', math.inf))

    @property
    def joining_radius(self) -> float:
        """Return the largest distance to a new leader [m]."""
        return float(getattr(self.parameters, 'joining_radius', self.radius))


def candidacies(inputs: Inputs) -> list[ReceivedCandidacy]:
    """Return the candidacies that a robot received, each with what decided about it."""
    found = []
    for j, (sender, export) in enumerate(zip(inputs.senders, inputs.exports)):
        far = float(export.distance) + inputs.metric[j]
        found.append(ReceivedCandidacy(
            sender, int(export.leader), strength_of(export), far, _judged(inputs, j, far)))
    # Of several that would do, the state has the nearest.
    taken = [each.distance for each in found if each.reason == Reason.TAKEN]
    return [each._replace(reason=Reason.NO_BETTER)
            if each.reason == Reason.TAKEN and each.distance > min(taken) else each
            for each in found]


def list_of(received: Sequence[ReceivedCandidacy]) -> str:
    """
    Return candidacies in words, the nearest first.

    >>> far = ReceivedCandidacy(7, 34, 5.0, 6.31, Reason.BEYOND_RADIUS)
    >>> list_of([far, ReceivedCandidacy(9, 31, 4.0, 2.0, Reason.TAKEN)])
    '9 offers 31 (4) at 2.0 m: taken; 7 offers 34 (5) at 6.3 m: beyond the radius'
    >>> [list_of([far] * number).count(';') for number in (20, 21)], list_of([far] * 22)[-6:]
    ([19, 20], '2 more')
    """
    near = sorted(received, key=lambda candidacy: candidacy.distance)
    words = [f'{each.sender} offers {each.leader} ({each.strength:.3g}) at {each.distance:.1f} m: '
             f'{each.because}' for each in near[:MOST_LISTED]]
    more = len(near) - MOST_LISTED
    return '; '.join([*words, f'{more} more'] if more > 0 else words)


def strength_of(state: Any) -> float:
    """Return the strength in a state, NaN where its algorithm has none."""
    return -float(getattr(state, 'value', math.nan))


def _judged(inputs: Inputs, j: int, far: float) -> Reason:
    export, state = inputs.exports[j], inputs.state
    if export.leader == inputs.own:
        return Reason.OWN
    if j in inputs.contradicted:
        return Reason.LEADS_NO_MORE
    if far > inputs.radius:
        return Reason.BEYOND_RADIUS
    if far > inputs.joining_radius and export.leader != inputs.before.leader:
        return Reason.BEYOND_JOINING_RADIUS
    if getattr(export, 'hops', 0) >= getattr(inputs.parameters, 'hop_limit', math.inf):
        return Reason.TOO_MANY_HOPS
    if strength_of(export) < strength_of(state):
        return Reason.WEAKER
    if export.leader == state.leader:
        return Reason.TAKEN
    equal = strength_of(export) == strength_of(state)
    return Reason.NO_BETTER if equal else Reason.ALGORITHM


class LeaderWatch:
    """
    Keeps why a robot has its leader.

    :ivar change: the last change of the leader.
    """

    def __init__(self) -> None:
        self.change = Change()
        self._by = NO_LEADER
        """The neighbour by which it followed the leader in the last round."""
        self._loss: tuple[float, Change] | None = None
        """The distance to the leader before that neighbour was lost [m], and why it was lost."""

    def update(self, leader: int, inputs: Inputs, heard: Container[int], expiry: float) -> None:
        """
        Update it after a round.

        A leader that is lost lives on for some rounds in the messages of those who heard it from
        this robot, farther away each time. So the first loss counts, until the leader is as near
        as before.

        :param leader: the present leader, ``NO_LEADER`` for none.
        :param heard: the robots whose last message has not expired, also those out of range.
        :param expiry: the age at which a message counts no more [s].
        """
        before, by = self.change.leader, self._by
        if self._loss is None and by not in (NO_LEADER, *inputs.senders):
            made = Change(before=before, about=by)
            self._loss = float(inputs.before.distance), made._replace(
                reason=Reason.OUT_OF_RANGE) if by in heard else made._replace(
                reason=Reason.SILENT, measured=expiry)
        if leader != before:
            self.change = _change(leader, before, by, inputs)
            if self._loss is not None and self.change.reason in _ECHOES:
                self.change = self._loss[1]._replace(leader=leader)
            self._loss = None
        elif self._loss is not None and inputs.state.distance <= self._loss[0]:
            self._loss = None
        ways = [(float(export.distance) + distance, sender) for sender, export, distance
                in zip(inputs.senders, inputs.exports, inputs.metric)
                if export.leader == leader != inputs.own]
        self._by = min(ways)[1] if ways else NO_LEADER


_ECHOES = (Reason.NOT_PASSED_ON, Reason.BEYOND_RADIUS, Reason.TOO_MANY_HOPS)


def _change(leader: int, before: int, by: int, inputs: Inputs) -> Change:
    """Return why a round gave another leader, by the messages that the round had."""
    made = Change(leader, before)
    if before == NO_LEADER:
        return made
    now, then = strength_of(inputs.state), strength_of(inputs.before)
    if math.isnan(now):
        return made._replace(reason=Reason.ALGORITHM)
    if now > then and leader not in (inputs.own, NO_LEADER):
        return made._replace(reason=Reason.STRONGER, about=leader, limit=inputs.joining_radius,
                             measured=float(inputs.state.distance))
    ties = Reason.LOWER_ID if getattr(inputs.parameters, 'ties_by_id', True) else Reason.NEARER
    if now > then or before == inputs.own:
        return made._replace(about=inputs.own, reason=(
            ties if now == then else Reason.OWN_STRENGTH))
    lost = [candidacy for candidacy in candidacies(inputs) if candidacy.leader == before]
    if not lost:
        return made._replace(about=by, reason=(
            Reason.LEADS_NO_MORE if before in inputs.senders else Reason.NOT_PASSED_ON))
    nearest = min(lost, key=lambda candidacy: candidacy.distance)
    made = made._replace(about=nearest.sender, reason=nearest.reason)
    if nearest.reason == Reason.BEYOND_RADIUS:
        return made._replace(measured=nearest.distance, limit=inputs.radius)
    if nearest.reason in (Reason.LEADS_NO_MORE, Reason.TOO_MANY_HOPS):
        return made
    if now == then:
        return made._replace(reason=ties)
    return made._replace(
        reason=Reason.WEAKER if nearest.strength < then else Reason.ALGORITHM)
