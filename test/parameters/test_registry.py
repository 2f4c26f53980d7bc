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

"""Registries: what is added, by hand or by entry points, and what cannot be loaded."""

from importlib.metadata import EntryPoint, EntryPoints
from typing import Any

from leader_election.election.robot.metrics import Metric, METRICS
from leader_election.parameters import registry
from leader_election.parameters.registry import message_type, Registry
import pytest
from std_msgs.msg import Float64

NEAR = Metric('near', cost=lambda metres, own, neighbour, parameters: metres / 2.0)


def filled(monkeypatch: pytest.MonkeyPatch, *points: EntryPoint) -> Registry[Metric]:
    monkeypatch.setattr(registry, 'installed_entry_points', lambda: EntryPoints(points))
    found: Registry[Metric] = Registry('metric', 'some.group')
    found.add(METRICS.get('hops'))
    return found


def test_entry_point_adds_a_plug_in(monkeypatch: pytest.MonkeyPatch) -> None:
    found = filled(monkeypatch, EntryPoint('near', f'{__name__}:NEAR', 'some.group'))
    monkeypatch.setattr(EntryPoint, 'load', lambda self: NEAR)
    assert found.names() == ('hops', 'near')
    assert found.get('near') is NEAR


@pytest.mark.parametrize('value, reason', [
    ('no.such.module:METRIC', 'ModuleNotFoundError'), ('math:tau_and_more', 'AttributeError'),
    ('math:pi', 'AttributeError')])
def test_other_plug_ins_load_when_one_is_broken(
        monkeypatch: pytest.MonkeyPatch, value: str, reason: str) -> None:
    found = filled(monkeypatch, EntryPoint('broken', value, 'some.group'))
    assert found.names() == ('hops',) and list(found.broken()) == ['broken']
    with pytest.raises(KeyError, match=f"metric 'broken' cannot be loaded: {reason}"):
        found.get('broken')


def test_unknown_name_is_refused_with_the_known_names(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KeyError, match="unknown metric 'far'; known: hops"):
        filled(monkeypatch).get('far')
    with pytest.raises(KeyError, match="unknown metric 'hop'; did you mean hops. known: hops"):
        filled(monkeypatch).get('hop')


def test_duplicate_name_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    other: Any = Metric('hops', cost=lambda *_: 2.0)
    with pytest.raises(ValueError, match="metric 'hops' is registered already"):
        filled(monkeypatch).add(other)


def test_type_is_looked_up_by_its_name() -> None:
    assert message_type('std_msgs/msg/Float64') is Float64


@pytest.mark.parametrize(('name', 'error'), [
    ('Float64', ValueError), ('std_msgs/Float64', ValueError),
    ('std_msgs/srv/Float64', ValueError),
    ('no_msgs/msg/Float64', ImportError), ('std_msgs/msg/Float65', AttributeError)])
def test_type_is_refused_when_unknown(name: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        message_type(name)


def test_entry_is_replaced_only_explicitly(monkeypatch: pytest.MonkeyPatch) -> None:
    found = filled(monkeypatch)
    other = Metric('near', cost=lambda *_: 2.0)
    assert found.replace(NEAR) is NEAR and found.get('near') is NEAR
    assert found.replace(other) is other and found.get('near') is other
    with pytest.raises(ValueError, match="metric 'hops' is registered already"):
        found.replace(Metric('hops', cost=lambda *_: 2.0))
