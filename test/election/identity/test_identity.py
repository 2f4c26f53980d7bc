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

"""What a robot with an identity believes: a leader 1, its relay 2, and 3 that hears the relay."""

from collections.abc import Callable
import math
from typing import Any

from election.identity.grants import identities, keys_of, OWNER, record_of, START
from hypothesis import given
from hypothesis import strategies as st
from leader_election.election.identity.identity import CANDIDACY, Identity, LIAR, SENDER
from leader_election.election.identity.leader import Leader
from leader_election.election.identity.part import IdentityPart, Link, Said
from leader_election.election.identity.roster import packed_record, public_key, Roster, sign_record
from leader_election.election.identity.statements import BEATS, index, packed_proof, unpacked_proof
import pytest

LEADS = Said(1, 1, -9.0, 0.0, 0, (0.0, 0.0))
RELAYS = Said(2, 1, -9.0, 5.0, 1, (5.0, 0.0))


class Line:
    """The three robots; the leader and its relay say what they did in a new message."""

    def __init__(self) -> None:
        self.make = identities({1: 9.0, 2: 1.0, 3: 1.0, 4: 1.0})
        self.one, self.two, self.three = map(self.make, (1, 2, 3))
        self.now = 0.0

    def heard(self, by: Identity, said: Said, part: IdentityPart) -> str | None:
        return by.admit(said, part, self.now, START / 1e3, self.swarm)

    @property
    def swarm(self) -> int:
        return START + int(1e3 * self.now)

    def part(self, of: Identity, said: Said) -> IdentityPart:
        return of.part(said, frozenset(), self.now, self.swarm)[0]

    def beat(self) -> IdentityPart:
        """Let the leader speak and the relay hear it; return what the relay says."""
        self.now += 1.0
        assert self.heard(self.two, LEADS, self.part(self.one, LEADS)) is None
        return self.part(self.two, RELAYS)

    def refused(self) -> frozenset[int]:
        return self.three.refused({1}, self.now, START / 1e3)


def test_a_relayed_candidacy_is_believed_until_its_last_beat_and_the_bound() -> None:
    line = Line()
    for _ in range(2 * BEATS + 3):
        said = line.beat()
        assert line.heard(line.three, RELAYS, said) is None and line.refused() == set()
    for _ in range(4):
        # The leader is dead; its relay repeats it.
        line.now += 1.0
        assert line.heard(line.three, RELAYS, line.part(line.two, RELAYS)) is None
        assert line.refused() == set()
    line.now += 1.0
    assert line.heard(line.three, RELAYS, line.part(line.two, RELAYS)) is None
    assert line.refused() == {1}


def test_a_dead_leader_is_not_believed_by_a_robot_that_never_heard_it() -> None:
    """Also if its old beats are shown one after the other."""
    line = Line()
    shown = [line.beat() for _ in range(40)]
    line.now += 20.0
    shown += [line.part(line.two, RELAYS) for _ in range(20)]
    late = line.make(4)
    said = [line.heard(late, RELAYS, part._replace(
        own=shown[-1].own or part.own, leader=shown[0].leader)) for part in shown]
    assert late.leaders[1].beat == -1 and None not in said


CHANGES: dict[str, Callable[[Said, IdentityPart], tuple[Said, IdentityPart]]] = {
    'value': lambda said, part: (said._replace(value=-10.0), part),
    'leader': lambda said, part: (said._replace(leader=4), part),
    'hops': lambda said, part: (said._replace(hops=0), part),
    'sender': lambda said, part: (said._replace(robot=4), part),
    'distance': lambda said, part: (said._replace(distance=0.0), part),
    'no link': lambda said, part: (said, part._replace(link=None)),
    'beat': lambda said, part: (said, part._replace(link=Link(9, (part.link or ())[1]))),
}


@pytest.mark.parametrize('change', CHANGES)
def test_a_message_changed_in_the_name_of_another_is_not_believed(change: str) -> None:
    line = Line()
    said, part = CHANGES[change](RELAYS, line.beat())
    assert line.heard(line.three, said, part) in (SENDER, CANDIDACY)


