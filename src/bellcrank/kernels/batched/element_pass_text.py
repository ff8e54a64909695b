"""The native function behind `passes`, in LLVM's assembly language."""


def module(symbol: str, chunk: int) -> str:
    """Return the module that exports `void symbol(int64 *table)`.

    Args:
        symbol: The name of the function.
        chunk: How many elements are taken at a time.
    """
    return f"""
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare i64 @llvm.smin.i64(i64, i64)
{_entries("zero", 2, "p", _ZERO)}
{_entries("gather", 4, "ppp", _numbers(_GATHER))}
{_entries("shift", 3, "p", _SHIFT)}
{_entries("add", 4, "ppp", _numbers(_ADD))}
{_run(chunk)}
define void @{symbol}(ptr %table) {{
start:
  %runs.at = getelementptr i64, ptr %table, i64 1
  %first = getelementptr i64, ptr %table, i64 2
  %totals = load i64, ptr %table
  %runs = load i64, ptr %runs.at
  %begin = call ptr @zero(ptr %first, i64 %totals, i64 0, i64 0)
  br label %head
head:
  %k = phi i64 [ 0, %start ], [ %k.next, %body ]
  %at = phi ptr [ %begin, %start ], [ %at.next, %body ]
  %more = icmp slt i64 %k, %runs
  br i1 %more, label %body, label %end
body:
  %at.next = call ptr @run(ptr %at)
  %k.next = add i64 %k, 1
  br label %head
end:
  ret void
}}
"""


def _read(names: str, at: str, pointers: str) -> str:
    """Return code that reads integers at %at into %e0, %e1, …; some are addresses."""
    lines = []
    for n, name in enumerate(names.split()):
        kind = "ptr" if n < len(pointers) and pointers[n] == "p" else "i64"
        lines.append(f"  %{name}.at = getelementptr i64, ptr %{at}, i64 {n}")
        lines.append(f"  %{name} = load {kind}, ptr %{name}.at")
    return "\n".join(lines)


def _entries(name: str, count: int, pointers: str, body: str) -> str:
    """Return a function that does `body` for %n entries from %begin on, and returns their end.

    It is told which elements are in hand: %count of them from %first on.
    """
    return f"""
define internal ptr @{name}(ptr %begin, i64 %n, i64 %first, i64 %count) {{
start:
  br label %head
head:
  %k = phi i64 [ 0, %start ], [ %k.next, %next ]
  %at = phi ptr [ %begin, %start ], [ %at.next, %next ]
  %more = icmp slt i64 %k, %n
  br i1 %more, label %entry, label %end
entry:
{_read(" ".join(f"e{i}" for i in range(count)), "at", pointers)}
{body}
next:
  %at.next = getelementptr i64, ptr %at, i64 {count}
  %k.next = add i64 %k, 1
  br label %head
end:
  ret ptr %at
}}"""


def _numbers(step: str) -> str:
    """Return a loop over all numbers of an entry: %i in the room, %j its place."""
    return f"""  %all = mul i64 %count, %e3
  %skip = mul i64 %first, %e3
  %places = getelementptr i32, ptr %e1, i64 %skip
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %step ]
  %go = icmp slt i64 %i, %all
  br i1 %go, label %step, label %next
step:
  %where = getelementptr i32, ptr %places, i64 %i
  %short = load i32, ptr %where
  %j = zext i32 %short to i64
{step}
  %i.next = add i64 %i, 1
  br label %loop"""


_ZERO = """  %bytes = mul i64 %e1, 8
  call void @llvm.memset.p0.i64(ptr %e0, i8 0, i64 %bytes, i1 false)
  br label %next"""

_SHIFT = """  %skip = mul i64 %first, %e2
  %moved = add i64 %e1, %skip
  store i64 %moved, ptr %e0
  br label %next"""

_GATHER = """  %from = getelementptr double, ptr %e0, i64 %j
  %value = load double, ptr %from
  %to = getelementptr double, ptr %e2, i64 %i
  store double %value, ptr %to"""

_ADD = """  %from = getelementptr double, ptr %e0, i64 %i
  %value = load double, ptr %from
  %to = getelementptr double, ptr %e2, i64 %j
  %before = load double, ptr %to
  %after = fadd double %before, %value
  store double %after, ptr %to"""


def _run(chunk: int) -> str:
    """Return the function that runs a kernel over all elements and returns its table's end."""
    names = "kernel elements inputs strides outputs sizes scratch gathers shifts sums"
    more = "ptr %sizes, ptr %scratch"
    return f"""
define internal ptr @run(ptr %run) {{
start:
{_read(names, "run", "p.ppppp")}
  %rest = getelementptr i64, ptr %run, i64 {len(names.split())}
  br label %head
head:
  %first = phi i64 [ 0, %start ], [ %first.next, %body ]
  %left = sub i64 %elements, %first
  %more = icmp sgt i64 %left, 0
  br i1 %more, label %body, label %end
body:
  %count = call i64 @llvm.smin.i64(i64 %left, i64 {chunk})
  %second = call ptr @gather(ptr %rest, i64 %gathers, i64 %first, i64 %count)
  %third = call ptr @shift(ptr %second, i64 %shifts, i64 %first, i64 %count)
  call void %kernel(i64 %count, ptr %inputs, ptr %strides, ptr %outputs, {more})
  %last = call ptr @add(ptr %third, i64 %sums, i64 %first, i64 %count)
  %first.next = add i64 %first, {chunk}
  br label %head
end:
  %g = mul i64 %gathers, 4
  %s = mul i64 %shifts, 3
  %a = mul i64 %sums, 4
  %gs = add i64 %g, %s
  %all = add i64 %gs, %a
  %next = getelementptr i64, ptr %rest, i64 %all
  ret ptr %next
}}"""
