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
The table of all checks, with question, meaning and remedy of each, and what they examine.

A swarm is the robots that exchange messages on one topic. Two swarms in two namespaces may use the
same ids, frames and places, and are examined separately. A robot whose topic is in its own
namespace belongs to none: its ``neighbourhood`` is not remapped.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import NamedTuple

from leader_election.swarm.doctor import communication, membership, positioning, timing
from leader_election.swarm.doctor.causes import root_causes
from leader_election.swarm.doctor.observations import (
    by_key,
    find_radio_topics,
    Level,
    Observations,
    space_of,
    Symptom,
)


class Check(NamedTuple):
    """One possible problem of a swarm."""

    name: str
    question: str
    """The question that it answers, for users."""
    meaning: str
    """The consequence for the swarm."""
    remedy: str
    """The advice."""
    look: Callable[[Observations], Iterable[Symptom]]
    """Yields the symptoms."""
    common: bool = False
    """Whether all swarms are examined together, else each by itself."""


class Finding(NamedTuple):
    """A symptom with the check that found it, and the remedy."""

    check: str
    level: Level
    subjects: tuple[str, ...]
    what: str
    remedy: str
    explained_by: str = ''
    """The check that found its cause; empty: it is a cause itself."""


CHECKS = (
    Check('found', 'Are there robots?',
          'No robot, or one alone, is visible from here: no other runs, or discovery does not '
          'reach it.',
          'Start the robots. If they run: give ROS_DOMAIN_ID and RMW_IMPLEMENTATION the same '
          'values on all machines, ROS_AUTOMATIC_DISCOVERY_RANGE the value SUBNET (not LOCALHOST '
          'or OFF), and check that the network forwards multicast (ros2 multicast receive here, '
          'ros2 multicast send on the other machine), or list the peers in ROS_STATIC_PEERS.',
          membership.found, common=True),
    Check('missing', 'Are all expected robots there?',
          'A robot of the fleet file, or the requested one, is missing or has another id.',
          'Check that its node runs (systemctl status, ros2 node list on the robot itself) and '
          'was started with its own name; if it is visible there and not here, it is the '
          'network: see found.', membership.missing, common=True),
    Check('silent', 'Does each robot send messages?',
          'A node runs, but sends no candidacy: for its neighbours it does not exist.',
          'A managed node may be inactive: ros2 lifecycle get and ros2 lifecycle set ... '
          'activate. Otherwise its neighbourhood is remapped to a topic of another name, or its '
          'messages do not reach this machine.',
          membership.silent),
    Check('names', 'Has each node a name of its own?',
          'Nodes of the same name answer for each other: parameters and services reach either.',
          'Start each robot in a namespace of its own (-r __ns:=/NAME), once.', membership.names,
          common=True),
    Check('ids', 'Has each robot an id of its own?',
          'Robots drop messages with their own id, and others take the two for one robot that '
          'jumps: regions break up.',
          'Give each robot its own robot_id, and start no robot twice.', membership.ids),
    Check('frames', 'Do all robots use one frame?',
          'Messages of another frame are dropped: robots of different frames elect separately.',
          'Set parameter frame to one value on all robots.', membership.frames),
    Check('algorithms', 'Do all robots run one algorithm?',
          'Messages of another algorithm are dropped: the robots elect separately.',
          'Set parameter algorithm to one value on all robots.', membership.algorithms),
    Check('settings', 'Do all robots have the same settings?',
          'Robots with another radius, range or metric than the others share no partition with '
          'them; one whose messages expire too early drops neighbours.',
          'Set the parameter to one value on all robots (ros2 param set changes it at once, '
          'except metric). If it is meant to differ, say so in a fleet file, and give it: '
          '--fleet-file.', membership.settings),
    Check('readable', 'Can all messages be read?',
          'The topic carries invalid messages, or messages of another version of the package.',
          'Install one version of the package everywhere, and let nothing else publish on the '
          'neighbourhood topic.', membership.readable),
    Check('refused', 'Do robots accept the messages that they receive?',
          'Robots dropped messages, or parts of them, for the reason named.',
          'Look at the sender: its version of the package, and what it publishes.',
          membership.refused),
    Check('keys', 'Do all robots sign with one key?',
          'A robot with a key does not believe one without it or with another, and the other way '
          'round: they elect separately.',
          'Copy one key file to all robots and set swarm_key_file; swarm_key --show compares '
          'keys; leader_election swarm_key --help describes how to change a key.',
          membership.keys),
    Check('self_reported', 'Do the robots report no problem themselves?',
          'A robot publishes a warning or an error on /diagnostics.',
          'Follow its text; the other checks may show more.', membership.self_reported),
    Check('odometry', "Does each robot's odometry arrive?",
          'Without recent odometry a robot has no position: its messages are dropped wherever '
          'distance counts.',
          'Start its driver; remap odom to the topic of the driver (ros2 topic list -t); '
          'let one driver publish it, at 10 Hz or more.', positioning.odometry),
    Check('scans', 'Do the laser scans arrive that tasks need?',
          'A robot whose task drives stands still without scans.',
          'Start the scanner, or remap scan to its topic. Gazebo Sim renders scans: where it '
          'cannot, it publishes none, without an error.', positioning.scans),
    Check('odometry_frames', 'Are the frames of odometry right?',
          'A frame that is empty, or changes, makes positions wrong: odometry in the shared frame '
          'is used as it is, any other is transformed by initial_pose.',
          'Set header.frame_id (for example odom) and child_frame_id (for example base_link) in '
          'the driver.', positioning.odometry_frames),
    Check('places', 'Has each robot a position of its own?',
          'Two robots cannot be at one position; at the origin, initial_pose was forgotten.',
          "Set initial_pose to where the robot's odometry starts, in the shared frame, or use a "
          'localisation (pose_source: tf).', positioning.places),
    Check('deviation', 'Are distances certain enough?',
          'Odometry drifts: the more a robot has driven and turned, the less its distances are '
          'right, and with them neighbours, leaders and regions.',
          'Odometry alone: use pose_source cooperative with a sensor that sees other robots '
          '(doc/robots.md), a localisation (pose_source tf), or a metric without positions '
          '(range, hops). With max_deviation and hops_beyond_deviation elections go by hops '
          'then. Where robots cooperate already: more sightings, or landmarks. Where the '
          'deviation is too great to be true: parameters odometry_noise_... (command logs '
          'estimates them).', positioning.deviation),
    Check('slip', 'Do wheels turn only where the robot moves?',
          'A robot that pushes against something has wrong odometry from then on, and correct '
          'sightings contradict it.',
          'Look at the robot; let what drives it back off (wander and the tasks do, with topic '
          'bumper), or limit the torque of its wheels, so that they stall. With pose_source '
          'cooperative or tf its position is found again; else start it again at its '
          'initial_pose.', positioning.slip),
    Check('sightings', 'Do sightings agree with odometry and with each other?',
          'Sightings that contradict all others are rejected; without any, robots that cooperate '
          'have only odometry.',
          'Contradicting: check the ids that the sensor reports, initial_pose, sensor_pose, the '
          'units (m, rad, left positive), and range_noise. Ids without messages: give '
          'tag, radio and robot_id one number, list landmarks in the file of parameter '
          'landmarks, or look for silent robots. Names: set tag_names. Nothing seen: start the '
          "sensor's driver, and check sighting_sources and the topic (ros2 topic info -v).",
          positioning.sightings),
    Check('sensor_bias', 'Are sensors without a constant error?',
          'Innovations of the filter are not white: a constant error of ranges is the same in '
          'all of them, so nothing contradicts it, and distances are wrong by it.',
          'Calibrate the sensor (antenna delay of ultra-wideband radios, size and place of '
          'tags), or set range_offset to the error with the opposite sign.',
          positioning.sensor_bias),
    Check('shared_topic', 'Do all robots use one topic?',
          'Each robot receives only its own messages: all lead themselves.',
          'Remap neighbourhood to one shared name on all robots '
          '(-r neighbourhood:=/neighbourhood), as robot.launch.py does.',
          communication.shared_topic, common=True),
    Check('profiles', 'Are publishers and subscriptions compatible (QoS)?',
          'DDS delivers nothing from a publisher to a subscription that requests more than it '
          'offers, and reports that only in a log.',
          'Request less or offer more: parameters qos_overrides.<topic>.'
          '<publisher|subscription>.<reliability|durability|...>; of a driver or tool, its own '
          'settings.', communication.profiles, common=True),
    Check('reception', 'Does each robot receive others?',
          'A robot that receives nothing leads itself, and takes no part.',
          'See profiles; check that its network accepts multicast and packets from new '
          'ports (firewall), and see found.', communication.reception),
    Check('one_way', 'Are links between neighbours bidirectional?',
          'Where only one of two robots receives the other, news travels one way, and regions may '
          'depend on leaders that do not know of them.',
          'Give all robots one communication_range, smaller than the range of the radios; look '
          'for a weak sender, a firewall, or wrong odometry.', communication.one_way),
    Check('loss', 'Do enough messages arrive?',
          'A neighbour that is not received for message_expiry is dropped: at high loss '
          'neighbours come and go. These are the messages that arrive here; between robots the '
          'loss may be lower or higher.',
          'Raise message_expiry to several round_periods; use an interface profile without '
          'multicast, which Wi-Fi sends slowly and does not repeat; bring robots nearer; check '
          'for an overloaded computer.', communication.loss),
    Check('load', 'Does this computer keep up?',
          'Rounds, odometry and messages of robots on this computer are late or lost, and '
          'swarm_doctor misses some, too.',
          'End other programs, or run fewer robots on it; or run swarm_doctor on another computer '
          'of the network.', communication.load, common=True),
    Check('receive_buffers', 'Do the receive buffers of this computer suffice?',
          'Bursts of messages, as of discovery, overflow small buffers: topics of some robots are '
          'never connected, in Gazebo Sim even the clock, without an error.',
          'sudo sysctl -w net.core.rmem_default=4194304 net.core.rmem_max=4194304; to keep it, '
          'write both into a file in /etc/sysctl.d. Then start all again.',
          communication.receive_buffers, common=True),
    Check('simulated_time', 'Do all nodes use one time?',
          'Simulated time from two sources jumps; a robot that waits for simulated time without a '
          'source stands still.',
          'Set use_sim_time to one value on all robots: true with a simulator that publishes '
          '/clock, once; false on hardware.', timing.simulated_time, common=True),
    Check('jumps', 'Does time go forward, without jumps?',
          'After a jump back messages stay valid for longer, and TF is cleared; after a jump '
          'forward TF takes its data for outdated.',
          'Use one source of /clock; on hardware let chrony slew the clock, not step it, while '
          'robots run.', timing.jumps, common=True),
    Check('drifts', 'Do clocks run at one speed?',
          'Stamps diverge more and more, or messages wait longer and longer.',
          'Run chrony on all machines. Where the clocks are right, a queue grows: check the load '
          'of the network and of the computer.', timing.drifts, common=True),
    Check('offsets', 'Do stamps agree with the time here?',
          'The election does not depend on stamps, but TF, RViz and recordings do: transforms '
          'are reported as too old, or in the future.',
          "Synchronise all machines' clocks (chrony, one of them the server); have drivers stamp "
          'their messages.', timing.offsets, common=True),
)


