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

"""T: a value that decays from round to round (Viroli and others, TOMACS 2018)."""


def decay(value: float, floor: float, factor: float = 1.0, step: float = 0.0) -> float:
    """
    Return a value after one more round: a part of it, less a step, but not below a floor.

    A countdown has a step; what is forgotten bit by bit has a factor.

    :param factor: in [0, 1].
    :param step: >= 0.

    >>> decay(3.0, 0.0, step=1.0), decay(0.5, 0.0, step=1.0), decay(8.0, 0.0, factor=0.5)
    (2.0, 0.0, 4.0)
    """
    return max(value * factor - step, floor)
