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

"""The documents are complete, agree with the code, and are built by Sphinx without warnings."""

import ast
from collections.abc import Iterator, Sequence
import contextlib
from functools import cache
from importlib import import_module
from importlib.util import find_spec
import io
import json
import os
from pathlib import Path
import re
import shlex
import sys
from typing import Any

from environment import LABORATORY, without
from jsonschema import Draft202012Validator
from leader_election.config import FILES
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.executables import EXECUTABLES
from leader_election.parameters import Parameter, ParameterError, table
from leader_election.ros.nodes.election import ElectionNode
from leader_election.ros.nodes.gazebo_odometry import GazeboOdometry
from leader_election.ros.nodes.link import Link
from leader_election.ros.nodes.monitor import Monitor
from leader_election.ros.nodes.swarm_world import SwarmWorld
from leader_election.ros.nodes.wander import WanderNode
from leader_election.swarm.fleet.fleet_file import read_fleet
from leader_election.swarm.fleet.fleet_settings import TOPIC
from made.launch_arguments import arguments
from made.stand_ins import PACKAGES
import pytest
from rclpy.parameter import Parameter as RosParameter
from support import install_contacts
from test_architecture import LEANS_ON, WINGS
import yaml

ROOT = Path(__file__).parents[1]
NOT_ON_PYPI = {'tf2_msgs', 'vision_msgs'}
"""Messages of topics that a robot has only in a full ROS 2."""
DOCUMENTS = (*sorted(ROOT.glob('*.md')), *sorted((ROOT / 'doc').rglob('*.md')))
BLOCK = re.compile(r'```(\w*)\n(.*?)```', re.DOTALL)


INSTALLED = [wing for wing in reversed(WINGS) if wing != 'lab']
"""The wings of the package. The laboratory is a distribution of its own."""


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize('document', DOCUMENTS, ids=name)
def test_text_links_to_existing_files_and_legal_topics(document: Path) -> None:
    """Generated tables have links outside of Sphinx, too."""
    text = document.read_text()
    marks = re.findall(r'^<!-- made: .*-->\n?(.*)', text, re.MULTILINE)
    assert [line for line in marks if '](' not in line] == []
    prose = re.sub(r'^```.*?^```', '', text, flags=re.DOTALL | re.MULTILINE)
    targets = re.findall(r'\]\(([^)#\s]+)[^)]*\)', prose)
    files = [target for target in targets if '://' not in target]
    assert [file for file in files if not (document.parent / file).exists()] == []
    # ROS refuses a part of a name that begins with a digit.
    topics = re.findall(r'`(/?[a-z_]\w*(?:/\w+)+)`', prose)
    assert [topic for topic in topics if not re.fullmatch(TOPIC, topic)] == []


@pytest.mark.parametrize('document', DOCUMENTS, ids=name)
def test_examples_use_public_names_set_variables_and_valid_messages(document: Path) -> None:
    deep = re.compile(r'import leader_election|leader_election\.\w+ import|leader_election\.\w+\.')
    schema = ROOT / 'leader_election' / 'election' / 'messages' / 'neighbourhood.schema.json'
    known = {'HOME', 'OLDPWD', 'PWD', 'ROS_DISTRO'}
    for language, block in BLOCK.findall(document.read_text()):
        if language == 'python':
            assert [line for line in block.splitlines() if deep.search(line)] == []
        elif language == 'json' and block.startswith('{"v":'):
            Draft202012Validator(json.loads(schema.read_text())).validate(json.loads(block))
        for line in block.splitlines() if language == 'sh' else ():
            assert set(re.findall(r'\$\{?([A-Z_]+)', line)) <= known, line
            known |= set(re.findall(r'(?:^|\s)([A-Z_]+)=', line))


