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

from pathlib import Path

from lab.experiment.test_parser import BOUNDED, made
from leader_election.lab.experiment.scenario import load, names, ScenarioError
from leader_election.lab.runs.results import dimensions
from leader_election.parameters import strict_yaml
import numpy as np
import pytest


@pytest.mark.parametrize('name', names())
def test_the_scenarios_of_the_package_load(name: str) -> None:
    scenario = load(name)
    assert scenario.name == name and scenario.title and scenario.source and scenario.entrants
    assert all(variant.entrants for _, variant in scenario.variants())


def test_the_defaults_of_sections() -> None:
    scenario = made({})
    assert (scenario.name, scenario.title, scenario.source) == ('mine', 'mine', '')
    assert scenario.motion.name == 'static' and scenario.events == () and scenario.first_id == 0
    assert scenario.measure.window == 10
    # A heading with nothing below it has no effect.
    assert made({'rounds': None, 'motion': None, 'events': None, 'vary': None}).rounds \
        == scenario.rounds


@pytest.mark.parametrize(('content', 'text'), [
    (b'duration: [1', 'scenario .*mine.yaml: is not YAML .*'),
    (b'a: b: c', 'scenario .*mine.yaml: is not YAML .*'),
    (b'a: 1\n---\nb: 2', 'scenario .*mine.yaml: is not YAML .*'),
    (b'!!python/object:os.system x', 'scenario .*mine.yaml: is not YAML .*'),
    (b'a: \x00', 'scenario .*mine.yaml: is not YAML .*'),
    (b'\xff\xfe\x00', 'scenario .*mine.yaml: cannot be read .*'),
    (b'', 'scenario mine: takes keys and values'),
    (b'- 1', 'scenario mine: takes keys and values'),
    (b'&a {duration: *a}', 'scenario .*mine.yaml: is nested more than 20 levels deep'),
    (b'[' * 10000, 'scenario .*mine.yaml: is nested more than 20 levels deep'),
    (b'title: ' + b'[' * 21 + b']' * 21,
     'scenario .*mine.yaml: is nested more than 20 levels deep'),
    (b'title: ' + b'[' * 19 + b']' * 19, 'scenario mine: duration is missing'),
    (b'duration: 5\ntitle: a\nduration: 6',
     'scenario .*mine.yaml: has duration twice, again in line 3'),
    (b'messages:\n  loss: 0\n  loss: 0', 'scenario .*mine.yaml: has loss twice, again in line 3'),
    (b'a: !!int ""', 'scenario .*mine.yaml: is not YAML .*'),
])
def test_a_file_that_is_no_scenario(content: bytes, text: str, tmp_path: Path) -> None:
    path = tmp_path / 'mine.yaml'
    path.write_bytes(content)
    with pytest.raises(ScenarioError, match=f'^{text}$'):
        load(str(path))


def test_a_missing_scenario(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="'steadines'; did you mean steadiness. it takes"):
        load('steadines')
    with pytest.raises(ScenarioError, match="^unknown scenario 'none'; it takes .*acsos2022_"):
        load('none')
    with pytest.raises(ScenarioError, match='^scenario .*none.yaml: cannot be read '):
        load(str(tmp_path / 'none.yaml'))
    with pytest.raises(ScenarioError, match='^scenario .*: cannot be read '):
        load('a\0b.yaml')


def test_an_unknown_algorithm() -> None:
    scenario = made({'algorithms': [BOUNDED, {'name': 'classic', 'radius': 3, 'label': 'old'}]})
    assert scenario.entrant('old').algorithm.name == 'classic'
    with pytest.raises(ScenarioError, match="^scenario mine has no algorithm 'classic'; "
                                            'it has bounded, old$'):
        scenario.entrant('classic')


def test_times_are_those_of_the_samples() -> None:
    assert made({'duration': 3, 'measure': {'interval': 1}}).times().tolist() == [1, 2, 3]
    assert made({'duration': 3.9, 'measure': {'interval': 1}}).times().tolist() == [1, 2, 3]
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


def test_a_section_varies_as_a_whole() -> None:
    variants = made({'vary': {'messages': [{'range': 3}, {'range': 4, 'loss': 0.1}]}}).variants()
    assert [variant.messages.range for _, variant in variants] == [3, 4]


def test_the_duration_may_vary_if_the_samples_are_the_same() -> None:
    variants = made({'vary': {'duration': [10, 10.5]}}).variants()
    assert [variant.duration for _, variant in variants] == [10, 10.5]


def test_yaml_may_merge_mappings() -> None:
    # A key beside a merge wins; it is not a duplicate.
    assert strict_yaml.read('a: &a {x: 1, y: 2}\nb: {<<: *a, x: 3}')['b'] == {'x': 3, 'y': 2}


def test_a_key_of_a_list_is_replaced_in_the_entries_that_have_it() -> None:
    scenario = made({'algorithms': [BOUNDED, {'name': 'colour'},
                                    {'name': 'classic', 'radius': 3}]})
    changed = scenario.replaced({'algorithms.radius': 7, 'duration': 20})
    assert [getattr(entrant.parameters, 'radius', None) for entrant in changed.entrants] \
        == [7, None, 7]
    assert changed.duration == 20 and scenario.duration == 10
