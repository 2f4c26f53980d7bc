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

"""The plan of a swarm: robots, world and bridge that fit each other."""

from pathlib import Path
from xml.etree import ElementTree

from leader_election.gazebo.parameters import GazeboParameters
from leader_election.gazebo.plan import make_plan, Plan
from leader_election.parameters import build, ParameterError
import pytest
import yaml

TWO = '{name: alice, id: 7, pose: {x: -8, y: 5}}; {name: bob, pose: {x: 8, y: 5}}'


def plan(**given: object) -> Plan:
    return make_plan(build(GazeboParameters, given))


def names(made: Plan) -> list[str]:
    return [robot.name for robot in made.robots]


@pytest.mark.parametrize('robots', ['3', TWO])
def test_all_parts_know_the_same_robots(robots: str) -> None:
    made = plan(robots=robots, lidar=8)
    models = [model.get('name') for model in ElementTree.fromstring(made.world).iter('model')]
    topics = [row['ros_topic_name'].split('/')[0] for row in yaml.safe_load(made.bridge)]
    assert models == ['ground', 'arena', *names(made)]
    assert list(dict.fromkeys(topics)) == ['', *names(made)]
    assert (made.world_name, made.arena) == ('swarm', 'blocks')


def test_layouts_and_seeds_are_those_of_the_embedded_world() -> None:
    assert plan(robots='5', seed=1) == plan(robots='5', seed=1) != plan(robots='5', seed=2)
    assert names(plan(robots='2', layout='circle', first_id=8)) == ['robot_8', 'robot_9']


def test_an_own_world_takes_robots_as_if_it_were_empty(tmp_path: Path) -> None:
    file = tmp_path / 'depot.sdf'
    file.write_text('<sdf version="1.7"><world name="depot"/></sdf>')
    made = plan(robots='1', layout='grid', world=str(file))
    assert (made.world_name, made.arena, made.robots[0].pose) == ('depot', '', (0.0, 0.0, 0.0))
    far = plan(robots='far={x: 900}', world=str(file))
    assert far.robots[0].pose == (900.0, 0.0, 0.0)


@pytest.mark.parametrize(('given', 'line'), [
    ({'robots': '0'}, 'parameter robots: 0 is not allowed; it takes 1 to 10000'),
    ({'robots': '3.5'}, "parameter robots: '3.5' is no robot"),
    ({'robots': '9', 'spacing': 20, 'layout': 'grid'}, 'parameter robots: 9 do not fit'),
    ({'robots': 'a={x: 0}'}, 'no room for a'),
    ({'robots': TWO.replace('8, y', '900, y')}, 'no room for alice'),
    ({'world': 'nowhere'}, "parameter world: 'nowhere' is none of"),
    ({'world': 'no.sdf'}, "parameter world: 'no.sdf' cannot be read"),
    ({'layout': 'heap'}, 'parameter layout'),
    ({'step': 1.0}, 'parameter step'),
])
def test_what_is_wrong_is_named(given: dict[str, object], line: str) -> None:
    with pytest.raises(ParameterError, match=line):
        plan(**given)
