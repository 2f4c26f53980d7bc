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

"""The robot's node as a managed one: with the life cycle of https://design.ros2.org."""

from collections.abc import Callable, Sequence
from typing import Any

from leader_election.nodes.declare import Declarations, Declared
from leader_election.nodes.election import Election
from leader_election.nodes.entity_tracker import EntityTracker
from leader_election.nodes.process import run
from leader_election.parameters import ParameterError
from leader_election.robot.parameters import ElectionParameters, ManagedParameters
from rclpy._rclpy_pybind11 import RCLError
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.parameter import Parameter

SUCCESS = TransitionCallbackReturn.SUCCESS


class ManagedElectionNode(LifecycleNode):
    """
    A node that is a robot from configuration to cleanup, and one at work while it is active.

    An inactive robot hears, but runs no round and says nothing, so that its neighbours forget it
    as they forget one that died. Deactivated, it is as it was just after it had been configured:
    what it knew is forgotten, its tasks are closed and made anew, nothing latched is left.
    Parameters that do not change at run time may be changed while it is not configured.

    :ivar election: the robot's wiring; ``None`` while it is not configured.
    """

    def __init__(self, *, namespace: str | None = None, cli_args: Sequence[str] | None = None,
                 use_global_arguments: bool = True,
                 parameter_overrides: list[Parameter] | None = None) -> None:
        """
        Declare the parameters and, by ``autostart``, go to work.

        :raises ParameterError: for parameters that a robot cannot be made of.
        """
        super().__init__(
            'election_node', namespace=namespace, cli_args=cli_args,
            use_global_arguments=use_global_arguments, parameter_overrides=parameter_overrides)
        self.election: Election | None = None
        self._service_change_state.callback = self._refusing(self._service_change_state.callback)
        self._trouble: Exception | None = None
        self._declarations = Declarations(self, fixed=lambda: self.election is not None)
        self.executor_kind = self._declarations.declare(ElectionParameters).values.executor
        self._belongings = EntityTracker(self)
        if Declared(self, ManagedParameters).values.autostart:
            self.trigger_configure()
            if self._trouble is not None:
                self.destroy_node()
                raise self._trouble
            self.trigger_activate()

    def _refusing(self, change: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        """
        Return the service of transitions as one that refuses, and says why.

        rclpy (7.1) raises on a transition that there is not from this state, which would end the
        process.
        """
        def refuse(request: Any, response: Any) -> Any:
            self._trouble = None
            try:
                response = change(request, response)
            except RCLError:
                asked = request.transition.label or request.transition.id
                state = self._state_machine.current_state[1]
                self.get_logger().error(f'no transition {asked} from state {state}')
                response.success = False
            if self._trouble is not None:
                self.get_logger().error(' '.join(str(self._trouble).split()))
            return response
        return refuse

    # The transitions.

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Make the robot, which hears from now on; where that fails all is as before."""
        self._belongings = EntityTracker(self)
        try:
            self.election = Election(self, self._declarations)
        except Exception as error:
            self._trouble = error
            self._free()
            return TransitionCallbackReturn.FAILURE
        return SUCCESS

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Run rounds."""
        assert self.election is not None
        self.election.start()
        return SUCCESS

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop the tasks, fall silent, and be as just configured."""
        self.close()
        self._belongings.drop()
        self.election = Election(self, self._declarations)
        return SUCCESS

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Be as before the configuration."""
        self._free()
        return SUCCESS

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Be nothing any more; the process goes on until it is stopped."""
        self._free()
        return SUCCESS

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Be as before the configuration, after a transition went wrong."""
        self._free()
        return SUCCESS

    def _free(self) -> None:
        self.close()
        self.election = None
        self._belongings.drop()
        self._declarations.withdraw()

    @property
    def failure(self) -> ParameterError | None:
        """What ends the process."""
        return None if self.election is None else self.election.failure

    def close(self) -> None:
        """Stop the tasks; called before the end."""
        if self.election is not None:
            self.election.close()


def main() -> int:
    """Run one robot's managed node until it is stopped; return the exit status."""
    return run(lambda: [ManagedElectionNode()])
