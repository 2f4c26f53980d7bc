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

"""Scenarios: files, times, events, variants."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from leader_election_lab.experiment.scenario import load, names, parse, Scenario, ScenarioError
from leader_election_lab.runs.results import dimensions
from leader_election_lab.simulation.simulation import Simulation
import numpy as np
import pytest


@pytest.mark.parametrize('name', names())
def test_scenarios_of_the_package_load(name: str) -> None:
    scenario = load(name)
    assert scenario.name == name and scenario.title and scenario.source and scenario.entrants
    assert all(variant.entrants for _, variant in scenario.variants())


def test_sections_have_their_defaults() -> None:
    scenario = made({})
    assert (scenario.name, scenario.title, scenario.source) == ('mine', 'mine', '')
    assert scenario.motion.name == 'static' and scenario.events == () and scenario.first_id == 0
    assert scenario.measure.window == 10
    # A heading with nothing below it has no effect.
    assert made({'rounds': None, 'motion': None, 'events': None, 'vary': None}).rounds \
        == scenario.rounds


@pytest.mark.parametrize(('content', 'text'), [
    (b'duration: [1', 'scenario .*mine.yaml: is not YAML .*'),
    (b'!!python/object:os.system x', 'scenario .*mine.yaml: is not YAML .*'),
    (b'a: \x00', 'scenario .*mine.yaml: cannot be read .line 1: not UTF-8 .*'),
    (b'\xff\xfe\x00', 'scenario .*mine.yaml: cannot be read .*'),
    (b'', 'scenario mine: takes keys and values'),
    (b'&a {duration: *a}', 'scenario .*mine.yaml: has an alias, [*]a, in line 1; write .*'),
    (b'[' * 10000, 'scenario .*mine.yaml: is nested more than 20 levels deep'),
    (b'title: ' + b'[' * 21 + b']' * 21,
     'scenario .*mine.yaml: is nested more than 20 levels deep'),
    (b'title: ' + b'[' * 19 + b']' * 19, 'scenario mine: duration is missing'),
    (b'duration: 5\ntitle: a\nduration: 6',
     'scenario .*mine.yaml: has duration twice, again in line 3'),
])
def test_file_is_refused_when_it_is_no_scenario(content: bytes, text: str, tmp_path: Path) -> None:
    path = tmp_path / 'mine.yaml'
    path.write_bytes(content)
    with pytest.raises(ScenarioError, match=f'^{text}$'):
        load(str(path))


def test_missing_scenario_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="'steadines'; did you mean steadiness. it takes"):
        load('steadines')
    with pytest.raises(ScenarioError, match="^unknown scenario 'none'; it takes .*acsos2022_"):
        load('none')
    with pytest.raises(ScenarioError, match='^scenario .*none.yaml: there is no such file$'):
        load(str(tmp_path / 'none.yaml'))
    (tmp_path / 'mine.yaml').write_text('')
    with pytest.raises(ScenarioError, match='there is no such file; did you mean .*mine.yaml.$'):
        load(str(tmp_path / 'mien.yaml'))
    with pytest.raises(ScenarioError, match="unknown scenario .*mine'; did you mean .*yaml. "):
        load(str(tmp_path / 'mine'))
    with pytest.raises(ScenarioError, match='^scenario .*: cannot be read '):
        load('a\0b.yaml')


def test_unknown_algorithm_is_refused() -> None:
    scenario = made({'algorithms': [BOUNDED, {'name': 'classic', 'radius': 3, 'label': 'old'}]})
    assert scenario.entrant('old').algorithm.name == 'classic'
    with pytest.raises(ScenarioError, match="^scenario mine has no algorithm 'classic'; "
                                            'it has bounded, old$'):
        scenario.entrant('classic')


def test_times_equal_those_of_the_samples() -> None:
    for duration in (3, 3.9):
        scenario = made({'duration': duration, 'measure': {'interval': 1}})
        assert scenario.times().tolist() == [1, 2, 3]
    # Ten tenths count as one, despite rounding.
    times = made({'duration': 1, 'measure': {'interval': 0.1}}).times()
    assert len(times) == 10 and np.allclose(times, np.arange(1, 11) / 10)


def test_events_are_in_the_order_of_their_times() -> None:
    scenario = made({'events': [{'kind': 'heal', 'at': 9}, {'kind': 'split', 'at': 3},
                                {'kind': 'die', 'at': 3}, {'kind': 'join', 'at': 0}]})
    assert [event.name for event, _ in scenario.events] == ['join', 'split', 'die', 'heal']


def test_varied_keys_make_all_combinations() -> None:
    scenario = made({'vary': {'messages.loss': [0, 0.5], 'devices.count': [3, 4, 5]}})
    variants = scenario.variants()
    assert [tuple(values.items()) for values, _ in variants] == [
        (('messages.loss', loss), ('devices.count', count))
        for loss in (0, 0.5) for count in (3, 4, 5)]
    for values, variant in variants:
        assert variant.messages.loss == values['messages.loss']
        assert variant.groups[0].parameters.count == values['devices.count']
        assert variant.vary == {}
    # The scenario itself is unchanged.
    assert scenario.messages.loss == 0.0
    assert made({}).variants()[0][0] == {}


def test_keys_that_vary_together_have_one_name() -> None:
    scenario = made({'vary': {
        'size': [{'devices.count': 3, 'messages.range': 9}, {'devices.count': 7}],
        'messages.loss': [0, 0.5]}})
    found = [(values, variant.groups[0].parameters.count, variant.messages.range,
              variant.messages.loss) for values, variant in scenario.variants()]
    own = scenario.messages.range
    assert found == [
        ({'size': size, 'messages.loss': loss}, size, 9 if size == 3 else own, loss)
        for size in (3, 7) for loss in (0, 0.5)]
    # In results it has the values of the first key.
    assert dimensions(scenario) == {'size': [3, 7], 'messages.loss': [0, 0.5]}


def test_labels_are_the_values_of_keys_that_vary_together() -> None:
    scenario = made({'vary': {'size': [
        {'devices.count': 7, 'label': 'large', 'messages.range': 9},
        {'label': 'small', 'devices.count': 3}]}})
    assert [(values['size'], variant.groups[0].parameters.count)
            for values, variant in scenario.variants()] == [('large', 7), ('small', 3)]
    assert dimensions(scenario) == {'size': ['large', 'small']}


def test_section_varies_as_a_whole() -> None:
    variants = made({'vary': {'messages': [{'range': 3}, {'range': 4, 'loss': 0.1}],
                              'duration': [10, 10.5]}}).variants()
    assert [(variant.messages.range, variant.duration) for _, variant in variants] == [
        (3, 10), (3, 10.5), (4, 10), (4, 10.5)]


def test_key_of_a_list_is_replaced_in_the_entries_that_have_it() -> None:
    scenario = made({'algorithms': [BOUNDED, {'name': 'colour'},
                                    {'name': 'classic', 'radius': 3}]})
    changed = scenario.replaced({'algorithms.radius': 7, 'duration': 20})
    assert [getattr(entrant.parameters, 'radius', None) for entrant in changed.entrants] \
        == [7, None, 7]
    assert changed.duration == 20 and scenario.duration == 10


# Parts of a scenario: invalid values are refused in one line that names the key.


NAN, INF = float('nan'), float('inf')
UNIFORM = {'kind': 'uniform', 'count': 5, 'low': [0, 0], 'high': [9, 9]}
BOUNDED = {'name': 'bounded', 'radius': 60}
GOOD = {'duration': 10, 'algorithms': [BOUNDED], 'devices': [UNIFORM], 'messages': {'range': 5}}


def made(sections: Mapping[Any, Any]) -> Scenario:
    """Return a scenario whose first run can begin. A section that is ``...`` is left out."""
    raw = {key: value for key, value in {**GOOD, **sections}.items() if value is not ...}
    scenario = parse(raw, 'mine')
    Simulation(scenario, scenario.entrants[0], 0)
    return scenario


def refused(sections: Mapping[Any, Any]) -> str:
    """Return the error of a scenario: one line that names it."""
    with pytest.raises(ScenarioError) as error:
        made(sections)
    text = str(error.value)
    assert text.startswith('scenario mine: ') and '\n' not in text
    return text.removeprefix('scenario mine: ')


def device(**changes: Any) -> dict[str, Any]:
    return {'devices': [{**UNIFORM, **changes}]}


def algorithm(**changes: Any) -> dict[str, Any]:
    return {'algorithms': [{**BOUNDED, **changes}]}


def messages(**changes: Any) -> dict[str, Any]:
    return {'messages': {'range': 5, **changes}}


def event(kind: str, **changes: Any) -> dict[str, Any]:
    return {'events': [{'kind': kind, 'at': 1, **changes}]}


VALUES: dict[str, tuple[Any, ...]] = {
    'duration': (0, NAN, INF, True, '10', [1], 2e9), 'first_id': (-1, 1.0, True, '1', 2**40),
    'title': (3,), 'devices.count': (0, 2.0, NAN, 10**9),
    'devices.low': ([1], 3, [0, NAN], [True, True]), 'devices.kind': ('circle', None, ['uniform']),
    'devices.moves': (1, 'yes', None), 'algorithms.radius': (0.0, NAN, False, '60'),
    'algorithms.name': ('best', None, 3), 'algorithms.ties': ('best',),
    'algorithms.wins': ('best',),
    'algorithms.label': ('', 3, None, '../up', 'a/b', '..', '.hidden', ' a', 'a\\b', '-a\n'),
    'messages.range': (-1,), 'messages.loss': (-0.1, 1.1), 'messages.expiry': (0,),
    'messages.delay': (1, [1], [2, 1], [-1, 1], [0, INF], [False, True]),
    'messages.duplication': (0.5,), 'messages.metric': ('miles',), 'messages.floor': (-1,),
    'localisation.model': ('gps',), 'localisation.deviation': (-0.1,),
    'localisation.communication_range': (0,), 'localisation.initial_deviation': ([0.1], [-0.1, 0]),
    'motion.kind': ('fly', None), 'motion.tick': (0,), 'motion.walls': ([2, 2, 1, 1],),
    'rounds.period': (0,), 'rounds.phase': ('full',), 'rounds.spread': (1,),
    'strength.cycle': (['luck'], 'id'), 'strength.every': (0,), 'measure.window': (64,),
    'measure.interval': (0,), 'events.kind': ('party',), 'events.at': (NAN, -1, 10.5),
    'events.share': (1.1,), 'events.linger': (1,),
}


def with_value(key: str, value: Any) -> dict[str, Any]:
    """Return the sections in which a key has a value."""
    section, _, name = key.partition('.')
    own = {'devices': UNIFORM, 'algorithms': BOUNDED, 'messages': {'range': 5},
           'events': {'kind': 'die', 'at': 1}, 'motion': {'kind': 'levy'}}.get(section, {})
    changed = {**own, name: value} if name else value
    return {section: [changed] if section in ('devices', 'algorithms', 'events') else changed}


NOT_ALLOWED = [(key, with_value(key, value)) for key, values in VALUES.items()
               for value in values] + [
    ('messages.duplication', messages(duplication=True, delay=[0, 1])),
    ('events.last', event('die', first=3, last=2)),
    ('events.claim', event('state', claim='throne')),
    ('events.values', event('state', fields=['distance'])),
    *(('events.values', event('state', fields=['leader'], values=[value]))
      for value in (1.5, 2.0**53 + 2)),
    ('events.fields', event('state', fields=['diameter'], values=[1])),
    ('events.kind', event('strength', value=3)
     | {'strength': {'cycle': ['id', 'degree'], 'every': 4}}),
    ('events.share', event('join', share=0.5)), ('events.strongest', event('join', strongest=1)),
]


@pytest.mark.parametrize(('key', 'sections'), NOT_ALLOWED, ids=lambda value: str(value))
def test_value_out_of_range_is_refused(key, sections):
    text = refused(sections)
    assert text.startswith(f'{key}: ') and ' is not allowed; ' in text and 'it takes ' in text


@pytest.mark.parametrize(('sections', 'text'), [
    ({'colour': 'red'}, 'unknown key colour; known: title, source, duration, '),
    (messages(colour='red'), 'unknown key messages.colour; known: range, '),
    ({'motion': {'kind': 'levy', 'spede': 3}},
     'unknown key motion.spede; did you mean speed? known: speed, '),
    (algorithm(replicates=3), 'algorithms.replicates: algorithm bounded takes no replicates, but '
                              'radius, ties'),
    ({'duration': ...}, 'duration is missing'), ({'duration': None}, 'duration is missing'),
    ({'algorithms': ...}, 'algorithms is missing'), ({'algorithms': []}, 'algorithms is missing'),
    (device(count=None), 'devices.count is missing; it takes 1 to 1000000'),
    (messages(range=INF), 'messages.range: is missing; it takes a distance'),
    ({'devices': UNIFORM}, 'devices: takes a list, not '),
    ({'algorithms': ['bounded']}, "algorithms: takes keys and values, not 'bounded'"),
    ({'messages': [5]}, 'messages: takes keys and values, not [5]'),
    ({'algorithms': [BOUNDED, BOUNDED]},
     "algorithms: two are called 'bounded'; give each a label"),
    ({'strength': {'cycle': []}},
     'strength.cycle: [] is not allowed; it takes at least one of random, degree, '),
    ({'duration': 1e9, 'measure': {'interval': 0.001}},
     'duration: 1000000000.0 is not allowed; it takes up to 10000000 times measure.interval, '
     'which is 0.001 s'),
    ({'duration': 0.5}, 'duration: 0.5 is not allowed; it takes at least measure.interval'),
    (device(connected=True), 'devices.range is missing'),
    ({'devices': [{'kind': 'edge_list', 'pairs': [0, 1, 2, 3]}]},
     'devices.connected: the graph is in 2 parts, and connected is required'),
    ({'devices': [{'kind': 'edge_list', 'pairs': [0, 1]}, UNIFORM]},
     'devices: where links are given, there is one group only'),
    ({'motion': {'kind': 'levy', 'walls': [20, 20, 30, 30]}},
     'motion.walls: a device starts outside of them'),
    (device(count=6) | {'motion': {'kind': 'replay'}}, 'motion.logs: physics5 holds 5 logs'),
    ({'vary': [1]}, 'vary: takes keys and values, not [1]'),
    ({'vary': {'messages.loss': 0.1}}, 'vary.messages.loss: takes a list of values'),
    ({'vary': {'messages.loss': [0.1, 0.2, 0.1]}}, 'vary.messages.loss: 0.1 is there twice'),
    ({'vary': {'messages.loss': [0.1, 2]}}, 'messages.loss: 2 is not allowed; it takes 0 to 1'),
    ({'vary': {'messages.lost': [1]}}, 'unknown key messages.lost; did you mean loss? known: '),
    ({'vary': {'mesages.loss': [1]}}, 'unknown key mesages; did you mean messages? known: '),
    ({'vary': {'devices.counts': [1]}}, 'there is no devices.counts to change'),
    ({'vary': {'vary.messages.loss': [[1]]}}, 'vary: there is no vary.messages.loss to change'),
    ({'vary': {'duration': [5, 6]}},
     'vary: duration and measure.interval are not allowed to change the times of samples'),
    # Ten samples each, but at other times.
    ({'vary': {'duration': [10, 20], 'measure.interval': [1, 2]}}, 'vary: duration and '),
    ({'vary': {'measure': [{'interval': 1}, {'interval': 2}]}}, 'vary: duration and measure.'),
    ({'vary': {'size': [1, 2]}}, 'vary: there is no size to change; a name for several keys '),
    ({'vary': {'size': [{'devices.count': 3}, {'devices.count': 3, 'messages.loss': 0.5}]}},
     'vary.size: 3 is there twice'),
    ({'vary': {'size': [{'label': 'a'}]}}, 'vary: there is no size to change; a name for several'),
    ({'vary': {'size': [{'label': 3, 'devices.count': 3}]}},
     'vary.size.label: 3 is not allowed; it takes a text'),
    ({'vary': {'size': [{'title': 'a'}]}}, 'vary.size.title: is not allowed; all variants have'),
    ({'vary': {'title': ['a', 'b']}}, 'vary.title: is not allowed; all variants have the same'),
    ({'vary': {'algorithms.name': ['bounded', 'classic']}}, 'vary.algorithms.name: is not '),
    (event('die') | {'vary': {'events.kind': ['die', 'join']}}, 'vary.events.kind: is not '),
    ({'vary': {'algorithms': [[BOUNDED], [{'name': 'classic', 'radius': 3}]]}},
     'vary.algorithms: is not allowed to change which algorithms take part'),
    (event('die', at=5) | {'vary': {'events.at': [5, 15]}}, 'events.at: 15 is not allowed; '),
], ids=lambda value: str(value)[:60])
def test_invalid_section_is_refused_by_its_key(sections, text):
    assert refused(sections).startswith(text)


def test_values_at_the_limits_are_accepted():
    long = parse({**GOOD, 'duration': 1e4, 'measure': {'interval': 1e-3}}, 'mine')
    assert len(long.times()) == 10**7
    for label in ('a', '-a', '_', 'Bounded 2.5 m', 'über-3'):
        assert made(algorithm(label=label)).entrants[0].label == label
    assert made(event('die', at=10)).events[0][1].at == 10
    assert made(event('state', fields=['leader', 'distance'], values=[2.0**53, 1.5])).events
    # A field of one of the algorithms.
    assert made(event('state', fields=['diameter'], values=[3])
                | {'algorithms': [BOUNDED, {'name': 'resilient'}]}).events
    assert made(algorithm(radius=1e6)).entrants[0].parameters.radius == 1e6


@pytest.mark.parametrize('leaders', ['0,5-6', '0, 5-6', [0, 5, 6]])
def test_given_takes_leaders_as_text_or_list(leaders):
    entrant = made({'algorithms': [{'name': 'given', 'leaders': leaders}]}).entrants[0]
    parameters = entrant.parameters
    led = [any(first <= i <= last for first, last in zip(parameters.first, parameters.last))
           for i in range(8)]
    assert led == [True, False, False, False, False, True, True, False]
    assert parameters.radius == INF


@pytest.mark.parametrize('leaders, text', [
    ([0, 'a'], "[0, 'a'] is not allowed; it takes a string"),
    ('0;5', "'0;5' is not allowed; it takes ids and ranges of ids, for example '1-20,25'"),
    ([1.5], '[1.5] is not allowed; it takes a string')])
def test_invalid_given_leaders_are_refused(leaders, text):
    assert refused({'algorithms': [{'name': 'given', 'leaders': leaders}]}) == (
        f'algorithms.leaders: {text}')


ALGORITHMS = [{'name': 'bounded', 'radius': 60},
              {'name': 'bounded', 'label': 'far.1', 'radius': 9},
              {'name': 'classic', 'radius': 60}, {'name': 'resilient', 'diameter_factor': 3}]


def parameters(vary: Mapping[str, Any]) -> list[list[Any]]:
    """Return the parameters of all algorithms in each variant."""
    variants = made({'algorithms': ALGORITHMS, 'vary': vary}).variants()
    return [[entrant.parameters for entrant in variant.entrants] for _, variant in variants]


@pytest.mark.parametrize(('key', 'values', 'places'), [
    ('radius', [5, 7], [0, 1, 2]),
    # No entry has it: all algorithms that take it.
    ('radius_hysteresis', [0.2, 0.5], [0, 1]),
    ('bounded.radius', [5, 7], [0]), ('far.1.radius', [5, 7], [1]),
    ('far.1.hop_limit', [5, 7], [1]), ('resilient.diameter_factor', [5, 7], [3])])
def test_varied_key_of_algorithms_changes_those_that_have_or_take_it(key, values, places):
    usual = [entrant.parameters for entrant in made({'algorithms': ALGORITHMS}).entrants]
    for value, found in zip(values, parameters({f'algorithms.{key}': values})):
        assert [k for k in range(4) if found[k] != usual[k]] == places
        assert key[-6:] != 'radius' or {found[k].radius for k in places} == {value}


def test_two_labels_and_keys_vary_separately():
    both = parameters({'algorithms.bounded.radius': [1, 2], 'algorithms.far.1.radius': [3, 4]})
    assert [(found[0].radius, found[1].radius) for found in both] == [
        (1, 3), (1, 4), (2, 3), (2, 4)]


@pytest.mark.parametrize(('key', 'values', 'message'), [
    ('nix', [1], 'there is no algorithms.nix to change; a key of all algorithms is algorithms.KE'),
    ('nix', [1], ' is algorithms.LABEL.KEY, with one of bounded, far.1, classic, resilient'),
    ('raduis', [1], 'there is no algorithms.raduis to change; did you mean radius? a key of all '),
    ('nobody.radius', [1], 'there is no algorithms.nobody.radius to change; '),
    ('far.1.nix', [1], 'algorithms.nix: algorithm bounded takes no nix, but radius, '),
    ('far.1.radius', [1, -1], 'algorithms.radius: -1 is not allowed; it takes more than 0 m'),
    ('far.1.name', ['classic'], 'algorithms.far.1.name: is not allowed; all variants have the s'),
    ('far.1.regions.collection', ['tree'], 'there is no algorithms.far.1.regions.collection to '),
    ('radius_hysteresis', [0, 2], 'algorithms.radius_hysteresis: 2 is not allowed; it takes 0 to'),
])
def test_parameter_that_no_algorithm_takes_is_an_error(key, values, message):
    assert message in refused({'algorithms': ALGORITHMS, 'vary': {f'algorithms.{key}': values}})
