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
A scenario: an experiment described by one YAML file.

The scenarios of the laboratory are the files in ``leader_election_lab/scenarios``. The path of any
other file is accepted as well.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
import copy
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from itertools import product
import math
from pathlib import Path
from typing import Any

from leader_election.election.robot.metrics import METRICS
from leader_election.parameters import did_you_mean, ParameterError
from leader_election.parameters.files import expanded, read_text, read_yaml
from leader_election_lab.experiment import parser, schema
from leader_election_lab.experiment.parser import (
    in_section,
    KEYS,
    of_scenario,
    ScenarioError,
    wrong,
)
from leader_election_lab.motions import Motion, MOTIONS
from leader_election_lab.simulation.composed_rounds import Sensing, with_sensing
from leader_election_lab.simulation.network_events import Event, EVENTS
import numpy as np
from numpy.typing import NDArray
import yaml

__all__ = ['load', 'named_files', 'names', 'parse', 'Scenario', 'ScenarioError']

FOLDER = Path(__file__).parents[1] / 'scenarios'
SUFFIXES = ('.yaml', '.yml')
MOST_SAMPLES = 10_000_000
# A scenario is copied for each variant: ten times faster where PyYAML has libyaml.
LOADER = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
DUMPER = getattr(yaml, 'CSafeDumper', yaml.SafeDumper)


@dataclass(frozen=True)
class Scenario:
    """An experiment, with all parts checked."""

    name: str
    text: str
    title: str
    source: str
    duration: float
    """[s]."""
    entrants: tuple[schema.Entrant, ...]
    groups: tuple[schema.Group, ...]
    motion: Motion
    motion_parameters: Any
    tick: float
    """Time between two steps of a device [s]."""
    messages: schema.Messages
    localisation: schema.Localisation
    rounds: schema.Rounds
    strength: schema.Strength
    sensing: Sensing
    sensor: schema.Sensor
    measure: schema.Measure
    events: tuple[tuple[Event, Any], ...]
    """Events and their parameters, in the order of their times."""
    first_id: int
    vary: Mapping[str, Sequence[parser.Change]]
    """The values of each dimension that varies, by dotted key or the user's own name."""

    def entrant(self, label: str) -> schema.Entrant:
        """Return an algorithm by its label. An unknown label raises a :class:`ScenarioError`."""
        for entrant in self.entrants:
            if entrant.label == label:
                return entrant
        known = [entrant.label for entrant in self.entrants]
        raise ScenarioError(f'scenario {self.name} has no algorithm {label!r}; '
                            f'{did_you_mean(label, known)}it has {", ".join(known)}')

    def raw(self) -> Any:
        """Return the whole scenario as read from YAML."""
        return copy.deepcopy(_read(self.text))

    def times(self) -> NDArray[np.float64]:
        """Return the times of the samples [s], shape (samples,)."""
        count = int(np.floor(self.duration / self.measure.interval + 1e-9))
        return np.arange(1, count + 1, dtype=np.float64) * self.measure.interval

    def replaced(self, values: Mapping[str, Any]) -> 'Scenario':
        """
        Return the same scenario with other values.

        :param values: by dotted keys such as ``messages.loss``. In a list, every entry that has
            the key gets the value.
        :raises ScenarioError: if there is no such key, or the result is not allowed.
        """
        raw = self.raw()
        with of_scenario(self.name):
            for key, value in values.items():
                parser.replace_value(raw, key.split('.'), value, key)
        return parse(raw, self.name)

    def variants(self) -> list[tuple[dict[str, Any], 'Scenario']]:
        """Return all combinations of the values that vary, each with its scenario."""
        return list(self._variants)

    @cached_property
    def _variants(self) -> list[tuple[dict[str, Any], 'Scenario']]:
        found = []
        for changes in product(*self.vary.values()):
            keys: dict[str, Any] = {'vary': {}}
            for change in changes:
                keys |= change.keys
            found.append((dict(zip(self.vary, (change.value for change in changes))),
                          self.replaced(keys)))
        return found


@lru_cache(maxsize=1000)
def _read(text: str) -> Any:
    return yaml.load(text, LOADER)


def named_files(parameters: Any) -> Iterator[Path]:
    """Yield the files that parameters of a topology, motion or event name, also of folders."""
    for field in fields(parameters):
        value = getattr(parameters, field.name)
        # A parameter that takes one of several words is not a path.
        if type(value) is not str or not value or field.metadata.get('choices') is not None:
            continue
        with suppress(ValueError):
            path = expanded(value)
            yield from (file for file in (
                sorted(path.glob('*')) if path.is_dir() else [path]) if file.is_file())


def names() -> tuple[str, ...]:
    """Return the names of the scenarios that come with the package."""
    return tuple(sorted(file.stem for file in FOLDER.glob('*.yaml')))


