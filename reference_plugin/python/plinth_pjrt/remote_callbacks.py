# SPDX-License-Identifier: Apache-2.0
"""Python callbacks of programs that run in a plinth-serve: pure_callback, io_callback, debug.print.

jaxlib's client of the proxy protocol does not run host callbacks. So programs call the server's
custom call `plinth_callback_call`, which waits, and a thread here asks the server for such calls
with programs of its own, over a second connection: the first may be waiting for the program.
impl/serve/callbacks.h has the four custom calls.
"""

from __future__ import annotations

import atexit
import collections
import dataclasses
import functools
import inspect
import itertools
import logging
import secrets
import threading
import traceback
import weakref
from typing import Any, Callable, Sequence

import numpy as np

_logger = logging.getLogger(__name__)
# Functions whose program is gone: one of its executions may still be under way.
_KEPT = 256


class _Function:
    """One callback of one program, with what it takes and gives."""

    def __init__(self, callback: Callable, operands: Sequence[Any], results: Sequence[Any]) -> None:
        self._callback = callback
        self._operands = [(np.dtype(aval.dtype), tuple(aval.shape)) for aval in operands]
        self._results = [(np.dtype(aval.dtype), tuple(aval.shape)) for aval in results]
        self.operand_bytes = sum(_size(*one) for one in self._operands)

    def __call__(self, operands: np.ndarray) -> np.ndarray:
        arguments, at = [], 0
        for dtype, shape in self._operands:
            size = _size(dtype, shape)
            arguments.append(operands[at:at + size].copy().view(dtype).reshape(shape))
            at += size
        given = tuple(self._callback(*arguments))
        if len(given) != len(self._results):
            raise RuntimeError(f"a callback returned {len(given)} values, not {len(self._results)}")
        parts = []
        for i, (value, (dtype, shape)) in enumerate(zip(given, self._results)):
            array = np.asarray(value)
            if array.dtype != dtype and np.dtype(_canonical(array.dtype)) == dtype:
                array = array.astype(dtype)
            if (array.dtype, array.shape) != (dtype, shape):
                raise RuntimeError(f"result {i} of a callback is {array.dtype}{list(array.shape)}, "
                                   f"not {dtype}{list(shape)}")
            parts.append(np.ascontiguousarray(array).reshape(-1).view(np.uint8))
        return np.concatenate(parts) if parts else np.zeros(0, np.uint8)


def _size(dtype: np.dtype, shape: tuple[int, ...]) -> int:
    return dtype.itemsize * int(np.prod(shape, dtype=np.int64))


def _canonical(dtype: np.dtype) -> Any:
    from jax import dtypes

    return dtypes.canonicalize_dtype(dtype)


class _Callbacks:
    """The callbacks of one backend, and the thread that asks its server for calls."""

    def __init__(self, connect: Callable[[], Any]) -> None:
        self.key = "plinth-callbacks:" + secrets.token_hex(16)
        self._backend = connect()
        self._device = self._backend.local_devices()[0]
        self._numbers = itertools.count(1)
        self._functions: dict[int, _Function] = {}
        self._gone: collections.deque[int] = collections.deque()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._reply_program: Callable | None = None

    def add(self, owner: Any, function: _Function) -> int:
        """Its number, as long as `owner` is kept by the program."""
        with self._lock:
            number = next(self._numbers)
            self._functions[number] = function
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name="plinth-callbacks", daemon=True)
                self._thread.start()
                atexit.register(self._stop)
        weakref.finalize(owner, self._forget, number).atexit = False
        return number

    def _forget(self, number: int) -> None:
        self._gone.append(number)
        while len(self._gone) > _KEPT:
            self._functions.pop(self._gone.popleft(), None)

    def _program(self, target: str, result: tuple[int, ...], dtype: Any = np.uint32) -> Callable:
        import jax
        import jax.ffi

        call = jax.ffi.ffi_call(target, jax.ShapeDtypeStruct(result, dtype), has_side_effect=True)
        return jax.jit(lambda *operands: call(*operands, key=self.key))

    def _run(self, program: Callable, *operands: np.ndarray) -> Any:
        import jax

        with jax.default_device(self._device):
            return program(*(jax.device_put(one, self._device) for one in operands))

    def _serve(self) -> None:
        try:
            poll = self._program("plinth_callback_poll", (2,))
            while True:
                number, index = (int(one) for one in np.asarray(self._run(poll)))
                if number == 0:
                    return
                # Each on its own thread: a callback may wait for a program with another one.
                threading.Thread(target=self._answer, args=(number, index), daemon=True,
                                 name="plinth-callback").start()
        except Exception:  # The server is gone: so is everything that could call.
            _logger.debug("no more callbacks", exc_info=True)

    def _answer(self, number: int, index: int) -> None:
        try:
            function = self._functions.get(index)
            if function is None:
                raise RuntimeError("the callback is of a program that is gone")
            operands = np.zeros(0, np.uint8)
            if function.operand_bytes:
                operands = np.asarray(self._run(self._fetch(function.operand_bytes),
                                                np.array([number], np.uint32)))
            failed, result = 0, function(operands)
        except BaseException:  # Whatever it is, somebody waits for an answer.
            failed, result = 1, np.frombuffer(traceback.format_exc().encode(), np.uint8)
        try:
            self._reply(number, failed, result)
        except Exception:
            _logger.debug("a callback could not be answered", exc_info=True)

    @functools.lru_cache(maxsize=256)
    def _fetch(self, size: int) -> Callable:
        return self._program("plinth_callback_fetch", (size,), np.uint8)

    def _reply(self, number: int, failed: int, result: np.ndarray) -> None:
        with self._lock:
            if self._reply_program is None:
                self._reply_program = self._program("plinth_callback_reply", (1,))
        self._run(self._reply_program, np.array([number, failed], np.uint32), result)

    def _stop(self) -> None:
        """Before JAX gives its backends up: what was started is finished, then the thread ends."""
        import jax

        try:
            jax.effects_barrier()
            self._reply(0, 0, np.zeros(0, np.uint8))
            self._thread.join(timeout=10)
        except Exception:
            _logger.debug("callbacks ended early", exc_info=True)


