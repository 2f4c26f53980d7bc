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

"""Each rule of mandates, in the smallest exchange that needs it."""

from contextlib import suppress

from leader_election.election.mandates.mandates import (
    Acting,
    Follows,
    MandatePart,
    Mandates,
    NeighbourPart,
    NO_BEAT,
    Notice,
    Promise,
)
from leader_election.election.mandates.parameters import (
    Kept,
    MandateSettings,
    Memory,
    NO_MARK,
    roster_marks,
)
from leader_election.parameters import ParameterError
import pytest

T, RHO = 3.0, 0.05
PROMISE, MANDATE = T * 1.1, T * 0.9
LEAD, FOLLOW = Follows(1, 0.0, True), Follows(1, 2.0, False)
OTHER = Follows(9, 2.0, False)
"""Follows another leader."""


def robot(i: int, roster: frozenset[int] = frozenset()) -> Mandates:
    """Return a robot whose silence after its start is over."""
    made = Mandates(i, MandateSettings(T, RHO, roster, 0.0))
    made.silent_until = 0.0
    return made


def heard(made: Mandates, sender: int, follows: Follows) -> NeighbourPart:
    """Return the part that a robot sent in its last round."""
    return NeighbourPart(sender, follows.leader, follows.distance, made.part)


def of_leader(beat: int, leader: int = 1) -> NeighbourPart:
    """Return the message of a leader."""
    return NeighbourPart(leader, leader, 0.0, MandatePart(beat, beat))


def granting(beat: int, member: int = 2, **part: object) -> NeighbourPart:
    """Return the part of a follower of leader 1."""
    mandates = MandatePart(beat, beat, {member: beat}, **part)  # type: ignore
    return NeighbourPart(2, 1, 2.0, mandates)


def leading() -> Mandates:
    """Return robot 1 as a leader with the mandate over robot 2, both since time 0."""
    leader = robot(1)
    leader.round(LEAD, [], 0.0)
    leader.hear(granting(1), 0.5)
    assert leader.over(0.5).keys() == {1, 2}
    return leader


def member(until: float = 0.0) -> Mandates:
    """Return robot 2, which has granted beat 5 of leader 1 at a time and follows another one."""
    made = robot(2)
    made.round(FOLLOW, [of_leader(5)], until)
    assert made.promise == Promise(1, 5, 5, until + PROMISE)
    made.round(OTHER, [of_leader(7, 9)], until)
    return made


def test_mandate_lasts_from_its_beat_and_promise_from_its_grant() -> None:
    leader, follower = robot(1), robot(2)
    leader.round(LEAD, [], 10.0)
    follower.round(FOLLOW, [heard(leader, 1, LEAD)], 500.0)
    assert follower.bound(500.0 + PROMISE - 0.01) == Promise(1, 1, 1, 500.0 + PROMISE)
    assert follower.bound(500.0 + PROMISE) is None
    leader.hear(heard(follower, 2, FOLLOW), 12.0)
    assert leader.over(10.0 + MANDATE - 0.01).keys() == {1, 2}
    assert leader.over(10.0 + MANDATE) == {}


def test_newer_beats_renew_mandate_and_promise_and_keep_the_term() -> None:
    leader, follower = robot(1), robot(2)
    for second in range(4):
        leader.round(LEAD, [heard(follower, 2, FOLLOW)], second)
        follower.round(FOLLOW, [heard(leader, 1, LEAD)], second)
    assert follower.promise == Promise(1, 1, 4, 3.0 + PROMISE)
    assert (leader.held[2].first, leader.held[2].last) == (1, 3)
    assert leader.held[2].until == 2.0 + MANDATE


def test_robot_grants_no_other_leader_when_it_has_promised() -> None:
    follower = member()
    assert follower.part.grants == {}
    assert follower.part.leaving == (Notice(2, 1, 5),)
    follower.round(OTHER, [of_leader(8, 9)], PROMISE)
    assert follower.promise is not None and follower.promise.leader == 9


def test_grants_have_rising_numbers_over_all_leaders() -> None:
    follower = member()
    follower.round(OTHER, [of_leader(4, 9)], PROMISE)
    assert follower.promise is None
    follower.round(OTHER, [of_leader(6, 9)], PROMISE)
    assert follower.promise == Promise(9, 6, 6, 2 * PROMISE)


