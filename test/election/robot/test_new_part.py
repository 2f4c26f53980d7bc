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

"""A new part takes its own modules, and one line of the table of parts."""

from pathlib import Path
import subprocess
import sys

PART = """
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from leader_election.election.messages.wire import (
    members, properties, Rejected, RejectReason, Sent, whole, WirePart)
from leader_election.election.part import Part
from leader_election.parameters import parameter


@dataclass(frozen=True)
class HorizonParameters:
    horizon: bool = parameter(False, 'Whether robots count the neighbours of their neighbours.')
    least_horizon: int = parameter(0, 'A lower count is warned of.', lower=0, upper=100)


class HorizonPart(NamedTuple):
    neighbours: Annotated[int, Sent('q', whole(0, 100))]
    'The number of neighbours of the sender.'


def read(document):
    try:
        found = {name: member.kind.read(document[member.key])
                 for name, member in members(HorizonPart).items() if member.key in document}
    except Rejected:
        return None, (RejectReason.MALFORMED,)
    return HorizonPart(**found) if found else None, ()


HORIZON = WirePart('horizon', read, lambda part: {'q': part.neighbours},
                   lambda: properties(HorizonPart))


class Horizon(Part):
    name = 'horizon'

    def __init__(self, setup):
        self.neighbours = self.beyond = 0
        self.least = setup.parameters.least_horizon

    def read(self, sender, export, sent, missed):
        return sent, None

    def round(self, elected):
        self.neighbours = len(elected.view.messages)
        self.beyond = sum(sent.neighbours for sent in elected.view.read[self.name] if sent)

    def sent(self):
        return HorizonPart(self.neighbours)

    def concern(self):
        fault = 'too few' if self.beyond < self.least else ''
        return fault, f'{self.beyond} beyond', {'beyond': self.beyond}
"""

RUN = """
import sys

sys.path.append(sys.argv[1])
import horizon

sys.modules['leader_election.horizon'] = horizon
from leader_election.election import part

part.PARTS += (part.PartEntry(
    name='horizon', wanted='horizon', wire='horizon:HORIZON', part='horizon:Horizon',
    parameters='horizon:HorizonParameters'),)

from doc.made.schema import schema
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.robot import Robot
from leader_election.parameters import build, to_yaml
from leader_election.ros.nodes.robot_diagnostics import statuses

assert 'q' in schema()['properties']
assert '    ## Others' in to_yaml(ElectionParameters, '').splitlines()
robots = [Robot(build(ElectionParameters, {
    'robot_id': k, 'metric': 'hops', 'radius': 9.0, 'communication_range': float('inf'),
    'horizon': k < 3, 'least_horizon': 5})) for k in range(4)]
for now in range(3):
    for robot in robots:
        payload = robot.round(float(now))
        assert ('"q":' in payload) == (robot.parameters.robot_id < 3)
        for other in robots:
            other.receive(payload, float(now))
robots[0].receive('{"v":1,"id":9,"frame":"map","c":[0.0,0.0,9,0],"q":-1}', 3.0)
print(robots[0].counts['rejected_malformed'], [
    status.message for status in statuses(robots[0], 'me', 3.0) if 'horizon' in status.name])
"""


def test_new_part_needs_nothing_but_its_line_in_the_table(tmp_path: Path) -> None:
    (tmp_path / 'horizon.py').write_text(PART, encoding='utf-8')
    ran = subprocess.run([sys.executable, '-c', RUN, tmp_path], capture_output=True,
                         encoding='utf-8', cwd=Path(__file__).parents[3])
    assert ran.stdout == "1 ['6 beyond']\n", ran.stderr
