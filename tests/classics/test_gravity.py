"""Gravity of a planet: librations of a boom and of a tether, by their closed forms."""

import math

import numpy as np
import pytest

import bellcrank as bc

MU, RADIUS = 3.986004418e14, 7.0e6
N = math.sqrt(MU / RADIUS**3)  # mean motion [rad/s]


def periods(t, y):
    """Return the mean period of an oscillation about zero, from its upward crossings."""
    up = np.flatnonzero((y[:-1] < 0) & (y[1:] >= 0))
    times = t[up] - y[up] * (t[up + 1] - t[up]) / (y[up + 1] - y[up])
    return float(np.diff(times).mean())


def boom(length=100.0):
    x = RADIUS - length / 2, RADIUS + length / 2
    return bc.Model(
        "boom",
        gravity=bc.CentralGravity(MU),
        bodies=[bc.Body("boom", bc.Rod((x[0], 0, 0), (x[1], 0, 0), mass=40.0, radius=0.05))],
        joints=[bc.Free("F", "ground", "boom", at=(RADIUS, 0, 0))],
    )


def orbit(**more):
    return {"F.velocity": (0, RADIUS * N, 0)} | more


@pytest.mark.parametrize("formulation", [bc.JointCoordinates(), bc.Cartesian()])
def test_a_boom_pitches_with_root_three_and_rolls_with_two_mean_motions(formulation):
    """Hughes (1986), Spacecraft Attitude Dynamics, §9.2: ω_pitch = √3 n, ω_roll = 2 n."""
    small = 1e-3
    begin = orbit(**{
        "F.angular_velocity": (0, 0, N),
        "F.orientation": (1 - small**2 / 4, 0, small / 2, small / 2),
    })
    # 1e-9 of seven thousand kilometres is 7 mm: enough for angles of a milliradian.
    run = bc.simulate(
        boom(), 8 * 2 * math.pi / N, start=begin, formulation=formulation, rtol=1e-10, every=5.0
    )
    axis, place = run["boom.orientation"].values, run["boom.position"].values
    e0, ex, ey, ez = axis.T
    along = np.stack(
        [1 - 2 * (ey**2 + ez**2), 2 * (ex * ey + e0 * ez), 2 * (ex * ez - e0 * ey)], 1
    )
    up = place / np.linalg.norm(place, axis=1)[:, None]
    ahead = np.stack([-up[:, 1], up[:, 0], 0 * up[:, 0]], 1)
    pitch, roll = (along * ahead).sum(1), along[:, 2]
    assert 2 * math.pi / periods(run.t, pitch) == pytest.approx(math.sqrt(3) * N, rel=1e-4)
    assert 2 * math.pi / periods(run.t, roll) == pytest.approx(2 * N, rel=1e-4)
    energy = run["energy"].values
    assert np.abs(energy - energy[0]).max() < 1e-8 * abs(energy[0])


def test_a_tether_pitches_like_a_boom():
    """Two masses on a massless tether of a kilometre: √3 n, and the tension 3 n² m_r L."""
    low, high, length = 300.0, 200.0, 1000.0
    share = high / (low + high)
    at = [(RADIUS - share * length, 0, 0), (RADIUS + (1 - share) * length, 0, 0)]
    tether = bc.Model(
        "tether",
        gravity=bc.CentralGravity(MU),
        bodies=[bc.Body(f"m{i}", bc.Sphere(0.5, at[i], mass=(low, high)[i])) for i in (0, 1)],
        joints=[bc.Free(f"F{i}", "ground", f"m{i}", at=at[i]) for i in (0, 1)],
        constraints=[bc.Distance("tether", ("m0", at[0]), ("m1", at[1]))],
    )
    small = 1e-3
    begin = {}
    for i in (0, 1):
        begin[f"F{i}.velocity"] = (0, at[i][0] * N, 0)
    begin["F1.velocity"] = (0, at[1][0] * N + length * small * math.sqrt(3) * N, 0)
    run = bc.simulate(tether, 4 * 2 * math.pi / N, start=begin, rtol=1e-10, every=5.0)
    d = run["m1.position"].values - run["m0.position"].values
    r = run["m0.position"].values
    pitch = np.unwrap(np.arctan2(d[:, 1], d[:, 0]) - np.arctan2(r[:, 1], r[:, 0]))
    pitch -= pitch.mean()
    # The push shifts the orbit as well: 1e-3 of an amplitude is what is left of that.
    assert 2 * math.pi / periods(run.t, pitch) == pytest.approx(math.sqrt(3) * N, rel=1e-3)
    pull = 3 * N**2 * length * low * high / (low + high)
    assert float(run["tether.force"].mean()) == pytest.approx(pull, rel=5e-3)


