"""Families of cases: each is a function of a random generator that returns what went wrong.

A case gives its input and a complaint, or None. What is refused in our own words is right; an
exception of another kind, a disagreement beyond tolerance or a hang is not.
"""

import contextlib
import copy
import io
import math
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from tests.analysis.scattered import random_machine, with_states_and_relations

import bellcrank as bc
from bellcrank import examples
from bellcrank.cli import run as command
from bellcrank.files.machine import machine_from
from bellcrank.files.text import Document, parse_yaml, read_yaml
from bellcrank.model.expressions import evaluate, expression

Case = Callable[[Random], tuple[str, str | None]]
ODD: list[Any] = [
    None, True, -1, 0, 1e308, math.nan, math.inf, 10**400, "", "x", "ground", "1/0", "2*", "t",
    "a.b", "9" * 400, "\x07", [], [1], [[1]], [None] * 3, {}, {"a": 1}, ("x",), 1j, b"x",
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
                at[key] = random.choice(ODD[:21])
                break
            at = at[key]
    return data


def yaml_data(random: Random) -> tuple[str, str | None]:
    """A machine file with values that do not belong."""
    data = damaged(read_yaml(examples.path(random.choice(NAMES))).data, random)
    return repr(data)[:2000], ours(lambda: machine_from(Document(data, "m.yaml"), Path()))


def yaml_text(random: Random) -> tuple[str, str | None]:
    """A machine file with letters changed, cut or doubled."""
    text = list(Path(examples.path(random.choice(NAMES))).read_text(encoding="utf-8"))
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(text))
        text[at : at + random.randint(0, 3)] = random.choice("{}[]&*!|>'\":-,#\n\t 0é")
    words = "".join(text)
    return words, ours(lambda: machine_from(parse_yaml(words, "m.yaml"), Path()))


def urdf(random: Random) -> tuple[str, str | None]:
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

    def read() -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "r.urdf").write_text(text, encoding="utf-8")
            bc.load(Path(folder) / "r.urdf")

    return text, ours(read)


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


def native(random: Random) -> tuple[str, str | None]:
    """Fifty expressions in native code against an evaluator that walks their trees."""
    texts = [written(random) for _ in range(50)]
    trees = tuple(PEND.resolve(text) for text in texts)
    system, empty = bc.compile(PEND), np.zeros(0)
    kernel = system.signals(trees)
    for _ in range(4):
        t, q, u = (random.uniform(-2, 2) for _ in range(3))
        found = kernel(np.array([t]), np.array([q]), np.array([u]), empty, empty, empty, empty)[
            0
        ]
        known = {"t": t, "A.angle": q, "A.angle_rate": u}
        for text, tree, value in zip(texts, trees, found, strict=True):
            wanted = evaluate(tree, known)
            if not math.isclose(value, wanted, rel_tol=1e-9, abs_tol=1e-9):
                return f"{text} at {known}", f"native {value!r}, walked {wanted!r}"
    return texts[0], None


def grammar(random: Random) -> tuple[str, str | None]:
    """An expression with letters changed; what is read is written and read again alike."""
    text = list(written(random, 3))
    for _ in range(random.randint(0, 3)):
        text[random.randrange(len(text))] = random.choice("()*/+-., '\"[]{}_e0t=<>!\\")
    words = "".join(text)

    def again() -> None:
        once = expression(words)
        assert expression(str(once)) == once

    return words, ours(again)


def constructor(random: Random) -> tuple[str, str | None]:
    """An element given what does not belong."""
    kinds: list[Any] = [
        bc.Rod,
        bc.Box,
        bc.Sphere,
        bc.Cylinder,
        bc.Disc,
        bc.PointMasses,
        bc.Mesh,
    ]
    kinds += [bc.Body, bc.Particle, bc.Revolute, bc.Prismatic, bc.Universal, bc.Spherical]
    kinds += [bc.SpringDamper, bc.Motor, bc.Force, bc.Drive, bc.Gear, bc.Distance, bc.Limits]
    kinds += [bc.Parameter, bc.Input, bc.Event, bc.Sampled, bc.DOP853, bc.RK4, bc.Radau5]
    kind = random.choice(kinds)
    given = [
        random.choice([*ODD, "rod", (0, 0, 0), (1, 0, 0), 1.0])
        for _ in range(random.randint(1, 6))
    ]
    return f"{kind.__name__}{given!r}"[:500], ours(lambda: kind(*given))


