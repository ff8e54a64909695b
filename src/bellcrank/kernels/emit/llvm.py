"""A program as LLVM text, and that as object code: scalar, or several instances in lanes.

The object has two entries, `kernel` and `kernel_batch`:

    void kernel(const double **in, double **out, double *work)
    void kernel_batch(int64 n, const double **in, const int64 *in_stride,
                      double **out, const int64 *out_stride, double *work)

in[i] and out[i] are the stored numbers of port i; instance k of a batch is found at
in[i] + k in_stride[i], strides in doubles, and 0 shares one instance among all. `work` has
as many doubles as `emit` says. Outputs must not overlap inputs.

With lanes, the batch takes the instances in groups: their numbers are laid side by side in
`work`, the same straight-line code runs on vectors, and the results go back. What is left
over is done by the scalar code.
"""

from dataclasses import dataclass

from bellcrank.kernels import jit
from bellcrank.kernels.emit import batch, sine
from bellcrank.kernels.emit.plan import Instruction, Plan, plan
from bellcrank.kernels.emit.text import Type, number
from bellcrank.kernels.program import BINARY, OPERATIONS, Program

CHUNK = 3000  # longer stretches compile slower for each operation
SCHEDULED = 20_000  # operations of a program up to which the scheduler is worth its time

_ARITHMETIC = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_COMPARISONS = {"lt": "olt", "le": "ole", "eq": "oeq", "ne": "une"}
_INTRINSICS = {
    "sqrt": "sqrt",
    "fabs": "fabs",
    "floor": "floor",
    "ceil": "ceil",
    "copysign": "copysign",
    "fmin": "minnum",
    "fmax": "maxnum",
}
LIBRARY = frozenset((
    *("exp", "log", "pow", "tan", "asin", "acos", "atan", "atan2", "erf", "sinh", "cosh"),
    *("tanh", "asinh", "acosh", "atanh", "log1p", "expm1", "fmod", "hypot", "remainder"),
))
"""Operations done by the C library, one number at a time."""


@dataclass(frozen=True)
class Code:
    """Object code.

    Attributes:
        object: The bytes of an object file with the entries `kernel` and `kernel_batch`.
        work: Doubles of working memory that the entries need.
    """

    object: bytes
    work: int


def emit(program: Program, lanes: int = 1, level: int = 1, chunk: int = CHUNK) -> Code:
    """Return object code of a program for this processor.

    Args:
        program: What to compile.
        lanes: Instances side by side in the batch entry: 1, 2, 4 or 8.
        level: Effort of code generation. 1 is right for what runs often; 0 compiles several
            times faster and runs about twice slower.
        chunk: Longest stretch of operations compiled as one function.
    """
    text, work = write(program, lanes=lanes, chunk=chunk, fma=jit.feature("fma") and level > 0)
    return Code(jit.assemble(text, level, schedule=len(program) <= SCHEDULED), work)


def write(program: Program, *, lanes: int, chunk: int, fma: bool) -> tuple[str, int]:
    """Return the LLVM text of a program and the size of its working memory."""
    scheme = plan(program, chunk=chunk, fuse=fma)
    wide = Type(sweep_width())
    widths = [Type()] if lanes == 1 else [Type(), Type(lanes)]
    parts = [_prologue()]
    for t in widths:
        parts += [*_bodies(scheme, t, wide), *_library(program, t)]
    work = _Layout(scheme, Type(), wide).size
    if lanes == 1:
        parts.append(batch.scalar(program))
    else:
        entry, size = batch.vector(program, widths[1], _Layout(scheme, widths[1], wide).size)
        parts.append(entry)
        work = max(work, size)
    parts += _sines(scheme, widths, wide, fma)
    parts += [_declarations(t) for t in dict.fromkeys((*widths, wide))]
    return "\n".join(parts), work


