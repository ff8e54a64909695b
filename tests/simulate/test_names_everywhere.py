"""What results show may be used: in laws, events and controllers, in every formulation.

What would be circular in a law is refused by its name. Values are held against those that the
results of the same run show.
"""

import functools

import numpy as np
import pytest
from tests.draws import LONG, draws

import bellcrank as bc
from bellcrank.model.names import channels, components, law_names, machine_names

FORMULATIONS = (bc.JointCoordinates(), bc.Kane(), bc.Cartesian(), bc.Natural())
NAMED = [type(each).__name__ for each in FORMULATIONS]
EVERY = pytest.mark.parametrize("formulation", FORMULATIONS, ids=NAMED)


def arm(effort: str = "0.1*sin(t)") -> bc.Model:
    """A tilted arm of two links with a spring, a motor, a strut, a push and a filter."""
    axis = (0.1, 0.98, 0.17)
    return bc.Model(
        "arm",
        bodies=[
            bc.Body("upper", mass=1.1, com=(0.5, 0, 0), inertia=(0.02, 0.11, 0.12, 0, 0, 0)),
            bc.Body("lower", mass=0.6, com=(1.4, 0, 0.1), inertia=(0.03, 0.1, 0.08, 0, 0, 0)),
        ],
        joints=[
            bc.Revolute("A", "ground", "upper", at=(0, 0, 0), axis=axis),
            bc.Revolute("B", "upper", "lower", at=(1, 0, 0), axis=(0, 0.6, 0.8)),
        ],
        points=[bc.Point("tip", "lower", (2, 0.1, 0))],
        forces=[
            bc.JointSpring("spring", "A", stiffness=2.0, damping=0.1),
            bc.Motor("motor", "B", effort),
            bc.SpringDamper("strut", ("ground", (0, 0, 1)), "tip", stiffness=5.0, damping=0.1),
            bc.Force("push", "lower", ("0.3*cos(t)", 0.1, 0.2)),
        ],
        variables=[bc.Variable("slow", "A.angle - 2*slow")],
    )


def four_bar() -> bc.Model:
    """A driven loop in space with a spring that its coupler stretches."""
    rod = {"mass": 1.0, "inertia": (0.01, 0.1, 0.1, 0, 0, 0)}
    return bc.Model(
        "loop",
        bodies=[
            bc.Body("crank", com=(0, 0, 0.2), **rod),
            bc.Body("coupler", com=(0.5, 0, 0.5), **rod),
            bc.Body("rocker", com=(1.0, 0, 0.3), **rod),
        ],
        joints=[
            bc.Revolute("A", "ground", "crank", at=(0, 0, 0), axis="y"),
            bc.Revolute("B", "crank", "coupler", at=(0, 0, 0.4), axis="y"),
            bc.Universal("C", "coupler", "rocker", at=(1, 0, 0.6), axis1="y", axis2="x"),
            bc.Spherical("D", "ground", "rocker", at=(1, 0, 0)),
        ],
        constraints=[
            bc.PointOnPlane("floor", ("rocker", (1, 0, 0.3)), "ground", (0, 0, 0), "y")
        ],
        drivers=[bc.Drive("motor", "A", angle="0.4*t + 0.3*t**2")],
        forces=[
            bc.SpringDamper("strut", ("ground", (0, 0, 2)), ("coupler", (0.5, 0, 0.5)), 9.0)
        ],
    )


def scalars(run: bc.Result) -> dict[str, np.ndarray]:
    """The series of a run, component by component."""
    found = {}
    for name in run:
        values = run[name].values.reshape(len(run.t), -1)
        found |= dict(zip(components(name, values.shape[1]), values.T, strict=True))
    return found


def usable(model: bc.Model, but: str) -> list[str]:
    """All names that a law may use, but those of an element."""
    own = [f"{e.name}.{n}" for e in model.elements if e.name != but for n in law_names(e)]
    return [*own, *machine_names()]


@EVERY
def test_a_law_may_use_all_that_time_and_state_decide(formulation):
    names = usable(arm(), "motor")
    law = " + ".join(f"{0.001 * (i + 1):.3f}*{name}" for i, name in enumerate(names))
    run = bc.simulate(arm(law), 0.4, start={"A.angle": 0.3}, formulation=formulation, every=0.1)
    shown = scalars(run)
    expected = sum(0.001 * (i + 1) * shown[name] for i, name in enumerate(names))
    np.testing.assert_allclose(shown["motor.effort"], expected, rtol=1e-10, atol=1e-12)


