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
A client of Gazebo Classic's transport: subscribe and advertise, over TCP.

A frame is its length in eight hexadecimal characters, then so many bytes. The master, which runs
in gzserver, is told what one wants and has, in ``Packet``; it answers with who has it, where.
Between publisher and subscriber go bare messages, one topic a connection. One client should serve
a server for as long as that lives: when one leaves, later ones get no answers.
"""

from collections.abc import Callable
from contextlib import suppress
import selectors
import socket
import threading
import time
from typing import Any

from physics.messages import Messages

HOST = '127.0.0.1'
_HEADER = 8
_OFFERS = ('publisher_add', 'publisher_subscribe', 'publisher_advertise')
"""
The master says who has what: to all; to who asks; to who asked, as soon as there is somebody.

What is asked while it starts up is lost now and then, so that all three are listened to.
"""
_PATIENCE = 2.0
"""What had no answer for so long is said again [s]."""


class Publisher:
    """
    Sends messages to all who came for a topic.

    :ivar kind: of the messages.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._lines: list[socket.socket] = []

    @property
    def heard(self) -> bool:
        """Return whether anybody listens."""
        return bool(self._lines)

    def publish(self, message: Any) -> None:
        """Send; who has hung up is forgotten."""
        for line in list(self._lines):
            try:
                line.sendall(framed(message.SerializeToString()))
            except OSError:
                self._lines.remove(line)

    def serve(self, line: socket.socket) -> None:
        """Take in one more listener."""
        self._lines.append(line)


