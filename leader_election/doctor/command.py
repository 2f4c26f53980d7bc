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

"""The command ``swarm_doctor``: its options and its reports as text and as JSON."""

import argparse
from collections.abc import Mapping, Sequence
import json
import math
import textwrap

from leader_election.command_line import CommandLineParser
from leader_election.doctor.checks import CHECKS, Finding
from leader_election.doctor.observations import Level, listing, Observations
from leader_election.doctor.swarms import swarm_topics
from leader_election.fleet.fleet_file import load_fleet
from leader_election.fleet.fleet_settings import SHARED_TOPIC, TOPICS

DESCRIPTION = """
Observe a swarm for some seconds, on a robot or on any machine of its network, check for common
problems, and advise what to do. It publishes nothing. The exit status is 0 without a problem,
1 with one, 2 for wrong usage.
"""


def _seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 1.0 <= number <= 3600.0:
        raise argparse.ArgumentTypeError(f'{text!r} is not allowed; it takes 1 to 3600 s')
    return number


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """
    Return the options; a wrong one ends the process with status 2 and one line with the reason.

    :raises ParameterError: where the fleet file cannot be read, or lacks the robot.
    """
    parser = CommandLineParser(prog='leader_election swarm_doctor', description=DESCRIPTION)
    parser.add_argument('--robot', default='', metavar='NAME',
                        help='only this robot, by its namespace (default: all)')
    parser.add_argument('--seconds', type=_seconds, default=10.0, metavar='S',
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
    options.expected, options.radio_topics = expected(options.robot, options.fleet_file)
    if options.topic:
        options.topic = '/' + options.topic.strip('/')
        options.radio_topics = (options.topic,)
    return options


def expected(robot: str, fleet_file: str) -> tuple[Mapping[str, int | None], tuple[str, ...]]:
    """
    Return the expected robots with their ids, and the topics between them, where known.

    :raises ParameterError: where the fleet file cannot be read, or lacks the robot.
    """
    if not fleet_file:
        return ({robot: None} if robot else {}), ()
    fleet = load_fleet(fleet_file)
    chosen = [fleet.robot(robot)] if robot else [r for r in fleet.robots if r.enabled]
    radio_topics = {r.topics.get(SHARED_TOPIC, TOPICS[SHARED_TOPIC]) for r in chosen}
    return {r.spec.name: r.spec.id for r in chosen}, tuple(sorted(radio_topics))


WIDTH = 96
"""Of the text [characters]."""
MARKS = {Level.NOTE: 'note', Level.WARN: 'WARN', Level.ERROR: 'ERROR'}


def status(findings: Sequence[Finding]) -> int:
    """Return the exit status: 0 without findings but notes, else 1."""
    return int(any(finding.level > Level.NOTE for finding in findings))


def text(swarm: Observations, findings: Sequence[Finding]) -> str:
    """Return the report as text: a line for each check, with its findings and the remedy."""
    lines = [_summary(swarm), *_swarms(swarm)]
    for check in CHECKS:
        found = [finding for finding in findings if finding.check == check.name]
        worst = max((finding.level for finding in found), default=None)
        mark = 'ok' if worst is None else MARKS[worst]
        lines.append(f'  {mark:<6}{check.name + ":":<17}{check.question}')
        for finding in found:
            lines += _wrapped((listing(finding.subjects) + ': ' if finding.subjects else '')
                              + finding.what)
        if found:
            lines += _wrapped(f'What to do: {check.remedy}')
    return '\n'.join([*lines, _verdict(findings)]) + '\n'


def _summary(swarm: Observations) -> str:
    robots = f'{len(swarm.robots)} robots' if len(swarm.robots) != 1 else '1 robot'
    named = f' ({listing(swarm.robots, 10)})' if swarm.robots else ''
    return (f'swarm_doctor listened for {swarm.seconds:.3g} s: {robots}{named}, '
            f'{len(swarm.messages)} messages from {len(swarm.sent)} ids')


def _swarms(swarm: Observations) -> list[str]:
    """Return a line for each swarm, if there are several."""
    topics = swarm_topics(swarm)
    return [line for topic, robots in topics.items() if len(topics) > 1
            for line in _wrapped(f'swarm on {topic}: {listing(robots, 10)}')]


def _verdict(findings: Sequence[Finding]) -> str:
    counts = {level: sum(finding.level == level for finding in findings) for level in MARKS}
    if not status(findings):
        return 'swarm_doctor: all is well'
    return (f'swarm_doctor: errors: {counts[Level.ERROR]}, warnings: {counts[Level.WARN]}, '
            f'notes: {counts[Level.NOTE]}')


def _wrapped(line: str) -> list[str]:
    # Names of parameters and topics are not broken.
    return textwrap.wrap(line, WIDTH, initial_indent=' ' * 8, subsequent_indent=' ' * 10,
                         break_long_words=False, break_on_hyphens=False)


def document(swarm: Observations, findings: Sequence[Finding]) -> str:
    """Return the report as one JSON document."""
    return json.dumps({
        'status': status(findings), 'seconds': swarm.seconds, 'robots': swarm.robots,
        'swarms': swarm_topics(swarm), 'ids': swarm.ids, 'messages': len(swarm.messages),
        'checks': [c.name for c in CHECKS],
        'findings': [{
            'check': finding.check, 'level': finding.level.name.lower(),
            'robots': list(finding.subjects), 'what': finding.what, 'remedy': finding.remedy}
            for finding in findings]}, indent=2) + '\n'
