"""Modes, their shapes and energies, and root loci that are followed by shape."""

import warnings

import numpy as np
import pytest
from tests.draws import draws
from tests.machines import analysed

import bellcrank as bc


def test_hanging_rods():
    """A-D4: frequencies and the ratio of absolute angles, to 1e-10."""
    modes = bc.modes(analysed.hanging_rods())
    np.testing.assert_allclose(modes.frequencies, (2.680114012253, 7.188670870288), rtol=1e-10)
    ratios = [(mode["A.angle"] + mode["B.angle"]) / mode["A.angle"] for mode in modes]
    np.testing.assert_allclose(ratios, (1.430500874043, -2.097167540710), rtol=1e-10)
    for mode in modes:
        assert sum(mode.energies.values()) == pytest.approx(1.0)
        assert max(mode.participation.values()) == 1.0
        # Kinetic energy of a body: half of m v² and J ω².
        v = np.abs(mode["upper.velocity"]) ** 2
        w = np.abs(mode["upper.angular_velocity"]) ** 2
        other = np.abs(mode["lower.velocity"]) ** 2
        turn = np.abs(mode["lower.angular_velocity"]) ** 2
        upper, lower = v.sum() + w.sum() / 12, other.sum() + turn.sum() / 12
        assert mode.energies["upper"] == pytest.approx(upper / (upper + lower))
    assert "A.angle" in repr(modes)
    assert modes.dataset["frequency"].attrs["units"] == "rad/s"
    assert modes.plot().axes


def test_a_mode_is_a_motion(tmp_path):
    modes = bc.modes(analysed.wishbone())
    assert modes.damping[0] == pytest.approx(
        0.869590431239 / abs(-0.869590431239 + 5.832340195987j)
    )
    run = modes.animate(1, tmp_path / "mode.html", amplitude=0.05)
    assert (tmp_path / "mode.html").stat().st_size > 10_000
    assert np.abs(run.values("constraint_residual")).max() < 1e-10
    turned = run.values("C.angle") - modes.at["C.angle"]
    assert np.abs(turned).max() == pytest.approx(0.05, rel=0.05)
    with pytest.raises(bc.OptionError, match="there are modes 1 to 2, got 3"):
        modes.animate(3)


def test_bicycle_root_locus():
    """A-D1: weave and capsize speeds; branches of 100 speeds are followed by shape."""
    speeds = np.linspace(0.0, 10.0, 100)
    locus = bc.modes(analysed.bicycle(), {}, over={"rear.angle_rate": -speeds / 0.3})
    np.testing.assert_allclose(
        -0.3 * locus.crossings, (4.292382536341, 6.024262015388), rtol=1e-9
    )
    assert locus.zeros == 6
    assert locus.poles.shape == (100, 4)
    assert locus.plot().axes
    assert "stability changes at" in repr(locus)
    assert locus.dataset["pole"].dims == ("rear.angle_rate", "branch")


def test_flutter_load():
    """A-D3: flutter at P = 7/2 − √2, to 1e-8."""
    locus = bc.modes(analysed.ziegler(), over={"P": np.linspace(0.5, 3.0, 26)})
    np.testing.assert_allclose(locus.crossings, [3.5 - np.sqrt(2.0)], rtol=1e-8)


def test_branches_that_cross_twice_keep_their_shapes():
    """Two uncoupled oscillators, one of which is tuned past the other and back.

    Sorted by size the branches would swap; followed by shape they stay correlated above 0.9.
    """
    model = bc.Model(
        "two",
        planar=True,
        gravity=(0, 0),
        parameters=[bc.Parameter("p", 0.0)],
        bodies=[
            bc.Body("one", mass=1.0, com=(0, 0), inertia=(1, 1, 1, 0, 0, 0)),
            bc.Body("two", mass=1.0, com=(2, 0), inertia=(1, 1, 1, 0, 0, 0)),
        ],
        joints=[
            bc.Prismatic("A", "ground", "one", at=(0, 0), axis="x"),
            bc.Prismatic("B", "ground", "two", at=(2, 0), axis="x"),
        ],
        forces=[
            bc.JointSpring("k1", "A", law="100 * A.offset"),
            bc.JointSpring("k2", "B", law="(60 + 80 * sin(p)) * B.offset"),
        ],
    )  # fmt: skip
    values = np.linspace(0.0, np.pi, 41)
    locus = bc.modes(model, {}, over={"p": values})
    assert locus.correlations.min() > 0.9
    frequencies = np.abs(locus.poles.imag)
    for branch, shape in zip(frequencies.T, np.swapaxes(locus.shapes, 0, 1), strict=True):
        mine = np.abs(shape[:, list(locus.states).index("A.offset")]).max() > 0.05
        expected = 10.0 if mine else np.sqrt(60 + 80 * np.sin(values))
        np.testing.assert_allclose(branch, expected, rtol=1e-9)
    tuned = np.sqrt(60 + 80 * np.sin(values))
    assert (np.diff(np.sign(tuned - 10.0)) != 0).sum() == 2


