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

"""Detection, search and placement of robots whose poses contradict recent sightings."""

from collections import Counter, defaultdict, deque
from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple

from leader_election.localisation.innovations import AGAINST, Innovation, score
from leader_election.localisation.neighbourhood_filter import NeighbourhoodFilter, Observed
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.pose_estimates import SIZE
from leader_election.localisation.poses import between, compose, PlanePose
from leader_election.localisation.relocation import Evidence, search
from leader_election.localisation.sighting import Places

WINDOW = 12.0
"""The window of the sightings that are compared [s]."""
MOST = 60
"""The number of last sightings that one search uses at most."""
PAUSE = 1.0
"""The least time between two searches for a robot [s]."""
LEAST = 2
"""The least number of rejected sightings with which a robot may be elsewhere."""
SUSPECTED_FOR = 5.0
"""The time for which a contradicted pose is reported [s]."""
UNKNOWN = 3.0
"""By how many the sightings that confirm a new pose must exceed those that contradict it."""
UNCERTAIN = 0.7
"""The deviation of the distance beyond which a robot is no evidence of another's pose [m]."""
HEADING = 0.1
"""The deviation of the headings of other robots, relative to each other [rad]."""
APART = 0.5
"""The distance from all robots at which a robot may be placed where wrong ids are common [m]."""
LOST = 0.5
"""The deviation of the heading beyond which a robot is searched for [rad]."""


class _RecordedSighting(NamedTuple):
    """A sighting, with the poses of both robots by odometry."""

    time: float
    observer: int
    seen: int
    range: float  # noqa: A003
    bearing: float
    here: PlanePose
    there: PlanePose | None
    """``None`` for a landmark."""
    accepted: bool
    distrusted: bool
    """Whether the observer's sensor is distrusted, so that only the observer is concerned."""

    def concerns(self, robot: int) -> bool:
        """Return whether the sighting is evidence of a robot's pose."""
        return robot == self.observer or robot == self.seen and not self.distrusted