def _sines(scheme: Plan, widths: list[Type], wide: Type, fma: bool) -> list[str]:
    """Return the functions of sine and cosine that the bodies call."""
    inside = any(i[0] == "sincos" for chunk in scheme.chunks for i in chunk)
    called = set(widths if inside else [])
    parts = [sine.sincos(t, fma) for t in widths if inside]
    if scheme.angles:
        parts.append(sine.sweep(wide, fma))
        called.add(wide)
    return [*parts, *(sine.far(t) for t in sorted(called, key=lambda t: t.lanes))]


def sweep_width() -> int:
    """Return how many doubles the widest vector of this processor holds."""
    return 8 if jit.feature("avx512f") else 4 if jit.feature("avx") else 2


def _prologue() -> str:
    wide = '"prefer-vector-width"="512" "min-legal-vector-width"="512"'
    return "\n".join((
        f'target triple = "{jit.triple()}"',
        f"attributes #0 = {{ nounwind {wide} }}",
        f"attributes #1 = {{ nounwind noinline {wide} }}",
        f"attributes #2 = {{ nounwind alignstack=64 {wide} }}",  # spilled vectors: one line
        "declare double @sin(double)",
        "declare double @cos(double)",
        *(
            f"declare double @{name}(double{', double' if name in BINARY else ''})"
            for name in sorted(LIBRARY)
        ),
    ))


def _declarations(t: Type) -> str:
    lines = [t.declaration("fma", 3)]
    for name, intrinsic in _INTRINSICS.items():
        lines.append(t.declaration(intrinsic, 2 if name in BINARY else 1))
    return "\n".join(lines)


def _library(program: Program, t: Type) -> list[str]:
    """Return functions that call the C library lane by lane, for the operations used."""
    if t.lanes == 1:
        return []
    used = {OPERATIONS[code] for code in set(program.operations.tolist())}
    return [_by_lane(t, name) for name in sorted(used & LIBRARY)]


def _by_lane(t: Type, name: str) -> str:
    letters = "xy" if name in BINARY else "x"
    lines, last = [], "undef"
    for lane in range(t.lanes):
        lines += [f"%{x}{lane} = extractelement {t} %{x}, i32 {lane}" for x in letters]
        given = ", ".join(f"double %{x}{lane}" for x in letters)
        lines.append(f"%f{lane} = call double @{name}({given})")
        lines.append(f"%v{lane} = insertelement {t} {last}, double %f{lane}, i32 {lane}")
        last = f"%v{lane}"
    taken = ", ".join(f"{t} %{x}" for x in letters)
    head = f"define internal {t} @{name}{t.tag}({taken}) #1 {{"
    return "\n".join([head, *lines, f"ret {t} {last}\n}}"])


