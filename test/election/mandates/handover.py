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

"""Five robots on a line that change their leader, in rounds without losses: how long it takes."""

from leader_election.election.mandates.mandates import Follows, Mandates, NeighbourPart
from leader_election.election.mandates.parameters import MandateSettings

DURATION = 1000.0
"""So long that nothing ends by itself [s]."""
MOST_ROUNDS = 20


def rounds_to_act() -> list[int]:
    """
    Return the numbers of rounds of all until leaders act over all that follow them.

    At first 1 leads 2 and 3, and 5 leads 4. Then 3 changes to 5. Then 1 and 2 do. The numbers of 1
    are far above those of 5.

    :return: for each of the three, ``MOST_ROUNDS`` if they do not.
    """
    ids = range(1, 6)
    settings = MandateSettings(DURATION, reaction=0.0)
    robots = {i: Mandates(i, settings, 100 if i == 1 else 0) for i in ids}
    for robot in robots.values():
        robot.silent_until = 0.0
    last: dict[int, dict[int, NeighbourPart]] = {i: {} for i in ids}
    now, took = 0.0, []
    for farthest in (3, 2, 0):
        follows = {i: Follows(*((1, i - 1.0) if i <= farthest else (5, 5.0 - i)),
                              leads=i == 5 or i == 1 <= farthest) for i in ids}
        rounds = 0
        while rounds < MOST_ROUNDS and not all(
                i in robots[follows[i].leader].over(now) for i in ids):
            rounds, now = rounds + 1, now + 1.0
            for i in ids:
                robots[i].round(follows[i], last[i].values(), now)
                said = NeighbourPart(i, follows[i].leader, follows[i].distance, robots[i].part)
                for near in {i - 1, i + 1} & robots.keys():
                    last[near][i] = said
                    robots[near].hear(said, now)
        took.append(rounds)
    return took
