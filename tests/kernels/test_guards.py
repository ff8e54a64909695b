"""Guard words: what runs out of its room is found, and named."""

from collections.abc import Iterator

import numpy as np
import pytest

from bellcrank.kernels import jit
from bellcrank.kernels.guards import WIDTH, Guards, Overrun, Scratch, width


@pytest.fixture(params=["1"])
def environment(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """The variable that asks for guards, read anew, and once more afterwards."""
    monkeypatch.setenv("BELLCRANK_GUARDS", request.param)
    width.cache_clear()
    yield
    width.cache_clear()


class _Kernel:
    """Native code that writes `wrote` doubles into its scratch, having asked for `work`."""

    def __init__(self, work: int, wrote: int) -> None:
        stores = "\n".join(
            f"  %p{n} = getelementptr double, ptr %work, i64 {n}\n"
            f"  store double {n + 1}.0, ptr %p{n}"
            for n in range(wrote)
        )
        text = f"define void @k(ptr %in, ptr %out, ptr %work) {{\n{stores}\n  ret void\n}}"
        self._library = jit.link(jit.assemble(text), ["k"])
        self.address, self.work = self._library["k"], work


def _called(address: int, work: np.ndarray) -> None:
    import ctypes

    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(address)(None, None, work.ctypes.data)


@pytest.mark.usefixtures("environment")
@pytest.mark.parametrize("size", [0, 1, 5, 8, 17])
def test_an_array_overrun_by_one_is_named(size: int) -> None:
    guards = Guards()
    arrays = {name: guards.array(name, (size,)) for name in ("first", "second", "third")}
    for array in arrays.values():
        array[:] = 7.0
    guards.check()
    base = arrays["second"].base
    assert base is not None
    np.ravel(base)[size] = 0.0
    with pytest.raises(Overrun) as caught:
        guards.check()
    assert caught.value.array == "second"


@pytest.mark.usefixtures("environment")
@pytest.mark.parametrize("work", [0, 1, 7, 8, 9])
@pytest.mark.parametrize("more", [0, 1, WIDTH])
def test_scratch_of_each_kernel_is_its_own(work: int, more: int) -> None:
    kernels = {"saddle": _Kernel(3, 3), "rhs": _Kernel(work, work + more)}
    scratch, guards = Scratch(kernels.items()), Guards()
    room = np.zeros(scratch.size)
    guards.put(room, scratch.spots)
    _called(scratch.address("saddle", kernels["saddle"]), room)
    guards.check()
    _called(scratch.address("rhs", kernels["rhs"]), room)
    if not more:
        guards.check()
        return
    with pytest.raises(Overrun, match="the scratch of rhs"):
        guards.check()


@pytest.mark.usefixtures("environment")
@pytest.mark.parametrize("environment", [""], indirect=True)
def test_without_the_variable_nothing_is_laid_out() -> None:
    kernels = {"saddle": _Kernel(3, 3), "rhs": _Kernel(11, 11)}
    scratch = Scratch(kernels.items())
    assert scratch.size == 11
    assert scratch.spots == {}
    assert scratch.address("rhs", kernels["rhs"]) == kernels["rhs"].address
