"""Large machines: sums over kinds of elements are the equations of the whole machine."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from tests.formulations.cartesian.everything import everything, flat

import bellcrank as bc
from bellcrank.formulations.contract.rows import rows
from bellcrank.kernels.batched.assembled import Assembled, AssembledState

pytestmark = pytest.mark.slow


class Both:
    """A machine assembled from kinds, and folded: the same state for both."""

    def __init__(self, model: bc.Model, seed: int = 0, **knobs) -> None:
        self.model = model
        self.folded = bc.equations(model, bc.Cartesian(assembled=False, **knobs))
        self.equations = bc.equations(model, bc.Cartesian(assembled=True, **knobs))
        self.p = np.array(list(self.folded.parameters.values()))
        self.machine = Assembled(self.equations, self.p, lanes=1, level=0)
        sizes, rng = self.folded.sizes, np.random.default_rng(seed)
        drawn = np.array(self.folded.drawing(dict(self.folded.parameters)))
        q = drawn + 0.05 * rng.normal(size=sizes["q"])
        self.t, self.u, self.w = 0.7, rng.normal(size=sizes["u"]), rng.normal(size=sizes["w"])
        self.q = self.machine.moved(self.machine.state(0.0, q, self.u), np.zeros(sizes["u"]))
        self.k = np.where(rng.random(sizes["k"]) < 0.5, -1.0, 1.0)
        self.k[self.folded.modes :] = 0.0
        self.a, self.lam = rng.normal(size=sizes["u"]), rng.normal(size=len(self.folded.rows))
        self.c = np.array([0.9, 0.4, 0.3, 0.7, 0.2])
        self.state = self.machine.state(
            self.t, self.q, self.u, w=self.w, k=self.k, a=self.a, lam=self.lam, c=self.c
        )

    def slot(self, name: str, *own: np.ndarray) -> list[np.ndarray]:
        """Return what a slot of the folded equations gives."""
        given = [self.t, self.q, self.u, np.zeros(0), self.w, self.p, self.k, *own]
        found = self.folded.function(name).call(given)
        return [np.array(value.full()) for value in found]

    def element(self, name: str, question: str) -> np.ndarray:
        """Return the first that the kernel of an element gives."""
        for number, batch in enumerate(self.equations.batches):
            if name in batch.elements:
                i = batch.elements.index(name)
                kernel, numbers = self.machine.element(number, i, question)
                homes = {"a": "u", "lam": "rows"}
                given = [
                    numbers
                    if port.name == "n"
                    else self.t
                    if port.name == "t"
                    else getattr(self, port.name)[
                        batch.places[homes.get(port.name, port.name)][i]
                    ]
                    for port in kernel.inputs
                ]
                return kernel(*given)[0]
        raise AssertionError(name)


@pytest.fixture(scope="module", params=["space", "plane"])
def both(request) -> Both:
    return Both(flat() if request.param == "plane" else everything())


def test_residuals_about_other_reference_points():
    other = Both(everything(), reference="frame")
    r, _ = other.machine.residual(other.state)
    (wanted,) = other.slot("residual", other.a, other.lam)
    np.testing.assert_allclose(r, wanted[:, 0], rtol=1e-12, atol=1e-12)


def test_residuals_are_those_of_folded_equations(both):
    r, g = both.machine.residual(both.state)
    (wanted,) = both.slot("residual", both.a, both.lam)
    (phi,), (C, nu) = both.slot("position"), both.slot("velocity")
    rates = C @ both.u[:, None] - nu
    np.testing.assert_allclose(r, wanted[:, 0], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(
        g, np.concatenate([phi, rates[len(phi) :]])[:, 0], rtol=1e-12, atol=1e-12
    )


def test_the_iteration_matrix_is_that_of_folded_equations(both):
    c, n, mh = both.c, both.machine.nu, both.machine.mh
    (A,), (r_q, r_u) = both.slot("mass"), both.slot("residual_jacobian", both.a, both.lam)
    (C, _), (rates_q,) = both.slot("velocity"), both.slot("constraint_jacobian")
    wanted = np.zeros((both.machine.size,) * 2)
    wanted[:n, :n] = c[0] * A + c[1] * r_u + c[2] * r_q
    wanted[:n, n:], wanted[n : n + mh, :n] = C.T, C[:mh]
    wanted[n + mh :, :n] = c[3] * C[mh:] + c[4] * rates_q[mh:]
    np.testing.assert_allclose(full(both), wanted, rtol=1e-12, atol=1e-12)


def test_the_matrix_follows_attitudes_along_a_step(both):
    """With ξ ≠ 0 its columns are derivatives of r and Φ at q moved by ξ, in ξ itself.

    Rows that count angles are left out: their rates are those of angles about parallel axes,
    which this machine's are not.
    """
    machine, n, mh = both.machine, both.machine.nu, both.machine.mh
    angles = {"thread", "gear", "rack", "turn", "slew"}
    kept = [i for i, row in enumerate(both.folded.rows[:mh]) if row.owner not in angles]
    step, along = 0.2 * both.a / np.abs(both.a).max(), both.u / np.abs(both.u).max()

    def at(h: float) -> tuple[np.ndarray, np.ndarray]:
        q = machine.moved(both.state, step + h * along)
        r, g = machine.residual(replace(both.state, q=q))
        return r, g[kept]

    q = machine.moved(both.state, step)
    both_c = np.array([0.0, 0.0, 1.0, 0.0, 1.0])
    matrix = full(both, replace(both.state, q=q, c=both_c, x=step))
    h = 1e-5
    for found, one, two in zip(
        (matrix[:n, :n] @ along, (matrix[n : n + mh, :n] @ along)[kept]),
        at(h),
        at(-h),
        strict=True,
    ):
        wanted = (one - two) / (2 * h)
        np.testing.assert_allclose(found, wanted, atol=1e-4 * np.abs(wanted).max())


def full(both: Both, state: AssembledState | None = None) -> np.ndarray:
    starts, rows = both.machine.pattern
    entries = both.machine.matrix(state or both.state)
    matrix = np.zeros((both.machine.size,) * 2)
    columns = np.repeat(np.arange(both.machine.size), np.diff(starts))
    matrix[rows, columns] = entries
    return matrix


def test_rows_and_their_rates_are_those_of_folded_equations(both):
    phi, rates, gamma = both.machine.rows(both.state)
    (wanted,), (C, nu) = both.slot("position"), both.slot("velocity")
    np.testing.assert_allclose(phi, wanted[:, 0], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(rates, (C @ both.u[:, None] - nu)[:, 0], rtol=1e-12, atol=1e-12)
    (wanted,) = both.slot("acceleration")
    np.testing.assert_allclose(gamma, wanted[:, 0], rtol=1e-11, atol=1e-11)


def test_memory_is_that_of_folded_equations(both):
    k = both.machine.revised(both.state)
    modes = both.folded.modes
    assert both.folded.has("revise") == (len(k) > modes)  # in the plane no angle needs memory
    if len(k) > modes:
        (turns,) = both.slot("revise")
        np.testing.assert_allclose(k[modes:], turns[modes:, 0], rtol=1e-12, atol=1e-12)
    if modes:
        (z,) = both.slot("switches")
        np.testing.assert_array_equal(k[:modes], np.where(z[:, 0] >= 0, 1.0, -1.0))


def wheel() -> bc.Model:
    """Return a wheel on a line: only two of the three rows of a disc are left in the plane."""
    return bc.Model(
        "wheel",
        planar=True,
        bodies=[bc.Body("wheel", bc.Disc(0.4, center=(0, 0.4), axis="z", mass=2.0))],
        joints=[bc.Planar("A", "ground", "wheel", at=(0, 0.4))],
        constraints=[
            bc.RollingDisc("rim", "wheel", (0, 0.4), "z", 0.4, at=(0, 0), normal=(0, 1)),
        ],
    )


def test_a_wheel_in_the_plane_does_what_folded_equations_say():
    test_constraints_do_what_folded_equations_say(Both(wheel()))


def test_constraints_do_what_folded_equations_say(both):
    """Forces, torques and efforts of constraints for any multipliers."""
    (_, _, R), model = both.slot("reactions", both.a), both.model
    spatial = [row.name for row in rows(model, 1.0, [joint.name for joint in model.joints])]
    lam = np.zeros(len(spatial))
    lam[[spatial.index(row.name) for row in both.folded.rows]] = both.lam
    wanted, start, seen = R @ lam, 0, 0
    for channel in both.folded.acting:
        stop = start + channel.size
        if channel.owner in both.folded.constraints:
            found = both.element(channel.owner, "reaction")
            np.testing.assert_allclose(found, wanted[start:stop], atol=1e-12)
            seen += 1
        start = stop
    assert seen == len(model.constraints)


def test_a_step_along_the_tangent_has_rate_W_u(both):
    """Q moved by ±h u differ by 2h W u, and Euler parameters stay at unit length."""
    h = 1e-5
    there = [both.machine.moved(both.state, s * h * both.u) for s in (1.0, -1.0)]
    W, _ = both.slot("kinematics")
    np.testing.assert_allclose((there[0] - there[1]) / (2 * h), W @ both.u, atol=1e-8)


def test_numbers_follow_parameters():
    one, other = Both(everything()), Both(everything())
    changed = Assembled(one.equations, np.array([70.0]), lanes=1, level=0)
    r, _ = changed.residual(one.state)
    other.p = np.array([70.0])
    (wanted,) = other.slot("residual", one.a, one.lam)
    before, _ = one.machine.residual(one.state)
    np.testing.assert_allclose(r, wanted[:, 0], rtol=1e-12, atol=1e-12)
    assert np.abs(r - before).max() > 0.1


def test_a_kind_is_compiled_once_however_many_elements_there_are():
    def kinds(count: int) -> set[str]:
        made = bc.equations(chain(count), bc.Cartesian(assembled=True))
        return {batch.key for batch in made.batches}

    assert kinds(3) == kinds(12)
    assert len(kinds(12)) == 3  # a body, a hinge, a hinge on the ground


def chain(count: int) -> bc.Model:
    return bc.Model(
        "chain",
        bodies=[
            bc.Body(f"b{i}", bc.Rod((i, 0.0, 0.1 * i), (i + 1, 0.0, 0.1 * i + 0.1), mass=1 + i))
            for i in range(count)
        ],
        joints=[
            bc.Revolute(
                f"j{i}", f"b{i - 1}" if i else "ground", f"b{i}", at=(i, 0, 0.1 * i), axis="y"
            )
            for i in range(count)
        ],
    )


def test_assembled_is_refused_where_speeds_are_rates_of_euler_parameters():
    with pytest.raises(bc.errors.OptionError, match="omega"):
        bc.Cartesian(form="euler", assembled=True)


def test_the_choice_is_by_size():
    few = bc.equations(chain(3), bc.Cartesian())
    assert not few.batches
    assert bc.equations(chain(3), replace(bc.Cartesian(), assembled=True)).batches


@pytest.mark.slow
@pytest.mark.parametrize(
    "start",
    [{"A": 0.1}, {"A": 0.1, "A.angle_rate": 2.0}, {"B.angle_rate": 1.0}, {"D": -0.05}],
    ids=str,
)
def test_what_names_leave_open_of_a_start_is_settled_as_in_other_formulations(start):
    """A five-bar has two freedoms: one name leaves the other one where joints move least."""
    points = [(0, 0, 0), (0.2, 0, 1), (1, 0, 1.6), (1.9, 0, 0.9), (2, 0, 0)]
    bars = [
        bc.Body(f"bar{i}", bc.Cylinder(a, b, 0.05, mass=1.0 + i))
        for i, (a, b) in enumerate(pairwise(points))
    ]
    ends = ["ground", *(bar.name for bar in bars), "ground"]
    joints = [
        bc.Revolute(name, first, second, at=at, axis="y")
        for name, at, (first, second) in zip("ABCDE", points, pairwise(ends), strict=True)
    ]
    model = bc.Model("five-bar", bodies=bars, joints=joints)
    names = [f"{name}.{of}" for name in "ABCDE" for of in ("angle", "angle_rate")]
    formulations = bc.JointCoordinates(), bc.Cartesian(), bc.Cartesian(assembled=True)
    runs = [bc.simulate(model, 1e-3, start=start, formulation=one) for one in formulations]
    begun = [[run.values(name)[0] for name in names] for run in runs]
    np.testing.assert_allclose(begun[1:], [begun[0]] * 2, rtol=0, atol=1e-12)
