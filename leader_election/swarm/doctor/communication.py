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
Checks of communication: topics, quality of service, reception, loss of messages, receive buffers.

Bursts of messages overflow the receive buffers of UDP. Those of this computer and its load are
checked, too.
"""

from collections.abc import Iterator
from itertools import permutations, product

from leader_election.election.robot import diagnostics as vocabulary
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.reception import HEARD, ROUNDS
from leader_election.swarm.doctor.observations import (
    by_key,
    Endpoint,
    find_radio_topics,
    Level,
    listing,
    Observations,
    Symptom,
)
from leader_election.swarm.fleet.receive_buffers import MANY_ROBOTS, too_small

LOSS = 0.2
"""The greatest share of lost messages that is tolerated."""
NEAR = 0.8
"""The share of the longest distance between neighbours within which robots must be received."""
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
            yield Symptom(level, _robots([e for pair in pairs for e in pair], nodes),
                          f'{topic}: {listing(receivers)} cannot receive from '
                          f'{listing(senders)}: {fault}')


def _robots(endpoints: list[Endpoint], nodes: set[str]) -> tuple[str, ...]:
    return tuple(sorted({e.robot for e in endpoints if e.node in nodes}))


def _incompatibilities(publisher: Endpoint, subscription: Endpoint) -> Iterator[str]:
    """Yield each policy for which the subscription requests more than the publisher offers."""
    if subscription.reliable and not publisher.reliable:
        yield 'reliability: best effort is offered, reliable requested'
    if subscription.latched and not publisher.latched:
        yield 'durability: volatile is offered, transient local requested'


def reception(swarm: Observations) -> Iterator[Symptom]:
    """Find robots that receive nothing, or only robots that are out of range."""
    reach = NEAR * _longest_link(swarm)
    for robot, own in swarm.ids.items():
        reports = [report for report in swarm.reports_of(robot) if HEARD in report.values]
        if swarm.increase(robot, HEARD) > 0.0:
            yield from _out_of_range(swarm, robot)
        elif len(reports) > 1:
            near = sum(reports[0].received <= heard.received <= reports[-1].received
                       for other, messages in swarm.sent.items() if other != own
                       and swarm.distance_between(other, own) <= reach for heard, _ in messages)
            if near >= FEW:
                yield Symptom(Level.ERROR, (robot,),
                              'it received nothing, while messages of robots near it arrived here')


def _out_of_range(swarm: Observations, robot: str) -> Iterator[Symptom]:
    """Find a robot that receives others, all of which are out of range."""
    # Few have no neighbours. Only for these the distances to all robots are compared.
    if any(report.values.get(vocabulary.NEIGHBOURS) != '0' for report in swarm.reports_of(robot)):
        return
    reach, own = swarm.setting(robot, vocabulary.COMMUNICATION_RANGE), swarm.ids[robot]
    nearest = min((swarm.distance_between(own, other) for other in swarm.sent if other != own),
                  default=0.0)
    if nearest > reach:
        yield Symptom(Level.WARN, (robot,), 'it has no neighbours: the nearest robot is '
                      f'{nearest:.1f} m away, and {vocabulary.COMMUNICATION_RANGE} is {reach:g} m')


def _longest_link(swarm: Observations) -> float:
    """Return the longest distance between neighbours [m]; the default range without any."""
    found = [swarm.distance_between(swarm.ids[robot], other)
             for robot, history in swarm.neighbours.items() if robot in swarm.ids
             for other in history[-1].ids if other in swarm.sent]
    return max(found, default=ElectionParameters.communication_range)


def one_way(swarm: Observations) -> Iterator[Symptom]:
    """Find links in one direction only: only one robot of a pair receives the other."""
    for (receiver, sender), mutual in hearing(swarm).items():
        if not mutual:
            ranges = [_range(swarm, robot) for robot in (receiver, sender)]
            why = (f' (communication_range {ranges[0]} and {ranges[1]} m)'
                   if None not in ranges and ranges[0] != ranges[1] else '')
            yield Symptom(Level.WARN, (receiver, sender),
                          f'{receiver} has {sender} as a neighbour, {sender} not {receiver}{why}')


def hearing(swarm: Observations) -> dict[tuple[str, str], bool]:
    """
    Return the links: receiver and sender, where the receiver always has the sender as neighbour.

    :return: whether the sender ever had the receiver as a neighbour, too, by receiver and sender.
    """
    recent = {robot: [set(ids) for ids in _recent(swarm, robot)]
              for robot in sorted(swarm.ids.keys() & swarm.neighbours.keys())}
    always = {robot: set.intersection(*sets) for robot, sets in recent.items()}
    ever = {robot: set.union(*sets) for robot, sets in recent.items()}
    return {(receiver, sender): swarm.ids[receiver] in ever[sender]
            for receiver, sender in permutations(recent, 2)
            if swarm.ids[sender] in always[receiver]}


def _range(swarm: Observations, robot: str) -> str | None:
    return swarm.reports_of(robot)[-1].values.get(vocabulary.COMMUNICATION_RANGE)


def _recent(swarm: Observations, robot: str) -> list[tuple[int, ...]]:
    """Return all sets of neighbours that a robot had in the second half of the observation."""
    half = swarm.end - 0.5 * swarm.seconds
    history = swarm.neighbours[robot]
    before = [ids for received, ids in history if received <= half]
    return before[-1:] + [ids for received, ids in history if received > half]


def loss(swarm: Observations) -> Iterator[Symptom]:
    """Find robots many of whose messages are lost."""
    lost: dict[str, tuple[float, int]] = {}
    for robot_id, messages in swarm.sent.items():
        for robot in swarm.names_of(robot_id)[:1]:
            sent, arrived = _sent_and_arrived(
                swarm, robot, [heard.received for heard, _ in messages])
            # One message may be under way at the beginning or at the end.
            if sent >= FEW and arrived + 1 < (1.0 - LOSS) * sent:
                lost[robot] = sent, arrived
    if lost:
        sent, arrived = (sum(column) for column in zip(*lost.values()))
        yield Symptom(Level.WARN, tuple(lost),
                      f'of {sent:g} messages sent {arrived:g} arrived here, '
                      f'{1.0 - arrived / sent:.0%} were lost')


def _sent_and_arrived(swarm: Observations, robot: str, times: list[float]) -> tuple[float, int]:
    """Return the number of messages that a robot sent by its own count, and of those received."""
    reports = [report for report in swarm.reports_of(robot) if ROUNDS in report.values]
    if len(reports) < 2:
        return 0.0, 0
    arrived = sum(reports[0].received < time <= reports[-1].received for time in times)
    return swarm.increase(robot, ROUNDS), arrived


OVERLOAD = 3.0
"""Load of a processor above which rounds and messages are late [processes]."""
BRIDGES = ('clock_bridge', 'gazebo_bridge')
FIRST_PORT, PORTS, DOMAINS = 7400, 250, 233
"""The ports of a domain: so many from ``FIRST_PORT + PORTS * domain`` on (RTPS 2.3, 9.6.1)."""


def drops(text: str, domain: int) -> dict[str, int]:
    """
    Return the numbers of datagrams that full buffers of sockets of a domain lost, by inode.

    :param text: of the file ``/proc/net/udp``. It may be empty.

    >>> row = '732: 0100007F:1CE8 00000000:0000 07 0:0 00:0 0 1000 0 38477 2 0a56cfa0 5'
    >>> drops('sl local_address ... drops' + chr(10) + row, 0), drops(row, 1)
    ({'38477': 5}, {})
    """
    rows = [line.split() for line in text.splitlines()[1:]]
    return {row[9]: int(row[12]) for row in rows if len(row) >= 13
            and (int(row[1].rpartition(':')[2], 16) - FIRST_PORT) // PORTS == domain}


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


def receive_buffers(swarm: Observations) -> Iterator[Symptom]:
    """Find buffers that overflowed, and those too small for Gazebo with many robots."""
    small = too_small(swarm.receive_buffers)
    bridged = any(endpoint.node.rpartition('/')[2] in BRIDGES for endpoint in swarm.endpoints)
    if swarm.lost:
        sizes = f' ({small})' if small else ', as large as advised: the computer is overloaded'
        yield Symptom(Level.WARN if swarm.lost >= FEW else Level.NOTE, (),
                      f'{swarm.lost} datagrams to this domain were lost on this computer, as '
                      f'receive buffers were full{sizes}')
    elif small and bridged:
        level = Level.WARN if len(swarm.robots) > MANY_ROBOTS else Level.NOTE
        yield Symptom(level, (), 'Gazebo Sim announces all topics at once, every second: '
                      + small)


def load(swarm: Observations) -> Iterator[Symptom]:
    """Find a computer with too many processes."""
    if swarm.load >= OVERLOAD:
        yield Symptom(Level.WARN, (), f'this computer is overloaded: {swarm.load:.1f} processes '
                      'for each processor; robots on it are late, and so is swarm_doctor')
