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
Vector operations in compiled code, on eight numbers (lanes) at a time.

A condition on eight lanes is a mask: an ``int64`` with one bit per lane, lane 0 lowest. With masks
a row of links is processed without a branch per neighbour. Arrays from which lanes are loaded, or
into which they are stored, need eight entries after the last one in use (``WIDE`` for
:func:`entries_equal`).
"""

from typing import Any

from leader_election.lab.engine.compilation import inlined
from leader_election.lab.engine.memory import emit_prefetch
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel.models import PrimitiveModel
from numba.extending import intrinsic, register_model

LANES = 8
WIDE = 2 * LANES
"""The number of entries of 32 bits that are as long as eight of 64."""
_WORD, _INDEX, _BIT, _BYTE = (ir.IntType(size) for size in (64, 32, 1, LANES))
_DOUBLE = ir.DoubleType()
_BITS = ir.VectorType(_BIT, LANES)
COPIED = 4
"""The number of words of each row that :func:`copy_columns` copies."""
COMPRESS_VERSION = 20
"""The first version of LLVM with an intrinsic for :func:`compress_store`."""


class Lanes(types.Type):
    """The numba type of a vector of eight numbers."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        super().__init__(name=f'Lanes({dtype})')


@register_model(Lanes)
class LanesModel(PrimitiveModel):
    """The data model of :class:`Lanes`: an LLVM vector."""

    def __init__(self, manager: Any, kind: Any) -> None:
        number = manager.lookup(kind.dtype).get_value_type()
        super().__init__(manager, kind, ir.VectorType(number, LANES))


def _broadcast(builder: Any, value: Any, lanes: int = LANES) -> Any:
    """Return a vector of equal numbers."""
    kind = ir.VectorType(value.type, lanes)
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), value, ir.Constant(_INDEX, 0))
    return _shuffle(builder, one, one, lanes * [0])


def _load(context: Any, builder: Any, raw: Any, value: Any, k: Any, lanes: int = LANES) -> Any:
    """Return consecutive entries of a raw array, from entry k on."""
    data = cgutils.create_struct_proxy(raw)(context, builder, value).data
    place = builder.gep(data, [k])
    kind = ir.VectorType(data.type.pointee, lanes)
    return builder.load(builder.bitcast(place, kind.as_pointer()), align=1)


def _store(context: Any, builder: Any, raw: Any, value: Any, k: Any, numbers: Any) -> None:
    """Write eight consecutive entries of a raw array, from entry k on."""
    data = cgutils.create_struct_proxy(raw)(context, builder, value).data
    place = builder.bitcast(builder.gep(data, [k]), numbers.type.as_pointer())
    builder.store(numbers, place, align=1)


def _mask_of(builder: Any, bits: Any) -> Any:
    return builder.zext(builder.bitcast(bits, _BYTE), _WORD)


def _bits_of(builder: Any, mask: Any) -> Any:
    return builder.bitcast(builder.trunc(mask, _BYTE), _BITS)


def _sum_of_squares(builder: Any, dx: Any, dy: Any) -> Any:
    return builder.fadd(builder.fmul(dx, dx), builder.fmul(dy, dy))


@intrinsic
def load_lanes(context: Any, array: Any, k: Any) -> Any:
    """Return eight consecutive entries of a raw array, from entry k on."""
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _load(context, builder, array, *arguments)
    return Lanes(array.dtype)(array, types.int64), generate


def _gather_points(
    context: Any, builder: Any, array: Any, raw: Any, device: Any,
) -> tuple[Any, Any]:
    """Return the x and the y of eight devices, from a raw array of shape (n, 2)."""
    place = cgutils.create_struct_proxy(array)(context, builder, raw).data
    place = builder.bitcast(place, ir.VectorType(_DOUBLE, 2).as_pointer())
    points = []
    for lane in range(LANES):
        i = builder.zext(builder.extract_element(device, ir.Constant(_INDEX, lane)), _WORD)
        points.append(builder.load(builder.gep(place, [i]), align=8))
    # Concatenate pairs, then fours: x, y, x, y and so on.
    while len(points) > 2:
        points = [_shuffle(builder, one, other, range(2 * one.type.count))
                  for one, other in zip(points[::2], points[1::2])]
    left, right = points
    return (_shuffle(builder, left, right, range(0, 2 * LANES, 2)),
            _shuffle(builder, left, right, range(1, 2 * LANES, 2)))


