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

"""The last lines of a demonstration: what was checked, and whether it held."""

from typing import NamedTuple


class Check(NamedTuple):
    """One thing that was checked."""

    holds: bool
    text: str


def show(checks: list[Check], pictures: list[str]) -> int:
    """Print the checks, one a line, and the verdict; return the exit status."""
    print('\nWhat was checked:')
    for check in checks:
        print(f'  {"ok  " if check.holds else "FAIL"}  {check.text}')
    for picture in pictures:
        print(f'  wrote {picture}')
    failed = sum(not check.holds for check in checks)
    print('demo: everything held' if not failed else f'demo: {failed} of {len(checks)} failed')
    return 1 if failed else 0


def seconds(since: float | None, until: float | None) -> str:
    """Return how long something took, for people."""
    if since is None or until is None:
        return 'it did not happen'
    return f'{max(0.0, until - since):.1f} s'
