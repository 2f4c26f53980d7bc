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

"""Keys that a person presses while a command runs in a terminal."""

from collections.abc import Iterator
from contextlib import contextmanager
import os
import select
import sys
import termios
import tty


def in_terminal() -> bool:
    """Return whether a person can see the output of this process, and press keys for it."""
    # Only the foreground process may read, or change the terminal: others are stopped for it.
    return (sys.stdin.isatty() and sys.stdout.isatty()
            and os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp())


@contextmanager
def single_keys() -> Iterator[None]:
    """Receive keys at once and do not show them, until the end of the context."""
    if not in_terminal():
        yield
        return
    before = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def pressed() -> str:
    """Return the keys that were pressed since the last call, empty without a terminal."""
    keys = b''
    while in_terminal() and select.select([sys.stdin], [], [], 0.0)[0]:
        read = os.read(sys.stdin.fileno(), 64)
        if not read:
            break
        keys += read
    return keys.decode(errors='replace')
