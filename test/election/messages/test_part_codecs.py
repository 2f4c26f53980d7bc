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

"""Codecs of regions, localisation and mandates: round trips, limits, wrong parts."""

import json
import math
from typing import Any

from election.messages.payloads import regions
from hypothesis import example, given
from hypothesis import strategies as st
from leader_election.election.mandates.mandates import MandatePart, Notice
from leader_election.election.mandates.parameters import RosterMark
from leader_election.election.messages import localisation_codec as estimates
from leader_election.election.messages import mandate_codec as mandates
from leader_election.election.messages.localisation_codec import MOST_SIGHTINGS
from leader_election.election.messages.region_codec import (
    DIGITS,
    MOST_MEMBERS,
    read,
    region_part,
    RegionCodec,
    RegionPart,
    TASKS_DIFFER,
    WHOLE_SHARE,
    whole_shares,
    write,
    WRONG_SUMMARY,
)
from leader_election.election.messages.wire import (
    MAX_DECISION,
    MAX_ID,
    MAX_NUMBER,
    MOST_NUMBERS,
    RejectReason,
)
from leader_election.election.regions.aggregate import Aggregate, greatest, top
from leader_election.election.regions.region import initial_region, RegionSettings
from leader_election.election.regions.task import Member, Task
from leader_election.election.robot.task_runner import region_aggregates, TaskRunner
from leader_election.localisation.sighting import Sighting
from leader_election.localisation.source import Estimate
import pytest


def shown(row: tuple[float, ...], digits: int = DIGITS) -> list[float]:
    """Return a row as it is told: whole numbers whole_shares, others to so many digits."""
    while row and row[-1] == math.inf:
        row = row[:-1]
    return [n if n == math.inf or n.is_integer() else float(f'{n:.{digits}g}') for n in row]


@given(regions())
def test_region_is_decoded_as_it_was_encoded(told):
    found, faults = read(json.loads(json.dumps(write(told), allow_nan=False)))
    assert faults == () and found is not None
    rows = {'summary': tuple(shown(told.region.summary)),
            'announcement': tuple(shown(told.region.announcement)),
            'contributions': tuple(tuple(shown(row)) for row in told.region.contributions),
            'reach': shown((told.region.reach,), 4)[0]}
    assert found == told._replace(region=told.region._replace(**rows))


def test_region_is_encoded_by_keys():
    """Parent 5, three members, a quarter to 5 and the rest to 7, and a decision."""
    told = region_part('count', parent=5, summary=(3.0, math.inf), recipients=(5, 7),
                       shares=(0.25, 0.75), decision='[9]')
    assert write(told) == {
        't': 'count', 'r': {'p': 5, 's': [3], 'n': [5, 7], 'f': [250, 750]}, 'd': [9]}
    assert read(write(told)) == (told._replace(region=told.region._replace(summary=(3.0,))), ())
    assert write(region_part()) == {'r': {}}
    assert write(region_part(decision_version=8, decision_age=2)) == {'r': {'v': 8, 'w': 2}}


def keyed(rows: Any) -> Any:
    """Return a region by its keys, of the values of its fields in their order."""
    return dict(zip('psrnfamgcv', rows)) if type(rows) is list else rows


def wrong(at: int, value: Any) -> list[Any]:
    rows: list[Any] = [5, [3], 0, [7], [1000], [], [], [], []]
    return rows[:at] + [value] + rows[at + 1:]


DEEP: Any = []
for _ in range(40):
    DEEP = [DEEP]


@pytest.mark.parametrize('rows', [
    None, 5, 'text',
    *(wrong(0, parent) for parent in (-2, None, MAX_ID + 1)),
    *(wrong(1, row) for row in (None, ['3'], [1e16], [-1e16], [0] * (MOST_NUMBERS + 1))),
    *(wrong(2, reach) for reach in (-1, None, 1.1 * MAX_NUMBER)),
    *(wrong(3, recipients) for recipients in (None, [], [7, 8], [-1])),
    *(wrong(4, shares) for shares in (None, [], [999], [1001], [500, 500], [-1], [999.5])),
    wrong(5, None), wrong(5, [1e16]), wrong(6, [1]), wrong(7, [1]), wrong(8, 'x'), wrong(8, [1]),
    [5, [3], 0, [], [], [], [7], [-1], [[1]]], [5, [3], 0, [], [], [], [-7], [1], [[1]]],
    [5, [3], 0, [], [], [], [7], [1], [1]], [5, [3], 0, [], [], [], [7], [1], [[1], [1]]],
    [5, [3], 0, [7, 8], [1500, -500]],
    *([5, [3], 0, [7], [1000], [], [], [], [], version] for version in (-1, 2**53, 'x', 1.5))])
