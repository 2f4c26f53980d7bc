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

"""One continuous time, whatever the clocks do."""

import json

from leader_election.swarm.recording.main import main
from leader_election.swarm.recording.options import ReplaySettings
from leader_election.swarm.recording.replay import replay
from leader_election.swarm.recording.report import report
import pytest
from swarm.recording.made import entries, tick, word, write


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
