"""Angles that turn inside sin, cos and tan, as far as a function shows them.

A function of a machine's state that contains sin a repeats itself while a turns. Who looks for
its zeros between two states must know how far a turned between them: a free rotor turns many
times within a step that is otherwise as smooth as can be. Positions of points contain the
angles of joints in this way, so that they are looked for in the equations, not in what was
written.
"""

import casadi as ca

from bellcrank.formulations.equations import ARGUMENTS

_PERIODIC = (ca.OP_SIN, ca.OP_COS, ca.OP_TAN)


def with_turning_angles(function: ca.Function, kept: int) -> ca.Function:
    """Return a function that gives what turns in it beside what it gives.

    Args:
        function: Of `ARGUMENTS`, with one output y.
        kept: How many entries of y are wanted; the others are only looked through.

    Returns:
        The function of the same arguments whose output y is the first `kept` entries and then
        the arguments of all sines, cosines and tangents that depend on more than parameters.
    """
    arguments = function.sx_in()  # the symbols that its instructions are written in
    moving = ca.vertcat(*(a for a, n in zip(arguments, ARGUMENTS, strict=True) if n != "p"))
    steps = function.instructions_sx()
    found: dict[int, ca.SX] = {}
    for number in range(function.n_instructions()):
        if function.instruction_id(number) in _PERIODIC:
            angle = steps[number].dep(0)
            if ca.depends_on(angle, moving):
                found.setdefault(angle.element_hash(), angle)
    y = function.call(arguments)[0]
    out = ca.vertcat(y[:kept], *found.values())
    return ca.Function("watched", arguments, [ca.densify(out)], list(ARGUMENTS), ["y"])
