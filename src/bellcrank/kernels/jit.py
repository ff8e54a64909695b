"""Machine code: from LLVM text to object bytes, from object bytes to addresses.

Object code is made by `assemble` for the processor we run on, can be kept on disk, and is
brought to life by `link`. Linking takes about a millisecond; it is all that a machine seen
before needs, so this module imports nothing but `llvmlite.binding`.

Symbols an object leaves open are looked up in `imports` first, then in the running process
(the C library's sine and exponential, for example).
"""

import functools
import itertools
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

import llvmlite.binding as llvm

from bellcrank.errors import BellcrankError

_lock = threading.RLock()
_serial = itertools.count()


class LinkError(BellcrankError, RuntimeError):
    """Object code that cannot be brought into the running process."""


class Library(Mapping[str, int]):
    """Addresses of linked symbols, by name. The code lives as long as this object does."""

    def __init__(self, addresses: Mapping[str, int], tracker: object) -> None:
        self._addresses = dict(addresses)
        self._tracker = tracker  # dropping it unloads the code

    def __getitem__(self, name: str) -> int:
        return self._addresses[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._addresses)

    def __len__(self) -> int:
        return len(self._addresses)


@functools.cache
def _native() -> llvm.Target:
    """Return the target of this computer, LLVM being set up for it."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple()


@functools.cache
def cpu() -> tuple[str, str]:
    """Return the name and the feature string of the processor, as LLVM knows them."""
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


@functools.cache
def feature(name: str) -> bool:
    """Say whether the processor has a feature such as `fma` or `avx512f`."""
    if name == "fma" and not _native().triple.startswith(("x86_64", "i386", "i686")):
        return True  # every 64-bit processor that is not x86 fuses
    return f"+{name}" in cpu()[1].split(",")


@functools.cache
def triple() -> str:
    """Return the target triple of this computer."""
    return _native().triple


def machine(level: int) -> llvm.TargetMachine:
    """Return a code generator for this processor at optimization `level` 0 to 3."""
    name, features = cpu()
    return _native().create_target_machine(
        cpu=name, features=features, opt=level, reloc="pic", codemodel="small"
    )


@contextmanager
def _scheduler(on: bool) -> Iterator[None]:
    """Switch the machine scheduler off for a while, or leave it on.

    LLVM's options are process-wide, so the default is put back.
    """
    if on:
        yield
        return
    llvm.set_option("bellcrank", "-enable-misched=false")
    try:
        yield
    finally:
        llvm.set_option("bellcrank", "-enable-misched=true")


def assemble(text: str, level: int = 1, *, schedule: bool = True) -> bytes:
    """Return position-independent object code for LLVM text. No IR pass is run.

    Args:
        text: A module in LLVM's assembly language.
        level: Effort of code generation, 0 to 3.
        schedule: Whether instructions are ordered for the processor: straight-line code runs
            a tenth faster and, where it is long, compiles a third slower.
    """
    with _lock, _scheduler(schedule):
        return machine(level).emit_object(llvm.parse_assembly(text))


def listing(text: str, level: int = 1) -> str:
    """Return the processor's assembly language for LLVM text, to read."""
    with _lock:
        return machine(level).emit_assembly(llvm.parse_assembly(text))


@functools.cache
def _linker() -> llvm.LLJIT:
    if llvm.address_of_symbol("atan2") is None:  # an executable without the C mathematics
        llvm.load_library_permanently("libm.so.6")
    # LLVM's older linker knows nothing of Apple's processors.
    return llvm.create_lljit_compiler(machine(1), use_jit_link=sys.platform == "darwin")


def link(
    code: bytes, symbols: Iterable[str], imports: Mapping[str, int] | None = None
) -> Library:
    """Bring object code into the process and return the addresses of `symbols`.

    Args:
        code: An object file. It must come from us: nothing about it can be checked here.
        symbols: Names of the functions wanted.
        imports: Addresses of symbols that `code` leaves open. Whatever is not among them
            is looked for in the running process.

    Raises:
        LinkError: If this is no object file, or a symbol is missing.
    """
    names = tuple(symbols)
    builder = llvm.JITLibraryBuilder().add_object_img(code)
    for name, address in (imports or {}).items():
        builder.import_symbol(name, address)
    builder.add_current_process()
    for name in names:
        builder.export_symbol(name)
    try:
        with _lock:
            tracker = builder.link(_linker(), f"bellcrank{next(_serial)}")
    except RuntimeError as problem:
        raise LinkError(f"cannot link {', '.join(names)}: {problem}") from problem
    return Library({name: tracker[name] for name in names}, tracker)