def test_region_is_left_out_when_wrong(rows):
    assert read({'r': keyed(rows)}) == (None, (RejectReason.SUMMARY,))
    if type(rows) is list and len(rows) == 9:
        assert read({'r': dict(zip('psrnfamgc', rows))}) == (None, (RejectReason.SUMMARY,))


@pytest.mark.parametrize('tasks', [None, 5, [], 'x' * 201])
def test_region_is_left_out_when_its_tasks_are_wrong(tasks):
    assert read({'r': {'p': 5, 's': [3]}, 't': tasks}) == (None, (RejectReason.TASKS,))


@pytest.mark.parametrize('decision', [
    None, 5, {}, 'x', ['x' * MAX_DECISION], [math.inf], [[-math.inf]], [1e999], DEEP])
def test_region_is_decoded_when_its_decision_is_wrong(decision):
    assert read({'r': {'p': 5, 's': [3]}, 'd': decision}) == (
        region_part(parent=5, summary=(3.0,)), (RejectReason.DECISION,))


@given(st.lists(st.floats(0.0, 1e308), max_size=6))
@example([0.0, 0.0])
@example([1e308, 1e308])
def test_shares_are_rejected_unless_they_add_up_to_one_or_zero(shares):
    wholes = [share * WHOLE_SHARE for share in whole_shares(shares)]
    assert sum(map(round, wholes)) == (WHOLE_SHARE if 0.0 < sum(shares) < math.inf else 0)
    assert all(whole >= 0.0 for whole in wholes)


# What is understood of a neighbour.

INF = math.inf


def changed(part: RegionPart, **fields: Any) -> RegionPart:
    return part._replace(region=part.region._replace(**fields))


class Hottest(Task):
    """Its summary: members; the greatest; two records of value, id and place."""

    collects: dict[str, Aggregate] = {'most': greatest(), 'top': top(2, extra=1)}


def codec(collection: str = 'multi-path', words: int = 0) -> RegionCodec:
    aggregates = region_aggregates([TaskRunner('hottest', Hottest(Member(1), None))], False)
    identity = initial_region(
        RegionSettings(collection=collection, gossip_members=3), aggregates.identity,
        aggregates.identity, announcement_size=words, undecided='')
    return RegionCodec('hottest', aggregates, identity, 1)


GOOD = region_part('hottest', parent=5, summary=(3.0, -9.0, -9.0, 7.0, 1.5), recipients=(5,),
                   shares=(1.0,), decision='[4]')


def test_left_out_fields_are_padded():
    found, fault = codec().unpack(2, GOOD, 10.0)
    assert fault is None
    assert found.summary == (3.0, -9.0, -9.0, 7.0, 1.5, INF, INF, INF)
    assert (found.device, found.parent, found.reach, found.decision) == (2, 5, 10.0, '[4]')
    assert found.recipients == (5, -1, -1, -1) and found.shares == (1.0, 0.0, 0.0, 0.0)
    assert codec().unpack(2, changed(GOOD, reach=4.0), 10.0)[0].reach == 4.0
    assert codec().unpack(2, changed(GOOD, summary=(0.0, -9.0)), 10.0)[1] is None


def test_region_of_other_tasks_counts_as_initial():
    nothing = codec().initial._replace(device=2, reach=10.0)
    assert codec().unpack(2, None, 10.0) == (nothing, None)
    assert codec().unpack(2, GOOD._replace(tasks='count'), 10.0) == (nothing, TASKS_DIFFER)
    assert codec().unpack(2, GOOD._replace(tasks=''), 10.0) == (nothing, TASKS_DIFFER)


