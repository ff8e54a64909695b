"""Names of links and joints as names of bodies and joints.

In a model all names differ, some are reserved, and '.', '/' and control characters are not
part of a name. The rule, joints before links:

1. Each character that cannot be part of a name becomes `_`.
2. A name that is reserved or taken gets `_joint` or `_link` at its end, and if that is taken
   too, `_2`, `_3`, … after it.
"""

import itertools

from bellcrank.model.elements.fields import FORBIDDEN
from bellcrank.model.names import RESERVED


class Names:
    """Names given so far.

    Attributes:
        taken: All of them.
        changed: What was to be called otherwise: (kind, as written, as it is now).
    """

    def __init__(self) -> None:
        self.taken: set[str] = set()
        self.changed: list[tuple[str, str, str]] = []

    def give(self, written: str, kind: str) -> str:
        """Return the name for what the file calls `written`, and note it if it differs."""
        name = self.free(FORBIDDEN.sub("_", written).strip() or "_", kind)
        if name != written:
            self.changed.append((kind, written, name))
        return name

    def free(self, wanted: str, kind: str) -> str:
        """Return the name, or the next one that is free."""
        more = (f"{wanted}_{kind}_{k}" for k in itertools.count(2))
        names = itertools.chain((wanted, f"{wanted}_{kind}"), more)
        name = next(n for n in names if n not in self.taken and n not in RESERVED)
        self.taken.add(name)
        return name
