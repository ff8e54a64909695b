"""Random machines of all sorts, and states of theirs that obey all constraints."""

from dataclasses import replace

import numpy as np
from tests.laws.closed import CLOSING, closing

import bellcrank as bc
from bellcrank.analysis.verify.reference import Reference, reference
from bellcrank.constraints.assembly.closing import Held, close
from bellcrank.kernels.interpreted import interpret
from bellcrank.machine.system import System
from bellcrank.model.elements.joint import scalar_coordinates
from bellcrank.testing import FORCES, KINDS, machine

SORTS = ("tree", "loop", "driven", "planar", "free")


def random_machine(number: int) -> bc.Model:
    """Return the machine that a number stands for; five sorts take turns."""
    sort = SORTS[number % len(SORTS)]
    rng = np.random.default_rng(7000 + number)
    forces = tuple(rng.choice(FORCES, size=rng.integers(0, 4), replace=False))
    if sort == "planar":
        return planar_machine(rng)
    if sort == "loop":
        kinds = tuple(rng.choice(("Spherical", "Cylindrical", "Revolute", "Universal"), 3))
        model = machine(kinds, (0, 1, 0), number, forces=forces)
        kind = str(
            rng.choice([k for k in CLOSING if k not in ("Fixed", "Prismatic", "Revolute")])
        )
        return model.add(closing(kind, ("B3", "B2"), number))
    count = int(rng.integers(2, 5))
    kinds = [str(kind) for kind in rng.choice(KINDS, count)]
    lower = [int(rng.integers(0, k + 1)) for k in range(count)]
    if sort == "driven":
        kinds[0] = str(rng.choice(("Revolute", "Prismatic")))
        lower[0] = 0
        model = machine(kinds, lower, number, forces=forces)
        name = "angle" if kinds[0] == "Revolute" else "offset"
        return model.add(bc.Drive("motor", "J1", **{name: "0.3*sin(2*t) + 0.4*t"}))
    if sort == "free":
        kinds[0] = "Free"
        inner = tuple(kind for kind in forces if kind in ("JointSpring", "Motor"))
        return machine(kinds, [0, *(max(1, L) for L in lower[1:])], number, forces=inner,
                       gravity=(0, 0, 0))  # fmt: skip
    return machine(kinds, lower, number, forces=forces)


def with_states_and_relations(number: int) -> bc.Model:
    """Return a random machine with two variables that drive it, and a relation of positions.

    The relation ties the first two scalar coordinates of the tree, where there are two.
    """
    model, rng = random_machine(number), np.random.default_rng(9000 + number)
    tree = [model[name] for name in model.graph.tree_joint]
    places = [(joint.name, c) for joint in tree for c in scalar_coordinates(joint)]
    if not places:
        return model
    (joint, first), last = places[0], places[-1]
    a, b, c = rng.normal(size=3)
    variables = [
        bc.Variable("one", f"{a}*two - one + sin({joint}.{first}) - {b}*{joint}.{first}_rate"),
        bc.Variable("two", f"{c}*one - 2*two + cos(3*t)", start=0.5),
    ]
    model = model.add(*variables, bc.Motor("coil", last[0], f"{b}*one*two - one", last[1]))
    driven = {driver.of for driver in model.drivers}
    if len(places) < 2 or driven or model.graph.loops or rng.random() < 0.3:
        return model
    other, second = places[1]
    values = [
        float(model[name].drawn[model[name].coordinates.index(place)])
        for name, place in places[:2]
    ]
    tie = (
        f"{other}.{second} - {values[1]} - 0.4*sin({joint}.{first} - {values[0]})"
        f" - 0.2*({joint}.{first} - {values[0]})**2 - 0.1*sin(t)*cos({joint}.{first})"
    )
    return model.add(bc.Relation("tie", tie))


