"""Parameters: each is declared once, with type, default, range, unit and description."""

from leader_election.parameters.parameter import (
    build, parameter, Parameter, ParameterError, REQUIRED_INT, table,
)
from leader_election.parameters.yaml import to_yaml

__all__ = ['Parameter', 'ParameterError', 'REQUIRED_INT', 'build', 'parameter', 'table', 'to_yaml']
