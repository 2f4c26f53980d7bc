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

"""What the tutorials have one write does what they say."""

import os
from pathlib import Path
import re
import subprocess
import sys

import pytest

ROOT = Path(__file__).parents[1]


def write_files(tutorial: str, folder: Path) -> None:
    """Write all that a tutorial has one write, each block into the file that it begins with."""
    text = (ROOT / 'doc' / 'tutorials' / tutorial).read_text()
    for block, name in re.findall(r'```\w+\n(# ([\w/]+\.\w+)\n.*?)```', text, re.DOTALL):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(block)
    (folder / 'my_robots' / '__init__.py').touch()


def run(folder: Path, *arguments: str) -> str:
    """Run Python in the folder, as the tutorial says, and return what it printed."""
    path = os.pathsep.join([str(ROOT), str(folder)])
    ran = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env={**os.environ, 'PYTHONPATH': path},
        timeout=120, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert ran.returncode == 0, ran.stdout
    return ran.stdout


@pytest.mark.parametrize(('tutorial', 'count'), [
    ('write_a_task.md', 1), ('write_an_algorithm.md', 3)])
def test_tests_of_a_tutorial_pass(tutorial: str, count: int, tmp_path: Path) -> None:
    write_files(tutorial, tmp_path)
    if (tmp_path / 'setup.py').exists():
        run(tmp_path, 'setup.py', '-q', 'egg_info')
    said = run(tmp_path, '-m', 'pytest', '-q', '-p', 'no:cacheprovider')
    assert f'{count} passed' in said


def test_the_algorithm_is_measured_as_the_tutorial_says(tmp_path: Path) -> None:
    """The scenario is one that the laboratory reads, with the algorithm found by its name."""
    write_files('write_an_algorithm.md', tmp_path)
    run(tmp_path, 'setup.py', '-q', 'egg_info')
    said = run(tmp_path, '-c',
               'from leader_election.lab.scenario import load\n'
               'print([entrant.label for entrant in load("loyal.yaml").entrants])')
    assert said.strip() == "['bounded', 'loyal']"
