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

"""Variations: the algorithms to which a key of algorithms applies."""

from collections.abc import Mapping
from typing import Any

from lab.experiment.test_parser import made, refused
import pytest

ALGORITHMS = [{'name': 'bounded', 'radius': 60},
              {'name': 'bounded', 'label': 'far.1', 'radius': 9},
              {'name': 'classic', 'radius': 60}, {'name': 'resilient', 'diameter_factor': 3}]


def parameters(vary: Mapping[str, Any]) -> list[list[Any]]:
    """Return the parameters of all algorithms in each variant."""
    variants = made({'algorithms': ALGORITHMS, 'vary': vary}).variants()
    return [[entrant.parameters for entrant in variant.entrants] for _, variant in variants]


def test_a_key_of_some_entries_changes_these() -> None:
    [near, *others] = parameters({'algorithms.radius': [5, 6]})[0]
    assert near.radius == others[0].radius == others[1].radius == 5.0
    usual = made({'algorithms': ALGORITHMS}).entrants[3].parameters
    assert others[2] == usual


def test_a_parameter_of_no_entry_changes_all_algorithms_that_take_it() -> None:
    usual = [entrant.parameters for entrant in made({'algorithms': ALGORITHMS}).entrants]
    one, other = parameters({'algorithms.radius_hysteresis': [0, 0.5]})
    for k, found in enumerate(other):
        assert (found != one[k]) == (k < 2) and (found == usual[k]) == (k >= 2)


def test_a_label_and_a_key_change_one_entry() -> None:
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
def test_a_parameter_that_no_algorithm_takes_is_an_error(
        key: str, values: list[Any], message: str) -> None:
    assert message in refused({'algorithms': ALGORITHMS, 'vary': {f'algorithms.{key}': values}})
