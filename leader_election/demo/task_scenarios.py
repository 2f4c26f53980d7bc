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

"""Task ``count``: the leaders' counts add up to the swarm."""

from argparse import Namespace
import math
from pathlib import Path
from statistics import fmean

from leader_election.demo.checks import Check
from leader_election.demo.scenario import ACCURATE, DemoScenario, Look, MOSTLY
from leader_election.robot.codec import Position
from leader_election.swarm.snapshot import decisions, links, member_counts, regions, Snapshot
from leader_election.view.frame import Rings
from leader_election.world.kinematics import least_distance, overlaps
from leader_election.world.parameters import SceneParameters, WorldParameters
from leader_election.world.scene import free_space, make_scene
from leader_election.world.sensors import Field
import numpy as np
import shapely


class CountTrial(DemoScenario):
    """Robots walk about; over time all leaders together count all robots."""

    duration = 60.0
    of_robots = {'tasks': 'count'}

    def __init__(self, options: Namespace) -> None:
        super().__init__(options)
        self._shares: list[float] = []

    def look(self, look: Look) -> None:
        """Add up the counts."""
        robots = len(look.snapshot.robots)
        if look.steady and robots:
            self._shares.append(sum(member_counts(look.snapshot).values()) / robots)

    def checks(self) -> list[Check]:
        """Hold the average against the swarm."""
        if not self._shares:
            return [Check(False, 'count: there was no time to look at the counts')]
        error = fmean(abs(share - 1.0) for share in self._shares)
        return [Check(
            abs(fmean(self._shares) - 1.0) <= ACCURATE,
            f'count: on average the leaders count {fmean(self._shares):.1%} of the swarm '
            f'(off by {error:.1%} at a look, at most '
            f'{max(abs(share - 1.0) for share in self._shares):.1%})')]


ALARM_ABOVE = 0.5
PEAK = (-1.5, 4.5, 1.0, 3.0)
"""x, y [m], height, width [m]: above the threshold within 3.5 m."""
RISE = 8.0
"""So long the news of a reading takes to the leader, and the alarm to all members [s]."""
FALL = 15.0
"""So long an alarm lasts when nobody reads any more: it is held, too [s]."""


class FieldTrial(DemoScenario):
    """Robots walk about, through a peak in what they read."""

    duration = 60.0
    of_world = {'motion': 'levy', 'reading_rate': 2.0, 'reading_peaks': list(PEAK)}
    of_robots = {'tasks': 'field', 'field.alarm_above': ALARM_ABOVE}

    def __init__(self, options: Namespace) -> None:
        super().__init__(options)
        self._field = Field(WorldParameters(reading_peaks=PEAK), np.random.default_rng(0))
        self._since: dict[int, tuple[bool | None, float]] = {}
        self._looks = {True: 0, False: 0}
        self._right = {True: 0, False: 0}

    def look(self, look: Look) -> None:
        """Compare alarms with what members read, in regions where that has not just changed."""
        snapshot = look.snapshot
        now = self._peaks(snapshot)
        self._since = {
            leader: self._since[leader]
            if leader in self._since and self._since[leader][0] == peak
            else (peak, snapshot.time) for leader, peak in now.items()}
        for leader, (peak, since) in self._since.items():
            if (look.steady and peak is not None
                    and snapshot.time - since >= (RISE if peak else FALL)):
                self._looks[peak] += 1
                self._right[peak] += alarmed(snapshot, leader) == peak

    def checks(self) -> list[Check]:
        """Hold alarms against peaks."""
        (looks, right), (clear, quiet) = (
            (self._looks[peak], self._right[peak]) for peak in (True, False))
        return [
            Check(looks > 0 and right >= MOSTLY * looks,
                  'field: alarm in regions with a robot in the peak, '
                  f'at {right} of {looks} looks'),
            Check(quiet >= MOSTLY * clear,
                  f'field: no alarm in regions that are clear of it, at {quiet} of {clear} looks')]

    def _peaks(self, snapshot: Snapshot) -> dict[int, bool | None]:
        """
        Return whether regions are in the peak, by their leaders.

        ``None``: one hears a robot in the peak, across its border, which may have been its own.
        """
        placed = {i: robot.position for i, robot in snapshot.robots.items()
                  if robot.position is not None}
        values = self._field.value(np.array(list(placed.values())).reshape(-1, 2))
        peaked = {i for i, value in zip(placed, values) if value > ALARM_ABOVE}
        near = {i for pair in links(snapshot, self.options.range) for i in pair
                if not peaked.isdisjoint(pair)}
        return {leader: True if not peaked.isdisjoint(members)
                else None if not near.isdisjoint(members) else False
                for leader, members in regions(snapshot).items()
                if leader in snapshot.robots and snapshot.robots[leader].leader == leader}


def alarmed(snapshot: Snapshot, leader: int) -> bool:
    """Return whether a leader has decided that there is an alarm."""
    decision = decisions(snapshot.robots[leader]).get('field')
    return decision is not None and decision['alarm'] > 0


