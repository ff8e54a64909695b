"""What `make demo` runs: machines, a summary of each, and their pictures in `demo/`."""

import os
import runpy
import sys
import time
from pathlib import Path

os.environ.setdefault("MPLBACKEND", "Agg")  # pictures go to files, no window is needed

from matplotlib import pyplot

import bellcrank as bc
from bellcrank import examples

EXAMPLES = Path(__file__).parent
FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else "demo")


def show(script: Path) -> None:
    """Run one of the numbered examples and say what it did."""
    sys.argv = [str(script), str(FOLDER)]
    begun = time.perf_counter()
    known = runpy.run_path(str(script))
    pyplot.close("all")  # its pictures are written
    run, machine = known.get("run"), known["machine"]
    seconds = time.perf_counter() - begun
    did = "questions answered"  # where nothing was simulated
    if run is not None:
        steps = f"{run.statistics['steps']} steps of {run.statistics['method']}"
        did = f"{steps} to t = {run.t[-1]:g} s"
    print(f"  {machine.name}: {did}, all in {seconds:.1f} s\n")


def main() -> None:
    """Report one machine, then run all examples."""
    FOLDER.mkdir(exist_ok=True)
    print(bc.report(examples.load("double-pendulum")), "\n")
    for script in sorted(EXAMPLES.glob("[0-9]*.py")):
        show(script)
    print("pictures:", ", ".join(str(file) for file in sorted(FOLDER.glob("*.png"))))


if __name__ == "__main__":
    main()
