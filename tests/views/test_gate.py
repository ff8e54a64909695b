"""A view is for those who were told its address: pages from elsewhere get nothing."""

import http.client
import socket
import time

import pytest
import viser
from tests.views.client import Client
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Subprotocol

import bellcrank as bc
from bellcrank.views.gate import escaped
from bellcrank.views.ports import HOST

HOSTILE = "<img src=x onerror=alert(1)>{globalThis`1`}[a](b)"


@pytest.fixture(scope="module")
def viewer(run):
    with socket.socket() as trial:
        trial.bind((HOST, 0))
        port = trial.getsockname()[1]
    with bc.view(run, port=port, block=False, say=lambda _: None) as made:
        yield made


def asked(viewer, path, headers=None, host=None):
    """Return the status and the headers of an answer."""
    connection = http.client.HTTPConnection(viewer.host, viewer.port, timeout=10)
    connection.putrequest("GET", path, skip_host=True)
    connection.putheader("Host", host or f"{viewer.host}:{viewer.port}")
    for name, value in (headers or {}).items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, answer.headers, body


def opened(viewer, path=None, **headers):
    """Return whether a socket is opened."""
    own = viewer.url.partition(str(viewer.port))[2].rstrip("/")
    address = f"ws://{viewer.host}:{viewer.port}{own if path is None else path}"
    protocol = Subprotocol(f"viser-v{viser.__version__}")
    try:
        with connect(address, subprotocols=[protocol], additional_headers=headers):
            return True
    except InvalidStatus as refused:
        return refused.response.status_code != 403


def own(viewer):
    return "/" + viewer.server.gate.token + "/"


def test_the_page_and_its_socket_open_with_the_token(viewer):
    status, headers, body = asked(viewer, own(viewer))
    assert (status, headers["Referrer-Policy"]) == (200, "no-referrer")
    assert b"<html" in body
    assert viewer.host == "127.0.0.1"
    assert opened(viewer)
    assert opened(viewer, Origin=f"http://127.0.0.1:{viewer.port}")
    assert opened(viewer, Origin=f"http://localhost:{viewer.port}")


@pytest.mark.parametrize(
    "path", ["/", "/x/", "/?token=x", "/index.html", "//", "/%2e%2e/", "/assets/"]
)
def test_nothing_is_served_without_the_token(viewer, path):
    status, _, body = asked(viewer, path)
    assert status == 403
    assert viewer.server.gate.token.encode() not in body
    assert not opened(viewer, path=path)


@pytest.mark.parametrize("origin", ["https://elsewhere.example", "null", "http://127.0.0.1:1"])
def test_a_page_of_another_origin_gets_nothing(viewer, origin):
    assert not opened(viewer, Origin=origin)
    assert asked(viewer, own(viewer), {"Origin": origin})[0] == 403


@pytest.mark.parametrize("host", ["elsewhere.example", "elsewhere.example:8080", "127.0.0.1"])
def test_a_name_that_resolves_here_gets_nothing(viewer, host):
    assert asked(viewer, own(viewer), host=host)[0] == 403


def test_tokens_differ_and_are_long(viewer, run):
    with bc.view(run, port=viewer.port, block=False, say=lambda _: None) as other:
        assert other.server.gate.token != viewer.server.gate.token
        assert len(other.server.gate.token) >= 32
        assert viewer.server.gate.token not in repr(viewer)


def test_no_client_gets_a_tunnel(viewer, monkeypatch):
    asked_for = []
    monkeypatch.setattr("viser._viser.ViserTunnel", lambda *a, **k: asked_for.append(a))
    client = Client(viewer)
    client.send({"type": "ShareUrlRequest"})
    client.send({"type": "ShareUrlDisconnect"})
    time.sleep(0.5)
    client.close()
    assert not asked_for
    assert viewer.server.request_share_url() is None


def test_texts_of_the_panel_are_shown_and_do_nothing(viewer):
    viewer.complain(bc.ModelError(f"joint '{HOSTILE}':\nexport const x = 1"))
    said = viewer.status.content
    assert not set("<>{}[]()`\\").intersection(said)
    assert "\nexport" not in said
    assert escaped(HOSTILE) in said


def test_servers_opened_by_others_are_left_alone(viewer):
    import websockets.asyncio.server as sockets

    assert sockets.serve.__module__ == "websockets.asyncio.server"