def _shuffle(builder: Any, one: Any, other: Any, places: Any) -> Any:
    """Return entries of two concatenated vectors, by their indices."""
    return builder.shuffle_vector(
        one, other, ir.Constant(ir.VectorType(_INDEX, len(places)), list(places)))


@intrinsic
def squared_distances(context: Any, position: Any, neighbour: Any, k: Any, x: Any, y: Any) -> Any:
    """
    Return the squared distances between a point and the devices in eight slots.

    :param position: raw, shape (n, 2) [m].
    :param neighbour: raw, the device in each slot; the first of the eight is slot k.
    """
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        device = _load(context, builder, neighbour, *arguments[1:3])
        points = _gather_points(context, builder, position, arguments[0], device)
        return _sum_of_squares(builder, *(
            builder.fsub(axis, _broadcast(builder, own))
            for axis, own in zip(points, arguments[3:])))
    return Lanes(types.float64)(position, neighbour, types.int64, types.float64,
                                types.float64), generate


@intrinsic
def estimated_squared_distances(context: Any, position: Any, error: Any, neighbour: Any, k: Any,
                                x: Any, y: Any) -> Any:
    """Return :func:`squared_distances` to ``position + error``; ``error`` as ``position``."""
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        device = _load(context, builder, neighbour, *arguments[2:4])
        points = _gather_points(context, builder, position, arguments[0], device)
        errors = _gather_points(context, builder, error, arguments[1], device)
        return _sum_of_squares(builder, *(
            builder.fsub(builder.fadd(axis, off), _broadcast(builder, own))
            for axis, off, own in zip(points, errors, arguments[4:])))
    return Lanes(types.float64)(position, error, neighbour, types.int64, types.float64,
                                types.float64), generate


@intrinsic
def contiguous_squared_distances(context: Any, u: Any, v: Any, k: Any, x: Any, y: Any) -> Any:
    """Return the squared distances between a point and the points k to k + 7 of two arrays."""
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        us, vs, k, x, y = arguments
        return _sum_of_squares(
            builder, builder.fsub(_load(context, builder, u, us, k), _broadcast(builder, x)),
            builder.fsub(_load(context, builder, v, vs, k), _broadcast(builder, y)))
    return Lanes(types.float64)(u, v, types.int64, types.float64, types.float64), generate


@intrinsic
def square_roots(context: Any, numbers: Any, least: Any) -> Any:
    """Return the square roots, or ``least`` where it is larger."""
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number, least = arguments[0], _broadcast(builder, arguments[1])
        function = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(number.type, (number.type,)),
            f'llvm.sqrt.v{LANES}f64')
        root = builder.call(function, (number,))
        return builder.select(builder.fcmp_ordered('>', least, root), least, root)
    return numbers(numbers, types.float64), generate


@intrinsic
def lanes_at_most(context: Any, numbers: Any, limit: Any) -> Any:
    """Return the mask of the lanes that are at most a limit."""
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _mask_of(builder, builder.fcmp_ordered(
            '<=', arguments[0], _broadcast(builder, arguments[1])))
    return types.int64(numbers, types.float64), generate


@intrinsic
def entries_equal(context: Any, array: Any, k: Any, number: Any) -> Any:
    """Return the mask of the entries equal to a number, among ``WIDE`` entries from k on."""
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        raw, k, number = arguments
        entries = _load(context, builder, array, raw, k, WIDE)
        equal = builder.icmp_unsigned('==', entries, _broadcast(builder, number, WIDE))
        return builder.zext(builder.bitcast(equal, ir.IntType(WIDE)), _WORD)
    return types.int64(array, types.int64, array.dtype), generate


@intrinsic
def lanes_with_flag(context: Any, flags: Any, which: Any) -> Any:
    """Return the mask of the lanes in which a flag (one bit) is set."""
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        one = _broadcast(builder, builder.trunc(arguments[1], arguments[0].type.element))
        return _mask_of(builder, builder.icmp_unsigned(
            '!=', builder.and_(arguments[0], one), ir.Constant(one.type, None)))
    return types.int64(flags, types.int64), generate


@intrinsic
def row_addresses(context: Any, rows: Any, begin: Any, size: Any) -> Any:
    """Return the addresses of eight rows of ``size`` bytes, by index; row 0 is at ``begin``."""
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        # Factors known to have 32 bits: a product of 64-bit factors takes three times as long.
        number = builder.zext(arguments[0], ir.VectorType(_WORD, LANES))
        size = builder.zext(builder.trunc(arguments[2], _INDEX), _WORD)
        return builder.add(builder.mul(number, _broadcast(builder, size)),
                           _broadcast(builder, arguments[1]))
    return Lanes(types.int64)(rows, types.int64, types.int64), generate


