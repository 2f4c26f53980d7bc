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

"""The faults that ``swarm_doctor`` checks for, as a page."""

from pathlib import Path


def diagnoses(root: Path, argument: str) -> str:
    """
    Return a section for each check of the doctor, as Markdown.

    :param root: the folder of the checkout; not used.
    :param argument: not used.
    """
    from leader_election.swarm.doctor.diagnoses import CHECKS
    return '\n'.join(
        f'### {check.question}\n\n{check.meaning}\n\n**What to do:** {check.remedy}\n\n'
        f'(`swarm_doctor` calls this `{check.name}`.)\n' for check in CHECKS)
