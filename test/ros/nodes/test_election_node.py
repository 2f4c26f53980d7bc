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

"""The robot's node over real DDS."""

import math

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PolygonStamped
from leader_election.election.messages.wire import RejectReason
from leader_election.election.robot.reception import HEARD, ROUNDS
from leader_election.election.robot.robot import LEADER_CHANGES
from leader_election.ros.nodes import clock
from leader_election.ros.nodes.process import make_executor
from leader_election.ros.nodes.qos import EVENTS, SENSOR, STATE
import pytest
from rcl_interfaces.srv import SetParameters
from rclpy.executors import SingleThreadedExecutor
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.parameter import Parameter
from ros.nodes.bench import Bench, collect, leaders, NEVER, robot
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Bool, Float64, Int64, Int64MultiArray, String
from support import logged, spin_until

pytestmark = pytest.mark.usefixtures('ros')


def test_robot_logs_each_change_of_its_leader_with_the_reason(capfd):
    weak, bench = robot(1, message_expiry=2.0), Bench({1: (0.0, 0.0)})
    spin_until([bench, weak], lambda: weak.robot.position is not None)
    bench.others[8] = 8.0
    spin_until([bench, weak], lambda: leaders([weak]) == [8])
    bench.others.clear()
    spin_until([bench, weak], lambda: leaders([weak]) == [1])
    assert logged(capfd.readouterr().err)[-3:] == [
        'leads: it had no leader', 'follows 8 at 1.0 m: stronger, and within 7.5 m',
        'leads: 8 has been silent for 2.0 s']


def test_swarm_elects_recovers_and_latches_its_outputs():
    """Three robots are in a line. The strongest, at the end, leads and dies."""
    robots = [robot(i, communication_range=4.0) for i in (1, 2, 3)]
    bench = Bench({1: (0.0, 0.0), 2: (3.0, 0.0), 3: (3.0, 4.0)})
    spin_until([bench, *robots], lambda: leaders(robots) == [3, 3, 3]
               and len(robots[1].robot.neighbours) == 2)
    assert robots[0].robot.state == (-3.0, 7.0, 3, 2), 'by way of 2'

    late = Bench({}, name='late')
    heard = {name: collect(late, kind, f'/{name}', STATE) for name, kind in (
        ('r1/leader', Int64), ('r1/is_leader', Bool), ('r1/distance', Float64),
        ('r2/neighbours', Int64MultiArray), ('r3/is_leader', Bool))}
    # The robots run no round meanwhile: what comes was latched.
    spin_until([late, bench], lambda: all(heard.values()))
    assert {name: [list(m.data) if name.endswith('neighbours') else m.data for m in messages]
            for name, messages in heard.items()} == {
        'r1/leader': [3], 'r1/is_leader': [False], 'r1/distance': [7.0],
        'r2/neighbours': [[1, 3]], 'r3/is_leader': [True]}

    robots.pop().destroy_node()
    spin_until([bench, *robots], lambda: leaders(robots) == [2, 2])
    assert robots[0].robot.mailbox.expired == 0 and robots[1].robot.mailbox.expired == 1
    spin_until([late, *robots], lambda: len(heard['r1/leader']) == 2)
    assert heard['r1/leader'][-1].data == 2


def test_leader_publishes_its_region():
    """The leader and two followers form a triangle. The region is withdrawn at the end."""
    robots = [robot(i) for i in (1, 2, 3)]
    bench = Bench({1: (0.0, 0.0), 2: (3.0, 0.0), 3: (0.0, 4.0)})
    late = Bench({}, name='late')
    regions = collect(late, PolygonStamped, '/r3/region', STATE)
    corners = [(0.0, 0.0), (0.0, 4.0), (3.0, 0.0)]
    spin_until([late, bench, *robots], lambda: regions and sorted(
        (p.x, p.y) for p in regions[-1].polygon.points) == corners)
    assert regions[-1].header.frame_id == 'map'
    bench.others[9] = 99.0
    spin_until([late, bench, *robots], lambda: not regions[-1].polygon.points
               and leaders(robots) == [9, 9, 9])


