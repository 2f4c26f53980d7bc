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

"""The server of pages, in a thread of its own: for this computer alone, or with a token."""

from collections.abc import Callable
import hmac
import logging
import secrets
from socket import gethostname
import threading
from typing import Any
from urllib.parse import urlsplit

from bokeh.document import Document
from bokeh.server.auth_provider import AuthProvider
from bokeh.server.server import Server
from leader_election.parameters import ParameterError
from tornado.ioloop import IOLoop
from tornado.web import HTTPError

HERE = ('localhost', '127.0.0.1', '::1')
EVERYWHERE = ('0.0.0.0', '::')
"""Wildcard addresses, for which the host name is printed."""
_COOKIE = 'swarm_token'


class _TokenProvider(AuthProvider):
    """
    Admits visitors.

    With a token, it admits visitors whose address, or cookie of an earlier visit, holds the token.
    Without one, it admits visitors who use a host name of :data:`HERE`, also for the page that
    asks. So a page on the internet, whose host name may resolve to this computer, is refused.

    :param token: of the address, empty for none.
    """

    login_url = '/'
    """Bokeh wants one. Nobody is sent there."""

    def __init__(self, token: str) -> None:
        self.token = token
        super().__init__()

    def get_user(self, handler: Any) -> str:  # type: ignore[override]
        """Return that a visitor is admitted, or raise HTTPError."""
        given = handler.get_argument('token', '') or handler.get_cookie(_COOKIE, '')
        # Forwarded by ssh, the page may have another port.
        hosts = f'//{handler.request.host}', handler.request.headers.get('Origin', '//localhost')
        if not (hmac.compare_digest(given.encode(), self.token.encode()) if self.token
                else {urlsplit(host).hostname for host in hosts} <= {*HERE}):
            raise HTTPError(403, reason='the page is at the address that was printed; through ssh '
                            'at http://localhost with the forwarded port')
        if self.token and handler.request.headers.get('Upgrade') is None:
            handler.set_cookie(_COOKIE, given, httponly=True, samesite='Strict')
        return 'viewer'


class PageServer:
    """
    Serves one page, made anew for each viewer.

    :param make: fills the document of a viewer, called in the server's thread.
    :param port: 0: any free one.
    :param address: of the socket. An address that other computers reach needs a token.
    :param token: for such an address, empty for a random one.
    :raises ParameterError: when the port cannot be used.
    :ivar url: the address of the page, with the token.
    """

    def __init__(self, make: Callable[[Document], Any], port: int, address: str = 'localhost',
                 token: str = '') -> None:
        # A viewer that goes away or is refused, or a file that does not exist, is no event.
        for name in ('bokeh.server.util', 'bokeh.server.views.ws', 'tornado.access',
                     'tornado.general'):
            logging.getLogger(name).setLevel(logging.ERROR)
        token = '' if address in HERE else token or secrets.token_urlsafe(12)
        try:
            self._server = Server(
                make, IOLoop(), address=address, port=port, auth_provider=_TokenProvider(token),
                # The provider admits visitors by more than the origin.
                allow_websocket_origin=['*'])
        except OSError as error:
            raise ParameterError('port', problem=f': {address}:{port} cannot be used '
                                 f'({error.strerror}); take another port, or 0 for any') from None
        host = gethostname() if address in EVERYWHERE else address
        self.url = f'http://{host}:{self._server.port}/' + (f'?token={token}' if token else '')
        self._server.io_loop.add_callback(self._server.start)
        self._thread = threading.Thread(
            target=self._server.io_loop.start, name='pages', daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Close all pages, and end the server."""
        for end in (self._server.stop, self._server.io_loop.stop):
            self._server.io_loop.add_callback(end)
        self._thread.join(timeout=2.0)
