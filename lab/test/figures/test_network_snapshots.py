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

"""Pictures and animations of networks."""

from leader_election.swarm.view.formatting import GONE
from leader_election_lab.experiment.scenario import parse
from leader_election_lab.figures import network_snapshots
from leader_election_lab.figures.network_snapshots import (
    animate,
    draw_partitions,
    draw_snapshots,
)
from leader_election_lab.runs.files import ResultError
from leader_election_lab.simulation.run import Snapshot
import numpy as np
from PIL import Image
import pytest


def snapshot(leader, position, running=None, ids=None, pairs=(), time=0.0):
    """Return a snapshot. Ids count from 0 if they are not given."""
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
    # Half-way all follow the strongest, 3. Within 10 m 3 leads 2, and 1 leads 0.
    assert wide.collections[2].get_offsets().tolist() == [[30, 0]]
    assert sorted(near.collections[2].get_offsets().tolist()) == [[10, 0], [30, 0]]
    assert len(wide.collections[0].get_segments()) == 3


@pytest.mark.parametrize(('duration', 'frames'), [(3, 3), (9, 5)])
def test_animation_has_a_frame_a_second_up_to_the_limit(tmp_path, monkeypatch, duration, frames):
    monkeypatch.setattr(network_snapshots, 'FRAMES', 5)
    path = animate(scenario(duration=duration), 'bounded', 0, tmp_path / 'new' / 'run.gif')
    with Image.open(path) as image:
        assert image.n_frames == frames
        assert image.info['duration'] == 100
        assert min(image.size) > 200


def test_animation_of_another_kind_is_refused(tmp_path):
    with pytest.raises(ResultError, match='takes one of .gif'):
        animate(scenario(), 'bounded', 0, tmp_path / 'run.avi')


def test_animation_is_refused_when_its_path_is_a_folder(tmp_path):
    (tmp_path / 'run.gif').mkdir()
    with pytest.raises(ResultError, match='run.gif cannot be written: it is a folder'):
        animate(scenario(), 'bounded', 0, tmp_path / 'run.gif')
