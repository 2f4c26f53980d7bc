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

"""Fleet files: precedence of their parts, settings of robots, and errors."""

from pathlib import Path
from typing import Any

from budget import examples
from hypothesis import example, given, settings
from hypothesis import strategies as st
from leader_election.parameters import format_ids, ParameterError
from leader_election.simulation.parameters import SceneParameters
from leader_election.simulation.scene import load_arena, make_scene
from leader_election.swarm.fleet.fleet_file import FleetRobot, load_fleet, read_fleet
from leader_election.swarm.fleet.fleet_settings import task_parameters
from leader_election.swarm.fleet.robot_list import (
    check_free_space,
    format_robot_list,
    parse_ids,
    parse_robot_list,
    RobotSpec,
    scene_robots,
)
import pytest
import yaml

EXAMPLE = Path(__file__).parents[3] / 'config' / 'robots.yaml'


def wrong(text: str) -> str:
    """Return the error text of a fleet file."""
    with pytest.raises(ParameterError) as caught:
        read_fleet(text, 'mine.yaml')
    said = str(caught.value)
    assert said.startswith('parameter fleet_file: mine.yaml: ') and '\n' not in said
    return said.removeprefix('parameter fleet_file: mine.yaml: ')


def robots(**given: Any) -> str:
    """Return a fleet file with one robot, alice, with an id and the given settings."""
    return yaml.safe_dump({'robots': {'alice': {'id': 1, **given}}})


def fleet(**others: Any) -> str:
    """Return a fleet file with two robots. Bob has the given settings."""
    return yaml.safe_dump({'robots': {'alice': {'id': 1}, 'bob': {'id': 2, **others}}})


def spec(**given: Any) -> FleetRobot:
    """Return alice, with the given settings."""
    (alice,) = read_fleet(robots(**given), 'mine.yaml').robots
    return alice


FLEET = """
defaults: {radius: 8.0, communication_range: 4, odom_topic: wheels, frame: hall}
types:
  small: {radius: 6, scan_topic: /front}
  large: {tasks: rally}
robots:
  alice: {id: 1, type: small, initial_pose: [1, 2, 0.5], hostname: tb4-07}
  bob: {id: 2, type: large, radius: 7, odom_topic: odom, rally.reaction: 2,
        initial_pose: [3, 2, 3, 0, 0, 0.5]}
  carol: {id: 3, enabled: false}
"""


def test_robot_overrides_its_type_and_the_type_the_defaults():
    alice, bob, carol = read_fleet(FLEET, 'mine.yaml').robots
    assert alice.spec == RobotSpec('alice', 1, (1.0, 2.0, 0.5))
    assert alice.parameters == {
        'robot_id': 1, 'initial_pose': (1.0, 2.0, 0.5), 'radius': 6.0,
        'communication_range': 4.0, 'frame': 'hall'}
    assert alice.topics == {'odom_topic': 'wheels', 'scan_topic': '/front'}
    assert bob.parameters == {
        'robot_id': 2, 'initial_pose': (3.0, 2.0, 3.0, 0.0, 0.0, 0.5), 'radius': 7.0,
        'communication_range': 4.0, 'frame': 'hall', 'tasks': 'rally', 'rally.reaction': 2.0}
    assert bob.spec.pose == (3.0, 2.0, 0.5)
    assert bob.topics == {'odom_topic': 'odom'}
    assert (carol.parameters['radius'], carol.enabled) == (8.0, False)


def test_robot_is_found_by_name_and_hostname():
    fleet = read_fleet(FLEET, 'mine.yaml')
    assert fleet.robot('bob').spec.id == 2
    for hostname, name in (('tb4-07', 'alice'), ('TB4-07.local', 'alice'), ('bob', 'bob')):
        assert fleet.of_host(hostname).spec.name == name


def test_quorum_takes_the_ids_of_all_robots_of_the_file_as_its_roster():
    text = ('defaults: {mandate: 3, instances: near, near: {mandate: 3, quorum: majority}%s}\n'
            'robots: {alice: {id: 4}, bob: {id: 2}, carol: {id: 3, enabled: false}}')
    for own, roster in (('', None), (', quorum: majority', '2-4'),
                        (', quorum: majority, roster: 2-5', '2-5')):
        for robot in read_fleet(text % own, 'mine.yaml').robots:
            assert (robot.parameters.get('roster'), robot.parameters['near.roster']) == (
                roster, '2-4')


@pytest.mark.parametrize('others', [
    {'mandate': 2.0}, {'quorum': 'majority'}, {'roster': '1-2'}])
