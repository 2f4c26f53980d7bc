"""The parameters that every process which hosts nodes has."""

from dataclasses import dataclass

from leader_election.parameters.parameter import parameter


@dataclass(frozen=True)
class ProcessParameters:
    """How the process runs its nodes."""

    executor: str = parameter(
        'events', 'The executor of the process; events is the faster one, used where rclpy has '
        'it.', choices=lambda: ('events', 'single'))
