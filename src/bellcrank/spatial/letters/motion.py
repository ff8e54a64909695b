"""Letters along the motion: rates, and matrices by which they depend on a symbol."""

from collections.abc import Callable

from bellcrank.spatial.letters.algebra import (
    Atom,
    Call,
    Chain,
    ColumnFactor,
    Dot,
    Factor,
    Letters,
    Matrix,
    Shape,
    SkewFactor,
    Symbol,
    as_letters,
    call,
    identity,
    skew,
    times,
    transposed_chain,
    zero,
)


def rate(expression: Letters) -> Letters:
    """Return the rate of an expression along the motion, by the rules of its symbols."""
    total = Letters(expression.shape)
    for (monomial, chain), c in expression.terms.items():
        rest = Letters(expression.shape, {((), chain): c})
        for i, (atom, n) in enumerate(monomial):
            changed = _atom_rate(atom)
            if changed:
                others = (*monomial[:i], *(((atom, n - 1),) if n != 1 else ()))
                others = times(others, monomial[i + 1 :])
                total = total + rest * (changed * Letters((1, 1), {(others, ()): float(n)}))
        scalars = Letters((1, 1), {(monomial, ()): c})
        for i in range(len(chain)):
            total = total + _moved(chain, i, expression.shape) * scalars
    return total


def _moved(chain: Chain, i: int, shape: Shape) -> Letters:
    """Return a product with its factor i differentiated."""
    changed = _factor_rate(chain[i])
    if not changed:
        return Letters(shape)
    return _wrapped(chain[:i], shape[0]) @ changed @ _wrapped(chain[i + 1 :], shape[1])


def _wrapped(chain: Chain, size: int) -> Letters:
    """Return factors as a matrix of its own; the identity where there are none."""
    if not chain:
        return identity(size)
    rows, columns = _shape(chain[0])[0], _shape(chain[-1])[1]
    return Letters((rows, columns), {((), chain): 1.0})


def _shape(factor: Factor) -> Shape:
    match factor:
        case SkewFactor():
            return 3, 3
        case Matrix(symbol, transposed):
            return _turned(symbol.shape) if transposed else symbol.shape
        case ColumnFactor(parts, transposed):
            shape = parts[0][0].shape
            return _turned(shape) if transposed else shape


def _turned(shape: Shape) -> Shape:
    return shape[1], shape[0]


def _factor_rate(factor: Factor) -> Letters:
    match factor:
        case SkewFactor(vector):
            return skew(rate(vector))
        case ColumnFactor(parts, transposed):
            total = Letters(parts[0][0].shape)
            for symbol, c in parts:
                if symbol.rate is not None:
                    total = total + symbol.rate() * c
            return total.T if transposed else total
        case Matrix(symbol, transposed):
            if symbol.spin is not None and symbol.inward:
                found = -(skew(symbol.spin) @ symbol())
            elif symbol.spin is not None:
                found = symbol() @ skew(symbol.spin)
            elif symbol.rate is not None:
                found = symbol.rate()
            else:
                found = Letters(symbol.shape)
            return found.T if transposed else found


def _atom_rate(atom: Atom) -> Letters:
    match atom:
        case Symbol():
            return zero((1, 1)) if atom.rate is None else atom.rate()
        case Dot(chain):
            total = zero((1, 1))
            for i in range(len(chain)):
                total = total + _moved(chain, i, (1, 1))
            return total
        case Call(name, arguments):
            total = zero((1, 1))
            for argument, slope in zip(arguments, _slopes(name, arguments), strict=False):
                total = total + slope * rate(argument)
            return total


def _slopes(name: str, given: tuple[Letters, ...]) -> list[Letters]:
    """Return the derivatives of a function by its arguments."""
    x = given[0]
    match name:
        case "":
            return [as_letters(1.0)]
        case "sqrt":
            return [0.5 / call("sqrt", x)]
        case "sin":
            return [call("cos", x)]
        case "cos":
            return [-call("sin", x)]
        case "exp":
            return [call("exp", x)]
        case "log":
            return [x.inverse()]
        case "tanh":
            return [1.0 - call("tanh", x) ** 2]
        case "atan2":
            y, x = given
            size = (x * x + y * y).inverse()
            return [x * size, -(y * size)]
    return [call(f"{name}′", *given)]


def coefficient(expression: Letters, symbol: Symbol) -> Letters:
    """Return M of an expression that is M s + …, linear in a vector or scalar symbol s."""
    shape = (expression.shape[0], symbol.shape[0])
    total = Letters(shape)
    for (monomial, chain), c in expression.terms.items():
        scalars = Letters((1, 1), {(monomial, ()): c})
        if chain:
            total = total + _linear(chain, symbol, shape) * scalars
        for i, (atom, n) in enumerate(monomial):
            others = Letters((1, 1), {(monomial[:i] + monomial[i + 1 :], ()): c})
            part = _atom_linear(atom, n, symbol)
            if part:
                rest = _wrapped(chain, expression.shape[0]) if chain else None
                total = total + ((part if rest is None else rest @ part) * others)
    return total


def _atom_linear(atom: Atom, n: int, symbol: Symbol) -> Letters:
    """Return the row with which an atom depends on a symbol."""
    shape = (1, symbol.shape[0])
    match atom:
        case Symbol() if atom == symbol and n == 1:
            return as_letters(1.0)
        case Dot(chain) if n == 1:
            flipped, sign = transposed_chain(chain)
            ways = [(chain, 1.0), (flipped, sign)]
            found = [(_where(one, symbol), one, s) for one, s in ways]
            reach = [(place, one, s) for place, one, s in found if place is not None]
            if not reach:
                return Letters(shape)
            place, one, s = max(reach, key=lambda way: way[0] - len(way[1]))
            return _linear_at(one, place, symbol, shape) * s
    return Letters(shape)


