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

"""A swarm of robots that hear each other's messages, without ROS."""

from collections.abc import Callable, Mapping
import random
from typing import Any

from leader_election.election.messages.swarm_key import Keys, NO_KEYS
from leader_election.election.regions.task import Member, Task, task_class
from leader_election.election.robot.instance import Instance
from leader_election.election.robot.parameters import built, ElectionParameters, InstanceParameters
from leader_election.election.robot.robot import Robot
from leader_election.election.robot.task_runner import task_label, TaskRunner

Settings = Callable[[int], Mapping[str, Any]]
NO_KINDS: Mapping[str, type[Task]] = {}


def line(number: int) -> dict[int, tuple[float, float]]:
    """Return places on a line, 1 m apart, of robots 1, 2, .... The range is 1.5 m."""
    return {i: (i - 1.0, 0.0) for i in range(1, number + 1)}


def of_one(i: int, stronger: Mapping[int, float]) -> dict[str, float]:
    """Return the strength of a robot, 0 where nothing else is said."""
    return {'strength': stronger.get(i, 0.0)}


class Swarm:
    """
    Robots at their places. A round of all takes a second. A leader is joined up to the radius.

    :param each: a robot's own parameters by its id; in ``others`` those of further instances.
    :param kinds: classes of tasks by name, beside those that ship.
    :param keys: of all robots.
    :param start: the wall clock at time 0 [ms].
    :param first_number: of beats and decisions.
    """

    def __init__(self, places: Mapping[int, tuple[float, float]], each: Settings = lambda i: {},
                 kinds: Mapping[str, type[Task]] = NO_KINDS, keys: Keys = NO_KEYS,
                 start: int = 0, first_number: int = 0, **common: Any) -> None:
        self.now = 0.0
        self.places = dict(places)
        self.silent: set[int] = set()
        self.said: dict[int, str] = {}
        self._driven: dict[int, tuple[Robot, float, tuple[float, float]]] = {}
        """Whose odometry was taken last, when and where, by id."""
        self._kinds = kinds
        self._keys, self._start, self._first_number = keys, start, first_number
        self.robots = {i: self._robot(i, {
            'communication_range': 1.5, 'schedule': 'periodic', 'radius_hysteresis': 0.0,
            **common, **each(i)})
            for i in places}

    def _robot(self, i: int, settings: dict[str, Any]) -> Robot:
        others = {name: built(InstanceParameters, {'radius_hysteresis': 0.0, **values})
                  for name, values in settings.pop('others', {}).items()}

        def runner(task: str) -> TaskRunner:
            kind = self._kinds[task] if task in self._kinds else task_class(task)
            member = Member(i, pose=lambda: self.robots[i].sensing.pose(self.now))
            return TaskRunner(task_label(task), kind(member, None))
        return Robot(built(ElectionParameters, {'robot_id': i, **settings}), others,
                     {'regions': lambda instance: runner}, self._keys, self._start,
                     first_number=self._first_number)

    def instances(self, name: str = 'main') -> dict[int, Instance]:
        """Return an instance on each of the robots that are not silent."""
        return {i: robot.instances[name] for i, robot in self.robots.items()
                if i not in self.silent}

    def _drive(self, i: int) -> None:
        here = self.robots[i], self.now, self.places[i]
        if self._driven.get(i) != here:
            self._driven[i] = here
            self.robots[i].sensing.take_odometry((*self.places[i], 0.0), self.now, yaw=0.0)

    def speak(self, i: int) -> None:
        """Let one robot run a round."""
        self._drive(i)
        self.said[i] = self.robots[i].round(self.now)

    def tell(self, i: int, payload: str | None = None) -> None:
        """Let all others hear what one robot said last, or something else."""
        for j, robot in self.robots.items():
            if j != i and j not in self.silent:
                self._drive(j)
                robot.receive(self.said[i] if payload is None else payload, self.now)

    def sweep(self, times: int = 1, draw: random.Random | None = None) -> None:
        """Let all run a round, one after the other: in order of their ids, or in any."""
        for _ in range(times):
            order = sorted(self.robots)
            if draw is not None:
                draw.shuffle(order)
            self.now += 1.0
            for i in order:
                if i not in self.silent:
                    self.speak(i)
                    self.tell(i)

    def members(self, name: str = 'main') -> dict[int, float]:
        """Return by leader how many members it knows of."""
        return {i: instance.parts['regions'].summary['members']
                for i, instance in self.instances(name).items() if instance.leads}

    def decisions(self, name: str = 'main') -> dict[int, list[Any]]:
        """Return the decision that each robot has."""
        return {i: instance.parts['regions'].decision if 'regions' in instance.parts else []
                for i, instance in self.instances(name).items()}

    def leaders(self, name: str = 'main') -> dict[int, int]:
        """Return each robot's leader."""
        return {i: instance.state.leader for i, instance in self.instances(name).items()}