def test_leader_numbers_its_beats_above_every_heard_number() -> None:
    leader = robot(1)
    leader.hear(granting(40), 0.0)
    leader.round(LEAD, [NeighbourPart(3, 9, 1.0, MandatePart(7, 50))], 0.0)
    assert leader.part.beat == 51


def test_term_begins_anew_when_the_mandate_has_lapsed() -> None:
    leader = leading()
    leader.round(LEAD, [], MANDATE - 0.1)
    leader.hear(granting(2), MANDATE)
    assert leader.over(MANDATE)[2].first == 2


def test_grant_does_not_count_when_given_to_a_former_leadership() -> None:
    leader = leading()
    leader.round(OTHER, [], 0.6)
    assert leader.over(0.6) == {}
    leader.round(LEAD, [], 0.7)
    leader.hear(granting(1), 0.8)
    assert 2 not in leader.over(0.8)


def test_grant_does_not_count_when_its_beat_is_unknown() -> None:
    leader = leading()
    leader.hear(granting(77, member=3), 0.5)
    assert 3 not in leader.held


def test_leader_drops_a_robot_that_leaves_and_releases_it() -> None:
    leader = leading()
    assert leader.hear(NeighbourPart(2, 9, 1.0, MandatePart(0, 1, {}, (Notice(2, 1, 1),))), 0.6)
    assert leader.over(0.6).keys() == {1}
    leader.round(LEAD, [NeighbourPart(2, 9, 1.0, MandatePart(0, 1, {}, (Notice(2, 1, 1),)))], 0.6)
    assert leader.part.released == (Notice(2, 1, 1),)


def test_grant_does_not_count_when_it_arrives_after_its_release() -> None:
    leader = leading()
    leader.round(LEAD, [NeighbourPart(2, 9, 1.0, MandatePart(0, 1, {}, (Notice(2, 1, 1),)))], 0.6)
    leader.round(LEAD, [], 0.7)
    leader.hear(granting(1), 0.7)
    assert 2 not in leader.over(0.7)
    leader.hear(granting(2), 0.7)
    assert 2 in leader.over(0.7)


def test_notice_does_not_end_a_mandate_when_its_beat_is_older() -> None:
    leader = leading()
    leader.round(LEAD, [granting(1)], 0.6)
    leader.hear(granting(2), 0.7)
    leader.hear(NeighbourPart(2, 9, 1.0, MandatePart(0, 1, {}, (Notice(2, 1, 1),))), 0.8)
    assert 2 in leader.over(0.8)


@pytest.mark.parametrize(('notice', 'frees'), [
    (Notice(2, 1, 5), True), (Notice(2, 1, 4), False), (Notice(3, 1, 5), False),
    (Notice(2, 8, 5), False)])
def test_release_counts_only_for_its_member_leader_and_beats(notice: Notice, frees: bool) -> None:
    follower = member()
    told = NeighbourPart(4, 1, 1.0, MandatePart(5, 7, {}, (), (notice,)))
    assert follower.hear(told, 0.1) == frees
    assert (follower.promise is None) == frees


def test_leader_releases_its_members_when_it_steps_down() -> None:
    """It releases the members whose grants it received before."""
    follower = member()
    assert not follower.hear(NeighbourPart(1, 9, 1.0, MandatePart(0, 4, {1: 4})), 0.1)
    assert follower.promise is not None
    assert follower.hear(NeighbourPart(1, 9, 1.0, MandatePart(0, 5, {1: 5})), 0.1)
    assert follower.promise is None


def test_leader_releases_nobody_for_the_duration_of_a_promise_after_its_restart() -> None:
    """A node beside the robot may have survived the restart, and act by an earlier message."""
    for now, released in ((100.0, False), (100.0 + PROMISE - 0.01, False),
                          (100.0 + PROMISE, True)):
        leader, follower = Mandates(1, MandateSettings(T, RHO, reaction=0.0), 30), member(now)
        leader.round(OTHER, [], 100.0)
        leader.round(OTHER, [of_leader(40, 9), heard(follower, 2, OTHER)], now)
        assert bool(leader.part.released) == released
        assert follower.hear(heard(leader, 1, OTHER), now) == released
        assert (follower.promise is None) == released


def test_release_does_not_end_the_promise_to_the_current_leader() -> None:
    follower = robot(2)
    follower.round(FOLLOW, [of_leader(5)], 0.0)
    follower.hear(NeighbourPart(4, 1, 1.0, MandatePart(5, 7, {}, (), (Notice(2, 1, 5),))), 0.1)
    assert follower.promise is not None


