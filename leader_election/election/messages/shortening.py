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

"""What a message leaves out where it would be longer than a message may be."""

from collections import Counter
from collections.abc import Callable

from leader_election.election.mandates.part import MandatePart
from leader_election.election.messages.codec import Message, NO_PARTS
from leader_election.election.messages.region_codec import RegionPart
from leader_election.election.messages.wire import NO_NAMES

SIGHTINGS_LEFT_OUT = 'sightings_left_out'


def grants_in(message: Message) -> int:
    """Return the number of members whose grants a message holds."""
    parts = (message.mandate, *(part.mandate for part in message.others.values()))
    return sum(len(part.grants) for part in parts if part is not None)


def without_sightings(message: Message) -> Message:
    """Return a message without the sender's sightings."""
    if message.localisation is None:
        return message
    return message._replace(localisation=message.localisation._replace(sightings=()))


def without_names(message: Message) -> Message:
    """Return a message without the namespaces of robots."""
    return message._replace(names=NO_NAMES)


def with_half_of_the_grants(message: Message) -> Message:
    """Return a message with the newer half of the grants; other members are under no mandate."""
    def shorter(part: MandatePart | None) -> MandatePart | None:
        if part is None:
            return None
        newest = sorted(part.grants.items(), key=lambda each: -each[1])
        return part._replace(grants=dict(newest[:(len(newest) + 1) // 2]))
    return message._replace(mandate=shorter(message.mandate), others={
        name: part._replace(mandate=shorter(part.mandate))
        for name, part in message.others.items()})


def _in_regions(message: Message, change: Callable[[RegionPart], RegionPart | None]) -> Message:
    def changed(part: RegionPart | None) -> RegionPart | None:
        return None if part is None else change(part)
    return message._replace(region=changed(message.region), others={
        name: part._replace(region=changed(part.region)) for name, part in message.others.items()})


def without_decisions(message: Message) -> Message:
    """Return a message without the decisions of leaders."""
    return _in_regions(message, lambda part: part._replace(region=part.region._replace(
        decision='', decision_version=0)))


def without_regions(message: Message) -> Message:
    """Return a message with the elections' part only."""
    return _in_regions(message, lambda part: None)


def without_others(message: Message) -> Message:
    """Return a message with the election of the first instance only."""
    return message._replace(region=None, others=NO_PARTS)


SHORTENINGS: tuple[tuple[str, Callable[[Message], Message]], ...] = (
    (SIGHTINGS_LEFT_OUT, without_sightings), ('names_left_out', without_names),
    ('grants_left_out', with_half_of_the_grants),
    ('decisions_left_out', without_decisions),
    ('regions_left_out', without_regions), ('instances_left_out', without_others),
    *(('grants_left_out', with_half_of_the_grants),) * 10)
"""The parts to leave out one after the other, each with its counter; elections come last."""


def shortened(message: Message, encode: Callable[[Message], str], room: int,
              counts: Counter[str]) -> tuple[str, Message]:
    """
    Return the payload of a message with as many of its parts as fit, and that message.

    :param room: the greatest length [characters].
    :param counts: the counters of what is left out.
    """
    payload = encode(message)
    for count, shorter in SHORTENINGS:
        if len(payload) <= room:
            break
        less = shorter(message)
        if less != message:
            counts[count] += 1
            payload, message = encode(less), less
    return payload, message
