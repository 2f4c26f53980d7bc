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

"""The examples of doc/extending.md do what it says."""

from collections import Counter
import math
from pathlib import Path
import re
import subprocess
import sys
from types import ModuleType

from election.tasks.memory_context import MemoryContext
import leader_election
from leader_election import (
    AggregateSet,
    build,
    Codec,
    combine,
    Device,
    Member,
    Message,
    RangingInput,
    RobotKnowledge,
)
from leader_election.election.robot.parameters import ElectionParameters
import numpy as np
import pytest
from std_msgs.msg import Float64

DOCUMENT = Path(__file__).parents[1] / 'doc' / 'extending.md'


def blocks():
    """Return the Python code of the document."""
    return re.findall(r'```python\n(.*?)```', DOCUMENT.read_text(), re.DOTALL)


def example(name):
    """Return the names that the example with this file name defines."""
    source = next(block for block in blocks() if block.startswith(f'# my_robots/{name}.py'))
    module = ModuleType(name)
    # Dataclasses look their module up.
    sys.modules[name] = module
    exec(compile(source, name, 'exec'), vars(module))
    return vars(module)


def test_metric_of_the_page_changes_distances():
    walking = example('walking')['WALKING']
    slow = walking.parameters(speed=0.4)
    there = RangingInput((0.0, 0.0), (0.3, 0.4), None, slow)
    assert walking.measured(there) == pytest.approx(1.25)
    assert math.isnan(walking.measured(there._replace(own=None)))


def test_strength_sources_of_the_page_are_read_and_computed():
    class Load:
        data = 2.5

    payload, central = example('payload')['PAYLOAD'], example('central')['CENTRAL']
    assert payload.extracted(Load, payload.parameters()) == -2.5
    known = RobotKnowledge(id=1, neighbours=4, nearest=2.0, x=0.0, y=0.0, time=0.0, leader=1,
                           distance=0.0, reading=math.nan)
    assert central.compute(known, central.parameters()) == 4.0


def test_algorithm_of_the_page_elects():
    greedy = example('greedy')['GREEDY']
    settings = {'radius': 3.5, 'ties': 'id', 'margin': 0.5}
    device = Device(5, 0.0)
    neighbours = greedy.columns([1, 2], [2.5, 0.5], [1, 1])
    state = greedy.round(
        device, greedy.start(device), neighbours, [1.0, 1.0], greedy.round_parameters(settings))
    assert state == greedy.state(leader=2, distance=1.5, hops=2)
    assert greedy.round_parameters(settings).most_hops == 50
    message = Message(5, 'map', (0.0, 0.0), state)
    assert Codec(greedy).decode(Codec(greedy).encode(message)) == message
    with pytest.raises(ValueError, match='parameter margin: -1.0 is not allowed'):
        build(greedy.parameters, {'margin': -1.0})


def test_motion_of_the_page_moves_each_device_about_its_start():
    pytest.importorskip('leader_election_lab')
    sway, position = example('sway')['SWAY'], np.array([[4.0, 1.0], [0.0, 2.0]])
    state = sway.begin(sway.parameters(speed=0.5), position, 1.0, None)
    for i in (0, 1):
        sway.step(state, i, position, math.pi / 2, None)
    assert position == pytest.approx(np.array([[4.5, 1.0], [0.5, 2.0]]))


