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

"""Parse and check a scenario and its variations, and refuse undeclared keys."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
import copy
from dataclasses import replace
import math
import re
from types import FunctionType
from typing import Any, NamedTuple, TypeVar

from leader_election.election.algorithms import Algorithm, ALGORITHMS
from leader_election.election.algorithms.algorithm import hop_limit
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.parameters import (
    build,
    did_you_mean,
    LeaderElectionError,
    Parameter,
    ParameterError,
    table,
)
from leader_election.parameters.registry import explained, place_of
from leader_election_lab.experiment import schema
from leader_election_lab.simulation.composed_rounds import by_id, with_regions
from leader_election_lab.simulation.network_events import ChangeStrength, Event, State
from leader_election_lab.simulation.variants import with_levels
from leader_election_lab.topologies import TOPOLOGIES

T = TypeVar('T')

KEYS = ('title', 'source', 'duration', 'algorithms', 'devices', 'first_id', 'motion', 'messages',
        'localisation', 'rounds', 'strength', 'sensor', 'measure', 'events', 'vary')
LABEL = r'[\w-][\w. -]*'
"""Labels become names of files."""
LARGEST_RADIUS = 1e6
"""[m]. A robot also accepts 0, with which every device leads, so that nothing can be measured."""
MOST_LEVELS = 1000
"""Greatest depth of a recursive election. Each level adds 32 bytes to the state of a device."""
LARGEST_EXACT_INT = 2**53
"""Up to this number every integer is exact as a float."""


class ScenarioError(LeaderElectionError, ValueError):
    """An invalid scenario. The text is one line for the user that names the key."""


@contextmanager
def of_scenario(name: str) -> Iterator[None]:
    """Convert errors of values and of users' code in a block into a :class:`ScenarioError`."""
    try:
        yield
    except ParameterError as error:
        raise ScenarioError(f'scenario {name}: {error}') from None
    except Exception as error:
        if not place_of(error):
            raise
        raise ScenarioError(f'scenario {name}: {explained(error)}') from None


def wrong(key: str, value: Any = None, allowed: str = '', *, problem: str = '') -> ParameterError:
    """Return the error of a key of a scenario, as :class:`ParameterError` describes it."""
    return ParameterError(key, value, allowed, problem=problem, kind='')


@contextmanager
def in_section(key: str) -> Iterator[None]:
    """
    Put the key of a section before the names in a ``ParameterError`` of a block.

    :param key: dotted path of the section, empty for the scenario itself.
    """
    try:
        yield
    except ParameterError as error:
        if not error.name:
            raise wrong(key, problem=f': {error}') from None
        kind = 'unknown key' if error.kind == 'unknown parameter' else ''
        raise error.named(f'{key}.{error.name}' if key else error.name, kind) from None


def parse_section(kind: type[T], raw: Mapping[str, Any], key: str) -> T:
    """
    Return a section of a scenario, checked against the dataclass that declares it.

    :param kind: the dataclass, of ``leader_election.parameters.parameter`` fields.
    :param raw: the whole scenario, as read from YAML.
    :param key: of the section in ``raw``. A missing section has all defaults.
    :raises ParameterError: for an unknown key or a value that is not allowed, named by its dotted
        path, as all functions of this module.
    """
    values = as_mapping(raw.get(key), key)
    with in_section(key):
        return build(kind, values)


def parse_kind(registry: Any, values: Any, key: str) -> tuple[Any, Any]:
    """
    Return the entry of a registry that ``kind`` names, and its checked parameters.

    :param values: ``kind`` and the values of that entry's own parameters.
    :param key: dotted path of the section.
    """
    rest = dict(as_mapping(values, key))
    entry = entry_of(registry, rest.pop('kind', None), f'{key}.kind')
    with in_section(key):
        return entry, build(entry.parameters, rest)


def entry_of(registry: Any, name: Any, key: str) -> Any:
    """Return the entry of a registry that the value of a key names."""
    if name in registry.names():
        return registry.get(name)
    if name in list(registry.broken()):
        raise wrong(key, problem=f': {name} cannot be loaded: {registry.broken()[name]}')
    raise wrong(key, problem=f': {name!r} is not allowed; '
                f'{did_you_mean(name, registry.names())}it takes one of '
                f'{", ".join(registry.names())}')


def parse_group(values: Any) -> schema.Group:
    """Return the group that one entry of ``devices`` declares."""
    own, rest = split_own(schema.Member, as_mapping(values, 'devices'), 'devices')
    topology, parameters = parse_kind(TOPOLOGIES, rest, 'devices')
    return schema.Group(topology, parameters, own)


