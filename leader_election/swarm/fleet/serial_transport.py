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

"""The transport of a modem at a serial port: ESP-NOW, LoRa, XBee."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from threading import Event, Lock, Thread

from leader_election.election.messages import frames
from leader_election.swarm.fleet.transports import (
    LinkParameters,
    REOPEN_PERIOD,
    Transport,
    WAIT,
)
import serial

DAMAGED, OPENED = 'damaged', 'opened'
WRITE_WAIT = 0.02
"""The longest wait for a modem that takes no bytes [s]. Robots' messages wait meanwhile."""


class SerialTransport(Transport):
    """
    A modem, which sends each frame to all others.

    Its device may be absent, disappear, and come back.
    """

    def __init__(self, parameters: LinkParameters, take: Callable[[bytes], None]) -> None:
        """Begin to look for the device."""
        self.problem = f'{parameters.device} is not open yet'
        self._parameters, self._take, self._over = parameters, take, Event()
        self._reader = frames.FrameReader(parameters.length)
        self._opened = 0
        self._lock = Lock()
        """Held to write, and to close the device."""
        self._device: serial.Serial | None = None
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def send(self, data: bytes) -> str:
        """Write a frame, unless the one before still waits: old messages are of no use."""
        with self._lock:
            if self._device is None:
                return self.problem
            try:
                if self._device.out_waiting > self._parameters.length:
                    return (f'{self._parameters.device} is slower than the messages; raise '
                            'baud_rate, or round_period of the robot')
                self._device.write(frames.frame(data))
            except OSError as error:
                return f'{self._parameters.device}: {error}'
        return ''

    def counts(self) -> Mapping[str, int]:
        """Return how many frames were damaged, and how often the device was opened."""
        return {DAMAGED: self._reader.damaged, OPENED: self._opened}

    def close(self) -> None:
        """Close the device."""
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        """Open the device, read, and begin again where it has disappeared."""
        while not self._over.is_set():
            # ValueError: a baud rate that the device does not have.
            try:
                device = serial.Serial(
                    self._parameters.device, self._parameters.baud_rate, timeout=WAIT,
                    write_timeout=WRITE_WAIT, exclusive=True)
                self._opened += 1
                self._device, self.problem = device, ''
                while not self._over.is_set():
                    for packet in self._reader.read(device.read(max(device.in_waiting, 1))):
                        self._take(packet)
            except (OSError, ValueError) as error:
                self.problem = f'{self._parameters.device}: {error}'
            with self._lock, suppress(OSError):
                device, self._device = self._device, None
                if device is not None:
                    device.close()
            self._over.wait(REOPEN_PERIOD)
