"""The state a batched machine begins with.

Values named of joints put the bodies in place along the tree, number by number; where that does
not close the machine, named coordinates are held as if they were driven. What is named far from
the drawing, or of a machine with loops, is followed there in joint coordinates, as for any
machine, while there are not too many of them to be written out; beyond that, along the branch
of the drawing in bodies' own.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bellcrank.constraints.assembly.closing import CLOSED, Target, closed, nearest_speeds
from bellcrank.constraints.assembly.following import SMALL
from bellcrank.errors import StartError
from bellcrank.formulations import Equations
from bellcrank.kernels.batched.assembled import Assembled, AssembledState
from bellcrank.machine.batched.closing import (
    EXACT,
    BatchedPoint,
    CountedAngles,
    check_rounding,
    led,
    remembered,
)
from bellcrank.machine.full_turns import with_full_turns
from bellcrank.machine.start import beginning, split_near, split_start
from bellcrank.machine.system import System
from bellcrank.model import Drive, Model, VelocityConstraint, mass_properties
from bellcrank.model.edit import with_values
from bellcrank.model.elements.joints import scalar_coordinates
from bellcrank.model.expressions import Expression, evaluate

Array = np.ndarray
FOLLOWED = 150  # joint coordinates, up to which names are followed in them


@dataclass(frozen=True, eq=False)
class BatchedStart:
    """A batched machine that is to begin.

    Attributes:
        model: The machine.
        system: Its names.
        sums: Its equations.
        written: Returns the equations of a machine in the same formulation.
        p: Parameter values in order.
    """

    model: Model
    system: System
    sums: Assembled
    written: Callable[[Model], Equations]
    p: Array

    def state(
        self,
        start: Mapping[str, Any] | None,
        t: float,
        w: Array,
        angles: Mapping[str, float],
        exact: bool,
    ) -> tuple[Array, Array]:
        """Return x = [q, u, s] and k for start values by name.

        Args:
            start: Such as {"A.angle": 0.3}, or in names of the formulation's own coordinates.
            t: The time [s].
            w: Inputs.
            angles: Angles of joints by name, full turns and all, where they are known.
            exact: Whether named values of own coordinates must be met, or may be corrected.

        Raises:
            StartError: Names or values that do not fit the machine, or it cannot be closed.
        """
        system, known, far = self.system, dict(angles), False
        targets: tuple[Target, ...] = ()
        start, s = self._variables(start)
        own = not isinstance(start, Mapping) or all(name in system.places for name in start)
        if own:
            q, u = system.placed(start, parameters=self.p)
        else:
            q, u, targets, found, far = self._along_tree(start, t, w)
            known |= found
        u = np.append(u, s)
        q, u = self._closed(t, (q, u), w, targets, known, far, drawn=own and not start)
        if own and exact:
            self._check_named(start, q, u)
        q = self._turned(q, known)
        return np.concatenate([q, u]), self._state(t, q, u, w, known).k

    def _variables(self, start: Any) -> tuple[Any, Array]:
        """Return what is named of motion, and the values of variables."""
        if not isinstance(start, Mapping):
            return start, self.system.packed(parameters=self.p)[2]
        moves = self.system.moves
        named = {name: value for name, value in start.items() if not moves(name)}
        rest = {name: value for name, value in start.items() if moves(name)}
        return rest, self.system.packed(named, parameters=self.p)[2]

    @property
    def _sizes(self) -> Array:
        """Nominal sizes of speeds; of variables, which no row holds, one."""
        own = self.system.speed_sizes
        return np.append(own, np.ones(self.sums.nu - len(own)))

    # --- where named joints put the bodies

    def _along_tree(
        self, start: Any, t: float, w: Array
    ) -> tuple[Array, Array, tuple[Target, ...], dict[str, float], bool]:
        """Return q and u of bodies along the tree, what was named of joints, and their angles.

        Last comes whether what was named is still to be followed from the drawing.
        """
        picture, p = self.system.jointed(), self.p
        said, near = split_near(start)
        direct, targets = split_start(picture, said)
        q, u = picture.placed(direct, parameters=p)
        far = bool(near or (targets and picture.equations.rows) or _far(picture, q, p))
        # What loops leave open of a start is settled there too: as near in bodies' own
        # coordinates is somewhere else.
        if (far or picture.equations.rows) and len(q) <= FOLLOWED:
            q, u, _ = picture.split(beginning(picture, start, t, w, p)[0])
            far = False
        elif near:
            raise StartError(
                f"Near takes machines of at most {FOLLOWED} joint coordinates, "
                f"'{picture.equations.name}' has {len(q)}. Draw it on the branch that is "
                "wanted."
            )
        found = dict(zip(picture.coordinates, q.tolist(), strict=True))
        found |= {target.name: target.value for target in targets if target.turns}
        whole = all(picture.places[name][2] == 1 for name in direct)  # of others none is held
        there, moving = self.sums.embedded(*self._placed(t, q, u))
        moving = moving[: len(self.system.speeds)]
        return there, moving, (*targets, *_named(picture, direct)), found, far and whole

    def _placed(self, t: float, q: Array, u: Array) -> tuple[dict[str, Array], ...]:
        """Return pose and twist of all bodies for coordinates and rates of joints."""
        from bellcrank.formulations.joint_coordinates.layout import layout
        from bellcrank.formulations.joint_coordinates.scene import TreeScene

        vectors = {"t": [t], "q": q.tolist(), "u": u.tolist(), "p": self.p.tolist()}
        vectors |= {
            "s": [0.0] * len(self.model.variables),
            "k": [],
            "w": [0.0] * len(self.model.inputs),
        }
        scene, named = TreeScene(self.model, layout(self.model), vectors), self._values
        pose, twist = {}, {}
        for body in self.model.bodies:
            com = mass_properties(body).com
            at = [evaluate(x, named) if isinstance(x, Expression) else x for x in com]
            moving, turning = scene.point(body.name, at), scene.turning(body.name)
            pose[body.name] = _numbers([*moving.position, *scene.attitude(body.name)])
            twist[body.name] = _numbers([*turning.velocity, *moving.velocity])
        return pose, twist

    @property
    def _values(self) -> dict[str, float]:
        return self.system.named(self.p)

    # --- on the constraints

    def _closed(
        self,
        t: float,
        state: tuple[Array, Array],
        w: Array,
        targets: Sequence[Target],
        known: Mapping[str, float],
        far: bool,
        drawn: bool,
    ) -> tuple[Array, Array]:
        """Return q and u on the constraints, with what was named.

        Args:
            t: The time [s].
            state: q and u that were named or drawn.
            w: Inputs.
            targets: What was named of joints.
            known: Angles of joints by name, full turns and all, where they are known.
            far: Whether that is to be followed from the drawing.
            drawn: Whether q and u are those of the drawing.
        """
        (q, u), system = state, self.system
        there, plain = self._point(t, w, targets, known), self._point(t, w, (), known)
        everything = np.ones(len(u), dtype=bool)
        tied = bool(self.model.graph.loops or self.model.constraints or self.model.drivers)
        try:
            if far or (drawn and plain.open(q) > SMALL):
                way = self._point(t, w, targets, {})  # angles count from the drawing
                q = led(way, system.placed({}, parameters=self.p)[0], system.equations.name)
            if plain.open(q) > CLOSED:
                q = closed(there, q, everything)
            u = nearest_speeds(there, q, u, everything)
        except StartError:
            if tied:  # rounded rows stand in each other's way
                self._check_rounding(self._state(t, *state, w, known), EXACT)
            raise
        if tied:
            exact = max(EXACT, 100.0 * plain.open(q))
            self._check_rounding(self._state(t, q, u, w, known), exact)
        return q, u

    def _state(
        self, t: float, q: Array, u: Array, w: Array, known: Mapping[str, float]
    ) -> AssembledState:
        """Return a state of the machine with the memory that goes with it."""
        state = self.sums.state(t, q, u, w=w)
        k = remembered(self.sums, state, CountedAngles(known, self._drawn))
        return replace(state, k=k)

    def _check_rounding(self, there: AssembledState, exact: float) -> None:
        check_rounding(self.sums, there, self._sizes, self.system.slack, exact)

    def _point(
        self, t: float, w: Array, targets: Sequence[Target], known: Mapping[str, float]
    ) -> BatchedPoint:
        """Return the constraints of the machine with what was named held."""
        wanted = {
            level: [target for target in targets if target.level == level]
            for level in ("position", "velocity")
        }
        machines = {level: self._held(given) for level, given in wanted.items()}
        counted = CountedAngles(known, self._drawn)
        return BatchedPoint(machines, t, w, self._sizes, wanted, counted)

    def _held(self, targets: Sequence[Target]) -> Assembled:
        """Return the machine with positions or speeds of joints held."""
        if not targets:
            return self.sums
        holds: list[Any] = []
        for target in targets:
            placed = target.level == "position"
            joint, _, coordinate = (target.name if placed else target.rate).rpartition(".")
            label = f"start of {joint} {coordinate}"
            if placed:
                holds.append(Drive(label, joint, {coordinate: target.value}))
            else:
                terms = {f"{joint}.{coordinate}": 1.0}
                holds.append(VelocityConstraint(label, terms, equals=target.value))
        held = with_values(self.model.add(*holds), self._values)
        return Assembled(self.written(held), self.p)

    def _check_named(self, start: Any, q: Array, u: Array) -> None:
        """Complain about values of own coordinates that the constraints do not allow."""
        lost = []
        for name, value in (start or {}).items():
            vector, first, size = self.system.places[name]
            found = (q if vector == "q" else u)[first : first + size]
            wanted = np.atleast_1d(np.asarray(value, dtype=float))
            if vector == "q" and size == 4:
                wanted = wanted / np.linalg.norm(wanted) * np.sign(wanted @ found or 1.0)
            if np.abs(found - wanted).max() > 1e-6 * (1.0 + np.abs(wanted).max()):
                lost.append(name)
        if lost:
            shown = ", ".join(map(repr, lost[:6])) + (", …" if len(lost) > 6 else "")
            raise StartError(
                f"the constraints do not allow what start says of {shown}. Name joints "
                "instead, or give values that fit each other."
            )

    # --- full turns

    def _turned(self, q: Array, known: Mapping[str, float]) -> Array:
        """Return q with the full turns that are known of sums of coordinates."""
        e = self.system.equations
        sums = {name: terms for name, terms in e.sums.items() if name in known}
        if not sums:
            return q
        moved = q - np.array(e.drawing(self._values))
        seen = {
            name: self._drawn(name) + sum(factor * moved[i] for i, factor in terms)
            for name, terms in sums.items()
        }
        return with_full_turns(q, sums, seen, known)

    def _drawn(self, name: str) -> float:
        """Return an angle of a joint in the drawing [rad]."""
        owner, _, coordinate = name.rpartition(".")
        joint = self.model[owner]
        drawn = joint.drawn[scalar_coordinates(joint).index(coordinate)]
        return evaluate(drawn, self._values) if isinstance(drawn, Expression) else drawn


def _far(picture: System, q: Array, p: Array) -> bool:
    """Return whether what is named would be followed from the drawing."""
    drawn = picture.placed({}, parameters=p)[0]
    return bool(picture.equations.rows) and float(np.abs(q - drawn).max(initial=0.0)) > SMALL


def _numbers(scalars: Sequence[Any]) -> Array:
    return np.array([float(scalar) for scalar in scalars])


def _named(picture: System, direct: Mapping[str, Any]) -> list[Target]:
    """Return what was named of joints in the tree, as what must be shown of them."""
    found = []
    for name, value in direct.items():
        vector, first, size = picture.places[name]
        if size > 1:
            continue
        variables = picture.equations.coordinates if vector == "q" else picture.equations.speeds
        full, level = variables[first].name, "position" if vector == "q" else "velocity"
        found.append(Target(full, full, float(np.ravel(value)[0]), level, False))
    return found
