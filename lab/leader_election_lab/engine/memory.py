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
Values at addresses, calls by address, and prefetches, in compiled code.

The types of the engine do not depend on those of an algorithm or a motion, so it is compiled once.
What does depend on them is behind an address: a function, and its constant argument in binary
form. An address is an ``int64`` argument; a constant would keep compiled code from being cached.
The caller keeps alive what addresses refer to.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_WORD, _INDEX, _BYTE = (ir.IntType(size) for size in (64, 32, 8))

ROUND = (types.int64, types.uint32, types.int64, types.int64, types.float64)
"""The parameters of the entry point of a round: its constant argument, the index of the device,
its id, the number of messages, the strength."""
STEP = (types.int64, types.uint32, types.float64, types.uint32)
"""The parameters of the entry point of a step: its constant argument, the index of the device, the
time, and the index of a device that moves later, to prefetch its data."""


@intrinsic
def store(context: Any, value: Any, buffer: Any) -> Any:
    """
    Write the binary form of a value into a buffer, if the buffer is large enough.

    :param buffer: an array of bytes.
    :return: the size of the value [bytes].
    """
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(buffer)(context, builder, arguments[1])
        kind = arguments[0].type
        size = ir.Constant(_WORD, context.get_abi_sizeof(kind))
        with builder.if_then(builder.icmp_signed('<=', size, array.nitems)):
            builder.store(arguments[0], builder.bitcast(array.data, kind.as_pointer()))
        return size
    return types.int64(value, buffer), generate


@intrinsic
def load(context: Any, kind: Any, address: Any) -> Any:
    """
    Return a value that :func:`store` has written; its arrays are without reference counts.

    :param kind: the numba type of the value.
    """
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        written = context.get_value_type(kind.instance_type)
        place = builder.inttoptr(arguments[1], written.as_pointer())
        return _disowned(context, builder, kind.instance_type, _loaded(builder, place, written))
    return kind.instance_type(kind, types.int64), generate


def _loaded(builder: Any, pointer: Any, kind: Any) -> Any:
    """Load field by field: LLVM removes unused loads of numbers, but not of parts of a struct."""
    if isinstance(kind, ir.ArrayType):
        parts = [kind.element] * kind.count
    elif isinstance(kind, ir.LiteralStructType):
        parts = list(kind.elements)
    else:
        return builder.load(pointer)
    value = ir.Constant(kind, ir.Undefined)
    for number, part in enumerate(parts):
        place = builder.gep(pointer, [ir.Constant(_INDEX, 0), ir.Constant(_INDEX, number)],
                            inbounds=True)
        value = builder.insert_value(value, _loaded(builder, place, part), number)
    return value


def _disowned(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, (types.Array, types.NumPyRandomGeneratorType)):
        owned = cgutils.create_struct_proxy(kind)(context, builder, value)
        owned.meminfo = ir.Constant(owned.meminfo.type, None)
        return owned._getvalue()
    if isinstance(kind, types.BaseTuple):
        elements: Any = kind
        for index, element in enumerate(elements.types):
            part = _disowned(context, builder, element, builder.extract_value(value, index))
            value = builder.insert_value(value, part, index)
    return value


@intrinsic
def prefetch(context: Any, value: Any, i: Any) -> Any:
    """Prefetch row i of an array, or of each array in a tuple; the arrays may have fewer rows."""
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte = _BYTE.as_pointer()
        function = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(ir.VoidType(), (byte, _INDEX, _INDEX, _INDEX)),
            'llvm.prefetch.p0')
        whole = isinstance(value, types.Array)
        for k, part in enumerate([value] if whole else value.types):
            if isinstance(part, types.Array) and part.ndim > 0:
                array = context.make_array(part)(context, builder, arguments[0] if whole else
                                                 builder.extract_value(arguments[0], k))
                stride = cgutils.unpack_tuple(builder, array.strides, part.ndim)[0]
                place = builder.inttoptr(builder.add(
                    builder.ptrtoint(array.data, _WORD), builder.mul(arguments[1], stride)), byte)
                # Read access, highest locality, data cache.
                builder.call(function, (place, *(ir.Constant(_INDEX, n) for n in (0, 3, 1))))
        return context.get_dummy_value()
    return types.void(value, types.int64), generate


def _call(*parameter_types: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = context.call_conv.get_function_type(types.none, parameter_types)
        status, _ = context.call_conv.call_function(
            builder, builder.inttoptr(arguments[0], kind.as_pointer()), types.none,
            parameter_types, arguments[1:])
        # Exceptions in the called function are raised by the engine.
        with cgutils.if_unlikely(builder, status.is_error):
            context.call_conv.return_status_propagate(builder, status)
        return context.get_dummy_value()
    return types.void(types.int64, *parameter_types), generate


@intrinsic
def call_round(context: Any, function: Any, argument: Any, i: Any, device: Any, messages: Any,
               strength: Any) -> Any:
    """Call the entry point of a round."""
    return _call(*ROUND)


@intrinsic
def call_step(context: Any, function: Any, argument: Any, i: Any, now: Any, later: Any) -> Any:
    """Call the entry point of a motion's step."""
    return _call(*STEP)
