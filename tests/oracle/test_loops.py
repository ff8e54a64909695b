"""Random loops against the constraint dynamics of Pinocchio, which shares no line with ours."""

import numpy as np
import pinocchio as pin
import pytest
from tests.formulations.test_reactions import carried
from tests.laws.closed import Closed, centre, loop
from tests.laws.laws import close
from tests.oracle.pinocchio_twin import PinocchioTwin

pytestmark = pytest.mark.oracle

CONTACTS = {
    "Spherical": pin.ContactType.CONTACT_3D,
    "Fixed": pin.ContactType.CONTACT_6D,
}
"""The joints that Pinocchio can close loops with."""


def accelerations(there, closing, kind):
    """Return u̇ in our speeds, as Pinocchio finds it."""
    values, seen = there.system.unpack(there.q, there.u), there.seen()
    speeds = list(there.system.speeds)
    twin = PinocchioTwin(there.model.without(closing.name))
    robot, data, q = twin.robot, twin.data, twin.q(values)
    joints = [twin.centres[body][0] for body in (closing.first, closing.second)]
    arm = np.array(closing.at_second) - centre(there.model[closing.second])
    at = seen[f"{closing.second}.position"] + carried(
        there.model, seen, closing.second, arm
    )  # fmt: skip
    pin.forwardKinematics(robot, data, q)
    here = pin.SE3(np.eye(3), at)
    one, two = (data.oMi[joint].actInv(here) for joint in joints)
    contact = pin.RigidConstraintModel(
        CONTACTS[kind], robot, joints[0], one, joints[1], two, pin.ReferenceFrame.LOCAL
    )
    contacts, found = [contact], [contact.createData()]
    pin.initConstraintDynamics(robot, data, contacts, found)
    G = twin.same.rate_map(values, speeds)
    a = pin.constraintDynamics(
        robot, data, q, G @ there.u, np.zeros(robot.nv), contacts, found,
        pin.ProximalSettings(1e-14, 1e-12, 100),
    )  # fmt: skip
    return np.linalg.solve(G, a)


@pytest.mark.parametrize("kind", CONTACTS)
@pytest.mark.parametrize("seed", range(3))
def test_a_loop_moves_as_in_pinocchio(kind, seed):
    """u̇ at a random closed state, to 1e-8."""
    there = Closed(loop(kind, seed), seed)
    known = accelerations(there, there.model["close"], kind)
    close(there.system.accelerations(there.q, there.u), known, tol=1e-8)
