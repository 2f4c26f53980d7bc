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

"""The executor of a process, and the loops that spin its nodes."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
import time
from typing import Any

from leader_election.ros.nodes.waiting import Waiting
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
import rclpy.executors
from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.node import Node
from rclpy.task import Future


def make_executor(kind: str) -> Executor:
    """
    Return an executor.

    :param kind: ``events`` for the events executor, where this rclpy has it; else a
        single-threaded one is returned.
    """
    # It is experimental in rclpy 7.1.4 to 10.0 (Jazzy to Lyrical); rclcpp's has left that room.
    for module in (rclpy.executors, _experimental()) if kind == 'events' else ():
        if hasattr(module, 'EventsExecutor'):
            executor: Executor = module.EventsExecutor()
            return executor
    return SingleThreadedExecutor()


def _experimental() -> Any:
    """Return the module ``rclpy.experimental``; ``None`` for an rclpy without it."""
    with suppress(ImportError):
        return import_module('rclpy.experimental')
    return None


def _log_executor(executor: Executor, kind: str, logger: RcutilsLogger) -> None:
    """Log which executor runs; a warning where it is not the one asked for."""
    if kind == 'events' and isinstance(executor, SingleThreadedExecutor):
        logger.warning('SingleThreadedExecutor runs: this rclpy has no EventsExecutor, with which '
                       'a message costs a fifth; it takes 7.1.4 or newer')
    else:
        logger.info(f'{type(executor).__name__} runs')


def spin_process(nodes: Sequence[Node], over: Callable[[], bool], kind: str) -> None:
    """
    Spin nodes until a condition holds, checked ten times a second; report what they wait for.

    :param kind: the executor (:func:`make_executor`).
    """
    executor = make_executor(kind)
    _log_executor(executor, kind, nodes[0].get_logger())
    for node in nodes:
        executor.add_node(node)
    ended, waiting = Future(), Waiting(nodes, time.monotonic())

    def check() -> None:
        if over():
            ended.set_result(None)

    # The events executor returns after its timeout only when idle: a busy process would
    # neither stop nor end with its failure.
    nodes[0].create_timer(0.1, check, clock=Clock(clock_type=ClockType.STEADY_TIME))
    check()
    while not (ended.done() or over()):
        waiting.look(time.monotonic())
        # In slices of 0.1 s: spin() of the events executor returns neither on a signal nor on a
        # shutdown (rclpy 7.1), and spin_once() for each event costs half as much again.
        executor.spin_until_future_complete(ended, timeout_sec=0.1)


def spin(nodes: Sequence[Node], until: Callable[[], bool], kind: str = 'events',
         deadline: float = float('inf')) -> None:
    """
    Spin nodes until a condition holds, which is checked after each event and ten times a second.

    :param kind: the executor (:func:`make_executor`).
    :param deadline: the longest time to spin [s].
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
