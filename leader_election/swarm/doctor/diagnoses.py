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
All checks, with question, meaning and remedy of each (``checks.yaml``).

Some findings explain others, so that a fault is reported once, by its cause.

A swarm is the robots that exchange messages on one topic. Two swarms in two namespaces may use the
same ids, frames and places, and are examined separately. A robot whose topic is in its own
namespace belongs to none: its ``neighbourhood`` is not remapped.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from typing import Any, NamedTuple, TypeVar

from leader_election.swarm.doctor import communication, inputs, links, membership
from leader_election.swarm.doctor.observations import (
    by_key,
    find_radio_topics,
    Level,
    Observations,
    space_of,
    Symptom,
)
import yaml

K = TypeVar('K')


class Explanation(NamedTuple):
    """A kind of finding that explains another kind (``explanations.yaml``)."""

    cause: str
    effect: str
    text: str
    cause_text: str
    of_others: bool


def _read(name: str) -> Any:
    folder = files('leader_election.swarm.doctor')
    return yaml.safe_load(folder.joinpath(name).read_text(encoding='utf-8'))


EXPLANATIONS = tuple(
    Explanation(cause, effect, text, row.get('cause_text', ''), row.get('of_others', False))
    for row in _read('explanations.yaml') for cause in row['causes'] for effect in row['effects']
    for text in row.get('texts', ['']))


def root_causes(found: Mapping[K, tuple[str, Symptom]]) -> dict[K, K]:
    """
    Return the root cause of each finding. A finding without a cause is its own.

    A note explains nothing.

    :param found: check and symptom of each finding.

    >>> odometry = Symptom(Level.ERROR, ('r1',), 'no node publishes /r1/odom')
    >>> still = Symptom(Level.ERROR, ('r1',), 'use_sim_time is true: its time stands still')
    >>> root_causes({1: ('odometry', odometry), 2: ('simulated_time', still)})
    {1: 2, 2: 2}
    """
    by_check = by_key((check, key) for key, (check, _) in found.items())
    parents: dict[K, K] = {}
    for row in EXPLANATIONS:
        causes = [key for key in by_check.get(row.cause, ())
                  if found[key][1].level > Level.NOTE and row.cause_text in found[key][1].what]
        concerned = {robot for key in causes for robot in found[key][1].subjects}
        for key in by_check.get(row.effect, ()) if causes else ():
            effect = found[key][1]
            if key in parents or key in causes or row.text not in effect.what:
                continue
            if row.of_others or concerned.issuperset(effect.subjects):
                parents[key] = _of_robots(causes, effect.subjects, found)
    return {key: _root(key, parents) for key in found}


def _of_robots(causes: Sequence[K], robots: Sequence[str],
               found: Mapping[K, tuple[str, Symptom]]) -> K:
    """Return the first cause that concerns one of the robots, otherwise the first cause."""
    return next((key for key in causes if set(found[key][1].subjects) & set(robots)), causes[0])


def _root(key: K, parents: Mapping[K, K]) -> K:
    while key in parents:
        key = parents[key]
    return key


class Check(NamedTuple):
    """One possible problem of a swarm."""

    name: str
    question: str
    meaning: str
    """The consequence for the swarm."""
    remedy: str
    look: Callable[[Observations], Iterable[Symptom]]
    remedies: Mapping[str, str] = {}
    """The advice by a part of the description, in place of ``remedy``."""
    common: bool = False
    """Whether all swarms are examined together, else each by itself."""


class Finding(NamedTuple):
    """A symptom with the check that found it, and the remedy."""

    check: str
    level: Level
    subjects: tuple[str, ...]
    what: str
    remedy: str
    explained_by: str = ''
    """The check that found its cause, empty if it is a cause itself."""


LOOKS: Mapping[str, Callable[[Observations], Iterable[Symptom]]] = {
    look.__name__: look for look in (
        membership.found, membership.missing, membership.silent, membership.ids,
        membership.frames, membership.settings, membership.readable, membership.refused,
        membership.keys, membership.self_reported, inputs.odometry, inputs.wheels,
        communication.shared_topic, communication.profiles, communication.reception,
        communication.one_way, communication.loss, links.links, communication.load,
        communication.receive_buffers,
        inputs.simulated_time, inputs.offsets)}
