"""The mathematics of frames, on symbols or on numbers.

Symbols in (`casadi.SX`), symbols out; numbers in (`casadi.DM`), numbers out. The modules are
meant to be imported by name, so that a reader sees whose rotation matrix it is:

    from bellcrank.spatial import euler_parameters, twists
    R_AB = euler_parameters.rotation_matrix(p_AB)

| module | what it has |
| --- | --- |
| `vectors` | `Expr`, the skew matrix and its inverse, unit vectors |
| `rotations` | rotation matrices: about an axis, by a rotation vector, and back |
| `euler_parameters` | attitude by four numbers, in both orderings; rate matrices, products |
| `angle_sequences` | attitude by three angles in any sequence; rate matrices, singularities |
| `twists` | motion and force vectors of six numbers: transforms and cross products |
| `inertia` | inertia tensors: rotation, parallel axes, composites, spatial inertia |
"""
