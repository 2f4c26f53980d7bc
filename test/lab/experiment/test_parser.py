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

"""Parts of a scenario: invalid values are refused in one line that names the key."""

from collections.abc import Mapping
from typing import Any

from leader_election.lab.experiment.scenario import parse, Scenario, ScenarioError
from leader_election.lab.simulation.simulate import Simulation
import pytest

NAN, INF = float('nan'), float('inf')
UNIFORM = {'kind': 'uniform', 'count': 5, 'low': [0, 0], 'high': [9, 9]}
BOUNDED = {'name': 'bounded', 'radius': 60}
GOOD = {'duration': 10, 'algorithms': [BOUNDED], 'devices': [UNIFORM], 'messages': {'range': 5}}


def made(sections: Mapping[Any, Any]) -> Scenario:
    """Return a scenario whose first run can begin; a section that is ``...`` is left out."""
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


NOT_ALLOWED = [
    ('duration', {'duration': value}) for value in (0, -1, NAN, INF, True, '10', [1], 2e9)
] + [
    ('first_id', {'first_id': value}) for value in (-1, 1.0, True, '1', 2**40)
] + [
    ('title', {'title': 3}), ('source', {'source': ['a', 'b']}),
] + [
    ('devices.count', device(count=value)) for value in (-3, 0, 2.0, True, '5', NAN, 10**9)
] + [
    ('devices.low', device(low=value)) for value in ([1], 3, [0, NAN], [True, True], [INF, 0])
] + [
    ('devices.kind', device(kind=value)) for value in ('circle', None, 3, ['uniform'])
] + [
    (f'devices.{key}', device(**{key: value}))
    for key in ('moves', 'among') for value in (1, 'yes', None)
] + [
    ('algorithms.radius', algorithm(radius=value))
    for value in (0, 0.0, -1, NAN, INF, True, False, '60')
] + [
    ('algorithms.name', algorithm(name=value)) for value in ('best', None, 3, ['bounded'])
] + [
    ('algorithms.ties', algorithm(ties='best')), ('algorithms.wins', algorithm(wins='best')),
] + [
    ('algorithms.label', algorithm(label=value)) for value in (
        '', 3, None, '../up', 'a/b', '..', '.hidden', ' a', 'a\nb', 'a:b', 'a\\b', '-a\n')
] + [
    ('messages.range', messages(range=value)) for value in (0, -1, NAN, True, '5')
] + [
    ('messages.loss', messages(loss=value)) for value in (-0.1, 1.1, NAN, INF, True, '0')
] + [
    ('messages.expiry', messages(expiry=value)) for value in (0, -1, NAN, True)
] + [
    ('messages.delay', messages(delay=value))
    for value in (1, [1], [2, 1], [-1, 1], [0, INF], [NAN, 1], [False, True])
] + [
    ('messages.duplication', messages(duplication=0.5)),
    ('messages.duplication', messages(duplication=True, delay=[0, 1])),
    ('messages.metric', messages(metric='miles')), ('messages.floor', messages(floor=-1)),
    ('localisation.model', {'localisation': {'model': 'gps'}}),
    ('localisation.deviation', {'localisation': {'deviation': -0.1}}),
    ('localisation.correlation_time', {'localisation': {'correlation_time': NAN}}),
    ('localisation.communication_range', {'localisation': {'communication_range': 0}}),
] + [
    ('localisation.initial_deviation', {'localisation': {'initial_deviation': value}})
    for value in ([0.1], [-0.1, 0.0], [INF, 0.0], 0.1)
] + [
    ('motion.kind', {'motion': {'kind': 'fly'}}), ('motion.kind', {'motion': {'speed': 3}}),
    ('motion.tick', {'motion': {'kind': 'static', 'tick': 0}}),
    ('motion.tick', {'motion': {'kind': 'static', 'tick': True}}),
    ('motion.speed', {'motion': {'kind': 'levy', 'speed': -1}}),
    ('motion.walls', {'motion': {'kind': 'levy', 'walls': [2, 2, 1, 1]}}),
    ('rounds.period', {'rounds': {'period': 0}}), ('rounds.phase', {'rounds': {'phase': 'full'}}),
    ('rounds.acquainted', {'rounds': {'acquainted': 1}}),
    ('rounds.spread', {'rounds': {'spread': 1}}), ('rounds.jitter', {'rounds': {'jitter': NAN}}),
    ('strength.cycle', {'strength': {'cycle': ['luck']}}),
    ('strength.cycle', {'strength': {'cycle': []}}),
    ('strength.cycle', {'strength': {'cycle': 'id'}}),
    ('strength.every', {'strength': {'every': 0}}),
    ('measure.window', {'measure': {'window': 64}}),
    ('measure.window', {'measure': {'window': True}}),
    ('measure.interval', {'measure': {'interval': 0}}),
    ('events.kind', event('party')), ('events.at', event('die', at=NAN)),
    ('events.at', event('die', at=-1)), ('events.share', event('die', share=1.1)),
    ('events.last', event('die', first=3, last=2)), ('events.linger', event('die', linger=1)),
    ('events.value', event('strength', value=INF)),
    ('events.claim', event('state', claim='throne')),
    ('events.last', event('state', first=3, last=2)),
    ('events.values', event('state', fields=['distance'])),
    ('events.values', event('state', fields=['leader'], values=[1e300])),
    ('events.values', event('state', fields=['leader'], values=[2.0**53 + 2])),
    ('events.values', event('state', fields=['leader'], values=[1.5])),
    ('events.values', event('state', fields=['distance', 'leader'], values=[1.5, 0.5])),
    ('events.fields', event('state', fields=['colours'], values=[1])),
    ('events.fields', event('state', fields=['diameter'], values=[1])),
    ('events.fields', event('state', fields='leader', values=[1])),
    ('events.at', event('die', at=10.5)), ('events.at', event('heal', at=11)),
    ('events.kind', event('strength', value=3) | {'strength': {'cycle': ['degree']}}),
    ('events.kind', event('strength', value=3)
     | {'strength': {'cycle': ['id', 'degree'], 'every': 4}}),
    ('events.axis', event('split', axis='z')),
    ('events.share', event('join', share=0.5)), ('events.strongest', event('join', strongest=1)),
    ('events.leaders', event('join', leaders=True)), ('events.chance', event('join', chance=0.5)),
    ('events.leaders', event('die', leaders=1)), ('events.chance', event('die', chance=1.1)),
]


