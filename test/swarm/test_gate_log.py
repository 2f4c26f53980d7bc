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

"""What a gate obeyed, and who believed to lead."""

from leader_election.swarm.gate_log import Answer, Event, GateLog, GateStory, HOLD, LeaderLog
from leader_election.swarm.view.gate_chart import add_gate_timeline, draw_gate
from matplotlib.figure import Figure
from PIL import Image
import pytest


def log_of(*answers):
    log = GateLog()
    for answer in answers:
        log.add(Answer(*answer))
    return log


def test_a_newer_term_takes_the_gate_over_at_once():
    log = log_of((9, 5, 0.0, 0.0, True), (8, 7, 1.0, 1.0, True))
    assert [(each.begin, each.robots) for each in log.held()] == [(0.0, (9,)), (1.0, (8,))]
    assert log.at_once() == 0.0 and log.holders(1.0 + HOLD) == ()
    refused = log_of((9, 5, 0.0, 0.0, False))
    assert refused.held() == [] and refused.holders(0.1) == ()
    # A command on its way at a handover is not outdated.
    assert log_of((8, 7, 1.0, 1.1, True), (9, 5, 1.0 - HOLD / 2, 1.2, False)).outdated() == []


def test_two_leaders_count_only_while_both_believe_to_lead():
    log = LeaderLog(3.0)
    log.add(9, 0.0, leads=True, until=None)
    log.add(8, 1.0, leads=True, until=None)
    log.add(9, 2.0, leads=False, until=None)
    assert log.two_lead(0.0, 9.0) == 1.0
    assert log.two_lead(1.5, 9.0) == 0.5
    assert log.robots() == {8, 9} and log.leads(8) == [(1.0, 4.0)]


def test_a_mandate_ends_with_the_message_that_says_so():
    log = LeaderLog(3.0)
    for time, until in ((0.0, 2.0), (1.0, 3.0), (2.5, None), (5.0, 6.0)):
        log.add(9, time, leads=True, until=until)
    assert log.acts(9) == [(0.0, 2.5), (5.0, 6.0)]


# The picture of a run with a gate.


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


def test_robots_that_led_only_briefly_share_a_row(tmp_path):
    axes = Figure().subplots()
    whole = story(True)
    whole.leaders.add(6, 22.0, True, None)
    whole.leaders.add(6, 22.1, False, None)
    whole = whole._replace(robots=(9, 8, 7, 6))
    add_gate_timeline(axes, whole)
    assert [label.get_text() for label in axes.get_yticklabels()][-1] == 'others'
    draw_gate(story(True), tmp_path / 'gate.png')
    assert Image.open(tmp_path / 'gate.png').size == (1800, 684)