def test_docstrings_refer_to_names_that_exist() -> None:
    role = re.compile(r':(?:func|class|meth|attr|data|mod):`(?:[^`<]+<)?[~.]?([\w.]+)(?:\(\))?>?`')
    known, wanted = set[str](), dict[str, str]()
    for file in (*ROOT.glob('leader_election/**/*.py'), *ROOT.glob('lab/leader_*/**/*.py')):
        text = file.read_text()
        known.add(file.parent.name if file.stem == '__init__' else file.stem)
        known |= {*re.findall(r':ivar (\w+):', text), *(
            name for node in ast.walk(ast.parse(text))
            if isinstance(name := getattr(node, 'name', getattr(node, 'attr', getattr(
                node, 'id', None))), str))}
        wanted |= dict.fromkeys(role.findall(text), file.name)
    assert {name: file for name, file in wanted.items() if 'rclpy' not in name
            and not known.issuperset(name.removeprefix('leader_election.').split('.')[-2:])} == {}


def test_table_of_rooms_equals_the_package() -> None:
    text = (ROOT / 'doc' / 'architecture.md').read_text().partition('## Parts')[0]
    wings, rooms = list[str](), set[str]()
    for wing, room in re.findall(r'^\| (?:`(\w+)` )?\|(?: `([\w.]+)`)?', text, re.MULTILINE):
        wings += [wing] if wing else []
        rooms |= {f'{wings[-1]}.{room.removesuffix(".py")}'} if room else set()
    assert wings == INSTALLED
    assert rooms == {room for room in LEANS_ON if '.' in room}


def test_picture_of_wings_equals_the_package() -> None:
    picture = (ROOT / 'doc' / 'images' / 'architecture.svg').read_text()
    assert re.findall(r'font-weight="bold"[^>]*>(\w+)</text>', picture) == INSTALLED
    assert {room for room in LEANS_ON if '.' in room and not re.search(
        rf'>[^<]*\b{room.rpartition(".")[2]}\b[^<]*<', picture)} == {
            'election.part'}


def test_documented_topics_of_a_robot_exist(ros: None) -> None:
    page = (ROOT / 'doc' / 'reference' / 'topics.md').read_text()
    own = page.partition('## election_node')[2].partition('## Others')[0]
    there: tuple[dict[str, str], dict[str, str]] = {}, {}
    for values in ({'metric': 'range', 'strength_source': 'topic', 'slip_sources': 'imu'},
                   {'metric': 'sensor_difference', 'strength_source': 'battery'},
                   {'pose_source': 'cooperative', 'sighting_sources': 'measurements,ranges',
                    'range_ids': '7', 'strength_source': 'data_rate'},
                   {'strength_source': 'trust'}):
        node = ElectionNode(parameter_overrides=[
            RosParameter(key, value=value) for key, value in {
                'robot_id': 3, 'tasks': 'patrol', **values}.items()])
        for found, ask in zip(there, (node.get_subscriber_names_and_types_by_node,
                                      node.get_publisher_names_and_types_by_node)):
            found.update({topic: kind.replace('/msg/', '/')
                          for topic, [kind] in ask(node.get_name(), node.get_namespace())
                          if topic not in ('/rosout', '/parameter_events')})
        node.destroy_node()
    for text, found in zip(own.partition('Out:')[::2], there):
        # Poses are subscribed to once a publisher tells their type.
        rows = [row for row in re.findall(
            r'^\| `([\w/]+)` \| `(\w+/\w+)`', text, re.MULTILINE) if row[0] != 'pose']
        assert {'/' + topic.lstrip('/').replace('_N', '_7'): kind for topic, kind in rows
                if kind.partition('/')[0] not in NOT_ON_PYPI} == found


