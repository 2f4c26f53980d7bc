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
A scenario: an experiment told in one readable file.

Scenarios that come with the package are the files of ``leader_election/lab/scenarios``; a path to
any other file does as well. Each section is declared once, here, with ranges and units; what
a file says that is not declared is refused.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
import copy
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

from leader_election.algorithms import Algorithm, ALGORITHMS
from leader_election.lab.events import Event, EVENTS
from leader_election.lab.motions import Motion, MOTIONS
from leader_election.lab.topologies import TOPOLOGIES, Topology
from leader_election.parameters import build, parameter, ParameterError, table
from leader_election.robot.parameters import ElectionParameters
import numpy as np
from numpy.typing import NDArray
import yaml

FOLDER = Path(__file__).parent / 'scenarios'
INFINITE = float('inf')
T = TypeVar('T')


class ScenarioError(ValueError):
    """What a scenario may not say; the text is one line for people that names the key."""


@dataclass(frozen=True)
class Messages:
    """How messages get from one device to another."""

    range: float = parameter(
        INFINITE, 'A message is heard as far as this, inclusive. Where links are given, '
        'it does not count.', unit='m', lower=1e-9, upper=INFINITE)
    expiry: float = parameter(
        INFINITE, 'A message counts for so long after its receipt. .inf: as long as its sender '
        'is in range when a round runs.', unit='s', lower=1e-9, upper=INFINITE)
    loss: float = parameter(0.0, 'The part of messages that is lost, for each receiver.',
                            lower=0.0, upper=1.0)
    delay: tuple[float, ...] = parameter(
        (0.0, 0.0), 'How long a message takes, at random between two times.', unit='s',
        lengths=(2,))
    duplication: float = parameter(0.0, 'The part of messages that arrives twice; takes a delay.',
                                   lower=0.0, upper=1.0)
    metric: str = parameter('distance', 'How far a neighbour is: as it is now, or 1.',
                            choices=lambda: ('distance', 'hops'))
    floor: float = parameter(0.01, 'The least distance to a neighbour.', unit='m', lower=0.0,
                             upper=1e6)

    def __post_init__(self) -> None:
        """Refuse what makes no sense together."""
        if not 0.0 <= self.delay[0] <= self.delay[1]:
            raise ParameterError(f'parameter delay: {self.delay} is not allowed; it takes two '
                                 'times in ascending order, at least 0 s')
        if self.duplication > 0.0 and self.delay[1] == 0.0:
            raise ParameterError(f'parameter duplication: {self.duplication} is not allowed; '
                                 'it takes a delay greater than 0 s')


@dataclass(frozen=True)
class Rounds:
    """When devices run their rounds."""

    period: float = parameter(1.0, 'Time between two rounds of a device.', unit='s', lower=1e-3,
                              upper=1e6)
    phase: str = parameter(
        'random', 'When in the first period a device begins: at random, all together, or by its '
        'place: as far into the period as it is across the area it was placed in.',
        choices=lambda: ('random', 'together', 'place'))
    acquainted: bool = parameter(
        False, 'Whether all have heard, before the first round, in what state those in their '
        'range begin.')
    spread: float = parameter(
        0.0, 'By how much periods of devices differ, as a part of the period.', lower=0.0,
        upper=0.99)
    jitter: float = parameter(
        0.0, 'By how much a period varies from round to round, as a part of it.', lower=0.0,
        upper=0.99)


STRENGTHS = ('random', 'degree', 'id', 'lower_id', 'equal')


@dataclass(frozen=True)
class Strength:
    """What makes a device strong."""

    cycle: tuple[str, ...] = parameter(
        ('random',), 'One of random (0 to 1, drawn anew each time), degree (the neighbours heard '
        'since then), id, lower_id (the id, negated), equal; or several, one after another.')
    every: float = parameter(INFINITE, 'Time from one to the next.', unit='s', lower=1e-3,
                             upper=INFINITE)

    def __post_init__(self) -> None:
        """Refuse a strength that is not known."""
        for kind in self.cycle or ('nothing',):
            if kind not in STRENGTHS:
                raise ParameterError(f'parameter cycle: {kind!r} is not allowed; it takes some '
                                     f'of {", ".join(STRENGTHS)}')


