"""The public names and where each comes from; `__init__.py` reads this page when it runs."""

from bellcrank.analysis.equilibrium import (
    Equilibrium as Equilibrium,
    NoEquilibrium as NoEquilibrium,
    equilibrium as equilibrium,
)
from bellcrank.analysis.inverse_dynamics import (
    Efforts as Efforts,
    inverse_dynamics as inverse_dynamics,
)
from bellcrank.analysis.kinematics import (
    Kinematics as Kinematics,
    Locked as Locked,
    kinematics as kinematics,
)
from bellcrank.analysis.linearize import (
    Linearization as Linearization,
    linearize as linearize,
)
from bellcrank.analysis.modes import (
    Locus as Locus,
    Mode as Mode,
    Modes as Modes,
    modes as modes,
)
from bellcrank.analysis.verify import (
    verify as verify,
)
from bellcrank.errors import (
    AuditWarning as AuditWarning,
    BellcrankError as BellcrankError,
    Bifurcation as Bifurcation,
    ExpressionError as ExpressionError,
    FileError as FileError,
    FileWarning as FileWarning,
    IntegrationFailed as IntegrationFailed,
    LostDigits as LostDigits,
    MissingExtra as MissingExtra,
    ModelError as ModelError,
    NotSupported as NotSupported,
    OffConstraints as OffConstraints,
    OptionError as OptionError,
    StartError as StartError,
    UnknownName as UnknownName,
)
from bellcrank.files import (
    load as load,
    save as save,
)
from bellcrank.formulations import (
    AngleRates as AngleRates,
    Angles as Angles,
    Cartesian as Cartesian,
    Equations as Equations,
    JointCoordinates as JointCoordinates,
    Kane as Kane,
    LinearSpeeds as LinearSpeeds,
    Momentum as Momentum,
    Natural as Natural,
)
from bellcrank.integrators.methods import (
    DOP853 as DOP853,
    DOPRI5 as DOPRI5,
    RK4 as RK4,
    RKF45 as RKF45,
    SDIRK54 as SDIRK54,
    Auto as Auto,
    Gauss2 as Gauss2,
    GeneralizedAlpha as GeneralizedAlpha,
    Nystrom4 as Nystrom4,
    Radau5 as Radau5,
    Trapezoidal as Trapezoidal,
)
from bellcrank.constraints.baumgarte import Baumgarte as Baumgarte
from bellcrank.constraints.independent import Independent as Independent
from bellcrank.kernels import (
    Program as Program,
)
from bellcrank.machine.state import (
    State as State,
    assemble as assemble,
)
from bellcrank.machine.system import System as System
from bellcrank.model import (
    Block as Block,
    Body as Body,
    Box as Box,
    Bushing as Bushing,
    Capsule as Capsule,
    CentralGravity as CentralGravity,
    Cone as Cone,
    Cylinder as Cylinder,
    Cylindrical as Cylindrical,
    Disc as Disc,
    Distance as Distance,
    Drive as Drive,
    Ellipsoid as Ellipsoid,
    Event as Event,
    Field as Field,
    Fixed as Fixed,
    Force as Force,
    Free as Free,
    Gear as Gear,
    Input as Input,
    JointSpring as JointSpring,
    Limits as Limits,
    Mesh as Mesh,
    Model as Model,
    Motor as Motor,
    Parallel as Parallel,
    Parameter as Parameter,
    Particle as Particle,
    Perpendicular as Perpendicular,
    Planar as Planar,
    Point as Point,
    PointMasses as PointMasses,
    PointOnLine as PointOnLine,
    PointOnPlane as PointOnPlane,
    Pose as Pose,
    Prismatic as Prismatic,
    RackAndPinion as RackAndPinion,
    Relation as Relation,
    Revolute as Revolute,
    Rod as Rod,
    RollingDisc as RollingDisc,
    Rope as Rope,
    Sampled as Sampled,
    Screw as Screw,
    Sphere as Sphere,
    Spherical as Spherical,
    SpringDamper as SpringDamper,
    Torque as Torque,
    Torus as Torus,
    Tube as Tube,
    Universal as Universal,
    Variable as Variable,
    mass_properties as mass_properties,
    parallel_axis as parallel_axis,
    principal_axes as principal_axes,
    rotate_inertia as rotate_inertia,
    VelocityConstraint as VelocityConstraint,
)
from bellcrank.model.expressions import (
    absolute as absolute,
    acos as acos,
    asin as asin,
    atan as atan,
    atan2 as atan2,
    ceil as ceil,
    cos as cos,
    cosh as cosh,
    cycloidal as cycloidal,
    dwell as dwell,
    exp as exp,
    floor as floor,
    hypot as hypot,
    interp as interp,
    log as log,
    maximum as maximum,
    minimum as minimum,
    mod as mod,
    modified_sine as modified_sine,
    round_half_up as round_half_up,
    sign as sign,
    sin as sin,
    sinh as sinh,
    sqrt as sqrt,
    step as step,
    table as table,
    tan as tan,
    tanh as tanh,
    trapezoid as trapezoid,
    where as where,
)
from bellcrank.model.elements.near import (
    Near as Near,
)
from bellcrank.results import (
    Result as Result,
)
from bellcrank.simulate import (
    compile as compile,
    equations as equations,
    simulate as simulate,
)
from bellcrank.viewing import (
    view as view,
)
from bellcrank.views.report import (
    report as report,
)
from bellcrank.worksheets import derive as derive

__version__: str
HOMES: dict[str, str]
