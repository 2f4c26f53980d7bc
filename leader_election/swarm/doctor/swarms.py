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
The swarms among the observed robots: robots that exchange messages on one topic.

Two swarms in two namespaces may use the same ids, frames and places, and are examined separately.
A robot whose topic is in its own namespace belongs to none: its ``neighbourhood`` is not remapped.
"""

from collections.abc import Collection
from dataclasses import replace

from leader_election.swarm.doctor.observations import find_radio_topics, Observations, space_of


def swarm_topics(observed: Observations) -> dict[str, tuple[str, ...]]:
    """Return the topics of all swarms, each with the names of its robots."""
    radio = find_radio_topics(observed)
    nodes = {endpoint.node: endpoint.robot for endpoint in observed.nodes}
    hosted: dict[str, list[str]] = {}
    for node, hosts in observed.hosts.items():
        for host in hosts:
            hosted.setdefault(host, []).append(node)
    users: dict[str, set[str]] = {}
    for endpoint in observed.endpoints:
        if endpoint.publishes and endpoint.topic in radio:
            own = [endpoint.node] if endpoint.node in nodes else hosted.get(endpoint.node, [])
            if own:
                users.setdefault(endpoint.topic, set()).update(own)
    return {topic: tuple(sorted(nodes[node] for node in own))
            for topic, own in sorted(users.items())
            if len(own) > 1 or space_of(topic) not in map(space_of, own)}


def separate(observed: Observations) -> dict[str, Observations]:
    """
    Return the observations of each swarm by its topic.

    With several swarms, robots without a swarm are under an empty name. One swarm has all
    observations.
    """
    topics = swarm_topics(observed)
    if len(topics) < 2:
        return {next(iter(topics), ''): observed}
    found = {topic: _part(observed, (topic,), robots) for topic, robots in topics.items()}
    lost = set(observed.robots).difference(*topics.values())
    if lost:
        others = {heard.topic for heard in observed.messages} - topics.keys()
        found[''] = _part(observed, tuple(others), tuple(lost))
    return found


def choose(observed: Observations, topics: Collection[str]) -> Observations:
    """
    Return the observations without those of other swarms.

    Robots without a swarm are kept, and expected robots of the kept swarms.

    :param topics: of the swarms to keep.
    """
    swarms = swarm_topics(observed)
    others = tuple(topic for topic, robots in swarms.items()
                   if topic not in topics and not observed.expected.keys() & set(robots))
    gone = {robot for topic in others for robot in swarms[topic]}
    kept = tuple(robot for robot in observed.robots if robot not in gone)
    heard = {heard.topic for heard in observed.messages}.difference(others)
    return replace(_part(observed, tuple(heard), kept), other_swarms=others)


def _part(observed: Observations, topics: tuple[str, ...],
          robots: tuple[str, ...]) -> Observations:
    others = {endpoint.node for endpoint in observed.nodes if endpoint.robot not in robots}
    return replace(
        observed,
        messages=[heard for heard in observed.messages if heard.topic in topics],
        diagnostics=[report for report in observed.diagnostics if report.robot in robots],
        neighbours={robot: history for robot, history in observed.neighbours.items()
                    if robot in robots},
        endpoints=[e for e in observed.endpoints if e.node not in others])
