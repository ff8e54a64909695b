"""Angles that turn inside sin, cos and tan, as far as a function shows them.

A function of a machine's state that contains sin a repeats itself while a turns. Who looks for
its zeros between two states must know how far a turned between them: a free rotor turns many
times within a step that is otherwise as smooth as can be. Positions of points contain the
angles of joints in this way, so that they are looked for in the equations, not in what was
written.
"""

import casadi as ca

from bellcrank.formulations.contract import ARGUMENTS

_PERIODIC = (ca.OP_SIN, ca.OP_COS, ca.OP_TAN)


def with_turning_angles(shown: ca.Function, function: ca.Function) -> ca.Function:
    """Return a function that gives what another shows, and then what turns in a function.

    Args:
        shown: Of `ARGUMENTS`, with one output y.
        function: Of `ARGUMENTS`, only looked through.

    Returns:
        The function of the same arguments whose output y is that of `shown` and then
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
    out = ca.vertcat(shown.call(arguments)[0], *found.values())
    return ca.Function("watched", arguments, [ca.densify(out)], list(ARGUMENTS), ["y"])
