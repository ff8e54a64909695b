"""Many runs in one process, many threads, killed processes, full disks: `make endurance`.

python -m tests.endurance [name …]

Each trial is a function that asserts; all are run and named, and what fails is said.
"""

import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import bellcrank as bc
from bellcrank import examples

RUNS, MODELS, KILLS, INTERRUPTS = 5000, 300, 40, 10
GROWTH = 60  # MiB that 5,000 runs may add after the first hundred
PER_MODEL = 6.0  # MiB that a model may keep; compiled ones are kept up to a number


def memory() -> float:
    """Return the resident memory of this process [MiB]."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 2**20


def handles() -> int:
    """Return how many files this process has open."""
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208


def pendulum(k: int = 0, name: str = "pendulum") -> bc.Model:
    """Return a pendulum; each number gives another machine with code of its own."""
    length = 1.0 + 0.001 * k
    return bc.Model(
        name,
        bodies=[bc.Body("rod", bc.Rod((0, 0, 0), (length, 0, 0), mass=1.0))],
        joints=[bc.Revolute("A", "ground", "rod", at=(0, 0, 0), axis="y")],
    )


def many_runs() -> str:
    """Thousands of runs of one machine, read and saved, in bounded memory."""
    model, before = pendulum(), (0.0, 0)
    with tempfile.TemporaryDirectory() as folder:
        for k in range(RUNS):
            run = bc.simulate(model, 0.1, start={"A": 0.001 * k}, every=0.01)
            run.values("energy")
            if k % 50 == 0:
                run.save(Path(folder) / "run.nc")
            if k == 100:
                before = memory(), handles()
    grown, opened = memory() - before[0], handles() - before[1]
    assert grown < GROWTH, f"{RUNS} runs added {grown:.0f} MiB"
    assert opened <= 2, f"{RUNS} runs left {opened} files open"
    return f"{RUNS} runs added {grown:.1f} MiB and {opened} open files"


def many_models() -> str:
    """Hundreds of machines, each compiled, in memory that is bounded per machine."""
    before = memory(), handles()
    for k in range(MODELS):
        bc.simulate(pendulum(k), 0.1, every=0.05)
    grown, opened = memory() - before[0], handles() - before[1]
    assert grown < PER_MODEL * MODELS, f"{MODELS} models added {grown:.0f} MiB"
    assert opened <= 2, f"{MODELS} models left {opened} files open"
    return f"{MODELS} models added {grown:.0f} MiB and {opened} open files"


def many_threads() -> str:
    """Eight threads on the same and on different machines give the bits of one."""
    machines = [examples.load("four-bar"), examples.load("double-pendulum"), pendulum(7)] * 8

    def motion(model: bc.Model) -> bytes:
        return bc.simulate(model, 0.5, every=0.01).values("energy").tobytes()

    alone = [motion(model) for model in machines[:3]] * 8
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(motion, machines))
    assert together == alone, "threads give other bits"
    run = bc.simulate(machines[0], 0.5, every=0.01)
    with ThreadPoolExecutor(8) as pool:
        read = set(pool.map(lambda _: run.values("kinetic_energy").tobytes(), range(64)))
    assert len(read) == 1, "a result read by eight threads differs"
    return f"{len(machines)} runs in 8 threads, equal bits; one result read 64 times"


WORK = """
import sys, pathlib, bellcrank as bc
from tests.endurance import pendulum
folder, k = pathlib.Path(sys.argv[1]), int(sys.argv[2])
model = pendulum(k)
while True:
    run = bc.simulate(model, 0.05, every=0.05)
    run.save(folder / "run.nc"); bc.save(model, folder / "model.yaml")
    run.animate(folder / "page.html"); bc.derive(model, to=folder / "sheet.tex")
    run.save(folder / "table.csv"); bc.report(model, folder / "report.html")
    print("round", flush=True)
