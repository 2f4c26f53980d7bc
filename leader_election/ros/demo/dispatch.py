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

"""Task ``dispatch``: jobs come in on the topics of robots, and regions do them."""

from argparse import Namespace
from copy import copy
from dataclasses import dataclass, field
from functools import partial
import json
import math
from random import Random
from statistics import median
from typing import TYPE_CHECKING

from leader_election.election.messages.codec import Position
from leader_election.ros.demo.checks import Check
from leader_election.ros.demo.scenario import DrivingScenario, Observation
from leader_election.ros.nodes.qos import ORDERS, STATE
from leader_election.simulation.parameters import SceneParameters
from leader_election.simulation.scene import make_scene
from std_msgs.msg import String

if TYPE_CHECKING:
    from leader_election.ros.demo.swarm import SwarmDemo

JOBS = 24
WORK = 2.0
"""The duration of the work on a job [s]."""
PUT_UNTIL = 0.55
"""The share of the run in which jobs are put on topics."""
KNOWN_AFTER = 10.0
"""The time after which a job does not depend on the robot that received it [s]."""


@dataclass
class PutJob:
    """A job that was put on the topic of a robot."""

    place: Position
    robot: int
    time: float
    """[s]."""
    died: float = math.inf
    """When the robot was first missing [s]."""
    done_by: set[int] = field(default_factory=set)
    """The robots that did it."""
    wait: float = math.inf
    """The time until it was done [s]."""


class DispatchScenario(DrivingScenario):
    """
    Jobs at random places come in on topics of random robots. All are done, and counted.

    :ivar put: the jobs put on topics, by id.
    """

    # A job whose leader is gone is told to the next one after half a minute, perhaps twice.
    duration = 150.0
    radius = 10.0
    range = 8.0  # noqa: A003
    # A killed robot may stand where a job is.
    robot_parameters = {'tasks': 'dispatch', 'quorum': 'majority', 'dispatch.tolerance': 0.8}

    def __init__(self, options: Namespace) -> None:
        """Draw the places of the jobs. Parameters as of :class:`.DemoScenario`."""
        super().__init__(options)
        # Where so many robots could start in this world.
        self._places = [start[:2] for start in make_scene(SceneParameters(
            robots=JOBS, seed=options.seed + 1, world=options.world)).starts]
        self._random = Random(options.seed)
        self.put: dict[int, PutJob] = {}
        self._now = 0.0

    def begin(self, demo: 'SwarmDemo') -> None:
        """Listen to what robots do, and advertise their topics of jobs."""
        node = demo.truth
        self._topics = {robot: node.create_publisher(String, f'/robot_{robot}/jobs', ORDERS)
                        for robot in demo.ids}
        # This process may be too busy to read each state before the next one.
        profile = copy(STATE)
        profile.depth = 10
        for robot in demo.ids:
            node.create_subscription(
                String, f'/robot_{robot}/job', partial(self.receive, robot), profile)

    def receive(self, robot: int, message: String) -> None:
        """Note a job that a robot has done. A latched message may come again."""
        job = json.loads(message.data) if message.data else {}
        if job.get('state') == 'done' and job['id'] in self.put:
            put = self.put[job['id']]
            put.done_by.add(robot)
            put.wait = min(put.wait, self._now - put.time)

    def observe(self, observation: Observation) -> None:
        """Put a job on the topic of a living robot, if one is due."""
        super().observe(observation)
        living = sorted(observation.snapshot.robots)
        self._now = observation.snapshot.time
        for job in self.put.values():
            if job.robot not in living:
                job.died = min(job.died, self._now)
        number = len(self.put)
        begun = self.put[0].time if self.put else self._now
        due = begun + PUT_UNTIL * self.options.duration * number / JOBS
        if number < JOBS and living and self._now >= due:
            place, robot = self._places[number], self._random.choice(living)
            self.put[number] = PutJob(place, robot, self._now)
            self._topics[robot].publish(String(data=json.dumps(
                {'id': number, 'place': place, 'seconds': WORK})))

    def checks(self) -> list[Check]:
        """Check that the jobs that robots lived long enough to pass on are done."""
        held = {number: job for number, job in self.put.items()
                if job.died - job.time > KNOWN_AFTER}
        left = [number for number, job in held.items() if not job.done_by]
        twice = sum(len(job.done_by) > 1 for job in self.put.values())
        waits = [job.wait for job in self.put.values() if job.done_by]
        return [
            *super().checks(),
            Check(bool(held) and not left, f'dispatch: {len(held) - len(left)} of {len(held)} '
                  f'jobs were done, {len(self.put) - len(held)} more came to a robot that died '
                  f'within {KNOWN_AFTER:g} s' + ''.join(
                      f'; not job {number} of robot {self.put[number].robot}'
                      for number in left)),
            Check(not (twice and self.options.mandate), f'dispatch: {twice} of them were done '
                  f'twice, {"never with" if self.options.mandate else "possible without"} '
                  'mandates'),
            Check(bool(waits), 'dispatch: a job waited for '
                  + (f'{median(waits):.0f} s (median), at most {max(waits):.0f} s, with '
                     f'{WORK:g} s of work' if waits else 'ever'))]

    def jobs(self) -> list[tuple[Position, bool]]:
        """Return the place of each job [m], and whether it was done."""
        return [(job.place, bool(job.done_by)) for job in self.put.values()]
