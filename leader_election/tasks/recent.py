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

"""What was known of late: what is missing for a few rounds is not gone."""

from collections.abc import Mapping
from typing import Generic, TypeVar

from leader_election.coordination.feedback import decay

K = TypeVar('K')
V = TypeVar('V')


class Recent(Generic[K, V]):
    """
    The last value under each key, for some rounds after it was there.

    A lost message should not make a leader plan anew.

    >>> recent = Recent(hold=2)
    >>> recent.update({'a': 1, 'b': 2}), recent.update({'b': 3}), recent.update({'b': 4})
    ({'a': 1, 'b': 2}, {'a': 1, 'b': 3}, {'b': 4})
    """

    def __init__(self, hold: int) -> None:
        """:param hold: a value is forgotten when it was missing in so many rounds, >= 1."""
        self._hold = hold
        self._left: dict[K, float] = {}
        self._values: dict[K, V] = {}

    def update(self, values: Mapping[K, V]) -> dict[K, V]:
        """Take in this round's values; return all that are known."""
        self._left = {key: decay(left, 0.0, step=1.0) for key, left in self._left.items()}
        for key, value in values.items():
            self._left[key], self._values[key] = float(self._hold), value
        self._left = {key: left for key, left in self._left.items() if left > 0.0}
        self._values = {key: self._values[key] for key in self._left}
        return dict(self._values)
