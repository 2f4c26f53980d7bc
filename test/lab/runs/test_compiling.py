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

"""The message about a compilation."""

from leader_election.lab.runs.computation import compiling
import numba


def test_a_compilation_is_reported_once_and_cached_code_is_not() -> None:
    messages: list[str] = []
    add = numba.njit(lambda one, other: one + other)
    with compiling(lambda: messages.append('compiling')) as started:
        assert not started.is_set()
        # For integers, and for floats.
        assert add(1, 2) == 3 and add(1.0, 2.0) == 3.0
    assert started.is_set() and messages == ['compiling']
    with compiling(lambda: messages.append('again')) as started:
        assert add(1, 2) == 3
    assert not started.is_set() and messages == ['compiling']