def _where(chain: Chain, symbol: Symbol) -> int | None:
    """Return the last factor in which a symbol is and that can be brought to the right end."""
    for i in reversed(range(len(chain))):
        factor = chain[i]
        if isinstance(factor, SkewFactor) and _has(factor.vector, symbol):
            return i
        if (
            isinstance(factor, ColumnFactor)
            and not factor.transposed
            and _among(factor, symbol)
        ):
            return i
    return None


def _among(column: ColumnFactor, symbol: Symbol) -> bool:
    return any(part == symbol for part, _ in column.parts)


def _has(vector: Letters, symbol: Symbol) -> bool:
    return any(_where(chain, symbol) is not None for _, chain in vector.terms)


def _linear(chain: Chain, symbol: Symbol, shape: Shape) -> Letters:
    place = _where(chain, symbol)
    return Letters(shape) if place is None else _linear_at(chain, place, symbol, shape)


def _linear_at(chain: Chain, place: int, symbol: Symbol, shape: Shape) -> Letters:
    """Return L of L s, s in the factor at a place: ã b = −b̃ a."""
    before, factor, behind = chain[:place], chain[place], chain[place + 1 :]
    left = _wrapped(before, shape[0])
    if isinstance(factor, ColumnFactor):
        c = next(c for part, c in factor.parts if part == symbol)
        return left * c if before else identity(shape[1]) * c
    assert isinstance(factor, SkewFactor)
    right = Letters((3, 1), {((), behind): 1.0})
    inner = coefficient(factor.vector, symbol)
    return -(left @ skew(right) @ inner)


def symbols(expression: Letters, inside: bool = True) -> "dict[Symbol, None]":
    """Return the symbols of an expression in order; with `inside` those of definitions too."""
    found: dict[Symbol, None] = {}
    todo = [expression]
    while todo:
        one = todo.pop()
        for monomial, chain in one.terms:
            for atom, _ in monomial:
                match atom:
                    case Symbol():
                        found.setdefault(atom)
                    case Dot(inner):
                        todo.append(Letters((1, 1), {((), inner): 1.0}))
                    case Call(_, arguments):
                        todo.extend(arguments)
            for factor in chain:
                match factor:
                    case Matrix(symbol):
                        found.setdefault(symbol)
                    case ColumnFactor(parts):
                        for symbol, _ in parts:
                            found.setdefault(symbol)
                    case SkewFactor(vector):
                        todo.append(vector)
    if inside:
        for symbol in list(found):
            if symbol.definition is not None:
                found |= symbols(symbol.definition)
    return found


def expanded(expression: Letters, which: Callable[[Symbol], bool]) -> Letters:
    """Return an expression with the definitions of some abbreviations in their place."""
    total = Letters(expression.shape)
    for (monomial, chain), c in expression.terms.items():
        part = _put_in(chain, expression.shape, which) if chain else None
        scalars = as_letters(c)
        for atom, n in monomial:
            scalars = scalars * _atom_put_in(atom, n, which)
        if part is None:
            size = expression.shape[0]
            part = as_letters(1.0) if expression.shape == (1, 1) else identity(size)
        total = total + part * scalars
    return total


def _atom_put_in(atom: Atom, n: int, which: Callable[[Symbol], bool]) -> Letters:
    if isinstance(atom, Symbol) and atom.definition is not None and which(atom):
        return expanded(atom.definition, which) ** n
    if isinstance(atom, Dot):
        return _put_in(atom.chain, (1, 1), which) ** n
    return Letters((1, 1), {(((atom, n),), ()): 1.0})


def _put_in(chain: Chain, shape: Shape, which: Callable[[Symbol], bool]) -> Letters:
    found = None
    for factor in chain:
        one = Letters(_shape(factor), {((), (factor,)): 1.0})
        if isinstance(factor, ColumnFactor):
            one = Letters(factor.parts[0][0].shape)
            for symbol, c in factor.parts:
                open_ = symbol.definition is not None and which(symbol)
                inner = expanded(symbol.definition, which) if open_ else symbol()  # type: ignore[arg-type]
                one = one + inner * c
            one = one.T if factor.transposed else one
        found = one if found is None else found @ one
    assert found is not None
    return found


def through(
    expression: Letters, symbol: Symbol, behind: Callable[[Letters], Letters]
) -> Letters:
    """Return Σ L · behind(R) over the products L S R with a matrix symbol S, R a column.

    With S = Ȧ and behind(s′) = B(p, s′) it is what stands before ṗ in Ȧ s′ = B ṗ.
    """
    total: Letters | None = None
    for (monomial, chain), c in expression.terms.items():
        ways = [(chain, 1.0, monomial)] if chain else []
        for i, (atom, n) in enumerate(monomial):
            if isinstance(atom, Dot) and n == 1:
                flipped, sign = transposed_chain(atom.chain)
                others = monomial[:i] + monomial[i + 1 :]
                ways += [(atom.chain, 1.0, others), (flipped, sign, others)]
        for one, sign, others in ways:
            for k, factor in enumerate(one):
                if factor == Matrix(symbol):
                    right = Letters((3, 1), {((), one[k + 1 :]): 1.0})
                    left = _wrapped(one[:k], expression.shape[0] if not k else 3)
                    scalars = Letters((1, 1), {(others, ()): c * sign})
                    part = (left @ behind(right) if k else behind(right)) * scalars
                    total = part if total is None else total + part
    return zero((expression.shape[0], 4)) if total is None else total
