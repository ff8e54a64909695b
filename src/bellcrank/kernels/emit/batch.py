"""The batch entry, as LLVM text: one instance after the other, or in groups of lanes.

The numbers of one instance lie together in memory; vectors want the same number of several
instances together. `stage` and `unstage` turn blocks of lanes × lanes numbers over by
butterflies: in the round of distance d, rows i and i + d exchange every other run of d.
"""

from bellcrank.kernels.emit.text import Type
from bellcrank.kernels.program import Program

_HEAD = (
    "define void @kernel_batch(i64 %n, ptr %in, ptr %in.stride, ptr %out, ptr %out.stride, "
    "ptr %work) #0 {"
)


def scalar(program: Program) -> str:
    """Return the batch entry that calls `kernel` for each instance."""
    sides = [("in", len(program.inputs)), ("out", len(program.outputs))]
    start = [line for side, count in sides for line in _loads(side, count)]
    ports = [f"{side}{i}" for side, count in sides for i in range(count)]
    return "\n".join([
        _HEAD,
        *(f"%{side}.at = alloca [{max(count, 1)} x ptr]" for side, count in sides),
        *start,
        "%some = icmp sgt i64 %n, 0",
        "br i1 %some, label %loop, label %end",
        *_loop("loop", "0", ports, before="%0"),
        "end:\nret void\n}",
    ])


def _loads(side: str, count: int) -> list[str]:
    """Return the lines that load pointers %in0... and strides %in0.s... [doubles]."""
    lines = []
    for i in range(count):
        name = f"%{side}{i}"
        lines += [
            f"{name}.pp = getelementptr ptr, ptr %{side}, i64 {i}",
            f"{name} = load ptr, ptr {name}.pp, align 8",
            f"{name}.sp = getelementptr i64, ptr %{side}.stride, i64 {i}",
            f"{name}.s = load i64, ptr {name}.sp, align 8",
            f"{name}.slot = getelementptr ptr, ptr %{side}.at, i64 {i}",
        ]
    return lines


def _loop(label: str, begin: str, ports: list[str], before: str) -> list[str]:
    """Return the loop that calls `kernel` for instances begin, ..., n - 1."""
    lines = [f"{label}:", f"%i = phi i64 [ {begin}, {before} ], [ %i.next, %{label} ]"]
    for port in ports:
        lines += [
            f"%{port}.o = mul i64 %i, %{port}.s",
            f"%{port}.now = getelementptr double, ptr %{port}, i64 %{port}.o",
            f"store ptr %{port}.now, ptr %{port}.slot, align 8",
        ]
    return [
        *lines,
        "call void @kernel(ptr %in.at, ptr %out.at, ptr %work)",
        "%i.next = add i64 %i, 1",
        "%more = icmp slt i64 %i.next, %n",
        f"br i1 %more, label %{label}, label %end",
    ]


def vector(program: Program, t: Type, offset: int) -> tuple[str, int]:
    """Return the batch entry that works in lanes, and the working memory it needs.

    Args:
        program: Whose ports are staged.
        t: The width.
        offset: Where the staged numbers may begin in the work array, in doubles.
    """
    lanes = t.lanes
    sides = [("in", len(program.inputs)), ("out", len(program.outputs))]
    head, size = _homes(program, lanes, offset)
    once = [line for i, p in enumerate(program.inputs) for line in _stage("eq", i, p.size, t)]
    each = [line for i, p in enumerate(program.inputs) for line in _stage("ne", i, p.size, t)]
    back = [
        line
        for i, port in enumerate(program.outputs)
        for line in _move("unstage", f"out{i}", port.size, lanes, "%g", "back")
    ]
    ports = [f"{side}{i}" for side, count in sides for i in range(count)]
    text = "\n".join([
        _turn(t, back=False),
        _turn(t, back=True),
        _HEAD.replace("%work", "%work.any"),
        *(f"%{side}.at = alloca [{max(count, 1)} x ptr]" for side, count in sides),
        *(f"%{side}.wide = alloca [{max(count, 1)} x ptr]" for side, count in sides),
        *[line for side, count in sides for line in _loads(side, count)],
        *head,
        f"%groups = sdiv i64 %n, {lanes}",
        f"%whole = mul i64 %groups, {lanes}",
        "%any = icmp sgt i64 %groups, 0",
        "br i1 %any, label %before, label %rest\nbefore:",
        *once,
        "br label %group\ngroup:",
        f"%g = phi i64 [ 0, %{_last('before', once)} ], [ %g.next, %{_last('group', each)} ]",
        *each,
        f"call void @kernel{t.tag}(ptr %in.wide, ptr %out.wide, ptr %work)",
        *back,
        f"%g.next = add i64 %g, {lanes}",
        "%g.more = icmp slt i64 %g.next, %whole",
        "br i1 %g.more, label %group, label %rest\nrest:",
        "%left = icmp slt i64 %whole, %n",
        "br i1 %left, label %tail, label %end",
        *_loop("tail", "%whole", ports, before="%rest"),
        "end:\nret void\n}",
    ])
    return text, size