"""


def killed() -> str:
    """Processes killed by −9 while they compile and save leave files that are whole."""
    dice, seen = random.Random(17), 0
    with tempfile.TemporaryDirectory() as folder:
        place, cache = Path(folder) / "out", Path(folder) / "cache"
        place.mkdir()
        environment = os.environ | {"BELLCRANK_CACHE": str(cache)}
        for k in range(KILLS):
            worker = subprocess.Popen(
                (sys.executable, "-W", "ignore", "-c", WORK, str(place), str(k % 5)),
                env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            assert worker.stdout is not None
            if k % 2:
                worker.stdout.readline()  # in the midst of saving; else of compiling
            time.sleep(dice.uniform(0.0, 1.5))
            worker.send_signal(signal.SIGKILL)
            worker.wait()
            seen += check_whole(place)
        done = subprocess.run(
            (sys.executable, "-W", "ignore", "-c", WORK.replace("while True", "for _ in (1,)"),
             str(place), "0"), env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert check_whole(place) == 6, "the next start did not write all files"
    return f"{KILLS} processes killed; {seen} files found, all whole"


def check_whole(place: Path) -> int:
    """Assert that every file in a folder is whole; return how many there are."""
    found = [path for path in place.iterdir() if not path.name.startswith(".")]
    for path in found:
        if path.suffix in (".nc", ".yaml"):
            bc.load(path)
        elif path.suffix == ".html":
            assert path.read_text(encoding="utf-8").rstrip().endswith("</html>"), path
        elif path.suffix == ".tex":
            assert path.read_text(encoding="utf-8").rstrip().endswith("\\end{document}"), path
        elif path.suffix == ".csv":
            lines = path.read_text(encoding="utf-8").splitlines()
            assert len(lines) == 3, path  # names, the start and the end
            assert len({line.count(",") for line in lines}) == 1, path
    return len(found)


INTERRUPT = """
import os, pathlib, random, signal, sys, threading, warnings
import bellcrank as bc
from tests.endurance import four_bar
signal.signal(signal.SIGINT, signal.default_int_handler)
warnings.simplefilter("ignore")
folder, dice, made = pathlib.Path(sys.argv[1]), random.Random(17), 0
VERBS = {
    "simulate": lambda m: bc.simulate(m, 5.0),
    "Kane": lambda m: bc.simulate(m, 0.1, formulation=bc.Kane()),
    "read": lambda m: bc.simulate(m, 0.1).evaluate(),
    "save": lambda m: bc.simulate(m, 0.1).save(folder / "run.nc"),
    "animate": lambda m: bc.simulate(m, 0.1).animate(folder / "page.html"),
    "assemble": lambda m: bc.assemble(m, {"A": 0.2}),
    "equilibrium": bc.equilibrium, "linearize": bc.linearize, "modes": bc.modes,
    "verify": lambda m: bc.verify(m, 0.1),
    "derive": lambda m: bc.derive(m, to=folder / "sheet.tex"),
    "report": lambda m: bc.report(m, folder / "report.html"),
}
for name, verb in VERBS.items():
    for _ in range(int(sys.argv[2])):
        made, sent, model = made + 1, [], four_bar(made)
        def fire():
            sent.append(True)
            os.kill(os.getpid(), signal.SIGINT)
        timer = threading.Timer(dice.uniform(0.01, 1.0), fire)
        try:
            timer.start()
            verb(model)
            timer.cancel()
            timer.join()
        except KeyboardInterrupt:
            pass
    verb(model)
    print(name, flush=True)
"""


def four_bar(k: int) -> bc.Model:
    """Return a four-bar with a spring; each number gives another machine."""
    A, B, C, D = (0, 0, 0), (0, 0, 1 + 0.001 * k), (2, 0, 2), (2, 0, 0)
    links = {"crank": (A, B), "coupler": (B, C), "rocker": (D, C)}
    pins = {"A": ("ground", "crank", A), "B": ("crank", "coupler", B),
            "C": ("coupler", "rocker", C), "D": ("ground", "rocker", D)}  # fmt: skip
    return bc.Model(
        "four-bar",
        bodies=[bc.Body(name, bc.Rod(*ends, mass=1.0)) for name, ends in links.items()],
        joints=[
            bc.Revolute(name, one, two, at=at, axis="y")
            for name, (one, two, at) in pins.items()
        ],
        forces=[bc.JointSpring("spring", "A", stiffness=50, damping=1)],
    )


def interrupted() -> str:
    """Ctrl-C at random moments of every verb: it is raised or gives a result; then it works."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            (sys.executable, "-W", "ignore", "-c", INTERRUPT, folder, str(INTERRUPTS)),
            capture_output=True, text=True, check=False, timeout=3000,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-2000:]
        check_whole(Path(folder))
    return f"{len(done.stdout.split())} verbs interrupted {INTERRUPTS} times each"


