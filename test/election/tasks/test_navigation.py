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

"""Goals for Nav2: sent once, one at a time, cancelled, and sent again after a failure."""

from typing import Any

from budget import examples
from election.tasks.memory_context import MemoryContext, MemoryNavigator
from hypothesis import given, settings
from hypothesis import strategies as st
from leader_election.election.regions.task import Member
from leader_election.election.tasks.navigation import (
    LONGEST_RETRY,
    Nav2Driver,
    PERIOD,
    Report,
    RETRY,
    SILENCE,
)
from leader_election.election.tasks.rally import Rally, RallyParameters
from leader_election.election.tasks.steering import DrivingParameters
from leader_election.parameters import build
import pytest

HERE = (0.0, 0.0, 0.0)
EAST, NORTH = (3.0, 0.0), (0.0, 3.0)


class Navigation:
    """A driver by Nav2, and the navigator that its goals go to."""

    def __init__(self, gives_feedback: bool = True) -> None:
        self.context = MemoryContext()
        self.navigator = self.context.nav2 = MemoryNavigator(gives_feedback)
        self.place: tuple[float, float] | None = None
        self.driver = Nav2Driver(self.context, DrivingParameters(tolerance=0.1),
                                 lambda x, y, now: self.place, lambda: HERE)

    def at(self, now: float, place: tuple[float, float] | None) -> int:
        """Ask for a place at a time, and return the number of goals sent so far."""
        self.context.now, self.place = now, place
        self.context.timers[0].callback()
        return len(self.navigator.goals)

    def report(self, report: Report, goal: int = -1) -> None:
        self.navigator.reports[goal](report)


def test_goal_is_sent_once_and_faces_away_from_the_robot() -> None:
    navigation = Navigation()
    assert [navigation.at(now, NORTH) for now in (0.0, 0.5, 1.0)] == [1, 1, 1]
    assert navigation.at(1.5, (0.0, 3.05)) == 1
    assert navigation.navigator.goals == [pytest.approx((0.0, 3.0, 1.5708), abs=1e-4)]
    assert navigation.navigator.cancelled == 0


def test_reached_goal_is_not_sent_again_until_the_place_changes() -> None:
    navigation = Navigation()
    navigation.at(0.0, EAST)
    assert not navigation.driver.is_reached(EAST)
    navigation.report(Report.REACHED)
    assert navigation.driver.is_reached(EAST) and not navigation.driver.is_reached(NORTH)
    assert [navigation.at(1.0, EAST), navigation.at(2.0, NORTH)] == [1, 2]
    assert navigation.navigator.cancelled == 0


def test_old_goal_is_cancelled_and_has_ended_before_the_next_is_sent() -> None:
    navigation = Navigation()
    navigation.at(0.0, EAST)
    assert navigation.at(0.5, NORTH) == 1 and navigation.navigator.cancelled == 1
    assert navigation.at(1.0, NORTH) == 1 and navigation.navigator.cancelled == 2
    navigation.report(Report.CANCELLED)
    assert navigation.at(1.5, NORTH) == 2 and navigation.navigator.cancelled == 2
    assert navigation.driver.counts.total() == 0


@pytest.mark.parametrize('report', [Report.REFUSED, Report.ABORTED])
def test_failed_goal_is_counted_and_sent_again_after_growing_waits(report: Report) -> None:
    navigation, now, waits = Navigation(), 0.0, []
    navigation.at(now, EAST)
    for sent in range(1, 8):
        navigation.report(report)
        before = now
        while navigation.at(now, EAST) == sent:
            now += PERIOD
        waits.append(now - before)
    assert waits == [RETRY, 4.0, 8.0, 16.0, LONGEST_RETRY, LONGEST_RETRY, LONGEST_RETRY]
    assert navigation.driver.counts[report.value] == 7
    navigation.report(Report.REACHED)
    navigation.at(now, NORTH)
    navigation.report(report)
    assert navigation.at(now + RETRY, NORTH) == 10, 'after a success the wait is short again'


