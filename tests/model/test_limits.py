"""Limits of joints: kept, changed by name, saved; and bodies taken as given."""

import pytest

import bellcrank as bc


def machine(**joint):
    return bc.Model(
        "m",
        bodies=[bc.Body("b", bc.Sphere(1, mass=1))],
        joints=[bc.Prismatic("j", "ground", "b", axis="z", **joint)],
    )


def test_limits_are_given_as_limits_as_a_mapping_or_as_a_pair():
    expected = bc.Limits(lower=-1.0, upper=2.0)
    for given in (expected, {"lower": -1, "upper": 2}, (-1, 2), [-1, 2]):
        assert machine(limits=given)["j"].limits == expected
    assert machine()["j"].limits is None


def test_limits_may_hold_parameters(tmp_path):
    model = machine(limits=(0, bc.Parameter("stroke", 0.3) * 2))
    assert model.parameters == (bc.Parameter("stroke", 0.3),)
    assert (
        model.prefixed("left_")["left_j"].limits.upper == bc.Parameter("left_stroke", 0.3) * 2
    )
    bc.save(model, tmp_path / "m.yaml")
    assert bc.load(tmp_path / "m.yaml") == model
    with pytest.raises(bc.ModelError, match=r"limits: lower must not be above upper"):
        model.replace("stroke", value=-1.0)


def test_limits_stay_with_a_machine_that_is_moved_or_mirrored():
    model = machine(limits=(-1, 2))
    assert model.mirrored("z")["j"].limits == bc.Limits(-1, 2)
    assert model.moved(bc.Pose((1, 0, 0)))["j"].limits == bc.Limits(-1, 2)


def test_models_that_differ_in_limits_differ_and_have_one_digest():
    assert machine(limits=(-1, 2)) != machine()
    assert machine(limits=(-1, 2)).digest == machine().digest


def test_a_body_taken_as_given_round_trips(tmp_path):
    body = bc.Body("b", mass=0, com=(1, 2, 3), inertia=(1, 1, 5, 0, 0, 0), as_given=True)
    model = bc.Model("m", bodies=[body], joints=[bc.Fixed("j", "ground", "b")])
    bc.save(model, tmp_path / "m.yaml")
    assert bc.load(tmp_path / "m.yaml") == model
    with pytest.raises(bc.ModelError, match="mass must be positive"):
        model.replace("b", as_given=False)
