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

"""What leaders hand over: to the next one, to a robot that joins, between regions; and attacks."""

import json
import random
from typing import Any

from budget import examples
from election.robot.swarm import line, of_one, Swarm
from hypothesis import given, settings
from hypothesis import strategies as st
from leader_election.election.messages.wire import Rejected
from leader_election.election.regions.task import Task
from leader_election.election.robot.handover import (
    Handover,
    MEMORY,
    MemoryPart,
    MOST_MAKERS,
    MOST_PIECES,
    OTHERS,
    PATIENCE,
    PIECE,
    TAGS,
    Version,
)
import pytest

FILLER = 'x' * (3 * PIECE)


class Diary(Task):
    """Remembers each round in which it led, as [robot, round], and what others have remembered."""

    remembers = {'lines': list, 'filler': str}

    def __init__(self, member: Any, settings: Any) -> None:
        super().__init__(member, settings)
        self.lines: list[list[int]] = []
        self.told: list[tuple[str, int | None, int]] = []
        self.filler, self.writes = '', True

    def decide(self, summary: Any) -> Any:
        if self.writes and len(self.lines) < 60:
            self.lines.append([self.member.id, len(self.lines)])
        return len(self.lines)

    def memory(self) -> Any:
        return {'lines': self.lines, 'filler': self.filler} if self.lines else None

    def resume(self, memory: Any, term: int | None) -> None:
        self.told.append(('resume', term, len(memory['lines'])))
        self.lines = [list(each) for each in memory['lines']]

    def merge(self, other: Any) -> None:
        self.told.append(('merge', None, len(other['lines'])))
        self.lines += [list(each) for each in other['lines'] if each not in self.lines]


class Acting(Diary):
    """Decides only under a mandate."""

    needs_mandate = True


def swarm(places: Any = None, **common: Any) -> Swarm:
    """Return robots on a line, a lower id is stronger."""
    places = places or line(4)
    return Swarm(places, lambda i: of_one(i, {i: 20.0 - i}), {'diary': Diary, 'acting': Acting},
                 **{'radius': 9.0, 'tasks': 'diary', 'hop_limit': 5, **common})


def diary(robots: Swarm, i: int) -> Diary:
    """Return the task of a robot."""
    task = robots.instances()[i].membership.task_runners[0].task
    assert isinstance(task, Diary)
    return task


def held(robots: Swarm, i: int) -> Handover:
    """Return what a robot holds."""
    found = robots.robots[i].main.membership.handover
    assert found is not None
    return found


def fresh(robots: Swarm, i: int, number: int, **common: Any) -> None:
    """Start a robot again."""
    again = swarm({i: robots.places[i]}, **common)
    robots.robots[i] = again.robots[i]
    held(robots, i).start(i, number)
    robots.silent.discard(i)


# By hand.

def test_a_version_covers_those_before_it_with_makers_that_it_no_longer_names() -> None:
    versions = [Version()]
    for maker in range(2 * MOST_MAKERS):
        versions.append(versions[-1].changed(maker, None).changed(maker, None))
    last = versions[-1]
    assert len(last.made) == MOST_MAKERS and last.made[OTHERS] == 2 * (MOST_MAKERS + 1)
    assert all(later.covers(earlier) and not earlier.covers(later) for k, earlier in enumerate(
        versions) for later in versions[k + 1:])
    assert not last.covers(Version(0, {TAGS - 2: last.made[OTHERS] + 1}))
    joined = last.joined(Version(0, {OTHERS: last.number})).changed(1, None)
    assert len(joined.made) == MOST_MAKERS and joined.made[OTHERS] == last.number


def test_the_next_leader_resumes_what_the_last_one_knew() -> None:
    robots = swarm()
    robots.sweep(10)
    lines = diary(robots, 1).lines
    diary(robots, 1).writes = False
    robots.sweep(4)
    assert {held(robots, i).text for i in robots.places} == {held(robots, 1).text}
    robots.silent.add(1)
    robots.sweep(8)
    assert diary(robots, 2).told[0] == ('resume', None, len(lines))
    assert diary(robots, 2).lines[:len(lines)] == lines
    assert [2, len(lines)] in diary(robots, 2).lines


ZONES = ('{east: [[-1, -1], [1.5, -1], [1.5, 1], [-1, 1]], '
         'west: [[1.5, -1], [5, -1], [5, 1], [1.5, 1]]}')


@pytest.mark.parametrize('leader, successor, name, common', [
    (1, 2, 'main', {'zones': ZONES}), (3, 4, 'main', {'zones': ZONES}),
    (1, 2, 'second', {'tasks': '', 'others': {'second': {'tasks': 'diary', 'radius': 9.0}}})])
