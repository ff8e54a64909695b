"""Scalar equations as they stand on the page hold for the motion of the machine."""

import re
import sys

import numpy as np
import pytest
from tests.laws.evaluation import Evaluated
from tests.views.closed import closed_state
from tests.views.reading import Sym, page_equations, value
from tests.views.unconstrained import geometry

import bellcrank as bc
from bellcrank import examples
from bellcrank.errors import MissingExtra, NotSupported

LETTERS = {"angle": "θ", "offset": "d"}


def constants(model):
    """Return the numbers behind m₁, r′₁₃, I′₂₁₁ and so on, from the model alone."""
    lower, r, q = geometry(model)
    found = {("g", "", ""): np.linalg.norm(model.gravity)}
    for k, name in enumerate(model.graph.order, start=1):
        body = model[name]
        axes = np.array(body.pose.rotation)
        inertia = axes.T @ np.array(body.mass_properties.inertia) @ axes
        found["m", f"{k}", ""] = body.mass_properties.mass
        joint = model[model.graph.tree_joint[k - 1]]
        place = np.array(joint.at_second if joint.second == name else joint.at_first)
        for i in range(3):
            found["r", f"{k}{i + 1}", "′"] = r[k - 1][i]
            found["q", f"{k}{i + 1}", "′"] = q[k - 1][i]
            found["s", f"{k}{i + 1}", "′"] = place[i] if lower[k - 1] == 0 else 0.0
            for j in range(3):
                found["I", f"{k}{i + 1}{j + 1}", "′"] = inertia[i, j]
    for name in model.graph.loops:
        joint = model[name]
        for letter, body, at in (
            ("a", joint.first, joint.at_first),
            ("c", joint.second, joint.at_second),
        ):
            k = model.graph.number[body]
            tree = model[model.graph.tree_joint[k - 1]]
            own = np.array(tree.at_second if tree.second == body else tree.at_first)
            arm = np.array(model[body].pose.rotation).T @ (np.array(at) - own)
            for i in range(3):
                found[letter, f"{name}{i + 1}", "′"] = arm[i]
    return found


def read(model, **options):
    """Return the last equations of a page that speak of joint coordinates."""
    return written(bc.derive(model, **options).html())


def written(page):
    start = page.index("Written out</h2>")
    return page_equations(page[start : page.index("</section>", start)])


def residuals(model, q, u, ud, multipliers=(), **options):
    """Return left − right of every scalar equation on the page."""
    numbers = constants(model)
    found = Evaluated(model)
    for names, vector, marks in (
        (found.coordinates, q, ()),
        (found.speeds, u, ("dot",)),
        (found.speeds, ud, ("ddot",)),
    ):
        for name, entry in zip(names, vector, strict=True):
            joint, _, quantity = name.rpartition(".")
            letter = LETTERS[quantity.removesuffix("_rate")]
            numbers[letter, joint, marks] = entry

    def symbol(sym):
        if sym.letter == "ℓ":
            return roots[sym.sub] ** float(sym.sup or 1)
        if sym.letter == "λ":
            return multipliers[int(sym.sub) - 1]
        if sym.letter in LETTERS.values():
            return numbers[sym.letter, sym.sub, sym.marks] ** float(sym.sup or 1)
        power = sym.sup.replace("′", "")
        if sym.letter == "η":
            return constants_of_page["η", int(sym.sub)].value ** float(power or 1)
        prime = "′" if "′" in sym.sup else ""
        return numbers[sym.letter, sym.sub, prime] ** float(power or 1)

    equations, roots = [], {}
    sheet = bc.derive(model, **options)
    constants_of_page = sheet.page.blocks.rows.blocks.lettering.constants
    for left, right in written(sheet.html()):
        if left[0] == Sym("ℓ", sub=left[0].sub if isinstance(left[0], Sym) else ""):
            roots[left[0].sub] = value(right, symbol)
        else:
            equations.append((left, right))
    return np.array([value(left, symbol) - value(right, symbol) for left, right in equations])


