"""What all tests share: guard words round everything that native code writes."""

import os

os.environ.setdefault("BELLCRANK_GUARDS", "1")
