"""The equations of a small machine as SymPy expressions, with letters for its numbers.

They are read off the programs of joint coordinates, operation by operation: every joint, force
element and loop is in them, and nothing is derived a second time.

    A(q) u̇ = f(q, u, t) − Cᵀ λ,      Φ(q, t) = 0
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from bellcrank.errors import MissingExtra, NotSupported
from bellcrank.formulations import Equations, JointCoordinates
from bellcrank.formulations.contract import ARGUMENTS
from bellcrank.model import Model
from bellcrank.worksheets.algebra import SHORT

if TYPE_CHECKING:
    from bellcrank.kernels.program import Program

LONGEST = 500  # operations of all programs together
MOST = 6  # speeds
ROUGH, READABLE = 1400, 700  # operations before and after simplification
PATIENT = 600  # operations of an entry that is still simplified


@dataclass(frozen=True)
class ScalarEquations:
    """A machine's equations in joint coordinates.

    Attributes:
        equations: Names of coordinates, speeds and rows.
        symbols: SymPy symbols by argument, as in `ARGUMENTS`.
        mass: A, a row per speed.
        force: f.
        rows: Φ, for rows of positions only; jacobian: C, speed: ν, a row per constraint.
        roots: Square roots that have a symbol of their own: (symbol, what is under the root).
        active: Generalized active forces, where speeds were chosen.
        partials: Rows of [v_K,u] and [ω_K,u] of each body, likewise.
    """

    equations: Equations
    symbols: Mapping[str, tuple[Any, ...]]
    mass: tuple[tuple[Any, ...], ...]
    force: tuple[Any, ...]
    rows: tuple[Any, ...] = ()
    jacobian: tuple[tuple[Any, ...], ...] = ()
    speed: tuple[Any, ...] = ()
    roots: tuple[tuple[Any, Any], ...] = ()
    active: tuple[Any, ...] = ()
    partials: tuple[tuple[Any, Any], ...] = ()

    @property
    def length(self) -> int:
        """How many operations there are in all."""
        count = sympy().count_ops
        flat = [entry for row in (*self.mass, *self.jacobian) for entry in row]
        under = (body for _, body in self.roots)
        every = (*flat, *self.force, *self.rows, *self.speed, *under)
        return int(sum(count(entry) for entry in every))


def sympy() -> Any:
    """Return SymPy.

    Raises:
        MissingExtra: It is not installed.
    """
    try:
        import sympy
    except ImportError:
        raise MissingExtra("SymPy", "algebra", "writing out scalar equations") from None
    return sympy


def too_long(model: Model, formulation: JointCoordinates = JointCoordinates()) -> str:
    """Return why the equations of a machine are not written out unasked, or nothing."""
    equations = formulation.equations(model)
    if len(equations.speeds) > MOST:
        return f"the machine has {len(equations.speeds)} speeds, more than {MOST}"
    count = sum(len(program) for program in _programs(equations).values())
    return f"they have {count} operations, more than {LONGEST}" if count > LONGEST else ""


def scalar_equations(
    model: Model,
    most: int | None = None,
    formulation: JointCoordinates = JointCoordinates(),
) -> ScalarEquations:
    """Return the equations of a machine, simplified.

    Args:
        model: The machine.
        most: How many operations they may have before; None for any number.
        formulation: Which speeds; partial velocities come along where they were chosen.

    Raises:
        MissingExtra: SymPy is not installed.
        NotSupported: They are longer, or the machine has laws with switches, for which there
            is no one formula.
    """
    sp = sympy()
    equations = formulation.equations(model)
    names = {
        "t": ("t",), "q": _names(equations.coordinates), "u": _names(equations.speeds),
        "s": _names(equations.auxiliary), "w": equations.inputs,
        "p": tuple(equations.parameters), "k": _names(equations.memory),
    }  # fmt: skip
    symbols = {
        key: tuple(sp.Symbol(f"{key}:{name}", real=True) for name in names[key])
        for key in ARGUMENTS
    }
    given = [symbols[key] for key in ARGUMENTS]
    spheres = _spheres(equations, symbols["q"])
    programs = _programs(equations)
    if formulation.speeds is not None:
        programs |= _partial_programs(equations, model)
    roots: dict[Any, Any] = {}
    results = {slot: _run(program, given, roots, sp) for slot, program in programs.items()}
    stored = (entry for entries in results.values() for row in entries for entry in row)
    count = sum(sp.count_ops(entry) for entry in stored)
    if most is not None and count > most:
        raise NotSupported(f"they have {count} operations, more than {most}.")
    found: dict[str, list[Any]] = {}
    for slot, program in programs.items():
        for port, stored in zip(program.outputs, results[slot], strict=True):
            full = [sp.Integer(0)] * (port.rows * port.cols)
            places = port.nonzeros if port.nonzeros is not None else range(len(full))
            for place, entry in zip(places, stored, strict=True):
                full[place] = _simple(entry, spheres, sp)
            found[f"{slot} {port.name}"] = full
    under = tuple((root, _simple(body, spheres, sp)) for body, root in roots.items())
    arranged = replace(_arranged(equations, symbols, found), roots=under)
    return arranged if formulation.speeds is None else _with_partials(arranged, model, found)


def _partial_programs(equations: Equations, model: Model) -> "dict[str, Program]":
    """Return programs of Kane's quantities in chosen speeds, world components."""
    import casadi as ca

    from bellcrank.kernels.lower import lower

    active = equations.generalized_active_force
    outputs = {"F": ca.densify(active.value)}
    for k, body in enumerate(model.graph.order, start=1):
        outputs[f"v{k}"] = ca.densify(equations.partial_velocity[body].value)
        outputs[f"w{k}"] = ca.densify(equations.partial_angular_velocity_fixed[body].value)
    return {"kane": lower(active.symbols.function("kane", outputs))}