@pytest.mark.parametrize('change', ['value', 'leader', 'hops', 'distance', 'no link', 'beat'])
def test_a_relay_that_signs_its_own_lie_is_not_believed(change: str) -> None:
    line = Line()
    part = line.beat()
    said, lie = CHANGES[change](RELAYS, part)
    mine = line.part(line.make(2), said)._replace(link=lie.link, leader=lie.leader)
    assert mine.own is not None
    assert line.heard(line.three, said, mine) == CANDIDACY


@given(st.data())
def test_no_changed_bit_of_what_a_relay_passes_on_is_believed(data: Any) -> None:
    line = Line()
    part = line.beat()
    name = data.draw(st.sampled_from(['own', 'link', 'leader']))
    piece = getattr(part, name)
    at = data.draw(st.integers(0, len(piece) - 1))
    value = piece[at]
    if isinstance(value, bytes):
        bit = data.draw(st.integers(0, 8 * len(value) - 1))
        changed: Any = (int.from_bytes(value, 'big') ^ 1 << bit).to_bytes(len(value), 'big')
    else:
        changed = value + 1
    lie = part._replace(**{name: piece._replace(**{piece._fields[at]: changed})})
    assert line.heard(line.three, RELAYS, lie) in (SENDER, CANDIDACY)


@pytest.mark.parametrize(('said', 'granted'), [
    (LEADS._replace(value=-9.1), {}), (LEADS, {'leads': False}), (LEADS, {'revoked': True}),
    (LEADS, {'until': START // 1000 - 1})])
def test_no_robot_leads_beyond_its_grant(said: Said, granted: dict[str, Any]) -> None:
    line = Line()
    if granted:
        line.two.take_record(record_of(1, 9.0, version=2, **granted))
    assert line.heard(line.two, said, line.part(line.one, said)) in (SENDER, CANDIDACY)


def test_a_message_between_statements_is_believed_if_it_agrees() -> None:
    line = Line()
    line.beat()
    near = LEADS._replace(position=(1.9, 0.0))
    part = line.part(line.one, LEADS)._replace(leader=None)
    assert line.heard(line.two, near, part) is None
    for far in (LEADS._replace(position=(2.1, 0.0)), LEADS._replace(leader=3, hops=1),
                LEADS._replace(position=None)):
        assert line.heard(line.two, far, part) == SENDER
    line.now += 31.0
    assert line.heard(line.two, near, part) == SENDER, 'the last statement is too old'


def test_an_older_statement_is_no_news_and_convicts_nobody() -> None:
    line = Line()
    old = line.beat()
    moved = RELAYS._replace(position=(8.0, 0.0), distance=8.0)
    assert line.heard(line.three, moved, line.part(line.two, moved)) is None
    assert line.heard(line.three, RELAYS, old) == SENDER and line.three.proofs == {}


def test_two_statements_under_one_number_drop_the_liar_and_the_proof_is_passed_on() -> None:
    line = Line()
    part = line.part(line.two, RELAYS)
    assert line.heard(line.three, RELAYS, part) == CANDIDACY
    twin = line.make(2)
    twin.speaker.boot = line.two.speaker.boot
    other = RELAYS._replace(position=(50.0, 0.0))
    assert line.heard(line.three, other, line.part(twin, other)) == LIAR
    assert line.heard(line.three, RELAYS, part) == LIAR
    news = line.part(line.three, RELAYS._replace(robot=3)).news
    assert unpacked_proof(news) == line.three.proofs[2]
    far = line.make(4)
    assert line.heard(far, LEADS, line.part(line.one, LEADS)._replace(news=news)) is None
    assert far.proofs.keys() == {2}
    assert line.three.proofs[2].told() == 'signed under one number: x 5 and 50'


def test_a_revoked_robot_is_out_with_the_next_message_of_one_that_knows() -> None:
    line = Line()
    assert line.heard(line.three, RELAYS, line.beat()) is None
    line.one.take_record(record_of(2, 1.0, version=2, revoked=True))
    news = line.part(line.one, LEADS).news
    assert news == packed_record(record_of(2, 1.0, version=2, revoked=True))
    line.three.news.take(news)
    assert line.heard(line.three, RELAYS, line.part(line.two, RELAYS)) == SENDER
    line.two.take_record(record_of(2, 1.0, version=2, revoked=True))
    assert line.two.most_strength == -math.inf


def test_a_robot_that_starts_with_a_changed_roster_passes_the_change_on() -> None:
    line = Line()
    revoked = record_of(2, 1.0, version=10**6, revoked=True)
    line.one.roster.take(revoked)
    again = Identity(keys_of(1), line.one.roster, 7, lambda: bytes(32))
    pieces = [line.part(again, LEADS).news for _ in range(32)]
    assert {*pieces} == {b'', packed_record(revoked)}
    assert not any(line.part(line.three, RELAYS._replace(robot=3)).news for _ in range(32))


def test_a_proof_that_comes_before_its_robots_record_counts_when_it_comes_again() -> None:
    line, late = Line(), Identity(
        keys_of(3), Roster(public_key(OWNER), [record_of(3, 1.0)]), 1, lambda: bytes(32))
    twin = line.make(2)
    twin.speaker.boot = line.two.speaker.boot
    for by, said in ((line.two, RELAYS), (twin, RELAYS._replace(position=(50.0, 0.0)))):
        line.heard(line.three, said, line.part(by, said))
    proof = packed_proof(line.three.proofs[2])
    late.news.take(proof)
    late.news.take(packed_record(record_of(2, 1.0)))
    late.news.take(proof)
    assert late.proofs.keys() == {2}


@given(news=st.one_of(st.binary(max_size=400), st.binary(min_size=127, max_size=127)))
def test_any_news_is_harmless(news: bytes) -> None:
    line = Line()
    line.three.news.take(news)
    assert line.three.proofs == {} and line.three.roster.valid(2, 0.0) is not None


def test_an_honest_robot_that_restarts_thrice_in_a_minute_is_back_within_half_a_minute() -> None:
    line = Line()
    out = []
    for again in range(4):
        line.now = 20.0 * again
        line.one = line.make(1)
        for _ in range(20 if again < 3 else 60):
            assert line.heard(line.three, RELAYS, line.beat()) is None
            out.append(bool(line.refused()))
    assert not any(out[:20]), 'the first start'
    assert out[-30:] == [False] * 30 and 0 < sum(out) < 30


def test_a_leader_that_resigns_for_a_stronger_one_and_comes_back_is_not_damped() -> None:
    line = Line()
    line.make = identities({1: 9.0, 2: 1.0, 3: 1.0, 4: 99.0})
    one, three, four = map(line.make, (1, 3, 4))
    stronger = Said(4, 4, -99.0, 0.0, 0, (1.0, 0.0))
    follows = Said(1, 4, -99.0, 1.0, 1, (0.0, 0.0))
    for _ in range(4):
        for said, by in ((LEADS, one), (stronger, four), (follows, one)):
            line.now += 1.0
            part = line.part(by, said)
            assert line.heard(one, stronger, part) is None if by is four else True
            line.heard(three, said, part)
            assert not line.now < three.leaders[1].damping.until, 'it is no flap'
        assert three.refused({1}, line.now, START / 1e3) == {1}, 'it has resigned'


RESIGNS = {
    'for nobody': [LEADS, Said(1, 4, -99.0, 1.0, 1, (0.0, 0.0))],
    'for a weaker one': [LEADS, Said(1, 3, -1.0, 1.0, 1, (0.0, 0.0))],
    'for one that is gone': [LEADS, Said(1, 2, -9.0, 1.0, 1, (0.0, 0.0))],
    'after it was weak': [
        LEADS, LEADS._replace(value=-0.5), Said(1, 3, -1.0, 1.0, 1, (0.0, 0.0))],
}


@pytest.mark.parametrize('way', RESIGNS)
def test_a_leader_that_comes_and_goes_is_damped_however_it_resigns(way: str) -> None:
    """Robot 3 leads, with strength 1; robot 2 led once, with 9."""
    line = Line()
    line.make = identities({1: 9.0, 2: 9.0, 3: 1.0, 4: 1.0})
    one, two, three = map(line.make, (1, 2, 3))
    leads = Said(3, 3, -1.0, 0.0, 0, (1.0, 0.0))
    once = Said(2, 2, -9.0, 0.0, 0, (1.0, 0.0))
    line.heard(three, once, line.part(two, once))
    line.now += 10.0
    for _ in range(3):
        for said in RESIGNS[way]:
            line.now += 1.0
            line.part(three, leads)
            line.heard(three, said, line.part(one, said))
    line.now += 1.0
    line.heard(three, LEADS, line.part(one, LEADS))
    assert line.now < three.leaders[1].damping.until


@pytest.mark.parametrize(('moved', 'doubted'), [
    ([0.0, 1.5, 0.0, 1.5], True), ([1.5, 1.5, 0.0, 1.5], True), ([0.0, 0.7, 1.4, 1.9], False),
    ([0.0, 0.3, 0.0, 0.3], False)])
def test_a_robot_that_is_at_two_places_by_turns_is_where_it_has_signed(
        moved: list[float], doubted: bool) -> None:
    line = Line()
    part = line.beat()
    assert line.heard(line.three, RELAYS, part) is None
    line.now += 5.0
    signed: object = None
    for metres in moved:
        line.now += 0.4
        said = RELAYS._replace(position=(5.0 + metres, 0.0))
        between = part._replace(own=None)
        assert line.heard(line.three, said, between) is None
        signed = line.three.signed_place(said, between, line.now)
    assert (signed == line.three.said[2][0].statement) == doubted == (signed is not None)
    assert line.three.signed_place(RELAYS, part, line.now) is None, 'it is signed'


def test_a_leader_whose_message_is_carried_afar_at_times_is_not_damped() -> None:
    line = Line()
    for second in range(1, 60):
        said = line.beat()
        if not second % 8:
            # It comes before the relay's, from out of range.
            assert line.heard(line.three, LEADS, line.part(line.one, LEADS)) is None
        assert line.heard(line.three, RELAYS, said) is None
        assert line.refused() == set()


def test_a_leader_ahead_of_the_swarm_is_believed_and_its_beats_no_earlier() -> None:
    line = Line()
    hour = line.swarm + 3_600_000
    part = line.one.part(LEADS, frozenset(), line.now, hour)[0]
    assert line.heard(line.two, LEADS, part) is None
    for beat, verdict in ((5, None), (7, CANDIDACY)):
        early = part._replace(link=Link(beat, line.one.speaker._chain[index(beat, 0)]))
        assert line.heard(line.two, LEADS, early) == verdict


def test_the_swarm_time_leaps_seldom_and_only_to_what_the_robot_itself_has_signed() -> None:
    line = Line()
    assert not line.two.may_leap(1, START, 0.0, START), 'it has said nothing'
    assert line.heard(line.two, LEADS, line.part(line.one, LEADS)) is None
    hour = 3_600_000
    assert not line.two.may_leap(1, START + hour, 0.0, START), 'a number that others may say'
    behind = START - hour
    assert not line.two.may_leap(1, START + hour, 0.0, behind)
    assert line.two.may_leap(1, START + 1000, 0.0, behind)
    assert not line.two.may_leap(1, START + 1000, 19.0, behind)
    assert line.two.may_leap(1, START + 1000, 20.0, behind)
    for days, leaps in ((364, True), (366, False)):
        far = START + days * 86_400_000
        line.two.said[1] = line.two.said[1][0]._replace(statement=line.two.said[1][
            0].statement._replace(serial=far)), 0.0
        assert line.two.may_leap(1, far, 60.0, START) == leaps, 'a new robot could not follow'


def test_a_dead_robot_is_not_kept_by_its_last_statement() -> None:
    line = Line()
    said = line.beat()
    for second in range(1, 200):
        line.now += 1.0
        believed = line.heard(line.three, RELAYS, said._replace(link=None)) != SENDER
        assert believed == (second <= BEATS + 11)


def test_a_robot_with_a_new_key_has_none_of_what_the_old_one_signed() -> None:
    line = Line()
    assert line.heard(line.three, RELAYS, line.beat()) is None
    old = record_of(1, 9.0).record
    line.three.take_record(sign_record(old._replace(
        key=public_key(bytes(31) + b'n'), version=2), OWNER))
    assert line.heard(line.three, RELAYS, line.part(line.two, RELAYS)) == CANDIDACY


def test_a_beat_that_is_not_due_costs_no_hashing(monkeypatch: pytest.MonkeyPatch) -> None:
    line = Line()
    part = line.beat()
    assert line.heard(line.three, RELAYS, part) is None
    monkeypatch.setattr(Leader, 'proves', lambda *arguments: pytest.fail('it was hashed'))
    early = part._replace(link=Link(9, bytes(12)))
    assert line.heard(line.three, RELAYS, early) == CANDIDACY