def test_in_zones_and_instances_the_next_leader_resumes_what_the_last_one_of_its_own_knew(
        leader: int, successor: int, name: str, common: dict[str, Any]) -> None:
    robots = swarm(**common)

    def lines(i: int) -> list[list[int]]:
        task = robots.robots[i].instances[name].membership.task_runners[0].task
        assert isinstance(task, Diary)
        return task.lines
    robots.sweep(10)
    known = lines(leader)[:-1]
    robots.silent.add(leader)
    robots.sweep(8)
    assert len(known) > 6 and lines(successor)[:len(known)] == known
    assert {each[0] for each in lines(successor)} == {leader, successor}


def test_without_a_task_that_remembers_nothing_is_sent() -> None:
    robots = swarm(tasks='count')
    robots.sweep(3)
    assert not any('k' in json.loads(said) for said in robots.said.values())


def test_a_memory_is_sent_only_where_it_is_needed() -> None:
    """The last of a line serves nobody; once all hold it, only its version is sent."""
    robots = swarm()
    robots.sweep(10)
    assert 'diary' in robots.said[1] and len(json.loads(robots.said[1])['k']) == 5
    assert len(json.loads(robots.said[4])['k']) == 1
    diary(robots, 1).writes = False
    robots.sweep(5)
    assert [len(json.loads(robots.said[i])['k']) for i in robots.places] == [1] * 4


def test_a_robot_that_joins_is_brought_up_to_date_and_can_lead() -> None:
    robots = swarm()
    robots.silent.add(3)
    robots.places[4] = (1.0, 1.0)
    robots.sweep(8)
    diary(robots, 1).writes = False
    robots.silent.discard(3)
    robots.sweep(4)
    assert held(robots, 3).text == held(robots, 1).text
    robots.silent |= {1, 2}
    robots.sweep(9)
    assert diary(robots, 3).told[0][0] == 'resume'


def test_the_memory_goes_on_from_leader_to_leader_however_many_there_were() -> None:
    """The strongest is killed and starts again; a version does not name so many lives."""
    robots = swarm(message_expiry=3.0)
    for time in range(MOST_MAKERS):
        robots.sweep(6)
        known = diary(robots, 1).lines[:-3]
        robots.silent.add(1)
        robots.sweep(7)
        assert all(each in diary(robots, 2).lines for each in known), time
        fresh(robots, 1, 1000 * (time + 1))
    assert OTHERS in held(robots, 4).version.made


@pytest.mark.parametrize('alone', [1, 30], ids=['at once', 'after some work alone'])
def test_a_leader_that_starts_again_resumes_what_its_members_hold(alone: int) -> None:
    """Also if it has worked alone for longer than the swarm before."""
    robots = swarm()
    robots.sweep(10)
    before = [list(each) for each in diary(robots, 1).lines]
    fresh(robots, 1, 1000)
    for _ in range(alone):
        robots.now += 1.0
        robots.speak(1)
    robots.sweep(8)
    known = diary(robots, 1).lines
    assert all(each in known for each in before[:-1]), 'the last one may not have been sent'
    assert len(held(robots, 1).version.made) == 2


def test_two_regions_that_become_one_keep_both_memories() -> None:
    robots = swarm(line(6))
    robots.places.update({4: (20.0, 0.0), 5: (21.0, 0.0), 6: (22.0, 0.0)})
    robots.sweep(10)
    both = diary(robots, 1).lines + diary(robots, 4).lines
    assert {each[0] for each in both} == {1, 4}
    robots.places.update({i: (i - 1.0, 0.0) for i in (4, 5, 6)})
    robots.sweep(20)
    assert robots.leaders() == dict.fromkeys(robots.places, 1)
    known = diary(robots, 1).lines
    assert all(each in known for each in both)
    assert ('merge', None, len([each for each in both if each[0] == 4])) in diary(robots, 1).told \
        or any(told[0] == 'resume' for told in diary(robots, 1).told)
    diary(robots, 1).writes = False
    robots.sweep(8)
    assert {held(robots, i).text for i in robots.places} == {held(robots, 1).text}