def test_strain_energies_are_those_of_springs():
    """Two masses on three springs: ½ k δ² of each, and as much as the kinetic energy."""
    model = bc.Model(
        "chain",
        planar=True,
        gravity=(0, 0),
        bodies=[
            bc.Body("one", mass=1.0, com=(1, 0), inertia=(1, 1, 1, 0, 0, 0)),
            bc.Body("two", mass=2.0, com=(2, 0), inertia=(1, 1, 1, 0, 0, 0)),
        ],
        joints=[
            bc.Prismatic("A", "ground", "one", at=(1, 0), axis="x"),
            bc.Prismatic("B", "ground", "two", at=(2, 0), axis="x"),
        ],
        forces=[
            bc.JointSpring("k1", "A", stiffness=70.0, damping=0.4),
            bc.SpringDamper("k2", ("one", (1, 0)), ("two", (2, 0)), stiffness=30.0),
            bc.Bushing("k3", ("ground", (2, 0)), ("two", (2, 0)),
                       stiffness=(50.0, 0, 0, 0, 0, 0)),
        ],
    )  # fmt: skip
    for mode in bc.modes(model):
        a, b = mode["A.offset"], mode["B.offset"]
        stored = 70 * abs(a) ** 2, 30 * abs(b - a) ** 2, 50 * abs(b) ** 2
        shares = [part / sum(stored) for part in stored]
        assert list(mode.strain_energies) == ["k1", "k2", "k3"]
        np.testing.assert_allclose(list(mode.strain_energies.values()), shares, rtol=1e-9)
    table = bc.modes(model).dataset["strain_energy"]
    assert table.dims == ("mode", "spring")


def rotor():
    """Return a disc in a soft gimbal: I λ² ∓ i J W λ + k = 0 for its whirls."""
    light = (1e-12, 1e-12, 1e-12, 0, 0, 0)
    return bc.Model(
        "rotor",
        gravity=(0, 0, 0),
        bodies=[
            bc.Body("outer", mass=1e-9, com=(0, 0, 0), inertia=light),
            bc.Body("inner", mass=1e-9, com=(0, 0, 0), inertia=light),
            bc.Body("disc", mass=1.0, com=(0, 0, 0), inertia=(0.5, 0.5, 0.8, 0, 0, 0)),
        ],
        joints=[
            bc.Revolute("X", "ground", "outer", at=(0, 0, 0), axis="x"),
            bc.Revolute("Y", "outer", "inner", at=(0, 0, 0), axis="y"),
            bc.Revolute("S", "inner", "disc", at=(0, 0, 0), axis="z"),
        ],
        forces=[bc.JointSpring(f"k{n}", n, stiffness=200.0) for n in "XY"],
    )


def test_campbell_diagram():
    """Whirls split with the spin; where they meet multiples of it is known in closed form."""
    spins = np.linspace(0.0, 60.0, 31)
    locus = bc.modes(rotor(), over={"S.angle_rate": spins})
    whirls = np.sort(np.abs(locus.poles.imag), axis=1)[:, [0, 2]]

    slow = np.sqrt((0.8 * spins) ** 2 + 400.0) - 0.8 * spins  # of 0.5 w² + 0.8 W w = 200
    np.testing.assert_allclose(whirls[:, 0], slow, rtol=1e-7)
    np.testing.assert_allclose(whirls[:, 1] * whirls[:, 0], 200.0 / 0.5, rtol=1e-7)
    # The poles are equal at rest, where shapes are those of the branches all the same.
    assert locus.correlations.min() > 0.9
    np.testing.assert_allclose(locus.critical(1), [np.sqrt(200 / (0.5 + 0.8))], rtol=1e-8)
    both = [np.sqrt(200 / (4 * 0.5 + 2 * 0.8)), np.sqrt(200 / (4 * 0.5 - 2 * 0.8))]
    np.testing.assert_allclose(locus.critical(2), both, rtol=1e-8)
    assert locus.campbell((1, 2)).axes


