"""Sine and cosine together, for one number or several side by side, as LLVM text.

    k = round(2|x|/π),   r = |x| - k π/2,   |r| ≤ π/4,   sin and cos of r by polynomials

The reduction subtracts k π/2 in three pieces of π/2, each by one fused multiply-add: the
first is exact, the others round once (Cody and Waite). Without fused operations, π/2 is cut
into pieces of 22 bits instead, whose products with k ≤ 2³¹ are exact. Beyond `LIMIT` the C
library is asked. The polynomials are those of fdlibm (k_sin.c, k_cos.c), exact to 2⁻⁵⁸.

The quadrant k mod 4 is read from the last bits of 2|x|/π + 3·2⁵¹, where the addition has
rounded and left k. The same operations in the same order whatever the width, so lanes and
scalars agree to the last bit. Within 4 units in the last place (seen: 1.3, and 1.8 without
fused operations).

References:
    Cody and Waite (1980), Software Manual for the Elementary Functions, ch. 8.
"""

from fractions import Fraction

from bellcrank.kernels.emit.text import Type, number

LIMIT = 2.0**31  # larger arguments are left to the C library
_MAGIC = 1.5 * 2.0**52
_TWO_OVER_PI = 0.6366197723675814
# π/2 to 200 bits
_HALF_PI = Fraction(0x3243F6A8885A308D313198A2E03707344A4093822299F31D008, 1 << 201)
_SIN = (
    1.58969099521155010221e-10,
    -2.50507602534068634195e-08,
    2.75573137070700676789e-06,
    -1.98412698298579493134e-04,
    8.33333333332248946124e-03,
    -1.66666666666666324348e-01,
)
_COS = (
    -1.13596475577881948265e-11,
    2.08757232129817482790e-09,
    -2.75573143513906633035e-07,
    2.48015872894767294178e-05,
    -1.38888888888741095749e-03,
    4.16666666666666019037e-02,
    -0.5,
    1.0,
)


