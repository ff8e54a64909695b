"""`verify`: formulations agree on every machine, and a wrong one is found and named."""

import json

import numpy as np
import pytest
from tests.analysis.scattered import (
    SORTS,
    random_machine,
    scattered,
    with_states_and_relations,
)
from tests.draws import LONG, draws
from tests.machines.everything import four_bar

import bellcrank as bc
from bellcrank import examples
from bellcrank.analysis.verify import verify_states
from bellcrank.analysis.verify.audits import Audit, isolated
from bellcrank.analysis.verify.body_space import Seen
from bellcrank.analysis.verify.candidates import candidates, label
from bellcrank.analysis.verify.comparison import compare, strangers
from bellcrank.cli import find_machine, run

LARGE = ("chain", "ladder", "andrews", "arm", "six-bodies", "kane-six-bodies")
SMALL = [name for name in examples.names() if name not in LARGE]


def rotated(number: int) -> list:
    """Return joint coordinates and three others, so that all take turns over machines."""
    others = candidates()[1:]
    return [bc.JointCoordinates(), *(others[(3 * number + i) % len(others)] for i in range(3))]


@pytest.mark.family
@pytest.mark.parametrize("number", range(draws(12, 30)))
def test_formulations_agree_on_random_machines(number):
    """X01, X02, X03 on random machines: body space, reactions and power to 1e-8."""
    model = random_machine(number)
    found = verify_states(model, scattered(model, 2, number), rotated(number))
    assert found.agrees, f"{SORTS[number % 5]}: {found.verdict}"
    assert len(found.formulations) + len(found.refused) == 4


@pytest.mark.family
@pytest.mark.parametrize("number", range(draws(3, 20)))
def test_formulations_agree_on_machines_with_states_and_relations(number):
    """The same, with variables that drive the machine and a relation of its coordinates."""
    model = with_states_and_relations(number)
    found = verify_states(model, scattered(model, 2, number), rotated(number))
    assert found.agrees, f"{SORTS[number % 5]}: {found.verdict}"


def at_example(name: str, formulations: list) -> bc.analysis.verify.Verification:
    machine, defaults = find_machine(name)
    asked = {key: defaults[key] for key in ("start", "parameters", "inputs") if key in defaults}
    return bc.verify(
        machine, 0.4, states=3, formulations=formulations, runs=False, **asked
    )  # fmt: skip


@pytest.mark.family
@pytest.mark.parametrize(("number", "name"), list(enumerate(SMALL)), ids=SMALL)
def test_shipped_examples_agree(number, name):
    """In every formulation where there is time, else in four of them in turn."""
    found = at_example(name, list(candidates()) if LONG else rotated(number))
    assert found.agrees, found.verdict


@pytest.mark.family
@pytest.mark.parametrize(("number", "name"), list(enumerate(LARGE)), ids=LARGE)
def test_large_examples_agree(number, name):
    """One choice of each school where there is time, else joint coordinates and another."""
    others = [bc.Natural(), bc.Cartesian(), bc.Kane()]
    if not LONG:
        others = others[:1] if name == "chain" else [others[number % 3]]
    found = at_example(name, [bc.JointCoordinates(), *others])
    assert found.agrees, found.verdict


def test_a_whole_verification_of_the_four_bar(tmp_path):
    """Runs, audits, costs, page and data; order of convergence on this very machine."""
    schools = [bc.JointCoordinates(), bc.Cartesian()]
    found = bc.verify(four_bar(), 0.5, states=5, start={"A": 0.3}, formulations=schools)
    assert found.agrees, found.verdict
    for name in found.formulations:
        laws = {audit.law: audit.value for audit in found.audits[name]}
        assert 3.5 < laws["order"] < 4.8
        assert laws["energy"] < 1e-7
        assert laws["power balance"] < 1e-10
        assert found.costs[name].operations > 100
        assert found.costs[name].evaluation_time > 0
    assert "2 formulations agree at 5 states" in str(found)
    data = json.loads(found.save(tmp_path / "v.json").read_text())
    assert data["agrees"] is True
    assert len(data["differences"]) == len({d["family"] for d in data["differences"]})
    page = found.save(tmp_path / "v.html").read_text()
    assert page.count("<svg") == 1
    assert "http://" not in page.replace("http://www.w3.org", "")
    with pytest.raises(bc.OptionError, match=r"saved as \.html or \.json, got 'v\.txt'\."):
        found.save(tmp_path / "v.txt")