def test_notices_travel_to_the_old_leader_and_back() -> None:
    """Robot 2 has left. Robot 3 hears it, and 4 hears 3 and the leader, which both follow."""
    leader, near, far, gone = leading(), robot(4), robot(3), member()
    at = {4: Follows(1, 1.0, False), 3: Follows(1, 2.0, False)}
    near.round(at[4], [heard(leader, 1, LEAD)], 0.0)
    far.round(at[3], [heard(near, 4, at[4])], 0.0)
    assert far.hear(heard(gone, 2, OTHER), 0.1)
    far.round(at[3], [heard(gone, 2, OTHER), heard(near, 4, at[4])], 0.1)
    assert near.hear(heard(far, 3, at[3]), 0.2)
    near.round(at[4], [heard(far, 3, at[3]), heard(leader, 1, LEAD)], 0.2)
    leader.round(LEAD, [heard(near, 4, at[4])], 0.3)
    near.round(at[4], [heard(far, 3, at[3]), heard(leader, 1, LEAD)], 0.4)
    far.round(at[3], [heard(gone, 2, OTHER), heard(near, 4, at[4])], 0.5)
    assert far.part.released == (Notice(2, 1, 5),) and far.part.leaving == ()
    assert gone.hear(heard(far, 3, at[3]), 0.6)
    assert gone.promise is None


def test_robot_has_no_mandate_and_asks_for_nothing_before_its_first_round() -> None:
    made = Mandates(2, MandateSettings(T, RHO))
    assert not made.hear(of_leader(5), 0.0) and not made.hear(granting(5, leaving=(
        Notice(2, 1, 4),)), 0.0)
    assert made.over(made.time) == {}
    assert made.acting(made.time) is None and made.bound(made.time) is None
    assert not made.news and made.part == MandatePart()


def test_message_asks_for_a_round_once_and_the_round_settles_it() -> None:
    leader = leading()
    assert leader.hear(granting(1, leaving=(Notice(4, 1, 1),)), 0.6) and leader.news
    assert not leader.hear(of_leader(3, 9), 0.6) and leader.news, 'until the round'
    leader.round(LEAD, [granting(1, leaving=(Notice(4, 1, 1),))], 0.7)
    assert not leader.news
    bound = member()
    assert not bound.hear(of_leader(6), 0.1), 'its old leader says nothing new'


def test_notice_is_forwarded_with_its_newest_beat_whatever_the_order() -> None:
    for beats in ((5, 7), (7, 5)):
        far = robot(3)
        far.round(Follows(1, 1.0, False), [
            NeighbourPart(sender, 1, 2.0, MandatePart(9, 9, {}, (Notice(2, 1, beat),)))
            for sender, beat in zip((4, 5), beats)], 0.0)
        assert far.part.leaving == (Notice(2, 1, 7),)


def test_notice_and_grant_are_not_forwarded_by_a_robot_as_far_from_the_leader() -> None:
    """Otherwise two robots would send them to each other for ever."""
    beside = robot(4)
    beside.round(Follows(1, 1.0, False), [NeighbourPart(3, 1, 1.0, MandatePart(
        5, 5, {6: 5}, (Notice(2, 1, 5),)))], 0.0)
    assert beside.part.leaving == () and beside.part.grants == {4: 5}
    assert not beside.hear(NeighbourPart(3, 1, 1.0, MandatePart(
        5, 5, {}, (Notice(7, 1, 5),))), 0.1)


def test_answer_is_forwarded_only_by_robots_that_have_sent_the_notice() -> None:
    answer = NeighbourPart(1, 1, 0.0, MandatePart(9, 9, {}, (), (Notice(2, 1, 5),)))
    beside = robot(3)
    beside.round(FOLLOW, [answer], 0.0)
    assert beside.part.released == ()


def test_late_notice_does_not_admit_grants_that_a_newer_one_has_ended() -> None:
    leader = leading()
    for beat in (2, 1):
        leader.round(LEAD, [], 0.1 * beat)
    for beat in (2, 1):
        leader.hear(NeighbourPart(2, 9, 2.0, MandatePart(9, 9, {}, (Notice(2, 1, beat),))), 0.5)
    leader.hear(granting(2), 0.6)
    assert leader.over(0.6).keys() == {1}


