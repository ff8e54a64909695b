"""Exudyn: eigenvalues of the loaded four-bar of REFERENCES_ANALYSIS A-D5 at its equilibrium.

Planar rigid bodies and revolute joints, a spring on the rotation of the crank, solved
statically first so that the multipliers are there; its own `ComputeODE2Eigenvalues`.
"""

from typing import Any

import exudyn as exu
import numpy as np
from exudyn.utilities import (
    LoadMassProportional,
    MarkerBodyMass,
    MarkerBodyPosition,
    MarkerNodeCoordinate,
    NodePointGround,
    NodeRigidBody2D,
    ObjectConnectorCoordinateSpringDamper,
    ObjectGround,
    ObjectJointRevolute2D,
    ObjectRigidBody2D,
)

NAME = f"Exudyn {exu.__version__}"
ANGLES = (-0.792038594507, 1.693506644869, 2.451527790451)
LENGTHS = (1.0, 2.0, 2.0)
STIFFNESS = 30.0


def frequency() -> float:
    """Return the frequency of the four-bar with a spring of 30 N m/rad [rad/s]."""
    exu.config.printToConsole = False
    container = exu.SystemContainer()
    system = container.AddSystem()
    ground = system.AddObject(ObjectGround())
    starts, bodies, first = _places(), [], None
    for start, angle, length in zip(starts, ANGLES, LENGTHS, strict=True):
        middle = start + 0.5 * length * np.array([np.cos(angle), np.sin(angle)])
        node = system.AddNode(NodeRigidBody2D(referenceCoordinates=[*middle, angle]))
        first = node if first is None else first
        body = system.AddObject(
            ObjectRigidBody2D(mass=length, inertia=length**3 / 12, nodeNumber=node)
        )
        mass = system.AddMarker(MarkerBodyMass(bodyNumber=body))
        system.AddLoad(LoadMassProportional(markerNumber=mass, loadVector=[0, -9.81, 0]))
        bodies.append((body, length))
    _pins(system, ground, bodies)
    origin = system.AddNode(NodePointGround())
    ends = [MarkerNodeCoordinate(nodeNumber=origin, coordinate=0),
            MarkerNodeCoordinate(nodeNumber=first, coordinate=2)]  # fmt: skip
    markers = [system.AddMarker(end) for end in ends]
    # Coordinates count from the reference: at rest where the crank lies along +x.
    system.AddObject(
        ObjectConnectorCoordinateSpringDamper(
            markerNumbers=markers, stiffness=STIFFNESS, offset=-ANGLES[0]
        )
    )
    system.Assemble()
    settings: Any = exu.SimulationSettings()
    settings.solutionSettings.writeSolutionToFile = False
    settings.staticSolver.verboseMode = 0
    system.SolveStatic(settings, updateInitialValues=True, showHints=False)
    values = system.ComputeODE2Eigenvalues(settings)[0]
    assert container is not None
    return float(np.sqrt(np.max(np.abs(values))))


def _places() -> list[np.ndarray]:
    """Return where crank, coupler and rocker begin."""
    crank = LENGTHS[0] * np.array([np.cos(ANGLES[0]), np.sin(ANGLES[0])])
    return [np.zeros(2), crank, np.array([2.0, 0.0])]


def _pins(system: Any, ground: Any, bodies: list[tuple[Any, float]]) -> None:
    """Add the four hinges."""
    (crank, a), (coupler, b), (rocker, c) = bodies
    pins = [
        ((ground, (0, 0)), (crank, (-a / 2, 0))),
        ((crank, (a / 2, 0)), (coupler, (-b / 2, 0))),
        ((coupler, (b / 2, 0)), (rocker, (c / 2, 0))),
        ((ground, (2, 0)), (rocker, (-c / 2, 0))),
    ]
    for pair in pins:
        markers = [
            system.AddMarker(MarkerBodyPosition(bodyNumber=body, localPosition=[*place, 0.0]))
            for body, place in pair
        ]
        system.AddObject(ObjectJointRevolute2D(markerNumbers=markers))
