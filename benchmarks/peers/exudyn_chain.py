"""Exudyn: a long chain of rigid bodies with revolute joints, generalized-α on index 3.

Its sparse solver, one thread as ours, twice: with its defaults (modified Newton, a new Jacobian
where the contraction is above 0.5, steps shortened where Newton fails, Euler parameters), and
with a contraction of 0.2 and rotation vectors, the fastest of a few settings tried on a busy
machine. On a quiet one the two differ by a few per cent, either way; ours is held against the
faster. Full Newton was slower (22 to 35 ms a step of 1,000 bodies); threads were not tried.
"""

from collections.abc import Callable
from typing import Any

import exudyn as exu
import numpy as np
from exudyn.utilities import InertiaCuboid

from benchmarks.machines import GRAVITY, LongChain

NAME = f"Exudyn {exu.__version__}, generalized-α, sparse"
SPECTRAL_RADIUS = 0.8

Run = Callable[[float, int], np.ndarray]


def build(machine: LongChain, fast: bool = True) -> Run:
    """Return `run(step, steps)`, which returns the places of all bodies at the end.

    Args:
        machine: The chain.
        fast: Whether the other settings are taken, or the defaults.
    """
    exu.config.printToConsole = False
    container = exu.SystemContainer()
    system = container.AddSystem()
    node = exu.NodeType.RotationRotationVector if fast else exu.NodeType.RotationEulerParameters
    bodies = _bodies(system, machine, node)
    system.Assemble()
    settings = _settings(fast)

    def run(step: float, steps: int) -> np.ndarray:
        assert container is not None  # Exudyn frees a system with its container
        settings.timeIntegration.numberOfSteps = steps
        settings.timeIntegration.endTime = steps * step
        system.SolveDynamic(settings, storeSolver=False, showHints=False)
        what = exu.OutputVariableType.Position
        return np.array([system.GetObjectOutputBody(b, what, [0, 0, 0]) for b in bodies])

    return run


def _bodies(system: Any, machine: LongChain, node: Any) -> list[Any]:
    """Add bodies and joints; return the numbers of the bodies."""
    a, b, c = machine.edges
    inertia = InertiaCuboid(density=machine.mass / (a * b * c), sideLengths=[a, b, c])
    before, bodies = system.CreateGround(), []
    for i in range(machine.bodies):
        body = system.CreateRigidBody(
            inertia=inertia,
            referencePosition=list(machine.middle(i)),
            gravity=[0, 0, -GRAVITY],
            nodeType=node,
        )
        system.CreateRevoluteJoint(
            itemNumbers=[before, body],
            position=list(machine.pin(i)),
            axis=list(machine.axis(i)),
            useGlobalFrame=True,
            show=False,
        )
        before = body
        bodies.append(body)
    return bodies


def _settings(fast: bool) -> Any:
    settings: Any = exu.SimulationSettings()
    time = settings.timeIntegration
    if fast:
        time.newton.useModifiedNewton = True
        time.newton.modifiedNewtonContractivity = 0.2
    time.generalizedAlpha.spectralRadius = SPECTRAL_RADIUS
    time.verboseMode = 0
    time.stepInformation = 0
    settings.linearSolver.solverType = exu.LinearSolverType.EigenSparse
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.solutionInformation = ""
    return settings
