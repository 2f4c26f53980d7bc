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
Start, spin and stop the nodes of a process.

A signal that ends a process is a clean exit with status 0, for which wheels stop. A wrong
configuration is one line on standard error and status 2, and an entry in the log.

The loop that spins the process reports missing inputs: time, odometry, commands, messages. A node
runs no timers while its simulated clock stands still, so it could not report this itself. The loop
uses a steady clock.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
import ctypes
from importlib import import_module
from itertools import pairwise
import os
import sys
import time
from types import FrameType
from typing import NamedTuple

from leader_election.parameters import ParameterError
from leader_election.parameters.command_line import ExitStatus, handle_ends, print_error
from leader_election.parameters.parameter_files import all_sections
from leader_election.swarm.fleet.receive_buffers import BUFFER_REMEDY
import rclpy
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.duration import Duration
from rclpy.exceptions import InvalidHandle
import rclpy.executors
from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.logging import get_logger
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future
from rclpy.time_source import TimeSource
from rosgraph_msgs.msg import Clock as ClockMessage


def make_executor() -> Executor:
    """Return an events executor, or a single-threaded one where this rclpy has none."""
    # It is experimental in rclpy 7.1.4 to 10.0 (Jazzy to Lyrical). Rclcpp's has left that room.
    for module in 'rclpy.executors', 'rclpy.experimental':
        with suppress(ImportError, AttributeError):
            executor: Executor = import_module(module).EventsExecutor()
            return executor
    return SingleThreadedExecutor()


def spin_process(nodes: Sequence[Node], over: Callable[[], bool]) -> None:
    """Spin nodes until a condition holds, checked ten times a second. Report missing inputs."""
    executor = make_executor()
    for node in nodes:
        executor.add_node(node)
    ended, waiting = Future(), InputWatch(nodes, time.monotonic())

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


def spin(nodes: Sequence[Node], until: Callable[[], bool], deadline: float = float('inf'),
         executor: Executor | None = None) -> None:
    """
    Spin nodes until a condition holds, which is checked after each event and ten times a second.

    :param deadline: the longest time to spin [s].
    :param executor: a new one, by default of :func:`make_executor`.
    """
    executor = executor or make_executor()
    for node in nodes:
        executor.add_node(node)
    end = time.monotonic() + deadline
    while not until() and time.monotonic() < end:
        executor.spin_once(timeout_sec=0.1)
    for node in nodes:
        executor.remove_node(node)
    executor.shutdown()


PROCESS = 'leader_election'
"""The logger of errors before the first node exists."""
ACKNOWLEDGEMENT = 0.5
"""The timeout for the acknowledgement of publishers' last messages [s]."""
DESTRUCTION = 4
"""The timeout for the destruction of a node [s]: ``ros2 launch`` signals again after 5 s."""
STDERR = 2
LAST_DOMAIN = 232
"""The last ROS domain. The ports of later ones do not exist (RTPS 2.3, 9.6.1)."""


class StopRequest:
    """
    A request to stop this process, made by a signal.

    :ivar made: whether it was made.
    """

    def __init__(self) -> None:
        self.made = False

    def listen(self) -> None:
        """Handle the signals that end a process from now on: each makes the request."""
        handle_ends(self._make)

    def _make(self, number: int, frame: FrameType | None) -> None:
        self.made = True


def _skip_negative_times() -> None:
    """Let nodes skip negative times on ``/clock``. They would end the process in rclpy."""
    take, logger = TimeSource.clock_callback, get_logger(PROCESS)

    def clock_callback(source: TimeSource, message: ClockMessage) -> None:
        if message.clock.sec >= 0:
            take(source, message)
        else:
            logger.warning(
                f'a time of {message.clock.sec} s on /clock is skipped; times are 0 or more',
                throttle_duration_sec=10.0)

    TimeSource.clock_callback = clock_callback  # type: ignore[assignment, method-assign]


def init_ros(arguments: list[str] | None = None) -> None:
    """
    Initialise rclpy without its own signal handlers.

    They would shut the context down while a callback is running.

    :param arguments: for ``rclpy.init``, ``None`` for ``sys.argv``.
    :raises ParameterError: if ROS cannot write its log, for a domain that does not exist, and for
        a file that is no file of parameters.
    """
    if TimeSource.clock_callback.__module__ != __name__:
        _skip_negative_times()
    folder = os.environ.get('ROS_LOG_DIR') or os.path.join(
        os.environ.get('ROS_HOME') or '~/.ros', 'log')
    refusal = ParameterError(f'ROS cannot write its log to {folder}; set ROS_LOG_DIR to a folder '
                             'that this user can write')
    domain = os.environ.get('ROS_DOMAIN_ID', '')
    if domain and not (domain.isdecimal() and int(domain) <= LAST_DOMAIN):
        raise ParameterError('ROS_DOMAIN_ID', domain, f'0 to {LAST_DOMAIN}')
    if folder.startswith('~') and 'HOME' not in os.environ:
        # rclpy would print a paragraph about errors in C before its own error.
        raise refusal
    try:
        rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
    except rclpy_implementation.RCLError as error:
        if 'params file' in str(error):
            # ROS does not name its fault.
            for option, path in pairwise(sys.argv if arguments is None else arguments):
                if option == '--params-file':
                    all_sections(path)
        if 'log' not in str(error):
            raise
        raise refusal from None


