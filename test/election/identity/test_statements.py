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

"""Records, statements and hash chains: what is signed cannot be changed, and lies prove it."""

from itertools import permutations
import math

from election.identity.grants import keys_of, OWNER, record_of
from hypothesis import assume, given
from hypothesis import strategies as st
from leader_election.election.identity.leader import Leader
from leader_election.election.identity.part import Link
from leader_election.election.identity.roster import (
    packed_record,
    public_key,
    Roster,
    sign,
    unpacked_record,
)
from leader_election.election.identity.statements import (
    BEATS,
    chain,
    hashed,
    index,
    packed_proof,
    Proof,
    Signed,
    signed_text,
    Statement,
    unpacked_proof,
    WIDTH,
)
import pytest

KEY = public_key(keys_of(1).seed)
SAID = Statement(1, 7, 1000, 2, -5.0, 1, 3.0, 1.5, math.nan)
CHAIN = chain(bytes(32))


def signed(statement: Statement, robot: int = 1) -> Signed:
    return Signed(statement, sign(signed_text(statement), keys_of(robot).seed))


def test_two_statements_under_one_number_convict_and_nothing_else_does() -> None:
    other = signed(SAID._replace(leader=3))
    assert Proof(signed(SAID), other).holds(KEY)
    assert unpacked_proof(packed_proof(Proof(signed(SAID), other))).holds(KEY)
    assert Proof(signed(SAID), other).told() == 'signed under one number: leader 2 and 3'
    for harmless in (SAID, SAID._replace(leader=3, serial=1001), SAID._replace(leader=3, boot=8)):
        assert not Proof(signed(SAID), signed(harmless)).holds(KEY)
    assert not Proof(signed(SAID), signed(SAID._replace(leader=3), robot=2)).holds(KEY)


@given(at=st.integers(0, 400), bit=st.integers(0, 7))
def test_no_changed_bit_of_one_statement_makes_a_proof(at: int, bit: int) -> None:
    """A liar cannot make a proof out of what an honest robot has signed once."""
    data = bytearray(packed_proof(Proof(signed(SAID), signed(SAID))))
    data[at % len(data)] ^= 1 << bit
    assert not unpacked_proof(bytes(data)).holds(KEY)


@given(at=st.integers(0, 400), bit=st.integers(0, 7))
def test_no_changed_bit_of_a_record_is_taken(at: int, bit: int) -> None:
    data = bytearray(packed_record(record_of(1, 5.0, version=2)))
    data[at % len(data)] ^= 1 << bit
    roster = Roster(public_key(OWNER), [record_of(1, 5.0)])
    try:
        assert not roster.take(unpacked_record(bytes(data)))
    except ValueError:
        pass
    assert roster.records[1] == record_of(1, 5.0)


def test_the_newest_record_counts_until_its_end() -> None:
    roster = Roster(public_key(OWNER), [record_of(1, 5.0, version=2)])
    assert not roster.take(record_of(1, 9.0, version=1)), 'an older one'
    assert roster.valid(1, 0.0) == record_of(1, 5.0, version=2).record
    assert roster.take(record_of(1, 5.0, version=3, until=100))
    assert roster.valid(1, 100.0) and roster.valid(1, 101.0) is None
    assert roster.take(record_of(1, 5.0, version=4, revoked=True))
    assert roster.valid(1, 0.0) is None is roster.valid(2, 0.0)


def test_of_two_records_of_one_version_all_robots_keep_the_same() -> None:
    records = [record_of(1, 5.0), record_of(1, 6.0), record_of(1, 5.0, revoked=True)]
    kept = [Roster(public_key(OWNER), order).records[1] for order in permutations(records)]
    assert {*kept} == {records[2]}


def test_a_chain_leads_from_each_beat_and_hop_to_its_anchor() -> None:
    assert len(CHAIN) == BEATS * WIDTH + 1
    assert hashed(CHAIN[index(3, 2)], 2) == CHAIN[index(3, 4)]
    assert hashed(CHAIN[index(3, 0)], WIDTH) == CHAIN[index(2, 0)]
    assert hashed(CHAIN[index(0, 0)], WIDTH) == CHAIN[-1]


def leader() -> Leader:
    return Leader(signed(SAID._replace(leader=1, hops=0, anchor=CHAIN[-1], interval=1000)), 0.0)


def link(beat: int, hop: int) -> Link:
    return Link(beat, CHAIN[index(beat, hop)])


def test_a_link_proves_its_beat_and_hops_only() -> None:
    known = leader()
    assert known.relayed(1) is None
    assert known.proves(2, link(5, 2)) and known.proves(4, link(5, 4)) and known.proves(
        1, link(5, 1))
    assert known.relayed(1) == (link(5, 2), 2), 'it follows one that is one hop away'
    assert known.relayed(6) == (link(5, 6), 6)
    for hops, shown in ((0, link(5, 1)), (1, link(6, 2)), (3, Link(4, bytes(12))),
                        (2, link(5, 3)), (1, Link(BEATS, bytes(12))), (0, Link(-1, CHAIN[-1]))):
        assert not known.proves(hops, shown)
    assert known.proves(99, link(5, WIDTH - 1)), 'more hops count as the last'


@given(heard=st.tuples(st.integers(0, BEATS - 1), st.integers(0, WIDTH - 1)),
       claimed=st.tuples(st.integers(0, BEATS - 1), st.integers(0, WIDTH - 1)),
       times=st.integers(0, 40))
def test_no_hashing_of_what_was_heard_makes_a_later_beat_or_fewer_hops(
        heard: tuple[int, int], claimed: tuple[int, int], times: int) -> None:
    assume(claimed[0] > heard[0] or (claimed[0] == heard[0] and claimed[1] < heard[1]))
    element = hashed(link(*heard).element, times)
    assert not leader().proves(claimed[1], Link(claimed[0], element))


@pytest.mark.parametrize(('times', 'until'), [
    # Of times at which it came back; then the one from which on it is believed.
    ([0.0], 0.0), ([0.0, 100.0], 100.0), ([0.0, 20.0], 20.0 + 4.0 ** 1.63),
    ([0.0, 1.0], 1.0 + 4.0 ** 1.9772),
    ([0.0, 20.0, 40.0], 40.0 + 4.0 ** 2.0268), ([1.0 * n for n in range(30)], 59.0)])
def test_a_leader_that_flaps_stays_for_growing_but_bounded_times(
        times: list[float], until: float) -> None:
    damping = leader().damping
    for now in times:
        damping.flap(now)
    assert damping.until == pytest.approx(until, abs=0.01)


def test_a_strength_that_only_grows_or_only_falls_is_no_flap() -> None:
    for values in ((-1.0, -2.0, -3.0, -4.0), (-4.0, -3.0, -2.0)):
        damping = leader().damping
        for before, value in zip(values, values[1:]):
            damping.rate(before, value, 1.0)
        assert damping.until == -math.inf