def _with_partials(
    arranged: ScalarEquations, model: Model, found: dict[str, list[Any]]
) -> ScalarEquations:
    def rows(entries: list[Any]) -> tuple[tuple[Any, ...], ...]:
        n = len(entries) // 3
        return tuple(tuple(entries[j * 3 + i] for j in range(n)) for i in range(3))

    partials = tuple(
        (rows(found[f"kane v{k}"]), rows(found[f"kane w{k}"]))
        for k in range(1, len(model.graph.order) + 1)
    )
    return replace(arranged, active=tuple(found["kane F"]), partials=partials)


def simplified(entry: Any) -> Any:
    """Return an expression in the shortest of a few forms."""
    return _simple(entry, [], sympy())


def _arranged(
    equations: Equations, symbols: Mapping[str, tuple[Any, ...]], found: dict[str, list[Any]]
) -> ScalarEquations:
    """Return entries, which are stored column after column, as rows."""
    n = len(equations.speeds)
    m = len(equations.rows)
    A, f = found["mass A"], found["force f"]
    mass = tuple(tuple(A[j * n + i] for j in range(n)) for i in range(n))
    if not m:
        return ScalarEquations(equations, symbols, mass, tuple(f))
    C = found["velocity C"]
    jacobian = tuple(tuple(C[j * m + i] for j in range(n)) for i in range(m))
    return ScalarEquations(
        equations, symbols, mass, tuple(f), tuple(found.get("position Phi", ())), jacobian,
        tuple(found["velocity nu"]),
    )  # fmt: skip


def _names(variables: Any) -> tuple[str, ...]:
    return tuple(variable.name for variable in variables)


def _programs(equations: Equations) -> "dict[str, Program]":
    from bellcrank.kernels.lower import lower

    slots = ["mass", "force"]
    if equations.rows:
        slots += ["velocity"] + ["position"] * equations.has("position")
    return {slot: lower(equations.function(slot)) for slot in slots}


def _spheres(equations: Equations, q: tuple[Any, ...]) -> list[tuple[Any, Any]]:
    """Return (e0, e·e) of the Euler parameters of each joint, which are of unit length."""
    groups: dict[str, list[Any]] = {}
    for variable, entry in zip(equations.coordinates, q, strict=True):
        if "orientation" in variable.name:
            groups.setdefault(variable.owner, []).append(entry)
    return [(group[0], sum(e**2 for e in group)) for group in groups.values()]


_ONE: dict[str, str] = {
    "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos",
    "atan": "atan", "exp": "exp", "log": "log", "sinh": "sinh", "cosh": "cosh",
    "tanh": "tanh", "fabs": "Abs",
}  # fmt: skip
_SIMPLE: dict[str, Callable[..., Any]] = {
    "assign": lambda a: a,
    "neg": lambda a: -a,
    "sq": lambda a: a**2,
    "twice": lambda a: 2 * a,
    "inv": lambda a: 1 / a,
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "pow": lambda a, b: a**b,
}
_TWO = ("add", "sub", "mul", "div", "pow")


