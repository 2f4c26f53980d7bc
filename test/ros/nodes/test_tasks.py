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

"""The tasks that ship, in robots' nodes over DDS, in the embedded world."""

from collections.abc import Callable, Iterator
import json
import math
from typing import Any

from leader_election.ros.nodes.election import ElectionNode
from leader_election.ros.nodes.qos import STATE
from leader_election.ros.nodes.swarm_world import SwarmWorld
import pytest
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_msgs.msg import Bool, String
from support import spin_until

SCENE = {'world': 'empty', 'layout': 'grid', 'spacing': 2.0}
DRIVES = {'motion': 'cmd_vel', 'scan_rate': 5.0}


class Company:
    """
    A world that goes five times as fast as ours, its robots, and who listens to them.

    :ivar last: the last message of each topic.
    """

    def __init__(self, robots: int, world: dict[str, Any], **parameters: Any) -> None:
        self.world = SwarmWorld(parameter_overrides=overrides(
            robots=robots, publish_clock=True, real_time_factor=5.0, **SCENE | world))
        scene = self.world.world.scene
        self.ids = scene.ids
        # The strongest is robot 1.
        self.robots = [ElectionNode(
            namespace=f'/robot_{i}', use_global_arguments=False,
            cli_args=['--ros-args', '-r', 'neighbourhood:=/neighbourhood'],
            parameter_overrides=overrides(
                robot_id=i, strength=-float(i), initial_pose=list(pose),
                use_sim_time=True, **parameters)) for i, pose in zip(scene.ids, scene.starts)]
        self.listener = Node('listener', use_global_arguments=False)
        self.last: dict[str, Any] = {}

    def listen(self, topic: str, kind: Any, qos: Any = STATE) -> None:
        """Keep the last message of all robots on a topic."""
        for i in self.ids:
            def keep(message: Any, name: str = f'{topic} {i}') -> None:
                self.last[name] = message
            self.listener.create_subscription(kind, f'/robot_{i}/{topic}', keep, qos)

    def until(self, condition: Callable[[], bool]) -> None:
        """Spin until something has come about. Once, since what comes between two spins waits."""
        spin_until([self.world, self.listener, *self.robots], condition)

    def decided(self, robot: int) -> Any:
        """Return the decision for the first task that a robot was last heard to know of."""
        heard = self.last.get(f'decision {robot}')
        return json.loads(heard.data)[0] if heard is not None and heard.data else None

    def place(self, robot: int) -> tuple[float, float]:
        """Return the true position of a robot [m]."""
        x, y, _ = self.world.world.poses[self.ids.index(robot)].tolist()
        return x, y


def overrides(**values: Any) -> list[Parameter]:
    return [Parameter(name, value=value) for name, value in values.items()]


@pytest.fixture
def company(ros: None) -> Iterator[Callable[..., Company]]:
    """Gather companies that part after the test."""
    made: list[Company] = []

    def gather(robots: int, world: dict[str, Any], **parameters: Any) -> Company:
        made.append(Company(robots, world, **parameters))
        return made[-1]

    yield gather
    for one in made:
        for robot in one.robots:
            robot.close()
        for node in (one.world, one.listener, *one.robots):
            node.destroy_node()


def test_field_raises_an_alarm_for_all_members(company):
    # The peak is at robot 3, ten of its widths from robot 1: what that reads is next to nothing.
    swarm = company(
        3, {'reading_rate': 2.0, 'reading_peaks': [-1.0, 1.0, 7.0, 0.2]}, tasks='field',
        **{'field.alarm_above': 6.5})
    swarm.listen('alarm', Bool)
    swarm.listen('decision', String)

    def told(robot: int) -> bool:
        # All three have read: the mean is a third of the peak.
        decision, alarm = swarm.decided(robot), swarm.last.get(f'alarm {robot}')
        return (alarm is not None and alarm.data and decision is not None
                and abs(decision['mean'] - 7 / 3) < 1e-3)

    swarm.until(lambda: all(map(told, swarm.ids)))
    assert swarm.decided(2)['greatest'] == [7.0, -1.0, 1.0]
    swarm.robots[0].close()
    swarm.until(lambda: not swarm.last['alarm 1'].data)


def test_dispatch_does_jobs_that_come_in_on_the_topic_of_any_robot(company):
    swarm = company(3, DRIVES, tasks='dispatch', radius=30.0, communication_range=20.0)
    swarm.listen('job', String)
    orders = swarm.listener.create_publisher(String, '/robot_3/jobs', 10)
    swarm.until(lambda: orders.get_subscription_count() == 1)
    places = {7: [2.0, -2.0], 8: [-3.0, 2.0]}
    orders.publish(String(data='{"id": 9}'))
    for job, place in places.items():
        orders.publish(String(data=json.dumps({'id': job, 'place': place, 'seconds': 1})))
    done: dict[int, int] = {}

    def all_done() -> bool:
        for i in swarm.ids:
            said = swarm.last.get(f'job {i}')
            if said is not None and said.data and json.loads(said.data)['state'] == 'done':
                job = json.loads(said.data)['id']
                if job not in done:
                    assert math.dist(swarm.place(i), places[job]) < 0.5
                    done[job] = i
        return done.keys() == places.keys()

    swarm.until(all_done)
    # Robots 2 at (1, -1) and 3 at (-1, 1) are the nearest.
    assert done == {7: 2, 8: 3}
    regions = swarm.robots[2].robot.instances['main'].parts['regions']
    values = regions.concern()[2]
    assert (values['dispatch.jobs_received'], values['dispatch.jobs_rejected']) == (2, 1)
