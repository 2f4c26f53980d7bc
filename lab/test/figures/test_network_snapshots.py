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

"""Pictures of networks, and figures of steadiness from their snapshots."""

from example_results import results
from leader_election.swarm.view.formatting import GONE
from leader_election_lab.experiment.scenario import parse
from leader_election_lab.figures.network_snapshots import (
    animate,
    draw_partitions,
    draw_snapshots,
    FRAMES,
)
from leader_election_lab.figures.steadiness import (
    changes_per_crossing,
    distances,
    draw_distance_below,
    draw_steadiness,
    table_rows,
    take_over_time,
    take_over_times,
)
from leader_election_lab.figures.style import FigureError
from leader_election_lab.runs.files import ResultError
from leader_election_lab.simulation.snapshots import Snapshot
import numpy as np
from PIL import Image
import pytest
import yaml


def snapshot(leader, position, running=None, ids=None, pairs=(), time=0.0):
    """Return a snapshot; ids count from 0 if they are not given."""
    ids = np.arange(len(leader)) if ids is None else np.asarray(ids)
    running = np.ones(len(ids), bool) if running is None else np.asarray(running)
    leader = np.asarray(leader)
    return Snapshot(time=time, id=ids, position=np.asarray(position, float), leader=leader,
                    is_leader=(leader == ids) & running, running=running,
                    pairs=np.asarray(pairs, np.int32).reshape(-1, 2))


def test_devices_have_the_colours_of_their_leaders():
    # 10 leads 11; 13 leads itself; 12 follows 99, which does not exist; 14 does not run.
    shown = snapshot([10, 10, 99, 13, 13], [[0, 0], [1, 0], [2, 0], [3, 0], [4, 0]],
                     [True, True, True, True, False], [10, 11, 12, 13, 14], [[0, 1], [2, 3]])
    [axes] = draw_snapshots({'bounded': shown}, 'A title', 'seed 0').axes
    links, devices, leaders = axes.collections
    assert [segment.tolist() for segment in links.get_segments()] == [
        [[0, 0], [1, 0]], [[2, 0], [3, 0]]]
    assert devices.get_offsets().tolist() == [[1, 0], [2, 0], [4, 0]]
    assert leaders.get_offsets().tolist() == [[0, 0], [3, 0]]
    first, second = leaders.get_facecolor()[:, :3].tolist()
    assert first != second
    assert devices.get_facecolor()[:, :3].tolist() == [first, list(GONE), list(GONE)]
    assert axes.get_title() == 'bounded: 2 leaders'


def scenario(devices=12, duration=4, **more):
    """Return devices 10 m apart in a row, each in range of the next."""
    return parse({
        'title': 'A row', 'duration': duration,
        'algorithms': [{'name': 'bounded', 'radius': 1000}],
        'devices': [{'kind': 'grid', 'columns': devices, 'rows': 1, 'first': [0, 0],
                     'step': [10, 10]}],
        'messages': {'range': 15}, 'strength': {'cycle': ['id']}, **more}, 'row')


def test_partitions_are_simulated_for_each_algorithm():
    row = scenario(4, 40, algorithms=[{'name': 'bounded', 'radius': 1000},
                                      {'name': 'bounded', 'label': 'near', 'radius': 10}])
    wide, near = draw_partitions(row).axes
    # Half-way all follow the strongest, 3; within 10 m 3 leads 2, and 1 leads 0.
    assert wide.collections[2].get_offsets().tolist() == [[30, 0]]
    assert sorted(near.collections[2].get_offsets().tolist()) == [[10, 0], [30, 0]]
    assert len(wide.collections[0].get_segments()) == 3


@pytest.mark.parametrize(('duration', 'frames'), [(4, 4), (90, FRAMES)])
def test_an_animation_has_a_frame_a_second_up_to_the_limit(tmp_path, duration, frames):
    path = animate(scenario(duration=duration), 'bounded', 0, tmp_path / 'new' / 'run.gif')
    with Image.open(path) as image:
        assert image.n_frames == frames
        assert image.info['duration'] == 100
        assert min(image.size) > 200


def test_an_animation_of_another_kind_is_refused(tmp_path):
    with pytest.raises(ResultError, match='takes one of .gif'):
        animate(scenario(), 'bounded', 0, tmp_path / 'run.avi')


def test_a_folder_in_the_place_of_an_animation_is_an_error(tmp_path):
    (tmp_path / 'run.gif').mkdir()
    with pytest.raises(ResultError, match='run.gif cannot be written: it is a folder'):
        animate(scenario(), 'bounded', 0, tmp_path / 'run.gif')