def load(name_or_path: str) -> Scenario:
    """
    Return a scenario by its name or its path.

    :raises ScenarioError: if there is no such scenario, or its content is not allowed.
    """
    path, near = FOLDER / f'{name_or_path}.yaml', ''
    if name_or_path not in names():
        path = Path(name_or_path)
        beside = [str(path.with_name(file.name)) for file in path.parent.glob('*')
                  if file.suffix in SUFFIXES]
        near = did_you_mean(name_or_path, [*names(), *beside]) or next(
            (f'did you mean {file}? ' for file in beside if Path(file).stem == path.name), '')
        if path.suffix not in SUFFIXES:
            raise ScenarioError(f'unknown scenario {name_or_path!r}; {near}it takes the path of a '
                                f'.yaml file or one of {", ".join(names())}')
    try:
        text = read_text(path)
    except ValueError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            raise ScenarioError(
                f'scenario {path}: there is no such file; {near}'.rstrip('; ')) from None
        raise ScenarioError(f'scenario {path}: cannot be read ({error})') from None
    try:
        raw = read_yaml(text)
    except ValueError as error:
        raise ScenarioError(f'scenario {path}: {error}') from None
    return parse(raw, path.stem)


REQUIRED = ('duration', 'algorithms', 'devices')


def parse(raw: Any, name: str) -> Scenario:
    """
    Return the scenario that a YAML document declares.

    :param raw: the document, as read.
    :param name: of the scenario, for error texts.
    :raises ScenarioError: for an unknown key or a value that is not allowed.
    """
    with of_scenario(name):
        return _parse(raw, name)


def _parse(raw: Any, name: str) -> Scenario:
    if not isinstance(raw, dict):
        raise ParameterError('takes keys and values')
    for key in raw:
        if key not in KEYS:
            raise ParameterError(f'unknown key {key}; {did_you_mean(key, KEYS)}known: '
                                 f'{", ".join(KEYS)}')
    for key in REQUIRED:
        if raw.get(key) in (None, []):
            raise wrong(key, problem=' is missing')
    head, _ = parser.split_own(schema.Head, raw)
    duration = head.duration
    motion = parser.as_mapping(raw.get('motion'), 'motion') or {'kind': 'static'}
    steps, motion = parser.split_own(schema.Steps, motion, 'motion')
    kind, motion_parameters = parser.parse_kind(MOTIONS, motion, 'motion')
    metric_own, plain = parser.split_section(raw, 'messages', 'metric_parameters')
    source_own, plain = parser.split_section(plain, 'strength', 'source_parameters')
    messages = parser.parse_section(schema.Messages, plain, 'messages')
    rounds = parser.parse_section(schema.Rounds, plain, 'rounds')
    strength = parser.parse_section(schema.Strength, plain, 'strength')
    with in_section('messages'):
        sensing = Sensing().with_metric(messages.metric, metric_own)
    with in_section('strength'):
        sensing = sensing.with_source(strength.cycle, source_own, strength.hysteresis)
    localisation = parser.parse_section(schema.Localisation, raw, 'localisation')
    link_range = math.inf
    if messages.metric == 'distance' or METRICS.get(messages.metric).is_length:
        link_range = min(messages.range, localisation.communication_range)
    events: tuple[tuple[Event, Any], ...] = tuple(sorted(
        (parser.parse_kind(EVENTS, entry, 'events') for entry in parser.as_list(raw, 'events')),
        key=lambda event: float(event[1].at)))
    scenario = Scenario(
        name=name,
        text=yaml.dump(raw, Dumper=DUMPER, sort_keys=False),
        title=head.title or name,
        source=head.source,
        duration=duration,
        entrants=tuple(with_sensing(
            parser.extended(parser.parse_entrant(entry, link_range), events), sensing,
            messages.floor) for entry in parser.as_list(raw, 'algorithms')),
        groups=tuple(map(parser.parse_group, parser.as_list(raw, 'devices'))),
        motion=kind,
        motion_parameters=motion_parameters,
        tick=steps.tick,
        messages=messages,
        localisation=localisation,
        rounds=rounds,
        strength=strength,
        sensing=sensing,
        sensor=parser.parse_section(schema.Sensor, raw, 'sensor'),
        measure=parser.parse_section(schema.Measure, raw, 'measure'),
        events=events,
        first_id=head.first_id,
        vary=parser.parse_variations(raw))
    labels = [entrant.label for entrant in scenario.entrants]
    for label in labels:
        if labels.count(label) > 1:
            raise wrong('algorithms', problem=f': two are called {label!r}; give each a label')
    interval = scenario.measure.interval
    if duration < interval:
        raise wrong('duration', duration, 'at least measure.interval')
    if duration / interval > MOST_SAMPLES:
        raise wrong('duration', duration, f'up to {MOST_SAMPLES} times measure.interval, which is '
                    f'{interval:g} s')
    parser.check_events(scenario.events, duration, strength, scenario.entrants)
    parser.check_groups(scenario.groups, scenario.entrants)
    if scenario.vary:
        # Find an error in a variant now, not after an hour of runs.
        _check_variants(scenario)
    return scenario


def _check_variants(scenario: Scenario) -> None:
    """Refuse variants whose results do not fit into one dataset."""
    labels, times = [entrant.label for entrant in scenario.entrants], scenario.times()
    for _, variant in scenario.variants():
        if [entrant.label for entrant in variant.entrants] != labels:
            raise wrong('vary.algorithms',
                        problem=': is not allowed to change which algorithms take part')
        if not np.array_equal(variant.times(), times):
            raise wrong('vary', problem=': duration and measure.interval are not allowed to '
                        'change the times of samples')


def count_devices(scenario: Scenario) -> int:
    """Return the number of devices of a scenario."""
    random = np.random.default_rng(0)
    return sum(getattr(group.parameters, 'count', None)
               or len(group.topology.place(group.parameters, random).position)
               for group in scenario.groups)
