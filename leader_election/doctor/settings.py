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

"""What robots say of their settings, on ``/diagnostics``; those of the table where they do not."""

from leader_election.doctor.observations import Observations
from leader_election.robot.parameters import ElectionParameters

NEEDED = 'odometry_needed'
"""Under this name a robot tells whether its position matters."""


def setting(seen: Observations, robot: str, name: str) -> float:
    """Return the number that a robot goes by, the default where it does not tell it."""
    told = [status.values[name] for status in seen.told(robot) if name in status.values]
    try:
        return float(told[-1])
    except (IndexError, ValueError):
        return float(getattr(ElectionParameters, name))


def needs_position(seen: Observations, robot: str) -> bool:
    """Return whether a robot is of no use without a position; where it does not tell, it is."""
    told = seen.told(robot)
    return not told or told[-1].values.get(NEEDED) != str(False)
