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

"""The number of examples that property tests draw: few in each run, many on request."""

import os

FACTOR = float(os.environ.get('LEADER_ELECTION_EXAMPLES', '1'))
"""A factor of all numbers of examples, such as 10 before a release."""


def examples(usual: int) -> int:
    """Return the number of examples, ``max_examples``, that a test draws in this run."""
    return max(1, round(FACTOR * usual))
