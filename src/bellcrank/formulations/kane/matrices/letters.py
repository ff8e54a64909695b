"""Kane's partial velocities in letters, from the motion of the bodies that is evaluated.

`BodyMotion` is given letters for r′, q′, s′, [R_K], ω′ and ṡ′; what it writes for the mass
centres is linear in y, and the blocks of [v_K,y] are what stands before ω′_J and ṡ′_J in it.
"""

from functools import cached_property
from typing import Any

from bellcrank.formulations.contract.lettering import PageLetters
from bellcrank.formulations.kane.connection import Connection
from bellcrank.formulations.kane.motion import BodyMotion, Geometry
from bellcrank.spatial import letters
from bellcrank.spatial.letters import Letters, Symbol, coefficient, name, rate


class KaneLetters:
    """The motion of an unconstrained tree in letters.

    Attributes:
        connection: The numbered bodies.
        lettering: Letters of constants.
    """

    def __init__(self, connection: Connection, lettering: PageLetters) -> None:
        self.connection, self.lettering = connection, lettering

    @cached_property
    def spins(self) -> list[Symbol]:
        """ω′_K; the first is that of the ground and not used."""
        return [Symbol(("w", k), name("ω", k, prime=True)) for k in self._numbers]

    @cached_property
    def slides(self) -> list[Symbol]:
        """ṡ′_K."""
        return [Symbol(("sd", k), name("s", k, prime=True, marks="dot")) for k in self._numbers]

    @property
    def _numbers(self) -> range:
        return range(self.connection.count + 1)

    @cached_property
    def rotations(self) -> list[Letters]:
        """[R_K]ᵀ."""
        found = [letters.identity()]
        for k in self.connection.bodies:
            spin = self.spins[k]()
            R = Symbol(("R", k), name("R", k), (3, 3), spin=spin, inward=True)
            found.append(R().T)
        return found

    @cached_property
    def motion(self) -> BodyMotion:
        """The bodies, moving with y and at ẏ = 0."""
        zero: Any = letters.zero()
        bodies, connection = self.connection.bodies, self.connection
        r, q, s = [zero], [zero], [zero]
        for k in bodies:
            own = connection.name(k)
            r.append(self._vector("r", k, connection.r(k), f"mass centre of {own} [m]"))
            q.append(self._vector("q", k, connection.q(k), f"joint of {own} on L(K) [m]"))
            s.append(Symbol(("s", k), name("s", k, prime=True), rate=self.slides[k])())
        geometry = Geometry(r, q, [], [], [], [])
        spins = [zero, *(self.spins[k]() for k in bodies)]
        slides = [zero, *(self.slides[k]() for k in bodies)]
        still = [zero] * (connection.count + 1)
        given: Any = (self.rotations, s, (spins, slides), (still, still))
        return BodyMotion(connection, geometry, *given)

    def _vector(self, letter: str, k: int, value: Any, meaning: str) -> Any:
        return self.lettering.vector(letter, k, value=value, meaning=meaning)

    def velocity(self, k: int) -> Letters:
        """Return v_K of the mass centre."""
        found: Any = self.motion.point(k, self.motion.geometry.r[k]).velocity
        return found

    def by_turning(self, k: int, j: int) -> Letters:
        """Return block J of [v_K,y1]."""
        return coefficient(self.velocity(k), self.spins[j])

    def by_sliding(self, k: int, j: int) -> Letters:
        """Return block J of [v_K,y2]."""
        return coefficient(self.velocity(k), self.slides[j])

    def rate(self, block: Letters) -> Letters:
        """Return the rate of a block."""
        return rate(block)