def oblique():
    """Return a slider with an arm that swings on it, drawn askew and listed backwards."""
    return bc.Model(
        "arm on a slider",
        bodies=[
            bc.Body(
                "arm", mass=2.0, com=(0.7, 0.2, 0.1), inertia=(0.3, 0.4, 0.2, 0.01, 0, 0.02)
            ),
            bc.Body("slider", mass=1.5, com=(0.3, 0, 0), inertia=(0.1, 0.1, 0.1, 0, 0, 0)),
        ],
        joints=[
            bc.Revolute("hinge", "arm", "slider", at=(0.4, 0, 0), axis="y"),
            bc.Prismatic("rail", "ground", "slider", at=(0.1, 0, 0), axis="x"),
        ],
    )


def pushed():
    """Return the same with a spring, a joint spring, a motor, a force and a torque."""
    return oblique().add(
        bc.SpringDamper(
            "strut", ("ground", (0.2, 0, 0.5)), ("arm", (0.6, 0, 0)), 30.0, 0.5, length=0.3
        ),
        bc.JointSpring("coil", "hinge", stiffness=2.0, damping=0.25, rest=0.5),
        bc.Motor("push", "rail", "3 - 0.5*rail.offset_rate"),
        bc.Force("wind", "arm", (1.0, 0.0, -2.0), at=(0.9, 0.2, 0)),
        bc.Torque("twist", "arm", (0.1, 0.75, 0), frame="body"),
    )


def tilted():
    """Return an arm on axes along nothing in particular, with laws that have numbers."""
    return bc.Model(
        "tilted",
        bodies=[
            bc.Body("a", mass=2.0, com=(0.2, 0, 0), inertia=(0.3, 0.4, 0.2, 0, 0, 0)),
            bc.Body("b", mass=1.1, com=(0.7, 0, 0), inertia=(0.1, 0.2, 0.2, 0, 0, 0)),
        ],
        joints=[
            bc.Revolute("A", "ground", "a", at=(0, 0, 0), axis=(0, 2, 3)),
            bc.Prismatic("B", "a", "b", at=(0.4, 0, 0), axis=(0, 2, 3)),
        ],
        forces=[bc.Motor("push", "B", "0.37*sin(0.21*B.offset) - 0.55*B.offset_rate")],
    )


MODELS = {
    "tilted": tilted(),
    "double pendulum": examples.load("double-pendulum"),
    "arm on a slider": oblique(),
    "with forces": pushed(),
    "tsda": examples.load("tsda"),
    "rsda": examples.load("rsda"),
}


@pytest.mark.parametrize("numbers", ["letters", "values"])
@pytest.mark.parametrize("name", MODELS)
def test_equations_of_a_tree_hold(name, numbers):
    model = MODELS[name]
    rng = np.random.default_rng(5)
    found = Evaluated(model)
    q, u = rng.normal(size=(2, found.nu))
    ud = found.accelerations(q, u)
    # Numbers are printed with six digits.
    bound = 1e-12 if numbers == "letters" else 1e-4
    left = residuals(model, q, u, ud, numbers=numbers)
    assert len(left) == found.nu
    assert np.abs(left).max() < bound
    assert np.abs(residuals(model, q, u, ud + 0.1, numbers=numbers)).min() > 1e-3


@pytest.mark.parametrize("name", ["four-bar", "slider-crank"])
def test_equations_of_a_loop_hold(name):
    """With multipliers that fit, the equations and the rows hold where the loop is closed."""
    model = examples.load(name)
    model = model.without(*(force.name for force in model.forces))
    found = Evaluated(model)
    q, u, ud = closed_state(model, 6)
    none = residuals(model, q, u, ud, (0.0, 0.0))
    slopes = [residuals(model, q, u, ud, lam) - none for lam in ((1.0, 0.0), (0.0, 1.0))]
    lam = np.linalg.lstsq(np.transpose(slopes), -none, rcond=None)[0]
    assert np.abs(none[: found.nu]).max() > 1e-3
    assert np.abs(none[found.nu :]).max() < 1e-9  # the loop is closed
    assert np.abs(residuals(model, q, u, ud, lam)).max() < 1e-8


