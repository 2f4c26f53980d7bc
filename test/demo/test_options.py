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

"""The command line of the demonstration."""

from leader_election.demo.options import parse
import pytest


def test_defaults_of_radius_and_range_go_by_the_job():
    assert (parse([]).radius, parse([]).range) == (6.0, 4.0)
    logs = parse(['--logs', 'mrclam6'])
    assert (logs.radius, logs.range) == (3.0, 2.5)
    assert parse(['--radius', '9.5']).radius == 9.5


def test_defaults_go_by_the_task():
    plain, patrol = parse([]), parse(['--task', 'patrol'])
    assert (plain.task, plain.robots, plain.duration) == ('', 40, 30.0)
    assert (patrol.task, patrol.robots, patrol.duration) == ('patrol', 14, 60.0)
    assert parse(['--task', 'patrol', '--robots', '5']).robots == 5


@pytest.mark.parametrize(('arguments', 'named'), [
    (['--robots', '0'], '--robots'),
    (['--robots', '1'], '--robots'),
    (['--robots', 'many'], '--robots'),
    (['--duration', '-3'], '--duration'),
    (['--radius', 'nan'], '--radius'),
    (['--loss', '1'], '--loss'),
    (['--drift', '2'], '--drift'),
    (['--seed', '-1'], '--seed'),
    (['--schedule', 'never'], '--schedule'),
    (['--task', 'dance'], '--task'),
    (['--task', 'count', '--logs', 'mrclam6'], '--task'),
])
def test_wrong_options_end_with_status_2_and_name_the_option(arguments, named, capsys):
    with pytest.raises(SystemExit) as ended:
        parse(arguments)
    assert ended.value.code == 2
    assert named in capsys.readouterr().err.splitlines()[-1]
