"""Families of cases: each draws an input from a random generator, and judges it.

An input is plain data, so that it can be printed and made shorter; a judge returns a complaint,
or None. What is refused in our own words is right; an exception of another kind, a disagreement
beyond tolerance or a hang is not.
"""

import contextlib
import copy
import functools
import io
import math
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from inspect import Parameter, signature
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from tests.fuzz import alike

import bellcrank as bc
from bellcrank import examples
from bellcrank.cli import run as command
from bellcrank.files.machine import machine_from
from bellcrank.files.text import Document, parse_yaml, read_yaml
from bellcrank.model.expressions import evaluate, expression

VAR_POSITIONAL, VAR_KEYWORD = Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD


@dataclass(frozen=True)
class Family:
    """Inputs of one kind.

    Attributes:
        draw: Gives an input.
        judge: Gives what is wrong with what becomes of it, or None.
        share: How many there are among 10,000.
    """

    draw: Callable[[Random], Any]
    judge: Callable[[Any], str | None]
    share: int


ODD: list[Any] = [
    None, True, -1, 0, 1e308, math.nan, math.inf, 10**400, "", "x", "ground", "1/0", "2*", "t",
    "a.b", "9" * 400, "\x07", "\x00", "\ud800",
    [], [1], [[1]], [None] * 3, {}, {"a": 1}, ("x",), 1j, b"x",
    object(), np.array([1.0, 2.0]), np.float32(2), {"rod": "z"}, lambda: 1,
]  # fmt: skip
NAMES = ("double-pendulum", "tsda", "six-bodies", "heavy-top", "arm", "four-bar")
PEND = bc.Model(
    "p",
    bodies=[bc.Body("rod", bc.Rod((0, 0, 0), (1, 0, 0), mass=1.0))],
    joints=[bc.Revolute("A", "ground", "rod", at=(0, 0, 0), axis="y")],
)


def ours(ask: Callable[[], Any]) -> str | None:
    """Return what is wrong with an outcome: an exception that is not ours."""
    try:
        with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            ask()
    except (bc.BellcrankError, TypeError) as error:
        bad = isinstance(error, TypeError) and "argument" not in str(error)
        return f"{type(error).__name__}: {error}" if bad else None
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def damaged(data: Any, random: Random) -> Any:
    """Return plain data with some of its values replaced, taken out or doubled."""
    data = copy.deepcopy(data)
    for _ in range(random.randint(1, 3)):
        at = data
        while isinstance(at, dict | list) and at:
            keys = list(at) if isinstance(at, dict) else range(len(at))
            key = random.choice(keys)
            if random.random() < 0.35 or not isinstance(at[key], dict | list):
                at[key] = random.choice(ODD[:25])
                break
            at = at[key]
    return data


def yaml_data(random: Random) -> Any:
    """A machine file with values that do not belong."""
    return damaged(read_yaml(examples.path(random.choice(NAMES))).data, random)


def read_data(data: Any) -> str | None:
    """Read a machine from plain data."""
    return ours(lambda: machine_from(Document(data, "m.yaml"), Path()))


def yaml_text(random: Random) -> str:
    """A machine file with letters changed, cut or doubled."""
    text = list(Path(examples.path(random.choice(NAMES))).read_text(encoding="utf-8"))
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(text))
        text[at : at + random.randint(0, 3)] = random.choice("{}[]&*!|>'\":-,#\n\t 0é")
    return "".join(text)


def read_text(text: str) -> str | None:
    """Read a machine from the text of a file."""
    return ours(lambda: machine_from(parse_yaml(text, "m.yaml"), Path()))


def urdf(random: Random) -> str:
    """A robot with numbers and tags that do not belong."""
    number = lambda: random.choice(["1", "0", "-1", "nan", "1e308", "x", "", "1 2", "9" * 400])  # noqa: E731
    links = [
        f'<link name="{random.choice("abc")}"><inertial><mass value="{number()}"/><inertia '
        f'ixx="{number()}" iyy="{number()}" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        for _ in range(3)
    ]
    joint = (
        f'<joint name="j" type="{random.choice(["revolute", "fixed", "ball", ""])}"><parent '
        f'link="{random.choice("abc")}"/><child link="b"/><axis xyz="{number()} 0 1"/><limit '
        f'lower="{number()}" upper="{number()}" effort="1" velocity="1"/></joint>'
    )
    text = f"<robot name='r'>{''.join(links)}{joint}</robot>"
    if random.random() < 0.3:
        at = random.randrange(len(text))
        text = text[:at] + text[at + random.randint(1, 5) :]
    return text


