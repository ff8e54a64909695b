"""Describing a machine: bodies, joints, constraints, forces, drivers, parameters.

A `Model` is a value, drawn once in world coordinates; it knows nothing of equations. Elements
are frozen dataclasses, one small file per kind; `expressions` is the language of laws.
"""

from bellcrank.model.elements.bodies import Body, Particle, Point, mass_properties
from bellcrank.model.elements.constraints import (
    Constraint,
    Distance,
    Gear,
    Parallel,
    Perpendicular,
    PointOnLine,
    PointOnPlane,
    RackAndPinion,
    RollingDisc,
    VelocityConstraint,
)
from bellcrank.model.elements.drivers import Drive
from bellcrank.model.elements.events import Event, Sampled
from bellcrank.model.elements.forces import (
    Bushing,
    Force,
    ForceElement,
    JointSpring,
    Motor,
    SpringDamper,
    Torque,
)
from bellcrank.model.elements.gravity import CentralGravity, Field
from bellcrank.model.elements.joints import (
    Cylindrical,
    Fixed,
    Free,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from bellcrank.model.elements.limits import Limits
from bellcrank.model.elements.relations import Relation, Rope
from bellcrank.model.elements.variables import Block, Variable
from bellcrank.model.expressions import Expression, Input, Parameter
from bellcrank.model.graph import GROUND, Graph, lower_bodies
from bellcrank.model.matter.mass import (
    MassProperties,
    combine,
    parallel_axis,
    principal_axes,
    rotate_inertia,
)
from bellcrank.model.matter.meshes import Mesh
from bellcrank.model.matter.shapes import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Disc,
    Ellipsoid,
    PointMasses,
    Rod,
    Shape,
    Sphere,
    Torus,
    Tube,
)
from bellcrank.model.model import Model
from bellcrank.model.names import Channel, channels, components
from bellcrank.model.pose import Pose

__all__ = [
    "GROUND",
    "Block",
    "Body",
    "Box",
    "Bushing",
    "Capsule",
    "CentralGravity",
    "Channel",
    "Cone",
    "Constraint",
    "Cylinder",
    "Cylindrical",
    "Disc",
    "Distance",
    "Drive",
    "Ellipsoid",
    "Event",
    "Expression",
    "Field",
    "Fixed",
    "Force",
    "ForceElement",
    "Free",
    "Gear",
    "Graph",
    "Input",
    "Joint",
    "JointSpring",
    "Limits",
    "MassProperties",
    "Mesh",
    "Model",
    "Motor",
    "Parallel",
    "Parameter",
    "Particle",
    "Perpendicular",
    "Planar",
    "Point",
    "PointMasses",
    "PointOnLine",
    "PointOnPlane",
    "Pose",
    "Prismatic",
    "RackAndPinion",
    "Relation",
    "Revolute",
    "Rod",
    "RollingDisc",
    "Rope",
    "Sampled",
    "Screw",
    "Shape",
    "Sphere",
    "Spherical",
    "SpringDamper",
    "Torque",
    "Torus",
    "Tube",
    "Universal",
    "Variable",
    "VelocityConstraint",
    "channels",
    "combine",
    "components",
    "lower_bodies",
    "mass_properties",
    "parallel_axis",
    "principal_axes",
    "rotate_inertia",
]
