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
The declaration of parameters on a node, with checked changes at run time.

Parameters that a node does not have are refused, or warned of, with the one that is meant.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from itertools import pairwise
import re
import sys
from typing import Any, Generic, TypeVar

from leader_election.election.messages.codec import MAIN
from leader_election.election.robot import parameters as robots
from leader_election.election.robot.parameters import ElectionParameters, InstanceParameters
from leader_election.parameters import (
    build,
    did_you_mean,
    names_in,
    Parameter,
    parameter_files,
    ParameterError,
    table,
)
from leader_election.parameters.files import LEADING_ZERO
from rcl_interfaces import msg
from rcl_interfaces.msg import SetParametersResult
from rclpy import exceptions
from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter

T = TypeVar('T')
P = TypeVar('P', bound=InstanceParameters)

NO_DEFAULTS: Mapping[str, Any] = {}
_TYPES: dict[Any, RosParameter.Type] = {
    bool: RosParameter.Type.BOOL, int: RosParameter.Type.INTEGER,
    float: RosParameter.Type.DOUBLE, str: RosParameter.Type.STRING,
    tuple[float, ...]: RosParameter.Type.DOUBLE_ARRAY,
    tuple[str, ...]: RosParameter.Type.STRING_ARRAY}


class Declared(Generic[T]):
    """
    A node's parameters, checked.

    :ivar values: the current values, as their dataclass.
    """

    def __init__(self, node: Node, parameters: type[T],
                 changed: Callable[[T], None] | None = None, prefix: str = '',
                 fixed: Callable[[], bool] | None = None,
                 defaults: Mapping[str, Any] = NO_DEFAULTS) -> None:
        """
        Declare all fields of a dataclass of parameters.

        :param changed: called with the new values after a change at run time.
        :param prefix: the prefix of their names on the node, for example ``rescue.``.
        :param fixed: returns whether parameters that are not dynamic are fixed now, by default
            they always are.
        :param defaults: other defaults than those of the declarations, by name.
        :raises ParameterError: for a value of the wrong type or out of range.
        """
        self._node = node
        self._parameters = parameters
        self._prefix = prefix
        self._table = {
            p.name: replace(p, default=defaults.get(p.name.removeprefix(prefix), p.default))
            for p in table(parameters, prefix)}
        self._fixed = fixed
        self.changed = changed
        self.check: Callable[[T], None] | None = None
        """Raises a :class:`ParameterError` for new values that are refused at run time."""
        self.values: T = self._build({
            name: _declare(node, p, fixed is None) for name, p in self._table.items()})
        node.add_on_set_parameters_callback(self._check)
        node.add_post_set_parameters_callback(self._set)

    def _build(self, given: Mapping[str, Any]) -> T:
        short = {name.removeprefix(self._prefix): value for name, value in given.items()}
        try:
            return build(self._parameters, short)
        except ParameterError as error:
            raise error.named(f'{self._prefix}{error.name}') from None

    def _merged(self, changes: list[Any]) -> T | None:
        """Return the values after changes, ``None`` if none is of this set."""
        ours = {each.name: each.value for each in changes if each.name in self._table}
        now = {name: getattr(self.values, name.removeprefix(self._prefix)) for name in self._table}
        return self._build({**now, **ours}) if ours else None

    def _check(self, changes: list[Any]) -> SetParametersResult:
        try:
            for each in changes if self._fixed is not None and self._fixed() else ():
                if each.name in self._table and not self._table[each.name].dynamic:
                    raise ParameterError(each.name, problem=': it is fixed while the node is '
                                         'configured; clean the node up first')
            merged = self._merged(changes)
            if merged is not None and self.check is not None:
                self.check(merged)
        except ParameterError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _set(self, changes: list[Any]) -> None:
        merged = self._merged(changes)
        if merged is not None:
            self.values = merged
            if self.changed is not None:
                self.changed(merged)

    def withdraw(self) -> None:
        """Undeclare the parameters, not possible for read-only ones."""
        self._node.remove_on_set_parameters_callback(self._check)
        self._node.remove_post_set_parameters_callback(self._set)
        for name in self._table:
            self._node.undeclare_parameter(name)


class Declarations:
    """
    The sets of parameters of one node, by their dataclass and prefix.

    A set that is declared again keeps its values. Only the callback for changes is replaced.
    """

    def __init__(self, node: Node, fixed: Callable[[], bool] | None = None,
                 defaults: Mapping[str, Any] = NO_DEFAULTS) -> None:
        """
        Begin without any set.

        :param fixed: as :class:`Declared` takes it.
        :param defaults: as :class:`Declared` takes them, for sets without a prefix.
        """
        self._node = node
        self._defaults = defaults
        self._fixed = fixed
        self._made: dict[tuple[str, type], Declared[Any]] = {}

    def declare(self, parameters: type[T], changed: Callable[[T], None] | None = None,
                prefix: str = '') -> Declared[T]:
        """
        Declare a set of parameters.

        :raises ParameterError: for a value of the wrong type or out of range.
        """
        key = (prefix, parameters)
        if key not in self._made:
            self._made[key] = Declared(
                self._node, parameters, changed, prefix, self._fixed,
                NO_DEFAULTS if prefix else self._defaults)
        self._made[key].changed = changed
        return self._made[key]

    def withdraw(self) -> None:
        """Undeclare all sets with a prefix. The node's own parameters stay."""
        for key in [key for key in self._made if key[0]]:
            self._made.pop(key).withdraw()
        for declared in self._made.values():
            declared.changed = declared.check = None