@pytest.mark.parametrize(('key', 'sections'), NOT_ALLOWED, ids=lambda value: str(value))
def test_a_value_that_is_not_allowed(key, sections):
    text = refused(sections)
    assert text.startswith(f'{key}: ') and ' is not allowed; ' in text and 'it takes ' in text


@pytest.mark.parametrize(('sections', 'text'), [
    ({'colour': 'red'}, 'unknown key colour; known: title, source, duration, '),
    ({3: 4}, 'unknown key 3; known: title, '),
    (messages(colour='red'), 'unknown key messages.colour; known: range, '),
    (device(colour='red'), 'unknown key devices.colour; known: count, '),
    ({'motion': {'kind': 'levy', 'spede': 3}},
     'unknown key motion.spede; did you mean speed? known: speed, '),
    (event('die', when=3), 'unknown key events.when; known: at, '),
    (algorithm(replicates=3), 'algorithms.replicates: algorithm bounded takes no replicates, but '
                              'radius, ties'),
    ({'algorithms': [{'name': 'colour', 'radius': 3}]},
     'algorithms.radius: algorithm colour takes no radius, but hop_limit'),
    ({'duration': ...}, 'duration is missing'), ({'duration': None}, 'duration is missing'),
    ({'devices': ...}, 'devices is missing'), ({'devices': []}, 'devices is missing'),
    ({'algorithms': ...}, 'algorithms is missing'), ({'algorithms': []}, 'algorithms is missing'),
    (device(count=None), 'devices.count is missing; it takes 1 to 1000000'),
    ({'messages': {}}, 'messages.range: is missing; it takes a distance'),
    (messages(range=INF), 'messages.range: is missing; it takes a distance'),
    ({'devices': UNIFORM}, 'devices: takes a list, not '),
    ({'devices': 0}, 'devices: takes a list, not 0'),
    ({'algorithms': BOUNDED}, 'algorithms: takes a list, not '),
    ({'algorithms': ['bounded']}, "algorithms: takes keys and values, not 'bounded'"),
    ({'events': {'kind': 'die'}}, 'events: takes a list, not '),
    ({'events': ['die']}, "events: takes keys and values, not 'die'"),
    ({'messages': [5]}, 'messages: takes keys and values, not [5]'),
    ({'messages': []}, 'messages: takes keys and values, not []'),
    ({'motion': 'levy'}, "motion: takes keys and values, not 'levy'"),
    ({'algorithms': [BOUNDED, BOUNDED]},
     "algorithms: two are called 'bounded'; give each a label"),
    ({'algorithms': [BOUNDED, {'name': 'classic', 'radius': 3, 'label': 'bounded'}]},
     "algorithms: two are called 'bounded'"),
    (event('state', fields=['colours'], values=[1]),
     "events.fields: 'colours' is not allowed; it takes some of value, distance, leader"),
    (event('state', fields=['leader'], values=[1.5]),
     'events.values: 1.5 is not allowed; it takes a whole number for leader, up to 9007199'),
    (event('die', at=12), 'events.at: 12 is not allowed; it takes up to duration, which is 10 s'),
    (event('strength') | {'strength': {'cycle': ['degree']}},
     "events.kind: 'strength' is not allowed; it takes a strength.cycle without degree"),
    ({'strength': {'cycle': []}},
     'strength.cycle: [] is not allowed; it takes at least one of random, degree, '),
    (algorithm(radius=-1),
     'algorithms.radius: -1 is not allowed; it takes more than 0 m, up to 1e+06 m'),
    (algorithm(radius=2e6), 'algorithms.radius: 2000000.0 is not allowed; it takes more than 0 m'),
    ({'duration': 1e9, 'measure': {'interval': 0.001}},
     'duration: 1000000000.0 is not allowed; it takes up to 10000000 times measure.interval, '
     'which is 0.001 s'),
    ({'duration': 0.5}, 'duration: 0.5 is not allowed; it takes at least measure.interval'),
    (device(low=[9, 10]), 'devices.low: '),
    (device(connected=True), 'devices.range is missing'),
    (device(high=[9e6, 9e6], connected=True, range=1), 'devices.connected: of 1000 draws '),
    ({'devices': [{'kind': 'edge_list', 'pairs': [0, 1, 2, 3]}]},
     'devices.connected: the graph is in 2 parts, and connected is required'),
    ({'devices': [{'kind': 'edge_list', 'path': '/nowhere.txt'}]}, 'devices.path: /nowhere.txt: '),
    ({'devices': [{'kind': 'edge_list', 'pairs': [0, 1]}, UNIFORM]},
     'devices: where links are given, there is one group only'),
    ({'motion': {'kind': 'levy', 'walls': [20, 20, 30, 30]}},
     'motion.walls: a device starts outside of them'),
    ({'motion': {'kind': 'replay', 'logs': '/nowhere'}}, 'motion.logs: '),
    (device(count=6) | {'motion': {'kind': 'replay'}}, 'motion.logs: physics5 holds 5 logs'),
    ({'vary': [1]}, 'vary: takes keys and values, not [1]'),
    ({'vary': {'messages.loss': 0.1}}, 'vary.messages.loss: takes a list of values'),
    ({'vary': {'messages.loss': []}}, 'vary.messages.loss: takes a list of values'),
    ({'vary': {'messages.loss': [0.1, 0.2, 0.1]}}, 'vary.messages.loss: 0.1 is there twice'),
    ({'vary': {'messages.loss': [0.1, 2]}}, 'messages.loss: 2 is not allowed; it takes 0 to 1'),
    ({'vary': {'messages.lost': [1]}}, 'unknown key messages.lost; did you mean loss? known: '),
    ({'vary': {'mesages.loss': [1]}}, 'unknown key mesages; did you mean messages? known: '),
    ({'vary': {'devices.counts': [1]}}, 'there is no devices.counts to change'),
    ({'vary': {'algorithms.0.radius': [1]}}, 'there is no algorithms.0.radius to change'),
    ({'vary': {'vary.messages.loss': [[1]]}}, 'vary: there is no vary.messages.loss to change'),
    ({'vary': {3: [1]}}, 'vary: there is no 3 to change'),
    ({'vary': {'duration': [5, 6]}},
     'vary: duration and measure.interval are not allowed to change the times of samples'),
    ({'vary': {'duration': [5]}}, 'vary: duration and measure.interval are not allowed '),
    # Ten samples each, but at other times.
    ({'vary': {'duration': [10, 20], 'measure.interval': [1, 2]}}, 'vary: duration and '),
    ({'vary': {'measure.interval': [1, 0.99]}}, 'vary: duration and measure.interval are not '),
    ({'vary': {'measure': [{'interval': 1}, {'interval': 2}]}}, 'vary: duration and measure.'),
    ({'vary': {'size': [1, 2]}}, 'vary: there is no size to change; a name for several keys '),
    ({'vary': {'size': [{}]}}, 'vary: there is no size to change; a name for several keys '),
    ({'vary': {'size': [{'devices.count': 3}, {'devices.count': 3, 'messages.loss': 0.5}]}},
     'vary.size: 3 is there twice'),
    ({'vary': {'size': [{'title': 'a'}]}}, 'vary.size.title: is not allowed; all variants have'),
    ({'vary': {'size': [{'messages.lost': 1}]}},
     'unknown key messages.lost; did you mean loss? known: '),
    ({'vary': {'title': ['a', 'b']}}, 'vary.title: is not allowed; all variants have the same'),
    ({'vary': {'source': ['a', 'b']}}, 'vary.source: is not allowed; all variants have the same'),
    ({'vary': {'algorithms.name': ['bounded', 'classic']}}, 'vary.algorithms.name: is not '),
    ({'vary': {'algorithms.label': ['a', 'b']}}, 'vary.algorithms.label: is not allowed; '),
    (event('die') | {'vary': {'events.kind': ['die', 'join']}}, 'vary.events.kind: is not '),
    ({'vary': {'algorithms': [[BOUNDED], [{'name': 'classic', 'radius': 3}]]}},
     'vary.algorithms: is not allowed to change which algorithms take part'),
    (event('die', at=5) | {'vary': {'events.at': [5, 15]}}, 'events.at: 15 is not allowed; '),
], ids=lambda value: str(value)[:60])
def test_invalid_sections(sections, text):
    assert refused(sections).startswith(text)


