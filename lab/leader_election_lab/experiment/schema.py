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

"""Declarations of the sections of a scenario, with types, defaults, ranges and units."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from leader_election.election.algorithms import Algorithm
from leader_election.election.regions.aggregate import AGGREGATES
from leader_election.election.regions.region import CANDIDATE, RegionSettings, ROLES
from leader_election.election.robot.metrics import METRICS
from leader_election.election.robot.strength import STRENGTH_SOURCES
from leader_election.localisation.parameters import LocalisationParameters, NOISE_OF_WAY
from leader_election.localisation.pose_estimates import REST
from leader_election.parameters import parameter, ParameterError
from leader_election_lab.own_measures import OWN_MEASURES
from leader_election_lab.topologies import Topology

INFINITE = float('inf')


@dataclass(frozen=True)
class Head:
    """The keys of a scenario that are in no section."""

    title: str = parameter('', 'What is measured.')
    source: str = parameter('', 'The publication that it is from.')
    duration: float = parameter(0.0, 'Simulated time.', unit='s', lower=1e-3, upper=1e9,
                                required=True)
    first_id: int = parameter(0, 'The id of the first device.', lower=0, upper=2**31)


@dataclass(frozen=True)
class Steps:
    """The key of ``motion`` that all kinds have."""

    tick: float = parameter(1.0, 'Time between two steps of a device.', unit='s', lower=1e-3,
                            upper=1e6)


@dataclass(frozen=True)
class Messages:
    """The radio model: how messages get from one device to another."""

    range: float = parameter(  # noqa: A003
        INFINITE, 'Greatest distance at which a message is received, inclusive. Not used where '
        'the topology gives links.', unit='m', lower=1e-9, upper=INFINITE)
    expiry: float = parameter(
        INFINITE, 'Time after its receipt for which a message counts. .inf: as long as its sender '
        'is in range when a round runs.', unit='s', lower=1e-9, upper=INFINITE)
    loss: float = parameter(0.0, 'Probability that a message is lost, for each receiver.',
                            lower=0.0, upper=1.0)
    delay: tuple[float, ...] = parameter(
        (0.0, 0.0), 'Least and greatest time from sending to receipt, drawn uniformly.', unit='s',
        lengths=(2,))
    duplication: float = parameter(
        0.0, 'Probability that a message arrives twice. It needs a delay.', lower=0.0, upper=1.0)
    metric: str = parameter(
        'distance', 'Distance of a neighbour: in metres as of now, 1 (hops), or by a metric of '
        'robots that has a cost or a course.', choices=lambda: metric_names())
    floor: float = parameter(0.01, 'Least distance to a neighbour.', unit='m', lower=0.0,
                             upper=1e6)

    def __post_init__(self) -> None:
        """Raise a ``ParameterError`` for values that contradict each other."""
        if not 0.0 <= self.delay[0] <= self.delay[1]:
            raise ParameterError('delay', self.delay, 'two times in ascending order, at least 0 s')
        if self.duplication > 0.0 and self.delay[1] == 0.0:
            raise ParameterError('duplication', self.duplication, 'a delay greater than 0 s')


BUILT_IN_METRICS = ('distance', 'hops')
"""The metrics that the engine computes itself."""


def metric_names() -> tuple[str, ...]:
    """Return the metrics that a scenario may name."""
    others = (name for name in METRICS.names() if METRICS.get(name).compiles)
    return tuple(dict.fromkeys((*BUILT_IN_METRICS, *others)))


@dataclass(frozen=True)
class Sensor:
    """The field that devices sense, for metrics that compare readings: a base, Gaussian peaks."""

    base: float = parameter(0.0, 'The reading far from all peaks.')
    peaks: tuple[float, ...] = parameter(
        (), 'The peaks: x, y and height of the first, of the second, and so on.',
        unit='(m, units of the reading)')
    spread: float = parameter(
        10.0, 'Standard deviation of each peak.', unit='m', lower=1e-6, upper=1e6)
    period: float = parameter(
        1.0, 'Time between two readings of moving devices.', unit='s', lower=1e-3, upper=1e6)

    def __post_init__(self) -> None:
        """Raise a ``ParameterError`` for an incomplete peak."""
        if len(self.peaks) % 3:
            raise ParameterError('peaks', list(self.peaks), 'three numbers a peak: x, y, height')


EXACT, DRIFT, SCALED, COOPERATIVE = 'exact', 'drift', 'scaled', 'cooperative'


@dataclass(frozen=True)
class Localisation:
    """The estimated positions of devices, from which they compute distances."""

    model: str = parameter(
        EXACT, 'Which positions devices use for distances: the true ones (exact), those of '
        'odometry whose error grows along the way (drift), the same with wrong factors of '
        'distance and turn (scaled), or those of a filter over odometry and sightings of '
        'neighbours, whose error does not grow (cooperative).',
        choices=lambda: (EXACT, DRIFT, SCALED, COOPERATIVE))
    communication_range: float = parameter(
        INFINITE, 'Greatest estimated distance of a neighbour. Messages from farther devices are '
        'ignored, as on robots. messages.range is the reach of the radio by true positions.',
        unit='m', lower=1e-9, upper=INFINITE)
    interval: float = parameter(
        1.0, 'Time between two changes of the errors.', unit='s', lower=1e-3, upper=1e6)
    initial_deviation: tuple[float, ...] = parameter(
        LocalisationParameters.initial_deviation, 'Odometry: standard deviations of the '
        'initial pose, of each coordinate and of the heading.', unit='m, rad', lengths=(2,))
    odometry_noise_position: float = parameter(
        LocalisationParameters.odometry_noise_position, 'Odometry: standard deviation of '
        'the position along the way, after 1 m. Across the way it is half of that.',
        unit='m/sqrt(m)', lower=0.0, upper=1e3)
    odometry_noise_turn: float = parameter(
        LocalisationParameters.odometry_noise_turn, 'Odometry: standard deviation of the '
        'heading after a turn of 1 rad.', unit='rad/sqrt(rad)', lower=0.0, upper=1e3)
    odometry_noise_heading: float = parameter(
        NOISE_OF_WAY * LocalisationParameters.odometry_noise_turn, 'Odometry: standard '
        'deviation of the heading after 1 m.', unit='rad/sqrt(m)', lower=0.0, upper=1e3)
    odometry_noise_rest: float = parameter(
        REST, 'Odometry: standard deviation of position '
        'and heading after 1 s, also at rest.', unit='(m, rad)/sqrt(s)', lower=0.0, upper=1e3)
    distance_factor: tuple[float, ...] = parameter(
        (0.85, 1.05), 'Model scaled: the true distance per reported one: the range from which the '
        'factor of each device is drawn evenly.', lengths=(2,))
    turn_factor: tuple[float, ...] = parameter(
        (0.65, 0.85), 'Model scaled: the true turn per reported one, drawn likewise.',
        lengths=(2,))
    deviation: float = parameter(
        0.12, 'Model cooperative: standard deviation of the distance between two devices, and '
        'root mean square error of a position in the common frame.', unit='m', lower=0.0,
        upper=1e6)
    correlation_time: float = parameter(
        17.0, 'Model cooperative: time after which the correlation of an error with itself has '
        'fallen to 1/e. 0: each change is independent of the one before.', unit='s', lower=0.0,
        upper=1e9)
    frame_drift: float = parameter(
        0.03, 'Model cooperative: standard deviation of each coordinate of the common frame '
        'after 1 s. No distance depends on it, but positions that strength sources get do.',
        unit='m/sqrt(s)', lower=0.0, upper=1e3)

    def __post_init__(self) -> None:
        """Raise a ``ParameterError`` for a negative deviation."""
        if not all(0.0 <= value < INFINITE for value in self.initial_deviation):
            raise ParameterError(
                'initial_deviation', list(self.initial_deviation), 'two finite numbers, at least '
                '0')


@dataclass(frozen=True)
class Rounds:
    """The times of the rounds of devices."""

    period: float = parameter(1.0, 'Time between two rounds of a device.', unit='s', lower=1e-3,
                              upper=1e6)
    phase: str = parameter(
        'random', 'When in the first period a device runs its first round: at random, all '
        'together, or by its place, the x coordinate within its area as a part of the period.',
        choices=lambda: ('random', 'together', 'place'))
    acquainted: bool = parameter(
        False, 'Whether all devices have received the initial states of those in range before '
        'the first round.')
    spread: float = parameter(
        0.0, "Greatest deviation of a device's period, as a part of the period.", lower=0.0,
        upper=0.99)
    jitter: float = parameter(
        0.0, 'Greatest deviation from round to round, as a part of the period.', lower=0.0,
        upper=0.99)


STRENGTHS = ('random', 'degree', 'id', 'lower_id', 'equal')


def strength_names() -> tuple[str, ...]:
    """Return the strengths that a scenario may name: also sources that robots compute."""
    computed = (name for name in STRENGTH_SOURCES.names()
                if STRENGTH_SOURCES.get(name).compute is not None)
    return tuple(dict.fromkeys((*STRENGTHS, *computed)))


@dataclass(frozen=True)
class Strength:
    """The source of the strengths of devices."""

    cycle: tuple[str, ...] = parameter(
        ('random',), 'One of random (0 to 1, drawn anew each time), degree (1, and the number '
        'of neighbours received from since then), id, lower_id (the id, negated), equal, or '
        'several, one after another. Or a strength source that robots compute, by itself. What is '
        'on its topic is the reading of the sensor.')
    every: float = parameter(
        INFINITE, 'Time from one entry of the cycle to the next.', unit='s', lower=1e-3,
        upper=INFINITE)
    hysteresis: float = parameter(
        -1.0, 'The least change of a strength source that a device announces. Negative: the '
        'default of the source, as on robots.', lower=-1.0, upper=1e300)

    def __post_init__(self) -> None:
        """Raise a ``ParameterError`` for an empty cycle or an unknown entry."""
        if not self.cycle:
            raise ParameterError('cycle', [], f"at least one of {', '.join(STRENGTHS)}")
        known = strength_names()
        for kind in self.cycle:
            if kind not in known:
                raise ParameterError('cycle', kind, f"some of {', '.join(known)}")


@dataclass(frozen=True)
class Measure:
    """The measurement."""

    window: int = parameter(
        10, 'Instability is the part of this number of last rounds in which the leader changed.',
        unit='rounds', lower=1, upper=63)
    interval: float = parameter(1.0, 'Time between two samples.', unit='s', lower=1e-3, upper=1e6)
    own: tuple[str, ...] = parameter(
        (), 'Measures of other packages, which are computed at each sample.')
    devices: bool = parameter(False, 'Whether the results have the measures of each device, too.')

    def __post_init__(self) -> None:
        """Raise a ``ParameterError`` for an unknown measure."""
        for name in self.own:
            try:
                OWN_MEASURES.get(name)
            except KeyError as error:
                raise ParameterError('own', problem=f': {error.args[0]}') from None


@dataclass(frozen=True)
class Member:
    """The keys of a group of devices that all topologies have."""

    moves: bool = parameter(
        True, '``motion`` moves them. Otherwise they stay where they were placed.')
    among: bool = parameter(
        True, 'They receive from each other, otherwise only from devices of groups that do.')
    role: str = parameter(ROLES[CANDIDATE], 'For algorithms with regions.', choices=lambda: ROLES)
    contributes: float = parameter(
        1.0, 'The reading of each device, the input of aggregates. Relays contribute nothing.',
        lower=-1e9, upper=1e9)
    reads: float = parameter(
        0.0, 'What each device of the group senses, in addition to the field of ``sensor``.',
        lower=-1e9, upper=1e9)


class Group(NamedTuple):
    """A group of devices with one topology."""

    topology: Topology
    parameters: Any
    member: Member


@dataclass(frozen=True)
class Regions(RegionSettings):
    """Settings of an algorithm's regions. Roles belong to groups of devices."""

    role: str = ROLES[CANDIDATE]
    """Not declared: no key of this section."""
    aggregate: str = parameter('count', 'Aggregate of the contributions of all devices.',
                               choices=lambda: AGGREGATES.names())


@dataclass(frozen=True)
class PaperSettings:
    """Settings of algorithms by which experiments of papers are repeated. Robots have none."""

    radius_inclusive: bool = parameter(
        False, 'Algorithm resilient: whether a device exactly at the radius also forwards the '
        'candidacy. In the text of the paper it does not. The figures of the paper result if it '
        'does.')


@dataclass(frozen=True)
class Entrant:
    """An algorithm under test, with its parameters."""

    label: str
    algorithm: Algorithm
    parameters: Any
    """The result of the algorithm's ``configure``."""
    weakest: bool
    """Whether strengths are negated, so that the weakest device wins."""
    regions: Regions | None = None
    """Settings of coordination in the leaders' regions. ``None`` stands for an election alone."""
    settings: tuple[tuple[str, Any], ...] = ()
    """The parameters by name, with the defaults of those that the scenario does not give."""