def parse_entrant(values: Any, link_range: float) -> schema.Entrant:
    """
    Return the algorithm, with its parameters, that one entry of ``algorithms`` declares.

    :param link_range: the distance beyond which messages are not received, in the metric of the
        scenario (metres or hops), infinite if unknown.
    """
    rest = dict(as_mapping(values, 'algorithms'))
    kind = rest.pop('name', None)
    algorithm = entry_of(ALGORITHMS, kind, 'algorithms.name')
    check_code(algorithm)
    label, wins = rest.pop('label', kind), rest.pop('wins', 'strongest')
    levels, raw_regions = rest.pop('levels', None), rest.pop('regions', False)
    if type(label) is not str or not re.fullmatch(LABEL, label):
        raise wrong('algorithms.label', label,
                    "letters, digits, '-' and '_', and after these '.' and ' ' too")
    if wins not in ('strongest', 'weakest'):
        raise wrong('algorithms.wins', wins, 'strongest or weakest')
    if wins == 'weakest':
        algorithm = by_id(algorithm)
    if levels is not None and algorithm.levels == 0:
        raise wrong('algorithms.levels', problem=f': algorithm {kind} takes no levels')
    if levels is not None and (type(levels) is not int or not 2 <= levels <= MOST_LEVELS):
        raise wrong('algorithms.levels', levels, f'a whole number from 2 to {MOST_LEVELS}')
    known = {p.name: p for p in (*table(ElectionParameters), *table(algorithm.parameters),
                                 *table(schema.PaperSettings))}
    for key in rest:
        if key not in algorithm.takes:
            raise wrong(f'algorithms.{key}', problem=f': algorithm {kind} takes no {key}, but '
                        f'{", ".join(algorithm.takes) or "nothing"}')
    radius = rest.get('radius', 1.0)
    if type(radius) not in (int, float) or not 0.0 < radius <= LARGEST_RADIUS:
        raise wrong('algorithms.radius', radius, f'more than 0 m, up to {LARGEST_RADIUS:g} m')
    with in_section('algorithms'):
        # Keys that a scenario omits are as in the papers: the defaults of the function.
        settings = {key: known[key].check(_given(known[key], rest))
                    for key in algorithm.takes
                    if key in known and (key in rest or key not in algorithm.as_published)}
        if 'hop_limit' in settings:
            settings['hop_limit'] = hop_limit(
                settings['hop_limit'], settings.get('radius', math.inf), link_range)
        parameters = algorithm.round_parameters(settings)
    effective = tuple({**algorithm.as_published, **settings}.items())
    regions = None if raw_regions is False else _parse_regions(raw_regions)
    if regions is not None:
        with in_section('algorithms.regions'):
            algorithm, parameters = with_regions(
                algorithm, parameters, regions, settings.get('radius', math.inf), link_range)
    if levels is not None:
        algorithm = with_levels(algorithm, levels)
    return schema.Entrant(label=label, algorithm=algorithm, parameters=parameters,
                          weakest=wins == 'weakest', regions=regions,
                          settings=effective)


def check_code(algorithm: Algorithm) -> None:
    """Refuse an algorithm of a user that cannot be compiled, or whose state cannot be sent."""
    problem = '' if isinstance(algorithm.round, FunctionType) else \
        f'its round is {algorithm.round!r}; it takes a plain function'
    try:
        assert algorithm.fields
    except TypeError as error:
        problem = str(error)
    if problem:
        raise wrong('algorithms.name', problem=f': {algorithm.name}: {problem}')


def _given(parameter: Parameter, values: Mapping[str, Any]) -> Any:
    """
    Return the value that a section gives a parameter, or the default. Ids may be a list.

    >>> from leader_election.election.algorithms.given import GivenSettings
    >>> _given(table(GivenSettings)[0], {'leaders': [0, 5]})
    '0,5'
    """
    value = values.get(parameter.name, parameter.default)
    ids = value if isinstance(value, list) else [value]
    if parameter.type is str and all(type(each) is int for each in ids):
        return ','.join(map(str, ids))
    return value


def extended(entrant: schema.Entrant, events: Sequence[tuple[Event, Any]]) -> schema.Entrant:
    """Return an entrant whose algorithm has the fields that the events set."""
    algorithm = entrant.algorithm
    for event, _ in events:
        if event.extend is not None:
            algorithm = event.extend(algorithm)
    return replace(entrant, algorithm=algorithm)


def _parse_regions(values: Any) -> schema.Regions:
    """Return the settings that ``regions`` of an entry of ``algorithms`` declares."""
    rest, key = as_mapping(values, 'algorithms.regions'), 'algorithms.regions'
    if 'role' in rest:
        raise wrong(f'{key}.role', problem=': is not allowed; a role is given for each group of '
                    'devices')
    with in_section(key):
        return build(schema.Regions, rest)