@dataclass(frozen=True)
class Measure:
    """What is measured."""

    window: int = parameter(
        10, 'Instability is the part of so many last rounds in which the leader changed.',
        unit='rounds', lower=1, upper=63)
    interval: float = parameter(1.0, 'Time between two samples.', unit='s', lower=1e-3, upper=1e6)


@dataclass(frozen=True)
class Group:
    """Some devices, placed alike."""

    topology: Topology
    parameters: Any
    moves: bool


@dataclass(frozen=True)
class Entrant:
    """An algorithm that takes part."""

    label: str
    algorithm: Algorithm
    parameters: Any
    """What its ``configure`` returned."""
    weakest: bool
    """Whether it is handed negated strengths, so that the weakest wins."""


@dataclass(frozen=True)
class Scenario:
    """An experiment, checked."""

    name: str
    text: str
    """The whole of it as YAML."""
    title: str
    source: str
    duration: float
    """[s]."""
    entrants: tuple[Entrant, ...]
    groups: tuple[Group, ...]
    motion: Motion
    motion_parameters: Any
    tick: float
    """Time between two steps of a device [s]."""
    messages: Messages
    rounds: Rounds
    strength: Strength
    measure: Measure
    events: tuple[tuple[Event, Any], ...]
    """In the order of their times."""
    first_id: int
    vary: Mapping[str, Sequence[Any]]

    def entrant(self, label: str) -> Entrant:
        """Return an algorithm by its label; an unknown one is a :class:`ScenarioError`."""
        for entrant in self.entrants:
            if entrant.label == label:
                return entrant
        known = ', '.join(entrant.label for entrant in self.entrants)
        raise ScenarioError(f'scenario {self.name} has no algorithm {label!r}; it has {known}')

    def times(self) -> NDArray[np.float64]:
        """Return the times of the samples [s]."""
        count = int(np.floor(self.duration / self.measure.interval + 1e-9))
        return np.arange(1, count + 1, dtype=np.float64) * self.measure.interval

    def replaced(self, values: Mapping[str, Any]) -> 'Scenario':
        """
        Return the same scenario with other values, by dotted keys such as ``messages.loss``.

        In a list, every entry that has the key gets the value.
        """
        raw = yaml.safe_load(self.text)
        for key, value in values.items():
            _replace(raw, key.split('.'), value, self.name, key)
        return parse(raw, self.name)

    def variants(self) -> list[tuple[dict[str, Any], 'Scenario']]:
        """Return all combinations of what varies, each with its scenario."""
        combinations = [dict(zip(self.vary, values)) for values in product(*self.vary.values())]
        return [(values, self.replaced({**values, 'vary': {}})) for values in combinations]


def names() -> tuple[str, ...]:
    """Return the names of the scenarios that come with the package."""
    return tuple(sorted(file.stem for file in FOLDER.glob('*.yaml')))


def load(name_or_path: str) -> Scenario:
    """
    Return a scenario by its name or its path.

    :raises ScenarioError: where there is none, or it says what it may not.
    """
    path = FOLDER / f'{name_or_path}.yaml'
    if name_or_path not in names():
        path = Path(name_or_path)
        if path.suffix not in ('.yaml', '.yml'):
            raise ScenarioError(f'unknown scenario {name_or_path!r}; it takes the path of a '
                                f'.yaml file or one of {", ".join(names())}')
    try:
        raw = yaml.safe_load(path.read_text())
    except (OSError, ValueError) as error:
        raise ScenarioError(f'scenario {path}: cannot be read ({error})') from None
    except yaml.YAMLError as error:
        raise ScenarioError(f'scenario {path}: is not YAML ({" ".join(str(error).split())})') \
            from None
    return parse(raw, path.stem)