def test_a_long_memory_travels_in_pieces() -> None:
    robots = swarm()
    diary(robots, 1).filler, diary(robots, 1).writes = FILLER, False
    diary(robots, 1).lines = [[1, 0]]
    sent = set()
    for _ in range(24):
        robots.sweep()
        sent |= {tuple(each[2:4]) for said in robots.said.values()
                 if len(each := json.loads(said)['k']) == 5}
    assert sent == {(k, 4) for k in range(4)}
    assert held(robots, 4).text == held(robots, 1).text
    robots.silent.add(1)
    robots.sweep(8)
    assert diary(robots, 2).told[0] == ('resume', None, 1)


def test_a_memory_that_is_too_long_or_not_as_declared_is_an_error_of_the_task() -> None:
    robots = swarm()
    diary(robots, 1).filler = 'x' * (PIECE * MOST_PIECES)
    robots.sweep(5)
    runner = robots.instances()[1].membership.task_runners[0]
    assert runner.errors == 5 and 'memory: it cannot be sent' in runner.first_error
    assert held(robots, 1).version == Version()
    diary(robots, 1).filler = 7  # type: ignore[assignment]
    robots.sweep(1)
    assert runner.errors == 6
    diary(robots, 1).filler = ''
    robots.sweep(5)
    assert held(robots, 2).version.number > 0


def test_under_mandates_a_memory_has_the_term() -> None:
    robots = swarm(tasks='acting', mandate=3.0)
    robots.sweep(14)
    robots.silent.add(1)
    robots.sweep(16)
    told = [each for each in diary(robots, 2).told if each[0] == 'resume']
    assert told and told[0][1] is not None and told[0][1] > 0
    assert held(robots, 3).version.term > told[0][1]


@pytest.mark.parametrize('deputies', [1, 2])
def test_with_deputies_the_strongest_of_each_neighbourhood_hold_it(deputies: int) -> None:
    robots = swarm({**line(3), 4: (1.0, 1.0), 5: (0.0, 1.0), 9: (3.0, 0.0)}, deputies=deputies)
    robots.sweep(10)
    robots.silent.add(1)
    robots.sweep(8)
    assert diary(robots, 2).told[0][0] == 'resume'
    last = json.loads(robots.said[9])['k']
    assert (last[0] == '') == (deputies == 1) and last[1] == 11.0, 'it says its strength'


def test_a_robot_of_the_version_before_neither_gets_nor_disturbs_a_memory() -> None:
    robots = swarm(line(2))
    robots.sweep(4)
    old = json.loads(robots.said[2])
    del old['k']
    for _ in range(4):
        robots.now += 1.0
        robots.tell(2, json.dumps(old))
        robots.speak(1)
    assert len(json.loads(robots.said[1])['k']) == 1
    assert diary(robots, 1).told == []


# Attacks.

def forged(robots: Swarm, sender: int, memory: Any) -> str:
    """Return the last message of a robot with another part about the memory."""
    said = json.loads(robots.said[sender])
    said['k'] = memory
    return json.dumps(said)


NEWER = MEMORY.write(MemoryPart(Version(0, {5: 900})))[0]
TEXT = json.dumps([[[[9, 9]], '']])


@pytest.mark.parametrize('wrong', [
    7, [], [7], ['?'], [NEWER, None, 0, 1, 'x' * (PIECE + 1)],
    [NEWER, None, 0, MOST_PIECES + 1, 'x'],
    [NEWER, None, 1, 1, 'x'], [NEWER, None, 0, 0, 'x'], [NEWER, None, 0, 1, 7], [NEWER, 'x'],
    ['A' + 'AB' * (MOST_MAKERS + 1)], ['A' + '//////////fB'], {'x': 1}, None])
def test_a_malformed_part_is_ignored_and_counted(wrong: Any) -> None:
    robots = swarm()
    robots.sweep(6)
    lines = len(diary(robots, 1).lines)
    robots.tell(2, forged(robots, 2, wrong))
    robots.speak(1)
    assert robots.robots[1].counts['rejected_memory'] == 1
    assert len(diary(robots, 1).lines) == lines + 1 and diary(robots, 1).told == []
    assert robots.robots[1].main.leads


@pytest.mark.parametrize('memory', [
    'x', '7', '{}', '[]', '[7]', '[[]]', '[[[], ""], null]', '[[7, ""]]', '[[NaN, ""]]',
    '[' * 500, json.dumps([['x', 7]])])
def test_a_memory_that_is_none_of_the_task_is_refused_and_counted(memory: str) -> None:
    robots = swarm()
    robots.sweep(6)
    robots.tell(2, forged(robots, 2, [NEWER, None, 0, 1, memory]))
    robots.speak(1)
    assert robots.robots[1].main.counts['rejected_other_memory'] == 1
    assert diary(robots, 1).told == []
    robots.sweep(4)
    assert held(robots, 4).text == held(robots, 1).text or held(robots, 4).version.number > 0


