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
Fuzzing of codec, mailbox, round and the readers of files for a given time.

The properties are those of ``test/election/messages/test_fuzz.py``, the payloads those of
``test/election/messages/payloads.py``.
Hypothesis reduces and prints failing payloads, and keeps them
in ``.hypothesis/fuzz``. Each further run tries them first. Add important ones to
``test/election/messages/corpus.txt``. :mod:`.fuzz_files` mutates files.
"""

import argparse
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import count
import random
import sys
import time
import traceback
from typing import Any

from benchmarks import fuzz_files
from election.messages.payloads import payloads
from election.messages.test_fuzz import check_decoding, check_recovery, REGIONS
from hypothesis import given, HealthCheck, seed, settings
from hypothesis import strategies as st
from hypothesis.database import DirectoryBasedExampleDatabase
from leader_election.election.algorithms import Algorithm, ALGORITHMS
from leader_election.election.messages.codec import Codec

KEPT = '.hypothesis/fuzz'
EXAMPLES = {'decoding': 100, 'recovery': 10}
"""The number of successive examples of each property, a tenth of it in the first turn."""


def decoding(algorithm: Algorithm, counts: Counter[str]) -> Callable[[], None]:
    """Return the property that decoding never raises, and is the inverse of encoding."""
    @given(payloads(algorithm))
    def holds(payload: str) -> None:
        counts['payloads decoded'] += 1
        check_decoding(Codec(algorithm), payload)
    return holds


def recovery(algorithm: Algorithm, counts: Counter[str]) -> Callable[[], None]:
    """Return the property that robots are back at their partition in time after an attack."""
    attacks = st.lists(st.lists(payloads(algorithm), max_size=6), min_size=1, max_size=10)

    @given(attacks, REGIONS, st.integers(0, 2**32))
    def holds(attack: list[list[str]], regions: dict[str, Any], order: int) -> None:
        counts['attacks'] += 1
        counts['payloads received'] += sum(map(len, attack))
        check_recovery(algorithm.name, attack, regions, random.Random(order))
    return holds


def main() -> int:
    """Fuzz all algorithms in turn, and print the number of examples and the failures."""
    parser = argparse.ArgumentParser(description=__doc__.strip().split('\n')[0])
    parser.add_argument('--minutes', type=float, default=60.0, help='default: 60')
    parser.add_argument('--seed', type=int, default=time.time_ns(), help='default: the time')
    parser.add_argument('--algorithm', choices=ALGORITHMS.names(), action='append')
    parser.add_argument('--files', action='store_true', help='only the readers of files')
    options = parser.parse_args()
    end = time.monotonic() + 60.0 * options.minutes
    counts: Counter[str] = Counter()
    failed: set[str] = set()
    names = [] if options.files else options.algorithm or ALGORITHMS.names()
    trials: dict[str, Callable[[int], bool]] = {
        f'{what.__name__} of {name}': partial(_attempt, what, name, options.seed, counts)
        for name in names for what in (decoding, recovery)}
    trials |= {} if options.algorithm else {
        f'reader of {name}': partial(_attempt_files, name, options.seed, counts)
        for name in fuzz_files.names()}
    untried = [*trials]
    print(f'seed {options.seed}')
    for turn in count():
        for label, attempt in trials.items():
            if time.monotonic() > end:
                print(', '.join(f'{n:,} {of}' for of, n in counts.items()),
                      f'failed: {", ".join(sorted(failed)) or "none"}', sep='; ')
                if untried:
                    print(f'error: too short, not tried: {", ".join(untried)}; take more '
                          '--minutes, one --algorithm, or --files', file=sys.stderr)
                return 1 if failed or untried else 0
            if turn == 0:
                untried.remove(label)
            if not attempt(turn):
                failed.add(label)
        print(f'turn {turn + 1}:', ', '.join(f'{n:,} {of}' for of, n in counts.items()),
              flush=True)
    raise AssertionError('it counts for ever')


def _attempt(what: Callable[[Algorithm, Counter[str]], Callable[[], None]], name: str, first: int,
             counts: Counter[str], turn: int) -> bool:
    """Return whether a property of an algorithm holds for some examples."""
    try:
        holds: Any = seed(first + turn)(settings(
            max_examples=EXAMPLES[what.__name__] // (1 if turn else 10), deadline=None,
            database=DirectoryBasedExampleDatabase(KEPT),
            suppress_health_check=list(HealthCheck))(what(ALGORITHMS.get(name), counts)))
        holds()
    except Exception:  # Any exception of a property is a finding.
        traceback.print_exc()
        return False
    return True


def _attempt_files(name: str, first: int, counts: Counter[str], turn: int) -> bool:
    """Return whether a reader takes or refuses some mutated files."""
    counts['files'] += fuzz_files.EXAMPLES
    wrong = [*fuzz_files.failures(name, first + turn, fuzz_files.EXAMPLES)]
    print(*wrong, sep='\n', end='\n' * bool(wrong))
    return not wrong


if __name__ == '__main__':
    sys.exit(main())
