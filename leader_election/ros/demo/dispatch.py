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
from functools import partial
import json
from pathlib import Path
from statistics import median
from typing import NamedTuple, TYPE_CHECKING

from leader_election.election.messages.codec import Position
from leader_election.ros.demo.checks import Check
from leader_election.ros.demo.scenario import DrivingScenario, Observation
from leader_election.ros.nodes.qos import ORDERS, STATE
from leader_election.simulation.parameters import SceneParameters
from leader_election.simulation.robot_body import RADIUS
from leader_election.simulation.scene import free_space, make_scene
from leader_election.swarm.view.frame import Rings
import numpy as np
import shapely
from std_msgs.msg import String

if TYPE_CHECKING:
    from leader_election.ros.demo.swarm import SwarmDemo

JOBS = 24
WORK = 2.0
"""The duration of the work on a job [s]."""
PUT_UNTIL = 0.6
"""The share of the run in which jobs are put on topics."""
CLEARANCE = 0.5
"""The distance of jobs from walls and obstacles [m]."""
KNOWN_AFTER = 10.0
"""The time after which a job does not depend on the robot that received it [s]."""


class PutJob(NamedTuple):
    """A job that was put on the topic of a robot."""

    place: Position
    robot: int
    time: float
    """[s]."""


class DispatchScenario(DrivingScenario):
    """
    Jobs at random places come in on topics of random robots. All are done, and counted.

    :ivar put: the jobs put on topics, by id.
    :ivar done: the robots that did each.
    """

    duration = 120.0
    radius = 10.0
    range = 8.0  # noqa: A003
    # A killed robot may stand where a job is.
    robot_parameters = {'tasks': 'dispatch', 'quorum': 'majority', 'dispatch.tolerance': 0.8}

    def __init__(self, options: Namespace) -> None:
        """Draw the places of the jobs. Parameters as of :class:`.DemoScenario`."""
        super().__init__(options)
        scene = make_scene(SceneParameters(
            robots=options.robots, seed=options.seed, world=options.world))
        free = free_space(scene.arena, scene.obstacles, RADIUS + CLEARANCE)
        self._random = np.random.default_rng(options.seed)
        west, south, east, north = free.bounds
        self._places: list[Position] = []
        while len(self._places) < JOBS:
            place = (float(self._random.uniform(west, east)),
                     float(self._random.uniform(south, north)))
            if shapely.contains_xy(free, *place):
                self._places.append(place)
        self.put: dict[int, PutJob] = {}
        self.done: dict[int, set[int]] = {}
        self._waits: dict[int, float] = {}
        self._begun: float | None = None
        self._now = 0.0
        self._died: dict[int, float] = {}
        """When each killed robot was first missing [s]."""

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
            self.done.setdefault(job['id'], set()).add(robot)
            self._waits.setdefault(job['id'], self._now - self.put[job['id']].time)

    def observe(self, observation: Observation) -> None:
        """Put a job on the topic of a living robot, if one is due."""
        super().observe(observation)
        living = sorted(observation.snapshot.robots)
        self._now = observation.snapshot.time
        self._begun = self._now if self._begun is None else self._begun
        for robot in {job.robot for job in self.put.values()} - {*living}:
            self._died.setdefault(robot, self._now)
        number = len(self.put)
        due = self._begun + PUT_UNTIL * self.options.duration * number / JOBS
        if number < JOBS and living and self._now >= due:
            place, robot = self._places[number], int(self._random.choice(living))
            self.put[number] = PutJob(place, robot, self._now)
            self._topics[robot].publish(String(data=json.dumps(
                {'id': number, 'place': place, 'seconds': WORK})))

    def checks(self) -> list[Check]:
        """Check that the jobs that robots lived long enough to pass on are done."""
        held = {number for number, job in self.put.items()
                if self._died.get(job.robot, np.inf) - job.time > KNOWN_AFTER}
        left = held - self.done.keys()
        twice = sum(len(robots) > 1 for robots in self.done.values())
        waits = [*self._waits.values()]
        return [
            *super().checks(),
            Check(bool(held) and not left, f'dispatch: {len(held) - len(left)} of {len(held)} '
                  f'jobs were done, {len(self.put) - len(held)} more came to a robot that died '
                  f'within {KNOWN_AFTER:g} s' + ''.join(
                      f'; not job {number} of robot {self.put[number].robot}'
                      for number in sorted(left))),
            Check(not (twice and self.options.mandate), f'dispatch: {twice} of them were done '
                  f'twice, {"never" if self.options.mandate else "possible"} with '
                  f'{"" if self.options.mandate else "no "}mandates'),
            Check(bool(waits), 'dispatch: a job waited for '
                  + (f'{median(waits):.0f} s (median), at most {max(waits):.0f} s, with '
                     f'{WORK:g} s of work' if waits else 'ever'))]

    def draw(self, folder: Path, rings: Rings) -> list[str]:
        """Draw paths and jobs. Parameters as of :meth:`.DemoScenario.draw`."""
        # Imported here, since it takes long to load.
        from leader_election.swarm.view.charts import draw_paths
        path = folder / 'paths.png'
        draw_paths(self.paths, rings, path, [
            (job.place, number in self.done) for number, job in self.put.items()])
        return [str(path)]
