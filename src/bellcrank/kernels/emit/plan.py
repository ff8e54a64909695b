"""How a program will be emitted: values, fused operations, chunks, and memory between them.

A long straight-line function costs the compiler more than its length is worth, so it is cut
into chunks, each a function of its own. A value used in a later chunk than its own travels in
a slot of the work array; a slot is used again when its last reader's chunk is over.

Decisions that change the last digit are taken here and not by LLVM: a product with one use,
in a sum, becomes one fused multiply-add. So scalar code, lanes, and any chunking agree to
the last bit.

Sines and cosines are found in pairs. Those whose argument takes few operations from the
inputs (the joint angles) are hoisted before everything else, where all of them are evaluated
in one sweep with the widest vectors there are, even in scalar code.
"""

from collections import Counter, deque
from dataclasses import dataclass

from bellcrank.kernels.program import OPERATIONS, UNARY, Program

CONE = 12  # operations from the inputs to an angle, at most, for its sine to be hoisted

Instruction = tuple  # (operation, value, operands...), see `Plan`


@dataclass(frozen=True)
class Plan:
    """What to emit, in order. Values are numbered; inputs and constants are values too.

    Attributes:
        inputs: Value → (port, place).
        constants: Value → number.
        hoisted: Instructions before the sweep of sines, and none of them a sine.
        angles: The sweep: (argument, sine, cosine) values.
        chunks: Instructions `(operation, value, *operands)`; `("sincos", sine, argument,
            cosine)`; `("output", value, port, place)`.
        slots: Value → place in the work array, for those that cross chunks.
        size: Number of slots.
    """

    inputs: dict[int, tuple[int, int]]
    constants: dict[int, float]
    hoisted: list[Instruction]
    angles: list[tuple[int, int, int]]
    chunks: list[list[Instruction]]
    slots: dict[int, int]
    size: int


def plan(program: Program, *, chunk: int, fuse: bool) -> Plan:
    """Return the plan of a program.

    Args:
        program: What to emit.
        chunk: Longest chunk, in operations.
        fuse: Whether products and sums are fused; the processor must be able to.
    """
    inputs, constants, instructions, count = _values(program)
    instructions = _powers(instructions, constants)
    instructions = _shared_divisors(instructions, constants, count)
    if fuse:
        instructions = _fused(instructions)
    hoisted, angles, rest = _hoist(instructions)
    chunks = [rest[i : i + chunk] for i in range(0, len(rest), chunk)] or [[]]
    swept = {value for angle in angles for value in angle[1:]}
    slots, size = _slots(hoisted, chunks, {*inputs, *constants, *swept})
    return Plan(inputs, constants, hoisted, angles, chunks, slots, size)


def _values(
    program: Program,
) -> tuple[dict[int, tuple[int, int]], dict[int, float], list[Instruction], int]:
    """Give every value its own number instead of a register used again and again.

    Returns:
        Inputs and constants by value, the instructions, and the first unused number.
    """
    inputs: dict[int, tuple[int, int]] = {}
    constants: dict[int, float] = {}
    instructions: list[Instruction] = []
    pairs: dict[int, tuple[int, int]] = {}  # angle → its sine and cosine
    numbers, w, new = program.constants.tolist(), [0] * program.registers, 0
    columns = (program.operations, program.operands, program.targets)
    for code, (a, b), r in zip(*(column.tolist() for column in columns), strict=True):
        name = OPERATIONS[code]
        if name == "output":
            instructions.append((name, w[a], b, r))
        elif name == "assign":
            w[r] = w[a]
        elif name in {"sin", "cos"}:
            if w[a] not in pairs:
                pairs[w[a]] = (new, new + 1)
                instructions.append(("sincos", new, w[a], new + 1))
                new += 2
            w[r] = pairs[w[a]][name == "cos"]
        else:
            if name == "input":
                inputs[new] = (a, b)
            elif name == "constant":
                constants[new] = numbers[a]
            else:
                given = (w[a],) if name in UNARY else (w[a], w[b])
                instructions.append((name, new, *given))
            w[r] = new
            new += 1
    return inputs, constants, instructions, new


def operands(instruction: Instruction) -> tuple[int, ...]:
    """Return the values an instruction reads."""
    if instruction[0] == "output":
        return instruction[1:2]
    return instruction[2:3] if instruction[0] == "sincos" else instruction[2:]


def results(instruction: Instruction) -> tuple[int, ...]:
    """Return the values an instruction defines."""
    if instruction[0] == "output":
        return ()
    return instruction[1::2] if instruction[0] == "sincos" else instruction[1:2]


def _powers(instructions: list[Instruction], constants: dict[int, float]) -> list[Instruction]:
    """Make the square of `x**2`: one product instead of a call."""
    return [
        ("sq", i[1], i[2]) if i[0] == "pow" and constants.get(i[3]) == 2.0 else i
        for i in instructions
    ]