@intrinsic
def copy_columns(context: Any, rows: Any, place: Any, columns: Any, length: Any, m: Any) -> Any:
    """
    Copy ``COPIED`` consecutive words of eight rows into columns.

    :param rows: the address of an array of addresses of rows; the first of the eight is entry m.
    :param place: the first of the words in a row.
    :param columns: the address of the columns of all words; each is ``length`` bytes long.
    :param m: the entry of the columns that the first row is copied to.
    """
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        rows, place, columns, length, m = arguments
        words = ir.VectorType(_WORD, COPIED)

        def pointer(address: Any, index: Any, kind: Any) -> Any:
            return builder.bitcast(builder.gep(
                builder.inttoptr(address, _WORD.as_pointer()), [index]), kind.as_pointer())
        loaded = []
        for lane in range(LANES):
            entry = builder.add(m, ir.Constant(_WORD, lane))
            row = builder.load(pointer(rows, entry, _WORD))
            loaded.append(builder.load(pointer(row, place, words), align=8))
        pairs = [_shuffle(builder, one, other, range(LANES))
                 for one, other in zip(loaded[::2], loaded[1::2])]
        for q in range(0, COPIED, 2):
            # Two columns of rows 0 to 3, and of rows 4 to 7.
            low, high = (_shuffle(builder, one, other, [
                COPIED * row + word for word in (q, q + 1) for row in range(4)])
                for one, other in zip(pairs[::2], pairs[1::2]))
            for k in range(2):
                column = _shuffle(builder, low, high, [
                    LANES * half + 4 * k + row for half in range(2) for row in range(4)])
                begin = builder.add(columns, builder.mul(
                    length, builder.add(place, ir.Constant(_WORD, q + k))))
                builder.store(column, pointer(begin, m, column.type), align=8)
        return context.get_dummy_value()
    return types.void(*5 * [types.int64]), generate


@intrinsic
def select(context: Any, mask: Any, one: Any, other: Any) -> Any:
    """Return ``one`` in the lanes of a mask, and ``other`` in the other lanes."""
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.select(_bits_of(builder, arguments[0]), *arguments[1:])
    return one(types.int64, one, other), generate


@intrinsic
def compress_store(context: Any, numbers: Any, mask: Any, array: Any, k: Any) -> Any:
    """
    Write the lanes of a mask contiguously into a raw array, from entry k on.

    Entries after the last lane of the mask, up to the eighth, are overwritten with lanes, too.
    """
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number, mask, raw, k = arguments
        bits = _bits_of(builder, mask)
        if binding.llvm_version_info[0] >= COMPRESS_VERSION:
            short = f'v{LANES}{"f" if numbers.dtype == types.float64 else "i"}' \
                f'{numbers.dtype.bitwidth}'
            function = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(number.type, (number.type, _BITS, number.type)),
                f'llvm.experimental.vector.compress.{short}')
            # The lanes that are left over are devices, too: later loads follow them.
            _store(context, builder, array, raw, k, builder.call(
                function, (number, bits, number)))
        else:
            data = cgutils.create_struct_proxy(array)(context, builder, raw).data
            for lane in range(LANES):
                item = ir.Constant(_INDEX, lane)
                builder.store(builder.extract_element(number, item), builder.gep(data, [k]))
                k = builder.add(k, builder.zext(builder.extract_element(bits, item), _WORD))
        return context.get_dummy_value()
    return types.void(numbers, types.int64, array, types.int64), generate


@inlined
def first_lanes(number, lanes=LANES):
    """Return the mask of the first ``number`` of ``lanes`` lanes, at least 1; of all if more."""
    return (1 << min(number, lanes)) - 1


@intrinsic
def lowest_lane(context: Any, mask: Any) -> Any:
    """Return the index of the lowest lane of a mask, which is not zero."""
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(_BIT, 1))
    return types.int64(types.int64), generate


@intrinsic
def count_lanes(context: Any, mask: Any) -> Any:
    """Return the number of lanes in a mask."""
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])
    return types.int64(types.int64), generate


@intrinsic
def prefetch(context: Any, array: Any, i: Any) -> Any:
    """Prefetch an entry of a raw array into the cache, or the beginning of a row."""
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        raw = cgutils.create_struct_proxy(array)(context, builder, arguments[0])
        place = builder.gep(raw.data, [builder.mul(arguments[1], raw.width)])
        emit_prefetch(builder, place)
        return context.get_dummy_value()
    return types.void(array, types.int64), generate
