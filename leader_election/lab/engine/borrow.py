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

"""Arrays that are used without being counted."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


@intrinsic
def borrow(context: Any, value: Any) -> Any:
    """
    Return a tuple of arrays, tuples and numbers whose arrays own nothing; for compiled code only.

    Compiled code counts references to an array wherever it hands it on, by an atomic addition
    that costs more than a device's step. What is borrowed is not counted, and must not outlive
    the call: whoever called still holds the arrays.
    """
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _disowned(context, builder, value, arguments[0])
    return value(value), generate


def _disowned(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = ir.Constant(array.meminfo.type, None)
        array.parent = ir.Constant(array.parent.type, None)
        return array._getvalue()
    if isinstance(kind, types.BaseTuple):
        elements: Any = kind
        for index, element in enumerate(elements.types):
            part = _disowned(context, builder, element, builder.extract_value(value, index))
            value = builder.insert_value(value, part, index)
    return value