class Client:
    """One thread that reads all connections; callbacks run on it."""

    def __init__(self, messages: Messages, port: int, world: str) -> None:
        """
        Connect to the master.

        :param port: on which the master listens.
        :param world: whose topics are meant.
        :raises OSError: when nobody listens.
        """
        self._messages = messages
        self._space = f'/gazebo/{world}/'
        self._wanted: dict[str, tuple[str, Callable[[Any], None]]] = {}
        self._offered: dict[str, Publisher] = {}
        self._known: dict[str, set[int]] = {}
        self._met: set[tuple[str, int]] = set()
        self._lock, self._telling = threading.Lock(), threading.Lock()
        self._selector = selectors.DefaultSelector()
        self._listener = socket.create_server((HOST, 0))
        self._selector.register(self._listener, selectors.EVENT_READ, self._accept)
        self._port = self._listener.getsockname()[1]
        self._open = True
        self._master = self._connect(port, self._obey)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def subscribe(self, topic: str, kind: str, callback: Callable[[Any], None]) -> None:
        """Have each message of a topic of this world handed to a callback."""
        with self._lock:
            self._wanted[self._space + topic] = kind, callback
        self._tell('subscribe', self._subscription(self._space + topic))
        self._meet(self._space + topic)

    def advertise(self, topic: str, kind: str) -> Publisher:
        """Return what publishes on a topic of this world."""
        publisher = Publisher(kind)
        with self._lock:
            self._offered[self._space + topic] = publisher
        self._offer(self._space + topic)
        return publisher

    def close(self) -> None:
        """Hang up."""
        self._open = False
        self._thread.join(timeout=2.0)
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]
        self._selector.close()

    def _subscription(self, topic: str) -> Any:
        return self._messages['Subscribe'](
            topic=topic, host=HOST, port=self._port,
            msg_type=f'gazebo.msgs.{self._wanted[topic][0]}', latching=False)

    def _packet(self, kind: str, body: Any) -> bytes:
        packet = self._messages['Packet'](type=kind, serialized_data=body.SerializeToString())
        packet.stamp.sec = packet.stamp.nsec = 0
        return framed(packet.SerializeToString())

    def _tell(self, kind: str, body: Any) -> None:
        with self._telling:
            self._master.sendall(self._packet(kind, body))

    def _offer(self, topic: str) -> None:
        self._tell('advertise', self._messages['Publish'](
            topic=topic, msg_type=f'gazebo.msgs.{self._offered[topic].kind}', host=HOST,
            port=self._port))

    def _insist(self) -> None:
        """
        Say again what had no answer, on another line.

        Now and then the master does not listen to one that came while it started up; to hang up
        would make it forget us.
        """
        with self._lock:
            met = {topic for topic, _ in self._met}
            asked = [topic for topic in self._wanted if topic not in met]
            offered = [topic for topic, each in self._offered.items() if not each.heard]
        # A master that has hung up answers nothing more.
        with suppress(OSError):
            if asked or offered:
                self._master = self._connect(self._master.getpeername()[1], self._obey)
            for topic in asked:
                self._tell('subscribe', self._subscription(topic))
            for topic in offered:
                self._offer(topic)

    def _connect(self, port: int, callback: Callable[[bytes, socket.socket], None],
                 ) -> socket.socket:
        line = socket.create_connection((HOST, port), timeout=10.0)
        self._watch(line, callback)
        return line

    def _watch(self, line: socket.socket, callback: Callable[[bytes, socket.socket], None],
               ) -> None:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        frames = Frames()

        def read() -> None:
            try:
                data = line.recv(1 << 16)
            except OSError:
                data = b''
            if not data:
                self._selector.unregister(line)
                line.close()
            for frame in frames.add(data):
                callback(frame, line)
        self._selector.register(line, selectors.EVENT_READ, read)

    def _run(self) -> None:
        again = time.monotonic() + _PATIENCE
        while self._open:
            for key, _ in self._selector.select(timeout=0.1):
                key.data()
            if time.monotonic() > again:
                self._insist()
                again = time.monotonic() + _PATIENCE

    def _accept(self) -> None:
        line, _ = self._listener.accept()
        self._watch(line, self._serve)

    def _serve(self, frame: bytes, line: socket.socket) -> None:
        """Take in who has come, and what for."""
        packet = self._messages['Packet'].FromString(frame)
        if packet.type == 'sub':
            topic = self._messages['Subscribe'].FromString(packet.serialized_data).topic
            self._offered[topic].serve(line)

    def _obey(self, frame: bytes, line: socket.socket) -> None:
        """Take in what the master says."""
        packet = self._messages['Packet'].FromString(frame)
        if packet.type in _OFFERS:
            offers = [self._messages['Publish'].FromString(packet.serialized_data)]
        elif packet.type == 'publishers_init':
            offers = self._messages['Publishers'].FromString(packet.serialized_data).publisher
        else:
            return
        for offer in offers:
            with self._lock:
                self._known.setdefault(offer.topic, set()).add(offer.port)
            self._meet(offer.topic)

    def _meet(self, topic: str) -> None:
        """Connect to all who have what is wanted, once to each."""
        with self._lock:
            if topic not in self._wanted:
                return
            new = {port for port in self._known.get(topic, ())
                   if (topic, port) not in self._met and port != self._port}
            self._met |= {(topic, port) for port in new}
        kind, callback = self._wanted[topic]
        parse = self._messages[kind].FromString
        for port in new:
            source = self._connect(port, lambda frame, line: callback(parse(frame)))
            source.sendall(self._packet('sub', self._subscription(topic)))


class Frames:
    """
    Cuts a stream into frames.

    >>> frames = Frames()
    >>> frames.add(framed(b'one') + b'       3tw'), frames.add(b'o')
    ([b'one'], [b'two'])
    """

    def __init__(self) -> None:
        self._rest = b''

    def add(self, data: bytes) -> list[bytes]:
        """Return the frames that are whole by now."""
        self._rest += data
        whole = []
        while len(self._rest) >= _HEADER:
            end = _HEADER + int(self._rest[:_HEADER], 16)
            if len(self._rest) < end:
                break
            whole.append(self._rest[_HEADER:end])
            self._rest = self._rest[end:]
        return whole


def framed(data: bytes) -> bytes:
    """
    Return bytes as a frame.

    >>> framed(b'sixteen bytes!!!')
    b'      10sixteen bytes!!!'
    """
    return f'{len(data):8X}'.encode() + data
