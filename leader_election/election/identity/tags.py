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
Tags: what one robot says to one other, of which the two alone know the key.

The key follows from the key pairs of both (X25519, RFC 7748, by the points of their Ed25519 keys),
so the roster is all it takes. A tag has 50 bits, as it is checked by one robot, while it counts.
"""

from functools import lru_cache
import hashlib
import hmac
import struct

TAG_BITS = 50
_PRIME = 2**255 - 19
_GRANT = struct.Struct('<QQIQ')
_CONTEXT = b'leader_election grant 1\0'


@lru_cache(maxsize=1024)
def common_key(seed: bytes, other: bytes) -> bytes:
    """
    Return the key that two robots share.

    :param seed: the private key of one.
    :param other: the public key of the other one.
    """
    from cryptography.hazmat.primitives.asymmetric.x25519 import (
        X25519PrivateKey,
        X25519PublicKey,
    )
    y = int.from_bytes(other, 'little') % 2**255
    # RFC 7748, section 4.1: the Montgomery coordinate of a point.
    u = (1 + y) * pow(1 - y, -1, _PRIME) % _PRIME if y % _PRIME != 1 else 0
    secret = X25519PrivateKey.from_private_bytes(hashlib.sha512(seed).digest()[:32])
    try:
        found: bytes = secret.exchange(X25519PublicKey.from_public_bytes(u.to_bytes(32, 'little')))
    except ValueError:
        # A key without a secret, which harms the robot alone that has chosen it.
        return bytes(32)
    return hashlib.sha256(_CONTEXT + found).digest()


def grant_tag(key: bytes, member: int, leader: int, boot: int, beat: int) -> int:
    """
    Return the proof that a member grants a leader a beat.

    :param key: of the two.
    :param boot: of the leader.
    """
    text = _CONTEXT + _GRANT.pack(member, leader, boot, beat)
    digest = hmac.digest(key, text, 'sha256')
    return int.from_bytes(digest[:8], 'big') >> (64 - TAG_BITS)
