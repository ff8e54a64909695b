"""Variables as speeds without coordinates: what implicit methods with constraints solve.

Variables follow speeds in the state [q, u, s], so that [u, s] are the speeds of equations of
the same shape as the machine's own, with unit masses and without rows:

    q̇ = [W 0] [u; s] + x,    [A 0; 0 1] [u̇; ṡ] = [f; g] − [C 0]ᵀ λ,    [C 0] [u; s] = ν

ν may depend on s, where a variable leads a speed. Rows push on no variable, so that C has no
column for it; the columns of s in E = (C u − ν)_q T, which no coordinate needs, hold
(C u − ν)_s.
"""

from collections.abc import Callable

import casadi as ca

from bellcrank.formulations.contract import ARGUMENTS
from bellcrank.formulations.contract.equations import Equations

_WIDER = {
    "kinematics": ("W",),
    "velocity": ("C",),
    "kinematics_jacobian": ("qd_q",),
}
"""Outputs that get columns of zeros."""


def with_variables(equations: Equations, slot: str) -> ca.Function:
    """Return a slot in which [u, s] are the speeds; its arguments stay as they are.

    Args:
        equations: Of a machine with variables.
        slot: One that implicit methods with constraints ask for.
    """
    return _Extended(equations).slot(slot)


class _Extended:
    """Slots on symbols of their own."""

    def __init__(self, equations: Equations) -> None:
        self.equations = equations
        some = equations.function("auxiliary")
        self.given = [ca.SX.sym(name, some.size1_in(name)) for name in ARGUMENTS]
        self.q, self.u, self.s = self.given[1:4]
        self.a = ca.SX.sym("a", self.u.numel() + self.s.numel())
        self.lam = ca.SX.sym("lam", len(equations.rows))
        self.own = [self.a[: self.u.numel()], self.lam]
        self._written: dict[str, Callable[[], dict[str, ca.SX]]] = {
            "mass": self._mass,
            "constraint_jacobian": self._constraint_jacobian,
            "residual": self._residual,
            "residual_jacobian": self._residual_jacobian,
        }

    def slot(self, name: str) -> ca.Function:
        """Return the function of a slot."""
        inputs = [*self.given, self.a, self.lam] if name.startswith("residual") else self.given
        if name in self._written:
            found = self._written[name]()
        else:
            found = self._asked(name)
            wide = _WIDER.get(name, ())
            zeros = {out: ca.SX(found[out].shape[0], self.s.numel()) for out in wide}
            found |= {out: ca.horzcat(found[out], zeros[out]) for out in wide}
        names = [*ARGUMENTS, "a", "lam"][: len(inputs)]
        return ca.Function(name, inputs, list(found.values()), names, list(found))

    def _asked(self, name: str, *own: ca.SX) -> dict[str, ca.SX]:
        function = self.equations.function(name)
        values = function.call([*self.given, *own])
        return dict(zip(function.name_out(), values, strict=True))

    @property
    def _rates(self) -> ca.SX:
        return self._asked("auxiliary")["sd"]

    def _mass(self) -> dict[str, ca.SX]:
        A = self._asked("mass")["A"]
        return {"A": ca.diagcat(A, ca.SX.eye(self.s.numel()))}

    def _constraint_jacobian(self) -> dict[str, ca.SX]:
        """(C u − ν)_q T, and (C u − ν)_s beside it."""
        found, rows = self._asked("constraint_jacobian"), self._asked("velocity")
        rates_s = ca.jacobian(rows["C"] @ self.u - rows["nu"], self.s)
        return {"rates_q": ca.horzcat(found["rates_q"], rates_s)}

    def _residual(self) -> dict[str, ca.SX]:
        r = self._asked("residual", *self.own)["r"]
        return {"r": ca.vertcat(r, self.a[self.u.numel() :] - self._rates)}

    def _residual_jacobian(self) -> dict[str, ca.SX]:
        """r_q T and r_u over [u, s], T = [W 0]."""
        found, r = self._asked("residual_jacobian", *self.own), self._residual()["r"]
        W = self._asked("kinematics")["W"]
        nu, ns, rates = self.u.numel(), self.s.numel(), self._rates
        slopes = [-ca.jacobian(rates, each) for each in (self.q, self.u, self.s)]
        r_q = ca.vertcat(found["r_q"], slopes[0] @ W)
        r_u = ca.blockcat([
            [found["r_u"], ca.jacobian(r[:nu], self.s)],
            [slopes[1], slopes[2]],
        ])
        return {"r_q": ca.horzcat(r_q, ca.SX(nu + ns, ns)), "r_u": r_u}
