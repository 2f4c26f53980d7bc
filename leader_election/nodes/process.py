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

"""
The life of a process that hosts nodes: start, spin, stop.

A stop by SIGINT or SIGTERM is a clean exit with status 0; a configuration that is wrong is one
line on standard error and status 2.
"""

from collections.abc import Callable, Sequence
import signal
import time
from types import FrameType

from leader_election.command_line import ExitStatus, print_error
from leader_election.parameters import ParameterError
import rclpy
from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future


class StopRequest:
    """Whether this process was asked to stop."""

    def __init__(self) -> None:
        self.made = False

    def listen(self) -> None:
        """Take SIGINT and SIGTERM as a request to stop."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._make)

    def _make(self, number: int, frame: FrameType | None) -> None:
        self.made = True


def run(make: Callable[[], Sequence[Node]], arguments: list[str] | None = None) -> int:
    """
    Make the nodes, spin them until a stop is asked for, take them down; return the exit status.

    Until the nodes are made, the signals are the caller's affair (:mod:`leader_election.cli`).

    :param make: makes the nodes, the first of which has the attribute ``executor_kind``
        (:func:`make_executor`). A node's ``close()``, where it has one, is called before the end;
        its ``failure``, where it comes to have one, is the end.
    """
    try:
        # Our own handlers: rclpy's would shut the context down under a callback that is running.
        rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
        nodes = make()
    except (ParameterError, rclpy.exceptions.ParameterException,
            rclpy.exceptions.NameValidationException,
            # What rclpy raises for arguments that it cannot read, and for a wrong QoS override.
            RuntimeError) as error:
        rclpy.try_shutdown()
        return print_error(error)
    stop = StopRequest()
    stop.listen()
    try:
        _spin(nodes, lambda: stop.made or _failure(nodes) is not None)
        failure = _failure(nodes)
    finally:
        # Whatever has happened, wheels must not go on turning.
        _take_down(nodes)
    return ExitStatus.OK if stop.made or failure is None else print_error(failure)


def _failure(nodes: Sequence[Node]) -> ParameterError | None:
    """Return what showed only after a while to be wrong."""
    found = (getattr(node, 'failure', None) for node in nodes)
    return next((failure for failure in found if failure is not None), None)


def _spin(nodes: Sequence[Node], over: Callable[[], bool]) -> None:
    """Spin the nodes until it is over."""
    executor = make_executor(getattr(nodes[0], 'executor_kind', 'events'))
    for node in nodes:
        executor.add_node(node)
    never = Future()
    while not over():
        # In slices of time: the events executor's spin returns neither on a signal nor on a
        # shutdown (rclpy 7.1), and event by event, as in spin, each costs half as much again.
        executor.spin_until_future_complete(never, timeout_sec=0.1)


def _take_down(nodes: Sequence[Node]) -> None:
    """
    Take all nodes down, which takes many of them some seconds.

    A process that just ends leaves its part of DDS behind in shared memory, and who starts next on
    this machine may then not be found by others.
    """
    for node in nodes:
        if hasattr(node, 'close'):
            node.close()
    for node in nodes:
        node.destroy_node()
    rclpy.try_shutdown()


def make_executor(kind: str) -> Executor:
    """Return the executor: ``events`` where this rclpy has it, else single-threaded."""
    if kind == 'events':
        try:
            from rclpy.experimental import EventsExecutor
        except ImportError:
            pass
        else:
            return EventsExecutor()
    return SingleThreadedExecutor()


def spin(nodes: Sequence[Node], until: Callable[[], bool], kind: str = 'events',
         deadline: float = float('inf')) -> None:
    """
    Spin nodes until a condition holds; it is asked after each event and ten times a second.

    :param deadline: give up after so long [s].
    """
    executor = make_executor(kind)
    for node in nodes:
        executor.add_node(node)
    end = time.monotonic() + deadline
    while not until() and time.monotonic() < end:
        executor.spin_once(timeout_sec=0.1)
    for node in nodes:
        executor.remove_node(node)
    executor.shutdown()
