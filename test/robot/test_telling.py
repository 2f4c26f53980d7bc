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

"""What is understood of a neighbour's region: what cannot be right is passed over and counted."""

import math
from typing import Any

from leader_election.coordination.aggregate import Aggregate, greatest, top
from leader_election.coordination.settings import initial_region, RegionSettings
from leader_election.coordination.task import Member, Task
from leader_election.robot.region_aggregates import region_aggregates
from leader_election.robot.region_codec import Told
from leader_election.robot.task_runner import TaskRunner
from leader_election.robot.telling import MOST_MEMBERS, TASKS_DIFFER, Telling, WRONG_SUMMARY
import pytest

INF = math.inf


class Hottest(Task):
    """Its summary: members; the greatest; two records of value, id and place."""

    collects: dict[str, Aggregate] = {'most': greatest(), 'top': top(2, extra=1)}


def telling(collection: str = 'multi-path', words: int = 0) -> Telling:
    aggregates = region_aggregates([TaskRunner('hottest', Hottest(Member(1), None))], False, False)
    identity = initial_region(
        RegionSettings(collection=collection, gossip_members=3),
        aggregates.identity,
        aggregates.identity,
        announcement_size=words,
        undecided='',
    )
    return Telling('hottest', aggregates, identity, 1)


GOOD = Told('hottest', 5, 0.0, (3.0, -9.0, -9.0, 7.0, 1.5), (5,), (1.0,), decision='[4]')


def test_what_is_left_out_is_filled_in():
    found, fault = telling().understand(2, GOOD, 10.0)
    assert fault is None
    assert found.summary == (3.0, -9.0, -9.0, 7.0, 1.5, INF, INF, INF)
    assert (found.device, found.parent, found.reach, found.decision) == (2, 5, 10.0, '[4]')
    assert found.recipients == (5, -1, -1, -1) and found.shares == (1.0, 0.0, 0.0, 0.0)
    assert telling().understand(2, GOOD._replace(reach=4.0), 10.0)[0].reach == 4.0


def test_who_tells_nothing_or_of_other_tasks_counts_as_nothing():
    nothing = telling().identity._replace(device=2, reach=10.0)
    assert telling().understand(2, None, 10.0) == (nothing, None)
    assert telling().understand(2, GOOD._replace(tasks='count'), 10.0) == (nothing, TASKS_DIFFER)
    assert telling().understand(2, GOOD._replace(tasks=''), 10.0) == (nothing, TASKS_DIFFER)


@pytest.mark.parametrize('changes', [
    {'summary': ()}, {'summary': (INF,)}, {'summary': (3.0,) * 9},
    {'summary': (-0.001, -9.0)}, {'summary': (MOST_MEMBERS + 1.0, -9.0)}, {'summary': (1e9,)},
    {'summary': (3.0, INF, INF, 7.0)}, {'summary': (3.0, INF, -9.0, 7.0)},
    {'summary': (3.0, INF, -9.0, INF, 1.5)},
    {'recipients': (1, 2, 3, 4, 5), 'shares': (0.2,) * 5}, {'announcement': (1.0,)},
    {'members': (7,), 'ages': (0,), 'contributions': ((1.0,),)}])
def test_what_is_of_another_kind_or_beyond_all_reason_is_wrong(changes: dict[str, Any]):
    found, fault = telling().understand(2, GOOD._replace(**changes), 10.0)
    assert fault == WRONG_SUMMARY and found == telling().identity._replace(device=2, reach=10.0)


def test_what_leaders_say_is_all_there_or_not_at_all():
    connected = telling(words=3)
    assert connected.understand(2, GOOD, 10.0)[0].announcement == (INF, INF, INF)
    assert connected.understand(2, GOOD._replace(announcement=(1.0, 2.0, 3.0)), 10.0)[
        0
    ].announcement == (1, 2, 3)
    for announcement in ((1.0,), (1.0, INF, 3.0), (1.0,) * 4):
        assert (
            connected.understand(2, GOOD._replace(announcement=announcement), 10.0)[1]
            == WRONG_SUMMARY
        )


GOSSIP = Told('hottest', 5, members=(2, 7), ages=(0, 1),
              contributions=((1.0, -9.0, -9.0, 2.0, 0.0), (1.0, -3.0)))


def test_gossip():
    found, fault = telling('gossip').understand(2, GOSSIP, 10.0)
    assert fault is None and found.members == (2, 7, -1) and found.ages == (0, 1, 0)
    assert found.contributions == (1.0, -9.0, -9.0, 2.0, 0.0, INF, INF, INF,
                            1.0, -3.0, INF, INF, INF, INF, INF, INF) + (INF,) * 8
    assert found.summary == telling().identity.summary, 'nobody adds it up but for itself'


@pytest.mark.parametrize('changes', [
    {'members': (2, 7, 8, 9), 'ages': (0,) * 4},
    *({'contributions': (row, (1.0,))} for row in (
        (), (2.0,), (-1.0,), (1.0,) * 9, (1.0, 0.0, -9.0), (1.0, INF, INF, 2.0, INF)))])
def test_gossip_of_which_one_row_is_wrong(changes):
    """Nobody contributes more than itself, and each row is as a summary is."""
    assert telling('gossip').understand(2, GOSSIP._replace(**changes), 10.0)[1] == WRONG_SUMMARY


@pytest.mark.parametrize('told, collection', [(GOOD, 'multi-path'), (GOSSIP, 'gossip')])
def test_what_is_told_is_understood(told, collection):
    mine = telling(collection)
    region, _ = mine.understand(2, told, 10.0)
    again, fault = mine.understand(2, mine.tell(region, feedback=True), 10.0)
    assert fault is None and again == region
