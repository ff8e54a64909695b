"""Bodies in fully Cartesian coordinates, in letters: D, Φ, G and Ψ of each, and their sums.

The matrices are those of `bodies` and `spatial_bodies`, evaluated on letters. In the plane
entries are scalars, as in the literature; in space they are blocks of points and vectors.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bellcrank.formulations.body_space.triads import triad_about
from bellcrank.formulations.contract.lettering import PageLetters
from bellcrank.formulations.points.basics import PointFrame, pinned, value
from bellcrank.formulations.points.bodies import PlanarBody
from bellcrank.formulations.points.places import places
from bellcrank.formulations.points.rigid import RigidCondition, conditions, residual
from bellcrank.formulations.points.spatial_bodies import SpatialBody, VectorAlgebra
from bellcrank.model import Model, mass_properties
from bellcrank.model.algebra import nominal
from bellcrank.spatial import letters
from bellcrank.spatial.formula import Formula
from bellcrank.spatial.letters import Letters, Symbol, name

WRITTEN = VectorAlgebra(letters.identity(), letters.skew, letters.cross)
NEAR = 1e-12  # of a number that a fraction of others stands for


@dataclass(frozen=True)
class BodyLetters:
    """A body in letters.

    Attributes:
        name: Which. number: k.
        kind: `planar`, `spatial`, `rod`, `particle` or `spanned`.
        frame: Its points and vectors.
        slots: What its coordinates r_i, r_j, u, … are: sums of basics.
        l, a, m: Length, place of the mass centre, mass.
        J: J about the mass centre: one entry in the plane, else three rows.
        momentum: Φ: in the plane two rows of entries, in space a block per slot.
        spin: G: entries, or three rows of blocks.
        angular: Ψ: entries, or a block per slot.
        axes: R: e₁, e₂, e₃.
        centre: The mass centre r_O.
        place: D: in the plane two rows of entries, in space a block per slot.
        lengths: L: one number times the identity, or three rows.
    """

    name: str
    number: int
    kind: str
    frame: PointFrame
    slots: tuple[dict[int, float], ...]
    l: Any
    a: tuple[Any, ...]
    m: Any
    J: Any
    momentum: Any
    spin: Any
    angular: Any
    axes: Any = None
    centre: Any = None
    place: Any = None
    lengths: Any = None


@dataclass(frozen=True)
class LetterSpan:
    """The directions of a body in letters, their rates, components as drawn, and lengths."""

    directions: list[Letters]
    rates: list[Letters]
    drawn: list[list[Any]]
    lengths: list[Letters]

    def length(self, k: int) -> Letters:
        """Return the length of a direction as drawn."""
        return self.lengths[k]


@dataclass(frozen=True)
class _Spans:
    """What `rigid` asks of a scene."""

    spanned: dict[str, LetterSpan]
    blocks: "PointBlocks"

    def basic(self, number: int) -> tuple[Letters, Letters]:
        """Return a basic and its rate."""
        return self.blocks.basic(number)

    def size(self, number: int) -> Letters:
        """Return the length of a vector."""
        k = self.blocks.numbers[number]
        length = self.blocks.plan.basics[number].length
        return self.blocks.lettering.scalar(
            "ℓ", k, value=length, meaning=f"length of vector {k} [m]"
        )


@dataclass(frozen=True)
class RigidRow:
    """A condition of a rigid body, or three at once: Φ, its rate, and its blocks by basic."""

    body: str
    kind: str
    phi: Letters
    rate: Letters
    by: dict[int, Letters]


class PointBlocks:
    """The matrices of a machine in points and vectors.

    Attributes:
        model: The machine.
        plan: Its points and vectors.
        lettering: Letters of constants.
    """

    def __init__(self, model: Model, constant: bool = False) -> None:
        self.model, self.plan = model, places(model, constant)
        self.lettering = PageLetters(model)

    @cached_property
    def numbers(self) -> dict[int, int]:
        """Numbers on the page of points, and of vectors, by their places among the basics."""
        found, points, vectors = {}, 0, 0
        for i, basic in enumerate(self.plan.basics):
            if basic.vector:
                vectors += 1
                found[i] = vectors
            else:
                points += 1
                found[i] = points
        return found

    @property
    def moving(self) -> list[int]:
        """The basics that are coordinates."""
        return [i for i, basic in enumerate(self.plan.basics) if basic.start >= 0]

    def letter(self, number: int) -> Symbol:
        """Return r_k of a point, u_k of a vector, in space."""
        basic = self.plan.basics[number]
        mark = "u" if basic.vector else "r"
        k = self.numbers[number]
        rate = Symbol(("bd", number), name(mark, k, marks="dot"))
        return Symbol(("b", number), name(mark, k), rate=rate if basic.start >= 0 else None)

    def entries(self, number: int) -> list[Letters]:
        """Return x_k and y_k of a point, in the plane."""
        basic, k = self.plan.basics[number], self.numbers[number]
        marks = ("u", "v") if basic.vector else ("x", "y")
        return [Symbol(("b", number, i), name(m, k), (1, 1))() for i, m in enumerate(marks)]

    def slots(self, frame: PointFrame) -> tuple[dict[int, float], ...]:
        """Return what the coordinates of a body are, as sums of basics."""
        found = [{frame.base: 1.0}]
        for k, number in enumerate(frame.directions):
            vector = self.plan.basics[number].vector
            if k == 0:
                found.append({frame.base: 1.0, number: 1.0} if vector else {number: 1.0})
            else:
                found.append({number: 1.0} if vector else {number: 1.0, frame.base: -1.0})
        return tuple(found)

    # --- bodies

    @cached_property
    def bodies(self) -> tuple[BodyLetters, ...]:
        """All bodies, in the order of the model."""
        return tuple(
            self._body(k, body.name) for k, body in enumerate(self.model.bodies, start=1)
        )

    def _drawn(self, frame: PointFrame) -> tuple[np.ndarray, list[np.ndarray]]:
        """Return the base and the directions as drawn."""
        basics = self.plan.basics
        base = np.array([value(e) for e in basics[frame.base].sides[frame.body]])
        found = []
        for number in frame.directions:
            basic = basics[number]
            at = basic.length * np.array([value(e) for e in basic.sides[frame.body]])
            found.append(at if basic.vector else at - base)
        return base, found

    def _body(self, k: int, body: str) -> BodyLetters:
        frame = self.plan.frames[body]
        slots, properties = self.slots(frame), mass_properties(self.model[body])
        m = self.lettering.scalar("m", k, value=properties.mass, meaning=f"mass of {body} [kg]")
        if not frame.directions:
            return self._particle(k, body, frame, m)
        base, drawn = self._drawn(frame)
        com = np.array([value(e) for e in properties.com]) - base
        J = np.array([[float(nominal(e) or 0.0) for e in row] for row in properties.inertia])
        if self.plan.planar:
            return self._planar(k, body, (frame, slots, m), drawn[0], com, J[2, 2])
        if len(drawn) == 2:
            return self._spatial(k, body, (frame, slots, m), drawn, com, J)
        return self._linear(k, body, (frame, slots, m), drawn, com, J)

    def _length(self, k: int, body: str, size: float) -> Letters:
        return self.lettering.scalar("l", k, value=float(size), meaning=f"length of {body} [m]")

    def _share(self, letter: str, k: int, i: int, number: float, body: str) -> Any:
        """Return a share of a length: 0, ½ and 1 as they are, others as letters."""
        for plain in (0.0, 0.5, 1.0):
            if abs(number - plain) < NEAR:
                return plain
        return self.lettering.scalar(
            letter, k, i, value=number, meaning=f"mass centre of {body}, share {i}"
        )

    def _inertia(self, k: int, body: str, number: float, size: float, mark: str = "") -> Any:
        """Return a moment of inertia; of a thin rod as m l²/12, as the literature has it."""
        m, l = (self.lettering.constants[letter, k] for letter in "ml")
        if abs(number) <= NEAR * m.value * size * size:
            return 0.0
        if abs(number - m.value * l.value**2 / 12) <= NEAR * abs(number):
            return m.symbol() * l.symbol() ** 2 / 12.0
        index = (k, mark) if mark else (k,)
        return self.lettering.scalar(
            "J", *index, value=number, meaning=f"moment of inertia of {body} [kg m²]"
        )

    def _planar(
        self, k: int, body: str, own: Any, d: np.ndarray, com: np.ndarray, J: float
    ) -> BodyLetters:
        frame, slots, m = own
        size = float(np.hypot(d[0], d[1]))
        l = self._length(k, body, size)
        across = np.array([-d[1], d[0]])
        shares = float(com[:2] @ d[:2]) / size**2, float(com[:2] @ across) / size**2
        a = tuple(self._share("a", k, i, x, body) for i, x in enumerate(shares, start=1))
        inertia = self._inertia(k, body, float(J), size)
        planar = PlanarBody(l, list(a), m, inertia)  # type: ignore[arg-type]
        q = [entry for slot in slots for entry in self._sum(slot)]
        place = [[letters.as_letters(x) for x in row] for row in planar.place_entries(a)]
        momentum = [[x * m for x in row] for row in place]
        spin = [letters.as_letters(x) for x in planar.spin_entries(q)]
        angular = [letters.as_letters(x) for x in planar.momentum_entries(q)]
        return BodyLetters(body, k, "planar", frame, slots, l, a, m, inertia, momentum, spin,
                           angular, place=place, lengths=l)  # fmt: skip

    def _sum(self, slot: dict[int, float]) -> list[Letters]:
        parts = [[e * c for e in self.entries(n)] for n, c in slot.items()]
        return [_total(column) for column in zip(*parts, strict=True)]

    def _vector(self, slot: dict[int, float]) -> Letters:
        total = letters.zero()
        for number, c in slot.items():
            total = total + self.letter(number)() * c
        return total

    def _named(self, letter: str, k: int, what: Letters) -> Letters:
        """Return r_ij and the like under a name of body k."""
        return _abbreviated(("body", letter, k), name(letter, k), what)

    def _centre(self, k: int, what: Letters) -> Letters:
        """Return the mass centre of body k under its name."""
        return _abbreviated(("body", "centre", k), centre_name(k), what)

    def _spatial(
        self, k: int, body: str, own: Any, drawn: list[np.ndarray], com: np.ndarray,
        J: np.ndarray,
    ) -> BodyLetters:  # fmt: skip
        frame, slots, m = own
        d, u = drawn
        size, mu = float(np.linalg.norm(d)), float(np.linalg.norm(u))
        beta = float(d @ u) / (size * mu)
        l = self._length(k, body, size)
        far: Any = l
        if abs(mu - size) > NEAR * size:
            far = self.lettering.scalar("μ", k, value=mu, meaning=f"|u| of {body} [m]")
        tilt: Any = 0.0
        if abs(beta) > NEAR:
            tilt = self.lettering.scalar(
                "β", k, value=beta, meaning=f"cosine between r_ij and u of {body}"
            )
        e1 = d / size
        e2 = u - (u @ e1) * e1
        e2 = e2 / np.linalg.norm(e2)
        F = np.column_stack([e1, e2, np.cross(e1, e2)])
        s, inner = F.T @ com, F.T @ J @ F
        alpha = np.sqrt(1.0 - beta**2)
        a2 = s[1] / (mu * alpha)
        shares = (s[0] - mu * beta * a2) / size, a2, s[2] / mu
        a = tuple(self._share("a", k, i, float(x), body) for i, x in enumerate(shares, start=1))
        rows = [
            [
                self._inertia(k, body, float(inner[i, j]), size, "xyz"[i] + "xyz"[j] * (i != j))
                for j in range(3)
            ]
            for i in range(3)
        ]
        spatial = SpatialBody(l, far, tilt, list(a), m, rows)  # type: ignore[arg-type]
        ri, rj, uk = (self._vector(slot) for slot in slots)
        r = self._named("d", k, rj - ri)
        uk = self._named("w", k, uk)
        V = [letters.as_letters(x, (3, 3)) for x in spatial.velocity_blocks(r, uk, WRITTEN)]
        momentum = [block * m for block in V]
        G = spatial.spin_blocks(r, uk, letters.cross(uk, r), Letters((1, 3)))
        axes = spatial.axes(r, uk, WRITTEN)
        at = V[0] @ ri + V[1] @ rj + letters.as_letters(a[1]) * uk
        if not (isinstance(a[2], float) and a[2] == 0.0):
            product = letters.cross(r, uk)
            at = ri + r * a[0] + uk * a[1] + (product * a[2]) / (spatial.alpha * l)
        centre = self._centre(k, at)
        angular = self._turning(axes, rows, G, centre, momentum)
        place = spatial.place_blocks(a, uk, WRITTEN)
        place = [letters.as_letters(x, (3, 3)) for x in place]
        return BodyLetters(body, k, "spatial", frame, slots, l, a, m, rows, momentum, G,
                           angular, axes, at, place, spatial.length_rows())  # fmt: skip

    def _turning(
        self, axes: list[Letters], J: Any, G: list[list[Letters]], centre: Letters,
        momentum: list[Letters],
    ) -> list[Letters]:  # fmt: skip
        """Return Ψ_j = R J G_j + r̃_O Φ_j."""
        found = []
        for j, push in enumerate(momentum):
            total = letters.skew(centre) @ push
            for i in range(3):
                for n in range(3):
                    entry = J[i][n]
                    if isinstance(entry, Letters) or entry:
                        total = total + (axes[i] @ G[n][j]) * entry
            found.append(total)
        return found

    def _particle(self, k: int, body: str, frame: PointFrame, m: Letters) -> BodyLetters:
        slots = self.slots(frame)
        if self.plan.planar:
            x, y = self._sum(slots[0])
            one, none = letters.as_letters(1.0), letters.zero((1, 1))
            momentum = [[m * one, none], [none, m * one]]
            return BodyLetters(body, k, "particle", frame, slots, 0.0, (), m, 0.0, momentum,
                               [none, none], [-(y * m), x * m])  # fmt: skip
        r = self._vector(slots[0])
        push = [letters.identity() * m]
        return BodyLetters(body, k, "particle", frame, slots, 0.0, (), m, 0.0, push,
                           [[Letters((1, 3))]] * 3, [letters.skew(r) @ push[0]],
                           centre=r)  # fmt: skip

    def _linear(
        self, k: int, body: str, own: Any, drawn: list[np.ndarray], com: np.ndarray,
        J: np.ndarray,
    ) -> BodyLetters:  # fmt: skip
        """Return a rod of two points, or a body that three directions span."""
        frame, slots, m = own
        if len(drawn) == 3:
            return self._spanned(k, body, own, drawn, com, J)
        size = float(np.linalg.norm(drawn[0]))
        l = self._length(k, body, size)
        e = drawn[0] / size
        a = self._share("a", k, 1, float(com @ e) / size, body)
        across = float(np.trace(J) - e @ J @ e) / 2.0
        inertia = self._inertia(k, body, across, size)
        one = letters.identity()
        V = [one * (1.0 - a), one * a]
        momentum = [block * m for block in V]
        ri, rj = (self._vector(slot) for slot in slots)
        r = self._named("d", k, rj - ri)
        turn = letters.skew(r) / (l * l)
        at = V[0] @ ri + V[1] @ rj
        centre = self._centre(k, at)
        angular = [
            turn * (letters.as_letters(inertia) * sign) + letters.skew(centre) @ push
            for sign, push in zip((-1.0, 1.0), momentum, strict=True)
        ]
        return BodyLetters(body, k, "rod", frame, slots, l, (a,), m, inertia, momentum,
                           [-turn, turn], angular, centre=at, place=V,
                           lengths=l)  # fmt: skip

    def _spanned(
        self, k: int, body: str, own: Any, drawn: list[np.ndarray], com: np.ndarray,
        J: np.ndarray,
    ) -> BodyLetters:  # fmt: skip
        """Return a body of three directions: e_n = Σ K_in d_i, all constant."""
        frame, slots, m = own
        size = float(np.linalg.norm(drawn[0]))
        l = self._length(k, body, size)
        e1 = drawn[0] / size
        e2 = drawn[1] - (drawn[1] @ e1) * e1
        e2 = e2 / np.linalg.norm(e2)
        F = np.column_stack([e1, e2, np.cross(e1, e2)])
        L = np.column_stack(drawn)
        numbers, inner = np.linalg.solve(L, F), F.T @ J @ F
        shares = np.linalg.solve(L, com)
        a = tuple(self._share("a", k, i, float(x), body) for i, x in enumerate(shares, start=1))
        K = [
            [self._constant("K", k, i, n, float(numbers[i, n]), body) for n in range(3)]
            for i in range(3)
        ]
        rows = [
            [
                self._inertia(k, body, float(inner[i, n]), size, "xyz"[i] + "xyz"[n] * (i != n))
                for n in range(3)
            ]
            for i in range(3)
        ]
        base, rj, *others = (self._vector(slot) for slot in slots)
        d = [self._named("d", k, rj - base)]
        d += [self._named(letter, k, one) for letter, one in zip("wv", others, strict=True)]
        axes = [_total([d[i] * K[i][n] for i in range(3)]) for n in range(3)]
        G = []
        for n in range(3):
            turned, along = (n + 1) % 3, axes[(n + 2) % 3].T
            first, *more = (along * K[i][turned] for i in range(3))
            G.append([-first, first, *more])
        one = letters.identity()
        V = [one * (1.0 - a[0]), *(one * share for share in a)]
        momentum = [block * m for block in V]
        at = base + d[0] * a[0] + d[1] * a[1] + d[2] * a[2]
        angular = self._turning(axes, rows, G, self._centre(k, at), momentum)
        along = self._along(k, body, drawn, self._lengths(k, body, drawn))
        lengths = [list(row) for row in zip(*along, strict=True)]
        return BodyLetters(body, k, "spanned", frame, slots, l, a, m, rows, momentum, G,
                           angular, axes, at, V, lengths)  # fmt: skip

    def _constant(self, letter: str, k: int, i: int, j: int, number: float, body: str) -> Any:
        if abs(number) < NEAR:
            return 0.0
        return self.lettering.scalar(
            letter, k, f"{i + 1}{j + 1}", value=number,
            meaning=f"axis {j + 1} of {body} along its direction {i + 1} [1/m]",
        )  # fmt: skip

    # --- rows of rigid bodies

    def spanned(self, body: str) -> "LetterSpan":
        """Return the directions of a body, their rates and what they are drawn as."""
        frame = self.plan.frames[body]
        k = next(one.number for one in self.bodies if one.name == body)
        _, drawn = self._drawn(frame)
        directions = []
        for number in frame.directions:
            vector = self.letter(number)()
            if not self.plan.basics[number].vector:
                vector = vector - self.letter(frame.base)()
            directions.append(vector)
        rates = [letters.rate(d) for d in directions]
        lengths = self._lengths(k, body, drawn)
        return LetterSpan(directions, rates, self._along(k, body, drawn, lengths), lengths)

    def _lengths(self, k: int, body: str, drawn: list[np.ndarray]) -> list[Letters]:
        """Return the lengths of the directions of a body, in letters."""
        sizes = [float(np.linalg.norm(d)) for d in drawn]
        return [self._size(k, body, i, size, sizes[0]) for i, size in enumerate(sizes)]

    def _along(
        self, k: int, body: str, drawn: list[np.ndarray], lengths: list[Letters]
    ) -> list[list[Any]]:
        """Return the directions along the frame of the body, in letters."""
        found: list[list[Any]] = [[lengths[0], 0.0, 0.0]]
        return found + (self._tilted(k, body, drawn, lengths) if len(drawn) > 1 else [])

    def _size(self, k: int, body: str, i: int, size: float, first: float) -> Letters:
        if i == 0 or abs(size - first) <= NEAR * first:
            return self._length(k, body, first)
        mark = "μ" if i == 1 else "ν"
        meaning = f"length of direction {i + 1} of {body} [m]"
        return self.lettering.scalar(mark, k, value=size, meaning=meaning)

    def _tilted(
        self, k: int, body: str, drawn: list[np.ndarray], sizes: list[Letters]
    ) -> list[list[Any]]:
        """Return the second and third direction along the frame of the body, in letters."""
        units = [d / np.linalg.norm(d) for d in drawn]
        e1 = units[0]
        e2 = units[1] - (units[1] @ e1) * e1
        e2 = e2 / np.linalg.norm(e2)
        frame = (e1, e2, np.cross(e1, e2))
        found = []
        for i in range(1, len(drawn)):
            entries = []
            for n, axis in enumerate(frame):
                number = float(units[i] @ axis)
                whole = next((x for x in (0.0, 1.0, -1.0) if abs(number - x) < NEAR), None)
                share: Any = whole
                if whole is None:
                    share = self.lettering.scalar(
                        "β", k, f"{i + 1}{n + 1}", value=number,
                        meaning=f"direction {i + 1} of {body} along its axis {n + 1}",
                    )  # fmt: skip
                entries.append(0.0 if share == 0.0 else sizes[i] * share)
            found.append(entries)
        return found

    @cached_property
    def rigid(self) -> tuple["RigidRow", ...]:
        """Lengths, angles and sizes that keep bodies rigid, with their blocks by basic."""
        found = []
        scene: Any = self
        for condition in conditions(self.plan):
            if condition.kind == "place" and condition.which[1] > 0:
                continue  # one row of vectors for all axes
            if condition.kind in ("place", "tilt"):
                phi = self._placed(condition)
                found.append(self._row(condition.body, condition.kind, phi, letters.rate(phi)))
                continue
            spans = {condition.body: self.spanned(condition.body)}
            phi, speed = residual(_Spans(spans, scene), self.plan, condition)  # type: ignore[arg-type]
            phi, speed = letters.as_letters(phi), letters.as_letters(speed)
            found.append(self._row(condition.body, condition.kind, phi, speed))
        return (*found, *map(self._pins, pinned(self.model, self.plan)))

    def _row(self, owner: str, kind: str, phi: Letters, speed: Letters) -> "RigidRow":
        """Return a condition with its blocks by basic."""
        by = {}
        for number in self.moving:
            block = letters.coefficient(speed, self.letter(number).rate)  # type: ignore[arg-type]
            if block:
                by[number] = block
        return RigidRow(owner, kind, phi, speed, by)

    def _placed(self, condition: RigidCondition) -> Letters:
        """Return r − r_i − Σ c d of a point besides the frame’s; v·f of such a vector."""
        body, (number, axis) = condition.body, condition.which
        basic, there = self.plan.basics[number], self.letter(number)()
        base, _ = self._drawn(self.plan.frames[body])
        if condition.kind == "place":
            at = basic.length * np.array([value(e) for e in basic.sides[body]]) - base
            origin = self.letter(self.plan.frames[body].base)()
            return there - origin - self._along_directions(body, at, (self.numbers[number],))
        across = np.array(triad_about(basic.sides[body], value)[axis], float)
        mark = (self.numbers[number], axis + 1)
        size = _Spans({}, self).size(number)
        return (there.T @ self._along_directions(body, across, mark)) / size

    def _pins(self, joint: Any) -> "RigidRow":
        """Return a·b of the pins of a cross, one in each body."""
        sides = ((joint.first, joint.axis_first), (joint.second, joint.axis_second))
        a, b = (
            self._along_directions(body, np.array([value(e) for e in axis]), (joint.name, i))
            for i, (body, axis) in enumerate(sides, start=1)
        )
        phi = a.T @ b
        return self._row(joint.name, "pins", phi, letters.rate(phi))

    def _along_directions(self, body: str, at: np.ndarray, mark: tuple[Any, ...]) -> Letters:
        """Return a vector of a body as the sum Σ κ d of its directions and their product."""
        if body == "ground":
            return self.lettering.vector(
                "k", *mark, value=at, meaning="pin on the ground", prime=False
            )
        span = self.spanned(body)
        drawn, found = list(self._drawn(self.plan.frames[body])[1]), list(span.directions)
        if self.plan.planar:
            normal = letters.AXES[2]()
            drawn.append(np.cross((0.0, 0.0, 1.0), drawn[0]))
            found.append(letters.cross(normal, found[0]))
        elif len(found) == 2:
            drawn.append(np.cross(drawn[0], drawn[1]))
            found.append(letters.cross(found[0], found[1]))
        shares = np.linalg.lstsq(np.column_stack(drawn), at, rcond=None)[0]
        total, k = letters.zero(), next(b.number for b in self.bodies if b.name == body)
        for i, (share, along) in enumerate(zip(shares, found, strict=True), start=1):
            if abs(share) * np.linalg.norm(drawn[i - 1]) > NEAR * np.linalg.norm(at):
                total = total + along * self.lettering.scalar(
                    "κ", k, *mark, i, value=float(share),
                    meaning=f"share {i} of the directions of {body}",
                )  # fmt: skip
        return total

    def basic(self, number: int) -> tuple[Letters, Letters]:
        """Return a basic and its rate."""
        one = self.letter(number)
        return one(), letters.rate(one())

    # --- sums

    def assembled(self, part: str) -> dict[int, Any]:
        """Return Φ or Ψ of the machine: by basic a block, in the plane its entries.

        Args:
            part: `momentum` or `angular`.
        """
        size, found = self.plan.size, {}
        for number in self.moving:
            for body in self.bodies:
                for j, slot in enumerate(body.slots):
                    if number not in slot:
                        continue
                    c = slot[number]
                    own = getattr(body, part)
                    if not self.plan.planar:
                        block = own[j] * c
                        found[number] = found[number] + block if number in found else block
                        continue
                    rows = own if part == "momentum" else [own]
                    here = [[row[size * j + i] * c for i in range(size)] for row in rows]
                    known = found.get(number)
                    found[number] = here if known is None else [
                        [x + y for x, y in zip(one, two, strict=True)]
                        for one, two in zip(known, here, strict=True)
                    ]  # fmt: skip
        return found

    # --- values

    def worth(self, q: Any, qd: Any = None) -> Callable[[Symbol], Any]:
        """Return the values of symbols at a position, and rates."""
        known: dict[Any, Any] = {}
        constants, size = self.lettering.constants, self.plan.size
        for i, basic in enumerate(self.plan.basics):
            if basic.start >= 0:
                at = np.asarray(q, float)[basic.start : basic.start + size]
                rate = np.zeros(size) if qd is None else np.asarray(qd, float)[
                    basic.start : basic.start + size
                ]  # fmt: skip
            else:
                at = basic.length * np.array([value(e) for e in basic.fixed or ()])[:size]
                rate = np.zeros(size)
            pad = (0, 3 - size)
            known |= {("b", i): np.pad(at, pad), ("bd", i): np.pad(rate, pad)}
            known |= {("b", i, j): float(x) for j, x in enumerate(at)}
        return lambda s: constants[s.key].value if s.key in constants else known[s.key]


def centre_name(k: int, marks: str = "") -> Formula:
    """Return r_O of body k, with marks."""
    return name("r", "O", k, marks=marks)


def _abbreviated(key: Any, formula: Formula, what: Letters) -> Letters:
    """Return a sum under a name; a letter alone has one."""
    if len(what.terms) == 1 and len(letters.symbols(what, inside=False)) == 1:
        return what
    return Symbol(key, formula, what.shape, definition=what, rate=lambda: letters.rate(what))()


def _total(terms: Sequence[Letters]) -> Letters:
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total
