"""Sparse kernels made to write full matrices, without compiling their zeros.

The kernel stays as it is; a few lines of LLVM around it call it with scratch for its sparse
outputs, clear the full matrices and scatter the entries.
"""

from bellcrank.kernels import jit
from bellcrank.kernels.build import ENTRIES, Kernel
from bellcrank.kernels.ports import Port


def full(kernel: Kernel) -> Kernel:
    """Return a kernel with the same inputs whose outputs are all full."""
    if all(port.nonzeros is None for port in kernel.outputs):
        return kernel
    scratch = sum(_room(port) for port in kernel.outputs)
    text = "\n".join([*_single(kernel), *_loop(kernel)])
    library = jit.link(jit.assemble(text), ENTRIES)
    outputs = tuple(
        Port(port.name, port.rows, port.cols, matrix=port.matrix) for port in kernel.outputs
    )
    made = Kernel(
        kernel.name,
        kernel.inputs,
        outputs,
        library,
        work=scratch + kernel.work,
        lanes=1,
    )
    made.inner = kernel  # its code must live as long
    return made


def _room(port: Port) -> int:
    """Return the doubles of scratch of an output: whole cache lines, none for a full one."""
    return 0 if port.nonzeros is None else -(-max(port.size, 1) // 8) * 8


def _single(kernel: Kernel) -> list[str]:
    """Return the lines of `void kernel(in, out, work)`."""
    head = ["declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"]
    body = [
        "define void @kernel(ptr %in, ptr %out, ptr %work) {",
        f"  %outs = alloca [{len(kernel.outputs)} x ptr]",
    ]
    after: list[str] = []
    start = 0
    for j, port in enumerate(kernel.outputs):
        body += [
            f"  %a{j} = getelementptr ptr, ptr %out, i64 {j}",
            f"  %t{j} = load ptr, ptr %a{j}",
            f"  %s{j} = getelementptr double, ptr %work, i64 {start}",
            f"  %o{j} = getelementptr ptr, ptr %outs, i64 {j}",
            f"  store ptr {f'%t{j}' if port.nonzeros is None else f'%s{j}'}, ptr %o{j}",
        ]
        if port.nonzeros is not None:
            head.append(_places(j, port))
            after += _scatter(j, port)
        start += _room(port)
    body += [
        f"  %rest = getelementptr double, ptr %work, i64 {start}",
        f"  %f = inttoptr i64 {kernel.address} to ptr",
        "  call void %f(ptr %in, ptr %outs, ptr %rest)",
        *after,
        "  ret void",
        "}",
    ]
    return head + body


def _places(j: int, port: Port) -> str:
    numbers = ", ".join(f"i64 {place}" for place in port.nonzeros or ()) or "i64 0"
    return f"@p{j} = private constant [{max(port.size, 1)} x i64] [{numbers}]"


def _scatter(j: int, port: Port) -> list[str]:
    """Return the lines that clear output j and put its entries in their places."""
    size = 8 * port.rows * port.cols
    lines = [f"  call void @llvm.memset.p0.i64(ptr %t{j}, i8 0, i64 {size}, i1 0)"]
    if not port.size:
        return lines
    return [
        *lines,
        f"  br label %a{j}.done",
        f"a{j}.done:",
        f"  br label %b{j}",
        f"b{j}:",
        f"  %i{j} = phi i64 [0, %a{j}.done], [%n{j}, %b{j}]",
        f"  %q{j} = getelementptr i64, ptr @p{j}, i64 %i{j}",
        f"  %r{j} = load i64, ptr %q{j}",
        f"  %v{j} = getelementptr double, ptr %s{j}, i64 %i{j}",
        f"  %x{j} = load double, ptr %v{j}",
        f"  %y{j} = getelementptr double, ptr %t{j}, i64 %r{j}",
        f"  store double %x{j}, ptr %y{j}",
        f"  %n{j} = add i64 %i{j}, 1",
        f"  %c{j} = icmp ult i64 %n{j}, {port.size}",
        f"  br i1 %c{j}, label %b{j}, label %e{j}",
        f"e{j}:",
    ]


def _loop(kernel: Kernel) -> list[str]:
    """Return the lines of the batch entry: one instance after the other."""
    ni, no = max(len(kernel.inputs), 1), max(len(kernel.outputs), 1)
    lines = [
        "define void @kernel_batch(i64 %n, ptr %in, ptr %is, ptr %out, ptr %os, ptr %work) {",
        "entry:",
        f"  %ins = alloca [{ni} x ptr]",
        f"  %outs = alloca [{no} x ptr]",
        "  %some = icmp sgt i64 %n, 0",
        "  br i1 %some, label %next, label %end",
        "next:",
        "  %i = phi i64 [0, %entry], [%up, %next]",
    ]
    for kind, count in (("i", len(kernel.inputs)), ("o", len(kernel.outputs))):
        base, stride, own = (f"%{'in' if kind == 'i' else 'out'}", f"%{kind}s",
                             "%ins" if kind == "i" else "%outs")  # fmt: skip
        for j in range(count):
            k = f"{kind}{j}"
            lines += [
                f"  %a{k} = getelementptr ptr, ptr {base}, i64 {j}",
                f"  %b{k} = load ptr, ptr %a{k}",
                f"  %c{k} = getelementptr i64, ptr {stride}, i64 {j}",
                f"  %d{k} = load i64, ptr %c{k}",
                f"  %e{k} = mul i64 %d{k}, %i",
                f"  %f{k} = getelementptr double, ptr %b{k}, i64 %e{k}",
                f"  %g{k} = getelementptr ptr, ptr {own}, i64 {j}",
                f"  store ptr %f{k}, ptr %g{k}",
            ]
    return [
        *lines,
        "  call void @kernel(ptr %ins, ptr %outs, ptr %work)",
        "  %up = add i64 %i, 1",
        "  %more = icmp slt i64 %up, %n",
        "  br i1 %more, label %next, label %end",
        "end:",
        "  ret void",
        "}",
    ]
