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

"""The factors of a robot's odometry that are kept over a restart: their age, and their file."""

import json
import math
from typing import Any

from leader_election.localisation.scale_errors import Factors, Kept, plausible, START_VARIANCES
import numpy as np

LONGEST = 600.0
"""
The greatest age that counts [s]. Wheels do not change while a robot is off; another floor, or
another load, counts as much as this time of driving.
"""
BETTER = 0.99
"""The ratio of variances below which new factors replace those that are kept."""


def age(kept: Kept, now: float) -> float:
    """
    Return how old kept factors are [s], in [0, ``LONGEST``]; after a leap of the clock the latter.

    :param now: the time, on the clock of ``kept.time`` [s].
    """
    since = now - kept.time
    return since if 0.0 <= since <= LONGEST else LONGEST


def is_better(found: Kept, kept: Kept | None) -> bool:
    """
    Return whether sightings told something since: a variance is less than that of mere ageing.

    So nothing is written while a robot stands still, and its factors become less certain.

    :param kept: the ones to be replaced; ``None``: there are none.
    """
    before = START_VARIANCES if kept is None else kept.aged(age(kept, found.time))
    return plausible(found.factors) and bool((found.variances < BETTER * before).any())


def text_of(robot: int, kept: Kept) -> str:
    """Return the text of a file, JSON: robot_id, time, factors and their variances by name."""
    return json.dumps({
        'robot_id': robot, 'time': kept.time, 'factors': kept.factors._asdict(),
        'variances': Factors(*kept.variances.tolist())._asdict()}, indent=1) + '\n'


def read_text(text: str, robot: int) -> Kept:
    """
    Return the factors in the text of a file.

    :param robot: whose they have to be.
    :raises ValueError: for those of another robot, and for what is no such text.
    """
    try:
        document = json.loads(text)
        owner = document['robot_id']
        kept = Kept(_factors(document['factors']), np.array(_factors(document['variances'])),
                    float(document['time']))
    except (ValueError, TypeError, LookupError, OverflowError, RecursionError):
        raise ValueError('holds no factors of odometry') from None
    if owner != robot:
        raise ValueError(f'holds those of robot {str(owner)[:20]}')
    if not (plausible(kept.factors) and math.isfinite(kept.time) and (kept.variances > 0.0).all()
            and np.isfinite(kept.variances).all()):
        raise ValueError('holds factors that no odometry has')
    return kept


def _factors(values: dict[str, Any]) -> Factors:
    return Factors(*(float(values[name]) for name in Factors._fields))
