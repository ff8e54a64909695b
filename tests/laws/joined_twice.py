"""Machines whose bodies are joined once, and joined again in ways that say nothing new."""

from collections.abc import Callable, Iterator

import numpy as np

import bellcrank as bc

Make = Callable[[str], object]


def _tilted(random: np.random.Generator) -> np.ndarray:
    """Return a random rotation."""
    Q = np.linalg.qr(random.normal(size=(3, 3)))[0]
    return Q * np.sign(np.linalg.det(Q))


def _ways(Q: np.ndarray, P: np.ndarray) -> dict[str, tuple[Make, dict[str, Make]]]:
    """Return joints between B and C at P along Q, and what repeats each of them."""
    a, b = (tuple(Q[:, i].tolist()) for i in range(2))
    pair = ("B", "C")

    def at(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> tuple[float, ...]:
        return tuple((P + Q @ [x, y, z]).tolist())

    def joint(kind: type, *place: float, axis: object = a) -> Make:
        return lambda name: kind(name, *pair, at=at(*place), axis=axis)

    def universal(name: str) -> object:
        return bc.Universal(name, *pair, at=at(), axis1=a, axis2=b)

    def ball(x: float) -> Make:
        return lambda name: bc.Spherical(name, *pair, at=at(x))

    def fixed(*place: float) -> Make:
        return lambda name: bc.Fixed(name, *pair, at=at(*place))

    def link(x: float) -> Make:
        return lambda name: bc.Distance(name, ("B", at(x)), ("C", at(0.1, 0.6, 0.2)))

    def parallel(name: str) -> object:
        return bc.Parallel(name, *pair, a)

    def square(name: str) -> object:
        return bc.Perpendicular(name, *pair, a, b)

    def line(name: str) -> object:
        return bc.PointOnLine(name, ("C", at(0.7)), "B", at(), a)

    def plane(name: str) -> object:
        return bc.PointOnPlane(name, ("C", at(0.3, 0.5, 0.1)), "B", at(0.3), a)

    turned = {"parallel": parallel, "square": square}
    return {
        "Revolute": (joint(bc.Revolute), turned | {
            "Revolute": joint(bc.Revolute, 0.9), "Cylindrical": joint(bc.Cylindrical, 0.5),
            "Planar": joint(bc.Planar, 0.2, 0.3), "Universal": universal, "link": link(0.4),
            "Spherical": ball(0.6), "line": line, "plane": plane,
        }),
        "Prismatic": (joint(bc.Prismatic), turned | {
            "Prismatic": joint(bc.Prismatic, 0.1, 0.8, 0.3), "line": line,
            "Cylindrical": joint(bc.Cylindrical, 0.1, 0.4),
            "Planar": joint(bc.Planar, 0.0, 0.3, axis=b),
        }),
        "Cylindrical": (joint(bc.Cylindrical), turned | {
            "Cylindrical": joint(bc.Cylindrical, 0.6), "line": line,
        }),
        "Planar": (joint(bc.Planar), turned | {
            "Planar": joint(bc.Planar, 0.0, 0.7, 0.2), "plane": plane,
        }),
        "Universal": (universal, {
            "Universal": universal, "Spherical": ball(0.0), "square": square, "link": link(0.0),
        }),
        "Spherical": (ball(0.0), {"Spherical": ball(0.0), "link": link(0.0)}),
        "Fixed": (fixed(), turned | {
            "Fixed": fixed(0.5, 0.2), "Revolute": joint(bc.Revolute, 0.9), "link": link(0.4),
            "Universal": universal, "Prismatic": joint(bc.Prismatic, 0.2),
        }),
    }  # fmt: skip


def joined_twice(seed: int) -> Iterator[tuple[str, bc.Model, bc.Model]]:
    """Yield what it is, a machine joined once, and the same joined twice; in either order.

    B hangs on ground by the hinge H, C on B by the joint L, and by M once more.

    Args:
        seed: Of tilts, places and masses.
    """
    random = np.random.default_rng(seed)
    for kind, (_, others) in _ways(np.eye(3), np.zeros(3)).items():
        for other in others:
            own, again = _ways(_tilted(random), random.normal(size=3))[kind]
            axis = tuple(_tilted(random)[:, 0].tolist())
            centres = random.normal(size=(2, 3)).tolist()
            once = bc.Model(
                f"{kind} and {other}",
                bodies=[
                    bc.Body(name, mass=mass, com=tuple(com), inertia=(0.3, 0.4, 0.5, 0, 0, 0))
                    for name, mass, com in zip("BC", (1.3, 0.8), centres, strict=True)
                ],
                joints=[bc.Revolute("H", "ground", "B", at=(0, 0, 0), axis=axis), own("L")],
            )
            twice = once.add(again[other]("M"))
            yield f"{kind}, then {other}", once, twice
            if len(twice.joints) > len(once.joints):
                hinge, first, second = twice.joints
                turned = bc.Model(once.name, bodies=once.bodies, joints=(hinge, second, first))
                yield f"{other}, then {kind}", once, turned
