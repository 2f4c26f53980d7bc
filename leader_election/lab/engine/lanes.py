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
Eight numbers at a time in compiled code, as processors have them: lanes.

Which of eight lanes something holds of is a mask, an ``int64`` with a bit for each lane, lane 0
lowest. So a row of links is gone through without a branch for each neighbour. Arrays that lanes
are read of, or squeezed into, have room for eight more items behind the last one that is used.
"""

from typing import Any

from leader_election.lab.engine.compilation import inlined
from leader_election.lab.engine.memory import fetch
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel.models import PrimitiveModel
from numba.extending import intrinsic, register_model

LANES = 8
_WORD, _INDEX, _BIT, _BYTE = (ir.IntType(size) for size in (64, 32, 1, LANES))
_DOUBLE = ir.DoubleType()
_BITS = ir.VectorType(_BIT, LANES)
COMPRESS = 20
"""The first version of LLVM that squeezes lanes by itself, in one instruction where there is."""


class Lanes(types.Type):
    """Eight numbers of a type."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        super().__init__(name=f'Lanes({dtype})')


@register_model(Lanes)
class LanesModel(PrimitiveModel):
    """A vector of the processor."""

    def __init__(self, manager: Any, kind: Any) -> None:
        number = manager.lookup(kind.dtype).get_value_type()
        super().__init__(manager, kind, ir.VectorType(number, LANES))


def _all(builder: Any, value: Any) -> Any:
    """Return eight times the same number."""
    kind = ir.VectorType(value.type, LANES)
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), value, ir.Constant(_INDEX, 0))
    return _shuffled(builder, one, one, LANES * [0])


def _read(context: Any, builder: Any, raw: Any, value: Any, k: Any) -> Any:
    """Return eight items of a raw array from one on."""
    data = cgutils.create_struct_proxy(raw)(context, builder, value).data
    place = builder.gep(data, [k])
    kind = ir.VectorType(data.type.pointee, LANES)
    return builder.load(builder.bitcast(place, kind.as_pointer()), align=1)


def _write(context: Any, builder: Any, raw: Any, value: Any, k: Any, numbers: Any) -> None:
    """Write eight items of a raw array from one on."""
    data = cgutils.create_struct_proxy(raw)(context, builder, value).data
    place = builder.bitcast(builder.gep(data, [k]), numbers.type.as_pointer())
    builder.store(numbers, place, align=1)


def _mask(builder: Any, bits: Any) -> Any:
    return builder.zext(builder.bitcast(bits, _BYTE), _WORD)


def _bits(builder: Any, mask: Any) -> Any:
    return builder.bitcast(builder.trunc(mask, _BYTE), _BITS)


def _squared(builder: Any, dx: Any, dy: Any) -> Any:
    return builder.fadd(builder.fmul(dx, dx), builder.fmul(dy, dy))


@intrinsic
def lanes(context: Any, array: Any, k: Any) -> Any:
    """Return eight items of a raw array from one on."""
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _read(context, builder, array, *arguments)
    return Lanes(array.dtype)(array, types.int64), generate


def _points(context: Any, builder: Any, array: Any, raw: Any, device: Any) -> tuple[Any, Any]:
    """Return x and y of eight devices out of a raw array of shape (n, 2)."""
    place = cgutils.create_struct_proxy(array)(context, builder, raw).data
    place = builder.bitcast(place, ir.VectorType(_DOUBLE, 2).as_pointer())
    points = []
    for lane in range(LANES):
        i = builder.zext(builder.extract_element(device, ir.Constant(_INDEX, lane)), _WORD)
        points.append(builder.load(builder.gep(place, [i]), align=8))
    # Two side by side, then four: x, y, x, y, and so on.
    while len(points) > 2:
        points = [_shuffled(builder, one, other, range(2 * one.type.count))
                  for one, other in zip(points[::2], points[1::2])]
    left, right = points
    return (_shuffled(builder, left, right, range(0, 2 * LANES, 2)),
            _shuffled(builder, left, right, range(1, 2 * LANES, 2)))


def _shuffled(builder: Any, one: Any, other: Any, places: Any) -> Any:
    """Return items of two vectors by their places in both."""
    return builder.shuffle_vector(
        one, other, ir.Constant(ir.VectorType(_INDEX, len(places)), list(places)))


@intrinsic
def apart(context: Any, position: Any, neighbour: Any, k: Any, x: Any, y: Any) -> Any:
    """
    Return the squares of the distances from a point to the devices in eight slots.

    :param position: raw, shape (n, 2) [m].
    :param neighbour: raw, the device in each slot; the eight begin with slot k.
    """
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        device = _read(context, builder, neighbour, *arguments[1:3])
        points = _points(context, builder, position, arguments[0], device)
        return _squared(builder, *(builder.fsub(axis, _all(builder, own))
                                   for axis, own in zip(points, arguments[3:])))
    return Lanes(types.float64)(position, neighbour, types.int64, types.float64,
                                types.float64), generate