def test_fleet_is_refused_when_mandates_differ(others):
    assert wrong(fleet(**others)).startswith(f'robots.bob: {next(iter(others))} is ')


def test_unknown_robot_is_refused_with_the_names_of_all():
    fleet = read_fleet(FLEET, 'mine.yaml')
    with pytest.raises(ParameterError, match="robot: 'dave' is not in mine.yaml; there are: "
                                             'alice, bob, carol'):
        fleet.robot('dave')
    with pytest.raises(ParameterError, match='; did you mean alice. there are: '):
        fleet.robot('alise')
    with pytest.raises(ParameterError, match=r"'alice'; say which .* tb4-07 \(alice\), bob"):
        fleet.of_host('alice')
    for ask in (fleet.robot, fleet.of_host):
        with pytest.raises(ParameterError, match='carol is not enabled in mine.yaml'):
            ask('carol')


@pytest.mark.parametrize(('text', 'said'), [
    ('robots: {alice: {id: 1}, alice: {id: 2}}', 'has alice twice, again in line 1'),
    ('robots: {alice: {id: 1}, bob: {id: 1}}',
     'alice and bob both have id 1; give each robot an id of its own'),
    ('robots: {alice: {id: 1, hostname: bob}, bob: {id: 2}}',
     'alice and bob both have hostname bob; give each robot one of its own'),
    ('robots: {alice: {id: 1, hostname: tb.one}, bob: {id: 2, hostname: TB.two}}',
     'alice and bob both have hostname tb; give each robot one of its own'),
    (robots(hostname='10.0.0.1'), "robots.alice.hostname: '10.0.0.1' is not allowed; it takes "
     'what the command hostname says on that robot'),
    (f'defaults: {{radius: {10 ** 400}}}', f'defaults.radius: {str(10 ** 400)[:76]}... is not '
     'allowed; it takes 0 to 1e+06 m (hops, with metric hops)'),
    ('types: {a: &a {radius: 3}, b: *a}', 'has an alias, *a, in line 1; write the value itself'),
    (robots(neighbourhood='air'), "robots.alice.neighbourhood: 'air' is not allowed, since each "
     "robot would have its own; it takes the topic that all share, for example '/air'"),
    (robots(scan_yaw=4), 'robots.alice.scan_yaw: 4 is not allowed; it takes -3.1416 to 3.1416 '
     'rad'),
    ('types: {small: {}, large: {}}\nrobots: {alice: {id: 1, type: smal}}',
     "robots.alice.type: 'smal' is not allowed; it takes one of the types of the file: small, "
     'large'),
    (robots(type=['small']), "robots.alice.type: ['small'] is not allowed; it takes one of the "
     'types of the file: there are none'),
    (robots(initial_pose=[0, float('nan'), 0]), 'robots.alice.initial_pose: [0, nan, 0] is not '
     'allowed; it takes 3 or 6 finite numbers (m, rad)'),
    ('robots: {alice: {}}', 'robots.alice.id is missing; it takes 0 to 9007199254740991'),
    ('robots: {}', 'there are no robots; it takes one or more under robots:, for example alice: '
     '{id: 1, initial_pose: [0, 0, 0]}'),
    ('robots: [alice, bob]', "robots: ['alice', 'bob'] is not allowed; it takes lines key: value"),
    ('robots: {1: {id: 1}}', 'robots: 1 is not allowed as a key; it takes a name; put it in '
     'quotes if it is meant as one'),
    ('robots: {tb4-07: {id: 1}}', 'robots.tb4-07: a robot takes a name of letters, digits and '
     'single _, the first a letter, since it is its namespace'),
    ('robot: {alice: {id: 1}}', "the file: unknown key 'robot'; did you mean robots?"),
    (robots(raduis=3), "robots.alice: unknown key 'raduis'; did you mean radius?"),
    (robots(enabled='yes please'), "robots.alice.enabled: 'yes please' is not allowed; it takes "
     'true or false'),
    (robots(robot_id=4), 'robots.alice: robot_id is not allowed; it takes a line id: under each '
     'robot itself'),
    ('defaults: {initial_pose: [0, 0, 0]}\nrobots: {alice: {id: 1}}', 'defaults: initial_pose is '
     'not allowed; it takes a line initial_pose: under each robot itself'),
    ('types: {small: {radius: -1}}\nrobots: {alice: {id: 1}}', 'types.small.radius: -1 is not '
     'allowed; it takes 0 to 1e+06 m (hops, with metric hops)'),
    (robots(odom_topic='wheel odom'), "robots.alice.odom_topic: 'wheel odom' is not allowed; it "
     "takes the name of a topic, for example 'odom', or '/odom' outside of the namespace"),
    (robots(round_period=4), 'robots.alice: message_expiry: 3 is not allowed; it takes more '
     'than round_period, which is 4 s'),
    (robots(algorithm='colour', radius=3), 'robots.alice: radius: 3 is not allowed; algorithm '
     'colour takes no radius, but hop_limit'),
    (robots(algorithm='given', given={'leaders': 'x'}), "robots.alice: given.leaders: 'x' is "
     "not allowed; it takes ids and ranges of ids, for example '1-20,25'"),
    (robots(instances='rescue', tasks='count', **{'escue.radius': 3}), 'robots.alice: '
     'escue.radius belongs to no instance, task, algorithm, source or metric of the robot; it '
     'has: count, rescue'),
    (robots(instances='rescue', rescue={'raduis': 3}), 'robots.alice: unknown key '
     "'rescue.raduis'; did you mean rescue.radius?"),
    ('{' * 400, None),
    ('robots: {alice: !!int x}', None),
])
def test_wrong_value_is_refused_in_one_line(text, said):
    assert wrong(text) == said or said is None


