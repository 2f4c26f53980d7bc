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

"""A robot gives the right reason for each change of its leader, and for what it did not take."""

from collections.abc import Callable
from copy import deepcopy
import math
from typing import NamedTuple

from election.robot.swarm import line, Swarm
from hypothesis import given
from hypothesis import strategies as st
from leader_election.election.algorithms.algorithm import Device
from leader_election.election.algorithms.bounded import (
    bounded_round,
    Candidacies,
    Candidacy,
    configure,
)
from leader_election.election.robot.reasons import candidacies, Change, Inputs, LeaderWatch, Reason
import pytest


def swarm(number: int = 3, **settings: object) -> Swarm:
    """Return robots on a line, of which the last is the strongest, once they agree."""
    made = Swarm(line(number), lambda i: {'strength': float(i)}, **{'radius': 9.0, **settings})
    made.sweep(2 * number)
    return made


def fall_silent(of: Swarm, robot: int) -> None:
    of.silent.add(robot)


def move(of: Swarm, robot: int, x: float) -> None:
    of.places[robot] = (x, 0.0)


def weaken(of: Swarm, robot: int, to: float) -> None:
    of.robots[robot].main.strength.update(to)


CHANGES: dict[str, tuple[int, Callable[[Swarm], None], int, Reason, str]] = {
    'leader dies': (3, lambda s: fall_silent(s, 3), 2, Reason.SILENT,
                    '3 has been silent for 3.0 s'),
    'relay dies': (3, lambda s: fall_silent(s, 2), 1, Reason.SILENT,
                   '2, on the way to 3, has been silent for 3.0 s'),
    'leader drives off': (3, lambda s: move(s, 3, 9.0), 2, Reason.OUT_OF_RANGE,
                          '3 is out of range'),
    'leader farther than the radius': (
        2, lambda s: move(s, 2, 1.4), 1, Reason.BEYOND_RADIUS,
        '2 is 1.4 m away, beyond its radius of 1.2'),
    'stronger one comes': (2, lambda s: weaken(s, 1, 7.0), 2, Reason.STRONGER,
                           'stronger, and within 9 m'),
    'own strength grows': (2, lambda s: weaken(s, 1, 7.0), 1, Reason.OWN_STRENGTH,
                           'its own strength is another, or it is no candidate'),
    'leader becomes weak': (2, lambda s: weaken(s, 2, 0.5), 1, Reason.WEAKER,
                            '2 is weaker now'),
}


@pytest.mark.parametrize('case', CHANGES)
def test_robot_says_why_its_leader_changed(case: str) -> None:
    number, act, robot, reason, words = CHANGES[case]
    of = swarm(number, radius=1.2 if reason == Reason.BEYOND_RADIUS else 9.0)
    instance = of.robots[robot].main
    before = instance.leader
    act(of)
    for _ in range(10):
        of.sweep()
        if instance.leader != before:
            break
    change = instance.watch.change
    assert (change.before, change.leader) == (before, instance.leader)
    assert before != instance.leader
    assert (change.reason, change.because) == (reason, words)
    if reason in (Reason.STRONGER, Reason.OWN_STRENGTH):
        assert change.about == change.leader
        assert change.measured == 1.0 or reason == Reason.OWN_STRENGTH


def told(before: Candidacy, exports: dict[int, Candidacy], own: int = 5, strength: float = 1.0,
         contradicted: tuple[int, ...] = (), hop_limit: int = 9,
         joining: float = 4.5, ties: str = 'id') -> tuple[Candidacy, Inputs]:
    """Return the state of a robot after a round, and what the round went by. All are 1 m away."""
    parameters = configure(6.0, ties, hop_limit, 1.0 - joining / 6.0)
    left = [export for j, export in enumerate(exports.values()) if j not in contradicted]
    state = bounded_round(Device(own, strength), before, Candidacies(*map(list, zip(*left)))
                          if left else Candidacies([], [], [], []), [1.0] * len(left), parameters)
    return state, Inputs(own, before, state, list(exports), list(exports.values()),
                         [1.0] * len(exports), contradicted, parameters)


FOLLOWED = Candidacy(-9.0, 2.0, 8, 2)
"""The state of robot 5, which follows robot 8 by robot 7."""


