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

"""Count runs of pytest in one line: summary.py <their exit status> <JUnit file of each>..."""

from pathlib import Path
import sys
import xml.etree.ElementTree as ElementTree


def main(status: int, reports: list[Path]) -> int:
    """Print the counts; return the exit status, which is 0 only if tests ran and all went well."""
    passed = failed = skipped = 0
    for report in filter(Path.exists, reports):
        for case in ElementTree.parse(report).iter('testcase'):
            outcomes = {outcome.tag for outcome in case}
            if outcomes & {'failure', 'error'}:
                failed += 1
            elif 'skipped' in outcomes:
                skipped += 1
            else:
                passed += 1
    if not failed and (status or not passed):
        print('error: the run itself failed, see above; it counts as one failure')
        failed = 1
    print(f'{passed} passed, {failed} failed, {skipped} skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(int(sys.argv[1]), [Path(name) for name in sys.argv[2:]]))