@pytest.mark.parametrize('changes', [
    {'summary': ()}, {'summary': (INF,)}, {'summary': (3.0,) * 9},
    {'summary': (-0.001, -9.0)}, {'summary': (MOST_MEMBERS + 1.0, -9.0)}, {'summary': (1e9,)},
    {'summary': (3.0, INF, INF, 7.0)}, {'summary': (3.0, INF, -9.0, 7.0)},
    {'summary': (3.0, INF, -9.0, INF, 1.5)},
    {'recipients': (1, 2, 3, 4, 5), 'shares': (0.2,) * 5}, {'announcement': (1.0,)},
    {'members': (7,), 'ages': (0,), 'contributions': ((1.0,),)}])
def test_region_is_rejected_when_of_another_kind_or_beyond_limits(changes: dict[str, Any]):
    found, fault = codec().unpack(2, changed(GOOD, **changes), 10.0)
    assert fault == WRONG_SUMMARY and found == codec().initial._replace(device=2, reach=10.0)


@pytest.mark.parametrize('announcement, understood', [
    ((), (INF,) * 3), ((1.0, 2.0, 3.0), (1, 2, 3)), ((1.0,), None), ((1.0, INF, 3.0), None),
    ((1.0,) * 4, None)])
def test_announcement_is_left_out_when_incomplete(announcement, understood):
    found, fault = codec(words=3).unpack(2, changed(GOOD, announcement=announcement), 10.0)
    assert fault == (None if understood else WRONG_SUMMARY)
    assert found.announcement == (understood or (INF,) * 3)


GOSSIP = region_part('hottest', parent=5, members=(2, 7), ages=(0, 1),
                     contributions=((1.0, -9.0, -9.0, 2.0, 0.0), (1.0, -3.0)))


def test_radius_is_sent_only_with_feedback():
    for feedback, reach in ((True, 4.0), (False, 0.0)):
        sent = codec().pack(codec().initial._replace(reach=4.0), feedback)
        assert sent.region.reach == reach


def test_summary_keeps_a_number_that_equals_the_missing_id():
    """In a summary -1 may be a coordinate. Only among ids it means a missing id."""
    mine = codec()
    summary = (3.0, -1.0, -9.0, -1.0, -1.0, INF, INF, INF)
    region = mine.initial._replace(device=2, parent=5, summary=summary, recipients=(5, -1, -1, -1),
                                   shares=(1.0, 0.0, 0.0, 0.0), reach=10.0)
    again, fault = mine.unpack(2, mine.pack(region, feedback=True), 10.0)
    assert fault is None and again == region


def test_gossip_contributions_are_padded():
    found, fault = codec('gossip').unpack(2, GOSSIP, 10.0)
    assert fault is None and found.members == (2, 7, -1) and found.ages == (0, 1, 0)
    assert found.contributions == (1.0, -9.0, -9.0, 2.0, 0.0, INF, INF, INF,
                                   1.0, -3.0, INF, INF, INF, INF, INF, INF) + (INF,) * 8
    assert found.summary == codec().initial.summary, 'nobody adds it up but for itself'


@pytest.mark.parametrize('changes', [
    {'members': (2, 7, 8, 9), 'ages': (0,) * 4},
    *({'contributions': (row, (1.0,))} for row in (
        (), (2.0,), (-1.0,), (1.0,) * 9, (1.0, 0.0, -9.0), (1.0, INF, INF, 2.0, INF)))])
def test_gossip_is_rejected_when_a_row_is_wrong(changes):
    """A row contributes at most one robot, and is a valid summary."""
    assert codec('gossip').unpack(2, changed(GOSSIP, **changes), 10.0)[1] == WRONG_SUMMARY


# The part of messages about localisation: what is sent is read, and nothing else is.

FAULT = RejectReason.LOCALISATION
PART: dict[str, Any] = {
    'id': 3, 'o': [1.0, 2.0, 0.5], 'e': [0.5, 0.1, 0.05], 'z': [[4, 1.25], [5, 2.5, -0.75]]}


def angles(largest: float = 3.14) -> st.SearchStrategy[float]:
    return st.floats(-largest, largest)


