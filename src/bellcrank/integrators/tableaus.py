"""Runge-Kutta tableaus.

    Y_i = x + h Σ_j a_ij f_j,   f_i = f(t + c_i h, Y_i),   x₁ = x + h Σ b_i f_i

A tableau also says how far off x₁ is (`errors`) and how the solution runs inside the step
(`dense`). Row number `stages` of the derivatives is f(t + h, x₁), which is the first stage of
the next step.

References:
    Hairer, Nørsett, Wanner (1993), Solving Ordinary Differential Equations I, II.1 to II.6.
    Fehlberg (1969), NASA TR R-315.
"""

from dataclasses import dataclass

Numbers = tuple[float, ...]


@dataclass(frozen=True)
class Tableau:
    """An explicit Runge-Kutta method.

    Attributes:
        name: Its name.
        order: Of x₁, which is what is carried on.
        c: Stage times, shape (stages,).
        a: Stage weights; row i has i entries.
        b: Weights of x₁, shape (stages,).
        errors: Weights e over the derivatives, last one included, of the estimate h Σ e_i f_i.
            None: the method has fixed steps. Two: the estimate is e₁²/√(e₁² + e₂²/100).
        error_order: The step is changed with this root of the error.
        beta: Weight of the previous error in the choice of the step (PI control).
        safety: Part of the step that the error allows which is taken.
        extra_c: Stage times of stages for the dense output only.
        extra_a: Their weights over all derivatives before them.
        dense: Weights of the rows of the dense output from the fifth on.
        bootstrap: θ at which one more derivative makes the cubic between the ends a
            quartic; 0 if there is none.
    """

    name: str
    order: int
    c: Numbers
    a: tuple[Numbers, ...]
    b: Numbers
    errors: tuple[Numbers, ...] = ()
    error_order: int = 0
    beta: float = 0.0
    safety: float = 0.9
    extra_c: Numbers = ()
    extra_a: tuple[Numbers, ...] = ()
    dense: tuple[Numbers, ...] = ()
    bootstrap: float = 0.0

    @property
    def stages(self) -> int:
        """Number of derivatives that x₁ is made of."""
        return len(self.b)

    @property
    def first_same_as_last(self) -> bool:
        """Whether the error estimate needs f(t + h, x₁)."""
        return any(len(e) > self.stages and e[self.stages] != 0 for e in self.errors)

    @property
    def rows(self) -> int:
        """Number of derivatives that are kept."""
        return self.stages + 1 + len(self.extra_c) + (self.bootstrap != 0)

    @property
    def blend(self) -> int:
        """Number of rows of the dense output."""
        return 4 + len(self.dense) + (self.bootstrap != 0)


def _numbers(text: str) -> Numbers:
    """Return numbers from fractions of whole numbers, `1/2 3 -4/5`, correctly rounded."""
    pairs = (each.partition("/") for each in text.split())
    return tuple(int(above) / int(below or 1) for above, _, below in pairs)


def _rows(text: str) -> tuple[Numbers, ...]:
    return tuple(_numbers(line) for line in text.split("|"))


RK4 = Tableau(
    name="RK4",
    order=4,
    c=_numbers("0 1/2 1/2 1"),
    a=_rows("| 1/2 | 0 1/2 | 0 0 1"),
    b=_numbers("1/6 1/3 1/3 1/6"),
)

RKF45 = Tableau(
    name="RKF45",
    order=5,
    c=_numbers("0 1/4 3/8 12/13 1 1/2"),
    a=_rows(
        "| 1/4 | 3/32 9/32 | 1932/2197 -7200/2197 7296/2197"
        "| 439/216 -8 3680/513 -845/4104 | -8/27 2 -3544/2565 1859/4104 -11/40"
    ),
    b=_numbers("16/135 0 6656/12825 28561/56430 -9/50 2/55"),
    # b - b̂ with b̂ = 25/216 0 1408/2565 2197/4104 -1/5 0
    errors=(_numbers("1/360 0 -128/4275 -2197/75240 1/50 2/55"),),
    error_order=5,
    beta=0.02,
    # The slope of θ²(1-θ)² is steepest here: ½ - 1/√12. At ½ it vanishes.
    bootstrap=0.21132486540518713,
)

DOPRI5 = Tableau(
    name="DOPRI5",
    order=5,
    c=_numbers("0 1/5 3/10 4/5 8/9 1"),
    a=_rows(
        "| 1/5 | 3/40 9/40 | 44/45 -56/15 32/9"
        "| 19372/6561 -25360/2187 64448/6561 -212/729"
        "| 9017/3168 -355/33 46732/5247 49/176 -5103/18656"
    ),
    b=_numbers("35/384 0 500/1113 125/192 -2187/6784 11/84"),
    # b - b̂ with b̂ = 5179/57600 0 7571/16695 393/640 -92097/339200 187/2100 1/40
    errors=(_numbers("71/57600 0 -71/16695 71/1920 -17253/339200 22/525 -1/40"),),
    error_order=5,
    beta=0.02,
    dense=(
        _numbers(
            "-12715105075/11282082432 0 87487479700/32700410799 -10690763975/1880347072"
            " 701980252875/199316789632 -1453857185/822651844 69997945/29380423"
        ),
    ),
)
