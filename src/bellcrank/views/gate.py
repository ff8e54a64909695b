"""Who may talk to a view: those who were told its address, from its own page.

A server on this computer is open to every page in the user's browser: a page from elsewhere may
send requests to 127.0.0.1, and a name of its own that resolves to 127.0.0.1 makes it one origin
with the server. So every request is looked at before the server sees it:

- `Host` is this server, which a name from elsewhere is not;
- `Origin`, which browsers send with every socket they open, is this server;
- the path begins with a token that was drawn for this view and is part of its address.

Nothing is served to the network: a client cannot ask for a public tunnel.
"""

import contextlib
import hmac
import http
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from secrets import token_urlsafe
from typing import Any

import viser
import websockets.asyncio.server as sockets
from websockets.http11 import Request, Response

from bellcrank.errors import NotSupported
from bellcrank.views.ports import HOST

NAMES = (HOST, "localhost")
PRIVATE = {"Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY"}
PLAIN = frozenset(" .,;-+=%'")  # with letters and digits, what Markdown leaves as it is

_serving = threading.Lock()


class Gate:
    """What a request must have.

    Attributes:
        token: The beginning of every path.
        port: Where the server listens; known once it does.
    """

    def __init__(self) -> None:
        self.token, self.port = token_urlsafe(24), 0

    def refusal(self, request: Request) -> str:
        """Return why a request is refused, or an empty string."""
        places = {f"{name}:{self.port}" for name in NAMES}
        if set(request.headers.get_all("Host")) - places or "Host" not in request.headers:
            return "this view is asked for by its own address only"
        if set(request.headers.get_all("Origin")) - {f"http://{place}" for place in places}:
            return "this view is used from its own page only"
        given = request.path.partition("?")[0].strip("/").partition("/")[0]
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            return "the address of this view has a token, which is missing"
        return ""

    def within(self, request: Request) -> Request:
        """Return a request without the token."""
        return replace(request, path=request.path.replace(f"/{self.token}", "", 1) or "/")

    def before(self, answer: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function that answers requests which pass, by another, and no others."""

        def process(connection: Any, request: Request) -> Response | None:
            reason = self.refusal(request)
            if reason:
                return connection.respond(http.HTTPStatus.FORBIDDEN, f"{reason}.\n")
            response = answer(connection, self.within(request))
            if response is not None:
                response.headers.update(PRIVATE)
            return response

        return process


class GuardedServer(viser.ViserServer):
    """A server behind a gate, without a tunnel.

    Args:
        port: Where to listen, on this computer.

    Raises:
        NotSupported: This version of viser opens no socket that can be guarded.
    """

    def __init__(self, port: int) -> None:
        self.gate = Gate()
        with _guarded(self.gate) as taken:
            super().__init__(HOST, port, verbose=False)
        if not taken:
            self.stop()
            raise NotSupported(
                f"viser {viser.__version__} opens its socket in a way that bellcrank cannot "
                "guard. Install viser 1.1, or write a page with run.animate."
            )
        self.gate.port = self.get_port()

    def request_share_url(self, verbose: bool = True) -> str | None:
        """Return no address: a view is not shown to others, whoever asks."""
        return None

    def disconnect_share_url(self) -> None:
        """Do nothing: there is no tunnel."""


@contextlib.contextmanager
def _guarded(gate: Gate) -> Iterator[list[bool]]:
    """Have the next server that is opened ask a gate first; yield whether one was opened.

    viser takes no such function, so it is put into the call by which it opens its socket.
    """
    taken: list[bool] = []
    plain = sockets.serve

    def serve(*args: Any, process_request: Any = None, **options: Any) -> Any:
        taken.append(True)
        return plain(*args, process_request=gate.before(process_request), **options)

    with _serving:
        sockets.serve = serve
        try:
            yield taken
        finally:
            sockets.serve = plain


def escaped(text: str) -> str:
    """Return a text as Markdown that shows it and nothing else: no tag, link or expression.

    Examples:
        >>> escaped("joint '<b>' {x}")
        "joint '&#60;b&#62;' &#123;x&#125;"
    """
    line = " ".join(text.split())
    return "".join(c if c.isalnum() or c in PLAIN else f"&#{ord(c)};" for c in line)