@pytest.mark.parametrize('content', [None, b'\xff\xfe\x00'])
def test_unreadable_file_is_named(tmp_path, content):
    path = tmp_path / 'mine.yaml'
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ParameterError, match='fleet_file: .*mine.yaml.* cannot be read') as caught:
        load_fleet(path)
    assert '\n' not in str(caught.value)


def test_example_is_valid():
    found = load_fleet(EXAMPLE).robots
    assert len(found) == 10


KEYS = st.sampled_from(['defaults', 'types', 'robots', 'alice', 'id', 'type', 'initial_pose',
                        'radius', 'rescue', 'rescue.radius', 'instances', 'tasks', 'hostname',
                        'enabled', 'odom_topic', 'qos_overrides', '<<']) | st.text(max_size=5)
SCALARS = (st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
           | st.sampled_from(['alice', 'rescue', 'count', 'rally']))
GARBAGE = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4)
                       | st.dictionaries(KEYS | SCALARS, inner, max_size=4), max_leaves=12)


ROBOT = st.fixed_dictionaries({'id': st.just(1)}, optional=dict.fromkeys((
    'type', 'initial_pose', 'radius', 'instances', 'tasks', 'zones', 'rescue', 'odom_topic',
    'algorithm', 'hierarchy', 'over'), SCALARS))
DOCUMENTS = (st.dictionaries(KEYS, st.dictionaries(KEYS, GARBAGE, max_size=3), max_size=3)
             | GARBAGE | ROBOT.map(lambda robot: {'robots': {'alice': robot}})).map(
    lambda document: yaml.safe_dump(document, allow_unicode=True))


@settings(max_examples=examples(90))
@given(DOCUMENTS | st.text(alphabet='{}[]:,&*!<>?|-#%@\'" \n\tabi01.~', max_size=60))
def test_any_text_is_read_or_refused_in_one_line(text):
    try:
        fleet = read_fleet(text, 'mine.yaml')
    except ParameterError as error:
        assert len(str(error).splitlines()) == 1
    else:
        assert len(fleet.robots) > 0


@pytest.mark.parametrize(('others', 'said'), [
    ({'neighbourhood': '/air'}, "robots.bob: neighbourhood is '/air', and '/neighbourhood' with "
     'alice; such robots do not hear each other: give all the same'),
    ({'link': {'kind': 'udp'}}, "robots.bob: link is 'udp', and 'none' with alice; such robots do "
     'not hear each other: give all the same'),
    ({'frame': 'odom'}, "robots.bob: frame is 'odom', and 'map' with alice; such robots drop each "
     "other's messages: give all the same"),
    ({'round_period': 2, 'message_expiry': 6}, 'robots.alice: message_expiry: 3 is not allowed; '
     'it takes at least 4 s, 2 times the greatest round_period, that of bob, or one message lost '
     'makes it not a neighbour'),
])
def test_robots_that_cannot_work_together_are_refused(others, said):
    assert wrong(fleet(**others)) == said
    assert len(read_fleet(fleet(**others, enabled=False), 'mine.yaml').robots) == 2


