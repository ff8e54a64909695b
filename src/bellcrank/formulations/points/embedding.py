"""Coordinates of bodies that are where they are told to be."""

import casadi as ca

from bellcrank.formulations.points.scene import PointScene
from bellcrank.model import mass_properties
from bellcrank.spatial.arithmetic import (
    Scalar,
    Vector,
    apply,
    cross,
    minus,
    plus,
    product,
    transpose,
)
from bellcrank.spatial.attitudes import rotation


def embedded(scene: PointScene, pose: ca.SX, twist: ca.SX) -> tuple[Vector, Vector]:
    """Return q and q̇ of given poses and twists; a shared point is taken from its first body.

    Args:
        scene: Any of the machine, for its numbers.
        pose: Mass centres and Euler parameters of the bodies' frames, 7×nb.
        twist: Angular velocities and velocities of mass centres, 6×nb.
    """
    numbers = {body.name: i for i, body in enumerate(scene.model.bodies)}
    q: list[Scalar] = []
    u: list[Scalar] = []
    for basic in scene.plan.basics:
        if basic.start < 0:
            continue
        body = next(iter(basic.sides))
        i = numbers[body]
        p, w, v = ca.vertsplit(pose[:, i]), *ca.vertsplit(twist[:, i], 3)
        w, v = ca.vertsplit(w), ca.vertsplit(v)
        element = scene.model[body]
        com: Vector = [scene.number(entry) for entry in mass_properties(element).com]
        drawn = [[scene.number(entry) for entry in row] for row in element.pose.rotation]
        turn = product(rotation(p[3:]), transpose(drawn))
        at = scene.drawn(basic, body)
        arm = apply(turn, at if basic.vector else minus(at, com))
        rate = cross(w, arm)
        if not basic.vector:
            arm, rate = plus(p[:3], arm), plus(v, rate)
        q += arm[: scene.plan.size]
        u += rate[: scene.plan.size]
    return q, u
