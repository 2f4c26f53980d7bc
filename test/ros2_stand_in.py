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

"""What ``ros2 param set``, ``topic`` and ``run`` do, where these commands are not installed."""

from collections.abc import Sequence
import os
from pathlib import Path
import shutil
import sys

from leader_election.ros.nodes.process import spin
from leader_election.ros.nodes.qos import STATE
from rcl_interfaces.srv import SetParameters
import rclpy
from rclpy.node import Node
from rclpy.parameter import get_parameter_value, Parameter, parameter_value_to_python
from std_msgs.msg import Int64, String
import yaml


def put_on_path(folder: Path) -> dict[str, str]:
    """
    Return an environment with the commands ``leader_election`` and ``ros2``.

    :param folder: for them where they are not installed. This file stands in for ``ros2``.
    """
    for name, words in {'ros2': __file__, 'leader_election': '-m leader_election'}.items():
        if shutil.which(name) is None:
            command = folder / name
            command.write_text(f'#!/bin/sh\nexec {sys.executable} {words} "$@"\n')
            command.chmod(0o755)
    return {**os.environ, 'PATH': f'{folder}:{Path(sys.executable).parent}:{os.environ["PATH"]}',
            'PYTHONPATH': os.pathsep.join(sys.path)}


def main(words: Sequence[str]) -> None:
    """Obey a command line."""
    if words[:2] == ['run', 'leader_election']:
        os.execv(sys.executable, [sys.executable, '-m', *words[1:]])
    rclpy.init(args=[])
    node = Node('ros2_stand_in')
    if words[:2] == ['param', 'set']:
        name, parameter, text = words[2:]
        client = node.create_client(SetParameters, f'{name}/set_parameters')
        spin([node], client.service_is_ready, deadline=60.0)
        value = parameter_value_to_python(get_parameter_value(text))
        answer = client.call_async(SetParameters.Request(
            parameters=[Parameter(parameter, value=value).to_parameter_msg()]))
        spin([node], answer.done, deadline=60.0)
        (result,) = answer.result().results
        assert result.successful, result.reason
    elif words[:3] == ['topic', 'echo', '--once']:
        heard: list[Int64] = []
        node.create_subscription(Int64, words[-1], heard.append, STATE)
        spin([node], lambda: bool(heard), deadline=60.0)
        print(f'data: {heard[0].data}\n---')
    else:
        command, option, rate, topic, kind, text = words[1:]
        assert (command, option, kind) == ('pub', '--rate', 'std_msgs/msg/String')
        publisher = node.create_publisher(String, topic, 10)
        message = String(**yaml.safe_load(text))
        node.create_timer(1.0 / float(rate), lambda: publisher.publish(message))
        rclpy.spin(node)


if __name__ == '__main__':
    main(sys.argv[1:])
