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

"""A swarm is run once more: by which clock, which robots, by which algorithm and radius."""

import json

from leader_election.recording.main import main
from leader_election.recording.mcap_reader import Entry, RecordingError
from leader_election.recording.options import Settings
from leader_election.recording.replay import rerun
from leader_election.recording.report import report
import pytest
from recording.made import kind_of, START, status, tick, truth, word, write


def entries(*said):
    return [Entry(topic, kind_of(message), START + time, message)
            for time, topic, message in said]


def test_of_several_swarms_one_has_to_be_chosen():
    said = entries((0.0, '/a/neighbourhood', word(1, 1)), (0.5, '/b/neighbourhood', word(2, 2)))
    with pytest.raises(RecordingError, match='/a/neighbourhood, /b/neighbourhood; choose one'):
        rerun(said, Settings())
    assert list(rerun(said[1:], Settings()).snapshots[-1].robots) == [2]


def test_times_are_those_of_the_simulation_where_there_is_its_clock():
    """Ten times as fast: what takes 2 s there takes 0.2 s of the recorder's."""
    said = [(0.0, '/neighbourhood', word(1, 1)), (0.0, '/clock', tick(5.0))]
    for step in range(30):
        said.append((0.01 * step, '/clock', tick(5.0 + 0.1 * step)))
        if not step % 10:
            said.append((0.01 * step, '/neighbourhood', word(1, 1)))
    run = rerun(entries(*said), Settings(expiry=1.05))
    assert run.snapshots[-1].time - run.begin == pytest.approx(2.0, abs=0.11)
    assert run.jumps == []
    assert all(1 in snapshot.robots for snapshot in run.snapshots)


def test_a_clock_that_was_set_does_no_harm():
    said = [(0.0, '/neighbourhood', word(1, 1)), (1.0, '/neighbourhood', word(1, 1)),
            (1e7, '/neighbourhood', word(1, 1)), (1e7 + 1, '/neighbourhood', word(1, 1)),
            (2.0, '/neighbourhood', word(1, 1)), (3.0, '/neighbourhood', word(1, 1))]
    run = rerun(entries(*said), Settings())
    assert list(run.snapshots[-1].robots) == [1] and len(run.snapshots) == 13
    told = report(run, Settings())
    # What passed while it was set forward and back is not known: nothing.
    assert told.duration == pytest.approx(3.0) and told.losses == []
    assert [jump.time for jump in run.jumps] == [1.0, 2.0]
    assert [(reign.begin, reign.end) for reign in told.reigns] == [(0.25, 3.0)]


@pytest.mark.parametrize('topic, ticks', [('/clock', 1), ('/robot_1/clock', 9)])
def test_a_clock_that_does_not_tick_or_is_another_is_none(topic, ticks, tmp_path, capsys):
    said = [(float(t), '/neighbourhood', word(1, 1)) for t in range(20)]
    clocks = [(10.0 + 0.1 * t, topic, tick(5.0 + t)) for t in range(ticks)]
    path = write(tmp_path / 'run.mcap', [*said[:10], *clocks, *said[11:]])
    assert main([str(path), '--json']) == 0
    told = json.loads(capsys.readouterr().out)
    assert told['duration'] == pytest.approx(19.0) and told['messages'] == 19
    assert told['losses'] == []


def test_a_simulation_that_begins_anew_goes_on(capsys, tmp_path):
    said = []
    for step in range(600):
        said.append((0.1 * step, '/clock', tick(100.0 + 0.1 * step if step < 300 else
                                                0.1 * (step - 300))))
        said += [(0.1 * step, '/neighbourhood', word(1, 1))] * (step % 10 == 0)
    assert main([str(write(tmp_path / 'run.mcap', said)), '--json']) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)['duration'] == pytest.approx(59.0, abs=0.3)
    assert json.loads(out)['losses'] == [] and json.loads(out)['messages'] == 60
    assert err.startswith('warning: a clock was set 1 time, ') and err.count('\n') == 1


def test_robots_are_known_by_what_they_say_whatever_their_namespaces():
    """Those of tb3_0, tb3_1, tb3_2 are 1, 2, 3; the last is far away."""
    said = []
    for second in range(10):
        for robot, x in ((1, 0.0), (2, 1.0), (3, 50.0)):
            name = f'tb3_{robot - 1}'
            said += [(second, f'/{name}/ground_truth', truth((x, 0.0))),
                     (second, '/neighbourhood', word(robot, max(2, robot), (x, 0.0))),
                     (second, '/diagnostics', status(
                         robot, name, strength=robot, radius=6, communication_range=2.5))]
    told = report(rerun(entries(*said), Settings()), Settings())
    assert told.agreement[-1].robots == told.agreement[-1].partitions == 1.0
    of_rescue = Settings(instance='rescue')
    with pytest.raises(RecordingError, match="no robot in it runs an instance 'rescue'"):
        rerun(entries(*said), of_rescue)


def test_an_instance_is_judged_by_its_own_radius():
    both = word(1, 1)
    both.data = both.data.replace('}', ',"i":{"rescue":{"c":[-2.0,9.0,2]}}}')
    other = word(2, 1, distance=2.0)
    other.data = other.data.replace('}', ',"i":{"rescue":{"c":[-2.0,0.0,2]}}}')
    said = [(float(t), '/neighbourhood', one) for t in range(5) for one in (both, other)]
    said.insert(0, (0.0, '/diagnostics', status(
        1, radius=0.5, communication_range=2.5, **{'rescue.radius': 20.0})))
    for instance, radius, whole in (('main', 0.5, 0.0), ('rescue', 20.0, 1.0)):
        settings = Settings(instance=instance)
        told = report(rerun(entries(*said), settings), settings)
        assert told.radius == radius and told.whole == pytest.approx(whole, abs=0.1)
        assert told.agreement == []


def test_other_algorithms_are_told_by_the_messages():
    said = word(1, 1)
    said.data = '{"v":1,"id":1,"frame":"map","a":"classic","c":[1,9.0,0.0,0.0,1]}'
    run = rerun(entries((0.0, '/neighbourhood', said)), Settings())
    assert run.heard.messages == 1
    strange = word(1, 1)
    strange.data = said.data.replace('classic', 'none')
    with pytest.raises(RecordingError, match="elect by 'none'"):
        rerun(entries((0.0, '/neighbourhood', strange)), Settings())
    nonsense = word(1, 1)
    nonsense.data = 'nonsense'
    with pytest.raises(RecordingError, match='no message on /neighbourhood is one of a robot'):
        rerun(entries((0.0, '/neighbourhood', nonsense)), Settings())
    # Whatever came first.
    run = rerun(entries((0.0, '/neighbourhood', nonsense), (0.1, '/neighbourhood', strange),
                        (0.2, '/neighbourhood', said)), Settings())
    assert list(run.snapshots[-1].robots) == [1] and run.heard[::2] == (3, 2)
