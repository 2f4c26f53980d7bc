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

"""How each part of a scenario is read; what a file says that is not declared is refused."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
import copy
import math
import re
from typing import Any, TypeVar

from leader_election.algorithms import ALGORITHMS
from leader_election.coordination.region import CANDIDATE, ROLES
from leader_election.lab.regions import with_regions
from leader_election.lab.schema import Entrant, Group, Regions
from leader_election.lab.topologies import TOPOLOGIES
from leader_election.parameters import build, ParameterError, table
from leader_election.robot.parameters import ElectionParameters

T = TypeVar('T')

KEYS = ('title', 'source', 'duration', 'algorithms', 'devices', 'first_id', 'motion', 'messages',
        'rounds', 'strength', 'measure', 'events', 'vary')
LABEL = r'[\w-][\w. -]*'
"""Labels become names of files."""
LARGEST_RADIUS = 1e6
"""[m]. A robot may also be told 0; then all lead, and there is nothing to measure."""
MOST_CONTRIBUTED = 1e9


class ScenarioError(ValueError):
    """What a scenario may not say; the text is one line for people that names the key."""


def section_of(kind: type[T], raw: Mapping[str, Any], key: str, name: str) -> T:
    """Return a section that is declared as a dataclass."""
    values = mapping_of(raw.get(key), name, key)
    with section(name, key):
        return build(kind, values)


@contextmanager
def section(name: str, key: str) -> Iterator[None]:
    """Say what is wrong with parameters of a section as a :class:`ScenarioError`."""
    try:
        yield
    except ParameterError as error:
        raise ScenarioError(f'scenario {name}: {_dotted(str(error), key)}') from None


def _dotted(text: str, key: str) -> str:
    """Name a key of a section in full."""
    for start in ('unknown parameter ', 'parameter '):
        if text.startswith(start):
            return f'{start.replace("parameter", "key").removeprefix("key ")}{key}.' \
                + text.removeprefix(start)
    return f'{key}: {text}'


def kind_of(registry: Any, values: Any, name: str, key: str) -> tuple[Any, Any]:
    """Return an entry of a registry, by ``kind``, and its parameters."""
    rest = dict(mapping_of(values, name, key))
    kind = rest.pop('kind', None)
    if kind not in registry.names():
        raise ScenarioError(f'scenario {name}: {key}.kind: {kind!r} is not allowed; it takes one '
                            f'of {", ".join(registry.names())}')
    entry = registry.get(kind)
    with section(name, key):
        return entry, build(entry.parameters, rest)


def group_of(values: Any, name: str) -> Group:
    """Return an entry of ``devices``."""
    rest = dict(mapping_of(values, name, 'devices'))
    role, contributes = rest.pop('role', ROLES[CANDIDATE]), rest.pop('contributes', 1.0)
    if role not in ROLES:
        raise ScenarioError(f'scenario {name}: devices.role: {role!r} is not allowed; it takes '
                            f'one of {", ".join(ROLES)}')
    if type(contributes) not in (int, float) or not abs(contributes) <= MOST_CONTRIBUTED:
        raise ScenarioError(f'scenario {name}: devices.contributes: {contributes!r} is not '
                            f'allowed; it takes a number up to {MOST_CONTRIBUTED:g}')
    answers = {key: rest.pop(key, True) for key in ('moves', 'among')}
    for key, answer in answers.items():
        if type(answer) is not bool:
            raise ScenarioError(f'scenario {name}: devices.{key}: {answer!r} is not allowed; '
                                'it takes true or false')
    return Group(*kind_of(TOPOLOGIES, rest, name, 'devices'), **answers, role=ROLES.index(role),
                 contributes=float(contributes))


def entrant_of(values: Any, name: str, link_range: float) -> Entrant:
    """
    Return an entry of ``algorithms``.

    :param link_range: where a neighbour is heard no more, in the metric; infinite: not known.
    """
    rest = dict(mapping_of(values, name, 'algorithms'))
    kind = rest.pop('name', None)
    if kind not in ALGORITHMS.names():
        raise ScenarioError(f'scenario {name}: algorithms.name: {kind!r} is not allowed; it takes '
                            f'one of {", ".join(ALGORITHMS.names())}')
    label, wins = rest.pop('label', kind), rest.pop('wins', 'strongest')
    if type(label) is not str or not re.fullmatch(LABEL, label):
        raise ScenarioError(f'scenario {name}: algorithms.label: {label!r} is not allowed; it '
                            "takes letters, digits, '-' and '_', and after these '.' and ' ' too")
    if wins not in ('strongest', 'weakest'):
        raise ScenarioError(f'scenario {name}: algorithms.wins: {wins!r} is not allowed; it takes '
                            'strongest or weakest')
    algorithm = ALGORITHMS.get(kind)
    asked = rest.pop('regions', False)
    known = {p.name: p for p in table(ElectionParameters)}
    for key in rest:
        if key not in algorithm.takes:
            raise ScenarioError(
                f'scenario {name}: algorithms.{key}: algorithm {kind} takes no {key}, but '
                f'{", ".join(algorithm.takes) or "nothing"}')
    radius = rest.get('radius', 1.0)
    if type(radius) not in (int, float) or not 0.0 < radius <= LARGEST_RADIUS:
        raise ScenarioError(f'scenario {name}: algorithms.radius: {radius!r} is not allowed; '
                            f'it takes more than 0 m, up to {LARGEST_RADIUS:g} m')
    with section(name, 'algorithms'):
        settings = {key: known[key].check(rest.get(key, known[key].default))
                    for key in algorithm.takes}
    parameters = algorithm.parameters(settings)
    if asked is False:
        return Entrant(label, algorithm, parameters, wins == 'weakest')
    regions = _regions(asked, name)
    with section(name, 'algorithms.regions'):
        algorithm, parameters = with_regions(
            algorithm, parameters, regions, settings.get('radius', math.inf), link_range)
    return Entrant(label, algorithm, parameters, wins == 'weakest', regions)


def _regions(values: Any, name: str) -> Regions:
    """Return ``regions`` of an entry of ``algorithms``."""
    rest = mapping_of(values, name, 'algorithms.regions')
    if 'role' in rest:
        raise ScenarioError(f'scenario {name}: algorithms.regions.role: is not allowed; a role '
                            'is told for each group of devices')
    known = [p.name for p in table(Regions) if p.name != 'role']
    for key in rest:
        if key not in known:
            raise ScenarioError(f'scenario {name}: unknown key algorithms.regions.{key}; known: '
                                f'{", ".join(known)}')
    with section(name, 'algorithms.regions'):
        return build(Regions, rest)


def mapping_of(values: Any, name: str, key: str) -> Mapping[str, Any]:
    """Return keys and values."""
    if values is None:
        # A heading with nothing below it.
        return {}
    if not isinstance(values, dict):
        raise ScenarioError(f'scenario {name}: {key}: takes keys and values, not {values!r}')
    return values


def list_of(raw: Mapping[str, Any], key: str, name: str) -> Sequence[Any]:
    """Return a list of entries."""
    values = raw.get(key)
    if values is None:
        return []
    if not isinstance(values, list):
        raise ScenarioError(f'scenario {name}: {key}: takes a list, not {values!r}')
    return values


def replace(raw: Any, keys: Sequence[str], value: Any, name: str, dotted: str) -> None:
    """Put a value in the place of another, in every entry of a list that has the key."""
    first, *rest = keys
    places = [raw] if isinstance(raw, dict) else [
        entry for entry in raw if isinstance(entry, dict) and first in entry] \
        if isinstance(raw, list) else []
    if not places:
        raise ScenarioError(f'scenario {name}: there is no {dotted} to change')
    for place in places:
        if rest:
            replace(place.setdefault(first, {}), rest, value, name, dotted)
        else:
            place[first] = copy.deepcopy(value)
