"""The canonical text of a model: equal texts make equal equations.

Everything is in it but the model's own name, the values of parameters, and what does not act:
limits of joints, and whether a body is checked. So a machine with other values is the same
machine, and its compiled code is found again.
"""

from dataclasses import fields, is_dataclass
from typing import Any

from bellcrank.model.elements.joint import Joint
from bellcrank.model.elements.mobility import LETTERS
from bellcrank.model.expressions import Expression, text
from bellcrank.model.matter.meshes import Mesh

IDLE = frozenset({"limits", "as_given"})  # fields that no equation depends on


def written(model: Any) -> str:
    """Return the canonical text of a model."""
    lines = [f"gravity {_value(model.gravity)}", f"planar {model.planar}"]
    lines.append("parameters " + _value(tuple(p.name for p in model.parameters)))
    lines.append("inputs " + _value(tuple(w.name for w in model.inputs)))
    lines.extend(map(_value, model.elements))
    return "\n".join(lines)


def _chosen(joint: Joint) -> list[tuple[str, Any]]:
    """Return the axes of a joint that its fields leave to a rule, by the field."""
    found = (
        (field, joint.directions[LETTERS.index(its)]) for field, its in joint.TRIAD.items()
    )
    return [(field, axis) for field, axis in found if axis and getattr(joint, field) is None]


def _value(value: Any) -> str:
    kind = type(value)
    if kind is float or kind is str or value is None or kind is bool:
        return repr(value)
    if kind is tuple:
        return f"({', '.join(map(_value, value))})"
    if isinstance(value, Expression):
        return f"`{text(value)}`"
    assert is_dataclass(value)
    parts = [
        f"{f.name}={_value(getattr(value, f.name))}"
        for f in fields(value)
        if f.name not in IDLE
    ]
    if isinstance(value, Mesh):
        parts.append(f"content={value.content_digest()}")
    if isinstance(value, Joint):
        # Axes chosen at nominal values, where others have parameters, are part of the text.
        parts.extend(f"{field}={_value(axis)}" for field, axis in _chosen(value))
    return f"{kind.__name__}({', '.join(parts)})"
