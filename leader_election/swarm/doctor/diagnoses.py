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
All checks, with question, meaning and remedy of each (``checks.yaml``), and their report.

Some findings explain others, so that a fault is reported once, by its cause.

A swarm is the robots that exchange messages on one topic. Two swarms in two namespaces may use the
same ids, frames and places, and are examined separately. A robot whose topic is in its own
namespace belongs to none: its ``neighbourhood`` is not remapped.
"""

import argparse
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from itertools import chain
import textwrap
from typing import Any, NamedTuple

from leader_election.parameters.command_line import CommandLineParser, how_to_run, number
from leader_election.swarm.doctor import communication, membership
from leader_election.swarm.doctor.observations import (
    by_key,
    find_radio_topics,
    Level,
    listing,
    Observations,
    space_of,
    Symptom,
)
from leader_election.swarm.fleet.fleet_file import load_fleet
from leader_election.swarm.fleet.fleet_settings import SHARED_TOPIC, TOPICS
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


LOOKS = {**vars(membership), **vars(communication)}
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
        links=[status for status in observed.links
               if status.name.rpartition(': ')[0].strip('/') in robots],
        endpoints=[e for e in observed.endpoints if e.node not in others])


DESCRIPTION = """
Observe a swarm for some seconds, check for common problems, and advise what to do.

The command runs on a robot, or on any machine of its network. It publishes nothing. The exit
status is 0 without a problem, 1 with one, 2 for wrong usage.
"""
_SECONDS = number(lambda value: 1.0 <= value <= 3600.0, '1 to 3600 s')


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """
    Return the options, or end the process with status 2 and one line if one is wrong.

    :raises ParameterError: if the fleet file cannot be read.
    """
    parser = CommandLineParser(prog=how_to_run('swarm_doctor'), description=DESCRIPTION)
    parser.add_argument('--seconds', type=_SECONDS, default=10.0, metavar='S',
                        help='how long to listen; several rounds (default: 10)')
    parser.add_argument('--fleet-file', default='', metavar='FILE',
                        help='the fleet file: the expected robots')
    parser.add_argument('--topic', default='', metavar='TOPIC',
                        help='only the swarm that exchanges messages on this topic, for example '
                        '/red/neighbourhood (default: each swarm by itself, or that of the fleet '
                        'file)')
    options = parser.parse_args(arguments)
    options.expected, options.planned, options.radio_topics = expected(options.fleet_file)
    if options.topic:
        options.topic = '/' + options.topic.strip('/')
        options.radio_topics = (options.topic,)
    return options


def expected(fleet_file: str) -> tuple[
        Mapping[str, int], Mapping[str, Mapping[str, Any]], tuple[str, ...]]:
    """
    Return the expected robots with ids, their parameters and their topics.

    :param fleet_file: its path, empty for none.
    :raises ParameterError: if it cannot be read.
    """
    robots = [r for r in load_fleet(fleet_file).robots if r.enabled] if fleet_file else []
    radio_topics = {r.topics.get(SHARED_TOPIC, TOPICS[SHARED_TOPIC]) for r in robots}
    return ({r.spec.name: r.spec.id for r in robots},
            {r.spec.name: r.parameters for r in robots}, tuple(sorted(radio_topics)))


WIDTH, MOST_WIDTH = 96, 120
"""The width of the text without a terminal, and the greatest [characters]."""
MOST = 5
"""The most lines that one advice of a check lists. Further lines are counted."""
MARKS = {Level.NOTE: 'note', Level.WARN: 'WARN', Level.ERROR: 'ERROR'}


def status(findings: Sequence[Finding]) -> int:
    """Return the exit status: 0 if all findings are notes, otherwise 1."""
    return int(any(finding.level > Level.NOTE for finding in findings))


def text(swarm: Observations, findings: Sequence[Finding], columns: int = WIDTH) -> str:
    """
    Return the report as text: passed checks, then the causes, the gravest first.

    :param columns: the greatest length of a line.
    """
    def wrapped(line: str, indent: int = 8, more: int = 2) -> list[str]:
        # Names of parameters and topics are not broken.
        return textwrap.wrap(line, columns, initial_indent=' ' * indent,
                             subsequent_indent=' ' * (indent + more),
                             break_long_words=False, break_on_hyphens=False)

    topics = swarm_topics(swarm)
    lines = wrapped(_summary(swarm), 0)
    for topic, robots in topics.items() if len(topics) > 1 else ():
        lines += wrapped(f'swarm on {topic}: {listing(robots, 10)}')
    well = [check for check in CHECKS if (swarm.robots or swarm.sent)
            and all(check.name != f.check for f in findings)]
    if findings:
        names = ', '.join(check.name for check in well)
        lines += wrapped(f'ok    {names}', 2, 6) if well else []
    else:
        lines += [f'  ok    {check.name + ":":<17}{check.question}' for check in well]
    causes = by_key((f.check, f) for f in findings if not f.explained_by)
    questions = {check.name: check.question for check in CHECKS}
    for check, found in sorted(causes.items(), key=lambda item: -item[1][0].level):
        lines.append(f'  {MARKS[found[0].level]:<6}{check + ":":<17}{questions[check]}')
        for remedy in dict.fromkeys(finding.remedy for finding in found):
            alike = [finding for finding in found if finding.remedy == remedy]
            for finding in alike[:MOST]:
                named = listing(finding.subjects) + ': ' if finding.subjects else ''
                lines += wrapped(named + finding.what)
            if len(alike) > MOST:
                lines += wrapped(f'and {len(alike) - MOST} more like these')
            lines += wrapped(f'What to do: {remedy}')
        effects = by_key((f.check, f.subjects) for f in findings if f.explained_by == check)
        if effects:
            lines += wrapped('Explains also: ' + '; '.join(
                f'{effect} ({listing(sorted({*chain(*robots)}))})' if any(robots) else effect
                for effect, robots in effects.items()))
    return '\n'.join([*lines, _verdict(findings)]) + '\n'


def _summary(swarm: Observations) -> str:
    robots = f'{len(swarm.robots)} robots' if len(swarm.robots) != 1 else '1 robot'
    named = f' ({listing(swarm.robots, 10)})' if swarm.robots else ''
    ids = f'{len(swarm.sent)} ids' if len(swarm.sent) != 1 else '1 id'
    return (f'swarm_doctor listened for {swarm.seconds:.3g} s: {robots}{named}, '
            f'{len(swarm.messages)} messages from {ids}')


def _verdict(findings: Sequence[Finding]) -> str:
    counts = {level: sum(finding.level == level and not finding.explained_by
                         for finding in findings) for level in MARKS}
    if not status(findings):
        return 'swarm_doctor: all is well'
    return (f'swarm_doctor: errors: {counts[Level.ERROR]}, warnings: {counts[Level.WARN]}, '
            f'notes: {counts[Level.NOTE]}')
