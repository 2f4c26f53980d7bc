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
Raw memory in compiled code: words at addresses, array views of them, and calls by address.

With addresses, the types of the engine do not depend on those of an algorithm. An address is an
``int64`` argument, so compiled code can be cached on disk; a pointer that is compiled in as a
constant would prevent that. Nothing here checks bounds or counts references: the caller keeps the
arrays alive.
"""

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel.models import StructModel
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, register_model
from numba.np.arrayobj import populate_array

__all__ = ['address_of', 'as_floats', 'borrow', 'call_round', 'call_step', 'float_rows', 'floats',
           'get_float', 'get_int', 'int_rows', 'ints', 'load', 'prefetch_rows', 'set_float',
           'set_int', 'store']

WORD = 8
"""[bytes]."""
_WORD = ir.IntType(64)
_INDEX = ir.IntType(32)
_BYTE = ir.IntType(8)

ROUND = (types.int64, types.int64, types.int64, types.int64, types.float64)
"""The parameters of the entry point of a round: frame, row, id, messages, strength."""
STEP = (types.int64, types.uint32, types.float64, types.uint32)
"""The parameters of the entry point of a step: the motion's state, the index of the device, the
time, and the index of a device that moves later, to prefetch its data."""


def _pointer(builder: Any, address: Any, kind: Any) -> Any:
    return builder.inttoptr(address, kind.as_pointer())


def _reader(result: Any, kind: Any) -> Any:
    @intrinsic
    def read(context: Any, address: Any, index: Any) -> Any:
        """Return a word by its index from an address."""
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.load(builder.gep(_pointer(builder, arguments[0], kind), arguments[1:]))
        return result(types.int64, types.int64), generate
    return read


def _writer(given: Any, kind: Any) -> Any:
    @intrinsic
    def write(context: Any, address: Any, index: Any, value: Any) -> Any:
        """Write a word by its index from an address."""
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            builder.store(arguments[2], builder.gep(
                _pointer(builder, arguments[0], kind), [arguments[1]]))
            return context.get_dummy_value()
        return types.void(types.int64, types.int64, given), generate
    return write


get_int, get_float = _reader(types.int64, _WORD), _reader(types.float64, ir.DoubleType())
set_int, set_float = _writer(types.int64, _WORD), _writer(types.float64, ir.DoubleType())


def _viewer(number: Any, dimensions: int) -> Any:
    kind = types.Array(number, dimensions, 'C')

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(kind)(context, builder)
        size, shape = ir.Constant(_WORD, WORD), list(arguments[1:])
        strides = [size] if dimensions == 1 else [builder.mul(size, shape[1]), size]
        populate_array(array, data=builder.inttoptr(arguments[0], array.data.type), shape=shape,
                       strides=strides, itemsize=size, meminfo=None)
        return array._getvalue()

    if dimensions == 1:
        @intrinsic
        def view(context: Any, address: Any, length: Any) -> Any:
            """Return a view of the words from an address on, shape (length,)."""
            return kind(types.int64, types.int64), generate
    else:
        @intrinsic
        def view(context: Any, address: Any, length: Any, width: Any) -> Any:
            """Return a view of the words from an address on, shape (length, width)."""
            return kind(types.int64, types.int64, types.int64), generate
    return view


ints, int_rows = _viewer(types.int64, 1), _viewer(types.int64, 2)
floats, float_rows = _viewer(types.float64, 1), _viewer(types.float64, 2)


@intrinsic
def address_of(context: Any, array: Any) -> Any:
    """Return the address of the first entry of an array."""
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        make = cgutils.create_struct_proxy(array)
        return builder.ptrtoint(make(context, builder, arguments[0]).data, _WORD)
    return types.int64(array), generate


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
        value = _loaded(builder, _pointer(builder, arguments[1], written), written)
        return _disowned(context, builder, kind.instance_type, value)
    return kind.instance_type(kind, types.int64), generate


@intrinsic
def prefetch_rows(context: Any, value: Any, i: Any) -> Any:
    """Prefetch row i of each array in a tuple; the arrays may have fewer rows."""
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        for k, part in enumerate(value.types):
            if isinstance(part, types.Array) and part.ndim > 0:
                array = context.make_array(part)(
                    context, builder, builder.extract_value(arguments[0], k))
                stride = cgutils.unpack_tuple(builder, array.strides, part.ndim)[0]
                emit_prefetch(builder, builder.inttoptr(builder.add(
                    builder.ptrtoint(array.data, _WORD), builder.mul(arguments[1], stride)),
                    _BYTE.as_pointer()))
        return context.get_dummy_value()
    return types.void(value, types.int64), generate


def emit_prefetch(builder: Any, pointer: Any) -> None:
    """Generate a prefetch instruction; the pointer may be invalid."""
    byte = _BYTE.as_pointer()
    function = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(ir.VoidType(), (byte, _INDEX, _INDEX, _INDEX)),
        'llvm.prefetch.p0')
    # Arguments: read access, highest locality, data cache.
    builder.call(function, (builder.bitcast(pointer, byte), *(
        ir.Constant(_INDEX, number) for number in (0, 3, 1))))


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


WIDTHS = {'error': 2, 'in_flight': 2, 'position': 2, 'row': 2}
"""The widths of matrices that are constants for the compiler, by the name of the field."""


class Raw(types.Type):
    """
    An array of one or two dimensions without reference count.

    It has entries and a length, and no slices. Indices are not checked, and must not be negative.
    """

    def __init__(self, dtype: Any, ndim: int) -> None:
        self.dtype, self.ndim = dtype, ndim
        super().__init__(name=f'Raw({dtype}, {ndim})')


@register_model(Raw)
class RawModel(StructModel):
    """The data model of :class:`Raw`: pointer, number of rows, and entries per row."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, [
            ('data', types.CPointer(kind.dtype)), ('length', types.int64),
            ('width', types.int64)])