class LostRobots:
    """Remembered sightings, and the search for robots whose poses contradict them."""

    def __init__(self, neighbourhood: NeighbourhoodFilter, parameters: LocalisationParameters,
                 landmarks: Places) -> None:
        """
        Start without sightings.

        :param neighbourhood: the filter in which found robots are placed.
        :param landmarks: places by id [m].
        """
        self._filter = neighbourhood
        self._parameters = parameters
        self._landmarks = landmarks
        self._seen: deque[_RecordedSighting] = deque()
        self._counts: defaultdict[int, Counter[tuple[int, bool]]] = defaultdict(Counter)
        """The numbers of sightings that concern a robot, by the other robot and acceptance."""
        self._searched: dict[int, float] = {}
        self._suspected: dict[int, float] = {}

    def take(self, sightings: Sequence[Observed], innovations: Sequence[Innovation],
             now: float, distrusted: bool = False) -> None:
        """
        Remember sightings.

        :param sightings: the sightings by one observer, including those of the innovations.
        :param innovations: the innovations of the sightings that the filter used.
        :param distrusted: whether the observer's sensor is distrusted.
        """
        own, landmarks = self._filter, self._landmarks
        accepted = {each.seen: each.accepted for each in innovations}
        for observer, (seen, distance, bearing, *_) in sightings:
            if seen in landmarks:
                there = None
            elif seen in own and seen != observer:
                there = own.odometry(seen)
            else:
                continue
            each = _RecordedSighting(
                now, observer, seen, distance, bearing, own.odometry(observer), there,
                accepted.get(seen, True), distrusted)
            self._seen.append(each)
            self._count(each, 1)
        while self._seen and now - self._seen[0].time > WINDOW:
            self._count(self._seen.popleft(), -1)

    def forget(self, observer: int) -> None:
        """Forget the sightings by a robot whose sensor is wrong."""
        self._remember(each for each in self._seen if each.observer != observer)

    def _remember(self, seen: Iterable[_RecordedSighting]) -> None:
        self._seen = deque(seen)
        self._counts.clear()
        for each in self._seen:
            self._count(each, 1)

    def _count(self, each: _RecordedSighting, number: int) -> None:
        self._counts[each.observer][each.seen, each.accepted] += number
        if not each.distrusted:
            self._counts[each.seen][each.observer, each.accepted] += number

    def find(self, observer: int, innovations: Sequence[Innovation], now: float) -> int | None:
        """
        Search for an observer or a robot that it has just seen, and place it in the filter.

        :return: the placed robot, ``None`` if there is none.
        """
        wrong = {each.seen for each in innovations if not each.accepted}
        if not wrong and now >= max(self._filter.watched.values(), default=0.0) and (
                self._filter.covariance.diagonal()[2::SIZE].max() <= LOST ** 2):
            return None
        robots = {observer, *(each.seen for each in innovations)}
        if observer in self._filter.trust.distrusted:
            robots = {observer}
        for lost in self._candidates([robot for robot in robots if robot in self._filter and (
                robot in wrong or wrong and robot == observer
                or self._is_unknown(robot, now))], now):
            is_new = now < self._filter.watched.get(lost, 0.0)
            beside, evidence = self._evidence(lost, now, is_new)
            found = None if beside is None else search(
                evidence, self._filter.pose(lost), self._parameters, is_new,
                self._filter.wrong_ids.are_common)
            if beside is not None and found is not None and not self._is_another(found.pose):
                self._filter.place(lost, found.pose, found.covariance, beside)
                self._remember(each._replace(accepted=True) if lost in (each.observer, each.seen)
                               else each for each in self._seen)
                return lost
        return None

    def _is_another(self, pose: PlanePose) -> bool:
        """Return whether a robot is there already that sensors may have taken for the lost one."""
        own = self._filter
        return own.wrong_ids.are_common and float(own.apart(pose[:2]).min()) < APART

    def _candidates(self, robots: Iterable[int], now: float) -> list[int]:
        """Return the robots whose poses are probably wrong, the most probable one first."""
        newcomers = self._filter.newcomers(now)
        scores = {}
        for robot in robots:
            if now - self._searched.get(robot, -PAUSE) < PAUSE:
                continue
            self._searched[robot] = now
            counts = self._counts_of(robot, newcomers)
            if _is_contradicted(*counts):
                self._suspected[robot] = now
            # Without contradictions a costly search would find the same pose.
            unknown = UNKNOWN * AGAINST if self._is_unknown(robot, now) else 0.0
            if _is_contradicted(*counts, unknown):
                scores[robot] = score(*counts)
        return sorted(scores, key=lambda robot: -scores[robot])

    def _counts_of(self, robot: int, newcomers: Container[int] = ()) -> tuple[int, int]:
        """Return the numbers of sightings that contradict a robot's pose, and that confirm it."""
        alike, counts = robot in newcomers, [0, 0]
        for (other, accepted), number in self._counts[robot].items():
            if alike or other not in newcomers:
                counts[accepted] += number
        return counts[False], counts[True]

    def suspected(self, now: float) -> list[int]:
        """Return the robots whose poses sightings have contradicted lately."""
        return sorted(robot for robot, time in self._suspected.items()
                      if now - time <= SUSPECTED_FOR and robot in self._filter)

    def may_be_elsewhere(self, robot: int, now: float) -> bool:
        """Return whether a pose was contradicted lately, or is new and not confirmed."""
        if now <= self._suspected.get(robot, -SUSPECTED_FOR) + SUSPECTED_FOR:
            return True
        return now < self._filter.watched.get(robot, 0.0) and score(
            *self._counts_of(robot)) >= 0.0

    def _is_unknown(self, robot: int, now: float) -> bool:
        """Return whether no other robot confirms a robot's pose, or its heading is uncertain."""
        return (now < self._filter.watched.get(robot, 0.0)
                or self._filter.heading_variance(robot) > LOST ** 2)

    def _evidence(self, robot: int, now: float, is_new: bool
                  ) -> tuple[int | None, list[Evidence]]:
        """
        Return another robot, and the sightings of both kinds since the first wrong one.

        For a new robot one sensor suffices. So the sensor of a robot that others contradict is
        left out: of two robots that have just met, either may be elsewhere.
        """
        own = self._filter
        concern = [each for each in self._seen if each.concerns(robot)][-MOST:]
        doubtful = {other for other in {_partner(each, robot) for each in concern}
                    if is_new and self.may_be_elsewhere(other, now)}
        if doubtful:
            concern = [each for each in concern if _partner(each, robot) not in doubtful]
            # Without contradictions of other robots the pose needs no explanation.
            right = sum(each.accepted for each in concern)
            if not _is_contradicted(len(concern) - right, right, UNKNOWN * AGAINST):
                return None, []
        first = next((k for k, each in enumerate(concern) if not each.accepted), 0)
        partners = [_partner(each, robot) for each in concern[first:]]
        known = [each for each in partners if each in own]
        if not known:
            return None, []
        beside = max(set(known), key=lambda each: (known.count(each), each))
        evidence = []
        for each, other in zip(concern[first:], partners):
            by_it = each.observer == robot
            there, variances = self._landmarks.get(other), (0.0, 0.0)
            pose = (*there, 0.0) if there is not None else None
            if pose is None:
                if other not in own:
                    continue
                deviation = 0.0 if other == beside else own.distance(beside, other, now)[1]
                if deviation > UNCERTAIN:
                    continue
                then = each.there if by_it else each.here
                assert then is not None
                pose = compose(own.pose(other), self._since(other, then))
                variances = deviation ** 2, HEADING ** 2
            then = each.here if by_it else each.there or each.here
            evidence.append(Evidence(by_it, other, self._since(robot, then), pose, variances,
                                     each.range, each.bearing, now - each.time))
        return beside, evidence

    def _since(self, robot: int, then: PlanePose) -> PlanePose:
        """Return an earlier pose of a robot, seen from its present one, by its odometry."""
        own = self._filter
        return between(own.corrected(robot, between(then, own.odometry(robot))), (0.0, 0.0, 0.0))


def _partner(seen: _RecordedSighting, robot: int) -> int:
    return seen.seen if seen.observer == robot else seen.observer


def _is_contradicted(wrong: int, right: int, beyond: float = 0.0) -> bool:
    return wrong >= LEAST and score(wrong, right) > beyond
