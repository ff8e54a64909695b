"""Bad input and machines otherwise said, by the thousand: `make fuzz`.

python -m tests.fuzz [--seed S] [--cases N] [--only FAMILY] [--workers N]
"""

import argparse
import sys
import time

from tests.fuzz.cases import FAMILIES
from tests.fuzz.trying import main

if __name__ == "__main__":
    reader = argparse.ArgumentParser()
    reader.add_argument("--seed", type=int, default=int(time.time()))
    reader.add_argument("--cases", type=int, default=10_000)
    reader.add_argument("--only", choices=FAMILIES)
    reader.add_argument("--workers", type=int, default=2)
    asked = reader.parse_args()
    sys.exit(main(asked.seed, asked.cases, asked.only, asked.workers) > 0)