def test_parameters_change_at_run_time_or_are_refused():
    """Through the service that ``ros2 param set`` uses."""
    robots = [robot(i, round_period=NEVER) for i in (1, 2)]
    bench = Bench({1: (0.0, 0.0), 2: (3.0, 0.0)})
    clients = {i: bench.create_client(SetParameters, f'/r{i}/election_node/set_parameters')
               for i in (1, 2)}

    def change(i: int, name: str, value) -> bool:
        asked = clients[i].call_async(SetParameters.Request(
            parameters=[Parameter(name, value=value).to_parameter_msg()]))
        spin_until([bench, *robots], asked.done)
        result = asked.result().results[0]
        assert result.successful == (result.reason == '')
        return result.successful

    spin_until([bench, *robots], lambda: all(c.service_is_ready() for c in clients.values()))
    assert robots[0].robot.counts[ROUNDS] == 0
    for i, name, value, led in ((1, 'round_period', 0.05, None), (2, 'round_period', 0.05, [2, 2]),
                                (1, 'radius', 2.9, [1, 2]), (1, 'radius', 3.0, None),
                                (1, 'strength', 5.0, [1, 1])):
        assert change(i, name, value)
        spin_until([bench, *robots], lambda led=led: led in (None, leaders(robots)))
    before = robots[0].robot.parameters
    for name, value in (('radius', -1.0), ('radius', 'far'), ('robot_id', 9)):
        assert not change(1, name, value), name
        assert robots[0].robot.parameters == before
        assert robots[0].get_parameter(name).value == getattr(before, name)


def test_robot_announces_no_position_and_warns_without_odometry():
    robots = [robot(1, odometry_expiry=0.5), robot(2)]
    bench = Bench({2: (0.0, 0.0)})
    told = collect(bench, DiagnosticArray, '/diagnostics', EVENTS)

    def last(concern: str = 'odometry') -> DiagnosticStatus:
        mine = [status for m in told for status in m.status if status.name == f'r1: {concern}']
        return mine[-1] if mine else DiagnosticStatus()

    spin_until([bench, *robots], lambda: 1 in bench.said and robots[0].robot.counts[HEARD] > 3
               and last().message == 'no odometry yet: no position is announced')
    assert bench.said[1].position is None and leaders(robots) == [1, 2]
    assert (last().level, last().hardware_id) == (DiagnosticStatus.WARN, 'robot 1')

    driver = Bench({1: (3.0, 0.0)}, name='driver')
    spin_until([driver, bench, *robots], lambda: last().level == DiagnosticStatus.OK
               and leaders(robots) == [2, 2])
    spin_until([driver, bench, *robots], lambda: last('election').message == 'follows 2 at 3.0 m')
    # Nobody drives any more.
    spin_until([bench, *robots], lambda: 's old: no position is announced' in last().message
               and bench.said[1].position is None)


def test_malformed_messages_are_counted_and_leave_the_robot_running():
    """Payloads are invalid as CDR, as UTF-8, as JSON, or as a message."""
    node = robot(1)
    bench = Bench({1: (0.0, 0.0)})
    spin_until([bench, node], lambda: bench.heard_by([node]))
    header = b'\x00\x01\x00\x00'
    for raw in (b'', header, header + b'\xff\xff\xff\x7fab', b'\xff' * 5000,
                header + b'\x03\x00\x00\x00\xff\xfe\x00'):
        try:
            bench.voice.publish(raw)
        except rclpy_implementation.RCLError:
            pass  # DDS itself would not send it.
    payloads = {'x' * 1_000_000: RejectReason.SIZE, '\x00': RejectReason.MALFORMED,
                '{"v":2}': RejectReason.VERSION}
    for payload in payloads:
        bench.voice.publish(String(data=payload))
    counts = node.robot.counts
    spin_until([bench, node], lambda: all(counts[r.value] >= 1 for r in payloads.values()))
    bench.others[7] = 9.0
    spin_until([bench, node], lambda: node.robot.state.leader == 7)


