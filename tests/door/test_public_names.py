"""What is public can be imported, and says what it is."""

import inspect
import subprocess
import sys

import pytest

import bellcrank as bc


@pytest.mark.parametrize("name", bc.__all__)
def test_a_public_name_is_there_and_documented(name):
    thing = getattr(bc, name)
    doc = inspect.getdoc(thing)
    assert doc, f"{name} has no docstring"
    assert doc.splitlines()[0].strip().endswith((".", ":")), f"{name}: {doc.splitlines()[0]}"


NOUNS = """Model Body Revolute Prismatic Cylindrical Screw Universal Spherical Planar Fixed Free
Particle Rod Box Sphere Cylinder Capsule Disc Mesh PointMasses Pose Distance PointOnLine
PointOnPlane Parallel Perpendicular Gear RackAndPinion RollingDisc VelocityConstraint
SpringDamper JointSpring Bushing Force Torque Motor Parameter Input Sampled Event Point Drive
JointCoordinates RK4 Nystrom4 RKF45 DOPRI5 DOP853 Radau5 SDIRK54
Gauss2 Trapezoidal Auto Equations System Result"""
VERBS = "load save report equations compile simulate derive"


def test_the_names_of_the_design_are_public():
    assert {*NOUNS.split(), *VERBS.split()} <= set(bc.__all__)


def test_a_name_that_is_not_there_says_which_was_meant():
    with pytest.raises(AttributeError) as caught:
        bc.simulat  # noqa: B018
    assert str(caught.value) == "bellcrank has no 'simulat'. Did you mean 'simulate'?"


def test_importing_bellcrank_imports_nothing_heavy():
    heavy = (
        "{'numpy', 'casadi', 'numba', 'scipy', 'xarray', 'matplotlib', 'pandas', 'pydantic'}"
    )
    code = f"import sys, bellcrank; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
