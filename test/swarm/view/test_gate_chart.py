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

"""The picture of a run with a gate."""

from leader_election.swarm.gate_log import Answer, Event, GateLog, GateStory, LeaderLog
from leader_election.swarm.view.gate_chart import add_gate_timeline, draw_gate
from matplotlib.figure import Figure
from PIL import Image
import pytest


def story(mandates):
    """Return a run in which 9 is cut off, frozen, wakes and is killed, and 8 takes over."""
    gate, leaders = GateLog(), LeaderLog(3.0)
    for second in range(12):
        leaders.add(9, float(second), True, second + 1.5 if mandates and second < 5 else None)
        leaders.add(8, 20.0 + second, True, second + 22.0 if mandates else None)
        gate.add(Answer(9, 5, second, second + 0.1, True))
    for second in range(12):
        gate.add(Answer(8, 7, 20.0 + second, second + 20.1, True))
    gate.add(Answer(9, 5, 11.0, 32.0, not mandates))
    leaders.add(7, 21.0, True, None)
    leaders.add(7, 21.1, False, None)
    return GateStory(0.0, 40.0, (9, 8, 7), gate, leaders,
                     (Event(4.0, 'cut'), Event(12.0, 'robot 9 frozen')), (4.0, 10.0),
                     (9, (12.0, 31.0)), (9, 36.0), mandates)


@pytest.mark.parametrize(('mandates', 'said'), [
    (True, {'open for 9', 'open for 8', '1 old command refused', 'no majority', 'frozen'}),
    (False, {'open for 9', 'open for 8', '1 old command obeyed', 'frozen'})])
def test_timeline_says_what_happened(mandates, said):
    axes = Figure().subplots()
    add_gate_timeline(axes, story(mandates))
    texts = {text.get_text() for text in axes.texts}
    assert texts == said | {'cut', 'robot 9 frozen'}
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        'the gate', 'robot 9', 'robot 8', 'robot 7']


def test_robots_that_led_only_briefly_share_a_row():
    axes = Figure().subplots()
    whole = story(True)
    whole.leaders.add(6, 22.0, True, None)
    whole.leaders.add(6, 22.1, False, None)
    add_gate_timeline(axes, whole._replace(robots=(9, 8, 7, 6)))
    assert [label.get_text() for label in axes.get_yticklabels()][-1] == 'others'


def test_picture_is_written(tmp_path):
    draw_gate(story(True), tmp_path / 'gate.png')
    assert Image.open(tmp_path / 'gate.png').size == (1800, 684)