def read_robot(text: str) -> str | None:
    """Read a robot from the text of a file."""

    def read() -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "r.urdf").write_text(text, encoding="utf-8")
            bc.load(Path(folder) / "r.urdf")

    return ours(read)


def written(random: Random, depth: int = 4) -> str:
    """Return the text of a random expression of t, an angle and its rate."""
    if depth == 0 or random.random() < 0.15:
        return random.choice([
            "t",
            "A.angle",
            "A.angle_rate",
            f"{random.uniform(-3, 3):.4g}",
            "pi",
        ])
    one, two = written(random, depth - 1), written(random, depth - 1)
    return random.choice([
        f"({one} + {two})", f"({one} - {two})", f"{one}*{two}", f"({one})/(2 + ({two})**2)",
        f"sin({one})", f"cos({one})", f"tanh({one})", f"sqrt(1 + ({one})**2)", f"abs({one})",
        f"min({one}, {two})", f"max({one}, {two})", f"where({one} > {two}, {one}, {two})",
        f"exp(-({one})**2)", f"atan2({one}, 1 + ({two})**2)", f"({one})**3", f"-({one})",
    ])  # fmt: skip


def native(random: Random) -> list[str]:
    """Fifty expressions."""
    return [written(random) for _ in range(50)]


def computed(texts: list[str]) -> str | None:
    """Compare native code of expressions with an evaluator that walks their trees."""
    if not texts:
        return None
    trees = tuple(PEND.resolve(text) for text in texts)
    system, empty, random = bc.compile(PEND), np.zeros(0), Random(17)
    kernel = system.signals(trees)
    for _ in range(4):
        t, q, u = (random.uniform(-2, 2) for _ in range(3))
        state = (np.array([t]), np.array([q]), np.array([u]), empty, empty, empty, empty)
        known = {"t": t, "A.angle": q, "A.angle_rate": u}
        for text, tree, value in zip(texts, trees, kernel(*state)[0], strict=True):
            wanted = evaluate(tree, known)
            if not math.isclose(value, wanted, rel_tol=1e-9, abs_tol=1e-9):
                return f"native: {value!r}, walked {wanted!r} for {text} at {known}"
    return None


def grammar(random: Random) -> str:
    """An expression with letters changed."""
    text = list(written(random, 3))
    for _ in range(random.randint(0, 3)):
        text[random.randrange(len(text))] = random.choice("()*/+-., '\"[]{}_e0t=<>!\\")
    return "".join(text)


def parsed(text: str) -> str | None:
    """What is read is written and read again alike."""

    def again() -> None:
        once = expression(text)
        assert expression(str(once)) == once

    return ours(again)


KINDS: tuple[Any, ...] = (
    bc.Rod, bc.Box, bc.Sphere, bc.Cylinder, bc.Disc, bc.PointMasses, bc.Mesh, bc.Body,
    bc.Particle, bc.Revolute, bc.Prismatic, bc.Universal, bc.Spherical, bc.SpringDamper,
    bc.Motor, bc.Force, bc.Drive, bc.Gear, bc.Distance, bc.Limits, bc.Parameter, bc.Input,
    bc.Event, bc.Sampled, bc.DOP853, bc.RK4, bc.Radau5, bc.Variable, bc.Relation,
)  # fmt: skip


def constructor(random: Random) -> tuple[Any, list[Any]]:
    """An element, and what does not belong to it."""
    values = [*ODD, "rod", (0, 0, 0), (1, 0, 0), 1.0]
    return random.choice(KINDS), [random.choice(values) for _ in range(random.randint(1, 6))]


def made(given: tuple[Any, list[Any]]) -> str | None:
    """Make the element."""
    return ours(lambda: given[0](*given[1])) if len(given) == 2 else None