def as_mapping(values: Any, key: str) -> Mapping[str, Any]:
    """Return a section as a mapping, which is empty for a key without a value."""
    if values is None:
        # YAML reads a heading with nothing below it as null.
        return {}
    if not isinstance(values, dict):
        raise wrong(key, problem=f': takes keys and values, not {values!r}')
    return values


def split_own(kind: type[T], values: Mapping[str, Any], key: str = '',
              ) -> tuple[T, Mapping[str, Any]]:
    """
    Return the checked keys that a dataclass declares, and the others.

    :param key: dotted path of the section, empty for the scenario itself.
    """
    own = {parameter.name for parameter in table(kind)}
    with in_section(key):
        return (build(kind, {each: value for each, value in values.items() if each in own}),
                {each: value for each, value in values.items() if each not in own})


def split_section(raw: Mapping[str, Any], section: str, key: str,
                  ) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """
    Return the own parameters that a section gives, and the scenario without them.

    :param key: the key of the own parameters in the section.
    """
    values = dict(as_mapping(raw.get(section), section))
    own = as_mapping(values.pop(key, None), f'{section}.{key}')
    return own, {**raw, section: values}


def as_list(raw: Mapping[str, Any], key: str) -> Sequence[Any]:
    """Return a section as a list of entries, which is empty if the section is missing."""
    values = raw.get(key)
    if values is None:
        return []
    if not isinstance(values, list):
        raise wrong(key, problem=f': takes a list, not {values!r}')
    return values


def check_events(events: Sequence[tuple[Event, Any]], duration: float, strength: schema.Strength,
                 entrants: Sequence[schema.Entrant]) -> None:
    """Refuse events without effect, or with an unintended one."""
    for event, parameters in events:
        if parameters.at > duration:
            raise wrong('events.at', problem=f': {parameters.at:g} is not allowed; it takes up to '
                        f'duration, which is {duration:g} s')
        if isinstance(parameters, ChangeStrength) and any(
                kind == 'degree' or kind not in schema.STRENGTHS for kind in strength.cycle):
            raise wrong('events.kind', event.name,
                        'a strength.cycle without degree, which each round sets anew')
        if isinstance(parameters, State):
            for field, value in zip(parameters.fields, parameters.values):
                _check_field(field, value, entrants)


def check_groups(groups: Sequence[schema.Group], entrants: Sequence[schema.Entrant]) -> None:
    """Refuse keys of regions if an algorithm has no regions."""
    for entrant in entrants:
        for group in groups:
            for key in ('role', 'contributes'):
                if entrant.regions is None and getattr(group.member, key) != getattr(
                        schema.Member, key):
                    raise wrong(f'devices.{key}', problem=': is not allowed; it is for algorithms '
                                f'with regions, and {entrant.label} has none')


def _check_field(field: str, value: float, entrants: Sequence[schema.Entrant]) -> None:
    fields = [f for entrant in entrants for f in entrant.algorithm.fields]
    types = [f.type for f in fields if f.name == field]
    if not types:
        raise wrong('events.fields', field,
                    f'some of {", ".join(dict.fromkeys(f.name for f in fields))}')
    if int in types and not (value.is_integer() and abs(value) <= LARGEST_EXACT_INT):
        raise wrong('events.values', value,
                    f'a whole number for {field}, up to {LARGEST_EXACT_INT}')


FIXED_KEYS = ('title', 'source', 'algorithms.name', 'algorithms.label', 'events.kind')
"""Keys that cannot vary, because they identify the results."""
SAME = ': is not allowed; all variants have the same'
ALGORITHMS_KEY = 'algorithms'


class Change(NamedTuple):
    """One of the values of a dimension that varies."""

    value: Any
    """The coordinate of this value in the results."""
    keys: Mapping[str, Any]
    """The values of dotted keys that turn the scenario into this variant."""


def replace_value(raw: Any, keys: Sequence[str], value: Any, dotted: str) -> None:
    """
    Replace a value of a raw scenario in place, in every entry of a list that has the key.

    In ``algorithms``, ``<label>.<key>`` is the key of one entry, and a parameter that no entry
    gives applies to all algorithms that take it.

    :param keys: the parts of the dotted key.
    :param dotted: the whole key, for error texts.
    """
    first, *rest = keys
    if first == ALGORITHMS_KEY and rest and isinstance(raw, dict) and isinstance(
            raw.get(first), list):
        _replace_of_algorithms(raw[first], rest, value, dotted)
        return
    places = [raw] if isinstance(raw, dict) else [
        entry for entry in raw if isinstance(entry, dict) and first in entry] \
        if isinstance(raw, list) else []
    if not places:
        raise ParameterError(f'there is no {dotted} to change')
    for place in places:
        if rest:
            replace_value(place.setdefault(first, {}), rest, value, dotted)
        else:
            place[first] = copy.deepcopy(value)