@dataclass(frozen=True)
class _Layout:
    """Where things are in the work array, in doubles: swept sines, cosines, then slots."""

    scheme: Plan
    t: Type
    wide: Type

    @property
    def swept(self) -> int:
        """Numbers in the sweep, rounded up to whole vectors."""
        count, width = len(self.scheme.angles) * self.t.lanes, self.wide.lanes
        return -(-count // width) * width

    def slot(self, place: int) -> int:
        return 2 * self.swept + place * self.t.lanes

    @property
    def size(self) -> int:
        return self.slot(self.scheme.size)


def _bodies(scheme: Plan, t: Type, wide: Type) -> list[str]:
    """Return the function `kernel` of width t and those of its chunks."""
    layout = _Layout(scheme, t, wide)
    name = f"kernel{t.tag}"
    main = _Writer(scheme, layout)
    main.emit(scheme.hoisted)
    main.sweep()
    parts = []
    if len(scheme.chunks) == 1:
        main.emit(scheme.chunks[0])
    else:
        for index, chunk in enumerate(scheme.chunks):
            part = f"{name}.part{index}"
            writer = _Writer(scheme, layout)
            writer.emit(chunk)
            parts.append(writer.function(part, internal=True))
            main.line(f"call void @{part}(ptr %in, ptr %out, ptr %work)")
    return [*parts, main.function(name, internal=t.lanes > 1)]


class _Writer:
    """Writes the instructions of one function."""

    def __init__(self, scheme: Plan, layout: _Layout) -> None:
        self.scheme, self.layout, self.t = scheme, layout, layout.t
        self.lines: list[str] = []
        self.count = 0
        self.names: dict[int, str] = {}
        self.bits: dict[int, str] = {}  # comparisons, before they became 0 or 1
        self.pointers: dict[str, str] = {}
        self.heads: list[str] = []
        self.zero, self.one = number(self.t, 0.0), number(self.t, 1.0)
        self.swept = {}
        for place, (_, s, c) in enumerate(scheme.angles):
            self.swept[s] = place * self.t.lanes
            self.swept[c] = layout.swept + place * self.t.lanes

    def line(self, text: str) -> None:
        self.lines.append(text)

    def new(self, text: str) -> str:
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(f"{name} = {text}")
        return name

    # Where values are.

    def port(self, side: str, index: int) -> str:
        """Return the pointer to a port's numbers, loaded once at the head."""
        name = f"%{side}{index}"
        if name not in self.pointers:
            self.pointers[name] = name
            self.heads.append(f"{name}.p = getelementptr ptr, ptr %{side}, i64 {index}")
            self.heads.append(f"{name} = load ptr, ptr {name}.p, align 8")
        return name

    def place(self, base: str, offset: int) -> str:
        if offset == 0:
            return base
        return self.new(f"getelementptr double, ptr {base}, i64 {offset}")

    def read(self, base: str, offset: int) -> str:
        return self.new(f"load {self.t}, ptr {self.place(base, offset)}, align 8")

    def store(self, value: str, base: str, offset: int) -> None:
        self.line(f"store {self.t} {value}, ptr {self.place(base, offset)}, align 8")

    def value(self, v: int) -> str:
        """Return the name of a value here, loading it where it comes from elsewhere."""
        name = self.names.get(v)
        if name is None:
            name = self.names[v] = self._fetch(v)
        return name

    def _fetch(self, v: int) -> str:
        scheme = self.scheme
        if v in scheme.constants:
            return number(self.t, scheme.constants[v])
        if v in scheme.inputs:
            port, place = scheme.inputs[v]
            return self.read(self.port("in", port), place * self.t.lanes)
        if v in self.swept:
            return self.read("%work", self.swept[v])
        return self.read("%work", self.layout.slot(scheme.slots[v]))

    def bit(self, v: int) -> str:
        """Return whether a value is not zero; nan is not."""
        if v not in self.bits:
            self.bits[v] = self.new(f"fcmp une {self.t} {self.value(v)}, {self.zero}")
        return self.bits[v]

    # What is done with them.

    def emit(self, instructions: list[Instruction]) -> None:
        slots, t = self.scheme.slots, self.t
        for instruction in instructions:
            name = instruction[0]
            if name == "output":
                _, v, port, place = instruction
                self.store(self.value(v), self.port("out", port), place * t.lanes)
                continue
            if name == "sincos":
                self._sincos(*instruction[1:])
                continue
            v = instruction[1]
            self.names[v] = result = self._operation(name, v, instruction[2:])
            if v in slots:
                self.store(result, "%work", self.layout.slot(slots[v]))

    def _operation(self, name: str, v: int, args: tuple[int, ...]) -> str:
        t = self.t
        if name in _ARITHMETIC:
            a, b = self.value(args[0]), self.value(args[1])
            return self.new(f"{_ARITHMETIC[name]} {t} {a}, {b}")
        if name in {"fma", "fms", "fnma"}:
            return self._fused(name, args)
        if name in _COMPARISONS:
            a, b = self.value(args[0]), self.value(args[1])
            return self._truth(v, f"fcmp {_COMPARISONS[name]} {t} {a}, {b}")
        if name in {"not", "and", "or"}:
            return self._logic(name, v, args)
        given = [self.value(a) for a in args]
        if name in _INTRINSICS:
            return self.new(t.call(_INTRINSICS[name], *given))
        if name in LIBRARY:
            taken = ", ".join(f"{t} {a}" for a in given)
            return self.new(f"call {t} @{name}{t.tag}({taken})")
        return self._special(name, args, given)

    def _fused(self, name: str, args: tuple[int, ...]) -> str:
        a, b, c = (self.value(v) for v in args)
        if name == "fms":
            c = self.new(f"fneg {self.t} {c}")
        elif name == "fnma":
            a = self.new(f"fneg {self.t} {a}")
        return self.new(self.t.fma(a, b, c))

    def _truth(self, v: int, text: str) -> str:
        """Return 1 where the comparison `text` holds, else 0."""
        self.bits[v] = bit = self.new(text)
        return self.new(f"select {self.t.bit} {bit}, {self.t} {self.one}, {self.t} {self.zero}")

    def _logic(self, name: str, v: int, args: tuple[int, ...]) -> str:
        first = self.bit(args[0])
        if name == "not":
            true = "true" if self.t.lanes == 1 else "splat (i1 true)"
            return self._truth(v, f"xor {self.t.bit} {first}, {true}")
        return self._truth(v, f"{name} {self.t.bit} {first}, {self.bit(args[1])}")

    def _special(self, name: str, args: tuple[int, ...], given: list[str]) -> str:
        t, x = self.t, given[0]
        match name:
            case "neg":
                return self.new(f"fneg {t} {x}")
            case "sq":
                return self.new(f"fmul {t} {x}, {x}")
            case "twice":
                return self.new(f"fadd {t} {x}, {x}")
            case "inv":
                return self.new(f"fdiv {t} {self.one}, {x}")
            case "if_else_zero":
                bit = self.bit(args[0])
                return self.new(f"select {t.bit} {bit}, {t} {given[1]}, {t} {self.zero}")
            case "sign":
                above = self.new(f"fcmp ogt {t} {x}, {self.zero}")
                below = self.new(f"fcmp olt {t} {x}, {self.zero}")
                up = self.new(f"select {t.bit} {above}, {t} {self.one}, {t} {x}")
                return self.new(f"select {t.bit} {below}, {t} {number(t, -1.0)}, {t} {up}")
        raise AssertionError(f"{name} has no machine code")

    def _sincos(self, s: int, angle: int, c: int) -> None:
        t, slots = self.t, self.scheme.slots
        pair = f"{{ {t}, {t} }}"
        both = self.new(f"call {pair} @sincos{t.tag}({t} {self.value(angle)})")
        for place, v in enumerate((s, c)):
            self.names[v] = result = self.new(f"extractvalue {pair} {both}, {place}")
            if v in slots:
                self.store(result, "%work", self.layout.slot(slots[v]))

    def sweep(self) -> None:
        """Evaluate all hoisted sines and cosines at once, through the work array."""
        if not self.scheme.angles:
            return
        lanes, swept = self.t.lanes, self.layout.swept
        for place, (angle, _, _) in enumerate(self.scheme.angles):
            self.store(self.value(angle), "%work", place * lanes)
        for place in range(len(self.scheme.angles) * lanes, swept):  # whole vectors
            self.line(f"store double 0.0, ptr {self.place('%work', place)}, align 8")
        self.line(f"call void @sweep(ptr %work, ptr {self.place('%work', swept)}, i64 {swept})")
        self.names.clear()
        self.bits.clear()

    def function(self, name: str, *, internal: bool) -> str:
        """Return the whole function."""
        linkage = "internal " if internal else ""
        group = 0 if self.t.lanes == 1 else 2
        head = f"define {linkage}void @{name}(ptr %in, ptr %out, ptr %work) #{group} {{"
        return "\n".join([head, *self.heads, *self.lines, "ret void\n}"])