@pytest.mark.parametrize('raw', [None, [], 'text', 3, True])
def test_a_document_that_is_no_mapping(raw):
    with pytest.raises(ScenarioError, match='^scenario mine: takes keys and values$'):
        parse(raw, 'mine')


def test_values_at_the_limits():
    assert len(made({'duration': 1e4, 'measure': {'interval': 1e-3}}).times()) == 10**7
    for label in ('a', '-a', '_', 'Bounded 2.5 m', 'über-3'):
        assert made(algorithm(label=label)).entrants[0].label == label
    assert made(event('die', at=10)).events[0][1].at == 10
    assert made(event('state', fields=['leader', 'distance'], values=[2.0**53, 1.5])).events
    # A field of one of the algorithms.
    assert made(event('state', fields=['diameter'], values=[3])
                | {'algorithms': [BOUNDED, {'name': 'resilient'}]}).events
    assert made(algorithm(radius=1e6)).entrants[0].parameters.radius == 1e6


@pytest.mark.parametrize('leaders', ['0,5-6', '0, 5-6', [0, 5, 6]])
def test_given_leaders(leaders):
    entrant = made({'algorithms': [{'name': 'given', 'leaders': leaders}]}).entrants[0]
    parameters = entrant.parameters
    led = [any(first <= i <= last for first, last in zip(parameters.first, parameters.last))
           for i in range(8)]
    assert led == [True, False, False, False, False, True, True, False]
    assert parameters.radius == INF


