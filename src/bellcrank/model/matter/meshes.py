"""Bodies from surface meshes, by integration over the enclosed volume.

Files come from anywhere, so they are read with care: known formats only, no more than a
stated size, nothing fetched that a file refers to; a surface that does not close has no
volume and is refused. What is wrong is said by the body that needs the mass.
"""

import hashlib
import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from bellcrank.errors import MissingExtra
from bellcrank.model.algebra import Matrix, Number, Vector, congruent
from bellcrank.model.elements import fields
from bellcrank.model.elements.fields import Refused
from bellcrank.model.elements.given import NumberOrNone, NumberOrNumbers, default
from bellcrank.model.matter.mass import MassProperties, second_to_inertia
from bellcrank.model.matter.shapes import Shape
from bellcrank.model.pose import STRAIGHT, Pose, pose
from bellcrank.spatial.arithmetic import scaled_matrix

FORMATS = ("stl", "obj", "ply", "off", "glb")
LARGEST = 256 * 2**20  # bytes


@dataclass(frozen=True)
class Mesh(Shape):
    """A closed surface from a file, filled evenly.

    Attributes:
        file: Path of an STL, OBJ, PLY, OFF or GLB file.
        mass: [kg].
        density: [kg/m³], instead of the mass.
        scale: Metres per unit of the file: one number, or one along each axis of the file;
            negative to mirror.
        pose: Of the file's axes in the drawing.

    Examples:
        >>> import bellcrank as bc
        >>> bc.Mesh("housing.stl", mass=2.0).mass
        2.0
    """

    file: str
    mass: NumberOrNone = default(None)
    density: NumberOrNone = default(None)
    scale: NumberOrNumbers = default(1.0)
    pose: Pose = STRAIGHT

    def __post_init__(self) -> None:
        door = self._door()
        door.take("file", _file)
        door.take("scale", _scale)
        if door.take("pose", pose):
            for complaint in self.pose.complaints:
                door.say(f"pose: {complaint}")
        door.close()

    @property
    def volume(self) -> Number:
        """The volume enclosed [m³]."""
        sx, sy, sz = self.scale
        volume = sx * sy * sz * _moments(_stamp(self.file))[0]
        return abs(volume)

    def spread(self, mass: Number) -> MassProperties:
        """Return the mass properties with this mass spread evenly over the volume."""
        _, center, second = _moments(_stamp(self.file))
        sx, sy, sz = self.scale
        local: Vector = (sx * center[0], sy * center[1], sz * center[2])
        stretch: Matrix = ((sx, 0.0, 0.0), (0.0, sy, 0.0), (0.0, 0.0, sz))
        inertia = second_to_inertia(scaled_matrix(mass, congruent(stretch, second)))
        return MassProperties(
            mass, self.pose.point(local), congruent(self.pose.rotation, inertia)
        )

    def triangles(self) -> tuple[np.ndarray, np.ndarray]:
        """Return vertices (n, 3) in units of the file, and faces (m, 3), for a picture."""
        mesh = _surface(_content(_stamp(self.file)[0]), self.file)
        return np.asarray(mesh.vertices, dtype=float), np.asarray(mesh.faces, dtype=int)

    def content_digest(self) -> str:
        """Return the SHA-256 of the file's content; empty where it cannot be read."""
        try:
            return _digest(_stamp(self.file))
        except Refused:
            return ""


def _file(value: Any) -> str:
    if not isinstance(value, str | Path) or not str(value):
        raise Refused(f" must be the path of a mesh, got {fields.short(value)}.")
    suffix = Path(value).suffix.lower().lstrip(".")
    if suffix not in FORMATS:
        raise Refused(f" must be one of {', '.join(FORMATS)}, got {str(value)!r}.")
    return str(value)


def _scale(value: Any) -> tuple[Number, ...]:
    if isinstance(value, list | tuple) or getattr(value, "shape", ()) != ():
        return fields.vector(value, sign="nonzero")
    return (fields.real(value, sign="nonzero"),) * 3


def _stamp(file: str) -> tuple[str, int, int]:
    """Return what tells one state of a file from another."""
    try:
        found = Path(file).stat()
    except (OSError, ValueError) as error:
        raise Refused(_unreadable(file, error)) from None
    if not Path(file).is_file():
        raise Refused(f"mesh {file!r} is not a file.")
    if found.st_size > LARGEST:
        raise Refused(f"mesh {file!r} has {found.st_size} bytes; the most is {LARGEST}.")
    return file, found.st_size, found.st_mtime_ns


def _content(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except (OSError, ValueError) as error:
        raise Refused(_unreadable(file, error)) from None


def _unreadable(file: str, error: Exception) -> str:
    return f"mesh {file!r} cannot be read: {getattr(error, 'strerror', None) or error}."


@lru_cache(maxsize=256)
def _digest(stamp: tuple[str, int, int]) -> str:
    return hashlib.sha256(_content(stamp[0])).hexdigest()


@lru_cache(maxsize=256)
def _moments(stamp: tuple[str, int, int]) -> tuple[float, Vector, Matrix]:
    """Return volume, centroid, and central second moments per volume, in units of the file."""
    file = stamp[0]
    mesh = _surface(_content(file), file)
    if not mesh.is_watertight:
        raise Refused(
            f"mesh {file!r} is not closed, so that it encloses no volume; "
            "repair it, or give mass=, com= and inertia=."
        )
    with np.errstate(all="ignore"):  # a volume of zero is seen below
        found = mesh.mass_properties
    volume = float(found["volume"])
    if not 0.0 < abs(volume) < math.inf:
        raise Refused(f"mesh {file!r} encloses no finite volume.")
    # A surface turned inside out has all integrals negative; their quotients are right.
    J = [[float(x) / volume for x in row] for row in found["inertia"]]
    half = 0.5 * (J[0][0] + J[1][1] + J[2][2])
    second = tuple(tuple(half * (i == j) - J[i][j] for j in range(3)) for i in range(3))
    center = tuple(float(x) for x in found["center_mass"])
    return abs(volume), center, second  # pyright: ignore[reportReturnType]


def _surface(content: bytes, file: str) -> Any:
    try:
        import trimesh
    except ImportError:
        raise MissingExtra("trimesh", "meshes", "Mass properties of a mesh") from None
    from io import BytesIO

    suffix = Path(file).suffix.lower().lstrip(".")
    try:
        # From memory and without a resolver: nothing that the file refers to is opened.
        mesh: Any = trimesh.load(BytesIO(content), file_type=suffix, force="mesh")
        empty = len(mesh.faces) == 0
    except Exception as error:
        # A foreign reader on an untrusted file may raise anything; all of it means the same.
        raise Refused(f"mesh {file!r} cannot be read as {suffix.upper()}: {error}.") from None
    if empty:
        raise Refused(f"mesh {file!r} has no faces.")
    return mesh
