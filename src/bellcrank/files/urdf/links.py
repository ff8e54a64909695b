"""Links as the file has them: what they weigh and what they look like."""

from dataclasses import dataclass

from bellcrank.files.urdf.findings import Findings
from bellcrank.files.urdf.reading import Tag
from bellcrank.files.urdf.values import Attributes
from bellcrank.model.algebra import Matrix, Vector, congruent
from bellcrank.model.pose import STRAIGHT, Pose
from bellcrank.spatial.arithmetic import IDENTITY, scaled_matrix

MASSLESS: Matrix = scaled_matrix(0.0, IDENTITY)


@dataclass(frozen=True)
class UrdfGeometry:
    """One geometry of a link.

    Attributes:
        line: Where it stands.
        kind: `box`, `cylinder`, `capsule`, `sphere` or `mesh`.
        pose: In the link.
        sizes: Edges of a box; radius and length; radius; scale of a mesh.
        file: Of a mesh, as written.
    """

    line: int
    kind: str
    pose: Pose
    sizes: tuple[float, ...]
    file: str = ""


@dataclass(frozen=True)
class UrdfLink:
    """One link.

    Attributes:
        name: As written.
        line: Where it stands.
        mass: [kg], zero where nothing is said.
        com: Mass centre in the link [m].
        inertia: About the mass centre along the link's axes [kg m²].
        visuals: What it looks like.
        collisions: What it touches with; a picture where there is no other.
    """

    name: str
    line: int
    mass: float
    com: Vector
    inertia: Matrix
    visuals: tuple[UrdfGeometry, ...]
    collisions: tuple[UrdfGeometry, ...]


def read_link(tag: Tag, findings: Findings) -> UrdfLink:
    """Return the link that a tag describes; complaints go to `findings`."""
    values = Attributes(tag, "link", findings)
    name = values.name("name")
    values = Attributes(tag, f"link {name!r}", findings)
    mass, com, inertia = _inertial(values)
    visuals, collisions = (
        tuple(
            picture
            for child in tag.children
            if child.name == kind
            and (picture := _picture(Attributes(child, values.who, findings)))
        )
        for kind in ("visual", "collision")
    )
    return UrdfLink(name, tag.line, mass, com, inertia, visuals, collisions)


def _inertial(values: Attributes) -> tuple[float, Vector, Matrix]:
    inertial = values.inside("inertial")
    if inertial is None:
        return 0.0, STRAIGHT.position, MASSLESS
    pose = inertial.origin()
    mass, tensor = inertial.inside("mass"), inertial.inside("inertia")
    if mass is None or tensor is None:
        inertial.complain("<inertial> needs <mass> and <inertia>.")
        return 0.0, STRAIGHT.position, MASSLESS
    m = mass.number("value")
    if m < 0.0:
        mass.complain(f"mass must be zero or positive [kg], got {m:.9g}.")
    xx, yy, zz = (tensor.number(f"i{k}") for k in ("xx", "yy", "zz"))
    xy, xz, yz = (tensor.number(f"i{k}", 0.0) for k in ("xy", "xz", "yz"))
    along = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    return m, pose.position, _symmetric(congruent(pose.rotation, along))


def _symmetric(A: Matrix) -> Matrix:
    """Return A with the rounding of its lower triangle left out."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = A
    return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)


def _picture(values: Attributes) -> UrdfGeometry | None:
    geometry = values.inside("geometry")
    shapes = geometry.tag.children if geometry is not None else []
    if len(shapes) != 1 or geometry is None:
        values.complain(f"<{values.tag.name}> needs <geometry> with one shape in it.")
        return None
    shape = Attributes(shapes[0], values.who, values.findings)
    kind, pose = shape.tag.name, values.origin()
    if kind == "mesh":
        scale = shape.numbers("scale", (3, 1), (1.0, 1.0, 1.0))
        return UrdfGeometry(shape.tag.line, kind, pose, scale, shape.name("filename"))
    if kind == "box":
        return UrdfGeometry(shape.tag.line, kind, pose, shape.vector("size"))  # pyright: ignore[reportArgumentType]
    if kind == "sphere":
        return UrdfGeometry(shape.tag.line, kind, pose, (shape.number("radius"),))
    sizes = (shape.number("radius"), shape.number("length"))
    return UrdfGeometry(shape.tag.line, kind, pose, sizes)
