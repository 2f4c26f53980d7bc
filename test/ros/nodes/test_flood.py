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

"""A flood of messages over real DDS: rounds get their turn, and little is decoded."""


from leader_election.election.robot.reception import ROUNDS
from leader_election.ros.nodes import clock
from leader_election.ros.nodes.process import make_executor
import pytest
from rclpy.executors import SingleThreadedExecutor
from ros.nodes.bench import Bench, NEVER, robot
from support import spin_until

PERIOD = 0.5
BACKLOG = 400


pytestmark = pytest.mark.usefixtures('ros')


@pytest.mark.parametrize('make_executor', [make_executor, SingleThreadedExecutor])
def test_overdue_round_runs_before_waiting_messages(make_executor):
    """Messages wait while the node is busy until after its round was due."""
    node = robot(1, round_period=PERIOD, schedule='periodic', hearing_budget=100_000,
                 diagnostics_period=NEVER)
    bench = Bench({1: (0.0, 0.0)})
    spin_until([bench, node], lambda: bench.heard_by([node])
               and node.robot.counts[ROUNDS] > 2)
    rounds_at: list[int] = []
    receive = node.robot.receive

    def noted(payload: str, now: float) -> bool:
        rounds_at.append(node.robot.counts[ROUNDS])
        return receive(payload, now)
    node.robot.receive = noted  # type: ignore[method-assign]
    executor = make_executor()
    executor.add_node(node)
    try:
        while not rounds_at:
            executor.spin_once(timeout_sec=1.0)
            bench.announce(2, (1.0, 0.0), 9.0)
        rounds_at.clear()
        before = node.robot.counts[ROUNDS]
        begun = clock.seconds(node.steady_clock)
        for k in range(BACKLOG):
            bench.announce(1000 + k, (1.0, 0.0), -1.0)
        while clock.seconds(node.steady_clock) < begun + 1.5 * PERIOD:
            pass
        while len(rounds_at) < BACKLOG // 2:
            executor.spin_once(timeout_sec=1.0)
        passed = clock.seconds(node.steady_clock) - begun
    finally:
        executor.shutdown()
    assert rounds_at[0] > before
    assert len(set(rounds_at)) <= passed / PERIOD + 1, 'not one more for each message'