def test_fleet_is_refused_when_some_robots_have_no_key():
    said = ('robots.alice: swarm_key_file is not set, but with bob it is; such robots drop each '
            "other's messages: set it for all, or accept_unverified: true for all")
    keyed = {'swarm_key_file': '/etc/leader_election/swarm.key'}
    assert wrong(fleet(**keyed)) == said
    assert wrong(fleet(**keyed, accept_unverified=True)) == said, 'alice is not told to mix'
    text = 'defaults: {accept_unverified: true}\n' + fleet(**keyed)
    assert len(read_fleet(text, 'mine.yaml').robots) == 2


def test_two_robots_with_one_initial_position_are_refused():
    start = 'robots: {alice: {id: 1, initial_pose: [2, 1, 0]}, bob: {id: 2}, carol: {id: 3}}'
    assert wrong(start) == ('robots.carol: initial_pose is at 0, 0, where bob starts, too; it '
                            'takes a place of its own, or pose_source: tf')
    for instead in ('pose_source: tf', 'communication_range: .inf, metric: hops', 'frame: odom'):
        text = f'defaults: {{{instead}}}\n' + start
        if 'frame' in instead:
            text = text.replace('initial_pose: [2, 1, 0]', '')
        assert len(read_fleet(text, 'mine.yaml').robots) == 3


def test_driving_parameters_reach_the_tasks_that_drive():
    alice = spec(scan_yaw=1.5, stamped=True, instances='rescue', tasks='rally',
                 rescue={'tasks': 'count'}, **{'rally.stamped': False})
    assert alice.driving == {'scan_yaw': 1.5, 'stamped': True}
    assert task_parameters(alice.driving, alice.parameters) == {
        'rally.scan_yaw': 1.5, 'rally.stamped': True}
    assert alice.parameters['rally.stamped'] is False


def test_parameters_of_instances_tasks_and_qos_have_a_dot():
    given = {'instances': 'rescue', 'tasks': 'count,theirs:Task', 'rescue.rally.reaction': 2,
             'task.whatever': 'so', 'qos_overrides./neighbourhood.subscription.depth': 50}
    assert spec(rescue={'radius': 3, 'tasks': 'rally'}, **given).parameters == {
        'robot_id': 1, 'initial_pose': (0.0, 0.0, 0.0), 'rescue.radius': 3.0,
        'rescue.tasks': 'rally', **given}


# Robots placed by a layout, and checks of free space.

def test_robots_are_named_after_their_ids_and_have_free_space():
    scene = make_scene(SceneParameters(robots=20, seed=3))
    robots = scene_robots(scene)
    assert [robot.name for robot in robots] == [f'robot_{i}' for i in range(1, 21)]
    assert [robot.pose for robot in robots] == list(scene.starts)
    check_free_space(robots, load_arena('blocks'), 0.15)
    # Robots may touch, and the arena may be unknown.
    check_free_space([RobotSpec(f'r{x}', 1, (x, 0.0, 0.0)) for x in (50.0, 50.3)], None, 0.15)


@pytest.mark.parametrize(('where', 'line'), [
    ([(2.0, 0.0), (50.0, 0.0)], r'no room for r1 at \(50, 0\)'),
    ([(2.0, 0.0), (8.0, 5.0), (2.1, 0.0)], 'r0 and r2 would start within each other'),
])
def test_robots_without_free_space_are_refused_by_name(where, line):
    robots = [RobotSpec(f'r{i}', i, (x, y, 0.0)) for i, (x, y) in enumerate(where)]
    with pytest.raises(ParameterError, match=line):
        check_free_space(robots, load_arena('blocks'), 0.15)


# Lists of robots and of ids as text.


NAMES = st.from_regex(r'[A-Za-z][A-Za-z0-9]{0,6}', fullmatch=True)
NUMBERS = st.floats(-1e6, 1e6)
ROBOTS = st.lists(
    st.builds(RobotSpec, NAMES, st.integers(0, 2**53 - 1), st.tuples(NUMBERS, NUMBERS, NUMBERS)),
    min_size=1, max_size=8,
    unique_by=(lambda entry: entry.name, lambda entry: entry.id))


def test_robot_list_parses_the_form_of_nav2() -> None:
    text = ("{name: 'robot1', pose: {x: 0.5, y: 0.5, yaw: 0}};{name: 'robot2', pose: "
            '{x: -0.5, y: -0.5, z: 0, roll: 0, pitch: 0.0, yaw: 1.5707}}; ')
    assert parse_robot_list(text) == (
        RobotSpec('robot1', 1, (0.5, 0.5, 0.0)), RobotSpec('robot2', 2, (-0.5, -0.5, 1.5707)))


