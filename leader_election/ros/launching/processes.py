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
Processes of launch files: nodes of this package and RViz, and the ends of processes.

By default ``launch`` ends with status 1 after an error in a launch file, and with 0 for any end
of its processes. Here a wrong argument ends it with one line and status 2, and the end of a
process with the process's status. However a launch ends, no process that it has started goes on.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import wraps
import os
from pathlib import Path
import re
import shlex
import signal
import sys
from typing import Any

from leader_election.parameters import format_ids, ParameterError
from leader_election.parameters.command_line import print_error
from leader_election.ros.launching import arguments, bound


def bound_node(settings: Mapping[str, str], package: str, executable: str, **options: Any) -> Any:
    """
    Return the process of an executable that ends with the launch, however this ends.

    :param settings: the values of arguments, and what ``--launch-prefix`` of ``ros2 launch`` sets.
    :param package: its name.
    :param executable: its name.
    :param options: for ``launch_ros.actions.Node``.
    """
    from launch_ros.actions import Node
    chosen = re.match(settings.get('launch-prefix-filter', ''), executable)
    given = settings.get('launch-prefix', '') if chosen else ''
    return Node(package=package, executable=executable, exec_name=executable,
                prefix=f'{shlex.join(bound.prefix())} {given}', **options)


def package_node(settings: Mapping[str, str], executable: str, name: str,
                 parameters: Mapping[str, Any], defaults: Mapping[str, Any],
                 **options: Any) -> Any:
    """
    Return the process of an executable of this package.

    :param settings: the values of arguments: ``params_file``, ``log_level``, and ``namespace`` if
        the launch file has it.
    :param executable: its name.
    :param name: of its first node.
    :param parameters: by name, for all nodes of the process.
    :param defaults: of parameters that are arguments of the same name, too. If those are not
        given, ``params_file`` and a launch file that includes this one take precedence.
    :param options: for ``launch_ros.actions.Node``.
    :raises ParameterError: for a wrong log level or namespace.
    """
    files = [settings['params_file']] if settings['params_file'] else []
    # ROS takes the last value. launch_ros gives those of the including file first.
    known = arguments.enclosing_parameters(settings)
    given = {name: value for name, value in defaults.items() if settings.get(name)}
    before = {name: value for name, value in defaults.items() if name not in {*known, *given}}
    # The name is remapped, not given to Node, which would restrict the parameters to the node of
    # that name. They are for the robots in the same process, too.
    return bound_node(
        settings, arguments.PACKAGE, executable,
        namespace=arguments.check_namespace(settings.get('namespace', '')),
        # The reason for the end of a process is in the log of the launch, too.
        parameters=[*[before] * bool(before), *files, {**given, **parameters}], output='both',
        arguments=[
            '--ros-args', '-r', f'__node:={name}',
            '--log-level', arguments.LOG_LEVEL.parse(settings['log_level'])],
        # A process with many nodes takes long to shut down.
        sigterm_timeout='30',
        **options)


def rviz_nodes(settings: Mapping[str, str], sim_time: bool) -> list[Any]:
    """
    Return the process of RViz in a list, which is empty unless argument ``rviz`` is true.

    :param settings: the values of arguments.
    :param sim_time: whether it uses simulated time.
    :raises ParameterError: if it is not installed.
    """
    if not arguments.parse_bool(settings, 'rviz'):
        return []
    from launch.substitutions import PathJoinSubstitution
    from launch_ros.substitutions import FindPackageShare
    arguments.check_installed('rviz2', 'rviz2', (
        f'install it with apt install ros-{distro()}-rviz2, or leave rviz out'))
    view = PathJoinSubstitution([FindPackageShare(arguments.PACKAGE), 'config', 'swarm.rviz'])
    return [bound_node(
        settings, 'rviz2', 'rviz2',
        namespace=arguments.check_namespace(settings.get('namespace', '')),
        arguments=['-d', view], parameters=[{'use_sim_time': sim_time}])]


def fleet_nodes(settings: Mapping[str, str], shares: Iterable[tuple[int, ...]],
                parameters: Mapping[str, Any], defaults: Mapping[str, Any]) -> list[Any]:
    """
    Return the processes that host simulated robots.

    :param settings: the values of arguments.
    :param shares: the ids of the robots of each process.
    :param parameters: of all robots, by name.
    :param defaults: of them, by name.
    """
    return [package_node(settings, 'fleet', f'fleet_{ids[0]}',
                         {**parameters, 'members': format_ids(ids)}, defaults,
                         # As simulators send transforms: frame names are the same for all robots.
                         remappings=NAMESPACED_TF, on_exit=shut_down_with_status)
            for ids in shares]


def observers(settings: Mapping[str, str], monitor: Mapping[str, Any],
              sim_time: bool) -> list[Any]:
    """
    Return the processes of the monitor, of the page and of RViz, as far as arguments request them.

    :param settings: the values of arguments.
    :param monitor: the parameters of monitor and page, by name.
    :param sim_time: whether they use simulated time.
    :raises ParameterError: if RViz is not installed.
    """
    shown = [package_node(settings, name, name, monitor, {'use_sim_time': sim_time},
                          on_exit=shut_down_with_status)
             for name in ('monitor', 'web') if arguments.parse_bool(settings, name)]
    return shown + rviz_nodes(settings, sim_time)


def distro() -> str:
    """Return the name of the sourced ROS distribution, for commands in messages."""
    return os.environ.get('ROS_DISTRO', '<distro>')


