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

"""
The names of what a run measures: its counters, and the columns of its samples.

The engine compiles them in. They are apart from it, since its import takes the compiler.
"""

COUNTERS = ('rounds', 'moves', 'sent', 'duplicated', 'lost', 'delivered', 'overwritten',
            'expired', 'departed', 'undelivered', 'rebuilt', 'out_of_levels')
"""
The names of the counters. A message counts once for each receiver in range when it is sent.

``out_of_levels``: rounds that ended at the last level of a recursive election.
"""
ROUNDS, MOVES, SENT, DUPLICATED, LOST, DELIVERED, OVERWRITTEN, EXPIRED, DEPARTED, UNDELIVERED, \
    REBUILT, OUT_OF_LEVELS = range(len(COUNTERS))

MEASURES = ('instability', 'changes', 'leaders', 'named', 'correct', 'spurious',
            'mean_size', 'largest_size', 'mean_radius', 'largest_radius')
"""The measures of elections, the first columns of a sample."""
REGION_MEASURES = ('counted', 'present', 'informed', 'agreeing', 'load_mean', 'load_sigma',
                   'mean_reach')
"""The measures of regions, the next columns of a sample: nan without regions. ``counted``,
``present`` and the measures of loads are also nan if the collected values are not sums."""
COUNTED, PRESENT, INFORMED, AGREEING, LOAD_MEAN, LOAD_SIGMA, MEAN_REACH = range(
    len(MEASURES), len(MEASURES) + len(REGION_MEASURES))
"""The column of each measure of regions."""
COLUMNS = MEASURES + REGION_MEASURES
