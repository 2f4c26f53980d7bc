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

"""Robots with identities, and the roster of their owner."""

from collections.abc import Callable, Mapping
import hashlib

from leader_election.election.identity.identity import Identity
from leader_election.election.identity.roster import (
    ENDLESS,
    IdentityKeys,
    public_key,
    Record,
    Roster,
    sign_record,
    SignedRecord,
)

OWNER = bytes(31) + b'o'
START = 1_780_000_000_000
"""The wall clock at the start [ms]."""


def keys_of(robot: int) -> IdentityKeys:
    """Return the keys of a robot."""
    return IdentityKeys(robot, robot.to_bytes(32, 'big'), public_key(OWNER))


def record_of(robot: int, strength: float, version: int = 1, leads: bool = True,
              until: int = ENDLESS, revoked: bool = False) -> SignedRecord:
    """Return the signed record of a robot."""
    key = public_key(keys_of(robot).seed)
    return sign_record(Record(robot, key, strength, leads, until, version, revoked), OWNER)


def identities(strengths: Mapping[int, float]) -> Callable[[int], Identity]:
    """
    Return what makes the identity of a robot, another one at each call.

    :param strengths: the greatest that each robot may claim.
    """
    records, made = [record_of(i, each) for i, each in strengths.items()], [0]

    def secret() -> bytes:
        made[0] += 1
        return hashlib.sha256(str(made[0]).encode()).digest()

    def identity(robot: int) -> Identity:
        made[0] += 1
        return Identity(keys_of(robot), Roster(public_key(OWNER), records), made[0], secret)
    return identity