def examine(swarm: Observations) -> list[Finding]:
    """
    Return all findings in the order of the checks, the worst of each check first.

    Several swarms are examined separately (:func:`separate`).
    """
    parts = separate(swarm)
    symptoms = [(check, symptom if symptom.subjects or check.common or len(parts) == 1
                 else symptom._replace(what=f'{topic}: {symptom.what}'))
                for check in CHECKS
                for topic, part in ({'': swarm} if check.common else parts).items()
                for symptom in check.look(part)]
    roots = root_causes({k: (check.name, symptom) for k, (check, symptom) in enumerate(symptoms)})
    robots: dict[Finding, list[str]] = {}
    for k, (check, (level, subjects, what, remedy)) in enumerate(symptoms):
        cause = '' if roots[k] == k else symptoms[roots[k]][0].name
        alike = Finding(check.name, level, (), what, remedy or check.remedy, cause)
        robots.setdefault(alike, []).extend(subjects)
    order = {check.name: k for k, check in enumerate(CHECKS)}
    findings = [finding._replace(subjects=tuple(sorted(set(names))))
                for finding, names in robots.items()]
    return sorted(findings, key=lambda f: (order[f.check], -f.level, f.subjects, f.what))


def about(findings: Iterable[Finding], robot: str) -> list[Finding]:
    """Return the findings that concern a robot, or the whole swarm."""
    return [finding for finding in findings
            if not finding.subjects or robot in finding.subjects]


