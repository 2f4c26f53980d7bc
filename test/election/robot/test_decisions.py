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

"""The decisions of leaders in order: with losses, delays, restarts. Their names and their age."""

from itertools import count
import json
import math
from types import SimpleNamespace
from typing import Any

from election.robot.swarm import line, of_one, Swarm
from hypothesis import example, given
from hypothesis import strategies as st
from leader_election.election.mandates.mandates import Mandates
from leader_election.election.mandates.parameters import MandateSettings
from leader_election.election.messages.region_codec import region_part
from leader_election.election.regions.task import DecisionOrigin, Task
from leader_election.election.robot.decision_order import (
    DecisionOrder,
    MOST_LEADERS,
    MOST_NUMBER,
    numbered_by,
)
import pytest

SPREADINGS = ('gradient', 'gossip')


class Ordered(Task):
    """Decides the maker's id and a number that grows over all robots and restarts."""

    numbers = count(1)

    def __init__(self, member: Any, settings: Any) -> None:
        super().__init__(member, settings)
        self.acted: list[Any] = []
        self.decided: list[DecisionOrigin | None] = []

    def decide(self, summary: Any) -> Any:
        return [self.member.id, next(self.numbers)]

    def act(self, decision: Any) -> None:
        self.acted.append(decision)
        self.decided.append(self.member.decided)

    def backwards(self) -> int:
        """Return the number of older decisions acted on after a newer one of the same leader."""
        newest: dict[int, int] = {}
        found = 0
        for leader, number in filter(None, self.acted):
            found += number < newest.get(leader, 0)
            newest[leader] = max(number, newest.get(leader, 0))
        return found


class Hasty(Ordered):
    """Holds decisions for two seconds and a half."""

    max_age = 2.5


def swarm(places: Any = None, **common: Any) -> Swarm:
    """Return robots of which the first is the strongest."""
    return Swarm(places or line(3), lambda i: of_one(i, {1: 9.0}),
                 {'ordered': Ordered, 'hasty': Hasty},
                 **{'radius': 9.0, 'tasks': 'ordered', **common})


def task(robots: Swarm, i: int) -> Ordered:
    """Return the task of a robot."""
    found = robots.instances()[i].parts['regions'].task_runners[0].task
    assert isinstance(found, Ordered)
    return found


def restart(robots: Swarm, i: int, clock: int, **common: Any) -> None:
    """Start a robot again, at a time of its wall clock in numbers."""
    fresh = swarm({i: robots.places[i]}, first_number=clock, **common)
    robots.robots[i] = fresh.robots[i]


EVENTS = st.lists(st.tuples(
    st.sampled_from(['speak', 'speak', 'hear', 'hear', 'hear', 'restart', 'strength']),
    st.integers(1, 4), st.integers(0, 30)), min_size=20, max_size=120)


# A decision of before the restart of its leader arrives after one of after it.
@example([('speak', 1, 0)] * 13 + [('restart', 1, 0), ('speak', 1, 0), ('hear', 2, 0),
                                   ('speak', 2, 0), ('hear', 2, 2), ('speak', 2, 0)],
         'gradient', 3.0)
@given(EVENTS, st.sampled_from(SPREADINGS), st.sampled_from([0.0, 3.0]))
def test_decisions_stay_in_order_when_messages_are_late_lost_or_doubled(
        events: list[tuple[str, int, int]], spreading: str, mandate: float) -> None:
    common = {'spreading': spreading, 'mandate': mandate}
    robots = swarm(line(4), **common)
    sent: list[tuple[int, str]] = []
    lives = [task(robots, i) for i in robots.places]
    for event, i, which in events:
        robots.now += 0.25
        if event == 'speak':
            robots.speak(i)
            sent.append((i, robots.said[i]))
        elif event == 'hear' and sent:
            sender, said = sent[-1 - which % len(sent)]
            if sender != i:
                robots.robots[i].receive(said, robots.now)
        elif event == 'restart':
            restart(robots, i, int(1000 * robots.now), **common)
            lives.append(task(robots, i))
        elif event == 'strength':
            robots.instances()[i].strength.update(float(which))
    assert [each.backwards() for each in lives] == [0] * len(lives)


def test_act_receives_leader_and_number_of_the_decision() -> None:
    robots = swarm()
    robots.sweep(9)
    assert task(robots, 1).decided[-1] == DecisionOrigin(1, None, 9, 0.0)
    assert task(robots, 3).decided[-1] == DecisionOrigin(1, None, 9, 0.0)
    robots.silent.add(1)
    robots.sweep(2)
    assert task(robots, 3).decided[-1] == DecisionOrigin(1, None, 9, 2.0)


@pytest.mark.parametrize('kind, hops, age', [
    ('ordered', 1, 4.0 + 2), ('ordered', 2, 4.0 + 4), ('hasty', 2, 2.5)])
def test_decision_is_dropped_when_too_old(kind: str, hops: int, age: float) -> None:
    """
    By default the limit is the expiry of messages and two rounds a hop.

    A task may set another.
    """
    robots = swarm(tasks=kind, message_expiry=4.0)
    robots.sweep(9)
    member, newest = robots.robots[1 + hops], task(robots, 1 + hops).acted[-1]
    export = json.loads(robots.said[hops])
    for _ in range(9):
        robots.now += 1.0
        robots.tell(hops, json.dumps(export))
        member.round(robots.now)
    held = [each for each in task(robots, 1 + hops).acted[9:] if each is not None]
    assert held == [newest] * int(age)