def test_momentum_is_audited_where_nothing_acts_from_outside():
    racket = find_machine("tennis-racket")[0]
    assert isolated(racket)
    assert not isolated(four_bar())
    found = bc.verify(
        racket, 0.3, states=3, start={"flight.angular_velocity": (0.1, 6, 0.1)},
        formulations=[bc.JointCoordinates()],
    )  # fmt: skip
    (audit,) = [a for a in found.audits["JointCoordinates()"] if a.law == "momentum"]
    assert audit.value is not None
    assert audit.value < 1e-9


def test_a_torque_free_machine_agrees_in_the_momentum_form_too():
    """H0 ≠ 0, joints prescribed: eleven formulations, one of them of first order."""
    at = (0.5, 0.0, 0.0), (1.5, 0.0, 0.0), (2.5, 0.2, 0.0)
    arm = bc.Model(
        "floating arm",
        gravity=(0, 0, 0),
        bodies=[
            bc.Body("hub", bc.Box((1, 1, 1), (0, 0, 0), mass=4)),
            bc.Body("upper", bc.Rod(at[0], at[1], mass=1.0)),
            bc.Body("lower", bc.Rod(at[1], at[2], mass=0.8)),
        ],
        joints=[
            bc.Free("float", "ground", "hub"),
            bc.Revolute("A", "hub", "upper", at=at[0], axis="z"),
            bc.Revolute("B", "upper", "lower", at=at[1], axis="y"),
        ],
        drivers=[
            bc.Drive("a", "A", angle="0.5*sin(t)"),
            bc.Drive("b", "B", angle="0.3*(1 - cos(2*t))"),
        ],
    )
    assert isolated(arm)
    start = {"float.angular_velocity": (0.1, 0.2, 0.3)}
    found = bc.verify(arm, 1.0, states=3, start=start, runs=False)
    assert found.agrees, found.verdict
    assert len(found.formulations) == 11


def seen(shift: float = 0.0) -> Seen:
    """Return what a formulation says of two bodies, one of them `shift` off in acceleration."""
    arrays = {"acceleration": np.ones((3, 3, 2)), "energy": np.ones((3, 2))}
    arrays["acceleration"][1, 2, 1] += shift
    places = {"acceleration": ("crank", "coupler"), "energy": ("kinetic", "potential")}
    return Seen(arrays, places, np.zeros(3), 1.0, 1.0)


def differences(shift: float) -> tuple:
    said = {"one": seen(), "two": seen(), "three": seen(shift)}
    t = np.array([0.0, 0.5, 1.25])
    return compare(said, t, length=1.0, condition=np.ones(3), determined={})


def test_the_worst_place_and_the_stranger_are_named():
    found = differences(3e-7)
    worst = max(found, key=lambda d: d.value)
    assert str(worst) == (
        "`one` against `three`: acceleration of 'coupler' differs by 3.0e-07 at t = 0.5 s"
    )
    assert strangers(found, 1e-8) == ("three",)
    assert strangers(differences(1e-10), 1e-8) == ()


def test_what_is_not_finite_is_a_difference():
    found = differences(np.nan)
    assert max(d.value for d in found) == np.inf
    assert strangers(found, 1e-8) == ("three",)


def test_audits_pass_within_their_bounds():
    assert Audit("energy", 1e-7).passes
    assert not Audit("energy", 1e-5).passes
    assert not Audit("energy", float("nan")).passes
    assert Audit("order", 3.9).passes
    assert not Audit("order", 2.0).passes
    assert Audit("momentum", None).passes