KEYS = ('title', 'source', 'duration', 'algorithms', 'devices', 'first_id', 'motion', 'messages',
        'rounds', 'strength', 'measure', 'events', 'vary')
REQUIRED = ('duration', 'algorithms', 'devices')


def parse(raw: Any, name: str) -> Scenario:
    """Return a scenario out of what its YAML says; name is for messages."""
    if not isinstance(raw, dict):
        raise ScenarioError(f'scenario {name}: takes keys and values')
    for key in raw:
        if key not in KEYS:
            raise ScenarioError(f'scenario {name}: unknown key {key}; known: {", ".join(KEYS)}')
    for key in REQUIRED:
        if raw.get(key) in (None, []):
            raise ScenarioError(f'scenario {name}: {key} is missing')
    duration = raw['duration']
    if type(duration) not in (int, float) or not 0.0 < duration <= 1e9:
        raise ScenarioError(f'scenario {name}: duration: {duration!r} is not allowed; '
                            'it takes more than 0 s, up to 1e9')
    for key in ('title', 'source'):
        if type(raw.get(key, '')) is not str:
            raise ScenarioError(f'scenario {name}: {key}: {raw[key]!r} is not allowed; '
                                'it takes a text')
    first_id = raw.get('first_id', 0)
    if type(first_id) is not int or not 0 <= first_id <= 2**31:
        raise ScenarioError(f'scenario {name}: first_id: {first_id!r} is not allowed; '
                            'it takes a whole number from 0 to 2147483648')
    motion = dict(_mapping(raw.get('motion'), name, 'motion') or {'kind': 'static'})
    tick = motion.pop('tick', 1.0)
    if type(tick) not in (int, float) or not 1e-3 <= tick <= 1e6:
        raise ScenarioError(f'scenario {name}: motion.tick: {tick!r} is not allowed; '
                            'it takes 0.001 to 1e6 s')
    kind, motion_parameters = _kind(MOTIONS, motion, name, 'motion')
    scenario = Scenario(
        name=name,
        text=yaml.safe_dump(raw, sort_keys=False),
        title=raw.get('title', name),
        source=raw.get('source', ''),
        duration=float(duration),
        entrants=tuple(_entrant(entry, name) for entry in _list(raw, 'algorithms', name)),
        groups=tuple(_group(entry, name) for entry in _list(raw, 'devices', name)),
        motion=kind,
        motion_parameters=motion_parameters,
        tick=float(tick),
        messages=_section(Messages, raw, 'messages', name),
        rounds=_section(Rounds, raw, 'rounds', name),
        strength=_section(Strength, raw, 'strength', name),
        measure=_section(Measure, raw, 'measure', name),
        events=tuple(sorted((_kind(EVENTS, entry, name, 'events')
                             for entry in _list(raw, 'events', name)),
                            key=lambda event: float(event[1].at))),
        first_id=first_id,
        vary=_vary(raw, name))
    labels = [entrant.label for entrant in scenario.entrants]
    for label in labels:
        if labels.count(label) > 1:
            raise ScenarioError(f'scenario {name}: algorithms: two are called {label!r}; '
                                'give each a label')
    if duration < scenario.measure.interval:
        raise ScenarioError(f'scenario {name}: duration: {duration!r} is not allowed; it takes '
                            'at least measure.interval')
    if scenario.vary:
        # What is wrong in a variant is found now, not after an hour.
        scenario.variants()
    return scenario


def _section(kind: type[T], raw: Mapping[str, Any], key: str, name: str) -> T:
    values = _mapping(raw.get(key), name, key)
    with section(name, key):
        return build(kind, values)


def _vary(raw: Mapping[str, Any], name: str) -> Mapping[str, Sequence[Any]]:
    vary = _mapping(raw.get('vary'), name, 'vary')
    for key, values in vary.items():
        if not isinstance(key, str) or key.split('.')[0] == 'vary':
            raise ScenarioError(f'scenario {name}: vary: there is no {key} to change')
        if not isinstance(values, list) or not values:
            raise ScenarioError(f'scenario {name}: vary.{key}: takes a list of values')
        for k, value in enumerate(values):
            if value in values[:k]:
                raise ScenarioError(f'scenario {name}: vary.{key}: {value!r} is there twice')
    return vary


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