def test_a_field_is_what_its_potential_says():
    """The uniform field as a vector, as a potential and as usual: one motion, one energy."""
    runs = []
    for gravity in ((0, 0, -9.81), bc.Field((0, 0, -9.81)), bc.Field(potential="9.81*z")):
        rod = bc.Model(
            "rod", gravity=gravity,
            bodies=[bc.Body("rod", bc.Rod((0, 0, 0), (1, 0, 0), mass=2.0))],
            joints=[bc.Revolute("A", "ground", "rod", at=(0, 0, 0), axis="y")],
        )  # fmt: skip
        runs.append(bc.simulate(rod, 1.0, rtol=1e-11, every=0.1))
    for run in runs[1:]:
        np.testing.assert_allclose(run["A.angle"], runs[0]["A.angle"], atol=1e-9)
    np.testing.assert_allclose(runs[2]["energy"], runs[0]["energy"], atol=1e-9)


def test_a_field_depends_on_the_place_alone():
    with pytest.raises(bc.ModelError, match=r"x, y, z, t and parameters only, got A\.angle"):
        bc.Model(
            "rod", gravity=bc.Field((0, 0, "A.angle")),
            bodies=[bc.Body("rod", bc.Rod((0, 0, 0), (1, 0, 0), mass=2.0))],
            joints=[bc.Revolute("A", "ground", "rod", at=(0, 0, 0), axis="y")],
        )  # fmt: skip


def swarm(gravity):
    """Return three bodies on parallel slides, drawn at different places along them."""
    places = (0.0, -0.7, 0.4)
    return bc.Model(
        "swarm",
        gravity=gravity,
        bodies=[
            bc.Body(f"b{i}", mass=1.0 + i, com=(x, 0, 0), inertia=(1, 1, 1, 0, 0, 0))
            for i, x in enumerate(places)
        ],
        joints=[
            bc.Prismatic(f"S{i}", "ground", f"b{i}", at=(0, 0, 0), axis="x")
            for i in range(len(places))
        ],
        parameters=[bc.Parameter("c", 5.0), bc.Parameter("w", 0.01)],
    )


BANDS = {
    "vector": bc.Field("3*step((x - c)*(c + w - x)), 0, 0"),
    "table": bc.Field("3*where(x < c, 0, where(x < c + w, 1, 0)), 0, 0"),
    "potential": bc.Field(potential="-3*min(max(x - c, 0), w)"),
}


@pytest.mark.parametrize("band", BANDS)
@pytest.mark.parametrize(
    "school", [bc.JointCoordinates(), bc.Kane(), bc.Cartesian(), bc.Natural()], ids=str
)
def test_each_body_meets_a_band_of_a_field_where_it_is_itself(school, band):
    """Behind a band of width w with 3 m/s² in it v² = v₀² + 6 w, however narrow it is."""
    rng = np.random.default_rng(11)
    speeds, width = rng.uniform(1.0, 3.0, 3), 10 ** rng.uniform(-3, -1)
    run = bc.simulate(
        swarm(BANDS[band]), 10.0, formulation=school, every=10.0, parameters={"w": width},
        start={f"S{i}.offset_rate": speed for i, speed in enumerate(speeds)},
    )  # fmt: skip
    after = [run.values(f"S{i}.offset_rate")[-1] for i in range(3)]
    np.testing.assert_allclose(after, np.sqrt(speeds**2 + 6.0 * width), rtol=1e-9)


def test_the_work_of_a_potential_that_changes_with_time_is_known():
    """Where it bends; that of one that jumps is not, and is said not to be judged."""
    for wave, judged in (("abs(sin(20*pi*t))", True), ("sign(sin(20*pi*t))", False)):
        run = bc.simulate(swarm(bc.Field(potential=f"-x*{wave}")), 10.0, every=10.0)
        assert run.judged["contradictions"] == []
        told = [each for each in run.judged["not_judged"] if each.startswith("energy")]
        assert (told == []) == judged
