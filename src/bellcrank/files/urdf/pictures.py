"""Geometries of links as shapes without mass, in world numbers of the drawing."""

from dataclasses import dataclass

from bellcrank.errors import ModelError
from bellcrank.files.urdf.findings import Findings
from bellcrank.files.urdf.links import UrdfGeometry, UrdfLink
from bellcrank.files.urdf.paths import MeshFolders, Unusable
from bellcrank.model.matter.meshes import FORMATS, Mesh
from bellcrank.model.matter.shapes import Box, Capsule, Cylinder, Shape, Sphere
from bellcrank.model.pose import Pose


@dataclass(frozen=True)
class Pictures:
    """Makes shapes, and remarks on those that could not be made.

    Attributes:
        folders: Where meshes are.
        findings: Where remarks go.
    """

    folders: MeshFolders
    findings: Findings

    def of(self, link: UrdfLink, pose: Pose) -> tuple[Shape, ...]:
        """Return what a link looks like: its visuals, or else what it touches with."""
        for pictures in (link.visuals, link.collisions):
            shapes = [self._shape(picture, pose @ picture.pose) for picture in pictures]
            if seen := tuple(shape for shape in shapes if shape is not None):
                return seen
        return ()

    def _shape(self, picture: UrdfGeometry, pose: Pose) -> Shape | None:
        try:
            return self._made(picture, pose)
        except Unusable as reason:
            self.findings.remark(picture.line, repr(picture.file), f"not shown: {reason}.")
        except ModelError as error:
            said = f"not shown: {error.complaints[0]}"
            self.findings.remark(picture.line, f"<{picture.kind}>", said)
        return None

    def _made(self, picture: UrdfGeometry, pose: Pose) -> Shape:
        sizes = picture.sizes
        if picture.kind == "mesh":
            suffix = picture.file.rpartition(".")[2].lower()
            if suffix not in FORMATS:
                raise Unusable(f"of the formats of meshes, {', '.join(FORMATS)} are read")
            file = str(self.folders.find(picture.file))
            return Mesh(file, mass=0.0, scale=sizes if len(sizes) == 3 else sizes[0], pose=pose)
        if picture.kind == "box":
            return Box(sizes, pose.position, mass=0.0, rotation=pose.rotation)
        if picture.kind == "sphere":
            return Sphere(sizes[0], pose.position, mass=0.0)
        radius, half = sizes[0], 0.5 * sizes[1]
        ends = pose.point((0.0, 0.0, -half)), pose.point((0.0, 0.0, half))
        return (Cylinder if picture.kind == "cylinder" else Capsule)(*ends, radius, mass=0.0)
