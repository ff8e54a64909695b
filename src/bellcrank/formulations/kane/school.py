"""Kane's equations of a machine on CasADi symbols: W, x, A and f for the chosen speeds.

    y = T u + c,   ẏ = T u̇ + (Ṫ u + ċ)
    A = Tᵀ [A] T,   f = Tᵀ ( {f} − [A] (Ṫ u + ċ) )

with [A] and {f} of `equations`, in the base speeds y = (ω′, ṡ′).
"""

from collections.abc import Sequence
from functools import cached_property

import casadi as ca

from bellcrank.formulations.body_space.balance import Balance
from bellcrank.formulations.body_space.lowering import Lowering
from bellcrank.formulations.body_space.pairs import Row as Pair
from bellcrank.formulations.contract.equations import Row
from bellcrank.formulations.contract.speeds_matrix import REGULARITY
from bellcrank.formulations.contract.switches import Switch
from bellcrank.formulations.contract.symbols import Symbols
from bellcrank.formulations.contract.unwrapped import Angle, Turn, kept_turns, remembered_angles
from bellcrank.formulations.kane.attitude import Attitudes
from bellcrank.formulations.kane.choices import LinearSpeeds
from bellcrank.formulations.kane.equations import MassMatrix, generalized, lacking
from bellcrank.formulations.kane.layout import KaneLayout
from bellcrank.formulations.kane.matrices.blocks import vectors
from bellcrank.formulations.kane.motion import BodyMotion, Geometry
from bellcrank.formulations.kane.scene import KaneScene, Memory
from bellcrank.formulations.kane.speeds import ComponentSpeeds, SpeedsOnSymbols
from bellcrank.model import Model
from bellcrank.spatial.arithmetic import ORIGIN, Scalar, Vector


