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

"""Each rule of mandates is needed: robots that violate it are found by what the table names."""

from collections.abc import Sequence

from benchmarks.explicit_mandates import changing, Network
from benchmarks.explicit_states import graphs
from election.mandates import test_mandates
from election.mandates.adversary import Adversary
from election.mandates.handover import MOST_ROUNDS, rounds_to_act
from election.mandates.mutations import Mutation, MUTATIONS
from leader_election.election.mandates.mandates import Mandates
from leader_election.election.mandates.settings import MandateSettings
import pytest

QUICK = ((2, 4), (3, 3), (2, 5))
"""Numbers of robots, and of steps."""


def finds(robots: int, steps: int, kind: type[Mandates],
          rosters: Sequence[MandateSettings] = ()) -> bool:
    """Return whether the explicit-state check finds a fault."""
    return any(Network(graph, (1, 2), kind, rosters).check(steps).faults
               for graph in graphs(robots, 'one'))


@pytest.mark.parametrize('mutation', MUTATIONS, ids=lambda mutation: mutation.rule)
def test_violation_is_found_when_a_rule_is_mutated(
        mutation: Mutation, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = mutation.kind
    if mutation.found_by == 'explicit':
        assert any(finds(robots, steps, kind) for robots, steps in QUICK)
    elif mutation.found_by == 'rosters':
        assert finds(2, 4, kind, changing(2))
    elif mutation.found_by == 'adversary':
        assert any(Adversary(seed, robots=3 + seed % 2, kind=kind).play(150)
                   for seed in range(400))
    elif mutation.found_by == 'handover':
        assert MOST_ROUNDS in rounds_to_act(kind)
    else:
        monkeypatch.setattr(test_mandates, 'Mandates', kind)
        with pytest.raises(AssertionError):
            getattr(test_mandates, mutation.found_by)()


def test_violation_is_found_when_clocks_of_leases_stop_during_sleep() -> None:
    class Stopped(Network):
        def _pass_time(self, number: int, asleep: bool) -> int:
            return number if asleep else super()._pass_time(number, False)
    assert any(Stopped(graph, (1, 2)).check(4).faults for graph in graphs(2, 'one'))


def test_no_violation_is_found_when_no_rule_is_mutated() -> None:
    for robots, steps in QUICK[:2]:
        for graph in graphs(robots, 'one'):
            found = Network(graph, (1, 2)).check(steps)
            assert found.faults == [] and found.mandates > robots
    assert not finds(2, 4, Mandates, changing(2))
    assert rounds_to_act() == [2, 3, 4]
