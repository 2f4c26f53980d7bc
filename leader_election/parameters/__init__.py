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

"""Parameters: each is declared once, with type, default, range, unit and description."""

from leader_election.parameters.parameter import (
    as_in,
    build,
    grouped,
    NoParameters,
    Parameter,
    parameter,
    ProcessParameters,
    REQUIRED_INT,
    table,
    to_yaml,
)
from leader_election.parameters.values import (
    as_number,
    as_whole_number,
    did_you_mean,
    ParameterError,
)

__all__ = [
    'NoParameters',
    'Parameter',
    'ParameterError',
    'ProcessParameters',
    'REQUIRED_INT',
    'as_in',
    'as_number',
    'as_whole_number',
    'build',
    'did_you_mean',
    'grouped',
    'parameter',
    'table',
    'to_yaml',
]