def option(random: Random) -> tuple[str, str | None]:
    """Options of `simulate`, right and wrong, on a small machine."""
    near: dict[str, list[Any]] = {
        "until": [0.01, 1e-9, -0.01], "begin": [0.0, 1.0, -1e3], "every": [0.005, "step", 1e-3],
        "rtol": [1e-6, 1e-10, 0.5, 1e-15], "atol": [1e-9, [1e-6, 1e-6], 1e-300],
        "constraints": ["project", "independent", "index2", "index3", "baumgarte"],
        "integrator": [bc.DOP853(), bc.DOPRI5(), bc.RK4(step=1e-3), bc.Auto(), bc.RKF45()],
        "start": [{"A": 0.3}, {"A.angle_rate": 1e3}, {"B": 1}], "parameters": [{}, {"x": 1.0}],
        "events": [[bc.Event("e", "A.angle")], []], "slack": [1e-6, 0.0], "progress": [False],
        "formulation": [bc.JointCoordinates(), bc.Kane(), bc.Cartesian(), bc.Natural()],
    }  # fmt: skip
    options: dict[str, Any] = {"until": 0.01}
    for name in random.sample(list(near), random.randint(1, 5)):
        options[name] = random.choice(near[name] if random.random() < 0.7 else ODD)
    if isinstance(options["until"], float) and isinstance(options.get("begin"), float):
        options["until"] += options["begin"]
    return repr(options)[:500], ours(lambda: bc.simulate(PEND, **options))


def result(random: Random) -> tuple[str, str | None]:
    """A result file with bytes changed or cut."""
    content = bytearray(_saved())
    for _ in range(random.randint(1, 8)):
        content[random.randrange(len(content))] = random.randrange(256)
    if random.random() < 0.3:
        del content[random.randrange(len(content)) :]

    def read() -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "r.nc").write_bytes(content)
            bc.load(Path(folder) / "r.nc")

    return f"{len(content)} bytes", ours(read)


_kept: list[bytes] = []


def _saved() -> bytes:
    if not _kept:
        with tempfile.TemporaryDirectory() as folder:
            bc.simulate(PEND, 0.1, every=0.05).save(Path(folder) / "r.nc")
            _kept.append((Path(folder) / "r.nc").read_bytes())
    return _kept[0]


def words(random: Random) -> tuple[str, str | None]:
    """A command line; it ends with 0, 1 or 2, never with a mistake of ours."""
    options = [
        "--until",
        "--every",
        "--start",
        "--rtol",
        "--integrator",
        "--states",
        "--slack",
        "-x",
    ]
    values = ["0.01", "-1", "nan", "A=1", "rk4", "x", "", "1e999", "9" * 30, "é", "="]
    line = [random.choice(["simulate", "report", "bench", "examples", "nothing"])]
    line += [random.choice(["double-pendulum", "no-such", "/", ""])]
    for _ in range(random.randint(0, 3)):
        line += [random.choice(options), random.choice(values)]
    if line[0] == "bench":
        line += ["--states", "4"]
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()) as said,
    ):
        code = command(line)
    return " ".join(line), None if code in (
        0,
        1,
        2,
    ) else f"exit {code}: {said.getvalue()[-400:]}"


