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

# flake8: noqa: A005

"""Numbers with an exponent, which YAML 1.1 reads as text."""

import math
import re
from typing import Any

WITH_EXPONENT = re.compile(r'[-+]?([0-9][0-9_]*(\.[0-9_]*)?|\.[0-9][0-9_]*)[eE][-+]?[0-9]+')
"""YAML 1.1 reads such a number as text unless it has a point and a sign in the exponent."""


def as_number(value: Any) -> Any:
    """
    Return a value where a number is declared: for a text such as ``1e1`` its number.

    For declared numbers only: where a text is declared, ``1e1`` stays a text.

    :param value: as read from YAML.
    :return: the number; any other value unchanged, also a number too large for a float.

    >>> [as_number(value) for value in ('1e1', '-2.5E-3', '.5e2', '1_000e1', 3, 'ten', '1e999')]
    [10.0, -0.0025, 50.0, 10000.0, 3, 'ten', '1e999']
    """
    if not isinstance(value, str) or not WITH_EXPONENT.fullmatch(value):
        return value
    number = float(value.replace('_', ''))
    return number if math.isfinite(number) else value


def as_whole_number(value: Any) -> Any:
    """
    Return a value where a whole number is declared; for a text such as ``1e3`` its number.

    >>> [as_whole_number(value) for value in ('1e3', '2.5e1', '1e-3', 7, 7.0, 'x')]
    [1000, 25, '1e-3', 7, 7.0, 'x']
    """
    number = as_number(value)
    whole = isinstance(value, str) and isinstance(number, float) and number.is_integer()
    return int(number) if whole else value
