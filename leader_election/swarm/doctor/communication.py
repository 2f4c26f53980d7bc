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
Checks of communication: topics, quality of service, reception, loss, links between domains.

Links are examined from both ends: each tells the others what it hears of them.
"""

from collections.abc import Iterator
from itertools import product

from leader_election.election.messages import packets
from leader_election.election.robot import diagnostics as vocabulary
from leader_election.election.robot.reception import HEARD, ROUNDS
from leader_election.swarm.doctor.observations import (
    BRIDGES,
    by_key,
    Endpoint,
    find_radio_topics,
    Level,
    listing,
    Observations,
    Symptom,
)
from leader_election.swarm.fleet.link_status import PeerCounts, TOO_LONG, UNSENT
from leader_election.swarm.fleet.robot_list import buffers_too_small, MANY_ROBOTS

LOSS = 0.2
"""The greatest share of lost messages that is tolerated."""
FEW = 5


def shared_topic(swarm: Observations) -> Iterator[Symptom]:
    """Find robots that publish on a topic without other subscribers."""
    nodes = {endpoint.node for endpoint in swarm.nodes}
    if len(nodes) < 2:
        return
    topics = find_radio_topics(swarm)
    alone = sorted({(e.robot, e.topic) for e in swarm.endpoints
                    if e.publishes and e.node in nodes and e.topic in topics
                    and not any(r.node != e.node for r in swarm.subscriptions(e.topic))})
    if alone:
        yield Symptom(Level.ERROR, tuple(robot for robot, _ in alone), 'no other robot receives '
                      'what it publishes on ' + listing([topic for _, topic in alone]))


def profiles(swarm: Observations) -> Iterator[Symptom]:
    """Find publishers and subscriptions of one topic whose profiles are incompatible."""
    nodes = {endpoint.node for endpoint in swarm.nodes}
    for topic in sorted({e.topic for e in swarm.endpoints if e.node in nodes}):
        publishers, subscriptions = swarm.publishers(topic), swarm.subscriptions(topic)
        for fault, pairs in by_key(
                (fault, pair) for pair in product(publishers, subscriptions)
                for fault in _incompatibilities(*pair)).items():
            receivers = sorted({subscription.node for _, subscription in pairs})
            senders = sorted({publisher.node for publisher, _ in pairs})
            # A tool that receives nothing disturbs no robot.
            level = Level.ERROR if nodes.intersection(receivers) else Level.WARN
            robots = {e.robot for pair in pairs for e in pair if e.node in nodes}
            yield Symptom(level, tuple(sorted(robots)),
                          f'{topic}: {listing(receivers)} cannot receive from '
                          f'{listing(senders)}: {fault}')


def _incompatibilities(publisher: Endpoint, subscription: Endpoint) -> Iterator[str]:
    """Yield each policy for which the subscription requests more than the publisher offers."""
    if subscription.reliable and not publisher.reliable:
        yield 'reliability: best effort is offered, reliable requested'
    if subscription.latched and not publisher.latched:
        yield 'durability: volatile is offered, transient local requested'


def reception(swarm: Observations) -> Iterator[Symptom]:
    """Find robots that receive nothing, or only robots that are out of range."""
    for robot, own in swarm.ids.items():
        reach = swarm.setting(robot, vocabulary.COMMUNICATION_RANGE)
        reports = [report for report in swarm.reports_of(robot) if HEARD in report.values]
        if swarm.increase(robot, HEARD) > 0.0:
            yield from _out_of_range(swarm, robot, reach)
        elif len(reports) > 1:
            near = sum(reports[0].received <= heard.received <= reports[-1].received
                       for other, messages in swarm.sent.items() if other != own
                       and swarm.distance_between(other, own) <= reach for heard, _ in messages)
            if near >= FEW:
                yield Symptom(Level.ERROR, (robot,),
                              'it received nothing, while messages of robots near it arrived here')


def _out_of_range(swarm: Observations, robot: str, reach: float) -> Iterator[Symptom]:
    """Find a robot that receives others, all of which are out of range."""
    # Few have no neighbours. Only for these the distances to all robots are compared.
    if any(report.values.get(vocabulary.NEIGHBOURS) != '0' for report in swarm.reports_of(robot)):
        return
    own = swarm.ids[robot]
    nearest = min((swarm.distance_between(own, other) for other in swarm.sent if other != own),
                  default=0.0)
    if nearest > reach:
        yield Symptom(Level.WARN, (robot,), 'it has no neighbours: the nearest robot is '
                      f'{nearest:.1f} m away, and {vocabulary.COMMUNICATION_RANGE} is {reach:g} m')


def loss(swarm: Observations) -> Iterator[Symptom]:
    """Find robots many of whose messages are lost."""
    for robot, own in swarm.ids.items():
        reports = [report for report in swarm.reports_of(robot) if ROUNDS in report.values]
        # Each round sends one message. One may be under way at the beginning or at the end.
        if own in swarm.sent and (sent := swarm.increase(robot, ROUNDS)) >= FEW:
            arrived = sum(reports[0].received < heard.received <= reports[-1].received
                          for heard, _ in swarm.sent[own])
            if arrived + 1 < (1.0 - LOSS) * sent:
                yield Symptom(Level.WARN, (robot,),
                              f'of {sent:g} messages sent {arrived:g} arrived here')


FIRST_PORT, PORTS, DOMAINS = 7400, 250, 233
"""The ports of a domain: so many from ``FIRST_PORT + PORTS * domain`` on (RTPS 2.3, 9.6.1)."""


def domains(text: str) -> set[int]:
    r"""
    Return the domains with processes on this computer, by the ports of their announcements.

    :param text: of the file ``/proc/net/udp``. It may be empty.

    >>> domains('sl local_address\n732: 0100007F:1CE8 0:0\n9: 0:1CF3 0:0\n12: 0:1FD6 0:0\n')
    {0, 3}
    """
    offsets = {int(row.split()[1].rpartition(':')[2], 16) - FIRST_PORT
               for row in text.splitlines()[1:]}
    return {offset // PORTS for offset in offsets
            if offset % PORTS == 0 and offset // PORTS in range(DOMAINS)}


COUNTED = (
    (TOO_LONG, Level.ERROR, 'its link left out {} that are too long for it'),
    (UNSENT, Level.ERROR, 'its link could not send {}'),
    (packets.FLOODED, Level.WARN, 'its link left out {}, more than most_packets of one sender'),
    (packets.STRANGE, Level.WARN, 'at its link {} arrived that are not from a link'))
"""Counters whose increase is a symptom."""


def links(swarm: Observations) -> Iterator[Symptom]:
    """Find links that hear nobody or are not heard, and what they lose, refuse and leave out."""
    for (robot, _), reports in by_key(
            ((report.robot, report.id), report) for report in swarm.links).items():
        first, last = reports[0], reports[-1]
        if not last.peers:
            yield Symptom(Level.ERROR, (robot,), f'its link hears no other link: {last.message}')
        grown = {key: value - first.counts.get(key, value) for key, value in last.counts.items()}
        for key, level, text in COUNTED:
            if (number := grown.get(key, 0)) > 0:
                yield Symptom(level, (robot,), text.format(
                    f'{number} packets' if number > 1 else 'a packet')
                    + (f': {last.message}' if key in (UNSENT, TOO_LONG) else ''))
        if (text := _lost(grown.get(packets.HEARD, 0), grown.get('damaged', 0))):
            yield Symptom(Level.WARN, (robot,), f'at its link {text} frames were damaged')
        for peer, counts in last.peers.items():
            yield from _peer(robot, counts, first.peers.get(peer), _name(swarm, peer, counts))


def _peer(robot: str, counts: PeerCounts, before: PeerCounts | None, name: str,
          ) -> Iterator[Symptom]:
    """Find what is lost between a link and another one."""
    if counts.heard_there == 0:
        yield Symptom(Level.ERROR, (robot,), f'its link is not heard by that of {name}, which it '
                      'hears')
    if before is None:
        return
    if (text := _lost(counts.heard - before.heard, counts.lost - before.lost)):
        yield Symptom(Level.WARN, (robot,), f'its link lost {text} packets of {name}')
    if counts.heard_there is not None and before.heard_there is not None and (text := _lost(
            counts.heard_there - before.heard_there, counts.lost_there - before.lost_there)):
        yield Symptom(Level.WARN, (robot,), f'{text} packets of its link were lost before {name}')


def _lost(heard: int, lost: int) -> str:
    """Return how many packets were lost, empty where these are few."""
    return f'{lost} of {heard + lost}' if lost >= FEW and lost > LOSS * (heard + lost) else ''


def _name(swarm: Observations, peer: str, counts: PeerCounts) -> str:
    """Return the robots behind another link, by name where they are known here."""
    names = [name for robot in counts.robots for name in swarm.names_of(robot)]
    return listing(names) if names else f'link {peer[:8]}'


def receive_buffers(swarm: Observations) -> Iterator[Symptom]:
    """Find buffers that are too small for Gazebo."""
    small = buffers_too_small(swarm.receive_buffers)
    if small and any(e.node.rpartition('/')[2] in BRIDGES for e in swarm.endpoints):
        yield Symptom(Level.WARN if len(swarm.robots) > MANY_ROBOTS else Level.NOTE, (),
                      f'Gazebo Sim announces all topics at once, every second: {small}')
