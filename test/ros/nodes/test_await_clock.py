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

"""The executable ``await_clock``, as a process: it ends when simulated time passes."""

import subprocess
import sys

from leader_election.cli import main
import pytest
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from support import spin_until


@pytest.mark.parametrize('passes', [True, False])
def test_await_clock_ends_when_time_passes(ros: None, passes: bool) -> None:
    """Time that stands still, as of a paused simulator, is not enough."""
    node = Node('simulator')
    topic = node.create_publisher(Clock, '/clock', 10)
    with subprocess.Popen([sys.executable, '-m', 'leader_election', 'await_clock',
                           '--seconds', '2', '--ros-args', '-r', '__node:=watch']) as process:
        ticks = 0

        def tick() -> None:
            nonlocal ticks
            ticks += topic.get_subscription_count()
            message = Clock()
            message.clock.sec = 100 + (ticks if passes else 0)
            topic.publish(message)

        try:
            node.create_timer(0.05, tick)
            spin_until([node], lambda: process.poll() is not None if passes else ticks > 40, 60.0)
            assert process.poll() == (0 if passes else None)
        finally:
            process.kill()


def test_wrong_option_is_one_line(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, 'argv', ['leader_election', 'await_clock', '--seconds', '-1'])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert capsys.readouterr().err.count('\n') == 1