def _run(
    program: "Program", given: list[tuple[Any, ...]], roots: dict[Any, Any], sp: Any
) -> list[list[Any]]:
    """Return the stored numbers of a program's outputs, as expressions.

    Square roots, which are lengths for the most part, get symbols, so that what is under them
    is written once.
    """
    from bellcrank.kernels.program import OPERATIONS

    w: list[Any] = [None] * program.registers
    results: list[list[Any]] = [[sp.Integer(0)] * port.size for port in program.outputs]
    steps = zip(
        program.operations.tolist(), program.operands.tolist(), program.targets.tolist(),
        strict=True,
    )  # fmt: skip
    for code, (a, b), r in steps:
        operation = OPERATIONS[code]
        if operation == "input":
            w[r] = given[a][b]
        elif operation == "constant":
            w[r] = _number(float(program.constants[a]), sp)
        elif operation == "output":
            results[b][r] = w[a]
        elif operation == "sqrt":
            w[r] = _root(w[a], roots, sp)
        elif operation in _ONE:
            w[r] = getattr(sp, _ONE[operation])(w[a])
        elif operation == "floor":  # of full turns
            w[r] = sp.floor(w[a])
        elif operation == "atan2":
            w[r] = sp.atan2(w[a], w[b])
        elif operation in _SIMPLE:
            act = _SIMPLE[operation]
            w[r] = act(w[a], w[b]) if operation in _TWO else act(w[a])
        else:
            raise NotSupported(
                f"the equations have a switch in them ({operation!r}), for which there is no "
                "one formula."
            )
    return results


def _root(body: Any, roots: dict[Any, Any], sp: Any) -> Any:
    """Return √body, as a symbol where it cannot be drawn."""
    drawn = sp.sqrt(body)
    if (
        drawn.is_number
        or not drawn.has(sp.Pow)
        or not any(entry.exp == sp.Rational(1, 2) for entry in drawn.atoms(sp.Pow))
    ):
        return drawn
    if body not in roots:
        roots[body] = sp.Symbol(f"l:{len(roots) + 1}", positive=True)
    return roots[body]


def _number(value: float, sp: Any) -> Any:
    """Return a float as the decimal or short fraction it stands for, so that sums are exact."""
    if abs(value) < 1e-150:  # only keeps a length from being zero
        return sp.Integer(0)
    near = Fraction(value).limit_denominator(64)
    if float(near) == value:
        return sp.Rational(near.numerator, near.denominator)
    return sp.Rational(repr(value))


def in_numbers(
    found: ScalarEquations, model: Model, letters: Collection[str]
) -> ScalarEquations:
    """Return equations with numbers in place of letters.

    The letters are put in after all has been simplified with them, so that what cancels is
    gone before there is any rounding.

    Args:
        found: Equations of `model`.
        model: The machine with letters.
        letters: Names of the parameters that are letters.
    """
    sp = sympy()
    values = {p.name: p.value for p in model.parameters if p.name in letters}
    known = {
        symbol: _number(values[name], sp)
        for symbol in found.symbols["p"]
        if (name := symbol.name.partition(":")[2]) in values
    }

    return _changed(found, lambda entry: _simple(entry.subs(known), [], sp))


def in_letters(found: ScalarEquations) -> tuple[ScalarEquations, dict[Any, float]]:
    """Return equations without numbers but whole ones and short fractions.

    The others, from tilted axes and from laws, get symbols: the same one for the same size.

    Returns:
        The equations, and the values of the symbols.
    """
    sp = sympy()
    known: dict[str, Any] = {}

    def letter(number: Any) -> Any:
        size = f"{abs(float(number)):.15g}"  # products of the same two are the same
        if size not in known:
            known[size] = sp.Symbol(f"p:letter_η_{len(known) + 1}", positive=True)
        return known[size] if number > 0 else -known[size]

    def odd(entry: Any) -> bool:
        return bool(entry.is_Rational) and entry.q not in SHORT

    changed = _changed(found, lambda entry: entry.replace(odd, letter))
    return changed, {symbol: float(number) for number, symbol in known.items()}


def _changed(found: ScalarEquations, put: Callable[[Any], Any]) -> ScalarEquations:
    """Return equations with every entry replaced."""
    return replace(
        found,
        mass=tuple(tuple(map(put, row)) for row in found.mass),
        force=tuple(map(put, found.force)),
        rows=tuple(map(put, found.rows)),
        jacobian=tuple(tuple(map(put, row)) for row in found.jacobian),
        speed=tuple(map(put, found.speed)),
        active=tuple(map(put, found.active)),
        partials=tuple(
            tuple(tuple(tuple(map(put, row)) for row in rows) for rows in pair)
            for pair in found.partials
        ),
        roots=tuple((root, put(body)) for root, body in found.roots),
    )


def _simple(entry: Any, spheres: list[tuple[Any, Any]], sp: Any) -> Any:
    """Return the shortest of a few forms: as it is, multiplied out, with sums of angles."""
    from sympy.simplify.fu import TR5, TR6, TR8

    entry = entry.subs({total: 1 for _, total in spheres})
    if sp.count_ops(entry) > PATIENT:
        return entry
    forms = [entry, sp.expand(entry)]
    if forms[-1].has(sp.sin, sp.cos):
        forms += [sp.expand(rule(forms[1])) for rule in (TR8, TR6, TR5)]
    for e0, total in spheres:
        if forms[-1].is_polynomial(e0):
            forms.append(sp.expand(sp.rem(forms[-1], total - 1, e0)))
    return min(forms, key=sp.count_ops)
