"""Exudyn: planar rigid bodies and revolute joints (redundant coordinates), generalized-α.

Spectral radius 0.95 is within 1e-3 m at 2 ms on every ladder (0.6 is not). Of dense and sparse
solver, full and modified Newton, the fastest was measured: full and dense for 3 rods, modified
and sparse from 11 rods on.
"""

from collections.abc import Callable
from typing import Any

import exudyn as exu
import numpy as np
from exudyn.utilities import (
    LoadMassProportional,
    MarkerBodyMass,
    MarkerBodyPosition,
    NodeRigidBody2D,
    ObjectGround,
    ObjectJointRevolute2D,
    ObjectRigidBody2D,
    SensorNode,
)

from benchmarks.linkages import OUTPUT, Linkage
from benchmarks.machines import GRAVITY

NAME = f"Exudyn {exu.__version__}, generalized-α"


def build(machine: Linkage) -> Callable[[float], tuple[np.ndarray, np.ndarray]]:
    """Return `run(step)`, which returns times and angles turned by the first rod."""
    exu.config.printToConsole = False
    container = exu.SystemContainer()
    system = container.AddSystem()
    ground = system.AddObject(ObjectGround())
    bodies, first = _bodies(system, machine)
    for pin in machine.pins:
        markers = []
        for name in (pin.first, pin.second):
            body, origin = bodies.get(name, (ground, (0.0, 0.0)))
            local = [pin.at[0] - origin[0], pin.at[1] - origin[1], 0.0]
            markers.append(
                system.AddMarker(MarkerBodyPosition(bodyNumber=body, localPosition=local))
            )
        system.AddObject(ObjectJointRevolute2D(markerNumbers=markers))
    sensor = system.AddSensor(
        SensorNode(
            nodeNumber=first,
            storeInternal=True,
            outputVariableType=exu.OutputVariableType.Coordinates,
        )
    )
    system.Assemble()
    settings = _settings(machine)

    def run(step: float) -> tuple[np.ndarray, np.ndarray]:
        settings.timeIntegration.numberOfSteps = round(machine.until / step)
        # keeps its hold on the container: Exudyn frees a system with it
        assert container is not None
        system.SolveDynamic(settings, storeSolver=False, showHints=False)
        written = np.array(system.GetSensorStoredData(sensor))
        return written[:, 0], written[:, 3]

    return run


def _bodies(system: Any, machine: Linkage) -> tuple[dict[str, tuple[Any, Any]], Any]:
    """Add the rods; return their numbers and middles by name, and the node of the first."""
    bodies, first = {}, None
    for bar in machine.bars:
        node = system.AddNode(
            NodeRigidBody2D(
                referenceCoordinates=[*bar.middle, 0.0],
                initialVelocities=[*bar.velocity, bar.rate],
            )
        )
        first = node if first is None else first
        body = system.AddObject(
            ObjectRigidBody2D(mass=bar.mass, inertia=bar.inertia, nodeNumber=node)
        )
        bodies[bar.name] = body, bar.middle
        marker = system.AddMarker(MarkerBodyMass(bodyNumber=body))
        system.AddLoad(LoadMassProportional(markerNumber=marker, loadVector=[0, -GRAVITY, 0]))
    return bodies, first


def _settings(machine: Linkage) -> Any:
    settings: Any = exu.SimulationSettings()
    time = settings.timeIntegration
    time.endTime = machine.until
    time.newton.useModifiedNewton = len(machine.bars) > 3
    time.generalizedAlpha.spectralRadius = 0.95
    time.verboseMode = 0
    time.stepInformation = 0
    if len(machine.bars) > 3:
        settings.linearSolver.solverType = exu.LinearSolverType.EigenSparse
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = OUTPUT
    settings.solutionSettings.solutionInformation = ""
    return settings
