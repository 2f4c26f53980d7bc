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

"""The study of COORDINATION 2019: the town of its scenario, and the devices that fail in it."""

from leader_election.election.regions.region import CANDIDATE, WORKER
from leader_election_lab.experiment import scenario
from leader_election_lab.experiment.scenario import Scenario
from leader_election_lab.runs import results
from leader_election_lab.simulation.network_events import leading
from leader_election_lab.simulation.run import simulate
from leader_election_lab.simulation.simulation import Simulation
import numpy as np

SERVERS, USERS = slice(0, 126), slice(126, None)
RANGE = 100.0


def variant(users: int, chance: float, alpha: float = 0.01) -> Scenario:
    """Return the variant with this number of users, chance of failure, and feedback."""
    wanted = {'users': users, 'algorithms.regions.feedback_alpha': alpha, 'events.chance': chance}
    [found] = [made for values, made in scenario.load('coordination2019').variants()
               if values == wanted]
    return found


def test_study_has_the_numbers_of_the_paper() -> None:
    study = scenario.load('coordination2019')
    assert study.duration == 1200 and study.messages.range == RANGE
    assert study.motion_parameters.speed == 1.4
    assert results.dimensions(study) == {
        'users': [100, 300, 1000], 'algorithms.regions.feedback_alpha': [0, 0.001, 0.01, 0.1, 1],
        'events.chance': [0, 0.1, 0.3, 1]}
    for users in (100, 300, 1000):
        made = variant(users=users, chance=1)
        stage = Simulation(made, made.entrants[0], 0)
        assert len(stage.network.devices.id) == 126 + users
        # Only users do not receive from each other, and only they move.
        assert np.all(stage.network.devices.among[SERVERS])
        assert not np.any(stage.network.devices.among[USERS])
        assert sorted(stage.network.moves.order) == list(range(126, 126 + users))
        # Only servers lead, and only users are counted.
        columns = stage.columns
        assert np.all(columns.role[SERVERS] == CANDIDATE) and np.all(columns.role[USERS] == WORKER)
        assert np.all(columns.contribution[SERVERS] == 0) and np.all(
            columns.contribution[USERS] == 1
        )
        # The target of feedback is the mean load of a leader.
        bounded, classic = (made.entrant(label).parameters.region.target
                            for label in ('bounded', 'classic'))
        assert 12.5 < users / bounded < 14.5 and 13.5 < users / classic < 15.5


def test_all_users_are_in_range_of_servers_that_are_in_one_piece() -> None:
    calm = variant(users=300, chance=0)
    run = simulate(calm, 'bounded', 0, snapshots=[0.0, 400.0, 1199.0])
    for snapshot in run.snapshots:
        server, user = snapshot.position[SERVERS], snapshot.position[USERS]
        apart = np.linalg.norm(user[:, np.newaxis] - server, axis=2)
        # The greatest distance by the lattice of servers and their offsets.
        assert apart.min(axis=1).max() <= 75.0
        assert np.array_equal(server, run.snapshots[0].position[SERVERS])
    near = np.linalg.norm(server[:, np.newaxis] - server, axis=2) <= RANGE
    reached = np.zeros(126, bool)
    reached[0] = True
    for _ in range(126):
        reached = near[reached].any(axis=0)
    assert reached.all()


def test_servers_that_lead_fail_half_way() -> None:
    deadly = variant(users=100, chance=1)
    stage = Simulation(deadly, deadly.entrants[0], 0)
    stage.play(until=600.0)
    led = leading(stage.network)
    assert led[SERVERS].any()
    stage.play(since=600.0, until=601.0)
    failed = ~stage.network.devices.running
    assert np.array_equal(failed[SERVERS], led[SERVERS]) and not failed[USERS].any()
