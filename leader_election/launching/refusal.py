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
How a launch that was told nonsense ends: with one line, with status 2, with nothing left running.

Left to itself ``launch`` reports an error of a launch file in its log, and ends with status 1.
"""

import asyncio
from collections.abc import Callable, Sequence
from functools import wraps
import sys
from typing import Any

from leader_election.parameters import ParameterError

USAGE_ERROR = 2
"""The exit status, that of a process whose configuration is wrong."""

Make = Callable[[Any], list[Any]]
"""What an ``OpaqueFunction`` calls: a context in, actions out."""


def refusing(make: Make) -> Make:
    """
    Return what makes the same actions, and ends the launch where that is a ``ParameterError``.

    What a launch file that includes this one has started before is stopped first. Where no launch
    is running, as in a test, the error is the caller's.
    """
    @wraps(make)
    def made(context: Any) -> list[Any]:
        try:
            return make(context)
        except ParameterError as error:
            if context.asyncio_loop is None:
                raise
            from launch.actions import Shutdown
            print(f'error: {error}', file=sys.stderr)
            _end_with_status(context.asyncio_loop, USAGE_ERROR)
            return [Shutdown(reason='wrong arguments')]

    return made


def passing_on(event: Any, context: Any) -> list[Any]:
    """
    End the launch when a process ends, with the process's status; for its ``on_exit``.

    Left to itself ``launch`` ends with 0, however its processes did.
    """
    from launch.actions import Shutdown
    if context.is_shutdown:
        # Who ends now was told to.
        return []
    if event.returncode != 0 and context.asyncio_loop is not None:
        # What a signal killed has a negative one.
        _end_with_status(context.asyncio_loop, max(event.returncode, 1))
    return [Shutdown(reason=f'{event.process_name} has ended')]


def after(first: Any, rest: Sequence[Any], trouble: str) -> list[Any]:
    """
    Return a process that ends by itself, and what is started when it has ended well.

    Where it has not, the launch ends with its status.

    :param trouble: what that means, in a line.
    """
    from launch.actions import RegisterEventHandler
    from launch.event_handlers import OnProcessExit

    def go_on(event: Any, context: Any) -> list[Any]:
        if context.is_shutdown:
            return []
        if event.returncode == 0:
            return list(rest)
        print(f'error: {trouble}', file=sys.stderr)
        return passing_on(event, context)

    return [RegisterEventHandler(OnProcessExit(target_action=first, on_exit=go_on)), first]


def _end_with_status(loop: asyncio.AbstractEventLoop, status: int) -> None:
    """Have the process end with the status once the launch has come to its end."""
    for task in asyncio.all_tasks(loop):
        # launch has no word for it: the task is that of LaunchService.run.
        if getattr(task.get_coro(), '__name__', '') == 'run_async':
            task.add_done_callback(lambda _: sys.exit(status))
