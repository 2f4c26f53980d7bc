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

"""The hint of an error line at the name that was probably meant."""

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """
    Return a question that names the most similar known name, ending in a space.

    :param name: as given; anything but a text has no similar name.
    :return: empty if no known name is similar.

    >>> did_you_mean('raduis', ['range', 'radius']), did_you_mean('colour', ['range', 'radius'])
    ('did you mean radius? ', '')
    """
    near = get_close_matches(name, list(known), 1) if isinstance(name, str) else []
    return f'did you mean {near[0]}? ' if near else ''
