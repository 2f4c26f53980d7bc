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
The node of one robot as a managed node.

Its life cycle is that of https://design.ros2.org/articles/node_lifecycle.html.
"""

from collections.abc import Callable, Iterable
from typing import Any

from leader_election.election.robot.parameters import ElectionParameters, ManagedParameters
from leader_election.ros.nodes.declare import Declarations, Declared, refuse_unknown
from leader_election.ros.nodes.election import announcements, Election, RobotProcess
from leader_election.ros.nodes.process import await_acknowledgements, run
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.node import Node
from rclpy.publisher import Publisher

SUCCESS = TransitionCallbackReturn.SUCCESS


class EntityTracker:
    """
    Tracks the ROS entities created after a point, to destroy them on deactivation.

    These are publishers, subscriptions, timers, clients and services, also those of users' tasks.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._before = {id(entity): entity for entity, _ in self._entities()}

    def destroy_new(self) -> None:
        """Destroy the entities created since, after the acknowledgement of their last messages."""
        new = [(entity, destroy) for entity, destroy in self._entities()
               if id(entity) not in self._before]
        await_acknowledgements(entity for entity, _ in new if isinstance(entity, Publisher))
        for entity, destroy in new:
            destroy(entity)

    def _entities(self) -> Iterable[tuple[Any, Callable[[Any], bool]]]:
        """Yield the entities of the node, each with the function that destroys it."""
        node = self._node
        for kind in 'timer', 'subscription', 'client', 'service', 'publisher':
            for entity in getattr(node, f'{kind}s'):
                yield entity, getattr(node, f'destroy_{kind}')


class ManagedElectionNode(RobotProcess, LifecycleNode):
    """
    The node of one robot, which exists while configured and takes part while active.

    An inactive robot receives, but runs no rounds and sends nothing, so its neighbours forget it
    like a failed robot. Deactivation restores the state after configuration: received messages
    are discarded, tasks are closed and created again, and latched messages are removed.
    Parameters that are fixed at run time may be changed while the node is unconfigured.
    """

    def __init__(self, **options: Any) -> None:
        """
        Declare the parameters; with ``autostart`` configure and activate the node.

        :param options: for ``rclpy.lifecycle.LifecycleNode``.
        :raises ParameterError: with ``autostart``, where the configuration is wrong.
        """
        super().__init__('election_node', **options)
        self._service_change_state.callback = self._reporting(self._service_change_state.callback)
        self._error: Exception | None = None
        refuse_unknown(self, ElectionParameters, ManagedParameters, of_robot=True)
        self._declarations = Declarations(self, fixed=lambda: self.election is not None)
        self._declarations.declare(ElectionParameters)
        self._tracker = EntityTracker(self)
        if Declared(self, ManagedParameters).values.autostart:
            self.trigger_configure()
            if self._error is not None:
                self.destroy_node()
                raise self._error
            self.trigger_activate()

    def _reporting(self, change: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        """
        Return the callback of the service ``change_state`` with errors logged.

        rclpy (7.1) raises on a transition that the current state does not have, which would end
        the process.
        """
        def report(request: Any, response: Any) -> Any:
            self._error = None
            try:
                response = change(request, response)
            except rclpy_implementation.RCLError:
                asked = request.transition.label or request.transition.id
                state = self._state_machine.current_state[1]
                self.get_logger().error(f'no transition {asked} from state {state}')
                response.success = False
            if self._error is not None:
                self.get_logger().error(' '.join(str(self._error).split()))
            return response
        return report

    # The transitions.

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Create the robot, which receives from now on. A failure changes nothing."""
        self._tracker = EntityTracker(self)
        try:
            self.election = Election(self, self._declarations)
        except Exception as error:
            self._error = error
            self._free()
            return TransitionCallbackReturn.FAILURE
        self.get_logger().info(f'configured: {announcements([self.election])[0]}')
        return SUCCESS

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Start the rounds."""
        assert self.election is not None
        self.election.start()
        self.get_logger().info('activated: the robot takes part')
        return SUCCESS

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop the tasks and the rounds, and restore the state after configuration."""
        self.close()
        self._tracker.destroy_new()
        self.election = Election(self, self._declarations)
        self.get_logger().info('deactivated: the robot takes no part')
        return SUCCESS

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Undo the configuration."""
        return self._free('cleaned up: parameters may be changed')

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Undo the configuration. The process runs on until it is stopped."""
        return self._free('shut down')

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Undo the configuration after an error in a transition."""
        return self._free('the configuration is undone after an error in a transition')

    def _free(self, text: str = '') -> TransitionCallbackReturn:
        """Undo the configuration, and log a text."""
        self.close()
        self.election = None
        self._tracker.destroy_new()
        self._declarations.withdraw()
        if text:
            self.get_logger().info(text)
        return SUCCESS


def main() -> int:
    """Run one robot's managed node until it is stopped, and return the exit status."""
    return run(lambda: [ManagedElectionNode()])