@pytest.mark.parametrize('exports, settings, expected', [
    ({7: Candidacy(-7.0, 0.0, 7, 0)}, {}, (Reason.NOT_PASSED_ON, 7)),
    ({7: Candidacy(-9.0, 1.0, 8, 1), 8: Candidacy(-9.5, 1.0, 9, 1)},
     {'contradicted': (0,), 'joining': 1.5}, (Reason.LEADS_NO_MORE, 7)),
    ({7: Candidacy(-9.0, 1.0, 8, 9)}, {}, (Reason.TOO_MANY_HOPS, 7)),
    ({7: Candidacy(-9.0, 1.0, 8, 1), 4: Candidacy(-9.0, 0.0, 4, 0)}, {}, (Reason.LOWER_ID, 7)),
    ({7: Candidacy(-9.0, 1.0, 8, 1), 4: Candidacy(-9.0, 0.0, 4, 0)}, {'ties': 'nearest'},
     (Reason.NEARER, 7)),
    ({6: Candidacy(-9.0, 6.5, 8, 1), 7: Candidacy(-9.0, 5.5, 8, 1)}, {},
     (Reason.BEYOND_RADIUS, 7)),
])
def test_what_the_neighbours_say_is_the_reason(
        exports: dict[int, Candidacy], settings: dict[str, object],
        expected: tuple[Reason, int]) -> None:
    watch = LeaderWatch()
    for before, heard, of_round in ((FOLLOWED, {7: Candidacy(-9.0, 1.0, 8, 1)}, {}),
                                    (FOLLOWED, exports, settings)):
        state, inputs = told(before, heard, **of_round)  # type: ignore[arg-type]
        watch.update(state.leader, inputs, heard, 3.0)
    assert watch.change.leader != watch.change.before == 8
    assert (watch.change.reason, watch.change.about) == expected


def test_each_candidacy_has_what_decided_about_it() -> None:
    state, inputs = told(Candidacy(-9.0, 2.0, 8, 2), {
        1: Candidacy(-9.0, 1.0, 8, 1), 2: Candidacy(-9.0, 2.5, 8, 1),
        3: Candidacy(-4.0, 1.0, 3, 1), 4: Candidacy(-1.0, 0.5, 5, 1),
        6: Candidacy(-99.0, 5.5, 6, 3), 7: Candidacy(-98.0, 4.0, 7, 3),
        8: Candidacy(-97.0, 1.0, 11, 9), 9: Candidacy(-96.0, 1.0, 12, 1),
        10: Candidacy(-9.0, 1.0, 13, 1), 11: Candidacy(-9.0, 5.0, 8, 1),
        12: Candidacy(-5.0, 3.5, 14, 1)}, contradicted=(7,))
    assert {each.sender: (each.reason.value, each.distance) for each in candidacies(inputs)} == {
        1: ('taken', 2.0), 2: ('no_better', 3.5), 3: ('weaker', 2.0), 4: ('own', 1.5),
        6: ('beyond_radius', 6.5), 7: ('beyond_joining_radius', 5.0),
        8: ('too_many_hops', 2.0), 9: ('leads_no_more', 2.0), 10: ('no_better', 2.0),
        11: ('no_better', 6.0), 12: ('weaker', 4.5)}
    assert state.leader == 8


def test_direct_neighbour_that_follows_another_leads_no_more() -> None:
    watch = LeaderWatch()
    for before, heard in ((Candidacy(-9.0, 1.0, 8, 1), Candidacy(-9.0, 0.0, 8, 0)),
                          (Candidacy(-9.0, 1.0, 8, 1), Candidacy(-7.0, 1.0, 7, 1))):
        state, inputs = told(before, {8: heard})
        watch.update(state.leader, inputs, (), 3.0)
    assert (watch.change.reason, watch.change.about) == (Reason.LEADS_NO_MORE, 8)


class Valued(NamedTuple):
    """A state without hops."""

    value: float
    distance: float
    leader: int


class Bare(NamedTuple):
    """A state without a strength either."""

    distance: float
    leader: int


