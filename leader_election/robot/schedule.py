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

"""When rounds run."""

GOLDEN = 0.6180339887498949


def phase(asked: float, robot_id: int) -> float:
    """
    Return when in a period the rounds run, as a fraction of it in [0, 1).

    :param asked: the phase wanted; negative: one by the id, spread evenly over any set of
        consecutive ids (the multiples of the golden ratio).

    >>> phase(0.25, 7)
    0.25
    >>> [round(phase(-1.0, robot), 2) for robot in (0, 1, 2, 3)]
    [0.0, 0.62, 0.24, 0.85]
    """
    return asked if asked >= 0.0 else (robot_id * GOLDEN) % 1.0


def wait(last_round: float, now: float, interval: float) -> float:
    """
    Return how long a reactive round has to wait, so that rounds are an interval apart [s].

    >>> wait(last_round=10.0, now=10.25, interval=1.0)
    0.75
    >>> wait(last_round=10.0, now=12.0, interval=1.0)
    0.0
    >>> wait(last_round=10.0, now=3.0, interval=1.0)  # the clock went backwards
    0.0
    """
    since = now - last_round
    return interval - since if 0.0 <= since < interval else 0.0
