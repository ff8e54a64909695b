"""URDF files read by us and by Pinocchio: mass matrix, inverse and forward dynamics to 1e-9.

All robots of the package are compared by `python -m tests.oracle.all_urdfs`; here are the small
ones. Forward dynamics is not compared where a moving link has no mass, as there is no answer.
"""

import json
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from tests.laws.evaluation import Evaluated
from tests.oracle.iiwa import IIWA
from tests.oracle.robots import urdf
from tests.oracle.urdf_robots import agreement, bare, both, load_quietly

import bellcrank as bc

pytestmark = pytest.mark.oracle

TABLE = json.loads((Path(__file__).parent.parent / "data" / "robots.json").read_text())
TOLERANCE = 1e-9
SMALL = [
    "ur5_robot.urdf",
    "ur10_robot.urdf",
    "panda.urdf",  # two fingers slide, one follows
    "xarm7.urdf",
    "kinova.urdf",  # continuous joints
    "so101.urdf",
    "z1.urdf",  # a link and a joint of one name
    "allegro_right_hand.urdf",  # names with dots, inertias that no rigid body has
    "double_pendulum_continuous.urdf",
    "finger_edu.urdf",
    "solo12.urdf",
    "bolt.urdf",  # a foot with inertia and without mass
    "go1.urdf",
    "anymal.urdf",
    "hyq_no_sensors.urdf",
    "iris.urdf",  # names with strokes
    "hextilt_flying_arm_5.urdf",
    "human.urdf",  # 19 links without mass between joints
]
WITHOUT_LOAD = ["romeo_laas_small.urdf"]  # ends without mass, in every version of the package


@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("name", SMALL)
def test_a_robot_has_the_dynamics_that_pinocchio_finds(name, floating):
    found = agreement(both(Path(urdf(name)), floating=floating))
    assert found.speeds > 0
    assert max(found.mass, found.inverse, found.forward) < TOLERANCE


@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("name", WITHOUT_LOAD)
def test_a_link_without_mass_at_the_end_loads_and_agrees(name, floating):
    found = agreement(both(Path(urdf(name)), floating=floating))
    assert max(found.mass, found.inverse) < TOLERANCE
    assert np.isnan(found.forward)


@pytest.fixture
def iiwa(tmp_path):
    file = tmp_path / "iiwa14.urdf"
    file.write_text(IIWA)
    return file


def test_the_ur5_has_the_published_dynamics():
    """REFERENCES 5.3, tolerance 1e-9 relative."""
    holds(load_quietly(Path(urdf("ur5_robot.urdf"))), TABLE["robots"]["ur5"])


def test_the_iiwa14_has_the_published_dynamics(iiwa):
    """REFERENCES 5.3, tolerance 1e-9 relative."""
    holds(load_quietly(iiwa), TABLE["robots"]["iiwa14_drake"])


def holds(model, table):
    """Hold a robot against the table of its reference state."""
    robot = Evaluated(bare(model))
    n = len(table["joints"])
    order = [robot.speeds.index(f"{name}.angle_rate") for name in table["joints"]]
    q, u, a = (np.zeros(n) for _ in range(3))
    q[order], u[order], a[order] = table["q"], table["v"], table["a"]
    A = robot.mass(q, u)

    def near(found, key):
        expected = np.array(table[key])
        scale = np.abs(expected).max()
        np.testing.assert_allclose(found, expected, rtol=0, atol=TOLERANCE * scale)

    near(A[np.ix_(order, order)], "M")
    near((A @ a - robot.force(q, u))[order], "inverse_dynamics")
    near(-robot.force(q, u)[order], "bias")
    near(-robot.force(q, np.zeros(n))[order], "gravity_torque")
    near(robot.accelerations(q, u)[order], "forward_dynamics_zero_tau")
    assert 0.5 * u @ A @ u == pytest.approx(table["kinetic"], rel=TOLERANCE)