@pytest.mark.parametrize('leaders, text', [
    ([0, 'a'], "algorithms.leaders: [0, 'a'] is not allowed; it takes a string"),
    ('0;5', "algorithms.leaders: '0;5' is not allowed; it takes ids and ranges of ids, for "
     "example '1-20,25'"),
    ([1.5], 'algorithms.leaders: [1.5] is not allowed; it takes a string')])
def test_invalid_given_leaders(leaders, text):
    assert refused({'algorithms': [{'name': 'given', 'leaders': leaders}]}) == text


ALGORITHMS = [{'name': 'bounded', 'radius': 60},
              {'name': 'bounded', 'label': 'far.1', 'radius': 9},
              {'name': 'classic', 'radius': 60}, {'name': 'resilient', 'diameter_factor': 3}]


def parameters(vary: Mapping[str, Any]) -> list[list[Any]]:
    """Return the parameters of all algorithms in each variant."""
    variants = made({'algorithms': ALGORITHMS, 'vary': vary}).variants()
    return [[entrant.parameters for entrant in variant.entrants] for _, variant in variants]


def test_a_key_of_some_entries_changes_these():
    [near, *others] = parameters({'algorithms.radius': [5, 6]})[0]
    assert near.radius == others[0].radius == others[1].radius == 5.0
    usual = made({'algorithms': ALGORITHMS}).entrants[3].parameters
    assert others[2] == usual


