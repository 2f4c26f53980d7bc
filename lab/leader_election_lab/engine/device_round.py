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
One round of a device: receive, call the algorithm's compiled round, send.

The functions at the top call entry points and read words by their addresses. numba offers no such
operations, so they are made of LLVM instructions.
"""

from typing import Any

from leader_election_lab.engine.compilation import inlined
from leader_election_lab.engine.messages import (
    copy_sent,
    deliver,
    disconnect,
    empty_mailbox,
    is_lost,
    receive_arrived,
    send_delayed,
    store_sent,
)
from leader_election_lab.engine.network import (
    FRESH,
    FRESH_AT_NEIGHBOUR,
    IN_FLIGHT,
    OCCUPIED,
    OLDER,
)
from leader_election_lab.engine.samples import record_round
from leader_election_lab.states import DELIVERED, DEPARTED, EXPIRED, LOST, OVERWRITTEN, SENT
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
import numpy as np

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
    Return a value that :func:`store` has written, whose arrays have no reference counts.

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
    """Prefetch row i of an array, or of each array in a tuple. The arrays may have fewer rows."""
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


@inlined
def run_round(network, medium, entry_points, random, i, now):
    """Run the round of device i that is due now. The pool has room for what it stores."""
    devices, exports, near = network.devices, network.exports, network.workspace.near
    leader_at = network.offsets.leader
    found = find_near(network, medium, i)
    messages, degree = exchange(network, medium, random, i, found, now)
    if not np.isnan(medium.degree_since):
        devices.strength[i] = medium.degree_sign * (degree + 1)
    leader = exports[i, leader_at]
    call_round(entry_points.round, entry_points.parameters, i, devices.id[i], messages,
               devices.strength[i])
    devices.sent[i] = now
    if medium.delay_most > 0.0:
        for p in range(np.uint64(found)):
            send_delayed(network, medium, random, i, near[p], now)
    record_round(network.watch, i, exports[i, leader_at] != leader)


@inlined
def find_near(network, medium, i):
    """
    Find the neighbours of device i that are in range, and empty the links of all others.

    Fills ``near`` and ``square`` of the workspace.

    :return: the number of neighbours in range.
    """
    devices, links, workspace = network.devices, network.links, network.workspace
    position, neighbour, flags = devices.position, links.neighbour, links.flags
    near, square, gone = workspace.near, workspace.square, workspace.gone
    reach_squared = medium.reach * medium.reach
    x, y = position[i, 0], position[i, 1]
    # Unsigned indices, since signed ones are checked.
    first, size = np.uint64(links.row[i, 0]), np.uint64(links.row[i, 1] - links.row[i, 0])
    # A loop of its own, in which a processor computes several distances at once.
    for q in range(size):
        j = neighbour[first + q]
        dx, dy = position[j, 0] - x, position[j, 1] - y
        square[q] = dx * dx + dy * dy
    # Without a branch, since a processor cannot predict which neighbours are in range.
    found, left = np.uint64(0), np.uint64(0)
    for q in range(size):
        k, squared = first + q, square[q]
        inside = np.uint64(squared <= reach_squared)
        near[found], square[found], gone[left] = k, squared, k
        found += inside
        left += np.uint64(flags[k] != 0) & ~inside
    counts = network.watch.counts
    for p in range(left):
        counts[DEPARTED] += disconnect(network, i, gone[p])
    counts[SENT] += np.int64(found)
    return np.int64(found)


@inlined
def exchange(network, medium, random, i, found, now):
    """
    Exchange messages with the neighbours in range, before the round of device i.

    Copies the messages that the round receives into ``heard`` and ``metric``. Without delays, also
    delivers the message that the device sends after the round.

    :param found: the number of neighbours in ``near``.
    :return: the number of messages received. How many of them count where strength is the number
        of neighbours.
    """
    devices, links, workspace = network.devices, network.links, network.workspace
    pool, position, error = network.pool, devices.position, devices.error
    metric, counts, near = workspace.metric, network.watch.counts, workspace.near
    delayed, estimated = medium.delay_most > 0.0, medium.estimated
    lossy = medium.loss > 0.0 or len(links.loss) > 0
    timed = medium.expiry < np.inf or not np.isnan(medium.degree_since)
    trusted_squared = medium.trusted * medium.trusted
    messages, degree, lost, filled = np.uint64(0), 0, 0, 0
    if not (delayed or lossy or timed or estimated) and trusted_squared == np.inf:
        # Most networks. Nearly all neighbours have the latest message, and the device has theirs.
        settled = np.uint8(FRESH | FRESH_AT_NEIGHBOUR)
        for p in range(np.uint64(found)):
            k = near[p]
            flags = links.flags[k]
            metric[messages] = measured(medium, workspace.square[p])
            copy_sent(network.offsets, network.exports, links.neighbour[k], workspace.heard,
                      messages)
            if flags == settled:
                messages += np.uint64(1)
                continue
            if flags & OLDER:
                copy_sent(network.offsets, pool.exports, links.pool_index[k], workspace.heard,
                          messages)
            messages += np.uint64(flags & OCCUPIED != 0)
            if not flags & FRESH_AT_NEIGHBOUR:
                filled += deliver(links, pool, k)
        counts[DELIVERED] += found
        counts[OVERWRITTEN] += found - filled
        return np.int64(messages), degree
    if delayed and not (timed or estimated) and trusted_squared == np.inf:
        for p in range(np.uint64(found)):
            k = near[p]
            metric[messages] = measured(medium, workspace.square[p])
            flags = links.flags[k]
            if flags & IN_FLIGHT:
                flags = receive_arrived(network, k, now)
            if flags & OLDER:
                copy_sent(network.offsets, pool.exports, links.pool_index[k], workspace.heard,
                          messages)
                messages += np.uint64(1)
        return np.int64(messages), degree
    x, y = position[i, 0] + error[i, 0], position[i, 1] + error[i, 1]
    for p in range(np.uint64(found)):
        k, squared = near[p], workspace.square[p]
        j, flags = links.neighbour[k], links.flags[k]
        if flags & IN_FLIGHT:
            flags = receive_arrived(network, k, now)
        if estimated:
            # The true distance decides about reception. The algorithm gets the estimated one.
            dx, dy = position[j, 0] + error[j, 0] - x, position[j, 1] + error[j, 1] - y
            squared = dx * dx + dy * dy
        useful = flags & OCCUPIED != 0
        if timed and useful:
            since = devices.sent[j] if flags & FRESH else pool.time[links.pool_index[k]]
            if not (medium.expiry == np.inf or now - since <= medium.expiry):
                counts[EXPIRED] += 1
                empty_mailbox(links, pool, k)
                useful = False
            else:
                degree += since >= medium.degree_since and squared <= trusted_squared
        if useful and squared <= trusted_squared:
            metric[messages] = measured(medium, squared)
            if flags & FRESH:
                copy_sent(network.offsets, network.exports, j, workspace.heard, messages)
            else:
                copy_sent(network.offsets, pool.exports, links.pool_index[k], workspace.heard,
                          messages)
            messages += np.uint64(1)
        if not delayed and is_lost(links, medium, random, k):
            lost += 1
            # The export is about to change, so the receiver continues with a copy.
            if flags & FRESH_AT_NEIGHBOUR:
                store_sent(network, i, k)
        elif not delayed and not flags & FRESH_AT_NEIGHBOUR:
            filled += deliver(links, pool, k)
    if not delayed:
        counts[LOST] += lost
        counts[DELIVERED] += found - lost
        counts[OVERWRITTEN] += found - lost - filled
    return np.int64(messages), degree


@inlined
def measured(medium, squared):
    """Return the distance to a neighbour as the metric gives it, from its square."""
    return 1.0 if medium.hops else max(np.sqrt(squared), medium.floor)
