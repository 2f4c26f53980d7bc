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

"""That something is compiled is told."""

from leader_election.lab.compiling import compiling
import numba


def test_it_is_told_once_and_only_where_something_is_compiled() -> None:
    told: list[str] = []
    add = numba.njit(lambda one, other: one + other)
    with compiling(lambda: told.append('compiling')) as happened:
        assert not happened.is_set()
        # For whole numbers, and for others.
        assert add(1, 2) == 3 and add(1.0, 2.0) == 3.0
    assert happened.is_set() and told == ['compiling']
    with compiling(lambda: told.append('again')) as happened:
        assert add(1, 2) == 3
    assert not happened.is_set() and told == ['compiling']
