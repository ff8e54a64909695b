"""Native code that all machines share, compiled before the tests: `python -m tests.native`.

Two workers of a test run that begin with an empty cache would each compile the same drivers.
Here two processes share them out: small runs, by every method with and without events and by
every way to hold constraints, fill the cache. With a full one it is over in seconds.
"""

import sys
import time
from concurrent.futures import ProcessPoolExecutor
from typing import Any

PROCESSES = 2
STEPS = {"step": 0.01}
METHODS = {  # those that take longest to compile come first
    "Radau5": {}, "Gauss2": STEPS, "GeneralizedAlpha": STEPS, "SDIRK54": {},
    "Trapezoidal": STEPS, "DOP853": {}, "DOPRI5": {}, "RKF45": {}, "Nystrom4": STEPS,
    "RK4": STEPS,
}  # fmt: skip
LOOPS = [("Radau5", "project"), ("Gauss2", "project"), ("DOP853", "project")]
WAYS = [("DOP853", "independent"), ("DOP853", "baumgarte")]
SUMS = [("GeneralizedAlpha", "sum of elements"), ("Radau5", "sum of elements")]
TREES = [(name, None) for name in METHODS]
JOBS = [(*job, watched) for job in LOOPS + TREES for watched in (True, False)]
JOBS += [(*job, False) for job in WAYS + SUMS]


def run(job: tuple[str, str | None, bool]) -> tuple[str, float]:
    """Make a small run; return what it was and the processor time it took [s]."""
    from tests.machines import four_bars, hinged

    import bellcrank as bc

    method, way, watched = job
    begun = time.process_time()
    options: dict[str, Any] = {"integrator": getattr(bc, method)(**METHODS[method])}
    if watched:
        options["events"] = [bc.Event("through", "A.angle - 1.0")]
    if way == "sum of elements":
        options["formulation"] = bc.Cartesian(assembled=True)
    elif way:
        options["constraints"] = way
    bc.simulate(four_bars.in_space() if way else hinged.pendulum(), 0.02, **options)
    name = f"{method}, {way or 'tree'}{', events' if watched else ''}"
    return name, time.process_time() - begun


def main() -> None:
    """Fill the cache; name what took long."""
    begun = time.perf_counter()
    with ProcessPoolExecutor(PROCESSES) as pool:
        for name, seconds in pool.map(run, JOBS):
            if seconds > 1.0 or "-v" in sys.argv:
                print(f"{name}: {seconds:.1f} s", flush=True)
    print(f"native code of {len(JOBS)} kinds of runs; {time.perf_counter() - begun:.0f} s.")


if __name__ == "__main__":
    main()
