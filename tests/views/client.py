"""A client of the viewer's socket that draws nothing: for counting."""

import time

import msgspec
import viser
import zstandard
from websockets.sync.client import connect

PICTURE = {"fov": 0.5, "near": 0.1, "far": 100.0, "image_height": 600, "image_width": 800}
PLACES = {"position": [0.0, -5.0, 1.0], "look_at": [0.0, 0.0, 0.0]}
TURNS = {"wxyz": [1.0, 0.0, 0.0, 0.0], "up_direction": [0.0, 0.0, 1.0]}


HANGS = 300.0  # seconds after which a test has hung; how long things take is not asked


class Client:
    """A connection to a viewer, known to it once it has sent a camera.

    Args:
        viewer: A view that is being served.

    Attributes:
        first: What a new client is told, all of it.
    """

    def __init__(self, viewer):
        self.viewer = viewer
        address = viewer.url.rstrip("/").replace("http", "ws", 1)
        protocol = f"viser-v{viser.__version__}"
        self.socket = connect(address, subprotocols=[protocol], max_size=None)
        self.send({"type": "ViewerCameraMessage"} | PICTURE | PLACES | TURNS)
        self.first = self.receive(lambda message: message["type"] == "ReplayDoneMessage")
        deadline = time.perf_counter() + HANGS
        while not viewer.server.get_clients() and time.perf_counter() < deadline:
            time.sleep(0.01)

    def send(self, message):
        """Send one message."""
        self.socket.send(msgspec.msgpack.encode(message))

    def told(self, kind, label=None):
        """Return the identity of what a client is told of first, by kind and label."""
        (found, *_) = (
            message["uuid"]
            for message in self.first
            if message["type"] == kind and label in (None, message["props"].get("label"))
        )
        return found

    def turn(self, label, value):
        """Turn a slider, as the mouse does."""
        uuid = self.told("GuiSliderMessage", label)
        self.send({"type": "GuiUpdateMessage", "uuid": uuid, "updates": {"value": value}})

    def receive(self, until, timeout=HANGS):
        """Return all messages up to one for which `until` holds."""
        found, deadline = [], time.perf_counter() + timeout
        while True:
            raw = self.socket.recv(timeout=max(0.01, deadline - time.perf_counter()))
            size = int.from_bytes(raw[8:16], "little")
            inner = zstandard.ZstdDecompressor().decompress(raw[16 : 16 + size])
            found += msgspec.msgpack.decode(inner)["messages"]
            if any(map(until, found)):
                return found

    def close(self):
        """Hang up."""
        self.socket.close()