def run(make: Callable[[], Sequence[Node]], arguments: list[str] | None = None,
        stopped: int = ExitStatus.OK) -> int:
    """
    Make nodes, spin them until a stop is requested, and destroy them.

    Until the nodes are made the caller handles the signals (:mod:`leader_election.cli`).

    :param make: returns the nodes. A node may have a method ``close()``, called before it is
        destroyed. An attribute ``failure``, which ends the process if it is not ``None``. An
        attribute ``over``, which ends it with status 0 if it is true; and a method ``missing()``,
        which returns its missing inputs (:mod:`~leader_election.ros.nodes.process`).
    :param arguments: as :func:`init_ros` takes them.
    :param stopped: the exit status after a stop by a signal.
    :return: the exit status.
    """
    try:
        init_ros(arguments)
        nodes = make()
    except (ParameterError, rclpy.exceptions.ParameterException,
            rclpy.exceptions.NameValidationException,
            # rclpy raises it for arguments that it cannot parse, and for a wrong QoS override.
            RuntimeError) as error:
        # Without a context, after wrong ROS arguments, there is no log.
        refused = _report(error, get_logger(PROCESS) if rclpy.ok() else None)
        rclpy.try_shutdown()
        return refused
    status: int = ExitStatus.FAILED
    stop = StopRequest()
    stop.listen()
    try:
        spin_process(nodes, lambda: stop.made or _failure(nodes) is not None or _over(nodes))
        failed = None if stop.made else _failure(nodes)
        if failed is not None:
            failure, node = failed
            status = _report(failure, node.get_logger())
        else:
            status = stopped if stop.made and not _over(nodes) else ExitStatus.OK
    finally:
        # In any case, wheels must stop.
        _take_down(nodes, status)
    return status


def _failure(nodes: Sequence[Node]) -> tuple[ParameterError, Node] | None:
    """Return the first error that a node found at run time, with the node."""
    found = ((getattr(node, 'failure', None), node) for node in nodes)
    return next(((failure, node) for failure, node in found if failure is not None), None)


def _report(error: Exception, logger: RcutilsLogger | None) -> ExitStatus:
    """
    Print the error that ends the process, and write it to the log, but not to the screen twice.

    :return: the exit status.
    """
    if logger is not None:
        with _quiet():
            logger.fatal(' '.join(str(error).split()))
    return print_error(error)


@contextmanager
def _quiet() -> Iterator[None]:
    """Discard what the process, also a library in C, writes to standard error meanwhile."""
    sys.stderr.flush()
    screen, nowhere = os.dup(STDERR), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, STDERR)
    try:
        yield
    finally:
        os.dup2(screen, STDERR)
        os.close(screen)
        os.close(nowhere)


def _over(nodes: Sequence[Node]) -> bool:
    """Return whether a node has finished its task."""
    return any(getattr(node, 'over', False) for node in nodes)


def _take_down(nodes: Sequence[Node], status: int) -> None:
    """
    Close and destroy all nodes, which takes some seconds for many of them.

    A process that only exits leaves its DDS entities in shared memory, and the next process on
    this machine may then not be discovered.

    :param status: the exit status of the process if the middleware does not return.
    """
    for node in nodes:
        if hasattr(node, 'close'):
            node.close()
    await_acknowledgements(publisher for node in nodes for publisher in node.publishers)
    for node in nodes:
        # Fast DDS 2.14 may never return while another process ends at the same time, which is
        # usual when a launch is stopped: DomainParticipant::set_listener(), called with the last
        # node, waits for a discovery callback that waits for its lock.
        with _exit_after(DESTRUCTION, status):
            node.destroy_node()
    rclpy.try_shutdown()


class _SignalEvent(ctypes.Structure):
    """``struct sigevent`` of Linux: a function that a timer calls in a thread of its own."""

    _fields_ = (('value', ctypes.c_void_p), ('number', ctypes.c_int), ('notify', ctypes.c_int),
                ('function', ctypes.c_void_p), ('rest', ctypes.c_char * 40))


