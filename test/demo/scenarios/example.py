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

"""Swarms written down by hand, for the trials to look at."""

from leader_election.demo.options import parse
from leader_election.demo.scenarios.scenario import Look
from leader_election.demo.scenarios.scenarios import SCENARIOS
from leader_election.swarm.snapshot import RobotView, Snapshot


def scenario(task, *arguments):
    """Return the trial of a task."""
    return SCENARIOS[task](parse(['--task', task, *arguments]))


def look(time, *robots, truth=None, steady=True):
    """
    Return a look at robots that are where they believe to be.

    :param robots: of each id, place and leader, and where it says so, members and decision.
    """
    views = {}
    for robot, place, leader, *said in robots:
        task, members, decision = said or ((), float('nan'), '')
        views[robot] = RobotView(robot, place, -1.0, 0.0, leader, task, members, decision)
    places = {robot: view.position for robot, view in views.items()} if truth is None else truth
    return Look(Snapshot(time, views), places, steady)
