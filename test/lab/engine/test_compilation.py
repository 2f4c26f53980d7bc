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

"""The cache of compiled code."""

import os
from pathlib import Path

from leader_election.lab.engine.compilation import cache_folder, MONTH
import pytest


def test_the_folder_of_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    folder = cache_folder()
    assert folder.parent == tmp_path / 'leader_election' and folder.is_dir()
    assert cache_folder() == folder


def test_folders_not_used_for_a_month_are_removed(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    old, young = (tmp_path / 'leader_election' / f'numba-{name}' for name in ('old', 'young'))
    for each in (old, young):
        each.mkdir(parents=True)
        (each / 'code').write_text('')
    now = young.stat().st_mtime
    os.utime(old, (now - MONTH - 60.0,) * 2)
    os.utime(young, (now - MONTH + 60.0,) * 2)
    cache_folder()
    assert not old.exists() and young.exists()


def test_another_folder_is_used_where_the_home_is_not_writable(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / 'file').write_text('')
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'file'))
    folder = cache_folder()
    assert tmp_path not in folder.parents and os.access(folder, os.W_OK)