def test_documented_topics_of_other_nodes_exist(
        ros: None, monkeypatch: pytest.MonkeyPatch) -> None:
    install_contacts(monkeypatch)
    page = (ROOT / 'doc' / 'reference' / 'topics.md').read_text().partition('## Others')[2]
    page = page.replace('ros_gz_interfaces/Contacts', 'std_msgs/Empty')
    listed: dict[str, set[tuple[str, str, str]]] = {}
    executable = ''
    for first, way, topic, kind in re.findall(
            r'^\| (?:`(\w+)` )?\| (\w+) \| `([^`]+)` \| `(\w+/\w+)`', page, re.MULTILINE):
        executable = first or executable
        name = re.sub('robot_N|<robot>', 'robot_1', topic).lstrip('/')
        # A robot's commands are only listened to while its wheels stand still.
        passing = executable == 'gazebo_odometry' and topic.endswith('cmd_vel')
        if not passing and (find_spec('tf2_msgs') or not kind.startswith('tf2_msgs/')):
            listed.setdefault(executable, set()).add((way, f'/{name}', kind))
    assert listed.pop('await_clock') == {('in', '/clock', 'rosgraph_msgs/Clock')}
    # It listens as the monitor does. Bokeh need not be installed here.
    assert listed.pop('web') == {('in', '/diagnostics', 'diagnostic_msgs/DiagnosticArray')} | {
        topic for topic in listed['monitor'] if topic[0] == 'in'}
    parameters = {
        SwarmWorld: {'robots': 1, 'scan_rate': 5.0, 'reading_rate': 1.0,
                     'ranging_rate': 1.0, 'radio': 'relay', 'motion': 'cmd_vel',
                     'publish_clock': True},
        GazeboOdometry: {'robots': 'robot_1', 'ground_truth': True, 'bumper': True},
        WanderNode: {'robots': 'robot_1', 'world': 'empty'}, Monitor: {'live': False},
        Link: {'peers': 'localhost'}}
    there = {}
    for make, values in parameters.items():
        node = make(parameter_overrides=[
            RosParameter(key, value=value) for key, value in values.items()])
        there[node.get_name()] = {
            (way, topic, re.sub('/msg/|/srv/', '/', kind))
            for way, ask in (('in', node.get_subscriber_names_and_types_by_node),
                             ('out', node.get_publisher_names_and_types_by_node),
                             ('asks', node.get_client_names_and_types_by_node))
            for topic, [kind] in ask(node.get_name(), node.get_namespace())
            if topic not in ('/rosout', '/parameter_events')}
        if isinstance(node, Link):
            node.close()
        node.destroy_node()
    assert listed == there


@pytest.mark.skipif(find_spec('myst_parser') is None, reason='Sphinx or MyST is not installed')
def test_documents_build_without_warnings_and_what_docs_ros_org_lacks(tmp_path: Path) -> None:
    # Without what takes time alone: the theme of the real pages, defaults as they are written.
    options = ['-q', '-W', '--keep-going', '-D', 'html_theme=basic',
               '-D', 'autodoc_preserve_defaults=0', '-d', str(tmp_path / 'doctrees'),
               str(ROOT / 'doc'), str(tmp_path / 'docs')]
    ran = without((*PACKAGES, *LABORATORY),
                  f'from sphinx.cmd.build import main\nraise SystemExit(main({options}))')
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, '', '')
    page = (tmp_path / 'docs' / 'reference' / 'parameters.html').read_text()
    assert 'communication_range' in page and 'made: parameters' not in page
    # The paragraph for readers of the source is removed from the built page.
    assert 'builds has' not in page


# Commands and parameter files are valid, also where no test runs them: executables and options,
# parameters and their values, topics, targets of make, benchmarks, launch files and arguments.

OPERATORS = '|&;()<>'
BY_NAME = {executable.name: executable for executable in EXECUTABLES}
OWN = {'metric', 'algorithm', 'tasks'}
"""Parameters whose values in the documents may be the reader's own plug-ins."""


def commands(text: str) -> Iterator[list[str]]:
    """Yield the words of each command in a text: of its blocks, and of code within lines."""
    lines = [line for language, block in BLOCK.findall(text) if language == 'sh'
             for line in block.replace('\\\n', ' ').splitlines()]
    lines += [code for code in re.findall(r'`([^`\n]+)`', BLOCK.sub('', text))
              if re.match(r'ros2 |make |leader_election |python3? -m ', code)]
    for line in lines:
        words = shlex.shlex(line, posix=True, punctuation_chars=OPERATORS)
        words.whitespace_split = True
        command: list[str] = []
        for word in [*words, ';']:
            if set(word) <= set(OPERATORS):
                if command:
                    yield command
                command = []
            elif command or not re.match(r'\w+=', word):
                command.append(word)


