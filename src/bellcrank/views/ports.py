"""Where a view is served: on this computer only, at a port that is free."""

import socket
from collections.abc import Callable

from bellcrank.errors import OptionError

HOST = "127.0.0.1"


def free_port(wanted: int, say: Callable[[str], None]) -> int:
    """Return the first free port from the wanted one on, and say if it is another.

    Raises:
        OptionError: It is no port, or none of the next hundred is free.
    """
    if isinstance(wanted, bool) or not isinstance(wanted, int) or not 0 < wanted < 65536:
        raise OptionError(f"a port is a number from 1 to 65535, got {wanted!r}.")
    for port in range(wanted, min(wanted + 100, 65536)):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                trial.bind((HOST, port))
            except OSError:
                continue
        if port != wanted:
            say(f"port {wanted} is taken; {port} is used instead.")
        return port
    raise OptionError(f"no port from {wanted} to {wanted + 99} is free.")
