"""Places that a machine is asked to reach: inverse kinematics, through loops too.

    min ‖ξ − ξ₀‖   with   Φ(q) = 0,   y(q) = y*,   limits of joints kept

Damped Newton steps bring points and bodies where they are asked to be; then the machine moves
within what is left free until nothing that is free has changed more than it must. It is done in
joint coordinates, so that all formulations have the same answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bellcrank.constraints.assembly.closing import ClosingPoint, Held, nearest_speeds
from bellcrank.errors import StartError
from bellcrank.linear import rank
from bellcrank.machine.system import System
from bellcrank.model import Model
from bellcrank.model.elements.joints import scalar_coordinates
from bellcrank.model.expressions import Constant, Expression, evaluate
from bellcrank.model.names import components

Array = np.ndarray
STEPS = 200  # towards a place
STRIDE = 0.3  # [rad, lengths of the machine] at once
REACHED = 1e-11  # [rad, lengths of the machine]
NEAR = 1e-8  # [rad, lengths of the machine] that a place may be off
SETTLED = 1e-9  # of a change that is none
ELSEWHERE = 8  # other places from which it is looked for
LEGS = 5  # in which they are come to
OPEN = 1e-10  # of the largest singular value: what is less leaves a direction open
SIZES = {"position": 3, "orientation": 4, "velocity": 3, "angular_velocity": 3}


@dataclass(frozen=True)
class TargetPlace:
    """A quantity of a point or a body that is asked for.

    Attributes:
        name: As it was given.
        values: Signals that show it.
        rates: Signals of its rates; three for an orientation.
        wanted: What they should show.
    """

    name: str
    values: tuple[str, ...]
    rates: tuple[str, ...]
    wanted: tuple[float, ...]

    @property
    def turns(self) -> bool:
        """Whether it is an orientation."""
        return len(self.values) == 4

    @property
    def moves(self) -> bool:
        """Whether it is of speeds."""
        return not self.values


def split_places(
    model: Model, system: System, start: Any
) -> tuple[Mapping[str, Any], tuple[TargetPlace, ...]]:
    """Return start values of joints, and places of points and bodies.

    Args:
        model: The machine.
        system: It, in the formulation in which it is to begin; its own names are no places.
        start: Values by name.

    Raises:
        StartError: A place with a wrong number of values, or values that are not finite.
    """
    if not isinstance(start, Mapping):
        return start, ()
    own = start.keys() <= system.places.keys()
    if (
        own
        and model.points
        and not all(
            name in start for name in system.state_names if system.places[name][0] == "q"
        )
    ):
        # Where points are coordinates, naming one of them still is asking for a place.
        named = {point.name for point in model.points}
        own = not any(str(name).rpartition(".")[0] in named for name in start)
    if own:
        return start, ()
    owners = {element.name for element in (*model.bodies, *model.points)}
    found, left = [], {}
    for name, value in start.items():
        owner, _, quantity = str(name).rpartition(".")
        stem = quantity.rpartition("_")[0]
        whole = quantity if quantity in SIZES else stem
        if owner not in owners or whole not in SIZES:
            left[name] = value
            continue
        found.append(_place(str(name), owner, quantity, whole, value))
    return left, tuple(found)


def _place(name: str, owner: str, quantity: str, whole: str, value: Any) -> TargetPlace:
    size = SIZES[whole] if quantity == whole else 1
    try:
        numbers = np.atleast_1d(np.asarray(value, dtype=float))
    except (TypeError, ValueError, OverflowError):
        numbers = np.array([np.nan])
    if size == 3 and numbers.shape == (2,):
        numbers = np.append(numbers, 0.0)
    if numbers.shape != (size,) or not np.all(np.isfinite(numbers)):
        raise StartError(
            f"'{name}' takes {size} finite number{'s' * (size > 1)}, got {value!r}."
        )
    if whole == "orientation":
        if size == 1:
            raise StartError(
                f"'{name}': single Euler parameters cannot be prescribed; give all four as "
                f"'{owner}.orientation'."
            )
        numbers = numbers / np.linalg.norm(numbers)
        values, rates = components(f"{owner}.orientation", 4), f"{owner}.angular_velocity"
        return TargetPlace(name, values, components(rates, 3), tuple(numbers))
    parts = components(f"{owner}.{whole}", 3) if quantity == whole else (name,)
    if whole in ("velocity", "angular_velocity"):
        return TargetPlace(name, (), parts, tuple(numbers))
    rates = tuple(part.replace(".position", ".velocity") for part in parts)
    return TargetPlace(name, parts, rates, tuple(numbers))


def reached(
    model: Model,
    system: System,
    t: float,
    x: Array,
    w: Array,
    p: Array,
    held: Held,
    places: tuple[TargetPlace, ...],
) -> Array:
    """Return the state x = [q, u, s] nearest to one, in which places are as asked for.

    Args:
        model: The machine.
        system: It, in joint coordinates.
        t: The time [s].
        x: A consistent state.
        w: Inputs.
        p: Parameter values in order.
        held: What the user named besides.
        places: What is asked for.

    Raises:
        StartError: A place that cannot be reached, with how far it is away.
    """
    search = _TargetSearch(model, system, t, x, w, p, held, places)
    q = search.position()
    u = search.speeds(q)
    return np.concatenate([q, u, x[len(q) + len(u) :]])


class _TargetSearch:
    """A machine on its way to places."""

    def __init__(
        self, model: Model, system: System, t: float, x: Array, w: Array, p: Array, held: Held,
        places: tuple[TargetPlace, ...],
    ) -> None:  # fmt: skip
        self.model, self.system, self.places, self.held = model, system, places, held
        self.q, self.u, self.s = system.split(x)
        self.w, self.p, self.t = w, p, t
        self.sizes = system.speed_sizes
        self.there = ClosingPoint(system, t, self.s, w, p, held.targets)
        self.length = system.equations.length(system.named(p))
        self.placed = [place for place in places if not place.moves]
        self.limits = _limits(model, system.named(p))

    def _arguments(self, q: Array, u: Array | None = None) -> list[Array]:
        u = np.zeros(len(self.sizes)) if u is None else u
        k = np.ones(len(self.system.equations.memory))
        return [np.array([self.t]), q, u, self.s, self.w, self.p, k]

    def _gaps(self, q: Array) -> tuple[Array, Array]:
        """Return what places lack and its derivative, in nominal sizes."""
        gaps, rows = [], []
        for place in self.placed:
            kernel = self.system.measured(place.values, place.rates)
            y, Y, _ = kernel(*self._arguments(q))
            Y = Y.reshape(len(place.rates), -1)
            if place.turns:
                gaps.append(_turn(y, np.array(place.wanted)))
                rows.append(Y * self.sizes)
            else:
                gaps.append((np.array(place.wanted) - y) / self.length)
                rows.append(Y * self.sizes / self.length)
        if not gaps:
            return np.zeros(0), np.zeros((0, len(self.sizes)))
        return np.concatenate(gaps), np.concatenate(rows)

    def _rows(self, q: Array) -> tuple[Array, Array]:
        """Return the constraints and what is held, in nominal sizes."""
        nu = len(self.sizes)
        residual, matrix = np.zeros(0), np.zeros((0, nu))
        if self.there.rows["position"]:
            residual, matrix = (
                self.there.residual(q),
                self.there.matrix("position", q) * self.sizes,
            )
        fixed = np.eye(nu)[self.held.coordinates]
        return np.concatenate([-residual, np.zeros(len(fixed))]), np.vstack([matrix, fixed])

    def position(self) -> Array:
        """Return coordinates at which places are as asked for, nearest to where it was.

        Where they are not reached from there, it is looked from a few other places, too.

        Raises:
            StartError: They cannot be reached.
        """
        best, noise = self._approached(self.q), np.random.default_rng(0)
        for _ in range(ELSEWHERE):
            if self._off(best) <= NEAR:
                break
            found = self._approached(self._elsewhere(noise))
            best = found if self._off(found) < self._off(best) else best
        self._check(best)
        return self._least(best)

    def _approached(self, q: Array) -> Array:
        """Return coordinates with places as near to what is asked for as they come."""
        damping = 1e-3
        for _ in range(STEPS):
            b, C = self._rows(q)
            gap, Y = self._gaps(q)
            if max(np.abs(gap).max(initial=0.0), np.abs(b).max(initial=0.0)) <= REACHED:
                break
            step = _nearest(b, C, gap, Y, damping, self._room(q))
            far = np.abs(step).max(initial=0.0)
            step = step * min(1.0, STRIDE / max(far, STRIDE))
            tried = self.there.moved(q, step * self.sizes)
            fresh = self._gaps(tried)[0]
            better = np.linalg.norm(fresh) < np.linalg.norm(gap) * (1 - 1e-9)
            damping = max(damping * 0.1, 1e-12) if better else min(damping * 4, 1e6)
            if better or np.abs(b).max(initial=0.0) > 1e-6:
                q = tried
            elif damping >= 1e3 or far < 1e-13:
                break
        return q

    def _off(self, q: Array) -> float:
        return float(np.abs(self._gaps(q)[0]).max(initial=0.0))

    def _elsewhere(self, noise: np.random.Generator) -> Array:
        """Return coordinates some way off, on the constraints and within limits."""
        q, nothing = self.q, np.zeros((0, len(self.sizes)))
        for _ in range(LEGS):
            b, C = self._rows(q)
            aim = noise.uniform(-1.0, 1.0, len(self.sizes))
            step = _nearest(b, C, aim, np.eye(len(aim)), 0.0, self._room(q))
            q = self.there.moved(q, step * self.sizes)
        for _ in range(LEGS):
            b, C = self._rows(q)
            step = _nearest(b, C, np.zeros(0), nothing, 1.0, self._room(q))
            q = self.there.moved(q, step * self.sizes)
        return q

    def _room(self, q: Array) -> tuple[Array, Array, Array]:
        """Return rows of joints that have limits, and how far each may go down and up."""
        if not self.limits:
            return np.zeros((0, len(self.sizes))), np.zeros(0), np.zeros(0)
        names = tuple(self.limits)
        y, Y, _ = self.system.measured(names)(*self._arguments(q))
        units = np.array([1.0 if self._angular(name) else self.length for name in names])
        low, high = np.array([self.limits[name] for name in names]).T
        rows = Y.reshape(len(names), -1) * self.sizes / units[:, None]
        return rows, (low - y) / units, (high - y) / units

    @staticmethod
    def _angular(name: str) -> bool:
        return name.rpartition(".")[2].startswith("angle")

    def _check(self, q: Array) -> None:
        """Raise where a place is not reached."""
        told, start = [], 0
        gap = self._gaps(q)[0]
        for place in self.placed:
            count = 3 if place.turns else len(place.values)
            off = float(np.linalg.norm(gap[start : start + count]))
            start += count
            if off > NEAR:
                unit, size = ("rad", 1.0) if place.turns else ("m", self.length)
                told.append(f"'{place.name}' stays {off * size:.6g} {unit} away")
        beyond = self._beyond(q)
        if told:
            at = f" with {', '.join(beyond)} at the limit" if beyond else ""
            raise StartError(
                f"'{self.model.name}' cannot reach what is asked for: {', '.join(told)}{at}. "
                "Ask for a place within its reach, or name fewer coordinates."
            )

    def _beyond(self, q: Array) -> list[str]:
        """Return joints that are at their limits."""
        if not self.limits:
            return []
        y = self.system.measured(tuple(self.limits))(*self._arguments(q))[0]
        pairs = zip(self.limits.items(), y, strict=True)
        return [n for (n, (low, high)), v in pairs if v <= low + 1e-9 or v >= high - 1e-9]

    def _least(self, q: Array) -> Array:
        """Return coordinates with the least change among those that reach the places."""
        for _ in range(50):
            _, C = self._rows(q)
            whole = np.vstack([C, self._gaps(q)[1]])
            W = self.there.ask("kinematics", q)[0]
            home = np.linalg.lstsq(W * self.sizes, self.q - q, rcond=None)[0]
            still = np.zeros(len(whole))
            home = _nearest(still, whole, home, np.eye(len(home)), 0.0, self._room(q))
            if np.abs(home).max(initial=0.0) <= SETTLED:
                break
            home = home * min(1.0, STRIDE / max(np.abs(home).max(), STRIDE))
            tried = self._corrected(self.there.moved(q, home * self.sizes))
            if tried is None:
                break
            q = tried
        found = self._corrected(q)
        return q if found is None else found

    def _corrected(self, q: Array) -> Array | None:
        """Return coordinates brought onto constraints and places from near them."""
        nothing = np.zeros((0, len(self.sizes)))
        for _ in range(20):
            b, C = self._rows(q)
            gap, Y = self._gaps(q)
            right, whole = np.concatenate([b, gap]), np.vstack([C, Y])
            if np.abs(right).max(initial=0.0) <= REACHED:
                return q
            step = _nearest(right, whole, np.zeros(0), nothing, 1.0, self._room(q))
            q = self.there.moved(q, step * self.sizes)
        return None

    def speeds(self, q: Array) -> Array:
        """Return the nearest speeds on the constraints that places have as asked for.

        Raises:
            StartError: They contradict each other.
        """
        free = ~self.held.speeds
        moving = [place for place in self.places if place.moves]
        u = self.u
        if self.there.rows["velocity"]:
            u = nearest_speeds(self.there, q, u, free)
        if not moving:
            return u
        names = tuple(name for place in moving for name in place.rates)
        wanted = np.array([value for place in moving for value in place.wanted])
        y, Y, _ = self.system.measured(names, names)(*self._arguments(q, u))
        rows, right = Y.reshape(len(names), -1), wanted - y
        if self.there.rows["velocity"]:
            rows = np.vstack([rows, self.there.matrix("velocity", q)])
            right = np.concatenate([right, self.there.lacking(q, u)])
        step = np.zeros(len(u))
        step[free] = self.sizes[free] * (
            rank.pseudo_inverse(rows[:, free] * self.sizes[free], relative=OPEN) @ right
        )
        left = rows @ step - right
        if np.abs(left).max(initial=0.0) > 1e-9 * (1 + np.abs(wanted).max()):
            worst = int(np.argmax(np.abs(left[: len(names)])))
            owner = next(place.name for place in moving if names[worst] in place.rates)
            raise StartError(
                f"'{owner}' cannot have the speed asked for: the constraints, and what else "
                f"start names, allow {names[worst]} = {wanted[worst] + left[worst]:.6g}, not "
                f"{wanted[worst]:.6g}."
            )
        return u + step


def _turn(p: Array, wanted: Array) -> Array:
    """Return the rotation vector, along the world, from an orientation to another."""
    e0 = float(p @ wanted)
    sign = 1.0 if e0 >= 0 else -1.0
    vector = sign * (p[0] * wanted[1:] - wanted[0] * p[1:] - np.cross(wanted[1:], p[1:]))
    size = float(np.linalg.norm(vector))
    return vector * (2 * np.arctan2(size, abs(e0)) / size) if size > 1e-12 else 2 * vector


def _nearest(
    b: Array, C: Array, gap: Array, Y: Array, damping: float, room: tuple[Array, Array, Array]
) -> Array:
    """Return the step s of least |Y s − gap|² + damping |s|², with C s = b and within limits.

    In what C leaves free, s = first + F z, it is the point nearest to one in a cone of
    half-spaces (Lawson and Hanson, Solving Least Squares Problems, ch. 23).

    Args:
        b: What the constraints lack.
        C: Their matrix, shape (m, n).
        gap: What the places lack.
        Y: Their matrix.
        damping: What steps cost.
        room: Rows L with low ≤ L s ≤ high.
    """
    from scipy.optimize import nnls

    n = Y.shape[1]
    first, F = np.zeros(n), np.eye(n)
    if len(C):
        first = rank.pseudo_inverse(C, relative=OPEN) @ b
        _, sigma, Vt = np.linalg.svd(C)
        F = Vt[int(rank.counted(sigma, relative=OPEN).sum()) :].T
    if not F.shape[1]:
        return first
    rows = np.vstack([Y @ F, np.sqrt(damping) * np.eye(F.shape[1])])
    Q, R = np.linalg.qr(rows)
    right = np.concatenate([gap - Y @ first, np.zeros(F.shape[1])])
    best = np.linalg.solve(R, Q.T @ right)
    L, low, high = room
    # A x ≥ c for x = R (z − best)
    signed, ends = np.vstack([L, -L]), np.concatenate([low, -high])
    signed, ends = signed[np.isfinite(ends)], ends[np.isfinite(ends)]
    A, c = signed @ F, ends - signed @ (first + F @ best)
    if not (c > 0).any():
        return first + F @ best
    E = np.vstack([np.linalg.solve(R.T, A.T), c])
    E = E / np.maximum(np.linalg.norm(E, axis=0), 1e-300)
    stopped = nnls(E, np.append(np.zeros(len(R)), 1.0))[0] > 0
    # Which limits stop it is known now; at them the step is that of equations.
    b, C = np.concatenate([b, ends[stopped]]), np.vstack([C, signed[stopped]])
    return _nearest(b, C, gap, Y, damping, (L[:0], low[:0], high[:0]))


def _limits(model: Model, values: Mapping[str, float]) -> dict[str, tuple[float, float]]:
    """Return the ranges of coordinates of joints that have limits, by name."""
    found = {}
    for joint in model.joints:
        given, names = getattr(joint, "limits", None), scalar_coordinates(joint)
        if given is None or not names:
            continue
        low, high = (_number(each, values) for each in (given.lower, given.upper))
        found[f"{joint.name}.{names[0]}"] = (
            -np.inf if low is None else low, np.inf if high is None else high,
        )  # fmt: skip
    return {name: pair for name, pair in found.items() if np.isfinite(pair).any()}


def _number(value: Any, values: Mapping[str, float]) -> float | None:
    if value is None:
        return None
    if isinstance(value, Constant):
        return float(value.value)
    return float(evaluate(value, dict(values)) if isinstance(value, Expression) else value)