MODES = ("project", "independent", "index2", "index3", "baumgarte")
INTEGRATORS = (
    bc.DOP853(), bc.DOPRI5(), bc.RK4(step=1e-3), bc.Auto(), bc.RKF45(), bc.Radau5(),
    bc.GeneralizedAlpha(step=1e-3),
)  # fmt: skip


def option(random: Random) -> dict[str, Any]:
    """Options of `simulate`, right and wrong, for a small machine."""
    near: dict[str, list[Any]] = {
        "until": [0.01, 1e-9, -0.01], "begin": [0.0, 1.0, -1e3], "every": [0.005, "step", 1e-3],
        "rtol": [1e-6, 1e-10, 0.5, 1e-15], "atol": [1e-9, [1e-6, 1e-6], 1e-300],
        "constraints": list(MODES),
        "integrator": [*INTEGRATORS, bc.RK4(step=1e-12), bc.DOP853(max_step=1e-9)],
        "start": [{"A": 0.3}, {"A.angle_rate": 1e3}, {"B": 1}], "parameters": [{}, {"x": 1.0}],
        "events": [[bc.Event("e", "A.angle")], []], "slack": [1e-6, 0.0], "progress": [False],
        "formulation": [bc.JointCoordinates(), bc.Kane(), bc.Cartesian(), bc.Natural()],
    }  # fmt: skip
    options: dict[str, Any] = {"until": 0.01}
    for name in random.sample(list(near), random.randint(1, 5)):
        options[name] = random.choice(near[name] if random.random() < 0.7 else ODD)
    if isinstance(options["until"], float) and isinstance(options.get("begin"), float):
        options["until"] += options["begin"]
    return options


LOOP = examples.load("four-bar")


def simulated(options: dict[str, Any]) -> str | None:
    """Run a pendulum with options, and a four-bar where they name how rows are held."""
    model = LOOP if "constraints" in options else PEND
    return ours(lambda: bc.simulate(model, **options))


VERBS: tuple[Callable[..., Any], ...] = (
    bc.compile, bc.equations, bc.verify, bc.derive, bc.report, bc.assemble, bc.equilibrium,
    bc.linearize, bc.modes, bc.kinematics, bc.inverse_dynamics, bc.save, bc.load,
    bc.Result.values, bc.Result.select, bc.Result.save, bc.Result.load, bc.Result.animate,
    bc.Result.plot, bc.Result.phase, bc.Model.replace, bc.Model.without, bc.Model.add,
    bc.Model.prefixed, bc.Model.moved, bc.Model.mirrored,
)  # fmt: skip
NAMED: dict[str, Any] = {
    "model": PEND,
    "until": 0.01,
    "path": "m.yaml",
    "x": "A.angle",
    "y": "A.angle",
    "name": "A.angle",
    "axis": "x",
    "pose": bc.Pose(),
}
QUICK: dict[str, Any] = {"runs": False, "states": 3}  # of `verify`  # fmt: skip


def verb(random: Random) -> tuple[Callable[..., Any], str, Any]:
    """A question, one of its options, and what does not belong there."""
    asked = random.choice(VERBS)
    return asked, random.choice(list(signature(asked).parameters)), random.choice(ODD)


def asked(given: tuple[Callable[..., Any], str, Any]) -> str | None:
    """Ask it, all other options as they should be, from a folder that goes with it."""
    if len(given) != 3:
        return None
    question, option, value = given
    places = signature(question).parameters
    needed = {
        name: NAMED.get(name, PEND)
        for name, place in places.items()
        if place.default is place.empty and place.kind not in (VAR_POSITIONAL, VAR_KEYWORD)
    }
    if "self" in needed:
        needed["self"] = PEND if question.__qualname__.startswith("Model") else _run()
    needed |= {name: value for name, value in QUICK.items() if name in places}
    more = []
    if places[option].kind is VAR_POSITIONAL:
        more = [value]
    elif option != "self":
        needed[option] = value
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        first = [needed.pop("self")] if "self" in needed else []
        return ours(lambda: question(*first, *more, **needed))


@functools.cache
def _run() -> bc.Result:
    return bc.simulate(PEND, 0.1, every=0.05)


def result(random: Random) -> tuple[list[tuple[int, int]], int]:
    """Bytes to change in a result file, and where to cut it."""
    size = len(_saved())
    edits = [
        (random.randrange(size), random.randrange(256)) for _ in range(random.randint(1, 8))
    ]
    return edits, random.randrange(size) if random.random() < 0.3 else size


