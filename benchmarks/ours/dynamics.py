"""Our kernels called over a whole batch, without Python overhead.

`Kernel.batch_address` loops in native code over the rows of its arrays, as Pinocchio's
`abaInParallel` does over columns; the same random states for both.
"""

import ctypes

import numpy as np

import bellcrank as bc
from bellcrank.kernels import Kernel
from benchmarks.machines import batch, chain, states
from benchmarks.ours.chains import model
from benchmarks.timing import best

_ENTRY = ctypes.CFUNCTYPE(None, ctypes.c_int64, *[ctypes.c_void_p] * 5)


class Loop:
    """A kernel with its arrays, ready to be run over all instances.

    Args:
        kernel: Any kernel.
        rows: Arrays of shape (count, size) by the name of the input; others are zero.
    """

    def __init__(self, kernel: Kernel, rows: dict[str, np.ndarray]) -> None:
        self.kernel = kernel
        self.count = len(next(iter(rows.values())))
        self.inputs = [
            np.ascontiguousarray(rows.get(port.name, np.zeros(max(port.size, 1))), dtype=float)
            for port in kernel.inputs
        ]
        self.outputs = [np.zeros((self.count, port.size)) for port in kernel.outputs]
        strides = [array.shape[1] if array.ndim == 2 else 0 for array in self.inputs]
        self.tables = (
            np.array([array.ctypes.data for array in self.inputs], dtype=np.uintp),
            np.array(strides, dtype=np.int64),
            np.array([array.ctypes.data for array in self.outputs], dtype=np.uintp),
            np.array([port.size for port in kernel.outputs], dtype=np.int64),
        )
        room = np.zeros(kernel.work + 8)
        self.work = room[-(room.ctypes.data // 8) % 8 :]
        self._entry = _ENTRY(kernel.batch_address)
        self._arguments = [*(table.ctypes.data for table in self.tables), self.work.ctypes.data]

    def __call__(self) -> None:
        """Evaluate all instances."""
        self._entry(self.count, *self._arguments)

    def seconds(self) -> float:
        """Return the shortest time per instance [s]."""
        return best(self) / self.count


def accelerations(joints: int, lanes: int = 1) -> float:
    """Return the time of one forward dynamics [s]."""
    q, u, tau = states(joints, batch(joints))
    kernel = bc.compile(model(chain(joints)), lanes=lanes).kernel("accelerate")
    return Loop(kernel, {"q": q, "u": u, "e": tau}).seconds()


def found_accelerations(joints: int, lanes: int = 1, count: int = 100) -> np.ndarray:
    """Return u̇ of the states at which backward errors are measured, shape (count, joints)."""
    q, u, tau = states(joints, count)
    kernel = bc.compile(model(chain(joints)), lanes=lanes).kernel("accelerate")
    loop = Loop(kernel, {"q": q, "u": u, "e": tau})
    loop()
    return loop.outputs[0]


def inverse_dynamics(joints: int, lanes: int = 1) -> float:
    """Return the time of one inverse dynamics [s]."""
    q, u, a = states(joints, batch(joints))
    kernel = bc.compile(model(chain(joints)), lanes=lanes).kernel("residual")
    return Loop(kernel, {"q": q, "u": u, "a": a}).seconds()


def mass_matrix(joints: int, lanes: int = 1) -> float:
    """Return the time of one mass matrix [s]."""
    kernel = bc.compile(model(chain(joints)), lanes=lanes).kernel("mass")
    return Loop(kernel, {"q": states(joints, batch(joints))[0]}).seconds()