_backends: weakref.WeakKeyDictionary[Any, _Callbacks] = weakref.WeakKeyDictionary()
_platforms: dict[str, Callable[[], Any]] = {}
_installing = threading.Lock()


def _connection(backend: Any) -> Callable[[], Any] | None:
    """How to connect to the server of a backend once more; None for backends without one."""
    from jax._src import xla_bridge

    for name, connect in _platforms.items():
        if xla_bridge._backends.get(name) is backend:
            return connect
    return None


class _Owner:
    """Lives as long as the program that JAX made."""


def _emit(backend: Any, connect: Callable[[], Any], ctx: Any, callback: Callable, token: Any, operands: Sequence[Any],
          operand_avals: Sequence[Any], result_avals: Sequence[Any], *,
          has_side_effect: bool, partitioned: bool = False, sharding: Any = None,
          **_: Any) -> tuple[Any, Any, Any]:
    """What emit_python_callback of JAX does, with a call that the server sends here."""
    from jax._src import core, ffi
    from jax._src.interpreters import mlir

    if partitioned:
        raise NotImplementedError("partitioned callbacks do not reach a remote server")
    for aval in (*operand_avals, *result_avals):
        if np.dtype(aval.dtype).name in ("int2", "uint2", "int4", "uint4", "float4_e2m1fn"):
            raise NotImplementedError(f"callbacks with {aval.dtype} do not reach a remote server")
    with _installing:
        callbacks = _backends.get(backend)
        if callbacks is None:
            callbacks = _backends[backend] = _Callbacks(connect)
    owner = _Owner()
    index = callbacks.add(owner, _Function(callback, operand_avals, result_avals))
    ctx.module_context.add_keepalive(owner)
    inputs, outputs = list(operand_avals), list(result_avals)
    if token:
        operands = [token, *operands]
        inputs.insert(0, core.abstract_token)
        outputs.insert(0, core.abstract_token)
    lower = ffi.build_ffi_lowering_function("plinth_callback_call", has_side_effect=has_side_effect)
    call = lower(dataclasses.replace(ctx, avals_in=inputs, avals_out=outputs), *operands,
                 key=callbacks.key, index=np.uint32(index))
    if token and outputs[1:] and hasattr(sharding, "shardings"):
        # Shardy wants one for each result, the token too.
        first = sharding.shardings[0]
        dims = next(f.name for f in dataclasses.fields(first) if f.name.startswith("dim"))
        sharding = type(sharding)((dataclasses.replace(first, **{dims: ()}), *sharding.shardings))
    if sharding is not None:
        # JAX 0.10 wants its module's context too.
        takes_context = len(inspect.signature(mlir.set_sharding).parameters) == 3
        mlir.set_sharding(*([ctx.module_context] if takes_context else []), call, sharding)
    results = list(call.results)
    token = results.pop(0) if token else token
    return results, token, callback


def install(platform: str, connect: Callable[[], Any]) -> None:
    """Makes callbacks of that platform's programs travel; those of others stay as they are.

    connect: makes another client of its server.
    """
    from jax._src import callback as jax_callback
    from jax._src.interpreters import mlir

    with _installing:
        _platforms[platform] = connect
        if len(_platforms) > 1:
            return
        for module in (jax_callback, mlir):
            original = getattr(module, "emit_python_callback", None)
            if original is not None:
                module.emit_python_callback = _wrapped(original)


def _wrapped(original: Callable) -> Callable:
    signature = inspect.signature(original)

    @functools.wraps(original)
    def emit(*args: Any, **keywords: Any) -> Any:
        given = signature.bind(*args, **keywords).arguments
        backend = given["ctx"].module_context.get_backend()
        connect = _connection(backend)
        if connect is None:
            return original(*args, **keywords)
        return _emit(backend, connect, **given)

    return emit