@intrinsic
def apart_as_known(context: Any, position: Any, error: Any, neighbour: Any, k: Any, x: Any,
                   y: Any) -> Any:
    """Return what :func:`apart` does where positions have errors, shape (n, 2) [m]."""
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        device = _read(context, builder, neighbour, *arguments[2:4])
        points = _points(context, builder, position, arguments[0], device)
        errors = _points(context, builder, error, arguments[1], device)
        return _squared(builder, *(
            builder.fsub(builder.fadd(axis, off), _all(builder, own))
            for axis, off, own in zip(points, errors, arguments[4:])))
    return Lanes(types.float64)(position, error, neighbour, types.int64, types.float64,
                                types.float64), generate


@intrinsic
def apart_in_line(context: Any, u: Any, v: Any, k: Any, x: Any, y: Any) -> Any:
    """Return the squares of the distances from a point to eight others that lie side by side."""
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        us, vs, k, x, y = arguments
        return _squared(
            builder, builder.fsub(_read(context, builder, u, us, k), _all(builder, x)),
            builder.fsub(_read(context, builder, v, vs, k), _all(builder, y)))
    return Lanes(types.float64)(u, v, types.int64, types.float64, types.float64), generate


@intrinsic
def roots(context: Any, numbers: Any, least: Any) -> Any:
    """Return the square roots, but none below the least."""
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number, least = arguments[0], _all(builder, arguments[1])
        function = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(number.type, (number.type,)),
            f'llvm.sqrt.v{LANES}f64')
        root = builder.call(function, (number,))
        return builder.select(builder.fcmp_ordered('>', least, root), least, root)
    return numbers(numbers, types.float64), generate


@intrinsic
def at_most(context: Any, numbers: Any, limit: Any) -> Any:
    """Return the mask of the lanes that are not above a limit."""
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _mask(builder, builder.fcmp_ordered(
            '<=', arguments[0], _all(builder, arguments[1])))
    return types.int64(numbers, types.float64), generate


@intrinsic
def has(context: Any, numbers: Any, number: Any) -> Any:
    """Return the mask of the lanes that are equal to a number."""
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _mask(builder, builder.icmp_unsigned(
            '==', arguments[0], _all(builder, arguments[1])))
    return types.int64(numbers, numbers.dtype), generate


@intrinsic
def flagged(context: Any, flags: Any, which: Any) -> Any:
    """Return the mask of the lanes in which a flag, of one bit, is set."""
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        one = _all(builder, builder.trunc(arguments[1], arguments[0].type.element))
        return _mask(builder, builder.icmp_unsigned(
            '!=', builder.and_(arguments[0], one), ir.Constant(one.type, None)))
    return types.int64(flags, types.int64), generate


@intrinsic
def addresses(context: Any, rows: Any, begin: Any, size: Any) -> Any:
    """Return the addresses of eight rows, by their numbers."""
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number = builder.zext(arguments[0], ir.VectorType(_WORD, LANES))
        return builder.add(builder.mul(number, _all(builder, arguments[2])),
                           _all(builder, arguments[1]))
    return Lanes(types.int64)(rows, types.int64, types.int64), generate


@intrinsic
def choose(context: Any, mask: Any, one: Any, other: Any) -> Any:
    """Return the first of two in the lanes of a mask, and the second in the others."""
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.select(_bits(builder, arguments[0]), *arguments[1:])
    return one(types.int64, one, other), generate


@intrinsic
def squeeze(context: Any, numbers: Any, mask: Any, array: Any, k: Any) -> Any:
    """
    Write the lanes of a mask side by side into a raw array, from item k on.

    Up to eight items are written, of which those behind the last lane are of no meaning.
    """
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number, mask, raw, k = arguments
        bits = _bits(builder, mask)
        if binding.llvm_version_info[0] >= COMPRESS:
            short = f'v{LANES}{"f" if numbers.dtype == types.float64 else "i"}' \
                f'{numbers.dtype.bitwidth}'
            function = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(number.type, (number.type, _BITS, number.type)),
                f'llvm.experimental.vector.compress.{short}')
            _write(context, builder, array, raw, k, builder.call(
                function, (number, bits, ir.Constant(number.type, ir.Undefined))))
        else:
            data = cgutils.create_struct_proxy(array)(context, builder, raw).data
            for lane in range(LANES):
                item = ir.Constant(_INDEX, lane)
                builder.store(builder.extract_element(number, item), builder.gep(data, [k]))
                k = builder.add(k, builder.zext(builder.extract_element(bits, item), _WORD))
        return context.get_dummy_value()
    return types.void(numbers, types.int64, array, types.int64), generate


@inlined
def first_lanes(number):
    """Return the mask of so many lanes from the first one on, at least one; at most all."""
    return (1 << min(number, LANES)) - 1


@intrinsic
def lowest(context: Any, mask: Any) -> Any:
    """Return the first lane of a mask that is not zero."""
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(_BIT, 1))
    return types.int64(types.int64), generate


@intrinsic
def how_many(context: Any, mask: Any) -> Any:
    """Return the number of lanes of a mask."""
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])
    return types.int64(types.int64), generate


@intrinsic
def prefetch(context: Any, array: Any, i: Any) -> Any:
    """Let the processor fetch an item, or the beginning of a row, of a raw array."""
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        raw = cgutils.create_struct_proxy(array)(context, builder, arguments[0])
        place = builder.gep(raw.data, [builder.mul(arguments[1], raw.width)])
        fetch(builder, place)
        return context.get_dummy_value()
    return types.void(array, types.int64), generate