def test_a_term_that_nobody_has_seen_is_refused() -> None:
    robots = swarm(mandate=3.0)
    robots.sweep(9)
    version = MEMORY.write(MemoryPart(Version(10**6, {5: 900})))[0]
    robots.tell(2, forged(robots, 2, [version, None, 0, 1, TEXT]))
    robots.speak(1)
    assert robots.robots[1].main.counts['rejected_other_memory'] == 1


def test_a_lie_within_the_limits_is_counted_on_from_and_errors_in_resume_are_counted() -> None:
    robots = swarm()
    robots.sweep(6)
    task = diary(robots, 1)
    task.resume = lambda memory, term: 1 / 0  # type: ignore[method-assign, assignment]
    robots.tell(2, forged(robots, 2, [NEWER, None, 0, 1, TEXT]))
    robots.sweep(6)
    assert robots.instances()[1].membership.task_runners[0].errors == 1
    assert held(robots, 4).version.number > 900
    assert held(robots, 4).version.made.keys() >= {held(robots, 1).maker}


def test_what_no_leader_takes_up_is_given_up() -> None:
    robots = swarm()
    robots.sweep(4)
    diary(robots, 1).writes = False
    robots.sweep(4)
    handover = held(robots, 1)
    take, handover.take = handover.take, lambda *_: None  # type: ignore[method-assign]
    stray = held(robots, 4)
    stray.version, stray.text = Version(0, {5: 900}), TEXT
    robots.sweep(3 * PATIENCE + 12)
    assert stray.version.covers(Version(0, {held(robots, 1).maker: 1}))
    handover.take = take  # type: ignore[method-assign]


def test_a_number_beyond_the_greatest_is_rejected() -> None:
    wrong = MEMORY.write(MemoryPart(Version(0, {5: 2**50 + 1})))
    with pytest.raises(Rejected):
        MEMORY.read(wrong)


# Properties.

EVENTS = st.lists(st.tuples(
    st.sampled_from(['sweep', 'sweep', 'sweep', 'lossy', 'late', 'cut', 'merge', 'kill',
                     'restart']),
    st.integers(1, 5), st.integers(0, 99)), min_size=5, max_size=25)
ROUNDS = 20
"""The rounds after which a dead leader is forgotten, and what was held known to the next."""


@given(EVENTS, st.sampled_from(['gradient', 'gossip']), st.booleans())
@settings(max_examples=examples(40), deadline=None)
def test_nothing_is_lost_that_a_living_robot_held(
        events: list[tuple[str, int, int]], spreading: str, mandates: bool) -> None:
    """Whatever is lost, late, doubled, cut, merged, killed, or started again."""
    common = {'spreading': spreading, 'mandate': 3.0 * mandates}
    robots = swarm(line(5), **common)
    draw = random.Random(1)
    old: list[tuple[int, str]] = []
    for number, (event, i, which) in enumerate(events):
        if event == 'cut':
            robots.places.update({j: (20.0 + j, 0.0) for j in robots.places if j > i})
        elif event == 'merge':
            robots.places.update(line(5))
        elif event == 'kill' and len(robots.silent) < 3:
            robots.silent.add(i)
        elif event == 'restart':
            fresh(robots, i, 1000 + number, **common)
        elif event == 'late' and old:
            sender, said = old[-1 - which % min(len(old), 30)]
            robots.tell(sender, said)
        else:
            robots.now += 1.0
            order = sorted(robots.places.keys() - robots.silent)
            draw.shuffle(order)
            for j in order:
                robots.speak(j)
                old.append((j, robots.said[j]))
                for k in order:
                    if k != j and (event == 'sweep' or draw.random() < 0.6):
                        robots.robots[k].receive(robots.said[j], robots.now)
    held_now = [tuple(line) for i in robots.places if i not in robots.silent
                for line in known(held(robots, i))]
    robots.places.update(line(5))
    for i in robots.places:  # All are near each other, whoever is alive.
        robots.places[i] = (0.1 * i, 0.0)
    robots.sweep(ROUNDS)
    leaders = {robots.leaders()[i] for i in robots.instances()}
    assert len(leaders) == 1
    leader = diary(robots, leaders.pop())
    assert set(held_now) <= {tuple(each) for each in leader.lines}


def known(handover: Handover) -> list[list[int]]:
    """Return the lines that a robot holds."""
    entry = json.loads(handover.text)[0] if handover.text else None
    return entry[0] if entry else []