def test_goal_without_feedback_is_cancelled_and_counted_as_lost() -> None:
    navigation = Navigation()
    navigation.at(0.0, EAST)
    navigation.at(SILENCE, EAST)
    navigation.report(Report.PROGRESS)
    navigation.at(2.0 * SILENCE, EAST)
    assert navigation.navigator.cancelled == 0
    navigation.at(2.0 * SILENCE + PERIOD, EAST)
    assert navigation.navigator.cancelled == 1
    assert navigation.driver.counts[Report.LOST.value] == 1


def test_goal_of_a_navigator_without_feedback_is_not_lost_by_silence() -> None:
    navigation = Navigation(gives_feedback=False)
    assert [navigation.at(now, EAST) for now in (0.0, 100.0)] == [1, 1]


def test_goal_is_lost_when_the_navigator_ends_and_sent_to_the_next_one() -> None:
    navigation = Navigation()
    navigation.at(0.0, EAST)
    navigation.navigator.ready = False
    assert navigation.at(0.5, EAST) == 1
    assert navigation.driver.counts[Report.LOST.value] == 1
    assert navigation.at(10.0, EAST) == 1
    navigation.navigator.ready = True
    assert navigation.at(10.5, EAST) == 2


STEPS = st.lists(st.one_of(
    st.tuples(st.just('ask'), st.sampled_from([None, EAST, NORTH])),
    st.tuples(st.just('report'), st.sampled_from(list(Report))),
    st.tuples(st.just('ready'), st.booleans()),
    st.tuples(st.just('wait'), st.sampled_from([0.1, 1.0, 40.0]))), max_size=60)


@settings(max_examples=examples(300))
@given(STEPS)
def test_goal_follows_the_end_of_the_one_before_and_in_the_end_is_the_wanted_one(
        steps: list[tuple[str, Any]]) -> None:
    navigation, now, wanted, has_ended = Navigation(), 0.0, None, True
    navigator = navigation.navigator
    for kind, value in steps:
        sent, cancelled = len(navigator.goals), navigator.cancelled
        if kind == 'ask':
            wanted = value
        elif kind == 'report' and navigator.reports:
            navigation.report(value)
            has_ended |= value is not Report.PROGRESS
        elif kind == 'ready':
            navigator.ready = value
        elif kind == 'wait':
            now += value
        has_ended |= not navigator.ready
        if navigation.at(now, wanted) > sent:
            assert has_ended and len(navigator.goals) == sent + 1
            has_ended = False
        has_ended |= navigator.cancelled > cancelled
    # From now on the navigator works: it ends cancelled goals.
    navigator.ready = True
    for _ in range(4):
        now, cancelled = now + LONGEST_RETRY, navigator.cancelled
        navigation.at(now, wanted)
        if navigator.cancelled > cancelled:
            navigation.report(Report.CANCELLED)
    if wanted is not None:
        assert navigator.goals[-1][:2] == wanted


def member(context: MemoryContext) -> Rally:
    task = Rally(Member(2, context, pose=lambda: HERE, leader=1),
                 build(RallyParameters, {'drive_by': 'nav2'}))
    task.act([[2, 3.0, 0.0]])
    return task


def test_task_that_drives_by_nav2_sends_goals_and_no_velocities() -> None:
    context = MemoryContext()
    task = member(context)
    context.advance_to(PERIOD)
    assert context.nav2.goals == [(3.0, 0.0, 0.0)]
    assert 'cmd_vel' not in context.publishers and 'scan' not in context.listeners
    context.nav2.reports[0](Report.ABORTED)
    assert 'goals aborted (1 so far)' in context.warnings[0]
    assert task.counts['goals_aborted'] == 1


def test_robot_has_arrived_where_nav2_says_so_or_within_the_tolerance() -> None:
    context = MemoryContext()
    task = member(context)
    context.advance_to(PERIOD)
    assert not task.has_arrived(EAST) and task.has_arrived((0.05, 0.0))
    context.nav2.reports[0](Report.REACHED)
    assert task.has_arrived(EAST) and not task.has_arrived(NORTH)