def _replace_of_algorithms(entries: Sequence[Any], keys: Sequence[str], value: Any,
                           dotted: str) -> None:
    """
    Replace a value of algorithms in place.

    The key is one of the entries' keys, or a label and a key of that entry. If no entry gives it,
    it is set for all algorithms that take it.
    """
    first = keys[0]
    if any(isinstance(entry, dict) and first in entry for entry in entries):
        replace_value(entries, keys, value, dotted)
        return
    labels = {label_of(entry): entry for entry in entries if isinstance(entry, dict)}
    for length in range(len(keys) - 1, 0, -1):  # A label may have dots in it.
        entry = labels.get('.'.join(keys[:length]))
        if entry is not None:
            own = keys[length:]
            if f'{ALGORITHMS_KEY}.{".".join(own)}' in FIXED_KEYS:
                raise wrong(dotted, problem=SAME)
            if len(own) > 1 and own[0] not in entry:
                break
            replace_value(entry, own, value, dotted)
            return
    taking = [entry for entry in labels.values()
              if len(keys) == 1 and first in parameters_of(entry)]
    if not taking:
        known = dict.fromkeys(key for entry in labels.values() for key in parameters_of(entry))
        raise ParameterError(
            f'there is no {dotted} to change; {did_you_mean(keys[-1], known)}a key of all '
            f'algorithms is {ALGORITHMS_KEY}.KEY, with one of {", ".join(known) or "none"}; that '
            f'of a single one is {ALGORITHMS_KEY}.LABEL.KEY, with one of '
            f'{", ".join(map(str, labels))}')
    for entry in taking:
        entry[first] = copy.deepcopy(value)


def label_of(entry: Mapping[str, Any]) -> Any:
    """Return the label of an entry of ``algorithms``, as read."""
    return entry.get('label', entry.get('name'))


def parameters_of(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the parameters of an entry's algorithm, none if the algorithm is unknown."""
    kind = entry.get('name')
    return ALGORITHMS.get(kind).takes if kind in ALGORITHMS.names() else ()


def parse_variations(raw: Mapping[str, Any]) -> dict[str, list[Change]]:
    """
    Return the dimensions that a scenario varies, each with its values.

    ``messages.loss: [0, 0.2]`` is a dotted key and its values. Where several keys change
    together, a name of the user's own is the dimension, with the values of the first key, or
    labels::

        users: [{devices.count: 100, measure.window: 5}, {devices.count: 300, measure.window: 8}]
        end: [{label: west, devices.first: [0, 0]}, {label: east, devices.first: [9, 0]}]
    """
    vary = as_mapping(raw.get('vary'), 'vary')
    return {key: _parse_changes(key, values) for key, values in vary.items()}


def _parse_changes(key: Any, values: Any) -> list[Change]:
    together = isinstance(key, str) and '.' not in key and key not in (*KEYS, 'vary')
    if not together:
        _check_key(key, key)
    if not isinstance(values, list) or not values:
        raise wrong(f'vary.{key}', problem=': takes a list of values')
    changes: list[Change] = []
    for value in values:
        change = _parse_joint_change(key, value) if together \
            else Change(value, {key: value})
        if change.value in [other.value for other in changes]:
            raise wrong(f'vary.{key}', problem=f': {change.value!r} is there twice')
        changes.append(change)
    return changes


def _parse_joint_change(key: str, values: Any) -> Change:
    """Return a change of several keys. Its value is its label, or the value of the first key."""
    keys = dict(values) if isinstance(values, dict) else {}
    label = keys.pop('label', None)
    if not keys:
        raise wrong('vary', problem=f': there is no {key} to change; a name for several keys '
                    'takes a list of these with their values')
    if label is not None and type(label) is not str:
        raise wrong(f'vary.{key}.label', label, 'a text')
    for dotted in keys:
        _check_key(dotted, f'{key}.{dotted}')
    return Change(next(iter(keys.values())) if label is None else label, keys)


def _check_key(key: Any, where: str) -> None:
    """Refuse a key that cannot vary."""
    if not isinstance(key, str) or key.split('.')[0] == 'vary':
        raise wrong('vary', problem=f': there is no {key} to change')
    if key in FIXED_KEYS:
        raise wrong(f'vary.{where}', problem=SAME)