def test_grant_counts_when_one_of_another_leadership_stands_before() -> None:
    leader = robot(1)
    leader.round(LEAD, [], 0.0)
    leader.hear(NeighbourPart(2, 1, 2.0, MandatePart(9, 9, {3: 8, 4: 1})), 0.1)
    assert leader.over(0.1).keys() == {1, 4}


def test_robot_passes_on_no_grant_of_its_own_that_it_has_not_given() -> None:
    relay = robot(3)
    relay.round(Follows(1, 1.0, False, grants=False), [
        NeighbourPart(4, 1, 2.0, MandatePart(9, 9, {3: 9, 5: 9})),
        NeighbourPart(5, 1, 2.0, MandatePart(9, 9, {5: 8}))], 0.0)
    assert relay.part.grants == {5: 9}


def test_grants_travel_towards_the_leader_and_the_newest_counts() -> None:
    relay = robot(3)
    relay.round(Follows(1, 1.0, False), [
        of_leader(9), NeighbourPart(4, 1, 2.0, MandatePart(9, 9, {5: 7, 6: 8})),
        NeighbourPart(5, 1, 3.0, MandatePart(9, 9, {5: 9})),
        NeighbourPart(7, 1, 0.5, MandatePart(9, 9, {7: 9})),
        NeighbourPart(8, 9, 2.0, MandatePart(9, 9, {8: 9}))], 0.0)
    assert relay.part.grants == {5: 9, 6: 8, 3: 9}


def test_robot_grants_beats_of_its_own_leader() -> None:
    follower = robot(2)
    follower.round(FOLLOW, [of_leader(5), of_leader(8, leader=9)], 0.0)
    assert follower.promise == Promise(1, 5, 5, PROMISE)


def test_relays_and_robots_without_a_leader_grant_nothing() -> None:
    for follows in (Follows(1, 1.0, False, grants=False), Follows(-1, 0.0, False)):
        made = robot(3)
        made.round(follows, [of_leader(9)], 0.0)
        assert made.promise is None and made.part.grants == {}


def test_leader_acts_when_it_has_the_mandate_over_itself() -> None:
    leader = robot(1)
    leader.round(LEAD, [], 0.0)
    assert leader.acting(MANDATE - 0.1) == Acting(1, MANDATE) and leader.part.grants == {1: 1}
    assert leader.acting(MANDATE) is None
    bound = member()
    bound.round(Follows(2, 0.0, True), [], 0.1)
    assert bound.acting(0.1) is None


def test_leader_with_a_quorum_acts_when_more_than_half_of_the_roster_granted() -> None:
    leader = robot(1, frozenset({1, 2, 3, 4}))
    leader.round(LEAD, [], 0.0)
    leader.hear(granting(1), 0.1)
    leader.hear(granting(1, member=7), 0.1)
    assert leader.acting(0.1) is None
    leader.hear(granting(1, member=3), 0.1)
    assert leader.acting(0.1) == Acting(1, MANDATE)


def test_leader_with_a_quorum_acts_until_the_grants_of_more_than_half_end() -> None:
    """Five robots, and grants of three beats: the third latest end counts."""
    leader = robot(1, frozenset({1, 2, 3, 4, 5}))
    for second in range(3):
        leader.round(LEAD, [], float(second) / 10.0)
        for each in ((1, 2, 3, 4, 5), (3, 4), (4,))[second]:
            if each != 1:
                leader.hear(granting(second + 1, member=each), float(second) / 10.0)
    acting = leader.acting(0.2)
    assert acting is not None and acting.until == pytest.approx(0.1 + MANDATE)


def test_leader_with_a_quorum_has_a_term_that_every_counted_robot_granted() -> None:
    """Robot 3 may have granted another leader up to beat 49. Robot 2 has granted only 1 so far."""
    leader = robot(1, frozenset({1, 2, 3}))
    leader.round(LEAD, [], 0.0)
    leader.hear(granting(1), 0.1)
    assert leader.acting(0.1) == Acting(1, MANDATE)
    leader.number = 49
    leader.round(LEAD, [], 0.5)
    leader.hear(granting(50, member=3), 0.6)
    assert leader.acting(0.6) == Acting(1, MANDATE)
    leader.hear(NeighbourPart(2, 9, 1.0, MandatePart(0, 1, {}, (Notice(2, 1, 1),))), 0.7)
    assert leader.acting(0.7) == Acting(50, 0.5 + MANDATE)
    assert leader.part.beat != NO_BEAT


