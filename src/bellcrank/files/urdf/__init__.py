"""URDF, the robots' format: a file of links and joints → `Model`.

    robot = bc.load("robot.urdf", floating=False, packages=["/where/packages/are"])

The file is read as tags, tags become a robot, a robot becomes a model. Files come from
anywhere: see `reading` and `paths` for what is refused and what is never opened.
"""

import os
from pathlib import Path

from bellcrank.files.urdf.drawing import Drawing
from bellcrank.files.urdf.findings import Findings
from bellcrank.files.urdf.paths import Folders, MeshFolders
from bellcrank.files.urdf.reading import read_tags
from bellcrank.files.urdf.robot import read_robot
from bellcrank.model.model import Model

__all__ = ["load_urdf"]


def load_urdf(
    path: str | os.PathLike[str],
    *,
    floating: bool = False,
    packages: Folders = (),
    stacklevel: int = 1,
) -> Model:
    """Return the model of a URDF file.

    Args:
        path: The file.
        floating: Whether the root link moves freely; otherwise it is welded to ground.
        packages: Folders in which `package://` paths are looked for, and meshes may be.
        stacklevel: Whose line a warning names: 1 for the caller's.

    Returns:
        The model. What was left out or changed is said in one `FileWarning`.

    Raises:
        FileError: With everything that is wrong, each with its line.
        OptionError: One of `packages` is no folder.
    """
    findings = Findings(str(path))
    folders = MeshFolders(Path(path), packages)
    robot = read_robot(read_tags(path), findings)
    model = Drawing(robot, folders, findings).model(floating)
    findings.tell(stacklevel + 1)
    return model
