"""One worker that always does the newest request, and skips those that were overtaken.

Sliders send values faster than a machine can be run; callbacks come in parallel and out of
order. Here they only leave a request, and one thread takes the newest when it is free.
"""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Mailbox(Generic[T]):
    """A thread that calls `work` with the newest request.

    Args:
        work: What is done with a request; what it raises goes to `trouble`.
        trouble: What is done with an error.

    Examples:
        >>> done = []
        >>> box = Mailbox(done.append)
        >>> box.put(1)
        >>> box.idle(5.0)
        True
        >>> box.close()
        >>> done
        [1]
    """

    def __init__(
        self, work: Callable[[T], None], trouble: Callable[[Exception], None] | None = None
    ) -> None:
        self._work, self._trouble = work, trouble
        self._request: list[T] = []
        self._busy = False
        self._closed = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="bellcrank worker", daemon=True)
        self._thread.start()

    def put(self, request: T) -> None:
        """Leave a request in the place of the one that is waiting."""
        with self._changed:
            self._request[:] = [request]
            self._changed.notify_all()

    def idle(self, timeout: float) -> bool:
        """Wait until nothing is left to do; return whether that was within the timeout [s]."""
        with self._changed:
            return self._changed.wait_for(lambda: not (self._busy or self._request), timeout)

    def close(self, timeout: float = 2.0) -> None:
        """End the thread after what it is doing, and wait for that [s]."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._request or self._closed)
                if self._closed:
                    return
                request = self._request.pop()
                self._busy = True
            try:
                self._work(request)
            except Exception as error:
                if self._trouble is not None:
                    self._trouble(error)
            finally:
                with self._changed:
                    self._busy = False
                    self._changed.notify_all()