def carts(count: int, gravity: float = 0.0) -> bc.Model:
    """Carts of 1 kg, each on a spring `k0` … and a damper `c0` …, and `e0` … between them."""
    numbers = range(count)
    names = [*(f"{letter}{i}" for letter in "kc" for i in numbers)]
    names += [f"e{i}" for i in numbers[1:]]
    pull = [
        " ".join(
            [*([f"+e{i}*(S{i - 1}.offset - S{i}.offset)"] if i else []),
             *([f"+e{i + 1}*(S{i + 1}.offset - S{i}.offset)"] if i + 1 < count else [])]
        )
        for i in numbers
    ]  # fmt: skip
    return bc.Model(
        "carts",
        gravity=(0, 0, gravity),
        parameters=[bc.Parameter(name, 0.0) for name in names],
        bodies=[bc.Body(f"b{i}", mass=1, com=(0, 0, 0), inertia=SPHERE) for i in numbers],
        joints=[bc.Prismatic(f"S{i}", "ground", f"b{i}", axis="x") for i in numbers],
        forces=[
            bc.Motor(f"M{i}", f"S{i}", f"-k{i}*S{i}.offset - c{i}*S{i}.offset_rate {pull[i]}")
            for i in numbers
        ],
    )


SPHERE = (1, 1, 1, 0, 0, 0)
RATES = 10.0 ** np.arange(-6, 10)
SEPARATE = [bc.JointCoordinates(), bc.Kane(), bc.Cartesian(), bc.Natural()]


@pytest.mark.parametrize("damping", [0.0, 0.1, 3.0])
def test_a_mode_has_its_rate_from_a_millionth_to_a_billion(damping):
    """λ = ω (−ζ ± √(ζ² − 1)) to round-off, for ω over fifteen decades."""
    root = np.sqrt(complex(damping**2 - 1))
    model = carts(1, gravity=-9.81)
    for w in RATES:
        linear = bc.linearize(model, parameters={"k0": w * w, "c0": 2 * damping * w})
        found = np.sort_complex(linear.poles)
        exact = np.sort_complex(w * np.array([-damping - root, -damping + root]))
        np.testing.assert_allclose(found, exact, rtol=1e-12)
        assert not linear.zeros
        assert linear.stable is (True if damping else None)
        modes = bc.modes(model, parameters={"k0": w * w, "c0": 2 * damping * w})
        np.testing.assert_allclose(np.prod(np.abs(modes.poles)), w if damping < 1 else w * w)


@pytest.mark.parametrize("formulation", SEPARATE, ids=repr)
def test_modes_side_by_side_do_not_hide_each_other(formulation):
    """Carts that do not touch have their own frequencies; one without a spring makes zeros."""
    for rates in ((1e-6, 1e9), (1e-4, 1.0, 1e4), (1e-6, 1e-2, 1e3, 1e9), (0.0, 1e-1, 1e6)):
        k = {f"k{i}": w * w for i, w in enumerate(rates)}
        modes = bc.modes(carts(len(rates)), parameters=k, formulation=formulation)
        np.testing.assert_allclose(modes.frequencies, [w for w in rates if w], rtol=1e-12)
        still = [f"S0.{each} enters nothing" for each in ("offset", "offset_rate")]
        assert [str(zero) for zero in modes.linear.zeros] == (still if not rates[0] else [])
        for mode, i in zip(modes, np.flatnonzero(rates), strict=True):
            moved = [abs(mode[f"S{n}.offset"]) for n in range(len(rates))]
            assert int(np.argmax(moved)) == i
            assert sum(moved) == pytest.approx(max(moved), rel=1e-12)


@pytest.mark.parametrize("formulation", SEPARATE, ids=repr)
def test_coupled_modes_of_any_rates_are_found(formulation):
    """A soft spring to a cart that a stiff one holds: ω² = k/m and e/m, e/k their error."""
    for fast, slow in ((1e9, 1e-6), (1e5, 1e-5), (1e3, 1e-9), (1e8, 1e3)):
        k = {"k0": fast**2, "e1": slow**2}
        modes = bc.modes(carts(2), parameters=k, formulation=formulation)
        np.testing.assert_allclose(
            modes.frequencies, [slow, fast], rtol=1e-8 + (slow / fast) ** 2
        )
        soft, stiff = (abs(mode["S1.offset"] / mode["S0.offset"]) for mode in modes)
        assert soft == pytest.approx((fast / slow) ** 2, rel=1e-6)
        assert stiff == pytest.approx((slow / fast) ** 2, rel=1e-6)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_a_train_that_floats_has_its_links_and_two_zeros(scale):
    """Three free carts on links K and e: ω² = 2 K and 3 e / 2 where e is small against K."""
    k = {"e1": 1e12 * scale, "e2": scale}
    modes = bc.modes(carts(3), parameters=k)
    # Stiffness is a sum, which knows e to 1e-4 in 1e12.
    np.testing.assert_allclose(
        modes.frequencies, np.sqrt([1.5 * scale, 2e12 * scale]), rtol=1e-4
    )
    assert len(modes.linear.zeros) == 2
    assert all("S0" in zero.name and "S2" in zero.name for zero in modes.linear.zeros)


