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

"""Scenarios that take milliseconds, for tests that need one."""

from pathlib import Path
from typing import Any

from leader_election_lab.experiment import scenario
from leader_election_lab.experiment.scenario import Scenario

TEXT = """
title: Small
duration: 20
algorithms:
  - {name: classic, radius: 30, wins: weakest}
  - {name: bounded, radius: 30, ties: nearest}
devices:
  - {kind: uniform, count: 30, low: [0, 0], high: [100, 100]}
messages: {range: 40}
"""
VARIED = TEXT + 'vary: {messages.loss: [0, 0.5], rounds.phase: [random, together]}\n'


def write(folder: Path, text: str = TEXT) -> Path:
    """Return the path of a scenario ``small``."""
    path = folder / 'small.yaml'
    path.write_text(text)
    return path


def load(folder: Path, text: str = TEXT) -> Scenario:
    return scenario.load(str(write(folder, text)))


def row(devices: int = 12, duration: float = 4, **more: Any) -> Scenario:
    """Return devices 10 m apart in a row, each in range of the next."""
    return scenario.parse({
        'title': 'A row', 'duration': duration,
        'algorithms': [{'name': 'bounded', 'radius': 1000}],
        'devices': [{'kind': 'grid', 'columns': devices, 'rows': 1, 'first': [0, 0],
                     'step': [10, 10]}],
        'messages': {'range': 15}, 'strength': {'cycle': ['id']}, **more}, 'row')
