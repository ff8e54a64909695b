"""The slots of Kane's equations."""

from functools import cached_property
from typing import TYPE_CHECKING

import casadi as ca

from bellcrank.formulations.contract.slots import BodySlots
from bellcrank.formulations.kane.attitude import Attitudes, coordinates_of
from bellcrank.formulations.kane.bodywise import Bodywise
from bellcrank.formulations.kane.matrices.blocks import column_of
from bellcrank.formulations.kane.school import KaneSchool
from bellcrank.model import Expression
from bellcrank.spatial.arithmetic import ORIGIN, Scalar, Vector, apply, cross, minus, transpose

if TYPE_CHECKING:
    from bellcrank.formulations.kane.matrices.quantities import KaneQuantities


class KaneSlots:
    """Slots of the contract: those of body space, and `normalize` and `embed`."""

    def __init__(self, school: KaneSchool) -> None:
        self.school, self.symbols, self.common = school, school.symbols, BodySlots(school)
        self._own = {
            "normalize": self.normalize,
            "embed": self.embed,
            "bodywise": self.bodywise,
            "completion": self.completion,
            "accelerate": self.accelerate,
            "derivatives": self.derivatives,
            "jacobian": self.jacobian,
        }

    def slot(self, name: str) -> ca.Function:
        """Return the function of a slot."""
        return self._own[name]() if name in self._own else getattr(self.common, name)()

    def signals(self, expressions: tuple[Expression, ...]) -> ca.Function:
        """Return the function of expressions of the machine's signals."""
        return self.common.signals(expressions)

    @cached_property
    def _bodies(self) -> Bodywise:
        return Bodywise(self.school)

    def bodywise(self) -> ca.Function:
        """M, N, C, F, w and J⁻¹ in the speeds of single bodies."""
        own = self._bodies
        N = own.idle
        outputs = {"M": own.D + N @ N.T, "N": N, "C": own.C, "F": ca.densify(own.F)}
        outputs |= {"twists": ca.densify(own.w), "back": own.back}
        return self.symbols.function("bodywise", outputs)

    def completion(self) -> ca.Function:
        """A with inertia where bodies have none, and the columns it is made of."""
        N = ca.jacobian(self._bodies.w, self.symbols.columns["u"]).T @ self._bodies.idle
        return self.symbols.function("completion", {"M": self.school.A + N @ N.T, "N": N})

    def accelerate(self) -> ca.Function:
        """u̇ under extra efforts e."""
        e = ca.SX.sym("e", self.symbols.columns["u"].numel())
        ud = self._bodies.accelerations(e)
        return self.symbols.function("accelerate", {"ud": ud}, {"e": e})

    def derivatives(self) -> ca.Function:
        """q̇, u̇, ṡ: every body on its own."""
        outputs = {"qd": ca.densify(self.common.qd), "ud": self._bodies.accelerations()}
        return self.symbols.function("derivatives", outputs | {"sd": self.common.sd})

    def jacobian(self) -> ca.Function:
        """F = M ∂ẋ/∂x without constraints, and A of M = diag(1, A, 1)."""
        return self.common.jacobian_at(self._bodies.accelerations())

    @cached_property
    def quantities(self) -> "KaneQuantities":
        """The matrices that have names."""
        from bellcrank.formulations.kane.matrices.quantities import (
            KaneQuantities,  # only who asks
        )

        return KaneQuantities(self)

    def normalize(self) -> ca.Function:
        """Q with all Euler parameters at unit length."""
        q = self.school.attitudes.normalized()
        rest = self.school.scalars["q"][self.school.layout.turns :]
        return self.symbols.function("normalize", {"q_out": column_of([*q, *rest])})

    def embed(self) -> ca.Function:
        """Q and u of given poses and twists of the bodies, in the order of the model."""
        count = self.school.connection.count
        pose, twist = ca.SX.sym("pose", 7, count), ca.SX.sym("twist", 6, count)
        found = Embedding(self.school, pose, twist)
        outputs = {"q_out": column_of(found.q), "u_out": column_of(found.u)}
        return self.symbols.function("embed", outputs, {"pose": pose, "twist": twist})


class Embedding:
    """The state whose bodies are where they are told to be.

    Attributes:
        q: Coordinates.
        u: Speeds.
    """

    def __init__(self, school: KaneSchool, pose: ca.SX, twist: ca.SX) -> None:
        self._school, self._connection = school, school.connection
        order = [0, *(self._place(k) for k in school.connection.bodies)]
        self._poses = [ca.vertsplit(pose[:, i]) for i in order]
        self._twists = [ca.vertsplit(twist[:, i]) for i in order]
        self._orientations = coordinates_of(
            school.layout, [[1.0, 0.0, 0.0, 0.0], *(pose[3:] for pose in self._poses[1:])]
        )
        self._attitudes = Attitudes(school.layout, self._orientations)
        s, spins, slides = self._displaced()
        self.q = [*self._orientations, *(e for v in s[1:] for e in v)]
        symbols = school.symbols.columns
        u = column_of(school.speeds.from_base(spins, slides))
        self.u: list[Scalar] = ca.vertsplit(ca.substitute(u, symbols["q"], column_of(self.q)))

    def _place(self, k: int) -> int:
        names = [body.name for body in self._connection.model.bodies]
        return names.index(self._connection.name(k))

    def _displaced(self) -> tuple[list[Vector], list[Vector], list[Vector]]:
        """Return s′_K, ω′_K and ṡ′_K for K = 0 … N.

        ṡ′ = [R_L](v_O − v_L − ω_L × (p_O − p_L)), with O_K and O_L.
        """
        A, r = self._attitudes.matrices, self._school.geometry.r
        p, v, w, s, spins, slides = (list[Vector]([ORIGIN]) for _ in range(6))
        for k in self._connection.bodies:
            low = self._connection.lower[k - 1]
            arm = apply(A[k], r[k])
            w.append(self._twists[k][:3])
            p.append(minus(self._poses[k][:3], arm))
            v.append(minus(self._twists[k][3:], cross(w[k], arm)))
            to_lower, d = transpose(A[low]), minus(p[k], p[low])
            s.append(minus(apply(to_lower, d), self._school.geometry.q[k]))
            slides.append(apply(to_lower, minus(minus(v[k], v[low]), cross(w[low], d))))
            spins.append(apply(transpose(A[k]), w[k]))
        return s, spins, slides
