"""A machine in Cartesian coordinates, block by block in letters: Φ, Φ_q, γ, M, S and Qᴬ.

Every block is what the lines that are evaluated write when they are given letters, and has a
value for values of its symbols.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from bellcrank.errors import NotSupported
from bellcrank.formulations.body_space.balance import Balance, coordinate_axis
from bellcrank.formulations.body_space.constraints import (
    _driver,
    condition_row,
    conditions,
    slips,
)
from bellcrank.formulations.body_space.forces import Effect, effect
from bellcrank.formulations.body_space.pairs import joint_pair
from bellcrank.formulations.body_space.plane import planar_rows, planar_velocity_rows
from bellcrank.formulations.cartesian import fields
from bellcrank.formulations.cartesian.inertia import WeighedBody
from bellcrank.formulations.cartesian.layout import Form, Placed, Reference, layout
from bellcrank.formulations.cartesian.letters import (
    NORMAL,
    BodySymbols,
    LetterScene,
    constraint_axes,
    joint_axes,
)
from bellcrank.formulations.contract.lettering import TIME, PageLetters, lettered
from bellcrank.model import CentralGravity, Distance, Field, Joint, Model
from bellcrank.spatial import letters
from bellcrank.spatial.arithmetic import cross, minus, plus, scaled
from bellcrank.spatial.attitudes import rate_matrix, rotation
from bellcrank.spatial.letters import Letters, Symbol, coefficient, rate

_PRIMITIVES = {"point": "spherical", "along": "dot-2", "square": "dot-1", "lead": "screw"}


@dataclass(frozen=True)
class RowBlock:
    """One condition, of one to three scalar rows.

    Attributes:
        owner: The element it is of.
        part: Its name within the element.
        primitive: `spherical`, `dot-1`, `dot-2`, `distance`, `driver`, ….
        phi: Φ; None for a condition on speeds alone.
        rate: Φ̇, linear in the speeds.
        count: Scalar rows: the components of a vector, 2 in the plane.
        by: Φ_q by body: the blocks of ṙ and of ω′, φ̇ or ṗ.
        nu: ν of Φ_q q̇ = ν.
        gamma: γ of Φ_q q̈ = γ.
    """

    owner: str
    part: str
    primitive: str
    phi: Letters | None
    rate: Letters
    count: int
    by: Mapping[str, tuple[Letters, Letters]]
    nu: Letters
    gamma: Letters


@dataclass(frozen=True)
class BodyBlocks:
    """M, S and Qᴬ of a body.

    Attributes:
        weighed: Its mass, inertia and frame in letters.
        mass: m I, the coupling block −m A s̃′ and J′; of a particle the first alone.
        quadratic: What is quadratic in the speeds: forces and torque.
    """

    name: str
    weighed: WeighedBody
    mass: tuple[Letters, Letters, Letters]
    quadratic: tuple[Letters, Letters]


@dataclass(frozen=True)
class ForceBlock:
    """What a force element does to a body: force, and torque about its reference point."""

    element: str
    body: str
    force: Letters
    torque: Letters


class CartesianBlocks:
    """The equations of a machine in blocks.

    Attributes:
        model: The machine, with letters for numbers of its elements.
        layout: Its bodies.
        lettering: Letters of constants.
        scene: Body space in letters.
        joints: The joints that are rows.
        flat: Whether rows are those of the plane.
    """

    def __init__(
        self,
        model: Model,
        form: Form,
        reference: Reference,
        joints: Sequence[str] | None = None,
        numbers: Mapping[str, int] | None = None,
        inward: bool = False,
    ) -> None:
        """Return the blocks of a machine.

        Args:
            model: The machine.
            form: Speeds of bodies in space.
            reference: The point of a body that r is.
            joints: Names of the joints that are rows, all if not given.
            numbers: Numbers of the bodies, where they are not those of the model's order; all
                bodies then move in space.
            inward: Whether rotations are written as [R_K], world to body components.
        """
        self.model, shown = lettered(model)
        self.layout = layout(self.model, form, reference)
        self.flat = self.model.planar and numbers is None
        if numbers is not None:
            self.layout = replace(self.layout, bodies=tuple(map(_in_space, self.layout.bodies)))
        names = [joint.name for joint in self.model.joints]
        self.joints = tuple(names if joints is None else joints)
        self.lettering = PageLetters(self.model)
        self.scene = LetterScene(
            self.model, self.layout, self.lettering, shown, numbers, inward
        )

    @property
    def bodies(self) -> dict[str, BodySymbols]:
        """The letters of each body's motion."""
        return self.scene.symbols

    # --- rows

    @cached_property
    def rows(self) -> tuple[RowBlock, ...]:
        """All conditions: norms, joints, constraints, drivers, then those on speeds alone."""
        found: list[RowBlock] = []
        for body, own in self.bodies.items():
            if own.moving is not None and own.p is not None:
                p = own.p()
                norm = (p.T @ p - 1.0) * 0.5
                found.append(self._row(body, "norm", "norm", norm, p.T @ own.turn()))
        for name_ in self.joints:
            joint = self.model[name_]
            assert isinstance(joint, Joint)
            found += self._joint(joint)
        for constraint in self.model.constraints:
            self.lettering.begin(constraint.name, constraint_axes(self.scene, constraint))
            left = planar_rows(constraint) if self.flat else None
            kind = "distance" if isinstance(constraint, Distance) else "relation"
            parts = constraint.rows(self.model)
            pairs = conditions(constraint, self.scene)
            for i in left if left is not None else range(len(pairs)):
                found.append(self._row(constraint.name, parts[i], kind, *pairs[i]))
        for driver in self.model.drivers:
            self.lettering.begin(driver.name)
            pairs = _driver(self.scene, driver, TIME())
            for (coordinate, _), pair in zip(driver.motion, pairs, strict=True):
                found.append(self._row(driver.name, coordinate, "driver", *pair))
        for constraint in self.model.constraints:
            self.lettering.begin(constraint.name)
            speeds = slips(constraint, self.scene)
            left = planar_velocity_rows(constraint) if self.flat else range(len(speeds))
            for i in left:
                part = constraint.SLIPS[i]
                found.append(self._row(constraint.name, part, "velocity", None, speeds[i]))
        return tuple(found)

    def _joint(self, joint: Joint) -> list[RowBlock]:
        self.lettering.begin(joint.name, joint_axes(self.scene, joint))
        pair = joint_pair(self.scene, joint)
        kept = planar_rows(joint) if self.flat else None
        found, points = [], []
        for place, condition in enumerate(joint.mobility.conditions):
            if kept is not None and place not in kept:
                continue
            if condition.form == "point":
                points.append(condition.axes[0])
                continue
            value, speed = condition_row(self.scene, joint, pair, condition)
            kind = _PRIMITIVES[condition.form]
            found.append(self._row(joint.name, condition.name, kind, value, speed))
        if points:
            first = self._row(joint.name, "point", "spherical", pair.d, pair.d_rate)
            found.insert(0, _counted(first, len(points)))
        return found

    def _row(self, owner: str, part: str, kind: str, phi: Any, speed: Any) -> RowBlock:
        shape = getattr(speed, "shape", (1, 1))
        speed = letters.as_letters(speed, shape)
        value = None if phi is None else letters.as_letters(phi, shape)
        if value is not None and self.layout.form == "euler":  # by the chain rule
            speed = letters.expanded(rate(value), _is_rate)
        by = {}
        for body, own in self.bodies.items():
            turn = coefficient(speed, own.turn)
            if own.moving is not None:
                turn = turn + letters.through(speed, own.moving, own.lever)
            blocks = coefficient(speed, own.rate), turn
            if any(blocks):
                by[body] = blocks
        twice = rate(speed)
        if value is not None and not _measured(value):
            twice = rate(rate(value))
        return RowBlock(owner, part, kind, value, speed, shape[0], by,
                        -_at_rest(speed, self.bodies), -twice)  # fmt: skip

    # --- bodies and forces

    @cached_property
    def masses(self) -> tuple[BodyBlocks, ...]:
        """M and S, body by body."""
        found = []
        for placed in self.layout.bodies:
            own = self.scene.weighed(placed)
            unit = letters.identity() * own.m
            zero = letters.zero((3, 3))
            coupling, pull, turn = zero, letters.zero(), letters.zero()
            if placed.kind != "particle":
                coupling, pull = own.coupling(), own.pull()
            if placed.kind == "spatial":
                turn = own.gyroscopic()
            blocks: Any = (unit, coupling, own.J)
            symbols = self.bodies[placed.name]
            if symbols.moving is not None:
                blocks, turn = _euler(symbols, blocks)
            found.append(BodyBlocks(placed.name, own, blocks, (pull, turn)))  # type: ignore[arg-type]
        return tuple(found)

    @cached_property
    def effects(self) -> dict[str, Effect]:
        """What each force element does, by name."""
        found = {}
        for element in self.model.forces:
            self.lettering.begin(element.name)
            match element:
                case CentralGravity():
                    found[element.name] = fields.central(element, self.scene)
                case Field():
                    found[element.name] = fields.field(element, self.scene)
                case _:
                    found[element.name] = effect(element, self.scene)
        return found

    @cached_property
    def forces(self) -> tuple[ForceBlock, ...]:
        """Qᴬ of every force element on every body, about its reference point."""
        found: list[ForceBlock] = []
        for element, what in self.effects.items():
            self.lettering.begin(element)
            for push in what.pushes:
                if push.body != "ground":
                    arm = minus(push.at, self.scene.frames[push.body].p)
                    force = letters.as_letters(push.force, (3, 1))
                    turn: Any = letters.as_letters(push.torque, (3, 1))
                    pulled: Any = force
                    turn = plus(turn, cross(arm, pulled)) if force else turn
                    own = self._along(push.body, turn)
                    found.append(ForceBlock(element, push.body, force, own))
            for joint, coordinate, effort in what.efforts:
                found += self._effort(element, self.model[joint], coordinate, effort)
        return tuple(found)

    def _effort(
        self, element: str, joint: Joint, coordinate: str, effort: Any
    ) -> list[ForceBlock]:
        """Return the wrenches of an effort along a coordinate, as `Balance` has them."""
        self.lettering.begin(joint.name, joint_axes(self.scene, joint))
        turn, direction = coordinate_axis(self.scene, joint, coordinate)
        at = self.scene.point(joint.second, list(joint.at_second)).position
        vector = scaled(effort, direction)
        found = []
        for body, sign in ((joint.second, 1.0), (joint.first, -1.0)):
            if body == "ground":
                continue
            part = scaled(sign, vector)
            zero: Any = letters.zero()
            if turn:
                found.append(ForceBlock(element, body, zero, self._along(body, part)))
            else:
                torque = cross(minus(at, self.scene.frames[body].p), part)
                found.append(ForceBlock(element, body, part, self._along(body, torque)))  # type: ignore[arg-type]
        return found

    def _along(self, body: str, torque: Any) -> Letters:
        """Return a torque along the body; in the plane and of particles as it is."""
        kind = next(p.kind for p in self.layout.bodies if p.name == body)
        torque = letters.as_letters(torque, (3, 1))
        if kind == "particle":
            return letters.zero()
        if kind == "planar":
            return NORMAL().T @ torque
        own = self.bodies[body]
        along = own.attitude.T @ torque
        if own.moving is None or own.G is None:
            return along
        return (own.G().T @ along) * 2.0

    # --- values

    def worth(
        self, q: Any, u: Any, t: float = 0.0, others: Mapping[Any, Any] | None = None
    ) -> Callable[[Symbol], Any]:
        """Return the values of symbols at a state.

        Args:
            q: Coordinates.
            u: Speeds.
            t: The time [s].
            others: Values of further symbols by their keys.
        """
        known: dict[Any, Any] = {"t": t, "n": np.array([0.0, 0.0, 1.0])} | dict(others or {})
        known |= {key: constant.value for key, constant in self.lettering.constants.items()}
        for placed in self.layout.bodies:
            known |= self._moved(placed, np.asarray(q, float), np.asarray(u, float))

        def worth(symbol: Symbol) -> Any:
            if symbol.key not in known:
                raise NotSupported(f"worksheet: no value for {symbol.key!r}.")
            return known[symbol.key]

        return worth

    def _moved(self, placed: Placed, q: np.ndarray, u: np.ndarray) -> dict[Any, Any]:
        i, n = self.bodies[placed.name].number, placed.dim
        r, rd = np.zeros(3), np.zeros(3)
        r[:n], rd[:n] = q[placed.q : placed.q + n], u[placed.u : placed.u + n]
        found = {("position", i): r, ("velocity", i): rd}
        if placed.kind == "planar":
            phi = q[placed.q + n]
            c, s = np.cos(phi), np.sin(phi)
            A = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
            found |= {("A", i): A, ("phid", i): u[placed.u + n]}
        elif placed.kind == "spatial":
            p: Any = q[placed.q + 3 : placed.q + 7]
            p = p / np.linalg.norm(p)
            A, G = np.array(rotation(p)), np.array(rate_matrix(p))
            own = u[placed.u + 3 :]
            w = 2 * G @ own[:4] if self.layout.form == "euler" else own[:3]
            found |= {("A", i): A, ("w", i): w, ("p", i): p, ("G", i): G, ("R", i): A.T}
            found |= {("e", i, k): p[k] for k in range(4)}
            if self.layout.form == "euler":
                found |= _quadratic(i, p, own[:4])
        return found


