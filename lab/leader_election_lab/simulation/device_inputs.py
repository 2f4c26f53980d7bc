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

"""Set the strengths and readings that rounds start from."""

from typing import Any

from leader_election_lab.engine.network import Devices
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def set_strengths(devices: Devices, kind: str, weakest: bool, random: np.random.Generator) -> None:
    """
    Set the strengths of all devices.

    :param kind: one of those of a scenario's cycle; 0 for what the rounds compute themselves.
    :param weakest: whether the weakest wins, so that strengths are negated.
    """
    # A number is drawn for any kind, so that a cycle's other kinds do not change those drawn.
    drawn = random.random(len(devices.id))
    strength = {
        'random': drawn[devices.id - devices.id.min()],
        'id': devices.id.astype(float),
        'lower_id': -devices.id.astype(float),
    }.get(kind, np.zeros(len(devices.id)))
    devices.strength[:] = -strength if weakest else strength


def take_readings(columns: Any, readings: Floats, place: Floats, time: float) -> None:
    """
    Write what devices sense into their states: reading, position, velocity and time.

    :param columns: of the states, with the fields of composed rounds.
    :param readings: of the sensor, shape (n,).
    :param place: the positions that devices would report [m], shape (n, 2).
    :param time: now [s]; at 0 there is no velocity yet.
    """
    columns.sensed[:] = readings
    if time > 0.0:
        elapsed = time - columns.clock
        columns.speed_x[:] = (place[:, 0] - columns.place_x) / elapsed
        columns.speed_y[:] = (place[:, 1] - columns.place_y) / elapsed
    columns.place_x[:], columns.place_y[:] = place[:, 0], place[:, 1]
    columns.clock[:] = time
