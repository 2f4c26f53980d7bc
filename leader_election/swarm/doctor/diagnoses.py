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
from typing import Any, NamedTuple

from leader_election.swarm.doctor import communication, inputs, membership
from leader_election.swarm.doctor.observations import (
    find_radio_topics,
    Level,
    Observations,
    space_of,
    Symptom,
)
import yaml


class Explanation(NamedTuple):
    """Checks whose findings explain those of others (``explanations.yaml``)."""

    causes: Sequence[str]
    effects: Sequence[str]
    texts: Sequence[str] = ('',)
    cause_text: str = ''
    of_others: bool = False


def _read(name: str) -> Any:
    folder = files('leader_election.swarm.doctor')
    return yaml.safe_load(folder.joinpath(name).read_text(encoding='utf-8'))


EXPLANATIONS = tuple(Explanation(**row) for row in _read('explanations.yaml'))


def explain(found: Sequence[tuple[str, Symptom]]) -> list[str]:
    """
    Return the check that explains each finding, empty for a root cause. A note explains nothing.

    :param found: check and symptom of each finding.

    >>> odometry = Symptom(Level.ERROR, ('r1',), 'no node publishes /r1/odom')
    >>> still = Symptom(Level.ERROR, ('r1',), 'use_sim_time is true: its time stands still')
    >>> explain([('odometry', odometry), ('simulated_time', still)])
    ['simulated_time', '']
    """
    causes = [''] * len(found)
    for cause, row in ((cause, each) for each in EXPLANATIONS for cause in each.causes):
        causing = [each for check, each in found if check == cause and each.level > Level.NOTE
                   and row.cause_text in each.what]
        robots = {robot for each in causing for robot in each.subjects}
        for k, (check, each) in enumerate(found):
            if causing and check in row.effects and not causes[k] and (
                    row.of_others or robots.issuperset(each.subjects)) and any(
                    text in each.what for text in row.texts):
                causes[k] = cause
    # A check whose findings are all explained has a cause itself.
    above = {check: cause for cause, check in sorted(
        ((cause, check) for (check, _), cause in zip(found, causes)), reverse=True)}

    def root(check: str) -> str:
        return root(above[check]) if above.get(check) else check

    return [root(cause) for cause in causes]


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


LOOKS = {**vars(membership), **vars(inputs), **vars(communication)}
"""The functions of checks, by their names."""
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
    causes = explain([(check.name, symptom) for check, symptom in symptoms])
    robots: dict[Finding, list[str]] = {}
    for (check, (level, subjects, what)), cause in zip(symptoms, causes):
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
    found = {topic: _part(observed, robots) for topic, robots in topics.items()}
    lost = set(observed.robots).difference(*topics.values())
    return found | ({'': _part(observed, lost)} if lost else {})


def choose(observed: Observations, topics: Collection[str]) -> Observations:
    """
    Return the observations without those of other swarms.

    Expected robots are kept. Robots without a swarm are kept in the namespace of a chosen topic,
    since theirs may not be remapped.

    :param topics: of the swarms to keep.
    """
    swarms, spaces = swarm_topics(observed), {*map(space_of, topics)}
    others = {topic: robots for topic, robots in swarms.items()
              if topic not in topics and not observed.expected.keys() & set(robots)}
    kept = {robot for robot in set(observed.robots).difference(*swarms.values())
            if robot in observed.expected or space_of(f'/{robot}') in spaces}
    kept.update(*(robots for topic, robots in swarms.items() if topic not in others))
    return replace(_part(observed, kept), other_swarms=tuple(others))


def _part(observed: Observations, robots: Collection[str]) -> Observations:
    """Return the observations of some robots, and the messages of unknown senders."""
    others = {endpoint.node for endpoint in observed.nodes if endpoint.robot not in robots}
    own = {endpoint.node for endpoint in observed.nodes} - others
    theirs, ours = ({e.topic for e in observed.endpoints if e.publishes and e.node in nodes}
                    for nodes in (others, own))
    return replace(
        observed,
        messages=[heard for heard in observed.messages if heard.topic not in theirs - ours],
        known=[known for known in observed.known if known.topic not in theirs - ours],
        diagnostics=[report for report in observed.diagnostics if report.robot in robots],
        links=[report for report in observed.links if report.robot in robots],
        endpoints=[e for e in observed.endpoints if e.node not in others])