@cache
def usage(*command: str) -> str:
    """Return the help of an executable; of a benchmark its source, since some take no options."""
    if command[0].startswith('benchmarks.'):
        place = ROOT / command[0].replace('.', '/')
        return '\n'.join(file.read_text() for file in (
            place.glob('*.py') if place.is_dir() else [place.with_suffix('.py')]))
    executable = BY_NAME[command[1]]
    if executable.requires is not None and not executable.parser:
        for needed in executable.requires.modules:
            pytest.importorskip(needed, reason=f'{command[1]} needs {needed}')
    module, _, function = (executable.parser or f'{executable.module}:main').partition(':')
    arguments = [*command[2:], '--help']
    printed = io.StringIO()
    with (contextlib.redirect_stdout(printed), pytest.MonkeyPatch.context() as patch,
          pytest.raises(SystemExit) as ended):
        patch.setattr(sys, 'argv', [command[1], *arguments])
        parse = getattr(import_module(module), function)
        parse(*([arguments] if executable.parser else []))
    assert ended.value.code in (0, None), printed.getvalue()
    return printed.getvalue()


def assert_options(module: Sequence[str], words: Sequence[str]) -> None:
    """Check that each option of a command is in its help, or in that of its subcommand."""
    text = usage(*module)
    if words and words[0].isalpha() and re.search(rf'^ +{words[0]} ', text, re.MULTILINE):
        text += usage(*module, words[0])
    for word in words:
        option = word.partition('=')[0]
        if re.match('--?[a-z]', option):
            assert re.search(rf'(?<![\w-]){option}(?![\w-])', text), f'{module} has no {option}'


@cache
def declared(name: str) -> dict[str, Parameter]:
    """Return the parameters of a node by the name of its executable."""
    kinds = [FILES[BY_NAME[name].parameter_file][0]]
    # The nodes of robots in a fleet, and the managed node, take those of a robot, too.
    if name in ('fleet', 'managed_election_node'):
        kinds.append(ElectionParameters)
    return {p.name: p for kind in kinds for p in table(kind)}


def assert_parameter(known: dict[str, Parameter], name: str, value: Any) -> None:
    """Check a parameter and its value. Those of instances and tasks have a dot."""
    if '.' in name or name == 'use_sim_time':
        return
    assert name in known, f'no parameter {name}'
    if name not in OWN:
        known[name].check(tuple(value) if isinstance(value, list) else value)


def takes(parameter: Parameter, value: Any) -> bool:
    """Return whether a parameter takes a value."""
    try:
        parameter.check(tuple(value) if isinstance(value, list) else value)
    except ParameterError:
        return False
    return True


def assert_node(name: str, words: Sequence[str]) -> None:
    """Check the options of a node: parameters, remappings, parameter files."""
    if '--help' in words:
        return
    assert not words or words[0] == '--ros-args', words
    for option, word in zip(words[1::2], words[2::2], strict=True):
        key, _, value = word.partition(':=')
        if option == '-p':
            assert_parameter(declared(name), key, yaml.safe_load(value))
        elif option == '-r':
            assert re.fullmatch(TOPIC, key.removeprefix('__')) and re.fullmatch(TOPIC, value), word
        else:
            assert option == '--params-file' and word.endswith('.yaml'), option


def assert_executable(words: Sequence[str]) -> None:
    """Check a command of the package."""
    if not words or words[0] == '--help' or words[0] == 'executable':
        return
    assert words[0] in BY_NAME, f'no executable {words[0]}'
    if BY_NAME[words[0]].parameter_file:
        assert_node(words[0], words[1:])
    else:
        assert_options(['leader_election', words[0]], words[1:])


def assert_make(words: Sequence[str]) -> None:
    """Check that targets exist, and take what ARGS hands on."""
    makefile = (ROOT / 'Makefile').read_text().replace('\\\n', ' ')
    for target in (word for word in words if '=' not in word):
        rule = re.search(rf'^(?:{re.escape(target)}|\$\(VENV\)/{Path(target).name}):.*\n(.*)',
                         makefile, re.MULTILINE)
        assert rule, f'no target {target}'
        module = re.search(r'-m (leader_election(?: [a-z]+)+|benchmarks\.\w+)', rule[1])
        for word in words:
            if word.startswith('ARGS=') and module and '...' not in word:
                assert_options(module[1].split(), shlex.split(word.removeprefix('ARGS=')))