class DrivingScenario(DemoScenario):
    """
    Robots drive by ``scan`` and ``cmd_vel``.

    :ivar paths: where each robot truly was [m], look by look, by id.
    """

    robots = 14
    duration = 60.0
    of_world = {'motion': 'cmd_vel', 'scan_rate': 5.0}
    needs_truth = True

    def __init__(self, options: Namespace) -> None:
        super().__init__(options)
        self.paths: dict[int, list[Position]] = {}
        self._hits: set[tuple[int, int]] = set()
        self._closest = math.inf

    def look(self, look: Look) -> None:
        """See who was hit."""
        for robot, place in look.truth.items():
            self.paths.setdefault(robot, []).append(place)
        ids = sorted(look.truth)
        places = np.array([look.truth[i] for i in ids]).reshape(-1, 2)
        self._closest = min(self._closest, least_distance(places))
        self._hits |= {(ids[a], ids[b])
                       for a, b in overlaps(places, WorldParameters.robot_radius)}

    def checks(self) -> list[Check]:
        """Nobody was hit, and somebody drove."""
        driven = sum(math.dist(a, b) for path in self.paths.values()
                     for a, b in zip(path, path[1:]))
        return [
            Check(not self._hits, f'no robot hit another: the least distance between two was '
                  f'{self._closest:.2f} m, and 2 x {WorldParameters.robot_radius:g} m is a hit'),
            Check(driven > 0.0, f'the robots drove {driven:.0f} m')]

    def draw(self, folder: Path, rings: Rings) -> list[str]:
        """Draw the ways."""
        # Only here, since it takes long to load.
        from leader_election.view.charts import draw_paths
        path = folder / 'paths.png'
        draw_paths(self.paths, rings, path)
        return [str(path)]


AREA = (-9.5, -6.5, 9.5, 6.5)
"""Left, bottom, right and top of what is patrolled [m]."""
SIGHT = 1.0
"""A place that a robot came so near to was visited [m]: a lane's width."""
VISITED = 0.6
"""Such a share of the area is visited in the end."""


class PatrolTrial(DrivingScenario):
    """Regions share one area, and each splits its side of it among its members."""

    radius = 10.0
    range = 8.0
    of_robots = {'tasks': 'patrol', 'connected': True, 'patrol.lane': SIGHT,
                 'patrol.area': [number for corner in shapely.box(*AREA).exterior.coords[:-1]
                                 for number in corner]}

    def __init__(self, options: Namespace) -> None:
        super().__init__(options)
        scene = make_scene(SceneParameters(
            robots=options.robots, seed=options.seed, world=options.world))
        free = free_space(scene.arena, scene.obstacles, SceneParameters.robot_radius)
        self._area = shapely.intersection(free, shapely.box(*AREA))

    def visited(self) -> float:
        """Return the share of the area that some robot came near to."""
        ways = [shapely.LineString(path) for path in self.paths.values() if len(path) > 1]
        seen = shapely.union_all([way.simplify(0.02).buffer(SIGHT) for way in ways])
        return float(np.float64(seen.intersection(self._area).area / self._area.area))

    def checks(self) -> list[Check]:
        """Hold what was visited against the area."""
        share = self.visited()
        return [*super().checks(), Check(
            share >= VISITED, f'patrol: {share:.0%} of {self._area.area:.0f} m² of free space '
            f'were visited, to within {SIGHT:g} m')]


DISTANCE = 1.5
"""From a leader to the circle on which its members surround it [m]."""
SLACK = 1.0
"""So far a member may be behind, since the leader goes on [m]."""
JOURNEY = 15.0
"""So long a member may take from where it joins a region to its place in it [s]."""
IN_PLACE = 0.8
"""Such a share of the members that had the time is in its place, on average."""


class RallyTrial(DrivingScenario):
    """Members surround a leader that goes about."""

    of_robots = {'tasks': 'rally', 'rally.distance': DISTANCE}

    def __init__(self, options: Namespace) -> None:
        super().__init__(options)
        self._since: dict[int, tuple[int, float]] = {}
        self._near = self._members = 0

    def look(self, look: Look) -> None:
        """See which members are with their leader, of those that have followed it for a while."""
        super().look(look)
        time, truth = look.snapshot.time, look.truth
        self._since = {
            robot.id: self._since[robot.id]
            if self._since.get(robot.id, (-1, 0.0))[0] == robot.leader else (robot.leader, time)
            for robot in look.snapshot.robots.values() if robot.leader in look.snapshot.robots}
        for robot, (leader, since) in self._since.items():
            if (robot != leader and time - since >= JOURNEY
                    and {robot, leader} <= truth.keys()):
                self._members += 1
                self._near += math.dist(truth[robot], truth[leader]) <= DISTANCE + SLACK

    def checks(self) -> list[Check]:
        """Hold where members are against the distance."""
        share = self._near / self._members if self._members else 0.0
        return [*super().checks(), Check(
            share >= IN_PLACE, f'rally: {JOURNEY:.0f} s after they joined a region, {share:.0%} '
            f'of its members are within {DISTANCE + SLACK:g} m of their leader')]


NO_TASK = ''
SCENARIOS: dict[str, type[DemoScenario]] = {
    NO_TASK: DemoScenario, 'count': CountTrial, 'field': FieldTrial, 'patrol': PatrolTrial,
    'rally': RallyTrial}
