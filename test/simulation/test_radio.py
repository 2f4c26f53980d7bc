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

"""The radio: range, groups, loss, delay, duplicates, order."""

from collections import Counter
import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from leader_election.parameters import ParameterError
from leader_election.simulation import radio as of
from leader_election.simulation.parameters import WorldParameters
from leader_election.simulation.radio import Radio
import numpy as np
import pytest

LINE = np.array([[0.0, 0.0], [2.0, 0.0], [4.0, 0.0], [0.0, 3.0]])
IDS = (4, 5, 6, 7)
CROWD = np.zeros((1001, 2))


def radio(places: Any = LINE, seed: int = 1, **settings: object) -> Radio:
    parameters = WorldParameters(**settings)  # type: ignore[arg-type]
    return Radio(range(4, 4 + len(places)), parameters, np.random.default_rng(seed))


def balanced(one: Radio) -> bool:
    """Return whether each copy of a message is accounted for."""
    counts = one.counts
    return (counts[of.IN_RANGE] + counts[of.DUPLICATED]
            == counts[of.LOST] + counts[of.SEPARATED] + counts[of.OVERFLOWED]
            + counts[of.DELIVERED] + one.pending)


@pytest.mark.parametrize(('reach', 'hearers'), [
    (1.99, []), (2.0, [1]), (3.0, [1, 3]), (math.inf, [1, 2, 3])])
def test_radio_range_is_inclusive_and_no_robot_receives_itself(reach, hearers):
    assert radio(radio_range=reach).receivers(0, LINE).tolist() == hearers


def test_receivers_change_when_robots_move_or_the_range_changes():
    one, nearer = radio(radio_range=2.0), LINE / 2.0
    assert [one.receivers(0, places).tolist() for places in (LINE, LINE, nearer, LINE)] == [
        [1], [1], [1, 2, 3], [1]]
    assert one.counts[of.IN_RANGE] == 6
    one.configure(WorldParameters(radio_range=3.0))
    assert one.receivers(0, LINE).tolist() == [1, 3]


def test_loss_is_drawn_for_each_receiver():
    heard = [len(radio(CROWD, radio_loss=p).receivers(0, CROWD)) for p in (0.0, 0.3, 1.0)]
    assert heard[0] == 1000
    assert 630 < heard[1] < 770
    assert heard[2] == 0


def test_groups_do_not_hear_each_other_while_separated():
    one = radio(radio_range=10.0, radio_groups='4, 6')
    # 4 and 6 are a group, and so are 5 and 7, which are not named.
    assert [one.receivers(row, LINE).tolist() for row in range(4)] == [[2], [3], [0], [1]]
    assert one.counts[of.SEPARATED] == 8
    one.configure(WorldParameters(radio_range=10.0, radio_groups='4;5-6;7;99'))
    assert [one.receivers(row, LINE).tolist() for row in range(4)] == [[], [2], [1], []]
    one.configure(WorldParameters(radio_range=10.0))
    assert one.receivers(0, LINE).tolist() == [1, 2, 3]


@pytest.mark.parametrize(('name', 'text'), [
    ('radio_groups', '1-x'), ('radio_groups', '1;;2-1'), ('odom_silent', 'all'),
    ('odom_shifted', '-3')])
def test_groups_are_refused_when_they_name_no_robots(name, text):
    with pytest.raises(ParameterError, match=f'^parameter {name}: '):
        WorldParameters(**{name: text})  # type: ignore[arg-type]


def test_message_arrives_once_after_its_delay():
    one = radio(radio_range=2.0, radio_delay=0.5)
    one.send(0, 'a', LINE, 10.0)
    assert (one.pending, one.next_arrival) == (1, 10.5)
    assert one.arrived(10.4) == []
    assert [(copy.receiver, copy.message) for copy in one.arrived(10.5)] == [(1, 'a')]
    assert one.arrived(99.0) == [] and one.next_arrival is None and balanced(one)


def test_jitter_is_spread_over_its_range():
    one = radio(CROWD, radio_delay=1.0, radio_jitter=2.0)
    one.send(0, 'a', CROWD, 0.0)
    dues = [copy.due for copy in one.arrived(9.0)]
    assert dues == sorted(dues) and 1.0 <= dues[0] < 1.1 and 2.9 < dues[-1] <= 3.0
    assert 1.9 < sum(dues) / len(dues) < 2.1


def test_duplicated_message_has_two_delays():
    one = radio(CROWD, radio_duplication=0.3, radio_jitter=1.0)
    one.send(0, 'a', CROWD, 0.0)
    copies = one.arrived(1.0)
    times = Counter(copy.receiver for copy in copies)
    assert set(times.values()) == {1, 2} and 230 < one.counts[of.DUPLICATED] < 370
    assert len({copy.due for copy in copies}) == len(copies)
    assert len(copies) == 1000 + one.counts[of.DUPLICATED] and balanced(one)


def test_copies_in_flight_are_limited(monkeypatch):
    monkeypatch.setattr(of, 'MOST_PENDING', 2)
    one = radio(radio_range=10.0, radio_delay=1.0)
    one.send(0, 'a', LINE, 0.0)
    assert (one.pending, one.counts[of.OVERFLOWED]) == (2, 1) and balanced(one)


@given(seed=st.integers(0, 99), loss=st.floats(0.0, 1.0), delay=st.floats(0.0, 3.0),
       jitter=st.floats(0.0, 3.0), twice=st.floats(0.0, 1.0),
       groups=st.sampled_from(['', '4;5', '6-7', '1-99']),
       senders=st.lists(st.integers(0, 3), max_size=20))
def test_every_copy_is_counted_and_determined_by_the_seed(
        seed, loss, delay, jitter, twice, groups, senders):
    settings = {'radio_loss': loss, 'radio_delay': delay, 'radio_jitter': jitter,
                'radio_duplication': twice, 'radio_groups': groups}
    runs = []
    for one in (radio(seed=seed, **settings), radio(seed=seed, **settings)):
        copies = []
        for second, sender in enumerate(senders):
            one.send(sender, second, LINE, float(second))
            copies += one.arrived(float(second))
            assert balanced(one)
        copies += one.arrived(1e3)
        assert one.pending == 0 and balanced(one)
        assert all(copy.message <= copy.due <= copy.message + delay + jitter for copy in copies)
        runs.append(copies)
    assert runs[0] == runs[1]
