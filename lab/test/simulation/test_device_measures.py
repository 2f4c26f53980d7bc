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

"""Measures of each device: right by hand, the same however they are computed, and in all files."""

from pathlib import Path
from typing import Any

import leader_election_lab as lab
from leader_election_lab.runs.results import attributes
from leader_election_lab.states import DEVICE_MEASURES
from leader_election_lab.subcommands import DEVICES, write_table
import numpy as np
import pandas
import pytest
import xarray as xr

LINE: dict[str, Any] = {
    'duration': 12, 'algorithms': [{'name': 'bounded', 'radius': 10}],
    'devices': [{'kind': 'line', 'count': 3}], 'messages': {'range': 1.5, 'expiry': 2.5},
    'strength': {'cycle': ['id']}, 'rounds': {'phase': 'together', 'acquainted': True},
    'events': [{'kind': 'die', 'at': 5.5, 'first': 2, 'last': 2}], 'measure': {'devices': True}}
WALK: dict[str, Any] = {
    'duration': 20, 'algorithms': [{'name': 'classic'}, {'name': 'bounded', 'radius': 20}],
    'devices': [{'kind': 'uniform', 'count': 30, 'low': [0, 0], 'high': [60, 60]}],
    'messages': {'range': 12.0}, 'motion': {'kind': 'levy'}, 'measure': {'devices': True},
    'vary': {'messages.loss': [0.0, 0.2]}}


def test_measures_of_three_devices_in_a_row_are_as_by_hand(tmp_path: Path) -> None:
    """
    2 leads until it dies at 5.5 s; 1 leads from 11 s on.

    At 1 s 0 still names 1, which does not lead. It follows 2 from 2 to 5 s at 2 m, and 1 at 12 s
    at 1 m: 9 m over five samples. 1 follows 2 from 1 to 5 s at 1 m.
    """
    found = lab.run(lab.load(LINE), 1, tmp_path).isel(algorithm=0, seed=0)
    assert found['device'].values.tolist() == [0, 1, 2]
    assert {name: found[name].values.tolist() for name in DEVICE_MEASURES[:3]} == {
        'uptime': [12.0, 12.0, 5.0], 'tenure': [0.0, 2.0, 5.0], 'membership': [5.0, 5.0, 0.0]}
    assert found['leader_distance'].values == pytest.approx([1.8, 1.0, np.nan], nan_ok=True)
    assert found['last_leader'].values == pytest.approx([1.0, 1.0, np.nan], nan_ok=True)
    assert found['tenure'].attrs['units'] == 's'
    # By hops, it is a number of hops.
    hops = lab.load(LINE, values={'messages.metric': 'hops'})
    assert attributes('leader_distance', hops)['units'] == '1'


def test_interval_of_samples_is_the_time_of_each(tmp_path: Path) -> None:
    seldom = lab.load(LINE, values={'measure.interval': 3.0})
    found = lab.run(seldom, 1, tmp_path).isel(algorithm=0, seed=0)
    # At 3 s 2 leads, at 12 s 1 leads.
    assert found['tenure'].values.tolist() == [0.0, 3.0, 3.0]
    assert found['leader_distance'].values[0] == 1.5


def test_measures_agree_with_those_of_all_devices_and_change_none(tmp_path: Path) -> None:
    found = lab.run(lab.load(WALK), 2, tmp_path / 'each')
    plain = lab.run(lab.load(WALK, values={'measure.devices': False}), 2, tmp_path / 'plain')
    assert plain.equals(found[list(plain)].drop_vars('device', errors='ignore').assign(
        fingerprint=plain['fingerprint']))
    assert (found['tenure'].sum('device') == found['leaders'].sum('time')).all()
    followers = (found['mean_size'] - 1.0) * found['correct']
    assert found['membership'].sum('device').values == pytest.approx(
        followers.sum('time').values, rel=1e-6)
    assert not {*DEVICE_MEASURES} & {*plain}


def test_file_and_table_have_a_row_for_each_device_of_a_variant(tmp_path: Path) -> None:
    scenario = lab.load({**LINE, 'events': [], 'first_id': 5, 'vary': {'devices.count': [2, 3]}})
    found = lab.run(scenario, 2, tmp_path)
    read = xr.open_dataset(tmp_path / 'own.nc')
    assert read['tenure'].dims == ('algorithm', 'devices.count', 'seed', 'device')
    assert read['device'].values.tolist() == [5, 6, 7]
    assert read['tenure'].sel({'devices.count': 2, 'seed': 0}).values[0] == pytest.approx(
        [0.0, 12.0, np.nan], nan_ok=True)
    assert write_table(found, scenario, tmp_path / 'x.csv', DEVICES) == 2 * (2 + 3)
    table = pandas.read_csv(tmp_path / 'x.csv')
    assert list(table) == ['algorithm', 'devices.count', 'seed', 'device', *DEVICE_MEASURES]
    assert table.query('seed == 1')['tenure'].tolist() == [0.0, 12.0, 0.0, 0.0, 12.0]
    frame = found[[*DEVICE_MEASURES]].to_dataframe().dropna(subset='uptime')
    assert len(frame) == 10 and frame['tenure'].sum() == 4 * 12.0
