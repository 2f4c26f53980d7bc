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

"""Causes before symptoms: each fault is told once."""

from graphlib import TopologicalSorter

from leader_election.swarm.doctor.causes import EXPLANATIONS
from leader_election.swarm.doctor.command import text
from leader_election.swarm.doctor.diagnoses import CHECKS, examine
from leader_election.swarm.doctor.observations import Endpoint, ODOMETRY, RobotReport
import pytest
from swarm.doctor.scene import (  # noqa: I100
    healthy,
    rewired,
    saying,
    statuses,
    told,
    wiring,
    without,
)


def test_explanations_are_of_checks_and_have_no_cycle() -> None:
    names = {check.name for check in CHECKS}
    graph = TopologicalSorter[str]()
    for row in EXPLANATIONS:
        assert {row.cause, row.effect} <= names
        graph.add(row.effect, row.cause)
    graph.prepare()


def bob(level: int, message: str, **counters: int) -> list[RobotReport]:
    return told('bob', *statuses('bob', 2, level, message, **counters))


def without_odometry() -> list[Endpoint]:
    return rewired('bob', *(e for e in wiring('bob') if e.node != '/bob/driver'))


@pytest.mark.parametrize('changes, cause, effects', [
    ({'diagnostics': bob(2, 'another robot uses id 2: give each its own robot_id')},
     'ids', {'self_reported'}),
    ({'diagnostics': bob(1, 'no odometry yet: no position is announced'),
      'odometry': {}, 'endpoints': without_odometry()}, 'odometry', {'self_reported'}),
    ({'diagnostics': bob(1, 'neighbours: 0; no message of another robot for 12 s',
                         messages_heard=0),
      'endpoints': rewired('bob', *wiring('bob', '/bob/neighbourhood')), 'messages': without(2)},
     'shared_topic', {'self_reported', 'reception'}),
    ({'diagnostics': bob(1, 'no odometry yet: no position is announced'),
      'endpoints': rewired('bob', *(
          e if e.publishes or e.type != ODOMETRY else e._replace(latched=True)
          for e in wiring('bob')))}, 'profiles', {'self_reported'})])
def test_one_fault_is_reported_as_one_cause_with_its_effects(
        changes: dict[str, object], cause: str, effects: set[str]) -> None:
    found = [f for f in examine(healthy(**changes)) if (f.check, f.subjects) != (
        'silent', ('bob',)) and 'bob' in f.subjects]
    assert [f.check for f in found if not f.explained_by] == [cause]
    assert {f.check for f in found if f.explained_by == cause} == effects


def test_fault_of_another_robot_explains_nothing() -> None:
    found = examine(healthy(endpoints=without_odometry(), odometry={
        topic: heard for topic, heard in healthy().odometry.items() if 'bob' not in topic},
        diagnostics=[*statuses('alice', 1, 1, 'odometry is 3.0 s old: no position is announced'),
                     *statuses('bob', 2), *statuses('carol', 3)]))
    assert [(f.check, f.subjects, f.explained_by) for f in found] == [
        ('self_reported', ('alice',), ''), ('odometry', ('bob',), '')]


def test_text_for_three_hundred_robots_fits_a_screen() -> None:
    many = [report for i in range(300) for report in statuses(
        f'r{i}', i, 1, f'task count fails: {i}')]
    same = [report for i in range(300) for report in statuses(f'r{i}', i, 1, 'task count fails')]
    for diagnostics in (many, same, saying(radius='3')):
        swarm = healthy(diagnostics=diagnostics)
        for columns in (80, 120):
            lines = text(swarm, examine(swarm), columns).splitlines()
            assert len(lines) < 40 and max(map(len, lines)) <= columns


def test_errors_come_before_warnings() -> None:
    swarm = healthy(diagnostics=bob(1, 'task count fails: KeyError'),
                    endpoints=rewired('bob', *wiring('bob', '/bob/neighbourhood')))
    found = examine(swarm)
    assert [f.check for f in found] == ['self_reported', 'shared_topic']
    report = text(swarm, found)
    assert report.index('ERROR shared_topic') < report.index('WARN  self_reported')
