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

"""Entry of the demonstration."""

import os
import sys

from leader_election.demo.options import parse
from leader_election.nodes.process import USAGE_ERROR
from leader_election.parameters import ParameterError
import rclpy
from rclpy.signals import SignalHandlerOptions


def main() -> int:
    """Run the demonstration that the command line asks for; return the exit status."""
    options = parse()
    # A demonstration stays on its machine, unless the user says otherwise.
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    from leader_election.demo.logs import LogsDemo
    from leader_election.demo.swarm import SwarmDemo
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    try:
        return (LogsDemo if options.logs else SwarmDemo)(options).run()
    except ParameterError as error:
        print(f'error: {error}', file=sys.stderr)
        return USAGE_ERROR
    finally:
        rclpy.try_shutdown()