def swarm_topics(observed: Observations) -> dict[str, tuple[str, ...]]:
    """Return the topics of all swarms, each with the names of its robots."""
    radio = find_radio_topics(observed)
    nodes = {endpoint.node: endpoint.robot for endpoint in observed.nodes}
    hosted = by_key((host, node) for node, hosts in observed.hosts.items() for host in hosts)
    users: dict[str, set[str]] = {}
    for endpoint in observed.endpoints:
        if endpoint.publishes and endpoint.topic in radio:
            own = [endpoint.node] if endpoint.node in nodes else hosted.get(endpoint.node, [])
            if own:
                users.setdefault(endpoint.topic, set()).update(own)
    return {topic: tuple(sorted(nodes[node] for node in own))
            for topic, own in sorted(users.items())
            if len(own) > 1 or space_of(topic) not in map(space_of, own)}


def separate(observed: Observations) -> dict[str, Observations]:
    """
    Return the observations of each swarm by its topic.

    With several swarms, robots without a swarm are under an empty name. One swarm has all
    observations.
    """
    topics = swarm_topics(observed)
    if len(topics) < 2:
        return {next(iter(topics), ''): observed}
    found = {topic: _part(observed, (topic,), robots) for topic, robots in topics.items()}
    lost = set(observed.robots).difference(*topics.values())
    if lost:
        others = {heard.topic for heard in observed.messages} - topics.keys()
        found[''] = _part(observed, tuple(others), tuple(lost))
    return found


def choose(observed: Observations, topics: Collection[str]) -> Observations:
    """
    Return the observations without those of other swarms.

    Robots without a swarm are kept, and expected robots of the kept swarms.

    :param topics: of the swarms to keep.
    """
    swarms = swarm_topics(observed)
    others = tuple(topic for topic, robots in swarms.items()
                   if topic not in topics and not observed.expected.keys() & set(robots))
    gone = {robot for topic in others for robot in swarms[topic]}
    kept = tuple(robot for robot in observed.robots if robot not in gone)
    heard = {heard.topic for heard in observed.messages}.difference(others)
    return replace(_part(observed, tuple(heard), kept), other_swarms=others)


def _part(observed: Observations, topics: tuple[str, ...],
          robots: tuple[str, ...]) -> Observations:
    others = {endpoint.node for endpoint in observed.nodes if endpoint.robot not in robots}
    return replace(
        observed,
        messages=[heard for heard in observed.messages if heard.topic in topics],
        diagnostics=[report for report in observed.diagnostics if report.robot in robots],
        neighbours={robot: history for robot, history in observed.neighbours.items()
                    if robot in robots},
        endpoints=[e for e in observed.endpoints if e.node not in others])
