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

"""What a task may do with a robot on which another one of its kind is at work already."""

from collections.abc import Callable
from typing import Any


class NullEntity:
    """A publisher that says nothing, and a timer that never calls."""

    def publish(self, message: Any) -> None:
        """Say nothing."""

    def cancel(self) -> None:
        """Go on calling nobody."""


class NullTaskContext:
    """
    Hears nothing, says nothing, and knows the time.

    A task that only decides, for a leader of leaders, has it: the wheels are the other one's.
    """

    def __init__(self, host: Any) -> None:
        """:param host: what the task that is at work has; it is asked for the time."""
        self._host = host

    @property
    def node(self) -> Any:
        """The node itself, which is not kept quiet: for a logger, say."""
        return self._host.node

    def listen(self, topic: str, kind: Any, callback: Callable[[Any], None]) -> None:
        """Hear nothing."""

    def publisher(self, topic: str, kind: Any, latched: bool = False) -> NullEntity:
        """Return what takes messages for nobody."""
        return NullEntity()

    def every(self, period: float, callback: Callable[[], None]) -> NullEntity:
        """Return what is no timer, but can be cancelled."""
        return NullEntity()

    def seconds(self) -> float:
        """Return the time on the robot's clock [s]."""
        return float(self._host.seconds())
