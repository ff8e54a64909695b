"""What the joints of a machine do whose point is led along a path.

No hand from outside leads the point: the joints do, with all six components of their wrenches,
motor torques included. These follow from the bodies' accelerations, joint by joint:

    G λ = needed − applied,     six columns for each joint, and those of other constraints

An effort e along a prescribed coordinate stands for the joint torques that do the same work:
Σ τ ψ̇ = e · ẋ on all motions without momentum. Its column is the wrench of a unit push at the
point, less what a rigid machine would need to move under it; nothing is left to push it away.

    G′ = (1 − M Ξ (Ξᵀ M Ξ)⁻¹ Ξᵀ) G      M of all bodies, Ξ the motions of a rigid machine
"""

from collections.abc import Sequence

import casadi as ca

from bellcrank.formulations.body_space.balance import Balance
from bellcrank.formulations.body_space.reactions import Reactions, reactions
from bellcrank.formulations.contract.rows import held_columns
from bellcrank.formulations.contract.symbols import column, dense
from bellcrank.spatial.arithmetic import full, minus


def led_reactions(balance: Balance, time: ca.SX, led: Sequence[int]) -> Reactions:
    """Return the balance of a machine with led points: joints whole, constraints, all rows.

    Args:
        balance: With the machine's accelerations.
        time: The symbol of t.
        led: Columns of the coordinates of points that are prescribed.
    """
    found = reactions(balance, time)
    G = ca.densify(found.G)
    for place in led:
        G[:, place] = _inside(balance, G[:, place])
    whole, held = _whole(balance), list(held_columns(balance.scene.model))
    n = whole.shape[1]
    alone = ca.horzcat(whole, found.G[:, held])
    R = ca.diagcat(ca.SX.eye(n), found.R[n:, held])
    R = ca.horzcat(R, ca.SX(R.shape[0], G.shape[1]))
    return Reactions(ca.diagcat(alone, G), ca.vertcat(found.b, found.b), R)


def _inside(balance: Balance, push: ca.SX) -> ca.SX:
    """Return wrenches on bodies without what moves the machine as a whole."""
    bodies = balance.bodies.values()
    parts, rigid = [], []
    for body in bodies:
        parts += [dense(full(body.J)), body.m * ca.SX.eye(3)]
        arm = ca.skew(column(body.centre.position))
        rigid.append(ca.blockcat([[ca.SX.eye(3), ca.SX(3, 3)], [-arm, ca.SX.eye(3)]]))
    M, Xi = ca.diagcat(*parts), ca.vertcat(*rigid)
    return push - M @ Xi @ ca.solve(ca.densify(Xi.T @ M @ Xi), ca.densify(Xi.T @ push))


def _whole(balance: Balance) -> ca.SX:
    """Return wrenches on bodies of unit forces and torques in every joint between bodies."""
    names, model = list(balance.bodies), balance.scene.model
    G = ca.SX.zeros(6 * len(names), 6 * len(model.joints))
    for i, joint in enumerate(model.joints):
        if "ground" in (joint.first, joint.second):
            continue
        at = balance.joint_point(joint).position
        for body, sign in ((joint.second, 1.0), (joint.first, -1.0)):
            k = 6 * names.index(body)
            arm = ca.skew(column(minus(at, balance.bodies[body].centre.position)))
            G[k : k + 3, 6 * i : 6 * i + 3] = sign * arm
            G[k + 3 : k + 6, 6 * i : 6 * i + 3] = sign * ca.SX.eye(3)
            G[k : k + 3, 6 * i + 3 : 6 * i + 6] = sign * ca.SX.eye(3)
    return G