def _quadratic(i: int, p: Any, pd: Any) -> dict[Any, Any]:
    """Return ṗ, Ȧ, A(ṗ) and Ġ; A is quadratic, so that 2 Ȧ = A(p + ṗ) − A(p − ṗ)."""
    rate = (np.array(rotation(p + pd)) - np.array(rotation(p - pd))) / 2.0
    turned = {("Ad", i): rate, ("A2", i): np.array(rotation(pd))}
    return {("pd", i): pd, ("Gd", i): np.array(rate_matrix(pd))} | turned


def _euler(
    own: BodySymbols, blocks: tuple[Letters, Letters, Letters]
) -> tuple[tuple[Letters, Letters, Letters], Letters]:
    """Return M and S of a body whose speeds are ṗ: 4 GᵀJ′G and 8 ĠᵀJ′Ġp."""
    assert own.G is not None
    assert own.swing is not None
    assert own.p is not None
    unit, coupling, J = blocks
    G, swing = own.G(), own.swing()
    mass = (unit, (coupling @ G) * 2.0, (G.T @ J @ G) * 4.0)
    return mass, (swing.T @ J @ swing @ own.p()) * 8.0


def _is_rate(symbol: Symbol) -> bool:
    """Return whether a symbol abbreviates a rate, such as ḋ."""
    return isinstance(symbol.key, tuple) and symbol.key[-1] == "dot"


def _in_space(placed: Placed) -> Placed:
    """Return a body that may leave the plane."""
    kind = "particle" if placed.kind == "particle" else "spatial"
    return replace(placed, kind=kind, dim=3)


def _counted(row: RowBlock, count: int) -> RowBlock:
    return replace(row, count=count)


def _measured(value: Letters) -> bool:
    """Return whether an expression measures an angle, whose rate is given besides."""
    return any(
        isinstance(atom, letters.Call) and atom.name == "atan2"
        for monomial, _ in value.terms
        for atom, _ in monomial
    )


def _at_rest(speed: Letters, bodies: Mapping[str, BodySymbols]) -> Letters:
    """Return what is left of a rate where nothing moves."""
    moving = {s for own in bodies.values() for s in (own.rate, own.turn, own.moving)}
    found = {}
    for term, c in speed.terms.items():
        one = Letters(speed.shape, {term: c})
        if not moving & set(letters.symbols(one)):
            found[term] = c
    return Letters(speed.shape, found)


__all__ = ["NORMAL", "Balance", "CartesianBlocks"]