@given(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), angles()), angles(),
       st.floats(1e-3, 1e6), st.floats(1e-3, 3.0),
       st.lists(st.tuples(st.integers(4, 1000), st.floats(0.01, 1e3),
                          st.one_of(st.just(math.nan), angles())), max_size=MOST_SIGHTINGS),
       st.floats(-9999.0, 9999.0))
def test_estimate_is_only_rounded_by_encoding(odometry, yaw, deviation, of_heading, seen, height):
    sent = Estimate(odometry, yaw, deviation, of_heading,
                    tuple(Sighting(*row) for row in seen), height)
    got, faults = estimates.read(json.loads(json.dumps({'id': 3, **estimates.write(sent)})))
    assert faults == ()
    assert got.odometry == pytest.approx(odometry, abs=1e-4)
    assert got.height == pytest.approx(height, abs=0.006)
    assert (got.yaw, got.deviation, got.heading_deviation) == pytest.approx(
        (yaw, deviation, of_heading), abs=1e-3)
    for one, other in zip(got.sightings, sent.sightings, strict=True):
        assert one.id == other.id
        assert one[1:6] == pytest.approx(other[1:6], abs=1e-3, nan_ok=True)


def test_estimate_is_clipped_when_out_of_range():
    """Deviations are clipped, and headings are wrapped."""
    sent = estimates.write(Estimate(None, -4.5, math.inf, 0.0))
    got, faults = estimates.read({'id': 3, **sent})
    assert faults == () and got.odometry is None
    assert (got.deviation, got.heading_deviation) == (1e9, 1e-3)
    assert got.yaw == pytest.approx(2.0 * math.pi - 4.5, abs=1e-4)


@pytest.mark.parametrize(('sent', 'bearing'), [
    (4.0, 4.0 - 2.0 * math.pi), (-4.0, 2.0 * math.pi - 4.0), (math.pi, -math.pi),
    (-math.pi, -math.pi), (3.0, 3.0)])
def test_bearing_of_a_sighting_is_within_half_a_turn(sent: float, bearing: float) -> None:
    estimate, _ = estimates.read({**PART, 'z': [[4, 1.25, sent]], 'w': [[0.3, 0.02]]})
    assert estimate.sightings == (Sighting(4, 1.25, pytest.approx(bearing), 0.3, 0.02),)


def test_members_without_a_meaning_are_ignored():
    """Deviations of no sightings among them."""
    for known in ({'e': PART['e']}, PART):
        assert str(estimates.read({**known, 'id': 3, 'X': 1})) == str(
            estimates.read({**known, 'id': 3}))
    assert estimates.read({'id': 3, 'e': PART['e'], 'w': [[0.1]]})[1] == ()


TWO = {**PART, 'z': [[7, 1.0], [8, 1.0]]}


NUMBERS = [None, [], [0.0, 1.0], [0.0, 1.0, 1.0, 1.0], [0.0, '1', 1.0], [0.0, math.nan, 1.0]]


def test_sighting_has_a_deviation_when_its_sensor_states_one():
    seen = (Sighting(4, 1.25), Sighting(5, 2.5, -0.75, math.nan, 0.0216),
            Sighting(6, 1.0, math.nan, 0.3))
    document = estimates.write(Estimate(None, 0.0, 0.1, 0.1, seen))
    assert document['w'] == [[], [None, 0.022], [0.3]]
    assert 'w' not in estimates.write(Estimate(None, 0.0, 0.1, 0.1, seen[:1]))
    estimate, faults = estimates.read({'id': 3, **document})
    assert faults == ()
    assert [sighting[3:5] for sighting in estimate.sightings] == [
        pytest.approx(row, nan_ok=True)
        for row in ((math.nan, math.nan), (math.nan, 0.022), (0.3, math.nan))]


@pytest.mark.parametrize('document', [
    *({**PART, 'e': wrong} for wrong in [
        *NUMBERS, [5.0, 1.0, 1.0], [0.0, 1e-9, 1.0], [0.0, 1.0, 1e-9], [0.0, 1e10, 1.0]]),
    *({**PART, 'o': wrong} for wrong in [*NUMBERS, [0.0, 0.0, 5.0], [2e9, 0.0, 0.0]]),
    *({**PART, 'z': wrong} for wrong in (None, {}, [[4, 1.0]] * (MOST_SIGHTINGS + 1))),
    *({**TWO, 'w': wrong} for wrong in (None, [[0.1]], [[0.1]] * 3)),
    *({'id': 3, key: PART[key]} for key in 'oz')])