def test_topology_and_event_of_the_page_are_in_a_run(monkeypatch):
    lab = pytest.importorskip('leader_election_lab')
    from leader_election_lab.simulation.network_events import EVENTS
    from leader_election_lab.simulation.simulation import Simulation
    from leader_election_lab.topologies import TOPOLOGIES
    for registry, entry in (TOPOLOGIES, example('cross')['CROSS']), (
            EVENTS, example('tire')['TIRE']):
        registry.names()
        monkeypatch.setattr(registry, '_entries', {**registry._entries, entry.name: entry})
    scenario = lab.load({
        'title': 'A cross whose strongest device tires', 'duration': 20,
        'algorithms': [{'name': 'bounded', 'radius': 9}],
        'devices': [{'kind': 'cross', 'arm': 2}], 'messages': {'range': 1},
        'strength': {'cycle': ['id']},
        'events': [{'kind': 'tire', 'at': 10, 'strongest': 1, 'factor': 0.25}]}, 'cross')
    run = Simulation(scenario, scenario.entrant('bounded'), 0)
    run.play(until=9.0)
    place = {int(each): tuple(where) for each, where in zip(
        run.network.devices.id, run.network.devices.position.tolist())}
    assert sorted(place.values()) == sorted([
        (0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (-1.0, 0.0), (-2.0, 0.0),
        (0.0, 1.0), (0.0, 2.0), (0.0, -1.0), (0.0, -2.0)])
    assert set(run.columns.leader.tolist()) == {8}
    run.play(until=20.0)
    assert set(run.columns.leader.tolist()) == {7}


def test_pose_source_of_the_page_corrects_odometry():
    source = example('calibrated')['Calibrated'](
        1, ElectionParameters(robot_id=1), expiry=3.0, top_speed=2.0, counts=Counter())
    for x in (5.0, 5.5, 6.0):
        source.take_odometry((x, 2.0), 0.0, x)
    assert source.place == pytest.approx((6.02, 2.0))
    assert source.pose == pytest.approx((6.02, 2.0, 0.0))


def test_task_of_the_page_decides():
    """Robot 7 reads 21.5 at (1, 2), the higher of two values, so all robots go there."""
    gather, host = example('gather')['Gather'], MemoryContext()
    task = gather(Member(7, host, lambda: (1.0, 2.0, 0.0)), gather.parameters())
    aggregates = AggregateSet(task.collects)
    assert aggregates.contribution(7, task.sense()) == aggregates.identity
    host.deliver('temperature', Float64(data=21.5))
    summary = list(aggregates.contribution(7, task.sense()))
    combine(
        aggregates.layout, summary, aggregates.contribution(8, {'warmest': (19.0, 5.0, 5.0)}), 1.0
    )
    decision = task.decide(aggregates.results(summary))
    assert decision == [[1.0, 2.0]]
    task.act(decision)
    [goals] = host.publishers.values()
    assert [(goal.point.x, goal.point.y) for goal in goals.messages] == [(1.0, 2.0)]
    task.act(None)


def test_aggregate_of_the_page_combines():
    aggregates = AggregateSet({'said': example('latest')['latest']()})
    row = list(aggregates.identity)
    for said in ((10.0, 1.5), (12.0, 2.5), (11.0, 3.5)):
        combine(aggregates.layout, row, aggregates.contribution(1, {'said': said}), 1.0)
    assert aggregates.results(row) == {'said': 2.5}


# The names that other packages import: all there, listed once, and light.

PUBLIC = {
    'ADD', 'AGGREGATES', 'ALGORITHMS', 'Aggregate', 'AggregateSet', 'Algorithm', 'Codec', 'Count',
    'DecisionOrigin', 'Device', 'Fence', 'Hops', 'Id', 'Kept', 'LEAST', 'LeaderClient',
    'LeaderElectionError', 'METRICS', 'Member', 'Message', 'Metric', 'Negated', 'NoParameters',
    'OWN', 'ParameterError', 'PoseSource', 'RANKED', 'RangingInput', 'ReadingInput',
    'ReceivedReading', 'RobotKnowledge', 'STRENGTH_SOURCES', 'StrengthSource', 'Task', 'Ticks',
    'Unbounded',
    '__version__', 'all_of', 'any_of', 'build', 'combine', 'count', 'greatest', 'histogram',
    'least', 'mean', 'parameter', 'top', 'total', 'union'}
"""A name that leaves this list breaks users' packages: the version has to say so."""
HEAVY = ('rclpy', 'numba', 'matplotlib', 'shapely', 'xarray', 'scipy')


def test_public_names_are_the_documented_list_and_exist() -> None:
    assert set(leader_election.__all__) | {'LeaderClient'} == PUBLIC == set(dir(leader_election))
    assert all(getattr(leader_election, name) is not None for name in PUBLIC)
    with pytest.raises(AttributeError, match="no attribute 'Robot'"):
        getattr(leader_election, 'Robot')  # noqa: B009


@pytest.mark.parametrize('line, loaded', [
    ('import leader_election', ('numpy', 'leader_election.parameters', *HEAVY)),
    ('from leader_election import *', HEAVY)])
def test_import_loads_no_heavy_module(line: str, loaded: tuple[str, ...]) -> None:
    code = f'import sys\n{line}\nprint([m for m in {loaded!r} if m in sys.modules])'
    ran = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, timeout=60)
    assert (ran.stdout, ran.stderr) == ('[]\n', '')