def test_robot_without_id_gets_the_lowest_free_one() -> None:
    robots = parse_robot_list('{name: a};{name: b, id: 2};{name: c};{name: d, id: 1}')
    assert [(robot.name, robot.id) for robot in robots] == [('a', 3), ('b', 2), ('c', 4), ('d', 1)]


@given(ROBOTS)
# A name may be a keyword of YAML.
@example([RobotSpec('on', 1), RobotSpec('null', 2), RobotSpec('e5', 3)])
def test_formatted_list_is_parsed_back(robots: list[RobotSpec]) -> None:
    assert parse_robot_list(format_robot_list(robots)) == tuple(robots)


@pytest.mark.parametrize(('text', 'line'), [
    ('', 'names no robot; it takes a number'),
    ('ten', "'ten' is not allowed; it takes a number, or a list such as"),
    ('{pose: {x: 1}}', 'None is not a name for a robot'),
    ('{name: a, colour: red}', "'{name: a, colour: red}' is not allowed; it takes a number, or"),
    ('{name: a, pose: {x: far}}', "a: parameter x: 'far' is not allowed; it takes a finite numb"),
    ('{name: a, pose: {x: true}}', 'a: parameter x: True is not allowed'),
    ('{name: a, pose: {x: 1' + 400 * '0' + '}}', 'a: parameter x: 10+[.]{3} is not allowed'),
    ('{name: a, pose: {z: 2}}', 'a: parameter z: 2 is not allowed; it takes 0 to 0'),
    ('{name: a, pose: {yav: 2}}', 'a: unknown parameter yav; did you mean yaw[?]'),
    ('{name: a, pose: [1, 2, 3]}', 'is not allowed'),
    ('{name: a, id: -1}', 'a: parameter id: -1 is not allowed'),
    ('{name: a, id: true}', 'a: parameter id: True is not allowed'),
    ('{name: 3}', '3 is not a name for a robot'),
    ('{name: a__b}', 'single underscores'),
    ('{name: a};{name: a}', 'two robots are called a'),
    ('{name: a, id: 7};{name: b, id: 7}', 'a and b both have id 7'),
])
def test_wrong_list_is_refused_in_one_line(text: str, line: str) -> None:
    with pytest.raises(ParameterError, match=line) as caught:
        parse_robot_list(text)
    assert str(caught.value).startswith('parameter robots: ') and '\n' not in str(caught.value)


@given(st.text(max_size=40) | st.text('{}:;=, abx1.-[]"\'&*!', max_size=40))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        assert parse_robot_list(text)
    except ParameterError:
        pass


KNOWN = tuple(range(1, 11))


@pytest.mark.parametrize(('text', 'ids'), [
    ('', KNOWN), ('3', (3,)), ('1-3', (1, 2, 3)), (' 9-10, 2 ', (2, 9, 10)),
    ('4,4,3-5', (3, 4, 5)), *((text, None) for text in (
        'x', '3-1', '1,', '1-2-3', '-1', '0', '11', '1-99999999999'))])
def test_ids_and_ranges_are_parsed_formatted_or_refused(text, ids):
    if ids is not None:
        assert parse_ids(text, KNOWN) == ids == parse_ids(format_ids(ids), KNOWN)
        return
    with pytest.raises(ParameterError, match='^parameter members: '):
        parse_ids(text, KNOWN)


# Fleet files for tests, and the errors of wrong ones.


def test_link_of_a_robot_is_merged_from_the_parts_of_the_file() -> None:
    found = read_fleet("""
    defaults: {link: {kind: serial, length: 255}}
    robots:
      alice: {id: 1, link: {device: /dev/ttyACM0}}
      bob: {id: 2, link: {length: 222}}
    """, 'mine.yaml')
    assert [robot.link for robot in found.robots] == [
        {'device': '/dev/ttyACM0', 'kind': 'serial', 'length': 255},
        {'length': 222, 'kind': 'serial'}]
    assert spec().link == {} and 'link.port' not in spec(link={'port': 7000}).parameters


@pytest.mark.parametrize(('link', 'error'), [
    ({'kind': 'smoke'}, "robots.alice.link.kind: 'smoke' is not allowed; it takes one of "
     'serial, udp, zenoh'),
    ({'prot': 7447}, "robots.alice: unknown key 'link.prot'; did you mean link.port?"),
    ({'port': 80}, 'robots.alice.link.port: 80 is not allowed; it takes 1024 to 65535'),
    (True, 'robots.alice.link: True is not allowed; it takes parameters of link, as {kind: udp, '
     'port: 7447}')])
def test_wrong_link_is_refused(link: Any, error: str) -> None:
    assert wrong(robots(link=link)) == error