def test_localisation_part_is_left_out_when_estimate_odometry_or_list_is_wrong(document):
    assert estimates.read(document) == (None, (FAULT,))
    assert estimates.read({'id': 3}) == (None, ()), 'nothing is said'


@pytest.mark.parametrize('wrong', [4, 'x', [0.0], [-1.0], ['x'], [0.1, 0.1, 0.1], [math.inf]])
def test_sighting_is_left_out_and_counted_when_its_deviation_is_wrong(wrong):
    estimate, faults = estimates.read({**TWO, 'w': [[], wrong]})
    assert faults == (FAULT,) and [seen.id for seen in estimate.sightings] == [7]


@pytest.mark.parametrize('wrong', [
    None, [4], [4, 1.0, 0.0, 0.0], [-1, 1.0], [4, '1'], [4, None], [4, None, None], [4, 0.0],
    [4, 1e5], [4, math.inf], [4, 1.0, 7.0], [4, 1.0, 'x'], [3, 1.0]])
def test_sighting_is_left_out_and_counted_when_wrong(wrong):
    estimate, faults = estimates.read({**PART, 'z': [[7, 1.0], wrong, wrong, [8, 2.0]]})
    assert faults == (FAULT, FAULT)
    assert [sighting.id for sighting in estimate.sightings] == [7, 8]


# Mandates: a beat of 5, a number of 7, a digest of 0.

@pytest.mark.parametrize(('text', 'part'), [
    ('FCA.DH', {'grants': {3: 0}}), ('FCA.DI', None),
    ('FCA..DBH', {'leaving': (Notice(3, 1, 0),)}), ('FCA..DBI', None),
    ('FCA...DBH', {'released': (Notice(3, 1, 0),)}), ('FCA...DBI', None)])
def test_grant_or_notice_is_rejected_when_its_beat_is_below_zero(
        text: str, part: dict[str, Any] | None) -> None:
    """A beat is sent as its distance below the sender's greatest number."""
    found, faults = mandates.read({'g': text})
    assert found == (None if part is None else MandatePart(5, 7)._replace(**part))
    assert faults == ((RejectReason.MANDATE,) if part is None else ())


@pytest.mark.parametrize('part', [
    MandatePart(5, 30, {3: 7}), MandatePart(5, 30, {}, (Notice(1, 2, 3), Notice(4, 5, 6))),
    MandatePart(5, 30, {3: 4, 5: 6}, (), (Notice(7, 8, 9), Notice(10, 11, 12)), 13),
    MandatePart(5, 30, {3: 29}, (), (), 13, RosterMark(4, 15)),
    MandatePart(0, 0, proven=RosterMark(1, 0))])
def test_mandates_are_read_as_they_were_written(part: MandatePart) -> None:
    assert mandates.read(mandates.write(part)) == (part, ())


@pytest.mark.parametrize(('head', 'allowed'), [
    ((2**49, 2**49, 0), True), ((2**50, 0, 0), True), ((2**50 + 1, 0, 0), False),
    ((0, 2**50 + 1, 0), False),
    ((5, 2, 2**30 - 1), True), ((5, 2, 2**30), False)])
def test_numbers_and_digests_of_mandates_are_bounded(
        head: tuple[int, ...], allowed: bool) -> None:
    found, _ = mandates.read({'g': ''.join(map(mandates.written, head))})
    assert (found is not None) == allowed


@pytest.mark.parametrize('key', ['.{}B', '..{}BB', '..B{}B', '...{}BB', '...B{}B'])
def test_ids_in_mandates_are_bounded(key: str) -> None:
    for robot, allowed in ((MAX_ID, True), (MAX_ID + 1, False)):
        found, _ = mandates.read({'g': 'FCA' + key.format(mandates.written(robot))})
        assert (found is not None) == allowed
