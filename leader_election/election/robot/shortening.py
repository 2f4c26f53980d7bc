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

"""The optional parts that are left out of a message that exceeds the wire's limit."""

from leader_election.election.robot.codec import Message, NO_PARTS
from leader_election.election.robot.region_codec import RegionPart
from leader_election.election.robot.wire import NO_NAMES

SIGHTINGS_LEFT_OUT, DECISIONS_LEFT_OUT = 'sightings_left_out', 'decisions_left_out'
NAMES_LEFT_OUT = 'names_left_out'
REGIONS_LEFT_OUT, INSTANCES_LEFT_OUT = 'regions_left_out', 'instances_left_out'


def without_sightings(message: Message) -> Message:
    """Return a message without the sender's sightings."""
    if message.localisation is None:
        return message
    return message._replace(localisation=message.localisation._replace(sightings=()))


def without_names(message: Message) -> Message:
    """Return a message without the namespaces of robots."""
    return message._replace(names=NO_NAMES)


def without_decisions(message: Message) -> Message:
    """Return a message without the decisions of leaders."""
    def shorter(part: RegionPart | None) -> RegionPart | None:
        return None if part is None else part._replace(region=part.region._replace(
            decision='', decision_version=0))
    return message._replace(region=shorter(message.region), others={
        name: part._replace(region=shorter(part.region)) for name, part in message.others.items()})


def without_regions(message: Message) -> Message:
    """Return a message with the elections' part only."""
    return message._replace(region=None, others={
        name: part._replace(region=None) for name, part in message.others.items()})


def without_others(message: Message) -> Message:
    """Return a message with the election of the first instance only."""
    return message._replace(region=None, others=NO_PARTS)


SHORTENINGS = ((SIGHTINGS_LEFT_OUT, without_sightings), (NAMES_LEFT_OUT, without_names),
               (DECISIONS_LEFT_OUT, without_decisions), (REGIONS_LEFT_OUT, without_regions),
               (INSTANCES_LEFT_OUT, without_others))
"""The parts to leave out, in this order, each with its counter; elections come last."""
COUNTERS = tuple(counter for counter, _ in SHORTENINGS)
"""The names of the counters."""