# The time that a node beside a robot has to react.

REACT = 0.5


def quick(i: int) -> Mandates:
    """Return a robot beside which a node has time to react."""
    made = Mandates(i, MandateSettings(T, RHO, reaction=REACT))
    made.silent_until = 0.0
    return made


def test_mandate_ends_earlier_than_the_promise_by_the_time_to_react() -> None:
    leader, follower = quick(1), quick(2)
    leader.round(LEAD, [], 0.0)
    follower.round(FOLLOW, [heard(leader, 1, LEAD)], 0.0)
    leader.hear(heard(follower, 2, FOLLOW), 0.0)
    assert leader.over(MANDATE - REACT - 0.01).keys() == {1, 2}
    assert leader.over(MANDATE - REACT) == {}
    assert follower.bound(PROMISE - 0.01) and not follower.bound(PROMISE)


def test_released_robot_grants_another_leader_after_the_time_to_react() -> None:
    follower = quick(2)
    follower.round(FOLLOW, [of_leader(5)], 0.0)
    follower.round(OTHER, [], 0.1)
    answer = NeighbourPart(1, 1, 0.0, MandatePart(6, 6, released=(Notice(2, 1, 5),)))
    assert follower.hear(answer, 0.2) and not follower.hear(answer, 0.3), 'it does not last longer'
    notice = 0.2 + REACT * (1.0 + 2.0 * RHO)
    follower.round(OTHER, [of_leader(7, 9)], notice - 0.01)
    assert follower.promise is not None and follower.promise.leader == 1
    follower.round(OTHER, [of_leader(7, 9)], notice)
    assert follower.promise is not None and follower.promise.leader == 9


def test_leader_is_free_after_the_time_to_react_when_it_steps_down() -> None:
    leader = quick(1)
    leader.round(LEAD, [], 0.0)
    leader.round(OTHER, [of_leader(7, 9)], 0.1)
    assert leader.over(0.1) == {}
    assert leader.promise is not None and leader.promise.leader == 1
    assert leader.part.leaving == ()
    leader.round(OTHER, [of_leader(8, 9)], 0.2 + REACT * (1.0 + 2.0 * RHO))
    assert leader.promise is not None and leader.promise.leader == 9


# Two clocks: times that are given are those of leases, the clock of promises may lag behind.

def test_promise_uses_the_slower_clock_and_mandate_the_faster() -> None:
    lags = [0.0]
    follower = Mandates(2, MandateSettings(T, RHO, reaction=0.0), lag=lambda: lags[0])
    follower.silent_until = 0.0
    follower.round(FOLLOW, [of_leader(5)], 10.0)
    lags[0] = 7.0
    assert follower.bound(10.0 + 7.0 + PROMISE - 0.01)
    assert not follower.bound(10.0 + 7.0 + PROMISE)
    leader = leading()
    leader._lag = lambda: 7.0
    assert leader.over(MANDATE - 0.01) and not leader.over(MANDATE)


def test_all_promises_end_on_the_slower_clock_when_it_has_lagged_before() -> None:
    """The clock of promises is 7 s behind from the start on."""
    behind = Mandates(2, MandateSettings(T, RHO), lag=lambda: 7.0)
    behind.round(FOLLOW, [of_leader(5)], 10.0)
    assert behind.silent_until == 3.0 + PROMISE
    behind.round(FOLLOW, [of_leader(6)], 11.0 + PROMISE)
    assert behind.promise == Promise(1, 6, 6, 4.0 + 2.0 * PROMISE)
    behind.round(OTHER, [of_leader(7, 9)], 11.0 + PROMISE)
    behind.hear(NeighbourPart(1, 1, 0.0, MandatePart(6, 6, {}, (), (Notice(2, 1, 6),))),
                11.0 + PROMISE)
    notice = behind.settings.notice
    assert behind.promise is not None and behind.promise.until == 4.0 + PROMISE + notice
    leader = Mandates(1, MandateSettings(T, RHO), lag=lambda: 7.0)
    leaver = NeighbourPart(2, 9, 2.0, MandatePart(9, 9, {}, (Notice(2, 1, 5),)))
    leader.round(LEAD, [leaver], 10.0)
    leader.round(LEAD, [leaver], 9.9 + PROMISE)
    assert leader.part.released == ()
    leader.round(LEAD, [leaver], 10.1 + PROMISE)
    assert leader.part.released == (Notice(2, 1, 5),)