def declare_instances(
    declarations: Declarations, parameters: ElectionParameters,
    changed: Callable[[str, InstanceParameters], None],
) -> dict[str, Declared[InstanceParameters]]:
    """
    Declare the parameters of all further instances, each under ``<instance>.``.

    :param changed: called with an instance's name and its new values after a change at run time.
    :raises ParameterError: for an invalid or a duplicate name.
    """
    found: dict[str, Declared[InstanceParameters]] = {}
    for name in names_in(parameters.instances):
        # Names become part of topic and parameter names.
        if not re.fullmatch(r'[a-z][a-z0-9_]*', name) or name == MAIN or name in found:
            raise ParameterError('instances', name, 'different names of small letters, digits and '
                                 f'_, none of them {MAIN}')
        found[name] = declarations.declare(InstanceParameters, partial(changed, name), f'{name}.')
    return found


def with_own_parameters(declarations: Declarations, values: P, changed: Callable[[], None],
                        prefix: str = '') -> P:
    """
    Return the parameters of a robot or an instance, with those of what it chooses.

    The parameters of the chosen algorithm, strength source and metric are declared under their
    names, for example ``greedy.margin``.

    :param changed: called after one of them has changed at run time.
    :param prefix: the prefix of the instance's parameters.
    :raises ParameterError: for a value of the wrong type or out of range.
    """
    entries = robots.chosen_entries(vars(values), '')
    names = [entry.name for entry in entries]
    for name in names:
        if names.count(name) > 1:
            raise ParameterError('algorithm', problem=f': {name!r} is not allowed beside a '
                                 'metric or a strength source of the same name, since both have '
                                 'parameters of their own; rename one')
    own = {entry.name: declarations.declare(
        entry.parameters, lambda _: changed(), prefix + robots.prefix_of(entry)).values
        for entry in entries}
    return replace(values, own=own) if own else values


def declare_all(node: Node, parameters: type[T]) -> Declared[T]:
    """
    Declare the parameters of a node that has one set of them.

    :raises ParameterError: for an unknown name, a value of the wrong type or out of range.
    """
    refuse_unknown(node, parameters)
    return Declared(node, parameters)


def overrides(values: Mapping[str, Any]) -> list[Any]:
    """Return values by name as a node takes them for ``parameter_overrides``."""
    return [RosParameter(name, value=value) for name, value in values.items()]


def _declare(node: Node, p: Parameter, for_good: bool) -> Any:
    """
    Declare one parameter, checked, and return its value.

    :param for_good: whether it becomes read-only, unless it is dynamic.
    """
    descriptor = _descriptor(p)
    descriptor.read_only = for_good and not p.dynamic
    default = _ros(p, p.check(p.default)) if not p.required else _TYPES[p.type]
    try:
        given = node.declare_parameter(p.name, default, descriptor).value
    except (exceptions.InvalidParameterTypeException, exceptions.InvalidParameterValueException):
        # Read the given value in any type: an integer is valid for a float, and other errors
        # get the package's own text.
        node.declare_parameter(p.name, None, msg.ParameterDescriptor(dynamic_typing=True))
        given = node.get_parameter(p.name).value
        node.undeclare_parameter(p.name)
        node.declare_parameter(p.name, _ros(p, p.check(given)), descriptor, ignore_override=True)
    if given is None and p.required:
        raise ParameterError(p.name, problem=f' is missing; it takes {p.allowed()}'
                             + other_sections(node.get_fully_qualified_name()))
    return p.check(p.default if given is None else given)


def _ros(p: Parameter, value: Any) -> Any:
    """Return a value as rclpy takes it. An empty array keeps its type."""
    listed = list(value) if isinstance(value, tuple) else value
    return RosParameter(p.name, _TYPES[p.type], listed).value


def _descriptor(p: Parameter) -> msg.ParameterDescriptor:
    descriptor = msg.ParameterDescriptor(
        description=p.description, additional_constraints=f'takes {p.allowed()}')
    if p.type is float and p.lower is not None:
        upper = float('inf') if p.upper is None else float(p.upper)
        descriptor.floating_point_range = [
            msg.FloatingPointRange(from_value=float(p.lower), to_value=upper)]
    if p.type is int and p.lower is not None and p.upper is not None:
        descriptor.integer_range = [
            msg.IntegerRange(from_value=int(p.lower), to_value=int(p.upper), step=1)]
    return descriptor