FULL = """
import resource, signal, sys, pathlib, bellcrank as bc
from tests.endurance import pendulum
folder = pathlib.Path(sys.argv[1]); model = pendulum()
run = bc.simulate(model, 1.0)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (256, 256))
for write in (lambda: run.save(folder / "run.nc"),
              lambda: bc.save(model, folder / "model.yaml"),
              lambda: run.animate(folder / "page.html"),
              lambda: run.save(folder / "table.csv"),
              lambda: bc.derive(model, to=folder / "sheet.tex"),
              lambda: bc.report(model, folder / "report.html")):
    try:
        write()
    except bc.FileError:
        print("refused")
print(len(bc.simulate(pendulum(99), 0.1).t))
"""


def full_disk() -> str:
    """Where no file may grow, old files stay as they are and runs go on."""
    names = ("run.nc", "model.yaml", "page.html", "sheet.tex", "report.html", "table.csv")
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            (Path(folder) / name).write_bytes(b"what was there before")
        done = subprocess.run(
            (sys.executable, "-W", "ignore", "-c", FULL, folder),
            env=os.environ | {"BELLCRANK_CACHE": f"{folder}/cache"},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert done.stdout.split() == ["refused"] * 6 + ["1001"], done.stdout
        kept = [(Path(folder) / name).read_bytes() for name in names]
        assert set(kept) == {b"what was there before"}, "an old file was changed"
        drafts = [path.name for path in Path(folder).glob(".bellcrank-*")]
        assert not drafts, f"left behind: {drafts}"
    return "6 kinds of files refused, all 6 kept as they were; a new machine ran"


def without_cache() -> str:
    """A cache that cannot be written, and no home at all: one warning, and runs in memory."""
    said = []
    code = "import bellcrank as bc; from tests.endurance import pendulum; "
    code += "print(len(bc.simulate(pendulum(3), 0.1).t))"
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "file").write_bytes(b"")
        bare = {k: v for k, v in os.environ.items() if k not in ("HOME", "XDG_CACHE_HOME")}
        bare.pop("BELLCRANK_CACHE", None)
        nobody = "import pwd\ndef no(n): raise KeyError(n)\npwd.getpwuid = no\n"
        trials = (
            (bare | {"BELLCRANK_CACHE": f"{folder}/file/cache"}, ""),
            (bare | {"BELLCRANK_CACHE": "/proc/none"}, ""),
            (bare, nobody),
        )
        for environment, before in trials:
            done = subprocess.run(
                (sys.executable, "-c", before + code), env=environment,
                capture_output=True, text=True, check=False,
            )  # fmt: skip
            assert done.returncode == 0, done.stderr
            assert done.stderr.count("cannot be used") == 1, done.stderr
            said.append(done.stdout.strip())
    assert set(said) == {"1001"}
    return f"{len(said)} places without a cache: one warning each, and a run"


TRIALS = {
    trial.__name__: trial
    for trial in (
        many_runs, many_models, many_threads, killed, interrupted, full_disk, without_cache,
    )
}  # fmt: skip


def main(names: list[str]) -> int:
    """Run the trials; return how many failed."""
    np.seterr(all="ignore")
    warnings.simplefilter("ignore")
    failed = 0
    for name in names or TRIALS:
        begun = time.perf_counter()
        try:
            words = TRIALS[name]()
        except (AssertionError, bc.BellcrankError, OSError) as error:
            failed, words = failed + 1, f"FAILED: {error}"
        print(f"{name}: {words} ({time.perf_counter() - begun:.0f} s)", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) > 0)
