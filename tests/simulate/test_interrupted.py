"""What a caller's own functions raise ends a run; the run up to there is kept."""

import numpy as np
import pytest

import bellcrank as bc

ROD = bc.Body("rod", bc.Rod((0, 0, 0), (1, 0, 0), mass=1.0))
HINGE = bc.Revolute("A", "ground", "rod", at=(0, 0, 0), axis="y")
DRIVEN = bc.Model(
    "driven",
    bodies=[ROD],
    joints=[HINGE],
    forces=[bc.Motor("motor", "A", effort=bc.Input("u"))],
    inputs=[bc.Input("u")],
)
PLAIN = bc.Model("plain", bodies=[ROD], joints=[HINGE])
LATE = 0.25  # s


def raises(t, values):
    if t >= LATE:
        raise ZeroDivisionError("no answer")
    return {"u": np.sin(9 * t)}


def gives_nan(t, values):
    return {"u": np.nan if t >= LATE else np.sin(9 * t)}


WAYS = [
    {},
    {"constraints": "independent", "formulation": bc.Cartesian()},
    {
        "formulation": bc.Cartesian(assembled=True),
        "integrator": bc.GeneralizedAlpha(step=1e-3),
    },
]


@pytest.mark.parametrize("options", WAYS, ids=["tree", "independent", "alpha"])
@pytest.mark.parametrize(
    ("law", "cause"), [(raises, ZeroDivisionError), (gives_nan, bc.OptionError)]
)
def test_a_law_that_fails_late_leaves_the_run_before_it(options, law, cause):
    inputs = {"u": bc.Sampled(law, every=0.05)}
    with pytest.raises(bc.IntegrationFailed) as caught:
        bc.simulate(DRIVEN, until=1.0, inputs=inputs, every=0.05, **options)
    failure = caught.value
    assert isinstance(failure.__cause__, cause)
    assert failure.time == pytest.approx(LATE)
    assert failure.run.status == "stopped"
    short = bc.simulate(
        DRIVEN, until=0.2, inputs={"u": bc.Sampled(raises, every=0.05)}, every=0.05, **options
    )
    shared = len(short.t)
    np.testing.assert_allclose(
        failure.run.values("A.angle")[:shared], short.values("A.angle"), rtol=0, atol=1e-6
    )


def test_a_law_that_fails_at_once_is_an_option_that_does_not_fit():
    law = bc.Sampled(lambda t, values: 1 / t, every=0.1)
    with pytest.raises(bc.OptionError, match=r"law of 'u' raised ZeroDivisionError at t = 0 s"):
        bc.simulate(DRIVEN, until=1.0, inputs={"u": law})


def test_progress_that_raises_leaves_the_run_before_it():
    def told(t, steps):
        if t > LATE:
            raise KeyError("told enough")

    with pytest.raises(bc.IntegrationFailed, match="progress raised KeyError") as caught:
        bc.simulate(PLAIN, until=1e4, progress=told)
    assert isinstance(caught.value.__cause__, KeyError)
    run = caught.value.run
    assert run.t[-1] > LATE
    assert run.values("A.angle_rate")[0] == 0.0
