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

"""The linters that packages of ROS 2 are held to find nothing, where they are installed."""

from pathlib import Path
import subprocess
import sys

import pytest

ROOT = Path(__file__).parents[1]
CODE = ['launch', 'leader_election', 'setup.py']
"""What is installed. ruff checks the rest, and by the rules of linters that are missing."""
RUN = """
import sys
from importlib import import_module, metadata

found = metadata.distributions
metadata.distributions = lambda: (each for each in found() if not each.name.startswith('flake8-'))
linter = import_module(f'{sys.argv[1]}.main')
sys.exit(linter.main(argv=sys.argv[2:]))
"""
"""Runs a linter. ruff has the rules of flake8's plug-ins, which need a third of its time."""
LINTERS = {'ament_flake8': CODE, 'ament_pep257': CODE,
           'ament_copyright': [*CODE, 'CONTRIBUTING.md', 'LICENSE'],
           'ament_xmllint': ['package.xml', 'msgs/package.xml']}


@pytest.mark.parametrize('linter', LINTERS)
def test_ament_lint_finds_nothing(linter: str) -> None:
    # Each in a process of its own: flake8 forks, which is not safe beside the threads of others.
    pytest.importorskip(linter, reason=f'{linter} is not installed')
    ran = subprocess.run(
        [sys.executable, '-c', RUN, linter, *LINTERS[linter]], cwd=ROOT,
        capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr + ran.stdout