def test_reactive_robots_relay_a_change_in_one_round_each():
    """Five robots in a line without periodic rounds hear of a leader beside the first."""
    robots = [robot(i, round_period=NEVER, communication_range=4.0, radius=99.0)
              for i in range(1, 6)]
    bench = Bench({i: (3.0 * i, 0.0) for i in range(1, 6)})
    spin_until([bench, *robots], lambda: bench.heard_by(robots))
    spin_until([bench, *robots], lambda: bench.voice.get_subscription_count() == 6
               and all(r.election._out.get_subscription_count() == 6 for r in robots))
    bench.announce(9, (0.0, 0.0), 99.0)
    spin_until([bench, *robots], lambda: leaders(robots) == [9] * 5)
    assert [r.robot.state.distance for r in robots] == [3.0, 6.0, 9.0, 12.0, 15.0]
    assert [r.robot.counts[ROUNDS] for r in robots] == [1] * 5


def test_rounds_follow_simulated_time_when_it_leaps_and_jumps_back():
    """Messages expire after ten periods, because some are late on a busy machine."""
    robots = [robot(i, use_sim_time=True, schedule='periodic', round_period=1.0,
                    message_expiry=10.0, odometry_expiry=10.0) for i in (1, 2)]
    bench = Bench({1: (0.0, 0.0), 2: (3.0, 0.0)})
    clock = bench.create_publisher(Clock, '/clock', SENSOR)
    now, shown = 1000.0, 0

    def tick() -> None:
        nonlocal now, shown
        # On a busy machine time waits for the robots: else messages would expire unread.
        if all(r.get_clock().now().nanoseconds in (0, shown) for r in robots):
            now += 0.1
        message = Clock()
        message.clock.sec, message.clock.nanosec = int(now), int(now % 1.0 * 1e9)
        shown = message.clock.sec * 10**9 + message.clock.nanosec
        clock.publish(message)

    bench.create_timer(0.01, tick)
    spin_until([bench, *robots], lambda: leaders(robots) == [2, 2])

    def lost() -> list[tuple[int, int]]:
        return [(r.robot.counts[LEADER_CHANGES], r.robot.mailbox.expired) for r in robots]
    before = lost()
    for then in (1600.0, 2200.0, 10.0):
        now = then
        rounds = [r.robot.counts[ROUNDS] for r in robots]
        spin_until([bench, *robots], lambda counted=rounds: all(
            r.robot.counts[ROUNDS] > n + 2 for r, n in zip(robots, counted, strict=True)))
        assert lost() == before, 'neighbours are kept'
    assert now < 500.0, 'not only once the old time is reached again'
    robots.pop().destroy_node()
    died = now
    spin_until([bench, *robots], lambda: leaders(robots) == [1])
    assert now - died > 8.0, 'what 2 said at most a period before counts for 10 s'


PERIOD = 0.5
BACKLOG = 400


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


@pytest.mark.parametrize(('frame', 'position'), [('odom', (10.0, 3.0)), ('/map', (3.0, 0.0))])
def test_odometry_is_composed_with_the_initial_pose_unless_in_the_shared_frame(frame, position):
    """The robot starts at (10, 0), faces +y, and drives 3 m."""
    node = robot(1, initial_pose=[10.0, 0.0, math.pi / 2], frame='/map')
    bench = Bench({1: (3.0, 0.0)}, frame=frame)
    spin_until([bench, node], lambda: 1 in bench.said and bench.said[1].position is not None)
    assert (bench.said[1].position, bench.said[1].frame) == (position, 'map')


def test_robots_report_an_error_and_log_once_when_they_share_an_id(capfd):
    twins = [robot(1), robot(1)]
    bench = Bench({1: (0.0, 0.0)})
    told = collect(bench, DiagnosticArray, '/diagnostics', EVENTS)
    count = RejectReason.OWN_ID.value
    spin_until([bench, *twins], lambda: told and all(t.robot.counts[count] > 10 for t in twins)
               and told[-1].status[0].level == DiagnosticStatus.ERROR)
    assert 'another robot uses id 1' in told[-1].status[0].message
    assert capfd.readouterr().err.count('another robot uses id 1') == 2, 'once a robot'
    assert all(t.robot.state.leader == 1 for t in twins)