def test_the_iiwa14_has_the_published_pose_and_torques(iiwa):
    """REFERENCES 5.2: pose of link 7 at q = (60°, 30°, …), torques for a7 = 1000 rad/s²."""
    model = load_quietly(iiwa)
    robot = Evaluated(model)
    order = [robot.speeds.index(f"iiwa_joint_{k}.angle_rate") for k in range(1, 8)]
    q, a, nothing = np.zeros(7), np.zeros(7), np.zeros(7)
    q[order] = np.radians([60, 30, 60, 30, 60, 30, 60])
    pose = robot.bodies(q, nothing, nothing)[0]
    centre, R = place(pose[:, [b.name for b in model.bodies].index("iiwa_link_7")])
    expected = (0.2970356451892219, 0.1727696964662288, 1.154681973689345)
    np.testing.assert_allclose(centre - R @ (0, 0, 0.02), expected, atol=1e-12)
    expected = (-0.5939002959880204, 0.8043869080239565, -0.015625)
    np.testing.assert_allclose(R[0], expected, atol=1e-12)
    a[order[6]] = 1000.0
    torques = robot.mass(nothing, nothing) @ a - robot.force(nothing, nothing)
    expected = (1, 0.02212155, 1, -0.0034335, 1, 0, 1)
    np.testing.assert_allclose(torques[order], expected, atol=1e-9)


def place(pose):
    """Return the mass centre of a body and the rotation of its frame."""
    return pose[:3], pin.Quaternion(*pose[3:]).matrix()


@pytest.mark.parametrize("name", ["panda.urdf", "baxter.urdf"])
def test_joints_that_mimic_move_as_in_pinocchio(name):
    """Pinocchio's reduced model (`mimic=True`) against ours with gears, on the speeds left."""
    path = Path(urdf(name))
    theirs = pin.buildModelFromUrdf(str(path), mimic=True)
    model = load_quietly(path)
    gears = {gear.name for gear in model.constraints}
    robot = Evaluated(model.without(*(force.name for force in model.forces)))
    follows = [robot.speeds.index(_rate(model[model[gear].second])) for gear in gears]
    leads = [k for k in range(robot.nu) if k not in follows]
    assert theirs.nv == len(leads)
    rng = np.random.default_rng(3)
    q0, v, a = rng.normal(size=(3, theirs.nv))
    q, u = np.zeros(robot.nu), np.zeros(robot.nu)
    order = [
        robot.speeds.index(_rate(model[n])) for n in theirs.names[1:] if n not in _of(gears)
    ]
    q[order], u[order] = q0, v
    (Phi,) = robot("position", q, u)
    C, nu = robot("velocity", q, u)
    C = np.reshape(C, (len(gears), robot.nu))
    S = np.zeros((robot.nu, len(order)))  # all speeds = S · those of Pinocchio
    S[order] = np.eye(len(order))
    S[follows] = -np.linalg.solve(C[:, follows], C[:, order])
    q[follows] -= np.linalg.solve(C[:, follows], Phi)
    np.testing.assert_allclose(robot("position", q, u)[0], 0, atol=1e-14)
    np.testing.assert_allclose(nu, 0, atol=0)
    u = S @ v
    data = theirs.createData()
    M = np.array(pin.crba(theirs, data, q0))
    M = np.triu(M) + np.triu(M, 1).T
    A, f = robot.mass(q, u), robot.force(q, u)
    np.testing.assert_allclose(S.T @ A @ S, M, atol=TOLERANCE * np.abs(M).max())
    expected = pin.rnea(theirs, data, q0, v, a)
    found = S.T @ (A @ (S @ a) - f)
    np.testing.assert_allclose(found, expected, atol=TOLERANCE * np.abs(expected).max())


def _rate(joint):
    return f"{joint.name}.{joint.speeds[0]}"


def _of(gears):
    return {gear.removesuffix("_mimic") for gear in gears}


ODD_JOINTS = """<robot name="odd">
  <link name="base"/>
  <link name="sled"><inertial>
    <origin xyz="0.1 -0.2 0.3" rpy="0.3 0.2 0.1"/><mass value="2"/>
    <inertia ixx="0.2" iyy="0.3" izz="0.4" ixy="0.01" ixz="-0.02" iyz="0.03"/></inertial></link>
  <link name="kite"><inertial>
    <origin xyz="0.3 0.1 0" rpy="-1 2 3"/><mass value="0.5"/>
    <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0.001" ixz="0" iyz="0"/></inertial></link>
  <joint name="plane" type="planar"><origin xyz="1 2 3" rpy="0.5 -0.4 1.2"/>
    <parent link="base"/><child link="sled"/><axis xyz="0 0 1"/></joint>
  <joint name="string" type="floating"><origin xyz="0.2 0.1 -0.4" rpy="1.1 0.6 -0.7"/>
    <parent link="sled"/><child link="kite"/></joint>
</robot>"""


