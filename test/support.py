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

"""Helpers of tests with nodes."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
import re
import sys
import time
from types import ModuleType

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from leader_election.ros.nodes.process import spin
import pytest
from rclpy.node import Node
from rclpy.time import Time
from std_msgs.msg import Empty

PATIENCE = 60.0
"""The time in which what a test waits for happens, also on a loaded machine [s]."""


def write_files(document: str, folder: Path) -> None:
    """Write each block of a document in ``doc`` into the file that its first line names."""
    text = (Path(__file__).parents[1] / 'doc' / document).read_text()
    for block, name in re.findall(r'```\w+\n((?:#|//) ([\w/]+\.\w+)\n.*?)```', text, re.DOTALL):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(block)
    if (folder / 'my_robots').is_dir():
        (folder / 'my_robots' / '__init__.py').touch()


def logged(text: str) -> list[str]:
    """Return the messages in the output of a process of nodes, without time and name."""
    return [line.partition(' [')[2].partition(']: ')[2] for line in text.splitlines()]


def spin_until(
        nodes: Sequence[Node], condition: Callable[[], bool], deadline: float = PATIENCE) -> None:
    """Spin nodes until a condition holds. The test fails when it does not in this time [s]."""
    end = time.monotonic() + deadline
    spin(nodes, lambda: condition() or time.monotonic() > end)
    assert condition(), f'did not happen within {deadline} s'


def leadership(values: Mapping[str, str], stamp: Time, *others: Mapping[str, str],
               ) -> DiagnosticArray:
    """Return a message of topic ``leadership``, whose last status has the values."""
    message = DiagnosticArray(status=[DiagnosticStatus(values=[
        KeyValue(key=key, value=value) for key, value in each.items()])
        for each in (*others, values)])
    message.header.stamp = stamp.to_msg()
    return message


def install_contacts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let ``std_msgs/Empty`` stand in for the contacts of ros_gz, which is not on PyPI."""
    module = ModuleType('ros_gz_interfaces.msg')
    module.Contacts = Empty  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, 'ros_gz_interfaces', ModuleType('ros_gz_interfaces'))
    monkeypatch.setitem(sys.modules, 'ros_gz_interfaces.msg', module)