def _kind(registry: Any, values: Any, name: str, key: str) -> tuple[Any, Any]:
    """Return an entry of a registry, by ``kind``, and its parameters."""
    rest = dict(_mapping(values, name, key))
    kind = rest.pop('kind', None)
    if kind not in registry.names():
        raise ScenarioError(f'scenario {name}: {key}.kind: {kind!r} is not allowed; it takes one '
                            f'of {", ".join(registry.names())}')
    entry = registry.get(kind)
    with section(name, key):
        return entry, build(entry.parameters, rest)


def _group(values: Any, name: str) -> Group:
    rest = dict(_mapping(values, name, 'devices'))
    moves = rest.pop('moves', True)
    if type(moves) is not bool:
        raise ScenarioError(f'scenario {name}: devices.moves: {moves!r} is not allowed; '
                            'it takes true or false')
    return Group(*_kind(TOPOLOGIES, rest, name, 'devices'), moves)


def _entrant(values: Any, name: str) -> Entrant:
    rest = dict(_mapping(values, name, 'algorithms'))
    kind = rest.pop('name', None)
    if kind not in ALGORITHMS.names():
        raise ScenarioError(f'scenario {name}: algorithms.name: {kind!r} is not allowed; it takes '
                            f'one of {", ".join(ALGORITHMS.names())}')
    label, wins = rest.pop('label', kind), rest.pop('wins', 'strongest')
    if type(label) is not str or not label:
        raise ScenarioError(f'scenario {name}: algorithms.label: {label!r} is not allowed; '
                            'it takes a text that is not empty')
    if wins not in ('strongest', 'weakest'):
        raise ScenarioError(f'scenario {name}: algorithms.wins: {wins!r} is not allowed; it takes '
                            'strongest or weakest')
    algorithm = ALGORITHMS.get(kind)
    known = {p.name: p for p in table(ElectionParameters)}
    for key in rest:
        if key not in algorithm.takes:
            raise ScenarioError(
                f'scenario {name}: algorithms.{key}: algorithm {kind} takes no {key}, but '
                f'{", ".join(algorithm.takes) or "nothing"}')
    if rest.get('radius') == 0:
        raise ScenarioError(f'scenario {name}: algorithms.radius: {rest["radius"]!r} is not '
                            'allowed; it takes more than 0 m')
    with section(name, 'algorithms'):
        settings = {key: known[key].check(rest.get(key, known[key].default))
                    for key in algorithm.takes}
    return Entrant(label, algorithm, algorithm.parameters(settings), wins == 'weakest')


def _mapping(values: Any, name: str, key: str) -> Mapping[str, Any]:
    if values is None:
        # A heading with nothing below it.
        return {}
    if not isinstance(values, dict):
        raise ScenarioError(f'scenario {name}: {key}: takes keys and values, not {values!r}')
    return values


def _list(raw: Mapping[str, Any], key: str, name: str) -> Sequence[Any]:
    values = raw.get(key)
    if values is None:
        return []
    if not isinstance(values, list):
        raise ScenarioError(f'scenario {name}: {key}: takes a list, not {values!r}')
    return values


def _replace(raw: Any, keys: Sequence[str], value: Any, name: str, dotted: str) -> None:
    first, *rest = keys
    places = [raw] if isinstance(raw, dict) else [
        entry for entry in raw if isinstance(entry, dict) and first in entry] \
        if isinstance(raw, list) else []
    if not places:
        raise ScenarioError(f'scenario {name}: there is no {dotted} to change')
    for place in places:
        if rest:
            _replace(place.setdefault(first, {}), rest, value, name, dotted)
        else:
            place[first] = copy.deepcopy(value)
