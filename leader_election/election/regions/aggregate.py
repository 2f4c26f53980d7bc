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
Aggregates: the conversion of contributions to numbers, their combination, and the results.

An aggregate must be commutative and associative, otherwise its result would depend on the path of
the messages. The aggregates of the package use three kinds of parts
(:mod:`leader_election.election.regions.collection`), so they work with every way of
collection.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
import math
import reprlib
from typing import Any

from leader_election.election.regions import collection
from leader_election.election.regions.collection import SummaryLayout
from leader_election.parameters.registry import Registry

MOST_NUMBERS = 64
"""The largest number of numbers of one aggregate in a message."""


@dataclass(frozen=True)
class Aggregate:
    """A rule to combine the contributions of many robots into one result."""

    name: str
    kind: int
    """``ADD``, ``LEAST``, ``RANKED`` or ``OWN``."""
    identity: tuple[float, ...]
    """The contribution of a robot without a reading. +infinity is allowed."""
    contribution: Callable[[int, Any], Sequence[float]]
    """``contribution(robot_id, reading)`` makes numbers from a robot's reading."""
    result: Callable[[Sequence[float]], Any]
    """Makes the result from the combined numbers: a JSON value."""
    record: int = 0
    """``RANKED``: the number of numbers in a record."""
    combine: Callable[[Sequence[float], Sequence[float]], Sequence[float]] | None = None
    """``OWN``: the user's function; for collection ``multi-path`` it has to be idempotent."""
    idempotent: bool = True
    """``OWN``: whether a contribution may be combined twice without changing the result."""

    def __post_init__(self) -> None:
        """Refuse an aggregate that is too large for a message."""
        if not 0 < len(self.identity) <= MOST_NUMBERS:
            raise ValueError(
                f'aggregate {self.name}: {len(self.identity)} numbers are not allowed; '
                f'it takes 1 to {MOST_NUMBERS}')


def layout_of(aggregates: Sequence[Aggregate]) -> SummaryLayout:
    """
    Return the layout of a summary with these aggregates as its parts.

    >>> layout_of([count(), least()])
    SummaryLayout(kind=(0, 1), start=(0, 1, 2), detail=(0, 0))
    """
    start, detail = [0], []
    for aggregate in aggregates:
        start.append(start[-1] + len(aggregate.identity))
        number = aggregate.record
        if aggregate.combine is not None:
            if aggregate.combine not in collection.OWNS:
                collection.OWNS.append(aggregate.combine)
            number = collection.OWNS.index(aggregate.combine)
        detail.append(number)
    return SummaryLayout(tuple(a.kind for a in aggregates), tuple(start), tuple(detail))


