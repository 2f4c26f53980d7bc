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
The part of a message about identities: key ``y`` of ``neighbourhood.schema.json``.

Four pieces with points between them, empty where they are left out, each in base64 without
padding: signature, link, leader's statement, news.
"""

import binascii
from functools import lru_cache
import struct
from typing import Any

from leader_election.election.identity.part import IdentityPart, LeaderPart, Link, Own
from leader_election.election.identity.roster import RECORD_BYTES, SIGNATURE_BYTES
from leader_election.election.identity.statements import ELEMENT_BYTES, SIGNED_BYTES
from leader_election.election.messages.wire import Kind, Rejected, text

_OWN = struct.Struct(f'<I6sBfff{SIGNATURE_BYTES}s')
_PROMISE = struct.Struct('<Q6s')
_LINK = struct.Struct(f'<B{ELEMENT_BYTES}s')
_LEADER = struct.Struct(f'<I6sff{ELEMENT_BYTES}sH{SIGNATURE_BYTES}s')
_NEWS = (RECORD_BYTES, 2 * SIGNED_BYTES)
_TEXT = text(pattern=r'[A-Za-z0-9+/]*([.][A-Za-z0-9+/]*){0,3}')


def _bytes(piece: str) -> bytes:
    try:
        return binascii.a2b_base64(piece + '=' * (-len(piece) % 4))
    except binascii.Error:
        raise Rejected from None


# Cached, as robots repeat their statements, and all neighbours that of the same leader.
@lru_cache(maxsize=1024)
def _leader(piece: str) -> LeaderPart:
    boot, serial, *rest = _LEADER.unpack(_bytes(piece))
    return LeaderPart(boot, int.from_bytes(serial, 'little'), *rest)


@lru_cache(maxsize=1024)
def _own(piece: str) -> Own:
    data, size = _bytes(piece), _OWN.size
    boot, serial, *rest = _OWN.unpack(data[:size])
    own = Own(boot, int.from_bytes(serial, 'little'), *rest)
    if len(data) == size:
        return own
    promised, until = _PROMISE.unpack(data[size:])
    return own._replace(promised=promised, until=int.from_bytes(until, 'little'))


def _read(value: Any) -> IdentityPart:
    if type(value) is not str:
        raise Rejected
    return _parsed(value)


@lru_cache(maxsize=256)
def _parsed(text: str) -> IdentityPart:
    """Return a part; cached, as neighbours that are as many hops away say the same."""
    own, link, leader, news = (_TEXT.read(text) + '...').split('.')[:4]
    data = _bytes(news) if news else b''
    if data and len(data) not in _NEWS:
        raise Rejected
    try:
        return IdentityPart(
            _own(own) if own else None,
            Link(*_LINK.unpack(_bytes(link))) if link else None,
            _leader(leader) if leader else None, data)
    except struct.error:
        raise Rejected from None


def _write(part: IdentityPart) -> str:
    own, leader = (
        b'' if each is None else form.pack(each[0], each[1].to_bytes(6, 'little'), *each[2:end])
        for each, form, end in ((part.own, _OWN, 7), (part.leader, _LEADER, None)))
    if part.own is not None and part.own.until:
        own += _PROMISE.pack(part.own.promised, part.own.until.to_bytes(6, 'little'))
    link = b'' if part.link is None else _LINK.pack(*part.link)
    return '.'.join(binascii.b2a_base64(piece, newline=False).decode().rstrip('=')
                    for piece in (own, link, leader, part.news)).rstrip('.')


IDENTITY = Kind(_read, _TEXT.schema, _write)
"""The kind of the part of a message about identities."""
