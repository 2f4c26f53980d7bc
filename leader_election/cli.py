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
The console scripts.

Each takes care of signals first and imports rclpy after, which takes a while, so that a stop at
any moment is a clean one.
"""

from importlib.util import find_spec
import os
import signal
import sys
from types import FrameType


def _stop_now(number: int, frame: FrameType | None) -> None:
    # No node is up yet: there is nothing to take down.
    os._exit(0)


def _be_stoppable() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _stop_now)


VIEW = ('matplotlib', 'PIL', 'rich')
RECORD = ('mcap', 'mcap_ros2')
LABORATORY = (*VIEW, 'numba', 'scipy', 'networkx', 'xarray', 'netCDF4')
PACKAGES = {'PIL': 'pillow', 'mcap_ros2': 'mcap-ros2-support'}
"""The packages of those modules that are not called as they are."""


def _need(what: str, modules: tuple[str, ...], install: str) -> None:
    """End the process where modules are not installed that not every robot needs."""
    missing = [PACKAGES.get(name, name) for name in modules if find_spec(name) is None]
    if missing:
        print(f'error: {what} needs {", ".join(missing)}; in a checkout, '
              f'install it with: pip install {install}', file=sys.stderr)
        sys.exit(2)


def election_node() -> None:
    """Run one robot's node."""
    _be_stoppable()
    from leader_election.nodes.election_node import main
    sys.exit(main())


def managed_election_node() -> None:
    """Run one robot's node, with a life cycle that others manage."""
    _be_stoppable()
    from leader_election.nodes.managed_election_node import main
    sys.exit(main())


def fleet() -> None:
    """Run many robots' nodes in one process."""
    _be_stoppable()
    from leader_election.nodes.robot_host import main
    sys.exit(main())


def swarm_world() -> None:
    """Run the embedded world."""
    _be_stoppable()
    from leader_election.nodes.swarm_world import main
    sys.exit(main())


def wander() -> None:
    """Drive robots about."""
    _be_stoppable()
    from leader_election.nodes.wander import main
    sys.exit(main())


def monitor() -> None:
    """Run the monitor."""
    _be_stoppable()
    _need('what shows a swarm', VIEW, "'.[view]'")
    from leader_election.nodes.monitor import main
    sys.exit(main())


def record() -> None:
    """Run the recorder."""
    _be_stoppable()
    # Not by the extra, which brings the wheels of ROS along.
    _need('the recorder', RECORD, '-r requirements/record.txt')
    from leader_election.nodes.recorder import main
    sys.exit(main())


def swarm_doctor() -> None:
    """Check a swarm, and say what to do."""
    # What is stopped has not done what it was asked for; a shell calls that 130.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: os._exit(130))
    from leader_election.nodes.swarm_doctor import main
    sys.exit(main())


def replay() -> None:
    """Show what a recording holds."""
    # What is stopped has not done what it was asked for; a shell calls that 130.
    signal.signal(signal.SIGINT, lambda number, frame: os._exit(130))
    _need('replay', (*RECORD, *VIEW, 'shapely'), '-r requirements/run.txt '
          '-r requirements/view.txt -r requirements/record.txt')
    from leader_election.recording.main import main
    sys.exit(main())


def demo() -> None:
    """Run the demonstration: world, fleet and monitor together."""
    _be_stoppable()
    _need('what shows a swarm', VIEW, "'.[view]'")
    from leader_election.demo.main import main
    sys.exit(main())


def lab() -> None:
    """Run the laboratory."""
    # What is stopped has not done what it was asked for; a shell calls that 130.
    signal.signal(signal.SIGINT, lambda number, frame: os._exit(130))
    _need('the laboratory', LABORATORY, "'.[lab]'")
    from leader_election.lab.main import main
    sys.exit(main())


def gazebo_world() -> None:
    """Write a swarm's world file for Gazebo, and the bridge's YAML."""
    _be_stoppable()
    from leader_election.gazebo.main import main
    sys.exit(main())
