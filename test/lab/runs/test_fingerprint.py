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

"""Digests of the inputs of runs."""

from pathlib import Path
import subprocess
import sys
from typing import Any

from lab.simulations import scene, WALK
from leader_election.lab.experiment import scenario
from leader_election.lab.experiment.scenario import Scenario
from leader_election.lab.runs.fingerprint import fingerprint

QUIET = scene()


def happening(*events: dict[str, Any]) -> Scenario:
    return scene(events=list(events))


def test_the_fingerprint_depends_on_all_inputs_of_a_run() -> None:
    one = fingerprint(QUIET, 'bounded')
    assert one == fingerprint(scene(title='Another', source='Nowhere'), 'bounded')
    others = [scene(messages={'range': 26}), scene(algorithms=[{'name': 'bounded', 'radius': 61}]),
              scene(algorithms=[{'name': 'bounded', 'radius': 60, 'wins': 'weakest'}]),
              scene(motion=WALK)]
    assert [one.difference(str(fingerprint(other, 'bounded'))) for other in others] == [
        'scenario', 'parameters', 'parameters', 'scenario']
    assert len({one, *(fingerprint(other, 'bounded') for other in others)}) == 5
    assert one.difference(str(one)) == '' and one.difference('0123456789abcdef') == 'code'


def test_the_notation_does_not_change_the_fingerprint() -> None:
    # A range with a point, another order, another label, other algorithms beside it.
    other = scene(messages={'range': 25.0}, algorithms=[
        {'name': 'classic', 'radius': 7}, {'radius': 60.0, 'label': 'ours', 'name': 'bounded'}])
    assert fingerprint(other, 'ours') == fingerprint(QUIET, 'bounded')
    assert fingerprint(other, 'classic') != fingerprint(QUIET, 'bounded')


def test_the_content_of_files_matters(tmp_path: Path) -> None:
    file = tmp_path / 'graph'
    file.write_text('a b\nb c\n')
    of_file = scene(devices=[{'kind': 'edge_list', 'path': str(file)}])
    one = fingerprint(of_file, 'bounded')
    file.write_text('a b\nb c\nc a\n')
    assert one.difference(str(fingerprint(of_file, 'bounded'))) == 'scenario'
    file.write_text('a b\nb c\n')
    assert one == fingerprint(of_file, 'bounded')


PRINT = """
from leader_election.lab.experiment import scenario
from leader_election.lab.experiment import scenario
from leader_election.lab.runs.fingerprint import fingerprint
loaded = scenario.load('coordination2019')
print(*(fingerprint(loaded, entrant.label) for entrant in loaded.entrants))
"""


def test_all_processes_agree() -> None:
    completed = subprocess.run([sys.executable, '-c', PRINT], capture_output=True, text=True,
                               check=True)
    # With regions, whose parameters hold arrays; and streets, whose speed is a lambda.
    loaded = scenario.load('coordination2019')
    assert completed.stdout.split() == [
        str(fingerprint(loaded, entrant.label)) for entrant in loaded.entrants]


def stem(of: Scenario) -> str:
    return str(fingerprint(of, 'bounded', but_later_events=True))


def test_the_stem_does_not_depend_on_later_events() -> None:
    die, heal = {'kind': 'die', 'at': 5, 'share': 0.5}, {'kind': 'heal', 'at': 7}
    one = stem(QUIET)
    assert one == stem(happening(die)) == stem(happening(heal, die))
    assert one == str(fingerprint(happening(), 'bounded')) != str(
        fingerprint(happening(die), 'bounded'))
    assert one != stem(scene(messages={'range': 26}))


def test_the_stem_depends_on_devices_that_join_later() -> None:
    join, earlier = ({'kind': 'join', 'at': at, 'first': 3} for at in (5, 4))
    die = {'kind': 'die', 'at': 6}
    stems = [stem(happening(*events)) for events in ([], [join], [earlier])]
    assert len(set(stems)) == 3
    assert stems[1] == stem(happening(join, die))