def test_labels_leave_defaults_out_and_construct_the_same():
    for formulation in candidates():
        rebuilt = eval(label(formulation), vars(bc) | {n: getattr(bc, n) for n in dir(bc)})
        assert rebuilt == formulation
    assert label(bc.Cartesian()) == "Cartesian()"


def test_bad_options():
    with pytest.raises(
        bc.OptionError, match="2 to 1000000 states and tolerance > 0, got 1 and 1e-08"
    ):
        bc.verify(four_bar(), states=1)


def test_one_formulation_alone_is_not_compared():
    found = bc.verify(examples.load("tsda"), formulations=[bc.JointCoordinates()], states=3)
    assert found.agrees
    assert "there is none to compare it with" in " ".join(str(found).split())


def test_command_line_says_so_in_its_exit_code(tmp_path, capsys):
    """Agreement to the last bit is more than rounding allows."""
    assert run(["verify", "tsda", "--states", "3", "-o", str(tmp_path / "p.html")]) == 0
    assert "agree at 3 states" in " ".join(capsys.readouterr().out.split())
    assert run(["verify", "tsda", "--states", "3", "--tolerance", "1e-18"]) == 1
    assert "NOT verified" in capsys.readouterr().out
    assert run(["verify", "tsda", "--tolerance", "0"]) == 2
    assert run(["verify", "tsda", "-o", str(tmp_path / "p.txt")]) == 2


def truss():
    a, b, c = (0, 0, 0), (1, 0, 0), (0.5, 0, 0.8)
    return bc.Model(
        "truss",
        bodies=[
            bc.Body("left", bc.Rod(a, c, mass=1.0)),
            bc.Body("right", bc.Rod(b, c, mass=2.0)),
        ],
        joints=[
            bc.Revolute("A", "ground", "left", at=a, axis="y"),
            bc.Revolute("B", "ground", "right", at=b, axis="y"),
            bc.Revolute("C", "left", "right", at=c, axis="y"),
        ],
    )


def welded(*places):
    """Return a leg that is welded to ground in some places: no coordinate, and rows or none."""
    leg = bc.Body("leg", bc.Rod((0, 0, 0), (0.6, 0.2, 0.8), mass=2.0))
    joints = [bc.Fixed(f"F{n}", "ground", "leg", at=at) for n, at in enumerate(places)]
    return bc.Model("welded", bodies=[leg], joints=joints)


@pytest.mark.parametrize(
    "model",
    [truss(), welded((0, 0, 0)), welded((0, 0, 0), (0.6, 0.2, 0.8))],
    ids=["truss", "welded", "welded twice"],
)
def test_a_structure_at_rest_is_verified(model):
    """Where nothing can move, rounding over rounding is no difference and breaks no law."""
    some = [bc.JointCoordinates(), bc.Cartesian(), bc.Natural()]
    found = bc.verify(model, 0.1, states=3, formulations=some, runs=False)
    assert found.agrees, found.verdict
    assert len(found.formulations) == 3


def test_a_singular_attitude_of_its_own_is_no_disagreement():
    """Angles 1-2-3 of a ball that is turned by a quarter about y say nothing there."""
    ball = bc.Model(
        "ball",
        bodies=[bc.Body("B", mass=1.0, com=(0.3, 0, 0), inertia=(0.1, 0.2, 0.3, 0, 0, 0))],
        joints=[bc.Spherical("A", "ground", "B", at=(0, 0, 0))],
    )
    quarter = {"A.orientation": (0.5**0.5, 0, 0.5**0.5, 0), "A.angular_velocity": (0, 4, 0)}
    some = [bc.JointCoordinates(), bc.Kane(), bc.Kane(speeds=bc.AngleRates())]
    found = bc.verify(ball, 0.2, start=quarter, states=5, formulations=some, runs=False)
    assert found.agrees, found.verdict
    assert len(found.formulations) == 3


def test_verify_speaks_of_its_own_options():
    with pytest.raises(bc.OptionError, match="until, which must be positive, got 0"):
        bc.verify(examples.load("four-bar"), 0)
