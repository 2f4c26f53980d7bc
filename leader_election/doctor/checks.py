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

"""All checks, each with what it asks, what it means, and what to do: the one place for that."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from leader_election.doctor import hearing, identity, sensing, timing
from leader_election.doctor.observations import Finding, Observations, Symptom


class Check(NamedTuple):
    """One thing that may be wrong."""

    name: str
    question: str
    """That it answers, for people."""
    meaning: str
    """What it does to the swarm where something is wrong."""
    remedy: str
    """What to do."""
    look: Callable[[Observations], Iterable[Symptom]]


CHECKS = (
    Check('found', 'Is there any robot?',
          'No robot can be seen from here: none runs, or discovery does not reach them.',
          'Start a robot. If one runs: give ROS_DOMAIN_ID and RMW_IMPLEMENTATION the same values '
          'on all machines, ROS_AUTOMATIC_DISCOVERY_RANGE the value SUBNET (not LOCALHOST or '
          'OFF), and see that the network lets multicast through (ros2 multicast receive, and '
          'send on the other machine), or list the peers in ROS_STATIC_PEERS.', identity.found),
    Check('missing', 'Are those there that should be?',
          'A robot of the fleet file, or the one asked for, is not there or goes by another id.',
          'Look whether its node runs (systemctl status, ros2 node list on the robot itself) and '
          'was started with its own name; if it is seen there and not here, it is the network: '
          'see found.', identity.missing),
    Check('silent', 'Does each robot speak?',
          'A node is up, but no candidacy comes from it: for its neighbours it is not there.',
          'A managed node may be inactive: ros2 lifecycle get and ros2 lifecycle set ... '
          'activate. With use_sim_time its rounds need /clock. Else its neighbourhood is '
          'remapped to a topic that is called otherwise, or its messages do not come as far as '
          'here.', identity.silent),
    Check('names', 'Has each node a name of its own?',
          'Nodes of one name answer for each other: parameters and services reach either.',
          'Start each robot in a namespace of its own (-r __ns:=/NAME), once.', identity.names),
    Check('ids', 'Has each robot an id of its own?',
          'Robots drop what comes from their own id, and others take the two for one that jumps: '
          'regions tear.',
          'Give each robot its own robot_id, and start no robot twice.', identity.ids),
    Check('frames', 'Do all name one frame?',
          'Messages of another frame are dropped: robots of different frames elect apart.',
          'Set parameter frame to one value on all robots.', identity.frames),
    Check('algorithms', 'Do all run one algorithm?',
          'Messages of another algorithm are dropped: the robots elect apart.',
          'Set parameter algorithm to one value on all robots.', identity.algorithms),
    Check('readable', 'Can all messages be read?',
          'Something on the topic is no message, or one of another version of the package.',
          'Install one version of the package everywhere, and let nothing else publish on the '
          'neighbourhood topic.', identity.readable),
    Check('refused', 'Do robots take what they are told?',
          'Robots dropped messages, or parts of them, for the reason named.',
          'no_position: see odometry. frame, algorithm, version: see the checks of these names. '
          'neighbour_limit: raise the parameter neighbour_limit. tasks, summary, decision: give '
          'all robots the same tasks.', identity.refused),
    Check('own_words', 'Do robots find nothing wrong themselves?',
          'A robot says on /diagnostics what is wrong with it.',
          'Do as it says; the other checks may say more.', identity.own_words),
    Check('odometry', "Does each robot's odometry arrive?",
          'Without fresh odometry a robot has no position: its messages are dropped wherever '
          'distance counts.',
          'Start its driver; remap odom to where that publishes (topic list: ros2 topic list -t); '
          'let one driver publish it, ten times a second or more.', sensing.odometry),
    Check('odometry_frames', 'Are the frames of odometry right?',
          'A frame that is empty, or changes, makes positions wrong: odometry in the shared frame '
          'is taken as it is, any other is moved by initial_pose.',
          'Set header.frame_id (odom, say) and child_frame_id (base_link, say) in the driver.',
          sensing.odometry_frames),
    Check('places', 'Is each robot at a place of its own?',
          'Robots cannot be at one place; at the origin that is an initial_pose forgotten.',
          "Set initial_pose to where the robot's odometry starts, in the shared frame, or let a "
          'localisation say it (pose_source: tf).', sensing.places),
    Check('one_air', 'Do all speak on one topic?',
          'Each robot talks to itself: all lead themselves.',
          'Remap neighbourhood to one shared name on all robots '
          '(-r neighbourhood:=/neighbourhood), as robot.launch.py does.', hearing.one_air),
    Check('profiles', 'Do publishers and subscriptions go together (QoS)?',
          'DDS brings nothing from a publisher to a subscription that asks for more than it '
          'offers, and says so only in a log.',
          'Ask for less or offer more: parameters qos_overrides.<topic>.<publisher|subscription>.'
          '<reliability|durability|...>; of a driver or tool, its own settings.',
          hearing.profiles),
    Check('deaf', 'Does each robot hear others?',
          'A robot that hears nobody leads itself, and takes no part.',
          'See profiles; see whether its network lets in what comes by multicast or from new '
          'ports (firewall), and found.', hearing.deaf),
    Check('one_way', 'Are neighbours heard both ways?',
          'Where only one of two hears the other, news goes one way, and regions may depend on '
          'leaders that do not know of them.',
          'Give all robots one communication_range, smaller than what radios bridge; look for a '
          'weak sender, a firewall, or odometry that is off.', hearing.one_way),
    Check('loss', 'Do enough messages arrive?',
          'Who is not heard for message_expiry is given up: at high loss neighbours come and go. '
          'It is what arrives here; between robots it may be better or worse.',
          'Raise message_expiry to several round_periods; use an interface profile without '
          'multicast, which Wi-Fi sends slowly and never again; bring robots nearer; look whether '
          'a computer has too much to do.',
          hearing.loss),
    Check('simulated_time', 'Do all go by one time?',
          'Simulated time that comes from two jumps; a robot that goes by none that comes stands '
          'still.',
          'Set use_sim_time alike on all: true with a simulator that publishes /clock, once; '
          'false on hardware.', timing.simulated_time),
    Check('jumps', 'Does time go forward, and without leaps?',
          'After a jump back what is known counts for longer, and TF forgets all; after one '
          'forward TF takes what it has for old.',
          'One source of /clock; on hardware let chrony slew the clock, and not step it, while '
          'robots run.', timing.jumps),
    Check('drifts', 'Do clocks run at one speed?',
          'Stamps go off from each other more and more, or messages wait longer and longer.',
          'Have chrony run on all machines. Where the clocks are well, something queues: look '
          'what else the network and the computer have to do.', timing.drifts),
    Check('offsets', 'Do stamps agree with the time here?',
          'The election trusts no stamps, but TF, RViz and recordings do: transforms are said to '
          'be too old, or in the future.',
          "Synchronise all machines' clocks (chrony, one of them the server); have drivers stamp "
          'what they publish.', timing.offsets),
)


def examine(seen: Observations) -> list[Finding]:
    """Return all that is to be found, in the order of the checks, the worst of each first."""
    return [Finding(check.name, *sign, check.remedy)
            for check in CHECKS
            for sign in sorted(check.look(seen), key=lambda sign: (-sign.level, *sign[1:]))]


def about(findings: Iterable[Finding], robot: str) -> list[Finding]:
    """Return those that are about a robot, or about the whole swarm."""
    return [finding for finding in findings
            if not finding.subjects or robot in finding.subjects]
