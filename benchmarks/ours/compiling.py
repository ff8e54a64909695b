"""How long our code takes to make: from model to equations, to op list, to machine code."""

from dataclasses import dataclass

import bellcrank as bc
from bellcrank.kernels.build import build
from bellcrank.kernels.lower import lower
from benchmarks.machines import chain
from benchmarks.ours.chains import model
from benchmarks.timing import spent


@dataclass(frozen=True)
class Making:
    """Processor times to make the forward dynamics of one chain [s].

    Attributes:
        joints: Of the chain.
        operations: Length of the op list.
        equations: From the model to a CasADi function.
        lowering: From that to the op list.
        code: From the op list to linked machine code, scalar.
    """

    joints: int
    operations: int
    equations: float
    lowering: float
    code: float


def making(joints: int, lanes: int = 1) -> Making:
    """Return how long the forward dynamics of a chain take to make, nothing kept before."""
    machine = model(chain(joints))
    derive, function = spent(lambda: bc.equations(machine).function("accelerate"))
    lowering, program = spent(lambda: lower(function))
    repeats = 3 if joints <= 100 else 1
    code = min(spent(lambda: build(program, lanes=lanes))[0] for _ in range(repeats))
    return Making(joints, len(program.operations), derive, lowering, code)
