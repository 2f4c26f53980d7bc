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
The limits of the wire format, the reasons for rejecting a message, and compact JSON.

The messages themselves are encoded in :mod:`leader_election.election.robot.codec`.
"""

from enum import Enum
import json
from typing import Any

MAX_ID = 2**53 - 1
"""The greatest integer that every JSON parser and every float64 holds exactly."""
MAX_NUMBER = 1e9
"""The greatest number that one robot may contribute; sums may grow to ``MAX_ID``."""
MAX_DECISION = 1024
"""The longest decision [characters]."""
MAX_NAMES = 200
"""The longest list of task names [characters]."""
MOST_LEVELS = 32
"""The deepest nesting of lists and objects in a decision."""
MOST_NUMBERS = 1024
"""The most numbers in one row."""


class RejectReason(str, Enum):
    """The reason for rejecting a message or a part of it; the value names its counter."""

    SIZE = 'rejected_size'
    MALFORMED = 'rejected_malformed'
    NON_FINITE = 'rejected_non_finite'
    NEGATIVE_DISTANCE = 'rejected_negative_distance'
    VERSION = 'rejected_version'
    ALGORITHM = 'rejected_algorithm'
    FRAME = 'rejected_frame'
    OWN_ID = 'rejected_own_id'
    NO_POSITION = 'rejected_no_position'
    LIMIT = 'rejected_neighbour_limit'
    IMPLAUSIBLE = 'rejected_implausible'
    SUMMARY = 'rejected_summary'
    DECISION = 'rejected_decision'
    TASKS = 'rejected_tasks'
    READING = 'rejected_reading'
    LOCALISATION = 'rejected_localisation'
    NAMES = 'rejected_names'
    UNSIGNED = 'rejected_unsigned'
    SIGNATURE = 'rejected_signature'
    REPLAY = 'rejected_replay'


def dumps(value: Any) -> str:
    """
    Return a value as compact JSON.

    :raises TypeError, ValueError: for values that JSON cannot express, infinities included.
    """
    return _encode(value)


_encode = json.JSONEncoder(separators=(',', ':'), allow_nan=False).encode


def decision_text(decisions: Any) -> str:
    """
    Return a leader's decisions as they are sent: a JSON list with an entry for each task.

    :raises ValueError: for anything but a list, a text that is too long, a nesting that is too
        deep, or a value that JSON cannot express.
    """
    if type(decisions) is not list:
        raise ValueError('it is not a list')
    try:
        text = dumps(decisions)
    except (TypeError, RecursionError) as error:
        raise ValueError(str(error)) from None
    if len(text) > MAX_DECISION:
        raise ValueError(f'it has {len(text)} characters in JSON; it may have {MAX_DECISION}')
    brackets = text.count('[') + text.count('{')
    if brackets > MOST_LEVELS and not _within(decisions, MOST_LEVELS):
        raise ValueError(f'it has more than {MOST_LEVELS} levels')
    return text


def _within(value: Any, levels: int) -> bool:
    """Return whether lists and objects are nested no deeper than a number of levels."""
    if not isinstance(value, (list, tuple, dict)):
        return True
    parts = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(_within(part, levels - 1) for part in parts)


def is_whole(value: Any, least: int = 0) -> bool:
    """
    Return whether a value is a whole number in range; 3.0 is one, as JSON Schema has it.

    :param least: the smallest number allowed; the greatest is ``MAX_ID``.

    >>> is_whole(3.0), is_whole(3.5), is_whole(True), is_whole(-1), is_whole(-1, least=-1)
    (True, False, False, False, True)
    """
    return type(value) in (int, float) and least <= value <= MAX_ID and value == int(value)