@pytest.mark.parametrize("formulation", SEPARATE, ids=repr)
def test_a_pendulum_of_any_length_swings_and_topples(formulation):
    """λ² = −(m g l cos α + k) / J, hanging and standing, down to atoms."""
    for length in (1e-9, 1e-6, 1.0, 1e6):
        m, J, own = length**3, 1.1 * length**5, 0.1 * length**5
        inertia = (own, own, own, 0, 0, 0)
        for spring in (0.0, 100 * m * 9.81 * length):
            forces = [bc.JointSpring("k", "A", stiffness=spring)] if spring else []
            model = bc.Model(
                "pendulum",
                bodies=[bc.Body("b", mass=m, com=(0, 0, -length), inertia=inertia)],
                joints=[bc.Revolute("A", "ground", "b", at=(0, 0, 0), axis="y")],
                forces=forces,
            )  # fmt: skip
            rest = bc.equilibrium(model, formulation=formulation)
            rate = np.sqrt((m * 9.81 * length + spring) / J)
            np.testing.assert_allclose(bc.modes(model, at=rest).frequencies, [rate], rtol=1e-9)
            assert rest.stable
        standing = bc.assemble(model.replace(forces=[]), {"A": np.pi}, formulation=formulation)
        linear = bc.linearize(standing.model, at=standing, formulation=formulation)
        rate = np.sqrt(m * 9.81 * length / J)
        np.testing.assert_allclose(np.sort(np.real(linear.poles)), [-rate, rate], rtol=1e-9)
        assert linear.stable is False


def test_a_slow_instability_beside_a_fast_mode_is_told():
    """A growth of 1e-6 1/s is one, however fast what is stable beside it."""
    for fast in 10.0 ** np.arange(0, 10, 3):
        k = {"k0": fast**2, "c0": fast, "k1": -1e-12}
        rest = bc.equilibrium(carts(2), parameters=k)
        assert rest.stable is False
        assert np.real(rest.linear.poles).max() == pytest.approx(1e-6, rel=1e-9)


def _unit(rng):
    vector = rng.normal(size=3)
    return tuple((vector / np.linalg.norm(vector)).tolist())


def tilted(rng, stiffness, *, kind, chained=False):
    """Return sliders or hinges of random axes on springs, side by side or one on the other."""
    bodies, joints, forces = [], [], []
    for i, k in enumerate(stiffness):
        at = tuple(rng.uniform(-1, 1, 3).round(3).tolist())
        first = f"b{i - 1}" if chained and i else "ground"
        ball = {"mass": 1.25, "com": at, "inertia": (0.3, 0.3, 0.3, 0, 0, 0)}
        bodies.append(bc.Body(f"b{i}", **ball))
        joints.append(kind(f"J{i}", first, f"b{i}", at=at, axis=_unit(rng)))
        forces.append(bc.JointSpring(f"s{i}", f"J{i}", stiffness=float(k)))
    return bc.Model("tilted", bodies=bodies, joints=joints, forces=forces, gravity=(0, 0, 0))


@pytest.mark.family
@pytest.mark.parametrize("kind", [bc.Prismatic, bc.Revolute])
@pytest.mark.parametrize("formulation", SEPARATE, ids=repr)
def test_soft_modes_beside_stiff_ones_in_tilted_axes(formulation, kind):
    """ω = √(k/m) of each, at ratios of stiffness up to 1e18, in any axes."""
    for seed in range(draws(2, 40)):
        rng = np.random.default_rng(seed)
        k = 10.0 ** (rng.uniform(-3, 3) + rng.uniform(0, 18, size=rng.integers(2, 5)))
        model = tilted(rng, k, kind=kind)
        rates = np.sort(np.sqrt(k / (1.25 if kind is bc.Prismatic else 0.3)))
        modes = bc.modes(model, {}, formulation=formulation)
        np.testing.assert_allclose(modes.frequencies, rates, rtol=1e-12)


