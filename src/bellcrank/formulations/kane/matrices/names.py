"""The names of Kane's matrices, which equations have as attributes.

Needs no CasADi.
"""

PER_BODY = (
    "rotation_matrix", "positions", "velocities", "angular_velocities",
    "partial_angular_velocity", "partial_angular_velocity_rate", "angular_velocity_remainder",
    "partial_velocity", "partial_velocity_rate", "velocity_remainder",
    "partial_angular_velocity_qdot", "partial_velocity_qdot", "partial_angular_velocity_fixed",
    "applied_force", "applied_moment", "orientation_matrix", "orientation_matrix_fixed",
    "orientation_matrix_fixed_rate", "relative_rotation_matrix",
)  # fmt: skip
"""One matrix for each body, by its name."""

NAMES = (
    *PER_BODY, "numbering", "lower_bodies", "lower_body_counts", "mass_matrix", "right_side",
    "force", "element_force", "constraint_force",
    "kinematical_equations", "kinematics_matrix", "kinematics_remainder", "speeds_matrix",
    "speeds_remainder", "constraint_matrix", "constraint_remainder", "constraint_matrix_qdot",
    "constraint_remainder_qdot", "constraint_acceleration",
    "elimination", "angular_acceleration_body",
    "angular_acceleration_fixed",
)  # fmt: skip
"""All of them."""