def test_planar_and_floating_joints_move_as_in_pinocchio(tmp_path):
    """With v = G u: Pinocchio counts the speeds of both along the axes of the child."""
    file = tmp_path / "odd.urdf"
    file.write_text(ODD_JOINTS)
    theirs, model = pin.buildModelFromUrdf(str(file)), load_quietly(file)
    robot, data = Evaluated(model), theirs.createData()
    rng = np.random.default_rng(5)
    x, y, angle = rng.normal(size=3)
    turn = pin.Quaternion(rng.normal(size=4)).normalized()
    shift = rng.normal(size=3)
    q = np.array([x, y, np.cos(angle), np.sin(angle), *shift, *turn.coeffs()])
    origin = theirs.jointPlacements[2].rotation  # of the floating joint in its parent
    whole = pin.Quaternion(origin @ turn.matrix()).coeffs()
    u = rng.normal(size=9)
    values = {
        "plane.x": x,
        "plane.y": y,
        "plane.angle": angle,
        "string.position": origin @ shift,
        "string.orientation": np.roll(whole, 1),
    }
    names = ("plane.x_rate", "plane.y_rate", "plane.angle_rate")
    values |= dict(zip(names, u, strict=False))
    values |= {"string.velocity": u[3:6], "string.angular_velocity": u[6:]}
    ours_q, ours_u = robot.pack(values)
    np.testing.assert_allclose(ours_u, u)
    c, s = np.cos(angle), np.sin(angle)
    G = np.eye(9)
    G[:2, :2] = [[c, s], [-s, c]]
    G[3:6, 3:6] = turn.matrix().T @ origin.T
    M = np.array(pin.crba(theirs, data, q))
    M = np.triu(M) + np.triu(M, 1).T
    np.testing.assert_allclose(robot.mass(ours_q, u), G.T @ M @ G, atol=1e-12)
    v = G @ u
    bias = np.zeros(9)  # Ġ u
    bias[:2] = v[2] * np.array([v[1], -v[0]])
    bias[3:6] = -np.cross(v[6:], v[3:6])
    tau = rng.normal(size=9)
    expected = pin.aba(theirs, data, q, v, tau)
    found = G @ robot.accelerations(ours_q, u, G.T @ tau) + bias
    np.testing.assert_allclose(found, expected, rtol=TOLERANCE, atol=1e-10)


def test_frames_of_bodies_are_those_of_the_links():
    """A body's position is that of its mass centre; its orientation is the link's."""
    path = Path(urdf("panda.urdf"))
    theirs, model = pin.buildModelFromUrdf(str(path)), bare(load_quietly(path))
    robot, data = Evaluated(model), theirs.createData()
    rng = np.random.default_rng(7)
    q0 = rng.normal(size=theirs.nv)
    q = np.zeros(robot.nu)
    q[[robot.speeds.index(_rate(model[name])) for name in theirs.names[1:]]] = q0
    pose = robot.bodies(q, np.zeros(robot.nu), np.zeros(robot.nu))[0]
    pin.framesForwardKinematics(theirs, data, q0)
    for k, body in enumerate(model.bodies):
        frame = data.oMf[theirs.getFrameId(body.name)]
        centre, R = place(pose[:, k])
        np.testing.assert_allclose(R, frame.rotation, atol=1e-13)
        local = np.array(body.pose.rotation).T @ np.subtract(body.com, body.pose.position)
        np.testing.assert_allclose(centre, frame.act(local), atol=1e-13)


def test_limits_damping_and_friction_are_those_that_pinocchio_reads():
    path = Path(urdf("panda.urdf"))
    theirs, model = pin.buildModelFromUrdf(str(path)), load_quietly(path)
    for k, name in enumerate(theirs.names[1:]):
        joint, spring = model[name], model[f"{name}_friction"]
        assert isinstance(joint, bc.Revolute | bc.Prismatic)
        limits = joint.limits
        assert limits.lower == theirs.lowerPositionLimit[k]
        assert limits.upper == theirs.upperPositionLimit[k]
        assert limits.velocity == theirs.upperVelocityLimit[k]
        assert limits.effort == theirs.upperEffortLimit[k]
        assert spring.damping == theirs.damping[k]
        assert spring.friction == theirs.upperDryFrictionLimit[k]
