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

"""The examples and names of doc/laboratory.md."""

from pathlib import Path
import re

from leader_election.lab.experiment import scenario as scenarios
from leader_election.lab.motions import MOTIONS
from leader_election.lab.simulation.network_events import EVENTS
from leader_election.lab.simulation.simulate import simulate
from leader_election.lab.topologies import TOPOLOGIES
import pytest

TEXT = (Path(__file__).parents[2] / 'doc' / 'laboratory.md').read_text()


def test_the_scenario_of_the_document_runs(tmp_path):
    [text] = re.findall(r'```yaml\n(.*?)```', TEXT, re.DOTALL)
    path = tmp_path / 'fifty.yaml'
    path.write_text(text)
    scenario = scenarios.load(str(path))
    assert [values['messages.loss'] for values, _ in scenario.variants()] == [0, 0.2, 0.4]
    # The strongest of fifty devices dies half way.
    [event] = scenario.events
    assert (event[0].name, event[1].at, event[1].strongest) == ('die', 60.0, 1)
    run = simulate(scenario.replaced({'duration': 70}), 'bounded', 0, snapshots=[59.0, 69.0])
    assert [int(snapshot.running.sum()) for snapshot in run.snapshots] == [50, 49]


@pytest.mark.parametrize(('kind', 'names'), [
    ('topology', TOPOLOGIES.names()), ('motion', MOTIONS.names()), ('event', EVENTS.names()),
    ('section', scenarios.KEYS[3:])])
def test_the_document_names_every(kind, names):
    assert [name for name in names if f'`{name}`' not in TEXT] == []