CHECKS = tuple(Check(look=LOOKS[row['name']], **row) for row in _read('checks.yaml'))


def examine(swarm: Observations) -> list[Finding]:
    """
    Return all findings in the order of the checks, the worst of each check first.

    Several swarms are examined separately (:func:`separate`).
    """
    parts = separate(swarm)
    symptoms = [(check, symptom if symptom.subjects or check.common or len(parts) == 1
                 else symptom._replace(what=f'{topic}: {symptom.what}'))
                for check in CHECKS
                for topic, part in ({'': swarm} if check.common else parts).items()
                for symptom in check.look(part)]
    roots = root_causes({k: (check.name, symptom) for k, (check, symptom) in enumerate(symptoms)})
    robots: dict[Finding, list[str]] = {}
    for k, (check, (level, subjects, what)) in enumerate(symptoms):
        cause = '' if roots[k] == k else symptoms[roots[k]][0].name
        special = next((each for part, each in check.remedies.items() if part in what), '')
        alike = Finding(check.name, level, (), what, special or check.remedy, cause)
        robots.setdefault(alike, []).extend(subjects)
    order = {check.name: k for k, check in enumerate(CHECKS)}
    findings = [finding._replace(subjects=tuple(sorted(set(names))))
                for finding, names in robots.items()]
    return sorted(findings, key=lambda f: (order[f.check], -f.level, f.subjects, f.what))


def about(findings: Iterable[Finding], robot: str) -> list[Finding]:
    """Return the findings that concern a robot, or the whole swarm."""
    return [finding for finding in findings
            if not finding.subjects or robot in finding.subjects]


def swarm_topics(observed: Observations) -> dict[str, tuple[str, ...]]:
    """Return the topics of all swarms, each with the names of its robots."""
    radio = find_radio_topics(observed)
    nodes = {endpoint.node: endpoint.robot for endpoint in observed.nodes}
    users: dict[str, set[str]] = {}
    for endpoint in observed.endpoints:
        if endpoint.publishes and endpoint.topic in radio and endpoint.node in nodes:
            users.setdefault(endpoint.topic, set()).add(endpoint.node)
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

    Expected robots are kept. Robots without a swarm are kept in the namespace of a chosen topic,
    since theirs may not be remapped.

    :param topics: of the swarms to keep.
    """
    swarms = swarm_topics(observed)
    others = tuple(topic for topic, robots in swarms.items()
                   if topic not in topics and not observed.expected.keys() & set(robots))
    beside = {*map(space_of, topics)}
    gone = {robot for topic in others for robot in swarms[topic]}
    gone |= {robot for robot in set(observed.robots).difference(*swarms.values())
             if space_of(f'/{robot}') not in beside and robot not in observed.expected}
    kept = tuple(robot for robot in observed.robots if robot not in gone)
    senders = by_key((e.topic, e.robot) for e in observed.endpoints if e.publishes)
    heard = {heard.topic for heard in observed.messages} | {
        known.topic for known in observed.known}
    theirs = tuple(topic for topic in heard.difference(others)
                   # The sender of a message may be unknown.
                   if not gone.issuperset(senders.get(topic, ('',))))
    return replace(_part(observed, theirs, kept), other_swarms=others)


def _part(observed: Observations, topics: tuple[str, ...],
          robots: tuple[str, ...]) -> Observations:
    others = {endpoint.node for endpoint in observed.nodes if endpoint.robot not in robots}
    return replace(
        observed,
        messages=[heard for heard in observed.messages if heard.topic in topics],
        known=[known for known in observed.known if known.topic in topics],
        diagnostics=[report for report in observed.diagnostics if report.robot in robots],
        links=[report for report in observed.links if report.robot in robots],
        neighbours={robot: history for robot, history in observed.neighbours.items()
                    if robot in robots},
        endpoints=[e for e in observed.endpoints if e.node not in others])