def test_what_would_be_circular_is_refused_by_its_name():
    model = arm()
    known = {*usable(model, "motor"), "slow"}
    all_names = {p for c in channels(model) for p in components(c.name, c.size)}
    for name in sorted(all_names - known):
        with pytest.raises(bc.ModelError) as refused:
            model.replace("motor", effort=f"0.1*{name}")
        assert f"'{name}'" in str(refused.value)
    for name in ("tip.acceleration_x", "A.reaction_force_y", "motor.effort"):
        with pytest.raises(bc.ModelError, match="circular"):
            model.replace("motor", effort=name)


MACHINES = {"arm": (arm, {"A.angle": 0.3, "B.angle_rate": 0.4}), "loop": (four_bar, {})}


PAIRS = pytest.mark.parametrize(
    ("machine", "number"),
    [
        pytest.param(machine, number, id=f"{machine}-{NAMED[number]}")
        for place, machine in enumerate(MACHINES)
        for number in range(4)
        if LONG or (place + number) % 2 == 0  # each formulation once
    ],
)


@functools.cache
def plain(machine: str, number: int) -> bc.Result:
    make, start = MACHINES[machine]
    return bc.simulate(make(), 0.5, start=start, formulation=FORMULATIONS[number], every=0.005)


@pytest.mark.family
@PAIRS
def test_an_event_may_use_all_that_results_show(machine, number):
    make, start = MACHINES[machine]
    before = plain(machine, number)
    found, wanted = scalars(before), {}
    for name, series in found.items():
        middle = 0.5 * (series[30] + series[31])
        if name.startswith("constraint") or np.ptp(series) < 1e-6 * (1 + abs(middle)):
            continue
        steps = np.flatnonzero(np.diff(np.sign(series - middle)))
        if len(steps) == 1:
            wanted[name] = middle
    chosen = list(wanted)[:: max(1, len(wanted) // draws(6, 60))]
    laws = enumerate(f"{name} - {wanted[name]:.17g}" for name in chosen)
    events = [bc.Event(f"e{i}", law) for i, law in laws]
    run = bc.simulate(
        make(), 0.5, start=start, formulation=FORMULATIONS[number], every=0.005, events=events
    )
    for i, name in enumerate(chosen):
        (time,) = run.events.times(f"e{i}")
        near = np.interp(time, before.t, found[name])
        slope = np.abs(np.diff(found[name])).max()
        assert abs(near - wanted[name]) < 0.02 * slope + 1e-9, name


@pytest.mark.family
@PAIRS
def test_a_controller_may_read_all_that_results_show(machine, number):
    make, start = MACHINES[machine]
    before = plain(machine, number)
    names = tuple(name for name in before if not name.startswith("constraint"))
    nothing = bc.Torque("extra", make().bodies[0].name, (bc.Input("nothing"), 0, 0))
    model = make().add(nothing)
    seen: list[dict] = []

    def law(t, values):
        seen.append(dict(values))
        return {"nothing": 0.0}

    reads = bc.Sampled(law, every=0.25, reads=names)
    bc.simulate(
        model, 0.3, start=start, formulation=FORMULATIONS[number], inputs={"nothing": reads}
    )
    there = int(np.argmin(abs(before.t - 0.25)))
    for name in names:
        expected = before[name].values[there]
        scale = 1e-6 * (1 + np.abs(before[name].values).max())
        np.testing.assert_allclose(seen[1][name], expected, rtol=1e-6, atol=scale, err_msg=name)


@pytest.mark.parametrize("formulation", FORMULATIONS[1:3], ids=NAMED[1:3])
def test_what_is_zero_but_for_rounding_is_no_event(formulation):
    """A machine that could leave a plane and does not: what lies across it rests."""
    body = {"inertia": (0.01, 0.1, 0.1, 0, 0, 0)}
    flat = bc.Model(
        "flat",
        bodies=[
            bc.Body("one", mass=1.0, com=(0.5, 0, 0), **body),
            bc.Body("two", mass=0.5, com=(1.5, 0, 0), **body),
        ],
        joints=[
            bc.Revolute("A", "ground", "one", at=(0, 0, 0), axis="y"),
            bc.Universal("B", "one", "two", at=(1, 0, 0), axis1="y", axis2="z"),
        ],
    )
    names = ("two.velocity_y", "B.angle2", "B.angle2_rate", "two.angular_velocity_x",
             "A.reaction_force_y", "A.reaction_torque_x", "B.reaction_torque_z",
             "B.angle2_acceleration", "two.angular_acceleration_z")  # fmt: skip
    plain = scalars(bc.simulate(flat, 1.0, formulation=formulation))
    signs = [np.count_nonzero(np.diff(np.sign(plain[name]))) for name in names]
    assert sum(signs) > 20  # rounding it is
    events = [bc.Event(f"e{i}", name) for i, name in enumerate(names)]
    assert len(bc.simulate(flat, 1.0, formulation=formulation, events=events).events) == 0
