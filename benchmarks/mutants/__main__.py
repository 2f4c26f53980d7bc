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

"""
Mutation testing of the core: change one place at a time, and count the changes no test notices.

mutmut makes the mutants. The tests are collected once. A process is forked for each mutant, gets
the changed function in place of the original one, and runs the tests that reach the changed
statement, until one fails. Not counted are: texts of errors, functions that run only while a
module is imported, and the mutants in equivalent.txt, which no test can tell from the original.
The exit status is 0 if the tests kill all others; the survivors are listed.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from fnmatch import fnmatch
import os
from pathlib import Path
import random
import resource
import sys

from benchmarks.mutants.mutant import mutants
from benchmarks.mutants.trial import CORE, Result, Trial
import pytest

ROOMS = ('messages', 'mandates', 'regions', 'algorithms', 'robot')
TESTS = ('test/election', 'test/parameters', 'leader_election/election')
LEFT_OUT = 'every_network or clocks'
"""Exhaustive searches."""
MEMORY = 8 << 30
"""The memory of a process, which some mutants would fill [bytes]."""
SEED = 1


def equivalent_mutants() -> set[str]:
    """Return the mutants in ``equivalent.txt``: blocks of a function, changes, and a reason."""
    found: set[str] = set()
    text = Path(__file__).with_name('equivalent.txt').read_text(encoding='utf-8')
    for block in text.split('\n\n'):
        function, *changes, _ = block.strip().splitlines()
        found |= {f'{function}\n{before}\n{after}'
                  for before, after in zip(changes[::2], changes[1::2], strict=True)}
    return found


def row(room: str, results: Sequence[Result]) -> str:
    """Return a line of the table."""
    counts = Counter(results)
    killed, survived = counts[Result.KILLED], counts[Result.SURVIVED]
    return ''.join((f'{room:<10}{len(results):>9}', *(f'{counts[each]:>12}' for each in Result),
                    f'{100.0 * killed / max(killed + survived, 1):>10.1f} %'))


def main() -> int:
    """Try mutants, print the survivors and the table, and return the exit status."""
    parser = argparse.ArgumentParser(
        prog='make mutants', description=str(__doc__).strip().split('\n')[0])
    parser.add_argument('files', nargs='*', default=['*'], help="such as 'robot/mail*.py'")
    parser.add_argument('--share', type=float, default=100.0, help='a random part of them [%%]')
    parser.add_argument('--tests', nargs='+', default=TESTS, help='folders and files of tests')
    parser.add_argument('--jobs', type=int, default=os.cpu_count(), help='default: all cores')
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    def is_chosen(file: str) -> bool:
        return any(fnmatch(file, pattern) for pattern in options.files)
    found = [each for room in ROOMS for path in sorted(Path(CORE, room).glob('*.py'))
             if is_chosen(f'{room}/{path.name}') for each in mutants(path)]
    equivalent = {each for each in equivalent_mutants() if is_chosen(each.partition(' ')[0])}
    if unknown := equivalent - {str(each) for each in found}:
        print('error: equivalent.txt has mutants that do not exist:', *unknown, sep='\n')
        return 1
    found = random.Random(SEED).sample(found, round(len(found) * options.share / 100.0))
    results = {each: Result.TEXT if each.is_text else Result.EQUIVALENT
               for each in found if each.is_text or str(each) in equivalent}
    trial = Trial([each for each in found if each not in results], options.jobs)
    status = pytest.main(['-q', '-p', 'no:cacheprovider', '-k', f'not ({LEFT_OUT})',
                          *options.tests], plugins=[trial])
    if status:
        return int(status)
    results |= trial.results
    survivors = [each for each in found if results[each] is Result.SURVIVED]
    if survivors:
        print('survivors without a reason in equivalent.txt:', *survivors, sep='\n\n')
    print('', f'{"room":<10}{"mutants":>9}' + ''.join(f'{each.value:>12}' for each in Result)
          + f'{"share":>12}', sep='\n')
    for room in ROOMS:
        if in_room := [results[each] for each in found if each.file.startswith(f'{room}/')]:
            print(row(room, in_room))
    print(row('all', list(results.values())))
    return int(bool(survivors))


if __name__ == '__main__':
    sys.exit(main())