def _place(context: Any, builder: Any, kind: Any, raw: Any, index: Any, value: Any) -> Any:
    """Return a pointer to an entry of a raw array."""
    raw = cgutils.create_struct_proxy(kind)(context, builder, raw)
    parts: Any = index
    if isinstance(index, types.BaseTuple):
        parts = [context.cast(builder, builder.extract_value(value, k), part, types.int64)
                 for k, part in enumerate(parts)]
        place = builder.add(builder.mul(parts[0], raw.width), parts[1])
    else:
        place = context.cast(builder, value, index, types.int64)
    return builder.gep(raw.data, [place], inbounds=True)


@infer_global(operator.getitem)
class _GetItem(AbstractTemplate):
    def generic(self, arguments: Any, keywords: Any) -> Any:
        raw, index = arguments
        return signature(raw.dtype, raw, index) if isinstance(raw, Raw) else None


@lower_builtin(operator.getitem, Raw, types.Any)
def _get(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    raw, index = signature.args
    place = _place(context, builder, raw, arguments[0], index, arguments[1])
    return context.unpack_value(builder, raw.dtype, place)


@infer_global(operator.setitem)
class _SetItem(AbstractTemplate):
    def generic(self, arguments: Any, keywords: Any) -> Any:
        raw, index, value = arguments
        return signature(types.void, raw, index, raw.dtype) if isinstance(raw, Raw) else None


@lower_builtin(operator.setitem, Raw, types.Any, types.Any)
def _set(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    raw, index, value = signature.args
    place = _place(context, builder, raw, arguments[0], index, arguments[1])
    context.pack_value(builder, raw.dtype, arguments[2], place)
    return context.get_dummy_value()


@infer_global(len)
class _Len(AbstractTemplate):
    def generic(self, arguments: Any, keywords: Any) -> Any:
        raw, = arguments
        return signature(types.intp, raw) if isinstance(raw, Raw) else None


@lower_builtin(len, Raw)
def _length(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return cgutils.create_struct_proxy(signature.args[0])(context, builder, arguments[0]).length


def _raw_type(kind: Any) -> Any:
    if isinstance(kind, types.Array):
        return Raw(kind.dtype, kind.ndim)
    if isinstance(kind, types.NamedTuple):
        return types.NamedTuple([_raw_type(part) for part in kind.types], kind.instance_class)
    if isinstance(kind, types.NamedUniTuple):
        return types.NamedUniTuple(_raw_type(kind.dtype), kind.count, kind.instance_class)
    return kind


@intrinsic
def borrow(context: Any, value: Any) -> Any:
    """Return the same named tuple with its arrays, also nested ones, as :class:`Raw` arrays."""
    result = _raw_type(value)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _borrowed(context, builder, value, result, arguments[0], '')
    return result(value), generate


def _borrowed(context: Any, builder: Any, kind: Any, result: Any, value: Any, field: str) -> Any:
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        raw = cgutils.create_struct_proxy(result)(context, builder)
        raw.data = array.data
        shape = cgutils.unpack_tuple(builder, array.shape, kind.ndim)
        raw.length = shape[0]
        width = 1 if kind.ndim == 1 else WIDTHS.get(field)
        raw.width = shape[1] if width is None else ir.Constant(_WORD, width)
        return raw._getvalue()
    if isinstance(kind, types.BaseTuple):
        made: Any = context.get_constant_undef(result)
        named: Any = kind
        parts = zip(named.instance_class._fields, named, result)
        for k, (name, one, other) in enumerate(parts):
            part = builder.extract_value(value, k)
            part = _borrowed(context, builder, one, other, part, name)
            made = builder.insert_value(made, part, k)
        return made
    if isinstance(kind, types.NumPyRandomGeneratorType):
        return _disowned(context, builder, kind, value)
    return value


@intrinsic
def as_floats(typing: Any, raw: Any) -> Any:
    """Return a view of a raw array of words as ``float64``."""
    result = Raw(types.float64, raw.ndim)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words = cgutils.create_struct_proxy(raw)(context, builder, arguments[0])
        numbers = cgutils.create_struct_proxy(result)(context, builder)
        numbers.data = builder.bitcast(words.data, numbers.data.type)
        numbers.length, numbers.width = words.length, words.width
        return numbers._getvalue()
    return result(raw), generate


def _disowned(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = ir.Constant(array.meminfo.type, None)
        array.parent = ir.Constant(array.parent.type, None)
        return array._getvalue()
    if isinstance(kind, types.NumPyRandomGeneratorType):
        generator = cgutils.create_struct_proxy(kind)(context, builder, value)
        generator.meminfo = ir.Constant(generator.meminfo.type, None)
        return generator._getvalue()
    if isinstance(kind, types.BaseTuple):
        elements: Any = kind
        for index, element in enumerate(elements.types):
            part = _disowned(context, builder, element, builder.extract_value(value, index))
            value = builder.insert_value(value, part, index)
    return value


def _call(*parameter_types: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = context.call_conv.get_function_type(types.none, parameter_types)
        function = _pointer(builder, arguments[0], kind)
        status, _ = context.call_conv.call_function(
            builder, function, types.none, parameter_types, arguments[1:])
        # Exceptions in the called function are raised by the engine.
        with cgutils.if_unlikely(builder, status.is_error):
            context.call_conv.return_status_propagate(builder, status)
        return context.get_dummy_value()
    return types.void(types.int64, *parameter_types), generate


@intrinsic
def call_round(context: Any, function: Any, frame: Any, row: Any, device: Any, messages: Any,
               strength: Any) -> Any:
    """Call the entry point of a round."""
    return _call(*ROUND)


@intrinsic
def call_step(context: Any, function: Any, motion: Any, i: Any, now: Any, later: Any) -> Any:
    """Call the entry point of a motion's step."""
    return _call(*STEP)
