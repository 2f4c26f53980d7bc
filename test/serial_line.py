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

"""Pseudo-terminals in place of serial ports, and the line between two of them."""

from collections.abc import Iterator
from contextlib import contextmanager
import os
from pathlib import Path
import random
import select
from threading import Thread
import tty


def plugged(place: Path) -> tuple[int, int]:
    """Let a new pseudo-terminal be at this place, and return its other end, and its own."""
    end, device = os.openpty()
    tty.setraw(device)
    place.unlink(missing_ok=True)
    place.symlink_to(os.ttyname(device))
    return end, device


@contextmanager
def line(places: tuple[Path, Path], share: float) -> Iterator[None]:
    """Connect two new devices. A share of the bytes between them has a wrong bit."""
    (one, *others), (other, *more) = map(plugged, places)
    stop, stopping = os.pipe()
    carrying = Thread(target=_carry, args=((one, other), stop, share))
    carrying.start()
    try:
        yield
    finally:
        os.close(stopping)
        carrying.join()
        for end in (one, other, *others, *more, stop):
            os.close(end)


def _carry(ends: tuple[int, int], stop: int, share: float) -> None:
    chance = random.Random(1)
    while stop not in (ready := select.select([*ends, stop], [], [])[0]):
        for end in ready:
            data = bytearray(os.read(end, 4096))
            for i in range(len(data)):
                if chance.random() < share:
                    data[i] ^= 1 << chance.randrange(8)
            os.write(ends[end == ends[0]], data)