def test_silence_after_a_start_uses_the_slower_clock() -> None:
    lags = [0.0]
    started = Mandates(2, MandateSettings(T, RHO), lag=lambda: lags[0])
    started.round(FOLLOW, [], 0.0)
    lags[0] = 7.0
    started.round(FOLLOW, [of_leader(5)], 6.9 + PROMISE)
    assert started.promise is None
    assert started.silence(6.9 + PROMISE) == pytest.approx(0.1)
    started.round(FOLLOW, [of_leader(6)], 7.0 + PROMISE)
    assert started.promise is not None


# A roster that changes.

OLD, NEW = frozenset({1, 2, 3}), frozenset({3, 4, 5, 6})
STEPS = tuple(MandateSettings(T, RHO, roster, 0.0, version, old) for roster, version, old in (
    (OLD, 0, frozenset()), (NEW, 1, OLD), (NEW, 1, frozenset()),
    (OLD, 2, NEW), (OLD, 2, frozenset())))
"""The steps from the old roster to the new one, and back."""


def at_step(i: int, step: int, acted: int | None) -> Mandates:
    """Return a robot with a step's roster that knows of a step in which a leader has acted."""
    made = Mandates(i, STEPS[step])
    made.silent_until = 0.0
    if acted is not None:
        made.hear(NeighbourPart(9, 9, 0.0, MandatePart(proven=roster_marks(STEPS[acted])[0])), 0.0)
    return made


def test_robot_takes_the_next_roster_when_a_leader_has_acted_in_the_current_one() -> None:
    for step, acted in ((0, 0), (1, 1), (0, 1), (2, 2)):
        made = at_step(4, step, acted)
        made.change(STEPS[acted + 1])
        assert made.settings == STEPS[acted + 1]


@pytest.mark.parametrize(('step', 'acted', 'wanted', 'why'), [
    (0, None, 1, 'no leader has acted yet'), (0, 0, 2, 'leaders act under version 0'),
    (0, 0, 4, 'leaders act under version 0'), (1, 0, 2, 'leaders act under version 0'),
    (1, 0, 0, 'the present one, 1, is not older'), (2, 1, 1, 'the present one, 1, is not older'),
    (2, 2, 0, 'the present one, 1, is not older'), (0, 3, 1, 'the present one, 2, is not older')])
def test_robot_refuses_a_roster_when_it_is_not_the_next_step(
        step: int, acted: int | None, wanted: int, why: str) -> None:
    made = at_step(4, step, acted)
    with pytest.raises(ParameterError, match=why):
        made.change(STEPS[wanted])
    assert made.settings == STEPS[step]


def takes(made: Mandates, settings: MandateSettings) -> bool:
    """Return whether a robot takes a roster."""
    with suppress(ParameterError):
        made.change(settings)
    return made.settings == settings


def test_robot_refuses_another_roster_of_the_same_step() -> None:
    for step, acted in ((1, 0), (1, 1), (2, 1)):
        assert not takes(at_step(4, step, acted), STEPS[step]._replace(roster=frozenset({7, 8})))


def test_robot_neither_grants_nor_acts_when_its_roster_is_more_than_a_step_apart() -> None:
    for step, acted in ((0, 1), (0, 2), (1, 2), (2, 0), (1, 4)):
        made = at_step(2, step, acted)
        made.round(FOLLOW, [of_leader(5)], 0.0)
        assert made.promise is None and not made.in_step
        leader = at_step(1, 0, None)
        leader.round(LEAD, [], 0.0)
        leader.hear(granting(1), 0.1)
        assert leader.acting(0.1)
        leader.hear(NeighbourPart(9, 9, 0.0, made.part), 0.1)
        assert bool(leader.acting(0.1)) == (acted == 0)


def test_robot_grants_again_when_it_takes_the_roster_of_the_others() -> None:
    made = at_step(2, 0, 3)
    made.change(STEPS[3])
    made.round(FOLLOW, [of_leader(5)], 0.0)
    assert made.promise is not None