LOSS = {'messages.loss': [0.0, 0.4]}
LABELS = ['bounded', 'deaf']
# Six devices in a line, 1 m apart; a seventh, the strongest, joins in their middle. The radius of
# the second entrant is too small to follow it.
LINE = """
duration: 20
algorithms:
  - {name: bounded, radius: 9}
  - {name: bounded, label: deaf, radius: 0.2}
devices:
  - {kind: line, count: 6, first: [0, 0], step: [1, 0]}
  - {kind: line, count: 1, first: [2.5, 0], step: [1, 0]}
messages: {range: 1.2}
rounds: {phase: together}
strength: {cycle: [id]}
events: [{kind: join, at: 10, first: 6, last: 6}]
vary: {messages.loss: [0, 0.4]}
"""


def line():
    """Return the scenario."""
    return parse(yaml.safe_load(LINE), 'line')


def test_taken_over_when_nine_tenths_of_the_devices_nearby_follow():
    places = [[float(x), 0.0] for x in range(12)] + [[0.0, 0.0]]
    # Devices 0 to 5 are within 5 m of device 12, which is at the place of device 0.
    steps = [snapshot([*[12] * following, *[11] * (12 - following), 12], places,
                      time=10.0 + following) for following in range(8)]
    assert take_over_time(steps, 12, since=10.0) == 6.0
    assert take_over_time(steps[:6], 12, since=10.0) == float('inf')


def test_a_newcomer_is_followed_after_a_round_a_hop_and_never_beyond_the_radius():
    taken = take_over_times(line(), seeds=1)
    # It joins 0.5 m from the nearest, and the farthest is three hops away.
    assert 1.0 <= taken['bounded'] <= 4.0
    assert taken['deaf'] == float('inf')


def test_the_table_has_a_row_for_each_algorithm_and_loss():
    times = np.arange(1.0, 7.0)
    dataset = results(LABELS, times, 2, LOSS, instability=0.1, leaders=4, correct=3, mean_size=30)
    rows = table_rows(dataset, line())
    assert [row[:5] for row in rows] == [
        (label, lost, '0.1000', '90.0%', '4.0') for label in LABELS for lost in ('0%', '40%')]
    assert rows[0][5].endswith(' s')
    assert [row[5] for row in rows[1:]] == ['', 'never', '']


def test_all_algorithms_side_by_side():
    times = np.arange(1.0, 7.0)
    lost = np.reshape([0.1, 0.3], (2, 1, 1))
    dataset = results(LABELS, times, 2, LOSS, instability=lost, leaders=4, correct=3, mean_size=30)
    panels = draw_steadiness(dataset, line()).axes
    assert [text.get_text() for text in panels[0].get_yticklabels()] == LABELS
    # A marker for each part lost, with a point for each algorithm, on lines 0 and 1.
    none, much = (points.get_offsets().tolist() for points in panels[0].collections)
    assert none == [pytest.approx([0.1, 0.0]), pytest.approx([0.1, 1.0])]
    assert much == [pytest.approx([0.3, 0.0]), pytest.approx([0.3, 1.0])]
    # An algorithm that never takes over has no point.
    assert len(panels[3].collections[0].get_offsets()) == 1
    assert [text.get_text() for text in panels[3].texts] == ['never']


def test_the_distance_of_the_moving_device_to_its_leader():
    # Device 5 walks along y = 0 away from 9, which it follows at first; it follows 7 only once.
    steps = [snapshot([leader, 7, 9], [[x, 0], [0, 40], [-3, 0]], ids=[5, 7, 9], time=float(x))
             for x, leader in ((0, 9), (1, 9), (2, 7), (3, 5), (4, 5), (5, 5))]
    assert distances(steps).tolist() == [3, 4, 5, 6, 7, 8]


def test_a_device_that_follows_no_other_has_no_distance():
    steps = [snapshot([0, 1], [[x, 0], [9, 0]]) for x in (0, 1)]
    with pytest.raises(FigureError, match='device 0'):
        distances(steps)


# The border, at 10 m, is crossed out, in, out, in; the first sample is the warm-up.
TO_AND_FRO = np.array([9.0, 9.0, 11.0, 9.0, 11.0, 9.0])


def test_changes_are_counted_from_crossing_to_crossing():
    """5 changes outside and 3 inside, twice; the time after the last crossing is left out."""
    changes = results(['bounded'], np.arange(1.0, 7.0), changes=[7, 0, 5, 3, 5, 3])
    assert changes_per_crossing(changes, TO_AND_FRO, 10.0).values == pytest.approx(4.0)
    # Not crossed often enough.
    assert np.isnan(changes_per_crossing(changes, TO_AND_FRO, 30.0)).all()


def test_the_distance_is_drawn_below_the_changes():
    times = np.arange(1.0, 7.0)
    figure = draw_distance_below(
        results(['bounded', 'classic'], times, changes=[7, 0, 5, 3, 5, 3]), times, TO_AND_FRO,
        10.0)
    *rows, below = figure.axes
    assert [axes.texts[0].get_text() for axes in rows] == [
        'bounded\n4 changes a crossing', 'classic\n4 changes a crossing']
    distance, radius = below.get_lines()
    assert distance.get_ydata().tolist() == TO_AND_FRO.tolist()
    assert radius.get_ydata() == [10.0, 10.0]