@pytest.mark.family
@pytest.mark.parametrize("kind", [bc.Prismatic, bc.Revolute])
def test_chains_of_any_stiffness_agree_or_it_is_said(kind):
    """Stiff on soft on stiff: formulations that tell of no lost digits have the same rates."""
    for seed in range(draws(3, 60)):
        rng = np.random.default_rng(seed)
        k = 10.0 ** rng.uniform(0, 18, size=rng.integers(2, 5))
        model, found, said = tilted(rng, k, kind=kind, chained=True), [], []
        for formulation in SEPARATE:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                found.append(bc.modes(model, {}, formulation=formulation).frequencies)
            said.append(any(each.category is bc.LostDigits for each in caught))
        sure = [each for each, told in zip(found, said, strict=True) if not told]
        for each in sure:
            assert len(each) == len(k)
            np.testing.assert_allclose(each, sure[0], rtol=2e-6)
        # Where digits are plenty, nothing is told.
        assert not any(said) or k.max() > 1e8 * k.min()


def linked(stiffness: float, spring: float = 0.0) -> bc.Model:
    """Return two carts of 1 kg in a tilted axis on a link, the first on a spring, too."""
    axis = (0.36, 0.48, -0.8)
    places = [(0.0, 0.0, 0.0), axis]
    held = [bc.JointSpring("spring", "S0", stiffness=spring)] if spring else []
    return bc.Model(
        "linked",
        gravity=(0, 0, 0),
        bodies=[
            bc.Body(f"b{i}", mass=1, com=at, inertia=SPHERE) for i, at in enumerate(places)
        ],
        joints=[
            bc.Prismatic(f"S{i}", "ground", f"b{i}", at=at, axis=axis)
            for i, at in enumerate(places)
        ],
        forces=[
            bc.SpringDamper(
                "link", *zip(("b0", "b1"), places, strict=True), stiffness=stiffness
            ),
            *held,
        ],
    )


@pytest.mark.parametrize("formulation", SEPARATE, ids=repr)
def test_digits_that_a_stiff_link_takes_are_told_of(formulation):
    """ω² = K + ½ − √(K² + ¼) of carts on a link K and a spring 1, or it is said by name."""
    for K in 10.0 ** np.arange(0, 19, 2):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            modes = bc.modes(linked(K, 1.0), {}, formulation=formulation)
        told = " ".join(str(each.message) for each in caught)
        slow = np.sqrt(K / (K + 0.5 + np.hypot(K, 0.5)))
        if not told:
            assert modes.frequencies[0] == pytest.approx(slow, rel=1e-6)
        else:
            assert ("'S" if len(modes) == 2 else "'spring' is too soft to tell") in told
        if K != 1e8:  # there the bound is as large as what is told of
            assert bool(told) is bool(K > 1e8)


@pytest.mark.parametrize("formulation", SEPARATE, ids=repr)
def test_poles_of_zero_are_not_said_to_be_lost(formulation):
    """Carts that float on a link of any stiffness, and a lamp whose springs hold its weight."""
    lamp = bc.Model(
        "lamp",
        bodies=[bc.Body("arm", mass=2.0, com=(0, 0, 1), inertia=SPHERE)],
        joints=[bc.Revolute("A", "ground", "arm", at=(0, 0, 0), axis="y")],
        forces=[bc.JointSpring("spring", "A", stiffness=2.0 * 9.81)],
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for K in (1.0, 1e9, 1e18):
            assert len(bc.modes(linked(K), {}, formulation=formulation).linear.zeros) == 2
        assert len(bc.modes(lamp, {}, formulation=formulation).linear.zeros) == 2


def test_a_locus_tells_of_lost_digits():
    model = linked(bc.Parameter("K", 1.0), 1.0)
    model = model.replace(parameters=[bc.Parameter("K", 1.0)])
    with pytest.warns(bc.LostDigits, match="over K of 'linked' is known to"):
        bc.modes(model, {}, over={"K": [1.0, 1e6, 1e12]})


def test_mistakes_are_named():
    with pytest.raises(bc.OptionError, match="over takes one name"):
        bc.modes(analysed.ziegler(), over={"P": [1, 2], "Q": [1, 2]})
    with pytest.raises(bc.OptionError, match="two or more finite values"):
        bc.modes(analysed.ziegler(), over={"P": [1.0]})
    with pytest.raises(bc.OptionError, match="undamped modes take"):
        bc.modes(analysed.bicycle(), analysed.running(5.0), undamped=True)