def pieces(fma: bool) -> list[float]:
    """Return π/2 in pieces: three of 53 bits, or five of 22 bits and one of 53."""
    left, found = _HALF_PI, []
    for _ in range(2 if fma else 5):
        bits = 52 if fma else 21
        unit = Fraction(2) ** (_exponent(left) - bits)
        piece = unit * (left // unit if not fma else round(left / unit))
        found.append(float(piece))
        left -= piece
    return [*found, float(left)]


def _exponent(x: Fraction) -> int:
    """Return e with 2ᵉ ≤ |x| < 2ᵉ⁺¹."""
    e = abs(x.numerator).bit_length() - x.denominator.bit_length()
    return e if abs(x) >= Fraction(2) ** e else e - 1


def _reduction(t: Type, fma: bool) -> list[str]:
    """Return the lines that make %r from %a = |x| and %k; %m is -k."""
    lines, last = [f"%m = fneg {t} %k"], "%a"
    parts = pieces(fma)
    for i, part in enumerate(parts):
        value = "%r" if i == len(parts) - 1 else f"%r{i}"
        if fma:
            lines.append(f"{value} = {t.fma('%m', number(t, part), last)}")
        else:
            lines.append(f"%p{i} = fmul {t} %m, {number(t, part)}")
            lines.append(f"{value} = fadd {t} {last}, %p{i}")
        last = value
    return lines


def _polynomial(t: Type, fma: bool, letter: str, numbers: tuple[float, ...]) -> list[str]:
    """Return the lines of Horner's rule in %z; its result is %{letter}."""
    lines, last = [], number(t, numbers[0])
    for i, constant in enumerate(numbers[1:]):
        value = f"%{letter}" if i == len(numbers) - 2 else f"%{letter}{i}"
        lines += _multiply_add(t, fma, value, last, "%z", number(t, constant))
        last = value
    return lines


def _multiply_add(t: Type, fma: bool, value: str, a: str, b: str, c: str) -> list[str]:
    if fma:
        return [f"{value} = {t.fma(a, b, c)}"]
    return [f"{value}.p = fmul {t} {a}, {b}", f"{value} = fadd {t} {value}.p, {c}"]


def _kernel(t: Type, fma: bool) -> list[str]:
    """Return the lines that make %s, %c from %x, right where |x| ≤ `LIMIT` or x is nan."""
    i = t.integer
    return [
        f"%a = {t.call('fabs', '%x')}",
        *_multiply_add(t, fma, "%j", "%a", number(t, _TWO_OVER_PI), number(t, _MAGIC)),
        f"%k = fsub {t} %j, {number(t, _MAGIC)}",
        *_reduction(t, fma),
        f"%z = fmul {t} %r, %r",
        *_polynomial(t, fma, "ps", _SIN),
        *_polynomial(t, fma, "kc", _COS),
        f"%rz = fmul {t} %r, %z",
        *_multiply_add(t, fma, "%ks", "%rz", "%ps", "%r"),
        f"%q = bitcast {t} %j to {i}",
        f"%q1 = and {i} %q, {t.whole(1)}",
        f"%even = icmp eq {i} %q1, {t.whole(0)}",
        f"%s0 = select {t.bit} %even, {t} %ks, {t} %kc",
        f"%c0 = select {t.bit} %even, {t} %kc, {t} %ks",
        # the sine changes sign in quadrants 2, 3 and with x; the cosine in 1, 2
        f"%qs = shl {i} %q, {t.whole(62)}",
        f"%xi = bitcast {t} %x to {i}",
        f"%sx = xor {i} %qs, %xi",
        f"%ss = and {i} %sx, {t.whole(-(1 << 63))}",
        f"%qp = add {i} %q, {t.whole(1)}",
        f"%qc = shl {i} %qp, {t.whole(62)}",
        f"%sc = and {i} %qc, {t.whole(-(1 << 63))}",
        f"%s0i = bitcast {t} %s0 to {i}",
        f"%c0i = bitcast {t} %c0 to {i}",
        f"%si = xor {i} %s0i, %ss",
        f"%ci = xor {i} %c0i, %sc",
        f"%s = bitcast {i} %si to {t}",
        f"%c = bitcast {i} %ci to {t}",
        f"%big = fcmp ogt {t} %a, {number(t, LIMIT)}",
    ]


def far(t: Type) -> str:
    """Return the function that asks the C library, number by number."""
    pair = f"{{ {t}, {t} }}"
    lines = [f"define internal {pair} @sincos.far{t.tag}({t} %x) #1 {{"]
    s = c = "undef"
    for lane in range(t.lanes):
        x = "%x"
        if t.lanes > 1:
            x = f"%x{lane}"
            lines.append(f"{x} = extractelement {t} %x, i32 {lane}")
        lines += [f"%s{lane} = call double @sin(double {x})"]
        lines += [f"%c{lane} = call double @cos(double {x})"]
        if t.lanes > 1:
            lines += [f"%vs{lane} = insertelement {t} {s}, double %s{lane}, i32 {lane}"]
            lines += [f"%vc{lane} = insertelement {t} {c}, double %c{lane}, i32 {lane}"]
            s, c = f"%vs{lane}", f"%vc{lane}"
        else:
            s, c = "%s0", "%c0"
    return "\n".join([
        *lines,
        f"%p0 = insertvalue {pair} undef, {t} {s}, 0",
        f"%p1 = insertvalue {pair} %p0, {t} {c}, 1",
        f"ret {pair} %p1\n}}",
    ])


def _near_or_far(t: Type, fma: bool, before: str) -> list[str]:
    """Return the lines that make %es, %ec from %x, for whatever x, and end in block `done`."""
    pair = f"{{ {t}, {t} }}"
    return [
        *_kernel(t, fma),
        *t.any("%any", "%big"),
        "br i1 %any, label %far, label %done",
        f"far:\n%f = call {pair} @sincos.far{t.tag}({t} %x)",
        f"%fs = extractvalue {pair} %f, 0",
        f"%fc = extractvalue {pair} %f, 1",
        f"%ws = select {t.bit} %big, {t} %fs, {t} %s",
        f"%wc = select {t.bit} %big, {t} %fc, {t} %c",
        "br label %done",
        f"done:\n%es = phi {t} [ %s, {before} ], [ %ws, %far ]",
        f"%ec = phi {t} [ %c, {before} ], [ %wc, %far ]",
    ]


def sincos(t: Type, fma: bool) -> str:
    """Return `{T, T} @sincos(T)`, named after the width. It calls `far`."""
    pair = f"{{ {t}, {t} }}"
    return "\n".join([
        f"define internal {pair} @sincos{t.tag}({t} %x) #1 {{",
        *_near_or_far(t, fma, before="%0"),
        f"%o0 = insertvalue {pair} undef, {t} %es, 0",
        f"%o1 = insertvalue {pair} %o0, {t} %ec, 1",
        f"ret {pair} %o1\n}}",
    ])


def sweep(t: Type, fma: bool) -> str:
    """Return `void @sweep(x, c, n)`: n numbers x become their sines, c their cosines.

    n is a multiple of the lanes of t; the loop is the place where angles of one machine,
    or of several in lanes, are evaluated side by side. It calls `far`.
    """
    return "\n".join([
        "define internal void @sweep(ptr %xs, ptr %cs, i64 %n) #1 {",
        "br label %loop\nloop:",
        "%at = phi i64 [ 0, %0 ], [ %next, %done ]",
        "%px = getelementptr double, ptr %xs, i64 %at",
        "%pc = getelementptr double, ptr %cs, i64 %at",
        f"%x = load {t}, ptr %px, align 8",
        *_near_or_far(t, fma, before="%loop"),
        f"store {t} %es, ptr %px, align 8",
        f"store {t} %ec, ptr %pc, align 8",
        f"%next = add i64 %at, {t.lanes}",
        "%more = icmp ult i64 %next, %n",
        "br i1 %more, label %loop, label %end",
        "end:\nret void\n}",
    ])