def test_nothing_is_sent_or_numbered_when_no_task_decides() -> None:
    robots = swarm()
    leader = task(robots, 1)
    leader.decide = lambda summary: None  # type: ignore[method-assign]
    robots.sweep(3)
    assert not any('v' in json.loads(said)['r'] for said in robots.said.values())
    del leader.decide
    robots.sweep(3)
    old = robots.said[2]
    leader.decide = lambda summary: None  # type: ignore[method-assign]
    robots.sweep(3)
    robots.tell(2, old)
    robots.speak(3)
    assert task(robots, 3).acted[-1] is None and task(robots, 3).backwards() == 0


# The order by itself.

def region(number: int, text: str = '[1]', device: int = 7) -> Any:
    """Return the region of a robot with a decision. Its parent is 7."""
    return region_part(decision_version=number, decision=text, parent=7).region._replace(
        device=device)


def test_superseded_decision_is_under_no_mandate_and_the_newest_of_each_leader_is_kept() -> None:
    order = DecisionOrder()
    for leader in range(MOST_LEADERS):
        order.judge(region(5), leader, None, 0.0)
    assert order.judge(region(4), 0, None, 1.0) == (DecisionOrigin(0, None, 4, math.inf), False)
    assert order.judge(region(6), 0, None, 1.0) == (DecisionOrigin(0, None, 6, 0.0), False)
    order.judge(region(5), MOST_LEADERS, None, 2.0)
    assert order.judge(region(5), 0, None, 2.0)[0].age == math.inf, 'lately heard'
    assert order.judge(region(4), 1, None, 2.0)[0].age == 0.0, 'forgotten'


@pytest.mark.parametrize('mandates', [None, Mandates(2, MandateSettings(3.0), 100)])
def test_decisions_of_all_leaders_stay_in_order_when_mandates_are_used(
        mandates: Mandates | None) -> None:
    order = DecisionOrder()
    order.judge(region(10), 1, mandates, 0.0)
    other = order.judge(region(9), 3, mandates, 0.0)[0]
    assert other.age == (0.0 if mandates is None else math.inf)
    beyond = order.judge(region(101), 1, mandates, 0.0)[0]
    assert beyond.age == (0.0 if mandates is None else math.inf)
    assert order.newer(region(9), 1, [region(9)], mandates).decision_version == (
        101 if mandates is None else 10)
    # A decision beyond all numbers heard is not remembered, so those below it still count.
    after = order.judge(region(11), 1, mandates, 0.0)[0]
    assert after.age == (math.inf if mandates is None else 0.0)


def test_member_keeps_its_decision_when_that_of_its_parent_is_older() -> None:
    order = DecisionOrder()
    order.judge(region(10, '["new"]'), 1, None, 0.0)
    parent = region(9, '["old"]')
    assert order.newer(parent, 1, [parent], None).decision == '["new"]'
    assert order.newer(parent, 2, [parent], None).decision == '["old"]'
    later = region(11, '["later"]', device=8)
    assert order.newer(parent, 1, [parent, later], None).decision == '["later"]'
    equal = region(11, '["also"]', device=7)
    assert order.newer(equal, 1, [equal, later], None).decision == '["also"]', 'of its parent'
    beyond = region(MOST_NUMBER + 1)
    assert order.newer(beyond, 1, [], None) == beyond


def test_leader_counts_on_from_the_greatest_number_that_it_hears() -> None:
    order = DecisionOrder(3)
    assert order.numbered(region(0, ''), [region(20)], None) == region(0, ''), 'nothing decided'
    assert order.numbered(region(0), [region(20)], None).decision_version == 21
    assert order.numbered(region(0), [], None).decision_version == 22


def test_superseded_decision_keeps_the_term_of_the_mandate() -> None:
    order = DecisionOrder()
    mandates: Any = SimpleNamespace(
        number=100, bound=lambda now: SimpleNamespace(leader=1, first=3))
    assert order.judge(region(10), 1, mandates, 0.0) == (DecisionOrigin(1, 3, 10, 0.0), True)
    assert order.judge(region(9), 1, mandates, 0.0) == (DecisionOrigin(1, 3, 9, math.inf), False)


def test_number_is_ignored_when_beyond_the_greatest() -> None:
    exports = [SimpleNamespace(leader=1)] * 3 + [SimpleNamespace(leader=2)]
    regions = [region(0), region(MOST_NUMBER), region(MOST_NUMBER + 1), region(5)]
    assert [each.decision_version for each in numbered_by(1, exports, regions)] == [MOST_NUMBER]
    order = DecisionOrder()
    for number, now in ((MOST_NUMBER + 1, 0.0), (0, 0.0), (0, 2.0)):
        assert order.judge(region(number), 1, None, now) == (
            DecisionOrigin(1, None, 0, 0.0), False)
    assert order.judge(region(1), 1, None, 0.0)[0] == DecisionOrigin(1, None, 1, 0.0)
    assert order.judge(region(MOST_NUMBER), 1, None, 0.0)[0].number == MOST_NUMBER