def test_reasons_of_algorithms_with_fewer_fields() -> None:
    """Robot 5 leaves leader 8 for 7, which is weaker, or of unknown strength."""
    for eight, seven, strength in ((Valued(-9.0, 1.0, 8), Valued(-7.0, 1.0, 7), 9.0),
                                   (Bare(1.0, 8), Bare(1.0, 7), math.nan)):
        watch = LeaderWatch()
        for before, state in ((eight, eight), (eight, seven)):
            inputs = Inputs(5, before, state, [6, 4], [eight, seven], [1.0, 1.0], (), None)
            watch.update(state.leader, inputs, (), 3.0)
        assert watch.change.reason == Reason.ALGORITHM
        found = candidacies(inputs)
        assert found[0].strength == pytest.approx(strength, nan_ok=True)
        assert [each.reason for each in found] == [Reason.ALGORITHM, Reason.TAKEN]
    as_strong = Valued(-9.0, 1.0, 4)
    eight = Valued(-9.0, 1.0, 8)
    inputs = Inputs(5, eight, as_strong, [6], [eight], [1.0], (), None)
    watch = LeaderWatch()
    watch.change = Change(8, 5)
    watch.update(4, inputs, (), 3.0)
    assert watch.change.reason == Reason.LOWER_ID


def test_leader_that_joins_one_as_strong_says_that_its_id_is_lower() -> None:
    watch = LeaderWatch()
    watch.change = Change(5, 8)
    watch.update(4, told(Candidacy(-1.0, 0.0, 5, 0), {4: Candidacy(-1.0, 0.0, 4, 0)})[1], (), 3.0)
    assert (watch.change.reason, watch.change.about) == (Reason.LOWER_ID, 5)


def test_lost_way_counts_until_the_leader_is_as_near_by_another() -> None:
    """Robot 5 follows 8 by 7, although 6 is nearer to 8. Then 7 falls silent."""
    watch = LeaderWatch()
    by_7, by_6 = Candidacy(-9.0, 1.0, 8, 1), Candidacy(-9.0, 0.5, 8, 1)
    _, inputs = told(FOLLOWED, {7: by_7, 6: by_6})
    watch.update(8, inputs._replace(metric=[1.0, 3.0], state=FOLLOWED), (), 3.0)
    for far, reason, about in ((3.5, Reason.SILENT, 7), (2.0, Reason.NOT_PASSED_ON, 6)):
        after = deepcopy(watch)
        after.update(8, inputs._replace(
            senders=[6], exports=[by_6], metric=[far - 0.5], state=FOLLOWED._replace(
                distance=far)), (), 3.0)
        state, left = told(FOLLOWED, {6: Candidacy(-7.0, 0.0, 6, 0)})
        after.update(state.leader, left, (), 3.0)
        assert (after.change.reason, after.change.about) == (reason, about)


def test_robot_without_a_leader_has_lost_none() -> None:
    watch = LeaderWatch()
    for _ in range(2):
        watch.update(-1, told(Candidacy(-9.0, math.inf, 5, 0), {})[1], (), 3.0)
    assert watch.change == Change()


CANDIDACIES = st.builds(
    Candidacy, st.sampled_from((-3.0, -2.0, -1.0)), st.sampled_from((0.0, 1.0, 3.0, 4.0, 7.0)),
    st.integers(1, 6), st.integers(0, 4))


@given(CANDIDACIES, st.lists(CANDIDACIES, max_size=5), st.integers(1, 5))
def test_a_candidacy_is_taken_alone_unless_it_is_out_of_the_question(
        before: Candidacy, exports: list[Candidacy], hop_limit: int) -> None:
    """The reasons are those of the round, which runs compiled and gives none."""
    state, inputs = told(before, dict(enumerate(exports, 10)), hop_limit=hop_limit,
                         strength=-math.inf)
    found = candidacies(inputs)
    for export, each in zip(exports, found):
        alone, _ = told(before, {10: export}, hop_limit=hop_limit, strength=-math.inf)
        would_do = each.reason in (Reason.TAKEN, Reason.WEAKER, Reason.NO_BETTER)
        assert would_do == (alone.leader == export.leader != 5)
    taken = {(each.leader, each.distance) for each in found if each.reason == Reason.TAKEN}
    assert taken == ({(state.leader, state.distance)} if state.leader != 5 else set())