def assert_launch(words: Sequence[str]) -> None:
    """Check that a launch file exists, and declares the arguments."""
    file = ROOT / 'launch' / words[0]
    names = {argument.name for argument in arguments(file)}
    given = {word.partition(':=')[0] for word in words[1:] if not word.startswith('-')}
    assert given <= names, given - names


def assert_valid(words: Sequence[str]) -> None:
    """Check a command. Those of other programs are not judged."""
    program, rest = os.path.basename(words[0]), list(words[1:])
    if program in ('python', 'python3') and rest[:1] == ['-m']:
        program, rest = rest[1], rest[2:]
        if program.startswith('benchmarks.'):
            assert find_spec(program) is not None, f'no module {program}'
            assert_options([program], rest)
            return
    if program == 'ros2' and rest[:2] == ['run', 'leader_election']:
        program, rest = 'leader_election', rest[2:]
    if program == 'leader_election':
        assert_executable(rest)
    elif program == 'make':
        assert_make(rest)
    elif program == 'ros2' and rest[:2] == ['launch', 'leader_election']:
        assert_launch(rest[2:])
    elif program == 'ros2' and rest[:2] == ['param', 'set']:
        assert_parameter(declared('election_node'), rest[3], yaml.safe_load(rest[4]))
    elif program == 'ros2' and rest[:1] == ['topic']:
        topics = [word for word in rest[2:] if word.startswith('/')]
        assert all(re.fullmatch(TOPIC, topic) for topic in topics), topics


@pytest.mark.parametrize('document', DOCUMENTS, ids=name)
def test_documented_commands_are_valid(document: Path) -> None:
    for words in commands(document.read_text()):
        try:
            assert_valid(words)
        except (AssertionError, ParameterError) as error:
            pytest.fail(f'{shlex.join(words)}: {error}')


@pytest.mark.parametrize('command', [
    'ros2 run leader_election fleets', 'ros2 run leader_election record run.mcap --odometry 1',
    'leader_election election_node --ros-args -p raduis:=3.0', 'make demos',
    'leader_election election_node --ros-args -p radius:=-3.0',
    'leader_election election_node --ros-args -r range/1:=/uwb/range_1',
    'ros2 topic echo /robot_3/range/1', 'make demo ARGS="--log FOLDER"',
    'python -m benchmarks.flod', 'ros2 launch leader_election swarm.launch.py robot:=4',
    'ros2 param set /alice/election_node accept true', 'leader_election logs convert --meen a b'])
def test_check_finds_a_wrong_command(command: str) -> None:
    [words] = commands(f'```sh\n{command}\n```')
    with pytest.raises((AssertionError, ParameterError)):
        assert_valid(words)


@pytest.mark.parametrize('document', DOCUMENTS, ids=name)
def test_documented_parameter_files_and_fleet_files_are_valid(document: Path) -> None:
    nodes = [each.name for each in EXECUTABLES if each.parameter_file]
    for language, block in BLOCK.findall(document.read_text()):
        content = yaml.safe_load(block) if language == 'yaml' else None
        if not isinstance(content, dict):
            continue
        for node, section in content.items():
            for key, value in (section.get('ros__parameters', {}) if isinstance(
                    section, dict) else {}).items():
                having = [declared(each) for each in ([node] if node in nodes else nodes)
                          if key in declared(each)]
                # Of an instance or a task: a section, which the tests of parameters cover.
                assert having or isinstance(value, dict), f'no parameter {key}'
                assert not having or any(takes(known[key], value) for known in having)
        if content.keys() <= {'defaults', 'types', 'robots'}:
            content.setdefault('robots', {'alice': {'id': 1}})
            read_fleet(yaml.safe_dump(content), document.name)
