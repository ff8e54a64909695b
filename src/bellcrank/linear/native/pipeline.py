"""Numba as a front end: functions are typed and written as LLVM text, and left there.

Left to itself Numba makes machine code of every function it meets, with all that the function
calls, only to have an address by which Python could call it. Nobody does: the whole is compiled
once, at the end, by `build`. Without these addresses a routine takes half the time to make.
"""

from typing import Any, Literal

from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core import codegen, compiler, compiler_machinery, typed_passes


class Listed(codegen.JITCodeLibrary):
    """The LLVM text of a function and of what it calls."""

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0: there is no machine code."""
        self._ensure_finalized()
        return 0

    def _finalize_final_module(self) -> None:
        self._finalized = True


@compiler_machinery.register_pass(mutates_CFG=True, analysis_only=False)
class TextLowering(typed_passes.NativeLowering):
    """The last pass of Numba, without machine code."""

    _name = "bellcrank_lowering"

    def run_pass(self, state: Any) -> Literal[True]:
        """Write the LLVM text of a function and make it known to those that call it."""
        state.library = Listed(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        made, library = state["cr"], state.library
        # Callers find the text under an object that Python could call, were there an address.
        name = made.fndesc.qualname.rpartition(".")[2]
        module = made.fndesc.lookup_module()
        key = _dynfunc.make_function(module, name, name, 0, made.env, (library,))
        state.targetctx.insert_user_function(key, made.fndesc, [library])
        state["cr"] = made._replace(cfunc=key)
        return True


class Listing(compiler.CompilerBase):
    """Numba's passes in their order, with the last one replaced."""

    def define_pipelines(self) -> list[Any]:
        """Return the one pipeline."""
        found = compiler_machinery.PassManager("bellcrank")
        for each, text in compiler.DefaultPassBuilder.define_nopython_pipeline(
            self.state
        ).passes:
            found.add_pass(TextLowering if each is typed_passes.NativeLowering else each, text)
        found.finalize()
        return [found]