NAMESPACED_TF = [('/tf', 'tf'), ('/tf_static', 'tf_static')]
"""Remappings that give each robot a topic of transforms: all use the same frame names."""


def run_folder() -> Path:
    """Return the folder of this launch's logs, in which generated files are written, too."""
    from launch.logging import launch_config
    return Path(launch_config.log_dir)


OpaqueCallback = Callable[[Any], list[Any]]
"""The callback of an ``OpaqueFunction``: takes a launch context, returns actions."""


def ends_on_error(callback: OpaqueCallback) -> OpaqueCallback:
    """
    Decorate a callback so that a ``ParameterError`` ends the launch with one line and status 2.

    So does a node whose executable is not installed, before anything is started. Processes that an
    including launch file has started before are stopped first. If no launch is
    running, as in a test, the error is raised to the caller.
    """
    @wraps(callback)
    def decorated(context: Any) -> list[Any]:
        try:
            actions = callback(context)
            arguments.check_programs(actions)
            return [*_interrupts_processes(context), *actions]
        except ParameterError as error:
            if context.asyncio_loop is None:
                raise
            from launch.actions import Shutdown
            _end_with_status(context.asyncio_loop, print_error(error))
            return [Shutdown(reason='wrong arguments')]

    return decorated


def _interrupts_processes(context: Any) -> list[Any]:
    """
    Return handlers that interrupt bound processes when SIGINT reaches the launch alone.

    ``launch`` (3.4) relies on Ctrl-C having reached them, for up to their ``sigterm_timeout``. A
    second SIGINT does them no harm. Python would raise KeyboardInterrupt anywhere, also while
    launch starts a process. launch would then wait for that process for ever.
    """
    task = _running_task(context.asyncio_loop)
    if task is None:
        return []
    from launch.actions import RegisterEventHandler
    from launch.event_handlers import OnProcessExit, OnProcessStart, OnShutdown
    running = set[int]()

    def interrupt(pids: Iterable[int]) -> None:
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGINT)

    def started(event: Any, context: Any) -> None:
        if ' '.join(bound.BIND) in ' '.join(event.cmd):
            running.add(event.pid)
            interrupt([event.pid] if context.is_shutdown else [])

    def exited(event: Any, _: Any) -> None:
        running.discard(event.pid)

    def interrupted(event: Any, context: Any) -> None:
        if event.due_to_sigint and not context.noninteractive:
            interrupt(running)

    if signal.getsignal(signal.SIGINT) == signal.default_int_handler:
        # launch reads signals from a socket, to which Python writes those that have a handler.
        before = signal.signal(signal.SIGINT, lambda *_: None)
        task.add_done_callback(lambda _: signal.signal(signal.SIGINT, before))
    return [RegisterEventHandler(OnProcessStart(on_start=started)),
            RegisterEventHandler(OnProcessExit(on_exit=exited)),
            RegisterEventHandler(OnShutdown(on_shutdown=interrupted))]


def shut_down_with_status(event: Any, context: Any) -> list[Any]:
    """
    End the launch when a process ends, with the status of the process, for its ``on_exit``.

    :param event: a ``launch.events.process.ProcessExited``.
    :param context: of the launch.
    :return: the actions to execute.
    """
    # The status of a process that a signal killed is negative.
    return shut_down(event, context, event.returncode and max(event.returncode, 1))


def shut_down(event: Any, context: Any, status: int) -> list[Any]:
    """
    End the launch with a status when a process ends, unless it does because the launch does.

    :param event: a ``launch.events.process.ProcessExited``.
    :param context: of the launch.
    :return: the actions to execute.
    """
    from launch.actions import Shutdown
    if context.is_shutdown:
        return []
    if status != 0 and context.asyncio_loop is not None:
        _end_with_status(context.asyncio_loop, status)
    return [Shutdown(reason=f'{event.process_name} has ended')]


def stop(actions: Sequence[Any]) -> list[Any]:
    """Return actions that stop processes, for ``on_exit`` of another one."""
    from launch.actions import EmitEvent
    from launch.events import matches_action
    from launch.events.process import ShutdownProcess
    return [EmitEvent(event=ShutdownProcess(process_matcher=matches_action(action)))
            for action in actions]


def start_after(first: Any, rest: Sequence[Any], error_text: str) -> list[Any]:
    """
    Return a process that ends by itself, followed by actions if it ends with status 0.

    Otherwise the launch ends with its status.

    :param first: the process.
    :param rest: the actions that follow.
    :param error_text: the line printed if it fails, empty if it prints one itself.
    """
    from launch.actions import RegisterEventHandler
    from launch.event_handlers import OnProcessExit

    def on_exit(event: Any, context: Any) -> list[Any]:
        if context.is_shutdown:
            return []
        if event.returncode == 0:
            return list(rest)
        if error_text:
            print_error(error_text)
        return shut_down_with_status(event, context)

    return [RegisterEventHandler(OnProcessExit(target_action=first, on_exit=on_exit)), first]


def _end_with_status(loop: asyncio.AbstractEventLoop, status: int) -> None:
    """Make this process exit with a status when the launch has ended."""
    task = _running_task(loop)
    if task is not None:
        # launch has no interface for an exit status.
        task.add_done_callback(lambda _: sys.exit(status))


def _running_task(loop: asyncio.AbstractEventLoop | None) -> 'asyncio.Task[Any] | None':
    """Return the task for which ``LaunchService.run`` waits; ``None`` outside of a launch."""
    return next((task for task in (asyncio.all_tasks(loop) if loop is not None else ())
                 if getattr(task.get_coro(), '__name__', '') == 'run_async'), None)
