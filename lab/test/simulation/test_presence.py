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

"""Devices that join late or leave early in a trace: they are there only then."""

from pathlib import Path
from typing import Any

import leader_election_lab as lab
from leader_election_lab.motions import REPLAY
from leader_election_lab.simulation.run import simulate
import numpy as np
import pytest

BOUNDED: dict[str, Any] = {'algorithms': [{'name': 'bounded', 'radius': 50}],
                           'strength': {'cycle': ['id']}, 'messages': {'expiry': 3, 'range': 100},
                           'measure': {'devices': True}}


def contacts(folder: Path, rows: str, **sections: Any) -> Any:
    path = folder / 'contacts.csv'
    path.write_text('t,a,b,up\n' + rows)
    return lab.load({**BOUNDED, 'devices': [{'kind': 'contacts', 'path': str(path)}], **sections})


def logs(folder: Path, **sections: Any) -> Any:
    """Three robots: from 10 to 110 s, from 110 on a row late, and from 60 to 80 s."""
    for name, times in (('a', range(10, 111)), ('b', range(11, 110)), ('c', range(60, 81))):
        (folder / f'{name}.csv').write_text(
            't,x,y\n' + ''.join(f'{t},{t - 10},0\n' for t in times))
    return lab.load({**BOUNDED, 'devices': [{'kind': 'logs', 'logs': str(folder)}],
                     'motion': {'kind': 'replay', 'logs': str(folder)}, **sections})


def running(scenario: Any, *times: float) -> list[list[int]]:
    """Return the ids of the devices that run at some times."""
    return [one.id[one.running].tolist()
            for one in simulate(scenario, 'bounded', 0, times).snapshots]


def test_devices_of_contacts_are_there_from_their_first_link_to_their_last(tmp_path: Path) -> None:
    """3 is linked to 0 up to the end of the trace. 1 is linked to 0 again after a pause."""
    scenario = contacts(tmp_path, ('0,0,1,1\n10,1,2,1\n15,1,2,0\n18,0,1,0\n20,0,1,1\n25,0,1,0\n'
                                   '30,0,3,1\n35,0,3,0\n'), duration=40)
    assert running(scenario, 5, 12, 17, 19, 22, 28, 32, 38) == [
        [0, 1], [0, 1, 2], [0, 1], [0, 1], [0, 1], [0], [0, 3], [0, 3]]


def test_device_of_contacts_stays_while_a_link_lasts(tmp_path: Path) -> None:
    assert running(contacts(tmp_path, '0,0,1,1\n5,1,2,1\n9,1,2,0\n', duration=20), 15) == [
        [0, 1, 2]]
    # 2 has left when the trace goes on without it.
    assert running(contacts(tmp_path, '0,0,1,1\n5,1,2,1\n9,1,2,0\n12,0,1,1\n', duration=20),
                   15) == [[0, 1]]


def test_device_that_comes_late_neither_leads_nor_counts_before(tmp_path: Path) -> None:
    """The strongest, 2, comes at 100 s. Ids stay those of the trace's devices."""
    scenario = contacts(tmp_path, '0,0,1,1\n100,1,2,1\n', duration=150, first_id=7)
    found = lab.run(scenario, 1, tmp_path / 'results').isel(algorithm=0, seed=0)
    before, after = found.sel(time=slice(10, 100)), found.sel(time=slice(105, 150))
    assert (before['largest_size'] == 2).all() and (after['largest_size'] == 3).all()
    assert (before['leaders'] == 1).all() and (after['leaders'] == 1).all()
    # The first round of a device is at a random time of its first second.
    assert found['uptime'].values.tolist() == [150.0, 150.0, 50.0]
    assert found['last_leader'].values.tolist() == [9.0, 9.0, 9.0]


def test_robots_of_logs_are_there_from_their_first_row_to_their_last(tmp_path: Path) -> None:
    """Time 0 is the earliest row, at 10 s. One step more or less is no absence."""
    scenario = logs(tmp_path, duration=110)
    assert running(scenario, 0.5, 49, 51, 69, 71, 109) == [
        [0, 1], [0, 1], [0, 1, 2], [0, 1, 2], [0, 1], [0, 1]]
    # c joins where its log begins, 50 m from the origin.
    [taken] = simulate(scenario, 'bounded', 0, [50.5]).snapshots
    assert taken.position[2].tolist() == pytest.approx([50.0, 0.0], abs=1.0)


def test_logs_without_a_replay_give_only_places(tmp_path: Path) -> None:
    assert running(logs(tmp_path, motion={'kind': 'static'}, duration=10), 5) == [[0, 1, 2]]


def test_log_of_one_row_is_that_of_a_robot_that_stays(tmp_path: Path) -> None:
    logs(tmp_path, duration=10)
    (tmp_path / 'd.csv').write_text('t,x,y\n90,1,1\n')
    assert REPLAY.presence is not None
    found = REPLAY.presence(REPLAY.parameters(logs=str(tmp_path)))
    assert found.tolist() == [[0.0, np.inf], [0.0, np.inf], [50.0, 70.0], [0.0, np.inf]]
