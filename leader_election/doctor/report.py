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

"""What was found, for people and for programs."""

from collections.abc import Sequence
import json
import textwrap

from leader_election.doctor.checks import CHECKS
from leader_election.doctor.finding import Finding, Level
from leader_election.doctor.observations import listing, Observations

WIDTH = 96
MARKS = {Level.NOTE: 'note', Level.WARN: 'WARN', Level.ERROR: 'ERROR'}


def status(findings: Sequence[Finding]) -> int:
    """Return the exit status: 0 where nothing is wrong, notes aside, else 1."""
    return int(any(finding.level > Level.NOTE for finding in findings))


def text(seen: Observations, findings: Sequence[Finding]) -> str:
    """Return a line for each check, and below it what was found and what to do."""
    lines = [_summary(seen)]
    for check in CHECKS:
        mine = [finding for finding in findings if finding.check == check.name]
        worst = max((finding.level for finding in mine), default=None)
        mark = 'ok' if worst is None else MARKS[worst]
        lines.append(f'  {mark:<6}{check.name + ":":<17}{check.question}')
        for finding in mine:
            lines += _wrapped((listing(finding.subjects) + ': ' if finding.subjects else '')
                              + finding.what)
        if mine:
            lines += _wrapped(f'What to do: {check.remedy}')
    return '\n'.join([*lines, _verdict(findings)]) + '\n'


def _summary(seen: Observations) -> str:
    robots = f'{len(seen.robots)} robots' if len(seen.robots) != 1 else '1 robot'
    named = f' ({listing(seen.robots, 10)})' if seen.robots else ''
    return (f'swarm_doctor listened for {seen.seconds:.3g} s: {robots}{named}, '
            f'{len(seen.messages)} messages from {len(seen.said)} ids')


def _verdict(findings: Sequence[Finding]) -> str:
    counts = {level: sum(finding.level == level for finding in findings) for level in MARKS}
    if not status(findings):
        return 'swarm_doctor: all is well'
    return (f'swarm_doctor: errors: {counts[Level.ERROR]}, warnings: {counts[Level.WARN]}, '
            f'notes: {counts[Level.NOTE]}')


def _wrapped(line: str) -> list[str]:
    # Names of parameters and topics stay whole.
    return textwrap.wrap(line, WIDTH, initial_indent=' ' * 8, subsequent_indent=' ' * 10,
                         break_long_words=False, break_on_hyphens=False)


def document(seen: Observations, findings: Sequence[Finding]) -> str:
    """Return the same as one JSON document."""
    return json.dumps({
        'status': status(findings), 'seconds': seen.seconds, 'robots': seen.robots,
        'ids': seen.ids, 'messages': len(seen.messages), 'checks': [c.name for c in CHECKS],
        'findings': [{
            'check': finding.check, 'level': finding.level.name.lower(),
            'robots': list(finding.subjects), 'what': finding.what, 'remedy': finding.remedy}
            for finding in findings]}, indent=2) + '\n'
