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
The laboratory against the same work in C++, in turns: million device-rounds a second on one core.

The C++ code, ``benchmarks/peer.cpp``, has neither mailboxes, losses nor samples. Without a
compiler this benchmark is skipped.
"""

from pathlib import Path
import shutil
import statistics
import subprocess
import tempfile

from benchmarks.laboratory import Case, HERE, measure

TURNS = 3
SOURCE = Path(__file__).with_suffix('.cpp')
OPTIONS = '-std=c++20 -O3 -march=native -ffast-math -fopenmp-simd'
RANDOM = 'phase: random'
SIZES = {0: '1000 1030 50 400 200', 100_000: '100000 10300 50 400 6',
         1_000_000: '1000000 32571 50 400 2'}
CASES = {
    Case('acsos2022_edge', 'bounded', 0): '1011 1030 100 250 100 place',
    **{Case('acsos2022_random', 'bounded', devices, change): f'{arguments} {phase}'
       for devices, arguments in SIZES.items()
       for change, phase in (('', 'place'), (RANDOM, 'random'))}}
"""The arguments of the C++ code for each case of the laboratory."""
COLUMNS = ('laboratory', 'C++ plain', 'C++ vectorised', 'plain / lab', 'vectorised / lab')


def main() -> None:
    """Print the figures: the median of all turns. Ratios are of the same turn."""
    compiler = next(filter(None, map(shutil.which, ('g++', 'c++', 'clang++'))), None)
    if compiler is None:
        print('skipped: there is no C++ compiler (g++, c++ or clang++)')
        return
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / 'peer'
        subprocess.run([compiler, *OPTIONS.split(), '-o', program, SOURCE], check=True)
        print(' ' * 40, *(f'{column:>17}' for column in COLUMNS))
        for case, arguments in CASES.items():
            turns = []
            for _ in range(TURNS):
                found, = measure([(HERE, case)], 3)
                peer = subprocess.run([program, *arguments.split()], check=True, encoding='utf-8',
                                      capture_output=True).stdout
                lab, plain, vectorised = (1e3 / each for each in (
                    min(found.nanoseconds), *map(float, peer.split())))
                turns.append((lab, plain, vectorised, plain / lab, vectorised / lab))
            name = f'{case.scenario} {case.devices or ""} {arguments.split()[-1]}'
            print(f'{name:40}', *(f'{statistics.median(column):17.2f}' for column in zip(*turns)),
                  flush=True)


if __name__ == '__main__':
    main()
