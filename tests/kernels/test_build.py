"""Kernels as one calls them, and as the cache keeps them."""

import ctypes
import subprocess
import sys
import threading

import casadi as ca
import numpy as np
import pytest

from bellcrank.errors import OptionError
from bellcrank.kernels import kernel
from bellcrank.kernels.build import build
from bellcrank.kernels.jit import LinkError, assemble, link


def function():
    x, y, t = ca.SX.sym("x", 3), ca.SX.sym("Y", ca.Sparsity.lower(2)), ca.SX.sym("t")
    z = ca.SX(2, 3)
    z[0, 1], z[1, 2] = ca.sin(x[0]) * y[1, 0], t * x[2] - y[1, 1]
    empty = ca.SX.sym("none", 0)
    outputs = [z, ca.sumsqr(x) + y[0, 0], x[1:] * t]
    return ca.Function("f", [t, x, empty, y], outputs, ["t", "x", "none", "Y"], ["Z", "s", "v"])


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
@pytest.mark.parametrize("count", [0, 1, 3, 8, 21])
def test_leading_axes_are_a_batch_and_inputs_broadcast(lanes, count):
    made = build(function(), lanes=lanes)
    rng = np.random.default_rng(count)
    t, x, y = rng.normal(), rng.normal(size=(count, 3)), np.tril(rng.normal(size=(2, 1, 2, 2)))
    z, s, v = made(t, x, np.zeros(0), y)
    assert z.shape == (2, count, 2, 3)
    assert s.shape == (2, count, 1)
    assert v.shape == (2, count, 2)
    for i in range(2):
        for j in range(count):
            expected = function()(t, x[j], [], y[i, 0])
            np.testing.assert_allclose(z[i, j], np.array(expected[0]), rtol=1e-14, atol=1e-15)
            np.testing.assert_allclose(s[i, j, 0], float(expected[1]), rtol=1e-14, atol=1e-15)
            np.testing.assert_allclose(v[i, j], np.array(expected[2])[:, 0], rtol=1e-15)


def test_single_calls_take_vectors_lists_and_numbers():
    x, t = ca.SX.sym("x", 2), ca.SX.sym("t")
    made = build(ca.Function("f", [t, x], [t * x, t + 1]))
    for given in (
        (np.array([2.0]), np.array([1.0, 3.0])),
        (2.0, [1, 3]),
        (np.array([2]), np.array([1, 3])),
        (np.array([2.0]), np.array([1.0, 9.0, 3.0])[::2]),
    ):
        scaled, more = made(*given)
        np.testing.assert_array_equal(scaled, [2, 6])
        np.testing.assert_array_equal(more, [3])
    first = made(2.0, [1, 3])[0]
    made(5.0, [1, 3])
    np.testing.assert_array_equal(first, [2, 6])  # results are ours to keep


def test_the_raw_entries_do_what_the_interface_says():
    x, y = ca.SX.sym("x", 2), ca.SX.sym("y", 1)
    for lanes in (1, 4):
        made = build(ca.Function("f", [x, y], [x * y, ca.sin(y)]), lanes=lanes)
        a, b = np.arange(22.0).reshape(11, 2), np.array([3.0])
        p, s = np.zeros((11, 5)), np.zeros(11)
        table = np.array([v.ctypes.data for v in (a, b, p, s)], dtype=np.uintp)
        strides = np.array([2, 0, 5, 1], dtype=np.int64)
        work = np.zeros(made.work)
        entry = ctypes.CFUNCTYPE(None, ctypes.c_int64, *[ctypes.c_void_p] * 5)
        at, by = table.ctypes.data, strides.ctypes.data
        entry(made.batch_address)(11, at, by, at + 16, by + 16, work.ctypes.data)
        np.testing.assert_array_equal(p[:, :2], 3 * a)
        np.testing.assert_array_equal(p[:, 2:], 0)
        np.testing.assert_allclose(s, np.sin(3.0), rtol=1e-15)
        p[:], s[:] = 0, 0
        single = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)
        single(made.address)(at, at + 16, work.ctypes.data)
        np.testing.assert_array_equal(p[0, :2], 3 * a[0])


def test_threads_may_share_a_kernel():
    x = ca.SX.sym("x", 4)
    made = build(ca.Function("f", [x], [ca.sin(x) * x]))
    wrong = []

    def work(seed):
        rows = np.random.default_rng(seed).normal(size=(2000, 4))
        found = np.array([made(row)[0] for row in rows])
        wrong.append(np.abs(found - np.sin(rows) * rows).max() > 1e-13)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == [False] * 4


def test_wrong_shapes_are_named():
    made = build(function())
    with pytest.raises(OptionError) as caught:
        made(0.0, np.zeros(2), np.zeros(0), np.eye(2))
    assert str(caught.value) == "f: input 'x' has shape (..., 3), got (2,)."


def test_lanes_and_levels_that_do_not_exist_are_refused():
    with pytest.raises(OptionError) as caught:
        kernel("key", function, lanes=3)
    assert str(caught.value) == "lanes must be one of 1, 2, 4, 8, got 3."
    with pytest.raises(OptionError) as caught:
        kernel("key", function, level=7)
    assert str(caught.value) == "level must be 0, 1, 2 or 3, got 7."


def test_a_kernel_says_what_it_is():
    made = build(function())
    assert repr(made) == (
        "<Kernel f: (t[1], x[3], none[0], Y[2, 2]) -> (Z[2, 3], s[1], v[2]), lanes=1>"
    )


def test_a_kernel_is_made_once_for_each_key_lanes_and_level():
    made = []

    def make():
        made.append(1)
        return function()

    first = kernel("key", make)
    assert kernel("key", make) is first
    kernel("key", make, lanes=4)
    kernel("key", make, level=0)
    kernel("other", make)
    assert len(made) == 4


def test_a_warm_process_imports_neither_casadi_nor_the_emitter():
    kernel("warm", function)
    code = """
import sys
from bellcrank.kernels import kernel
def make():
    raise SystemExit("made again")
print(kernel("warm", make)(2.0, [1., 2., 3.], [], [[1., 0.], [0., 1.]])[2])
print([m for m in ("casadi", "numba", "scipy", "bellcrank.kernels.emit.llvm",
       "importlib.metadata") if m in sys.modules])
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert found.stdout.decode().splitlines() == ["[4. 6.]", "[]"]


def test_what_cannot_be_linked_is_refused(capfd):
    with pytest.raises(LinkError) as caught:
        link(b"no object file", ["kernel"])
    assert str(caught.value) == (
        "cannot link kernel: The file was not recognized as a valid object file"
    )
    text = "declare void @nowhere()\ndefine void @f() {\ncall void @nowhere()\nret void\n}"
    with pytest.raises(LinkError, match="cannot link f: "):
        link(assemble(text), ["f"])
    assert "nowhere" in capfd.readouterr().err  # LLVM names what is missing


def test_symbols_can_be_handed_to_the_linker():
    text = "declare double @ours(double)\ndefine double @f(double %x) {\n"
    text += "%y = call double @ours(double %x)\nret double %y\n}"
    pair = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)
    twice = pair(lambda x: 2 * x)
    address = ctypes.cast(twice, ctypes.c_void_p).value
    assert address is not None
    library = link(assemble(text), ["f"], {"ours": address})
    assert list(library) == ["f"]
    assert len(library) == 1
    assert pair(library["f"])(21.0) == 42.0