class KaneSchool:
    """W, x, A and f of a machine; all its joints are rows.

    Attributes:
        layout: Its scalars.
        rows: The descriptions of its rows.
        switches: Its nonsmooth operations.
        symbols: The arguments of all slots.
        joints: Names of all joints.
    """

    def __init__(
        self,
        layout: KaneLayout,
        rows: tuple[Row, ...],
        switches: tuple[Switch, ...],
        sizes: dict[str, int],
    ) -> None:
        self.layout, self.connection = layout, layout.connection
        self.rows, self.switches = rows, switches
        self.joints = tuple(joint.name for joint in self.model.joints)
        self.symbols = Symbols.of_sizes(sizes)
        self.scalars = {name: self.symbols.scalars(name) for name in sizes}

    @property
    def model(self) -> Model:
        """The machine."""
        return self.connection.model

    # --- kinematics

    @cached_property
    def named(self) -> dict[str, Scalar]:
        """Coordinates by name, which expressions of this formulation's own may use."""
        names = (variable.name for variable in self.layout.coordinates)
        return dict(zip(names, self.scalars["q"], strict=True))

    @cached_property
    def _signals(self) -> dict[str, Scalar]:
        """What guards may use: coordinates by name, and how regular Y is."""
        measure = getattr(self.speeds, "regularity", None)
        return self.named if measure is None else self.named | {REGULARITY: measure}

    @cached_property
    def _constants(self) -> Lowering:
        names = (parameter.name for parameter in self.model.parameters)
        parameters = dict(zip(names, self.scalars["p"], strict=True))
        return Lowering(self._own_signal, parameters, {}, {})

    def _own_signal(self, name: str) -> Scalar:
        return self.scalars["t"][0] if name == "t" else self.named[name]

    @cached_property
    def geometry(self) -> Geometry:
        """Constants of the bodies."""
        return Geometry.of(self.connection, self._constants)

    @cached_property
    def attitudes(self) -> Attitudes:
        """Orientations of the bodies."""
        return Attitudes(self.layout, self.scalars["q"])

    @cached_property
    def displacements(self) -> list[Vector]:
        """s′_K for K = 0 … N."""
        first, count = self.layout.turns, self.connection.count
        return [ORIGIN, *vectors(self.scalars["q"][first : self.layout.size], count)]

    @cached_property
    def speeds(self) -> SpeedsOnSymbols:
        """How y and q̇ follow from u."""
        if isinstance(self.layout.speeds, LinearSpeeds):
            from bellcrank.formulations.kane.linear import CombinedSpeeds

            return CombinedSpeeds(self.layout, self.attitudes, self.symbols, self._constants)  # type: ignore[return-value]
        return ComponentSpeeds(self.layout, self.attitudes, self.scalars["u"])  # type: ignore[return-value]

    def motion(self, a: Sequence[Scalar] | None = None) -> BodyMotion:
        """Return the bodies at (t, q, u) with u̇ = a, zero if None."""
        return BodyMotion(
            self.connection,
            self.geometry,
            self.attitudes.matrices,
            self.displacements,
            self.speeds.base,
            self.speeds.base_rate(a),
        )

    def scene(self, a: Sequence[Scalar] | None = None, smooth: bool = True) -> KaneScene:
        """Return body space at (t, q, u) with u̇ = a, zero if None."""
        if a is None and smooth:
            return self.still
        return self._scene(a, self.switches if smooth else ())

    def _scene(self, a: Sequence[Scalar] | None, switches: tuple[Switch, ...]) -> KaneScene:
        return self.scene_of(self.motion(a), switches)

    def scene_of(
        self, motion: BodyMotion, switches: tuple[Switch, ...] | None = None
    ) -> KaneScene:
        """Return body space with the bodies moving as told; None is for all switches."""
        switches = self.switches if switches is None else switches
        k = self.scalars["k"][: len(self.switches)]
        return KaneScene(
            self.connection,
            self.scalars,
            motion,
            self.attitudes,
            Memory(self._signals, dict(zip(switches, k, strict=False)), self._turns),
        )

    @cached_property
    def _turns(self) -> dict[Angle, Turn]:
        """Memory of the angles of joints, which follows that of switches."""
        angles = remembered_angles(self.model, self.joints)
        kept = self.scalars["k"][len(self.switches) :]
        return kept_turns(angles, kept, self.scalars["t"][0])

    @cached_property
    def still(self) -> KaneScene:
        """The scene with u̇ = 0, which slots share."""
        return self._scene(None, self.switches)

    def own_rows(self) -> list[Pair]:
        """Return none: norms of Euler parameters are not rows where ω′ are speeds."""
        return []

    # --- kinematical equations

    @cached_property
    def W(self) -> ca.SX:
        """The matrix of q̇ = W u + x."""
        return self.speeds.W

    @property
    def x(self) -> ca.SX:
        """The rest of q̇ = W u + x."""
        return self.speeds.x

    def along(self, expression: ca.SX) -> ca.SX:
        """Return the rate of an expression of (t, q) along the motion, u held."""
        q, t, u = (self.symbols.columns[name] for name in ("q", "t", "u"))
        moved = ca.jtimes(expression, q, self.W @ u + self.x)
        return moved + ca.jtimes(expression, t, ca.SX.ones(1))

    # --- dynamical equations

    @cached_property
    def balance(self) -> Balance:
        """The forces at (t, q, u)."""
        return Balance(self.still)

    @cached_property
    def base_mass(self) -> ca.SX:
        """[A] in the base speeds y."""
        arms = self.still.motion.arms
        return MassMatrix(self.connection, self.geometry, self.attitudes, arms).matrix()

    @cached_property
    def A(self) -> ca.SX:
        """The mass matrix, 6N×6N."""
        project = self.speeds.projected
        return project(project(self.base_mass).T)

    @cached_property
    def f(self) -> ca.SX:
        """The right side, 6N."""
        return self._projected(self.still.motion, self.balance)

    def needed(self, moving: Balance, a: ca.SX) -> ca.SX:
        """Return A a − f."""
        return -self._projected(moving.scene.motion, moving)  # type: ignore[attr-defined]

    def _projected(self, motion: BodyMotion, balance: Balance) -> ca.SX:
        """Return Σ [v_u]ᵀ(F − m a) + [ω′_u]ᵀ(M′ − I′α′ − ω′ × I′ω′)."""
        pushes = lacking(self.connection, motion, balance.applied)
        return self.speeds.projected(generalized(self.connection, motion, pushes))