def test_leader_needs_more_than_half_of_both_rosters_while_they_change() -> None:
    for granting_ids, acts in (({1, 2}, False), ({4, 5, 6}, False), ({1, 4, 5, 6}, False),
                               ({1, 2, 4, 5}, False), ({2, 3, 4, 5}, True)):
        leader = at_step(9, 1, 0)
        leader.round(Follows(9, 0.0, True), [], 0.0)
        for member in granting_ids:
            leader.hear(NeighbourPart(2, 9, 2.0, MandatePart(1, 1, {member: 1})), 0.1)
        assert bool(leader.acting(0.1)) == acts, granting_ids


def test_step_ends_the_mandates_and_keeps_the_promise() -> None:
    leader = at_step(1, 0, None)
    leader.round(LEAD, [], 0.0)
    leader.hear(granting(1), 0.1)
    leader.round(LEAD, [], 0.1)
    assert leader.acting(0.1) and leader.part.proven == roster_marks(STEPS[0])[0]
    promise = leader.promise
    leader.change(STEPS[1])
    assert leader.acting(0.1) is None and leader.over(0.1) == {} and leader.promise == promise
    leader.hear(granting(2), 0.2)
    assert leader.over(0.2) == {}, 'of a beat before the step'


def test_roster_is_not_proved_when_its_leader_does_not_act() -> None:
    leader = at_step(1, 0, None)
    leader.round(LEAD, [], 0.0)
    assert leader.part.proven == NO_MARK


def test_robot_in_another_step_is_used_only_for_its_numbers() -> None:
    made, other = at_step(1, 0, None), at_step(2, 1, 0)
    other.round(FOLLOW, [of_leader(5)], 0.0)
    assert other.part.grants == {2: 5}
    assert made.counted(other.part) == MandatePart(
        number=5, digest=other.part.digest, proven=other.part.proven)


# What is kept over a restart.

def test_started_robot_is_silent_for_the_longest_promise_that_it_may_have_made() -> None:
    memory = Memory()
    for duration in (T, 3.0 * T, T, T):
        settings = MandateSettings(duration, RHO, OLD)
        silent = max(memory.kept.promise, settings.promise)
        made = Mandates(2, settings, memory=Memory(memory.kept))
        for now in (0.0, silent - 0.01):
            made.round(FOLLOW, [of_leader(5)], now)
        assert made.promise is None and made.memory.kept == memory.kept
        made.round(FOLLOW, [of_leader(6)], silent)
        assert made.promise is not None and made.memory.kept == Kept(settings.promise)
        memory = made.memory


def test_started_robot_grants_only_in_its_last_roster_or_a_proven_later_one() -> None:
    first, change, after = (settings._replace(version=settings.version + 1) for settings in (
        STEPS[0], STEPS[1], STEPS[2]))
    marks = [roster_marks(settings)[0] for settings in (first, change, after)]
    for taken, proven, settings, grants in (
            (0, None, first, True), (0, 0, change, True), (0, None, change, False),
            (0, 0, after, False), (1, 0, first, False), (1, None, first, False),
            (1, 0, change, True),
            (1, 0, after, False), (1, 1, after, True), (1, 1, change, True),
            (2, 1, change, False), (2, 2, first, False), (2, 2, after, True)):
        known = NO_MARK if proven is None else marks[proven]
        made = Mandates(2, settings, memory=Memory(Kept(0.0, marks[taken], known)))
        assert made.in_step == grants, (taken, proven, settings)
        if taken == 1 and settings == first:
            assert takes(made, change) and made.in_step
        if taken == 2 and settings == first:
            assert not takes(made, change) and takes(made, after) and made.in_step


def test_robot_keeps_a_roster_with_a_version_before_it_grants() -> None:
    without, with_version = STEPS[:2]
    proven = roster_marks(without)[0]
    for step, kept in ((0, Kept(without.promise)), (1, Kept(
            with_version.promise, roster_marks(with_version)[0], proven))):
        made = at_step(2, step, 0)
        made.round(FOLLOW, [of_leader(5)], 0.0)
        assert made.promise is not None and made.memory.kept == kept


def test_robot_grants_nothing_until_its_roster_is_kept() -> None:
    class Full(Memory):
        def write(self) -> None:
            self.fault = 'no space left'

    for settings in STEPS[:2]:
        made = Mandates(2, settings, memory=Full())
        made.silent_until = 0.0
        made.round(FOLLOW, [of_leader(5)], 0.0)
        assert (made.promise is None) == bool(settings.version)
