"""Machines of the matrix: every example, and small ones with 0, 1 and 2 freedoms."""

from collections.abc import Callable
from typing import Any, NamedTuple

from tests.machines.four_bars import four_bar
from tests.machines.hinged import AXIS

import bellcrank as bc
from bellcrank import examples

SPANS = {  # in which a hundred steps show the motion, and something moves
    "andrews": 0.01, "heavy-top": 0.05, "rolling-disc": 0.3, "ladder": 2.0,
    "kane-six-bodies": 0.03, "gravity-boom": 20.0, "tethered-satellite": 20.0, "chain": 0.1,
}  # fmt: skip
SPAN = 0.4  # seconds of the others
PLANE = {f"float.{rate}": 0.0 for rate in ("x_rate", "y_rate", "angle_rate")}
RATES = {  # named, for what is not named each formulation moves as little as it can
    "three-links": PLANE, "floating-arm": PLANE, "reaching": PLANE,
    "astronaut": {"float.velocity": (0, 0, 0), "float.angular_velocity": (0, 0, 0)},
}  # fmt: skip
KNOBS = ("start", "inputs", "parameters")  # settings of examples that belong to the motion


class Machine(NamedTuple):
    """A machine and how it is set going."""

    model: bc.Model
    span: float
    settings: dict[str, Any]


def example(name: str) -> Machine:
    """Return a shipped example."""
    settings = examples.settings(name)
    kept = {knob: settings[knob] for knob in KNOBS if knob in settings}
    kept["start"] = kept.get("start", {}) | RATES.get(name, {})
    return Machine(examples.load(name), SPANS.get(name, SPAN), kept)


# --- without freedom ----------------------------------------------------------------------

LEG = bc.Body("leg", bc.Rod((0, 0, 0), (0.6, 0.2, 0.8), mass=2.0))


def _fixed() -> Machine:
    joints = [bc.Fixed("F", "ground", "leg", at=(0, 0, 0))]
    return Machine(bc.Model("fixed", bodies=[LEG], joints=joints), SPAN, {})


def _doubled() -> Machine:
    joints = [
        bc.Fixed("F", "ground", "leg", at=(0, 0, 0)),
        bc.Fixed("G", "ground", "leg", at=(0.6, 0.2, 0.8)),
    ]
    return Machine(bc.Model("doubled", bodies=[LEG], joints=joints), SPAN, {})


def _driven_hinge() -> Machine:
    joints = [bc.Revolute("A", "ground", "leg", at=(0, 0, 0), axis=AXIS)]
    drivers = [bc.Drive("motor", "A", angle="0.3*sin(5*t) + t")]
    model = bc.Model("driven hinge", bodies=[LEG], joints=joints, drivers=drivers)
    return Machine(model, SPAN, {})


def _four_bar(*drivers: bc.Drive) -> bc.Model:
    places = (0, 0), (0.4, 0.9), (2.1, 1.8), (2, 0)
    return four_bar(*places, drivers=list(drivers))


def _driven_four_bar() -> Machine:
    return Machine(_four_bar(bc.Drive("motor", "A", angle="t + t**2")), SPAN, {})


# --- one freedom, and two -----------------------------------------------------------------


def _hinge() -> Machine:
    joints = [bc.Revolute("A", "ground", "leg", at=(0, 0, 0), axis=AXIS)]
    model = bc.Model("hinge", bodies=[LEG], joints=joints)
    return Machine(model, SPAN, {"start": {"A.angle_rate": 3.0}})


def _loop() -> Machine:
    return Machine(_four_bar(), SPAN, {"start": {"A.angle_rate": 1.5}})


def _slide() -> Machine:
    bodies = [bc.Particle("cart", 1.0, (0.0, 0.0)), bc.Particle("bob", 0.5, (0.6, -0.8))]
    joints = [
        bc.Prismatic("S", "ground", "cart", at=(0, 0), axis=(1, 0)),
        bc.Revolute("A", "cart", "bob", at=(0, 0)),
    ]
    model = bc.Model("slide", planar=True, bodies=bodies, joints=joints)
    return Machine(model, SPAN, {})


