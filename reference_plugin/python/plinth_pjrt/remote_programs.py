# SPDX-License-Identifier: Apache-2.0
"""The HLO of programs that a plinth-serve compiled: `Compiled.as_text()` and `hlo_modules()`.

jaxlib's client asks a server for a text and refuses HLO modules. A plugin's program is StableHLO or
HLO, most often in bytes, and HLO only jaxlib can print. So a server sends the program itself, in a
text, to clients that ask for that in their session; here jaxlib makes HLO of it, as it does with
the program of a plugin in its own process.
"""

from __future__ import annotations

import base64
import functools
from typing import Any, Callable

# Both are names of impl/serve/session.h.
SESSION_ATTRIBUTE = "plinth_reads_encoded_programs"
_MARK = "plinth-program:"
_HLO_MODULE = 1  # The field of a HloModuleProtoWithConfig.


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of a protocol buffer, and where it ends."""
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def _without_config(data: bytes) -> bytes:
    """The HloModuleProto of a HloModuleProtoWithConfig, whose fields all have a length."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        size, at = _varint(data, at)
        if key == _HLO_MODULE << 3 | 2:
            return data[at:at + size]
        at += size
    return b""


def _module(text: str) -> Any:
    """The HloModule of what a server answered."""
    from jax._src.lib import _jax, xla_client

    form, _, encoded = text.removeprefix(_MARK).partition(":")
    code = base64.b64decode(encoded + "=" * (-len(encoded) % 4))
    if form == "mlir":
        computation = _jax.mlir.mlir_module_to_xla_computation(code)
    elif form in ("hlo", "hlo_with_config"):
        computation = xla_client.XlaComputation(_without_config(code) if form != "hlo" else code)
    else:
        raise NotImplementedError(f"the plugin of the server gives programs as {form!r}, not as HLO")
    return computation.get_hlo_module()


@functools.cache
def install() -> None:
    """Makes executables of jaxlib print and give the HLO that a server sent. Others stay as they
    are, and so do those of releases that ask a server for no text."""
    from jax._src.lib import _jax

    executable = _jax.LoadedExecutable
    if not hasattr(executable, "get_hlo_text"):
        return
    ask: Callable[[Any], str] = executable.get_hlo_text
    modules: Callable[[Any], list[Any]] = executable.hlo_modules

    def get_hlo_text(self: Any) -> str:
        text = ask(self)
        return _module(text).to_string() if text.startswith(_MARK) else text

    def hlo_modules(self: Any) -> list[Any]:
        try:
            return modules(self)
        except _jax.JaxRuntimeError as refused:
            if "UNIMPLEMENTED" not in str(refused):
                raise
            text = ask(self)
            if not text.startswith(_MARK):
                raise
            return [_module(text)]

    executable.get_hlo_text = get_hlo_text
    executable.hlo_modules = hlo_modules