@pytest.mark.parametrize(
    "name",
    ["hooke-joint", "turntable", "quick-return", "cam-and-motor", "tsda", "five-freedoms"],
)
@pytest.mark.parametrize("school", [bc.Kane(), bc.JointCoordinates(), bc.Cartesian()])
def test_pages_in_letters_have_decimals_in_the_table_of_values_only(name, school):
    """Laws, tilted axes and what acts on the machine have letters, too."""
    page = bc.derive(examples.load(name), formulation=school).html()
    body = page.partition("<h2>")[2].rpartition("Values</h2>")[0]
    text = re.sub(r"<[^>]*>", " ", re.sub(r"<svg.*?</svg>", "", body, flags=re.DOTALL))
    assert not re.findall(r"\d+\.\d", text)


@pytest.mark.parametrize(
    "school", [bc.Kane(), bc.JointCoordinates(), bc.Cartesian(), bc.Natural()], ids=repr
)
def test_whole_numbers_of_laws_are_letters_too(school):
    """Those of the user, not those that belong to the form of a law, such as exponents."""
    rod = bc.Body("rod", bc.Rod((0, 0, 0), (1, 0, 0), radius=0.1, mass=1.0))
    model = bc.Model(
        "rod",
        bodies=[rod],
        joints=[bc.Revolute("A", "ground", "rod", at=(0, 0, 0), axis="y")],
        forces=[
            bc.Motor("motor", "A", effort="731*sin(917*t) - 613*A.angle**3"),
            bc.SpringDamper(
                "rope", ("ground", (0, 0, 3)), ("rod", (1, 0, 0)), law="419*(length - 2) + 337"
            ),
        ],
    )
    page = bc.derive(model, formulation=school, scalars=False).html()
    body = page.partition("<h2>")[2].rpartition("Values</h2>")[0]
    text = re.sub(r"<[^>]*>", " ", re.sub(r"<svg.*?</svg>", "", body, flags=re.DOTALL))
    assert not re.findall(r"731|917|613|419|337", text)
    assert all(f"{n}" in page for n in (731, 917, 613, 419, 337))  # among the values


def test_the_mass_of_a_parameter_stays_a_letter():
    m = bc.Parameter("mass", 2.0)
    body = bc.Body("rod", mass=m, com=(0, 0, -1), inertia=(0, 0, 0, 0, 0, 0))
    hinge = bc.Revolute("A", "ground", "rod", at=(0, 0, 0), axis="y")
    equations = read(bc.Model("pendulum", bodies=[body], joints=[hinge]), numbers="values")
    assert any(Sym("mass") in left for left, _ in equations)


def test_large_machines_are_not_written_out_unasked():
    words = "The scalar equations are not written out: the machine has 36 speeds, more than 6."
    assert words in bc.derive(examples.load("six-bodies")).markdown()
    assert "Written out" not in bc.derive(examples.load("four-bar"), scalars=False).html()


def test_without_sympy_the_page_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sympy", None)
    model = examples.load("double-pendulum")
    needed = (
        "writing out scalar equations needs SymPy, which is not installed. "
        "Install it with: pip install 'bellcrank[algebra]'"
    )
    page = bc.derive(model).tex()
    assert needed in page
    with pytest.raises(MissingExtra) as caught:
        bc.derive(model, scalars=True)
    assert str(caught.value) == needed


def test_a_switch_has_no_one_formula():
    spring = bc.JointSpring("stop", "A", law="max(0, angle - 1)")
    model = examples.load("double-pendulum").add(spring)
    assert "there is no one formula" in bc.derive(model).html()
    with pytest.raises(NotSupported, match="no one formula"):
        bc.derive(model, scalars=True)