def planar_machine(rng: np.random.Generator) -> bc.Model:
    """Return a planar chain of rods, sometimes closed, sometimes with a slider and a spring."""
    count = int(rng.integers(2, 5))
    points = [rng.uniform(-1, 1, 2)]
    for _ in range(count):
        points.append(points[-1] + rng.uniform(0.3, 1.0, 2) * rng.choice((-1, 1), 2))
    places = [tuple(float(x) for x in point) for point in points]
    bodies = [
        bc.Body(f"B{k + 1}", bc.Rod(places[k], places[k + 1], mass=float(rng.uniform(0.5, 2))))
        for k in range(count)
    ]
    names = ["ground", *(body.name for body in bodies)]
    joints: list = [
        bc.Revolute(f"J{k + 1}", names[k], names[k + 1], at=places[k]) for k in range(count)
    ]
    if count > 2 and rng.random() < 0.7:
        joints.append(bc.Revolute("close", names[-1], "ground", at=places[-1]))
    elif rng.random() < 0.5:
        axis = (float(rng.normal()), float(rng.normal()), 0.0)
        joints[-1] = bc.Prismatic(f"J{count}", names[count - 1], names[count], axis=axis)
    forces = [
        bc.SpringDamper("spring", ("ground", (*places[0][:1], 0.3)), (names[-1], places[-1]),
                        stiffness=20.0, damping=0.5, length=0.7),
        bc.JointSpring("hinge", "J1", stiffness=3.0, damping=0.1),
    ]  # fmt: skip
    return bc.Model("planar machine", bodies=bodies, joints=joints, forces=forces, planar=True)


def scattered(model: bc.Model, count: int = 3, seed: int = 0) -> Reference:
    """Return random states of a machine that obey its constraints, without compiling."""
    system = System(bc.equations(model), build=interpret)
    rng = np.random.default_rng(seed)
    nq, nu = len(system.coordinates), len(system.speeds)
    w, p = np.zeros(0), np.array(list(system.parameters.values()))
    nothing = Held(np.zeros(nu, dtype=bool), np.zeros(nu, dtype=bool))
    rows = []
    for i in range(count):
        t = np.array([0.1 * i])
        q, u, s = system.packed({})
        s = s + rng.normal(size=len(s))
        x = close(system, float(t[0]), np.concatenate([q, u, s]), w, p, nothing)
        for _ in range(2):
            x[:nq] += 0.4 * _free(system, t, x, w, p) @ rng.normal(size=nu)
            if system.equations.has("normalize"):
                x[:nq] = system.kernel("normalize")(*_arguments(system, t, x, w, p))[0]
            x = close(
                system, float(t[0]), np.concatenate([x[:nq], np.zeros(nu), s]), w, p, nothing
            )
        x[nq : nq + nu] = rng.normal(size=nu)
        x = close(system, float(t[0]), x, w, p, nothing)
        rows.append(_arguments(system, t, x, w, p))
    stacked = [
        column[0] if name == "p" else np.stack(column)
        for name, column in zip("tquswpk", zip(*rows, strict=True), strict=True)
    ]
    return reference(system, stacked)


def _arguments(system: System, t, x, w, p) -> list[np.ndarray]:
    nq, nu = len(system.coordinates), len(system.speeds)
    arguments = [t, x[:nq], x[nq : nq + nu], x[nq + nu :], w, p]
    return [*arguments, system.modes(arguments)]


def _free(system: System, t, x, w, p) -> np.ndarray:
    """Return the directions of q that the constraints leave free, nq × nu."""
    arguments = _arguments(system, t, x, w, p)
    W, _ = system.ask("kinematics", arguments)
    if not system.equations.rows:
        return W
    C, _ = system.ask("velocity", arguments)
    return W @ (np.eye(len(system.speeds)) - np.linalg.pinv(C, rcond=1e-9) @ C)


def softened(model: bc.Model) -> bc.Model:
    """Return a machine with its nonsmooth laws left out."""
    return replace(model, forces=())