def _shared_divisors(
    instructions: list[Instruction], constants: dict[int, float], new: int
) -> list[Instruction]:
    """Divide once by a divisor that several quotients share, and multiply by its inverse.

    A division takes five times as long as a product. CasADi folds x · (1/d) into x/d, so
    an inverse that was meant to be shared has to be found again. It costs one rounding.
    """
    count = Counter(i[3] for i in instructions if i[0] == "div")
    inverse: dict[int, int] = {}
    shared: list[Instruction] = []
    for i in instructions:
        if i[0] == "inv":
            inverse.setdefault(i[2], i[1])
        if i[0] != "div" or count[i[3]] == 1:
            shared.append(i)
            continue
        _, value, x, divisor = i
        if divisor not in inverse:
            inverse[divisor] = new
            if constants.get(divisor):
                constants[new] = 1.0 / constants[divisor]
            else:
                shared.append(("inv", new, divisor))
            new += 1
        shared.append(("mul", value, x, inverse[divisor]))
    return shared


_FACTORS = {"mul": lambda i: (i[2], i[3]), "sq": lambda i: (i[2], i[2])}


def _fused(instructions: list[Instruction]) -> list[Instruction]:
    """Replace sums of a product that has no other use by fused multiply-adds.

    a b + c → fma,  a b - c → fms,  c - a b → fnma. Where both terms would do, the later
    product is fused: the earlier one is ready first.
    """
    uses = Counter(value for i in instructions for value in operands(i))
    products: dict[int, tuple[int, int]] = {}
    fused: list[Instruction] = []
    gone: set[int] = set()
    for i in instructions:
        name = i[0]
        if name in _FACTORS and uses[i[1]] == 1:
            products[i[1]] = _FACTORS[name](i)
        elif name in {"add", "sub"} and i[2] != i[3] and (i[2] in products or i[3] in products):
            _, value, left, right = i
            if left in products and (right not in products or left > right):
                gone.add(left)
                i = ("fma" if name == "add" else "fms", value, *products[left], right)
            else:
                gone.add(right)
                i = ("fma" if name == "add" else "fnma", value, *products[right], left)
        fused.append(i)
    return [i for i in fused if i[0] == "output" or i[1] not in gone]


def _hoist(
    instructions: list[Instruction],
) -> tuple[list[Instruction], list[tuple[int, int, int]], list[Instruction]]:
    """Move sines with short arguments, and what leads to those, to the front."""
    maker = {value: k for k, i in enumerate(instructions) for value in results(i)}
    front: set[int] = set()
    angles: list[tuple[int, int, int]] = []
    taken: set[int] = set()
    for k, i in enumerate(instructions):
        if i[0] != "sincos":
            continue
        cone = _cone(i[2], instructions, maker)
        if cone is not None:
            front |= cone
            taken.add(k)
            angles.append((i[2], i[1], i[3]))
    hoisted = [instructions[k] for k in sorted(front)]
    rest = [i for k, i in enumerate(instructions) if k not in front and k not in taken]
    return hoisted, angles, rest


def _cone(
    value: int, instructions: list[Instruction], maker: dict[int, int]
) -> set[int] | None:
    """Return the instructions that lead to `value`, or None if many or if one is a sine."""
    cone: set[int] = set()
    todo = [value]
    while todo:
        k = maker.get(todo.pop())
        if k is None or k in cone:
            continue
        cone.add(k)
        if len(cone) > CONE or instructions[k][0] == "sincos":
            return None
        todo.extend(operands(instructions[k]))
    return cone


def _slots(
    hoisted: list[Instruction], chunks: list[list[Instruction]], free: set[int]
) -> tuple[dict[int, int], int]:
    """Give a place in the work array to each value read in a later chunk than its own.

    Args:
        hoisted: What comes before the first chunk and is emitted with it.
        chunks: The chunks.
        free: Values that can be had in every chunk: inputs, constants, swept sines.
    """
    birth: dict[int, int] = {}
    death: dict[int, int] = {}
    for c, chunk in enumerate([hoisted, *chunks]):
        for instruction in chunk:
            for value in results(instruction):
                birth[value] = c
            for value in operands(instruction):
                if value not in free and birth[value] != c:
                    death[value] = c
    return _assigned(birth, death)


def _assigned(birth: dict[int, int], death: dict[int, int]) -> tuple[dict[int, int], int]:
    """Give values that live from chunk birth[v] to chunk death[v] as few slots as it takes."""
    slots: dict[int, int] = {}
    leaving: dict[int, list[int]] = {}  # chunk → slots it is the last to read
    spare: deque[int] = deque()
    size = now = 0
    for value in sorted(death, key=birth.__getitem__):
        while now < birth[value]:
            spare.extend(leaving.pop(now, ()))
            now += 1
        if not spare:
            spare.append(size)
            size += 1
        slots[value] = spare.popleft()
        leaving.setdefault(death[value], []).append(slots[value])
    return slots, size