def states(random: Random) -> tuple[str, str | None]:
    """A machine with laws, rates and relations put together from pieces that fit or do not."""
    pieces = (
        *("A.angle", "A.angle_rate", "s", "t", "t", "1", "mod(t, 0.3)", "cycloidal(3*t)", "A"),
        *("interp(t, [0, 1, 2], [0, 1, 0], kind='cubic')", "floor(9*t)", "u", "rod.position_x"),
        *("interp(A.angle, [0, 1, 2, 3], [0, 1, 2, 0], kind='cubic', periodic=True)", "s.rate"),
        *("dwell(t, 0.2, 0.2, 0.2)", "sqrt(s)", "1/s", "hypot(s, t)", "A.orientation_0", "-A"),
    )

    def law() -> str:
        return f"{random.choice(pieces)} {random.choice('+-*/')} {random.choice(pieces)}"

    laws = [law() for _ in range(4)]

    def ask() -> None:
        model = PEND.add(bc.Variable("s", laws[0]), bc.Motor("m", "A", laws[1]))
        if random.random() < 0.3:
            model = model.add(bc.Relation("r", laws[2]))
        elif random.random() < 0.3:
            model = model.add(bc.Drive("d", "A", angle=laws[3]))
        with contextlib.suppress(bc.IntegrationFailed):
            bc.simulate(model, 0.05, start={"s": 0.4})

    return repr(laws), ours(ask)


def metamorphic(random: Random) -> tuple[str, str | None]:
    """A machine and the same machine otherwise said move alike."""
    number = random.randrange(100_000)
    model = random.choice((random_machine, with_states_and_relations))(number)
    way = random.choice(["renamed", "reordered", "moved", "grid", "continued", "formulation"])
    try:
        with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            apart = _apart(model, way, random)
    except bc.BellcrankError:
        return f"machine {number} {way}", None
    except Exception as error:
        return f"machine {number} {way}", f"{type(error).__name__}: {error}"
    return f"machine {number} {way}", None if apart < 1e-5 else f"apart by {apart:.3g}"


def _apart(model: bc.Model, way: str, random: Random) -> float:
    """Return how far a machine and its other self are apart at the end, variables too."""
    T, other, names = 0.02, model, {body.name: body.name for body in model.bodies}
    options: dict[str, Any] = {}
    inputs = {one.name: "0.1*sin(t)" for one in model.inputs}
    one = bc.simulate(model, T, every=T, inputs=inputs)
    carry = lambda p: p  # noqa: E731
    if way == "renamed":
        other = model.prefixed("x_")
        names = {name: f"x_{name}" for name in names}
        inputs = {one.name: "0.1*sin(t)" for one in other.inputs}
    elif way == "reordered":
        other = bc.Model(
            model.name, bodies=model.bodies, joints=model.joints, points=model.points[::-1],
            forces=model.forces[::-1], constraints=model.constraints[::-1],
            drivers=model.drivers[::-1], parameters=model.parameters, inputs=model.inputs,
            gravity=model.gravity, planar=model.planar, variables=model.variables[::-1],
        )  # fmt: skip
    elif way == "moved" and not model.planar:
        other = model.moved(bc.Pose((0.3, -0.2, 0.1)))
        carry = lambda p: p + np.array([0.3, -0.2, 0.1])  # noqa: E731
    elif way == "grid":
        options["every"] = T / random.randint(2, 9)
    elif way == "formulation":
        options["formulation"] = random.choice([bc.Kane(), bc.Cartesian(), bc.Natural()])
    if way == "continued":
        half = bc.simulate(model, T / 2, every=T / 2, inputs=inputs)
        two = bc.simulate(model, T, start=half, every=T / 2, inputs=inputs)
    else:
        two = bc.simulate(other, T, **({"every": T} | options), inputs=inputs)
    ends = [
        np.abs(carry(one.values(f"{a}.position")[-1]) - two.values(f"{b}.position")[-1]).max()
        for a, b in names.items()
    ]
    prefix = "x_" if way == "renamed" else ""
    for variable in model.variables:
        a, b = one.values(variable.name)[-1], two.values(f"{prefix}{variable.name}")[-1]
        ends.append(np.abs(a - b).max() / max(1.0, np.abs(a).max()))
    return float(max(ends, default=0.0))


# For 10,000: how many of each. An element of `native` is fifty expressions.
SHARES: dict[Case, int] = {
    yaml_data: 2400, yaml_text: 1500, urdf: 800, native: 45, grammar: 1455, constructor: 1500,
    option: 1000, states: 100, result: 350, words: 300, metamorphic: 550,
}  # fmt: skip
