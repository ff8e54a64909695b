"""Angles of joints in Cartesian coordinates: in the plane they are differences of coordinates.

Needs no CasADi.
"""

from collections.abc import Iterable

from bellcrank.formulations.cartesian.layout import BodyLayout
from bellcrank.formulations.contract.unwrapped import Angle, measured_angles, remembered_angles
from bellcrank.model import Joint, Model
from bellcrank.model.algebra import nominal

Terms = tuple[tuple[int, float], ...]
"""Places in q and factors."""


def remembered(model: Model, joints: Iterable[str] | None = None) -> tuple[Angle, ...]:
    """Return the angles whose turns only memory knows: none in the plane.

    Args:
        model: The machine.
        joints: Names of the joints; None for all.
    """
    names = [joint.name for joint in model.joints] if joints is None else joints
    return () if model.planar else remembered_angles(model, names)


def planar_sums(model: Model, plan: BodyLayout) -> dict[str, Terms]:
    """Return h (φ₂ − φ₁) of every hinge of a planar machine, by the name of its angle.

    Joints of the spanning tree come first, lower bodies first, and of each the body that it
    carries comes first.
    """
    if not model.planar:
        return {}
    places = {b.name: b.q + b.dim for b in plan.bodies if b.kind == "planar"}
    order = [*model.graph.tree_joint, *model.graph.loops]
    carried = dict(zip(model.graph.tree_joint, model.graph.order, strict=True))
    found: dict[str, Terms] = {}
    for name, coordinate in measured_angles(model, order):
        joint = model[name]
        assert isinstance(joint, Joint)
        sign = -1.0 if (nominal(joint.axis_first[2]) or 1.0) < 0 else 1.0
        ends = ((joint.second, sign), (joint.first, -sign))
        terms = [(body, places[body], factor) for body, factor in ends if body in places]
        terms.sort(key=lambda term: term[0] != carried.get(name))
        found[f"{name}.{coordinate}"] = tuple((place, factor) for _, place, factor in terms)
    return found
