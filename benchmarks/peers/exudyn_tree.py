"""Exudyn: `ObjectKinematicTree` (minimal coordinates) with its adaptive DOPRI5.

The tip is a sensor kept in memory every 0.1 s. Adaptive steps need not land there, so what the
sensor wrote is compared at the times it wrote.
"""

from collections.abc import Callable
from typing import Any

import exudyn as exu
import numpy as np
from exudyn.utilities import NodeGenericODE2, ObjectKinematicTree, SensorKinematicTree

from benchmarks.machines import GRAVITY, Chain

NAME = f"Exudyn {exu.__version__}, KinematicTree, DOPRI5"
SETTINGS = tuple(10.0 ** (-k / 4) for k in range(12, 52))
"""Relative and absolute tolerance."""


def _tree(machine: Chain, node: Any) -> ObjectKinematicTree:
    n, L, J = machine.joints, machine.length, machine.transverse_inertia
    joint_of = {"x": exu.JointType.RevoluteX, "y": exu.JointType.RevoluteY}
    arrays = {
        "jointTransformations": exu.Matrix3DList([np.eye(3)] * n),
        "jointOffsets": exu.Vector3DList([[0, 0, 0]] + [[0, 0, -L]] * (n - 1)),
        "linkInertiasCOM": exu.Matrix3DList([np.diag([J, J, 0.0])] * n),
        "linkCOMs": exu.Vector3DList([[0, 0, -L / 2]] * n),
    }
    return ObjectKinematicTree(
        nodeNumber=node,
        gravity=[0, 0, -GRAVITY],
        jointTypes=[joint_of[axis] for axis in machine.axes],
        linkParents=list(np.arange(n) - 1),
        linkMasses=[machine.mass] * n,
        jointDControlVector=[machine.damping] * n,
        jointVelocityOffsetVector=[0.0] * n,
        jointPControlVector=[0.0] * n,
        jointPositionOffsetVector=[0.0] * n,
        **arrays,
    )


def build(machine: Chain) -> Callable[[float], tuple[np.ndarray, np.ndarray]]:
    """Return `run(tolerance)`."""
    exu.config.printToConsole = False
    n = machine.joints
    container = exu.SystemContainer()
    system = container.AddSystem()
    node = system.AddNode(
        NodeGenericODE2(
            referenceCoordinates=[0.0] * n,
            initialCoordinates=list(machine.start),
            initialCoordinates_t=[0.0] * n,
            numberOfODE2Coordinates=n,
        )
    )
    tree = system.AddObject(_tree(machine, node))
    tip = system.AddSensor(
        SensorKinematicTree(
            objectNumber=tree,
            linkNumber=n - 1,
            localPosition=[0, 0, -machine.length],
            storeInternal=True,
            outputVariableType=exu.OutputVariableType.Position,
        )
    )
    system.Assemble()
    settings = _settings(machine)

    def run(tolerance: float) -> tuple[np.ndarray, np.ndarray]:
        settings.timeIntegration.absoluteTolerance = tolerance
        settings.timeIntegration.relativeTolerance = tolerance
        # keeps its hold on the container: Exudyn frees a system with it
        assert container is not None
        system.SolveDynamic(
            settings,
            solverType=exu.DynamicSolverType.DOPRI5,
            storeSolver=False,
            showHints=False,
        )
        written = np.array(system.GetSensorStoredData(tip))
        return written[:, 0], written[:, 1:]

    return run


def _settings(machine: Chain) -> Any:
    settings = exu.SimulationSettings()
    time = settings.timeIntegration
    time.endTime = machine.until
    time.numberOfSteps = round(10 * machine.until)  # the largest step is 0.1 s
    time.automaticStepSize = True
    time.minimumStepSize = 1e-9
    time.initialStepSize = 1e-4
    time.stepSizeMaxIncrease = 10
    time.explicit.useLieGroupIntegration = False
    time.explicit.computeEndOfStepAccelerations = False
    time.verboseMode = 0
    time.stepInformation = 0
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = 0.1
    settings.solutionSettings.solutionInformation = ""
    return settings