def _homes(program: Program, lanes: int, offset: int) -> tuple[list[str], int]:
    """Return the lines that give each port its place in the work array, and its new end."""
    lines = [
        "%work.i = ptrtoint ptr %work.any to i64",
        "%work.up = add i64 %work.i, 63",
        "%work.64 = and i64 %work.up, -64",  # a vector across two cache lines takes twice
        "%work = inttoptr i64 %work.64 to ptr",
    ]
    for side, ports in (("in", program.inputs), ("out", program.outputs)):
        for i, port in enumerate(ports):
            lines += [
                f"%{side}{i}.lanes = getelementptr double, ptr %work, i64 {offset}",
                f"%{side}.v{i} = getelementptr ptr, ptr %{side}.wide, i64 {i}",
                f"store ptr %{side}{i}.lanes, ptr %{side}.v{i}, align 8",
            ]
            offset += -(-port.size // lanes) * lanes * lanes  # whole blocks
    return lines, offset + 8


def _last(block: str, lines: list[str]) -> str:
    """Return the label of the block that `lines`, begun in `block`, end in."""
    return [f"{block}:", *(line for line in lines if line.endswith(":"))][-1].rstrip(":")


def _stage(test: str, index: int, size: int, t: Type) -> list[str]:
    """Return the lines that stage an input: `eq` once if shared by all, `ne` in each group."""
    if size == 0:
        return []
    port, tag, start = f"in{index}", *(("once", "0") if test == "eq" else ("each", "%g"))
    label = f"{port}.{tag}"
    return [
        f"%{label} = icmp {test} i64 %{port}.s, 0",
        f"br i1 %{label}, label %{label}.do, label %{label}.done",
        f"{label}.do:",
        *_move("stage", port, size, t.lanes, start, tag),
        f"br label %{label}.done",
        f"{label}.done:",
    ]


def _move(verb: str, port: str, size: int, lanes: int, start: str, tag: str) -> list[str]:
    if size == 0:
        return []
    o, p = f"%{port}.{tag}.o", f"%{port}.{tag}.p"
    return [
        f"{o} = mul i64 {start}, %{port}.s",
        f"{p} = getelementptr double, ptr %{port}, i64 {o}",
        f"call void @{verb}.{lanes}(ptr {p}, i64 %{port}.s, ptr %{port}.lanes, i64 {size})",
    ]


def _turn(t: Type, *, back: bool) -> str:
    """Return `stage` or, with back, `unstage`: (rows, stride, side by side, count).

    Number k of instance l is rows[l stride + k] on one side, wide[k lanes + l] on the other.
    The last block may be short; beyond its end nothing of the instances is touched.
    """
    n, verb = t.lanes, "unstage" if back else "stage"
    count = f"<{n} x i32> zeroinitializer"
    shuffles, last = _butterflies(t)
    io = f"i32 8, {t.bit} %mask"
    masked = f"@llvm.masked.{{}}.{t.suffix}.p0"
    load, store = masked.format("load"), masked.format("store")
    if back:
        declared = f"declare void {store}({t}, ptr, i32, {t.bit})"
        loads = [f"%x0.{i} = load {t}, ptr %w{i}, align 8" for i in range(n)]
        stores = [f"call void {store}({t} %{last}.{i}, ptr %r{i}, {io})" for i in range(n)]
    else:
        declared = f"declare {t} {load}(ptr, i32, {t.bit}, {t})"
        loads = [
            f"%x0.{i} = call {t} {load}(ptr %r{i}, {io}, {t} zeroinitializer)" for i in range(n)
        ]
        stores = [f"store {t} %{last}.{i}, ptr %w{i}, align 8" for i in range(n)]
    return "\n".join([
        declared,
        f"define internal void @{verb}.{n}(ptr %rows, i64 %stride, ptr %wide, i64 %count) #1",
        "{\nbr label %loop\nloop:",
        "%k = phi i64 [ 0, %0 ], [ %next, %loop ]",
        "%left = sub i64 %count, %k",
        f"%left.1 = insertelement {t.integer} undef, i64 %left, i32 0",
        f"%left.n = shufflevector {t.integer} %left.1, {t.integer} undef, {count}",
        f"%mask = icmp slt {t.integer} <{', '.join(f'i64 {i}' for i in range(n))}>, %left.n",
        *_addresses(n),
        *loads,
        *shuffles,
        *stores,
        f"%next = add i64 %k, {n}",
        "%more = icmp slt i64 %next, %count",
        "br i1 %more, label %loop, label %end",
        "end:\nret void\n}",
    ])


def _addresses(n: int) -> list[str]:
    """Return the lines that point %r0... at rows of a block and %w0... at its vectors."""
    lines = [f"%k.wide = mul i64 %k, {n}"]
    for i in range(n):
        lines += [
            f"%w.o{i} = add i64 %k.wide, {i * n}",
            f"%w{i} = getelementptr double, ptr %wide, i64 %w.o{i}",
            f"%r.s{i} = mul i64 %stride, {i}",
            f"%r.o{i} = add i64 %r.s{i}, %k",
            f"%r{i} = getelementptr double, ptr %rows, i64 %r.o{i}",
        ]
    return lines


def _butterflies(t: Type) -> tuple[list[str], str]:
    """Return the shuffles that transpose rows %x0.i, and the name of the last round."""
    n, lines, d, stage = t.lanes, [], 1, 0
    while d < n:
        for i in range(n):
            first, second = i & ~d, i | d
            # lane j of the new row: from `first` (index j) or from `second` (index n + j)
            if i == first:
                pattern = [j if not j & d else n + (j ^ d) for j in range(n)]
            else:
                pattern = [j | d if not j & d else n + j for j in range(n)]
            chosen = ", ".join(f"i32 {j}" for j in pattern)
            lines.append(
                f"%x{stage + 1}.{i} = shufflevector {t} %x{stage}.{first}, {t} "
                f"%x{stage}.{second}, <{n} x i32> <{chosen}>"
            )
        d, stage = 2 * d, stage + 1
    return lines, f"x{stage}"