_OF_RCLPY = re.compile(r'use_sim_time|start_type_description_service|qos_overrides\..*')


def refuse_unknown(node: Node, *sets: type, of_robot: bool = False) -> None:
    """
    Refuse parameters that are given to a node and that it does not have.

    Several nodes may share a file with a section for all, ``/**``: there, and where a launch file
    sets a parameter for all nodes, an unknown name is a warning, and none if another node of this
    package has it.

    :param sets: the dataclasses of the node's parameters.
    :param of_robot: whether it is a robot's node, which also has the parameters of instances,
        tasks and plug-ins.
    :raises ParameterError: for the first one of the node's own section, or of its own arguments if
        it resembles a known name. The text names that.
    """
    known = {p.name for each in sets for p in table(each)}
    _name_similar_at_run_time(node, known)
    # rclpy has no public method for what is given beyond what is declared.
    given = {name: each.value for name, each in getattr(node, '_parameter_overrides', {}).items()}
    _refuse_octal(known, given)
    unknown = [name for name in given if name not in known and not _OF_RCLPY.fullmatch(name)]
    if not unknown:
        return
    if of_robot:
        for prefix in ('', *(f'{name}.' for name in names_in(str(given.get('instances', ''))))):
            robots.refuse_unchosen(given, prefix)
    from leader_election.config import FILES
    further = set(robots.further_names(given))
    known |= further if of_robot else set()
    elsewhere = further.union(p.name for each, _ in FILES.values() for p in table(each))
    alone, files = set(_set_alone()), _parameter_files()
    in_files = {name for path in files for _, section in parameter_files.all_sections(path)
                for name in parameter_files.flatten(section)}
    full_name = node.get_fully_qualified_name()
    own = {name for path in files for name in parameter_files.own_names(path, full_name)}
    for name in unknown:
        if name in known or name in elsewhere and name not in alone | own:
            continue
        hint = _HINTS.get(name) or did_you_mean(name, known).rstrip()
        text = f'parameter {name} is not known' + (f'; {hint}' if hint else '')
        resembles = name in _HINTS or get_close_matches(name, list(known), 1, _TYPO)
        if name in own or name not in alone | in_files or name in alone and resembles:
            raise ParameterError(text if hint else f'{text}; --help lists those of this node; '
                                 'in a file, /** stands for all nodes')
        node.get_logger().warning(f'{text}; it is passed over')


MOST_SECTIONS = 5
_HINTS = {
    'initial_position': 'did you mean initial_pose?',
    'namespace': 'give a namespace by -r __ns:=/NAME, or the launch argument namespace'}
"""What is meant by names that resemble others more."""
_TYPO = 0.8
"""The least likeness of a misspelt name to the right one, above that to another package's."""


def _refuse_octal(known: Collection[str], given: Mapping[str, Any]) -> None:
    """Refuse numbers with a leading zero, which ROS reads as octal: 010 is 8."""
    for path in _parameter_files():
        parameter_files.all_sections(path)
    for name, text in _set_alone().items():
        if LEADING_ZERO.fullmatch(text) and name in {*known, *robots.further_names(given)}:
            raise ParameterError(name, problem=f': {text} is not allowed: a number with a leading '
                                 'zero is octal in YAML; write it without')


def _name_similar_at_run_time(node: Node, known: Collection[str]) -> None:
    """Let the answer to a change of an unknown parameter, ``ros2 param set``, name a known one."""
    change = node.set_parameters_atomically

    def change_known(parameters: list[RosParameter]) -> SetParametersResult:
        try:
            return change(parameters)
        except exceptions.ParameterNotDeclaredException:
            unknown = next(each.name for each in parameters if each.name not in node._parameters)
            hint = did_you_mean(unknown, {*known, *node._parameters}).rstrip()
            return SetParametersResult(successful=False, reason=(
                f'parameter {unknown} is not known; {hint or "ros2 param list lists all"}'))

    node.set_parameters_atomically = change_known  # type: ignore[assignment, method-assign]


def _parameter_files() -> list[str]:
    """Return the parameter files of the command line."""
    return [word for option, word in pairwise(sys.argv) if option == '--params-file']


def _set_alone() -> dict[str, str]:
    """Return the parameters that the command line sets one by one: texts by name."""
    given = [word for option, word in pairwise(sys.argv) if option in ('-p', '--param')]
    return {word.partition(':=')[0].rpartition(':')[2]: word.partition(':=')[2] for word in given}


def other_sections(node: str) -> str:
    """Return the end of a text on a missing parameter: the nodes that the files are for."""
    sections = {path: parameter_files.sections_of_others(path, node)
                for path in _parameter_files()}
    found = [f'{path} has sections for {", ".join(others[:MOST_SECTIONS])}'
             for path, others in sections.items() if others]
    return f'; this node is {node}, and {"; ".join(found)}' if found else ''
