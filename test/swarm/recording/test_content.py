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

"""Messages whose fields are not those of our types."""

import json

from leader_election.swarm.recording.mcap_files import RecordingError
from leader_election.swarm.recording.options import ReplaySettings
from leader_election.swarm.recording.replay_command import main
from leader_election.swarm.recording.report import report
import pytest
from swarm.recording.made import arena, entries, replay, status, tick, truth, word, write


def test_malformed_messages_on_other_topics_are_ignored(tmp_path, capsys):
    huge = status(1, strength=1.0)
    huge.status[0].hardware_id = 'robot ' + 5000 * '9'
    nan = float('nan')
    said = [(0.0, '/world', arena((nan, nan), (0, 0))), (0.0, '/diagnostics', huge)]
    for second in range(3):
        said += [(float(second), '/neighbourhood', word(1, 1)),
                 (float(second), '/robot_1/ground_truth', truth((nan, 0.0))),
                 (float(second), '/diagnostics', status(
                     1, strength='nan', radius='nan', communication_range='-inf'))]
    assert main([str(write(tmp_path / 'run.mcap', said)), '--picture', str(tmp_path / 'p.png'),
                 '--radius', '6', '--range', '3']) == 0
    out, err = capsys.readouterr()
    assert '1 robot\n' in out and err == ''
    point = write(tmp_path / 'point.mcap', [(0.0, '/world', arena((1, 1))), *said[2:]])
    assert main([str(point), '--picture', str(tmp_path / 'p.png')]) == 0


def test_robots_are_identified_by_their_diagnostics():
    """Those of tb3_0, tb3_1, tb3_2 are 1, 2, 3; the last is far away."""
    said = []
    for second in range(10):
        for robot, x in ((1, 0.0), (2, 1.0), (3, 50.0)):
            name = f'tb3_{robot - 1}'
            said += [(second, f'/{name}/ground_truth', truth((x, 0.0))),
                     (second, '/neighbourhood', word(robot, max(2, robot), (x, 0.0))),
                     (second, '/diagnostics', status(
                         robot, name, strength=robot, radius=6, communication_range=2.5))]
    told = report(replay(entries(*said), ReplaySettings()), ReplaySettings())
    assert told.agreement[-1].robots == told.agreement[-1].partitions == 1.0
    of_rescue = ReplaySettings(instance='rescue')
    with pytest.raises(RecordingError, match="no robot in it runs an instance 'rescue'"):
        replay(entries(*said), of_rescue)


def test_instance_is_judged_by_its_own_radius():
    both = word(1, 1)
    both.data = both.data.replace('}', ',"i":{"rescue":{"c":[-2.0,9.0,2]}}}')
    other = word(2, 1, distance=2.0)
    other.data = other.data.replace('}', ',"i":{"rescue":{"c":[-2.0,0.0,2]}}}')
    said = [(float(t), '/neighbourhood', one) for t in range(5) for one in (both, other)]
    said.insert(0, (0.0, '/diagnostics', status(
        1, radius=0.5, communication_range=2.5, **{'rescue.radius': 20.0})))
    for instance, radius, whole in (('main', 0.5, 0.0), ('rescue', 20.0, 1.0)):
        settings = ReplaySettings(instance=instance)
        told = report(replay(entries(*said), settings), settings)
        assert told.radius == radius and told.whole == pytest.approx(whole, abs=0.1)
        assert told.agreement == []


def test_times_are_simulated_where_a_clock_is_recorded():
    """Ten times as fast: what takes 2 s there takes 0.2 s of the recorder's."""
    said = [(0.0, '/neighbourhood', word(1, 1)), (0.0, '/clock', tick(5.0))]
    for step in range(30):
        said.append((0.01 * step, '/clock', tick(5.0 + 0.1 * step)))
        if not step % 10:
            said.append((0.01 * step, '/neighbourhood', word(1, 1)))
    run = replay(entries(*said), ReplaySettings(expiry=1.05))
    assert run.snapshots[-1].time - run.begin == pytest.approx(2.0, abs=0.11)
    assert run.jumps == []
    assert all(1 in snapshot.robots for snapshot in run.snapshots)


def test_clock_that_was_set_keeps_the_order_of_messages():
    said = [(0.0, '/neighbourhood', word(1, 1)), (1.0, '/neighbourhood', word(1, 1)),
            (1e7, '/neighbourhood', word(1, 1)), (1e7 + 1, '/neighbourhood', word(1, 1)),
            (2.0, '/neighbourhood', word(1, 1)), (3.0, '/neighbourhood', word(1, 1))]
    run = replay(entries(*said), ReplaySettings())
    assert list(run.snapshots[-1].robots) == [1] and len(run.snapshots) == 13
    told = report(run, ReplaySettings())
    # What passed while it was set forward and back is not known: nothing.
    assert told.duration == pytest.approx(3.0) and told.losses == []
    assert [jump.time for jump in run.jumps] == [1.0, 2.0]
    assert [(reign.begin, reign.end) for reign in told.reigns] == [(0.25, 3.0)]


@pytest.mark.parametrize('topic, ticks', [('/clock', 1), ('/robot_1/clock', 9)])
def test_stopped_or_foreign_clock_is_ignored(topic, ticks, tmp_path, capsys):
    said = [(float(t), '/neighbourhood', word(1, 1)) for t in range(20)]
    clocks = [(10.0 + 0.1 * t, topic, tick(5.0 + t)) for t in range(ticks)]
    path = write(tmp_path / 'run.mcap', [*said[:10], *clocks, *said[11:]])
    assert main([str(path), '--json']) == 0
    told = json.loads(capsys.readouterr().out)
    assert told['duration'] == pytest.approx(19.0) and told['messages'] == 19
    assert told['losses'] == []


def test_restarted_simulation_continues_the_times(capsys, tmp_path):
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
