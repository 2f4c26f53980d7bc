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
Fuzzing of codec, mailbox and round for a given time.

The properties are those of ``test/election/messages/test_fuzz.py``, the payloads those of
``test/election/messages/payloads.py``.
Hypothesis reduces and prints failing payloads, and keeps them
in ``.hypothesis/fuzz``. Each further run tries them first. Add important ones to
``test/election/messages/corpus.txt``.
"""

import argparse
from collections import Counter
from collections.abc import Callable
from itertools import count
import random
import sys
import time
import traceback
from typing import Any

from election.messages.payloads import payloads
from election.messages.test_fuzz import check_decoding, check_recovery
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

    @given(attacks, st.booleans(), st.integers(0, 2**32))
    def holds(attack: list[list[str]], regions: bool, order: int) -> None:
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
    options = parser.parse_args()
    end = time.monotonic() + 60.0 * options.minutes
    counts: Counter[str] = Counter()
    failed: set[str] = set()
    names = options.algorithm or ALGORITHMS.names()
    untried = [f'{what.__name__} of {name}' for name in names for what in (decoding, recovery)]
    print(f'seed {options.seed}')
    for turn in count():
        for name in names:
            for what in (decoding, recovery):
                if time.monotonic() > end:
                    print(', '.join(f'{n:,} {of}' for of, n in counts.items()),
                          f'failed: {", ".join(sorted(failed)) or "none"}', sep='; ')
                    if untried:
                        print(f'error: too short, not tried: {", ".join(untried)}; take more '
                              '--minutes, or one --algorithm', file=sys.stderr)
                    return 1 if failed or untried else 0
                if turn == 0:
                    untried.remove(f'{what.__name__} of {name}')
                attempt: Any = seed(options.seed + turn)(settings(
                    max_examples=EXAMPLES[what.__name__] // (1 if turn else 10), deadline=None,
                    database=DirectoryBasedExampleDatabase(KEPT),
                    suppress_health_check=list(HealthCheck))(what(ALGORITHMS.get(name), counts)))
                try:
                    attempt()
                except Exception:  # Any exception of a property is a finding.
                    failed.add(f'{what.__name__} of {name}')
                    traceback.print_exc()
        print(f'turn {turn + 1}:', ', '.join(f'{n:,} {of}' for of, n in counts.items()),
              flush=True)
    raise AssertionError('it counts for ever')


if __name__ == '__main__':
    sys.exit(main())
