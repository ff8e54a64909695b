"""The report of a machine: counts that can be checked, and a text that can be read."""

from hypothesis import given, settings
from tests.machines import four_bars

import bellcrank as bc
from bellcrank import examples, testing


def four_bar(planar=False):
    """Return a four-bar, as in the plane or in space."""
    A, B, C, D = [(x, z) if planar else (x, y, z) for x, y, z in four_bars.IN_SPACE]
    return four_bars.four_bar(
        A, B, C, D,
        masses=(1.0, 2.2, bc.Parameter("m", 2.0)),
        forces=[bc.SpringDamper("strut", ("ground", A), "tip", stiffness=200)],
        points=[bc.Point("tip", "coupler", B)],
        drivers=[bc.Drive("motor", "A", angle="2*pi*t")],
    )  # fmt: skip


FOUR_BAR = """\
four-bar
────────
3 bodies, 4 joints, 1 loop, 0 degrees of freedom
(3 coordinates less the rank 3 of 6 constraint rows)
gravity (0, 0, -9.81) m/s²

bodies
           mass [kg]  mass centre [m]  principal inertias [kg m²]
  crank    1          (0, 0, 0.5)      0, 0.0833333, 0.0833333
  coupler  2.2        (1, 0, 1.5)      0, 0.916667, 0.916667
  rocker   m = 2      (2, 0, 1)        0, 0.666667, 0.666667

joints
               first → second    freedoms  coordinates
  A  Revolute  ground → crank    1         angle
  B  Revolute  crank → coupler   1         angle
  C  Revolute  coupler → rocker  1         angle
  D  Revolute  ground → rocker   1         angle

tree
  ground
  ├─ 1 crank       A (Revolute)  L(1) = 0, u = 0
  │  └─ 2 coupler  B (Revolute)  L(2) = 1, u = 1
  └─ 3 rocker      D (Revolute)  L(3) = 0, u = 0
  L = (0, 1, 0)
  u = (0, 1, 0)

loops
  C  Revolute  coupler → rocker

forces
  strut  SpringDamper  ground ─ tip

drivers
  motor  A.angle = 6.283185307179586*t

points
  tip  on coupler  (0, 0, 1)

parameters
  m  2

redundant
  'C' repeats 3 directions already held by A, B, D"""


def test_a_four_bar_reads_like_this():
    assert str(bc.report(four_bar())) == FOUR_BAR


def test_a_four_bar_without_its_driver_has_one_freedom():
    assert bc.report(four_bar(planar=True).without("motor")).degrees_of_freedom == 1


def test_a_machine_that_cannot_be_assembled_is_counted_by_rows_and_says_why():
    apart = {"coupler": (9, 0, 2), "rocker": (2, 0, 2)}
    report = bc.report(four_bar().without("motor").replace("C", at=apart))
    assert report.freedom is None
    assert "-2 degrees of freedom by Gruebler's count" in str(report)
    assert "(the machine cannot be assembled: 'C' by " in str(report)


@settings(max_examples=30, deadline=None)
@given(testing.mechanisms())
def test_the_freedoms_of_a_tree_are_those_of_its_joints(machine):
    count = {"Revolute": 1, "Prismatic": 1, "Screw": 1, "Cylindrical": 2, "Universal": 2}
    count |= {"Spherical": 3, "Planar": 3, "Fixed": 0, "Free": 6}
    report = bc.report(machine)
    assert report.degrees_of_freedom == sum(count[type(j).__name__] for j in machine.joints)
    assert report.redundant == ()
    assert all(body.name in str(report) for body in machine.bodies)


def test_the_tree_of_six_bodies_has_its_connection_array():
    text = str(bc.report(examples.load("six-bodies")))
    graph = examples.load("six-bodies").graph
    assert sorted(graph.depth) == sorted((0, 1, 2, 2, 1, 2))
    assert f"L = ({', '.join(map(str, graph.lower))})" in text
    assert "36 degrees of freedom" in text


def test_a_long_chain_is_drawn_straight_down():
    lines = str(bc.report(examples.load("chain"))).splitlines()
    assert max(map(len, lines)) <= 100
    assert "  ↓  30 link30  J30 (Revolute)  L(30) = 29, u = 29" in lines


def test_laws_of_variables_relations_and_fields_are_told():
    lift = "follower.offset - 0.02*(1 - cos(shaft.angle))"
    cam = examples.load("cam-and-motor").without("cam").add(bc.Relation("cam", lift))
    told = str(bc.report(cam.replace("heat", rate="+".join(["current**2"] * 20))))
    assert f"cam  Relation  {lift} = 0" in told
    assert "heat      begins at 0 J, rate current**2 + current**2" in told
    assert max(map(len, told.splitlines())) < 120
    boom = bc.report(examples.load("gravity-boom"))
    assert "gravity  CentralGravity  on every body" in str(boom)