def test_a_parameter_of_no_entry_changes_all_algorithms_that_take_it():
    usual = [entrant.parameters for entrant in made({'algorithms': ALGORITHMS}).entrants]
    one, other = parameters({'algorithms.radius_hysteresis': [0, 0.5]})
    for k, found in enumerate(other):
        assert (found != one[k]) == (k < 2) and (found == usual[k]) == (k >= 2)


def test_a_label_and_a_key_change_one_entry():
    usual = [entrant.parameters for entrant in made({'algorithms': ALGORITHMS}).entrants]
    for key, place in (('bounded.radius', 0), ('far.1.radius', 1), ('far.1.hop_limit', 1),
                       ('resilient.diameter_factor', 3)):
        for found in parameters({f'algorithms.{key}': [5, 7]}):
            assert [k for k in range(4) if found[k] != usual[k]] == [place]
    both = parameters({'algorithms.bounded.radius': [1, 2], 'algorithms.far.1.radius': [3, 4]})
    assert [(found[0].radius, found[1].radius) for found in both] == [
        (1, 3), (1, 4), (2, 3), (2, 4)]


@pytest.mark.parametrize(('key', 'values', 'message'), [
    ('nix', [1], 'there is no algorithms.nix to change; algorithms. takes one of radius, '),
    ('nix', [1], ', or a label and one of its keys, of bounded, far.1, classic, resilient'),
    ('nobody.radius', [1], 'there is no algorithms.nobody.radius to change; algorithms. takes on'),
    ('far.1.nix', [1], 'algorithms.nix: algorithm bounded takes no nix, but radius, '),
    ('far.1.radius', [1, -1], 'algorithms.radius: -1 is not allowed; it takes more than 0 m'),
    ('far.1.name', ['classic'], 'algorithms.far.1.name: is not allowed; all variants have the s'),
    ('far.1.label', ['x'], 'algorithms.far.1.label: is not allowed; all variants have the same'),
    ('far.1.regions.collection', ['tree'], 'there is no algorithms.far.1.regions.collection to '),
    ('radius.x', [1], 'there is no algorithms.radius.x to change'),
    ('radius_hysteresis', [0, 2], 'algorithms.radius_hysteresis: 2 is not allowed; it takes 0 to'),
])
def test_a_parameter_that_no_algorithm_takes_is_an_error(key, values, message):
    assert message in refused({'algorithms': ALGORITHMS, 'vary': {f'algorithms.{key}': values}})