def _hung() -> Machine:
    """A point mass on a rod of a given length: two freedoms and a row in every formulation."""
    model = bc.Model(
        "hung",
        bodies=[bc.Body("bob", mass=1.0, com=(0.6, 0, -0.8), inertia=(0.1, 0.2, 0.3, 0, 0, 0))],
        joints=[bc.Cylindrical("S", "ground", "bob", at=(0.6, 0, -0.8), axis=(0, 1, 0))],
        forces=[
            bc.SpringDamper(
                "spring", ("ground", (0, 0, 0)), ("bob", (0.9, 0.1, -0.8)), stiffness=40.0
            )
        ],
    )
    return Machine(model, SPAN, {"start": {"S.angle_rate": 2.0, "S.offset_rate": 0.3}})


def _five_bar() -> Machine:
    A, B, C, D, E = (0, 0), (0.2, 1.0), (1.0, 1.7), (1.9, 0.9), (2, 0)
    names = ("a", "b", "c", "d")
    ends = ((A, B), (B, C), (C, D), (D, E))
    bodies = [
        bc.Body(name, bc.Rod(*end, mass=1.0 + n))
        for n, (name, end) in enumerate(zip(names, ends, strict=True))
    ]
    joints = [
        bc.Revolute(f"J{n}", one, two, at=at)
        for n, (one, two, at) in enumerate(
            zip(("ground", *names), (*names, "ground"), (A, B, C, D, E), strict=True)
        )
    ]
    model = bc.Model("five-bar", planar=True, bodies=bodies, joints=joints)
    return Machine(model, SPAN, {"start": {"J0.angle_rate": 1.0}})


def _skate() -> Machine:
    """A blade on an inclined plane: two freedoms of speeds, three coordinates."""
    model = bc.Model(
        "skate", planar=True, gravity=(0, -2.0),
        bodies=[bc.Body("blade", bc.Rod((-0.2, 0), (0.2, 0), mass=1.0))],
        joints=[bc.Planar("P", "ground", "blade", at=(0, 0))],
        constraints=[
            bc.VelocityConstraint(
                "edge", {"P.y_rate": "cos(P.angle)", "P.x_rate": "-sin(P.angle)"}
            )
        ],
    )  # fmt: skip
    return Machine(model, SPAN, {"start": {"P.angle": 0.3, "P.angle_rate": 2.0}})


def _drifting() -> Machine:
    """Two bodies that nothing acts on, their joint driven: momenta alone say how they move."""
    model = bc.Model(
        "drifting", planar=True, gravity=(0, 0),
        bodies=[
            bc.Body("base", bc.Box((0.4, 0.3, 0.2), mass=3.0)),
            bc.Body("arm", bc.Rod((0.2, 0), (0.9, 0.1), mass=1.0)),
        ],
        joints=[
            bc.Planar("float", "ground", "base", at=(0, 0)),
            bc.Revolute("elbow", "base", "arm", at=(0.2, 0)),
        ],
        drivers=[bc.Drive("motor", "elbow", angle="0.5*sin(2*t)")],
    )  # fmt: skip
    return Machine(model, SPAN, {})


SMALL: dict[str, Callable[[], Machine]] = {
    "fixed": _fixed, "doubled": _doubled, "driven hinge": _driven_hinge,
    "driven four-bar": _driven_four_bar, "hinge": _hinge, "loop": _loop, "slide": _slide,
    "hung": _hung, "five-bar": _five_bar, "skate": _skate, "drifting": _drifting,
}  # fmt: skip
EXAMPLES = examples.names()


def machine(name: str) -> Machine:
    """Return a machine of the matrix by its name."""
    return SMALL[name]() if name in SMALL else example(name)
