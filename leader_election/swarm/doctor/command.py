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
Observe a swarm for some seconds, check for common problems, and advise what to do.

The command runs on a robot, or on any machine of its network. It publishes nothing. The exit
status is 0 without a problem, 1 with one, 2 for wrong usage.
"""

import argparse
from collections.abc import Mapping, Sequence
from itertools import chain
import json
import textwrap
from typing import Any

from leader_election.parameters.command_line import CommandLineParser, how_to_run, number
from leader_election.swarm.doctor.diagnoses import CHECKS, Finding, swarm_topics
from leader_election.swarm.doctor.observations import by_key, Level, listing, Observations
from leader_election.swarm.fleet.fleet_file import load_fleet
from leader_election.swarm.fleet.fleet_settings import SHARED_TOPIC, TOPICS

_SECONDS = number(lambda value: 1.0 <= value <= 3600.0, '1 to 3600 s')


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """
    Return the options, or end the process with status 2 and one line if one is wrong.

    :raises ParameterError: if the fleet file cannot be read, or lacks the robot.
    """
    parser = CommandLineParser(prog=how_to_run('swarm_doctor'), description=__doc__)
    parser.add_argument('--robot', default='', metavar='NAME',
                        help='only this robot, by its namespace (default: all)')
    parser.add_argument('--seconds', type=_SECONDS, default=10.0, metavar='S',
                        help='how long to listen; several rounds (default: 10)')
    parser.add_argument('--fleet-file', default='', metavar='FILE',
                        help='the fleet file: the expected robots')
    parser.add_argument('--topic', default='', metavar='TOPIC',
                        help='only the swarm that exchanges messages on this topic, for example '
                        '/red/neighbourhood (default: each swarm by itself, or that of the fleet '
                        'file)')
    parser.add_argument('--json', action='store_true', help='one JSON document instead of text')
    options = parser.parse_args(arguments)
    options.robot = options.robot.strip('/')
    options.expected, options.planned, options.radio_topics = expected(
        options.robot, options.fleet_file)
    if options.topic:
        options.topic = '/' + options.topic.strip('/')
        options.radio_topics = (options.topic,)
    return options


def expected(robot: str, fleet_file: str) -> tuple[
        Mapping[str, int | None], Mapping[str, Mapping[str, Any]], tuple[str, ...]]:
    """
    Return the expected robots with ids, their parameters and their topics.

    :raises ParameterError: if the fleet file cannot be read, or lacks the robot.
    """
    if not fleet_file:
        return ({robot: None} if robot else {}), {}, ()
    fleet = load_fleet(fleet_file)
    chosen = [fleet.robot(robot)] if robot else [r for r in fleet.robots if r.enabled]
    radio_topics = {r.topics.get(SHARED_TOPIC, TOPICS[SHARED_TOPIC]) for r in chosen}
    return ({r.spec.name: r.spec.id for r in chosen},
            {r.spec.name: r.parameters for r in chosen}, tuple(sorted(radio_topics)))


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
                lines += wrapped(f'and {len(alike) - MOST} more like these: --json lists all')
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


def document(swarm: Observations, findings: Sequence[Finding]) -> str:
    """Return the report as one JSON document."""
    return json.dumps({
        'status': status(findings), 'seconds': swarm.seconds, 'robots': swarm.robots,
        'swarms': swarm_topics(swarm), 'ids': swarm.ids, 'messages': len(swarm.messages),
        'checks': [c.name for c in CHECKS],
        'findings': [{
            'check': finding.check, 'level': finding.level.name.lower(),
            'robots': list(finding.subjects), 'what': finding.what, 'remedy': finding.remedy,
            'explained_by': finding.explained_by or None}
            for finding in findings]}, indent=2) + '\n'