@contextmanager
def _exit_after(seconds: int, status: int) -> Iterator[None]:
    """
    End the process at once if the body takes longer, even if it holds the interpreter's lock.

    No thread of Python could run then, hence a timer of the C library of Linux.

    :param status: the exit status.
    """
    libc = ctypes.CDLL(None)
    # SIGEV_THREAD: the timer calls the function in a thread of its own.
    event = _SignalEvent(
        value=status, notify=2, function=ctypes.cast(libc._exit, ctypes.c_void_p).value)
    # struct itimerspec: the period, none, and the time until the call, each in s and ns.
    timer, times = ctypes.c_void_p(), (ctypes.c_long * 4)(0, 0, seconds, 0)
    libc.timer_create(time.CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(timer))
    libc.timer_settime(timer, 0, ctypes.byref(times), None)
    try:
        yield
    finally:
        libc.timer_delete(timer)


def await_acknowledgements(publishers: Iterable[Publisher]) -> None:
    """
    Wait until the last messages of publishers are acknowledged, for half a second at most.

    A destroyed publisher resends nothing, and may not even have sent its last message: a command
    that stops the wheels could be lost. Best effort is not waited for, nor are destroyed
    publishers and a middleware that does not support this.
    """
    end = time.monotonic() + ACKNOWLEDGEMENT
    for publisher in publishers:
        with suppress(InvalidHandle, rclpy_implementation.RCLError):
            publisher.wait_for_all_acked(Duration(seconds=max(end - time.monotonic(), 0.0)))


PERIOD = 2.5
"""Time between two checks [s, steady]."""
LOOKS = 3
"""The number of successive checks after which a missing input is reported: within ten seconds."""
LONGEST = 60.0
"""The longest time between two warnings of the same input, which doubles at first [s, steady]."""
TIME = 'time'
"""The input without which the others are not looked at."""
BUFFERS = f'with many robots in Gazebo Sim raise the receive buffers: {BUFFER_REMEDY}'


class MissingInput(NamedTuple):
    """A missing input of a node."""

    what: str
    """A noun, such as ``odometry``."""
    topic: str
    remedy: str
    observed: str = 'nothing comes'


class InputWatch:
    """
    Warns of missing inputs of the nodes of a process, and reports their arrival.

    A node that waits for anything except time has a method ``missing()`` that returns a list of
    :class:`MissingInput`.
    """

    def __init__(self, nodes: Sequence[Node], now: float) -> None:
        """
        Begin to wait.

        :param nodes: of the process; the first one logs.
        :param now: by a steady clock [s].
        """
        self._nodes = nodes
        self._next = now + PERIOD
        self._time = _time(nodes)
        self._missing: dict[str, tuple[float, float]] = {}
        """The time since when an input is missing, and that of the next warning, 0: the first."""

    def look(self, now: float) -> None:
        """
        Warn if a warning is due, cheap otherwise.

        :param now: by a steady clock [s].
        """
        if now < self._next:
            return
        begin, self._next = self._next - PERIOD, now + PERIOD
        lines, logger = self._lines(), self._nodes[0].get_logger()
        # While time stands still, nothing is known of the other inputs.
        for what in () if TIME in lines else self._missing.keys() - lines.keys():
            if self._missing.pop(what)[1]:
                logger.info(f'no longer waiting for {what}')
        for what, line in lines.items():
            since, due = self._missing.setdefault(what, (begin, 0.0))
            waited = now - since
            if waited > (LOOKS - 0.5) * PERIOD and now >= due:
                self._missing[what] = since, now + min(waited, LONGEST)
                logger.warning(f'waiting for {what} for {waited:.0f} s: {line}')

    def _lines(self) -> dict[str, str]:
        """Return a line of text for each kind of missing input."""
        now, before = _time(self._nodes), self._time
        self._time = now
        if now is not None and now == before:
            # All other inputs may be missing because of this.
            return {TIME: (
                f'simulated time stands still at {now * 1e-9:.1f} s: nothing new comes on /clock; '
                'start the simulator, or what publishes /clock, let it run where it is paused, or '
                f'set use_sim_time to false; {BUFFERS}')}
        found: dict[str, list[MissingInput]] = {}
        for node in self._nodes:
            missing: Callable[[], list[MissingInput]] | None = getattr(node, 'missing', None)
            for each in missing() if missing else ():
                found.setdefault(each.what, []).append(each)
        return {what: _line(each) for what, each in found.items()}


def _time(nodes: Sequence[Node]) -> int | None:
    """Return the time of the first node that uses simulated time [ns], ``None`` without one."""
    # ROS clocks only. Nodes without simulated time have them, too.
    return next((node.get_clock().now().nanoseconds for node in nodes
                 if getattr(node.get_clock(), 'ros_time_is_active', False)), None)


def _line(missing: Sequence[MissingInput]) -> str:
    topics = list(dict.fromkeys(each.topic for each in missing))
    names = ', '.join(topics[:3]) + (
        f' and {len(topics) - 3} more topics' if len(topics) > 3 else '')
    remedy = Counter(each.remedy for each in missing).most_common(1)[0][0]
    return f'{missing[0].observed} on {names}; {remedy}'
