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
Find the folder of logs of real robots: MRCLAM 6, free for research only and not in the package.

The command ``logs convert`` makes the folder from the data set (doc/robots.md describes how). The
environment variable ``LEADER_ELECTION_MRCLAM`` names the folder, or it lies beside the checkout.
"""

import os
from pathlib import Path

from leader_election.parameters import ParameterError
from leader_election.simulation.robot_logs import log_paths

VARIABLE = 'LEADER_ELECTION_MRCLAM'
ROBOTS = 5
_BESIDE = Path(__file__).resolve().parents[2] / 'shared' / 'reference' / 'mrclam6'
MISSING = (f'the logs of real robots are not here: set {VARIABLE} to the folder that '
           'leader_election logs convert made of MRCLAM 6 (doc/robots.md, section 10)')


def real_logs() -> str:
    """
    Return the folder of the logs.

    :raises ParameterError: if there is none, or the named folder holds other logs.
    """
    named = os.environ.get(VARIABLE, '')
    folder = Path(named) if named else _BESIDE
    if not named and not folder.is_dir():
        raise ParameterError(MISSING)
    found = len(log_paths(folder)) if folder.is_dir() else 0
    if found != ROBOTS:
        raise ParameterError(f'{VARIABLE}: {folder} holds {found} logs; MRCLAM 6 has {ROBOTS}')
    return str(folder)