class AggregateSet:
    """
    Several aggregates, by name, side by side in one row of numbers.

    >>> aggregates = AggregateSet({'robots': count(), 'coldest': least(), 'battery': mean()})
    >>> row = aggregates.contribution(7, {'robots': True, 'coldest': 19.5, 'battery': 0.5})
    >>> row
    (1.0, 19.5, 1.0, 0.5)
    >>> aggregates.results(row)
    {'robots': 1.0, 'coldest': 19.5, 'battery': 0.5}
    """

    def __init__(self, aggregates: Mapping[str, Aggregate]) -> None:
        self.by_name = dict(aggregates)
        self.layout = layout_of(list(self.by_name.values()))
        self.identity: tuple[float, ...] = sum((a.identity for a in self.by_name.values()), ())

    def contribution(self, robot_id: int, readings: Mapping[str, Any]) -> tuple[float, ...]:
        """
        Return the row of a robot's readings.

        :param readings: by name; a missing one contributes the identity.
        :raises ValueError: for an unknown name, or a reading that does not give the right number
            of finite numbers.
        """
        for name in readings:
            if name not in self.by_name:
                raise ValueError(f'{name} is not collected, but {", ".join(self.by_name)}')
        row: list[float] = []
        for name, aggregate in self.by_name.items():
            numbers: Sequence[float] = aggregate.identity
            if readings.get(name) is not None:
                try:
                    given = islice(
                        aggregate.contribution(robot_id, readings[name]), len(numbers) + 1)
                    numbers = [float(number) for number in given]
                    for number, none in zip(numbers, aggregate.identity, strict=True):
                        if not math.isfinite(number) and number != none:
                            raise ValueError('it is not finite')
                except (TypeError, OverflowError, ValueError) as error:
                    raise ValueError(f'{name}: {reprlib.repr(readings[name])} is not allowed; '
                                     f'aggregate {aggregate.name}: {error}') from None
            row.extend(numbers)
        return tuple(row)

    def combine(self, row: Sequence[float], other: Sequence[float]) -> tuple[float, ...]:
        """
        Return the row of two rows combined, as collection does. Neither is changed.

        :param row: numbers as :meth:`contribution` makes them, or a combined row.
        :param other: the same of other robots.

        >>> aggregates = AggregateSet({'robots': count(), 'coldest': least()})
        >>> near = aggregates.contribution(7, {'robots': True, 'coldest': 19.5})
        >>> far = aggregates.contribution(8, {'robots': True, 'coldest': 21.0})
        >>> aggregates.combine(near, far)
        (2.0, 19.5)
        """
        combined = list(row)
        collection.combine(self.layout, combined, other, 1.0)
        return tuple(combined)

    def results(self, row: Sequence[float]) -> dict[str, Any]:
        """Return the results of a row, by name."""
        start = self.layout.start
        return {name: aggregate.result(row[start[k]:start[k + 1]])
                for k, (name, aggregate) in enumerate(self.by_name.items())}


# The aggregates of the package.

def count() -> Aggregate:
    """Count the robots whose reading is true."""
    return Aggregate('count', collection.ADD, (0.0,), lambda _, reading: (float(bool(reading)),),
                     lambda row: float(row[0]))


def total(size: int = 1) -> Aggregate:
    """Add up readings: a number, or ``size`` numbers."""
    return Aggregate('sum', collection.ADD, (0.0,) * size, lambda _, reading: _row(reading, size),
                     lambda row: _json(row))


def mean(size: int = 1) -> Aggregate:
    """
    Average readings: a number, or ``size`` numbers, ``None`` without contributions.

    >>> both = mean(2)
    >>> both.contribution(1, (3.0, 4.0)), both.result((2.0, 6.0, 8.0)), both.result(both.identity)
    ((1.0, 3.0, 4.0), [3.0, 4.0], None)
    """
    return Aggregate('mean', collection.ADD, (0.0,) * (1 + size),
                     lambda _, reading: (1.0, *_row(reading, size)),
                     lambda row: _json([n / row[0] for n in row[1:]]) if row[0] > 1e-9 else None)


def least() -> Aggregate:
    """Keep the smallest reading."""
    return Aggregate('min', collection.LEAST, (math.inf,), lambda _, reading: _row(reading, 1),
                     lambda row: _finite(row[0]))


def greatest() -> Aggregate:
    """
    Keep the largest reading.

    >>> greatest().result(greatest().contribution(1, 5.0))
    5.0
    """
    return Aggregate('max', collection.LEAST, (math.inf,),
                     lambda _, reading: (-_row(reading, 1)[0],), lambda row: _finite(-row[0]))


def any_of() -> Aggregate:
    """Return whether any reading is true."""
    return Aggregate('any', collection.LEAST, (math.inf,),
                     lambda _, reading: (-float(bool(reading)),), lambda row: bool(row[0] < 0.0))


def all_of() -> Aggregate:
    """Return whether all readings are true."""
    return Aggregate('all', collection.LEAST, (math.inf,),
                     lambda _, reading: (float(bool(reading)),), lambda row: bool(row[0] > 0.0))


