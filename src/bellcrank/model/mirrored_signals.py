"""Reading the old machine's signals off its image.

When a machine is moved or mirrored, an expression that read `tip.position_x` must read the
combination of the new components that has the same value. For v_new = T v_old + r that is
v_old = Tᵀ (v_new − r); for attitudes R_old = A R_new B it is a product of Euler parameters.
"""

from typing import TYPE_CHECKING, Any

from bellcrank.errors import ModelError
from bellcrank.model.algebra import Matrix, Number
from bellcrank.model.elements.bodies import Body, Particle
from bellcrank.model.elements.forces import CoordinateForce
from bellcrank.model.elements.gravity import Everywhere
from bellcrank.model.elements.joints import Joint
from bellcrank.model.expressions import Expression, Signal, expression, signals, substitute
from bellcrank.model.names import components, law_quantities, machine_names
from bellcrank.spatial.arithmetic import ORIGIN, scaled_matrix, transpose
from bellcrank.spatial.attitudes import conjugate, euler_parameters, euler_product

if TYPE_CHECKING:
    from bellcrank.model.isometry import Isometry

_AXIAL = ("angular_velocity", "angular_velocity_body", "torque")


def rewritten(expr: Expression, iso: "Isometry") -> Expression:
    """Return an expression of the old machine as one of its image, with the same value."""
    mapping: dict[Expression, Expression] = {}
    for name in signals(expr):
        if name in machine_names():
            mapping[Signal(name)] = _old_total(name, iso)
        elif "." in name and not isinstance(iso.model[name.rpartition(".")[0]], Everywhere):
            mapping[Signal(name)] = old_value(name, iso)
    changed = any(old != new for old, new in mapping.items())
    return substitute(expr, mapping) if changed else expr


def old_value(name: str, iso: "Isometry") -> Expression:
    """Return the old value of a signal as an expression of new signals."""
    owner, _, quantity = name.rpartition(".")
    base = _base(owner, quantity, iso)
    if base == "orientation":
        return _old_attitude(owner, int(quantity[-1]), iso)
    if base is None:
        return -Signal(name) if _flips(owner, quantity, iso) else Signal(name)
    shifted = base == "position" and not isinstance(iso.model[owner], Joint)
    shift = iso.shift if shifted else ORIGIN
    total: Any = 0.0
    for (new, factor), start in zip(linear_image(name, iso, zeros=True), shift, strict=True):
        total = total + factor * (Signal(new) - start)
    return expression(total)


def linear_image(
    name: str, iso: "Isometry", *, zeros: bool = False
) -> list[tuple[str, Number]]:
    """Return the new components, each with its factor, whose sum is the old component.

    Args:
        name: A scalar speed, or a component of a vector.
        iso: The map.
        zeros: Whether components with factor zero are listed too.
    """
    owner, _, quantity = name.rpartition(".")
    base = _base(owner, quantity, iso)
    if base is None:
        return [(name, -1.0 if _flips(owner, quantity, iso) else 1.0)]
    T = _components_by(owner, base, iso)
    sign = iso.sign if base in _AXIAL else 1.0
    column = transpose(T)["xyz".index(quantity[-1])]
    news = components(f"{owner}.{base}", 3)
    found = [(new, sign * factor) for new, factor in zip(news, column, strict=True)]
    return found if zeros else [(new, factor) for new, factor in found if factor != 0.0]


def _base(owner: str, quantity: str, iso: "Isometry") -> str | None:
    """Return the vector that a component belongs to, None for a scalar."""
    for base, size in law_quantities(iso.model[owner]).items():
        if size > 1 and quantity in components(base, size):
            return base
    return None


def _flips(owner: str, quantity: str, iso: "Isometry") -> bool:
    """Return whether a scalar changes its sign: a coordinate, or an effort along one."""
    element = iso.model[owner]
    if isinstance(element, CoordinateForce):
        return iso.flips(element.joint, str(element.coordinate))
    return isinstance(element, Joint) and iso.flips(owner, quantity)


def _old_total(name: str, iso: "Isometry") -> Expression:
    """Return the old value of a quantity of the whole machine.

    Raises:
        ModelError: It depends on where the machine is in the world.
    """
    if name == "kinetic_energy":
        return Signal(name)
    if not name.startswith("linear_momentum"):
        raise ModelError(
            f"moved: {name} is used in an expression, and depends on where in the world the "
            "machine is."
        )
    column = transpose(iso.matrix)["xyz".index(name[-1])]
    news = [Signal(new) for new in components("linear_momentum", 3)]
    return expression(sum((c * new for c, new in zip(column, news, strict=True)), start=0.0))


def _components_by(owner: str, base: str, iso: "Isometry") -> Matrix:
    """Return T of v_new = ± T v_old for a vector, by the axes its components are along."""
    element = iso.model[owner]
    if base.endswith("_body"):
        return iso.axes_of(owner)
    if not isinstance(element, Joint):
        return iso.matrix
    return iso.axes_of(element.second if base in _AXIAL else element.first)


def _old_attitude(owner: str, k: int, iso: "Isometry") -> Expression:
    """Return Euler parameter k of R_old = A R_new B."""
    p = [Signal(name) for name in components(f"{owner}.orientation", 4)]
    element = iso.model[owner]
    if isinstance(element, Body | Particle):
        A, B = transpose(iso.matrix), iso.axes_of(owner)
    else:
        A, B = transpose(iso.axes_of(element.first)), iso.axes_of(element.second)
    if not all(type(x) is float for row in (*A, *B) for x in row):
        raise ModelError(
            f"moved: {owner}.orientation_{k} is used in an expression, so that the rotation "
            "must be plain numbers."
        )
    # Two mirrors are two half turns −S; with b the inverse of a, the scalar part is kept.
    a = euler_parameters(scaled_matrix(iso.sign, A))
    b = euler_parameters(scaled_matrix(iso.sign, transpose(B)))
    return expression(euler_product(euler_product(a, p), conjugate(b))[k])