def loaded(given: tuple[list[tuple[int, int]], int]) -> str | None:
    """Read a result file with bytes changed or cut."""
    if len(given) != 2:
        return None
    content = bytearray(_saved())
    for place in given[0]:
        if len(place) == 2:
            content[place[0]] = place[1]

    def read() -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "r.nc").write_bytes(content[: given[1]])
            bc.load(Path(folder) / "r.nc")

    return ours(read)


_kept: list[bytes] = []


def _saved() -> bytes:
    if not _kept:
        with tempfile.TemporaryDirectory() as folder:
            _run().save(Path(folder) / "r.nc")
            _kept.append((Path(folder) / "r.nc").read_bytes())
    return _kept[0]


def words(random: Random) -> list[str]:
    """A command line."""
    options = (
        *("--until", "--every", "--start", "--rtol", "--integrator", "--states", "--slack"),
        *("-x", "--formulation", "--constraints"),
    )
    values = ["0.01", "-1", "nan", "A=1", "rk4", "x", "", "1e999", "9" * 30, "é", "=", "kane"]
    line = [random.choice(["simulate", "report", "bench", "examples", "nothing"])]
    line += [random.choice(["double-pendulum", "no-such", "/", ""])]
    for _ in range(random.randint(0, 3)):
        line += [random.choice(options), random.choice(values)]
    if line[0] == "bench":
        line += ["--states", "4"]
    return line


def commanded(line: list[str]) -> str | None:
    """A command ends with 0, 1 or 2, never with a mistake of ours."""
    said = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        code = command(line)
    return None if code in (0, 1, 2) else f"exit {code}: {said.getvalue()[-400:]}"


def states(random: Random) -> tuple[list[str], str]:
    """Laws put together from pieces that fit or do not, and what they are given to."""
    pieces = (
        *("A.angle", "A.angle_rate", "s", "t", "t", "1", "mod(t, 0.3)", "cycloidal(3*t)", "A"),
        *("interp(t, [0, 1, 2], [0, 1, 0], kind='cubic')", "floor(9*t)", "u", "rod.position_x"),
        *("interp(A.angle, [0, 1, 2, 3], [0, 1, 2, 0], kind='cubic', periodic=True)", "s.rate"),
        *("dwell(t, 0.2, 0.2, 0.2)", "sqrt(s)", "1/s", "hypot(s, t)", "A.orientation_0", "-A"),
    )
    laws = [
        f"{random.choice(pieces)} {random.choice('+-*/')} {random.choice(pieces)}"
        for _ in range(3)
    ]
    return laws, random.choice(("relation", "driver", "", ""))


def moving(given: tuple[list[str], str]) -> str | None:
    """Run a machine with laws, rates and relations."""
    if len(given) != 2 or len(given[0]) != 3:
        return None
    (rate, effort, law), kind = given

    def ask() -> None:
        model = PEND.add(bc.Variable("s", rate), bc.Motor("m", "A", effort))
        if kind == "relation":
            model = model.add(bc.Relation("r", law))
        elif kind == "driver":
            model = model.add(bc.Drive("d", "A", angle=law))
        with contextlib.suppress(bc.IntegrationFailed):
            bc.simulate(model, 0.05, start={"s": 0.4})

    return ours(ask)


def metamorphic(random: Random) -> tuple[bool, int, str, int]:
    """A machine, and a way to say it otherwise."""
    number = random.randrange(100_000)
    return random.random() < 0.4, number, random.choice(list(alike.WAYS)), number


# An input of `native` is fifty expressions.
FAMILIES: dict[str, Family] = {
    family.draw.__name__: family
    for family in (
        Family(yaml_data, read_data, 1900),
        Family(verb, asked, 500),
        Family(yaml_text, read_text, 1500),
        Family(urdf, read_robot, 800),
        Family(native, computed, 45),
        Family(grammar, parsed, 1455),
        Family(constructor, made, 1500),
        Family(option, simulated, 1000),
        Family(states, moving, 100),
        Family(result, loaded, 350),
        Family(words, commanded, 300),
        Family(metamorphic, alike.judge, 550),
    )
}