def histogram(lower: float = 0.0, upper: float = 1.0, bins: int = 10) -> Aggregate:
    """
    Count readings in equal bins. A reading outside counts in the first or last bin.

    :param lower: the lower end of the first bin.
    :param upper: the upper end of the last bin.

    >>> list(histogram(0.0, 3.0, 3).contribution(1, 1.5))
    [0.0, 1.0, 0.0]
    """
    def contribution(_: int, reading: Any) -> list[float]:
        place = int((_row(reading, 1)[0] - lower) / (upper - lower) * bins)
        return [float(k == min(max(place, 0), bins - 1)) for k in range(bins)]
    return Aggregate('histogram', collection.ADD, (0.0,) * bins, contribution, list)


def top(places: int = 3, extra: int = 0, reverse: bool = False) -> Aggregate:
    """
    Keep the largest readings, each with the robot's id and further numbers.

    :param places: how many readings are kept.
    :param extra: how many further numbers a reading has, for example 2 for its position.
    :param reverse: keep the smallest readings instead.

    >>> hottest = top(2, extra=2)
    >>> row = hottest.contribution(7, (21.5, 3.0, 4.0))
    >>> hottest.result(row)
    [[21.5, 7, 3.0, 4.0]]
    """
    sign, width = (1.0 if reverse else -1.0), 2 + extra

    def contribution(robot_id: int, reading: Any) -> tuple[float, ...]:
        value, *others = _row(reading, 1 + extra)
        return (sign * value, float(robot_id), *others) + (math.inf,) * width * (places - 1)

    return Aggregate(
        name='top', kind=collection.RANKED, identity=(math.inf,) * width * places,
        contribution=contribution, record=width,
        result=lambda row: [[sign * value, int(robot), *others]
                            for value, robot, *others in _records(row, width)])


def union(places: int = 16, extra: int = 0) -> Aggregate:
    """
    Collect whole numbers, such as ids, that any robots know: at most ``places``, the lowest.

    A reading is a collection of numbers from 0 on.

    :param extra: how many further numbers each one has. A reading is a collection of rows then.

    >>> union(4).result(union(4).contribution(7, {9, 5}))
    [5, 9]
    >>> places = union(4, extra=2)
    >>> places.result(places.contribution(7, [(9, 1.5, 2.5)]))
    [[9, 1.5, 2.5]]
    """
    width = 2 + extra

    def contribution(_: int, reading: Any) -> tuple[float, ...]:
        rows = sorted({_row(each, 1 + extra) for each in reading})[:places]
        return (*(number for row in rows for number in (0.0, *row)),
                *(math.inf,) * width * (places - len(rows)))

    return Aggregate(
        name='union', kind=collection.RANKED, identity=(math.inf,) * width * places,
        contribution=contribution, record=width,
        result=lambda row: [[int(number), *others] if extra else int(number)
                            for _, number, *others in _records(row, width)])


def _records(row: Sequence[float], width: int) -> list[Sequence[float]]:
    """Return the records of a row that stand for something."""
    return [row[at:at + width] for at in range(0, len(row), width) if row[at] < math.inf]


def _row(reading: Any, size: int) -> tuple[float, ...]:
    """Return a reading as ``size`` finite numbers."""
    # A reading may be an endless iterator: read no more of it than needed.
    row = tuple(islice(reading, size + 1)) if size > 1 else (reading,)
    if len(row) != size:
        raise ValueError(f'it takes {size} numbers')
    numbers = tuple(float(number) for number in row)
    if not all(map(math.isfinite, numbers)):
        raise ValueError('it is not finite')
    return numbers


def _json(row: Sequence[float]) -> Any:
    return float(row[0]) if len(row) == 1 else [float(number) for number in row]


def _finite(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None


@dataclass(frozen=True)
class Maker:
    """An aggregate that is selected by name, with its default arguments."""

    name: str
    make: Callable[[], Aggregate]


AGGREGATES: Registry[Maker] = Registry('aggregate', 'leader_election.aggregates')
for _make in (count, total, mean, least, greatest, any_of, all_of, histogram, top, union):
    AGGREGATES.add(Maker(_make().name, _make))
