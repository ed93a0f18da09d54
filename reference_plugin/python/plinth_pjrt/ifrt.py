# SPDX-License-Identifier: Apache-2.0
"""Arrays over the devices of any PJRT plugin: plinth_ifrt.h by ctypes, with NumPy alone.

    client = ifrt.connect(num_devices=8)
    rows = client.named(ifrt.Mesh(client.devices, {"x": 8}), ["x"])
    x = client.put(numpy.arange(16.0), rows)
    f = client.load("model.mlir")

Any thread may use any object. What goes wrong raises `Error`, whose `code` is the name of the
standard code; what fails later is raised by whoever reads the array or waits for it.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from plinth_pjrt import _ifrt_c as _c
from plinth_pjrt import dlpack as _dlpack
from plinth_pjrt._ifrt_c import CODES, Error  # noqa: F401 (for users)

# NumPy's names, and those of ml_dtypes, in the order of PJRT_Buffer_Type.
_TYPES = ("", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "float16", "float32", "float64", "bfloat16", "complex64", "complex128", "float8_e5m2",
          "float8_e4m3fn", "float8_e4m3b11fnuz", "float8_e5m2fnuz", "float8_e4m3fnuz", "int4",
          "uint4", "", "int2", "uint2", "float8_e4m3", "float8_e3m4", "float8_e8m0fnu",
          "float4_e2m1fn", "int1", "uint1", "float6_e2m3fn", "float6_e3m2fn")
ALWAYS_COPY, REUSE, DONATE = 0, 1, 2


class Device:
    """A device of a client. Compares by identity of the device."""

    def __init__(self, client: Client, handle: int) -> None:
        self._client, self._handle = client, _c.P(handle)
        self.id: int = _c.lib.plinth_ifrt_device_id(self._handle)
        self.process_index: int = _c.lib.plinth_ifrt_device_process_index(self._handle)
        self.is_addressable: bool = _c.lib.plinth_ifrt_device_is_addressable(self._handle)
        self.kind: str = _c.lib.plinth_ifrt_device_kind(self._handle).decode()
        count = _c.lib.plinth_ifrt_device_num_memories(self._handle)
        self.memory_kinds: list[str] = [
            _c.lib.plinth_ifrt_device_memory_kind(self._handle, _c.SIZE(i)).decode()
            for i in range(count)]

    def __repr__(self) -> str:
        return f"<{self.kind} device {self.id}>"


class Mesh:
    """Devices along named axes, row-major: Mesh(devices, {"x": 4, "y": 2})."""

    def __init__(self, devices: Sequence[Device], axes: Mapping[str, int]) -> None:
        self.devices, self.axes = list(devices), dict(axes)


class Sharding(_c.Counted):
    """Which part of an array each device has."""

    _release = "plinth_ifrt_sharding_release"

    def __init__(self, client: Client, handle: int) -> None:
        super().__init__(handle)
        self._client = client

    @property
    def devices(self) -> list[Device]:
        count = _c.SIZE()
        listed = _c.lib.plinth_ifrt_sharding_devices(self._handle, ctypes.byref(count))
        handles = (_c.P * count.value).from_address(listed) if count.value else ()
        return [self._client._by_handle[handle] for handle in handles]

    @property
    def memory_kind(self) -> str:
        return _c.lib.plinth_ifrt_sharding_memory_kind(self._handle).decode()

    @property
    def is_fully_replicated(self) -> bool:
        return _c.lib.plinth_ifrt_sharding_is_fully_replicated(self._handle)

    def indices(self, shape: Sequence[int]) -> list[tuple[slice, ...]]:
        """What each device has of an array of that shape."""
        rank, count = len(shape), len(self.devices)
        origins, extents = _c.ints([0] * (count * rank)), _c.ints([0] * (count * rank))
        _c.check(_c.lib.plinth_ifrt_sharding_index_domains(
            self._handle, _c.ints(shape), _c.SIZE(rank), ctypes.c_bool(False), origins, extents))
        return [tuple(slice(origins[at], origins[at] + extents[at])
                      for at in range(i * rank, (i + 1) * rank)) for i in range(count)]

    def shard_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        out = _c.ints([0] * len(shape))
        _c.check(_c.lib.plinth_ifrt_sharding_shard_shape(self._handle, _c.ints(shape),
                                                         _c.SIZE(len(shape)), out))
        return tuple(out[:len(shape)])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sharding) and _c.lib.plinth_ifrt_sharding_equal(
            self._handle, other._handle, None, _c.SIZE(0))

    def __hash__(self) -> int:
        return hash(_c.lib.plinth_ifrt_sharding_hash(self._handle))

    def __repr__(self) -> str:
        return f"<{_c.text(_c.lib.plinth_ifrt_sharding_text(self._handle))}>"


class Future(_c.Counted):
    """Something that completes once; `await` it in asyncio, or `wait`."""

    _release = "plinth_ifrt_future_release"
    _waiting: dict[int, Any] = {}

    def __init__(self, handle: int, value: Any = None) -> None:
        super().__init__(handle)
        self._value = value

    @property
    def is_ready(self) -> bool:
        return _c.lib.plinth_ifrt_future_is_ready(self._handle)

    def wait(self, timeout: float | None = None) -> Any:
        """Blocks for at most `timeout` seconds; returns the value, or raises the error."""
        limit = -1 if timeout is None else int(timeout * 1000)
        _c.check(_c.lib.plinth_ifrt_future_await(self._handle, ctypes.c_int64(limit)))
        return self._value

    def then(self, callback: Callable[[Error | None], None]) -> None:
        """Calls back once, here or on the thread that completes it; with the error, if any."""
        def run(status: int | None, _: int | None) -> None:
            Future._waiting.pop(key, None)
            try:
                _c.check(status)
            except Error as error:
                callback(error)
            else:
                callback(None)

        held = _c.ON_READY(run)
        key = id(held)
        Future._waiting[key] = held  # Until it was called.
        _c.lib.plinth_ifrt_future_on_ready(self._handle, held, None)

    def __await__(self) -> Any:
        import asyncio

        loop = asyncio.get_running_loop()
        inner = loop.create_future()

        def finish(error: Error | None) -> None:
            if inner.cancelled():
                return
            if error is None:
                inner.set_result(self._value)
            else:
                inner.set_exception(error)

        self.then(lambda error: loop.call_soon_threadsafe(finish, error))
        return inner.__await__()


class Array(_c.Counted):
    """An array over devices. NumPy reads it: numpy.asarray(array)."""

    _release = "plinth_ifrt_array_release"

    def __init__(self, client: Client, handle: int) -> None:
        super().__init__(handle)
        self._client = client
        count = _c.SIZE()
        dims = _c.lib.plinth_ifrt_array_dims(self._handle, ctypes.byref(count))
        listed = (ctypes.c_int64 * count.value).from_address(dims) if count.value else ()
        self.shape: tuple[int, ...] = tuple(listed)

    @property
    def dtype(self) -> np.dtype:
        return _dtype(_c.lib.plinth_ifrt_array_type(self._handle))

    @property
    def sharding(self) -> Sharding:
        borrowed = _c.P(_c.lib.plinth_ifrt_array_sharding(self._handle))
        _c.lib.plinth_ifrt_sharding_retain(borrowed)
        return Sharding(self._client, borrowed.value or 0)

    @property
    def layout(self) -> str:
        """How its shards lie on their devices, as XLA writes it: "{1,0}" is row-major."""
        text = _c.P()
        _c.check(_c.lib.plinth_ifrt_array_layout(self._handle, ctypes.byref(text)))
        return _c.text(text.value)

    @property
    def is_deleted(self) -> bool:
        return _c.lib.plinth_ifrt_array_is_deleted(self._handle)

    def delete(self) -> None:
        _c.lib.plinth_ifrt_arrays_delete(_c.pointers([self]), _c.SIZE(1))

    def ready(self) -> Future:
        """Completes when the contents are there."""
        future = _c.P()
        _c.check(_c.lib.plinth_ifrt_arrays_ready(self._client._handle, _c.pointers([self]), _c.SIZE(1),
                                                 ctypes.byref(future)))
        return Future(future.value or 0, self)

    def to_host(self) -> Future:
        """Starts a copy to the host; the value of the future is a NumPy array."""
        host = np.empty(self.shape, self.dtype)
        to = _c.HostDestination(data=host.ctypes.data if host.size else None)
        future = _c.P()
        _c.check(_c.lib.plinth_ifrt_arrays_to_host(self._client._handle, _c.pointers([self]), _c.SIZE(1),
                                                   ctypes.byref(to), ctypes.byref(future)))
        return Future(future.value or 0, host)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("an array over devices is copied to the host")
        host = self.to_host().wait()
        return host if dtype is None else host.astype(dtype)

    def _to_dlpack(self) -> int | None:
        """A DLManagedTensorVersioned; None where only a copy on the host is whole."""
        tensor = _c.P()
        try:
            _c.check(_c.lib.plinth_ifrt_array_to_dlpack(self._handle, ctypes.c_int64(-1),
                                                        ctypes.byref(tensor)))
        except Error as error:
            if error.code == "UNIMPLEMENTED" or not self.sharding.is_fully_replicated:
                return None
            raise
        return tensor.value

    def __dlpack__(self, *, stream: Any = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any:
        """Shares the memory of the device where each has the whole array and the consumer knows
        DLPack 1.x; else that of a copy on the host. Take the `shards` to share a cut array."""
        versioned = max_version is not None and max_version[0] >= 1
        tensor = self._to_dlpack() if versioned and not copy else None
        if tensor is None:
            if copy is False:
                raise BufferError("the array is cut, or the consumer knows no DLPack 1.x")
            return np.asarray(self).__dlpack__()
        return _dlpack.capsule(tensor)

    def __dlpack_device__(self) -> tuple[int, int]:
        tensor = self._to_dlpack()
        if tensor is None:
            return (1, 0)
        told = _dlpack.tensor_at(tensor)
        device = told.device_type, told.device_id
        _dlpack.delete(tensor)
        return device

    def reshard(self, sharding: Sharding, *, copy: int = ALWAYS_COPY,
                minor_to_major: Sequence[int] | None = None) -> Array:
        """The same array with another sharding: any cut, devices, memory. Its shards lie as those of
        `Client.put` do."""
        orders = None if minor_to_major is None else [minor_to_major]
        return self._client.reshard([self], [sharding], copy=copy, minor_to_major=orders)[0]

    def shards(self, *, copy: int = REUSE) -> list[Array]:
        """The shards on devices of this process."""
        count = _c.lib.plinth_ifrt_sharding_num_addressable(self.sharding._handle)
        made = (_c.P * max(count, 1))()
        _c.check(_c.lib.plinth_ifrt_array_disassemble(self._handle, copy, made))
        return [Array(self._client, made[i]) for i in range(count)]

    def __repr__(self) -> str:
        return f"<array {self.dtype}{list(self.shape)} {self.sharding!r}>"


class Executable(_c.Counted):
    """A program on devices; calling it runs it. It may still be compiling: calls wait."""

    _release = "plinth_ifrt_executable_release"

    def __init__(self, client: Client, handle: int) -> None:
        super().__init__(handle)
        self._client = client
        self._num_outputs: int | None = None

    def ready(self) -> Future:
        """Completes when it is compiled."""
        future = _c.P()
        _c.check(_c.lib.plinth_ifrt_executable_ready(self._handle, ctypes.byref(future)))
        return Future(future.value or 0, self)

    @property
    def num_outputs(self) -> int:
        if self._num_outputs is None:
            count = _c.SIZE()
            _c.check(_c.lib.plinth_ifrt_executable_num_outputs(self._handle, ctypes.byref(count)))
            self._num_outputs = count.value
        return self._num_outputs

    @property
    def devices(self) -> list[Device]:
        listed, count = _c.P(), _c.SIZE()
        _c.check(_c.lib.plinth_ifrt_executable_devices(self._handle, ctypes.byref(listed),
                                                       ctypes.byref(count)))
        handles = (_c.P * count.value).from_address(listed.value) if count.value else ()
        return [self._client._by_handle[handle] for handle in handles]

    def serialize(self) -> bytes:
        """Bytes that `Client.compile(..., format="serialized")` loads again."""
        data, size = _c.P(), _c.SIZE()
        _c.check(_c.lib.plinth_ifrt_executable_serialize(self._handle, ctypes.byref(data),
                                                         ctypes.byref(size)))
        copy = ctypes.string_at(data.value, size.value) if data.value else b""
        _c.lib.plinth_string_free(data)
        return copy

    def __call__(self, *arguments: Array | np.ndarray, launch_id: int = 0,
                 keep: Sequence[int] = (), device: Device | None = None) -> Array | tuple[Array, ...]:
        """Runs it: one result, or a tuple. NumPy arrays go to every device of the program."""
        everywhere: Sharding | None = None
        placed = []
        for argument in arguments:
            if not isinstance(argument, Array):
                if everywhere is None:
                    everywhere = self._client.replicated([device] if device else self.devices)
                argument = self._client.put(argument, everywhere)
            placed.append(argument)
        options = _c.ExecuteOptions(launch_id=launch_id, num_non_donatable=len(keep),
                                    device=device._handle if device else None)
        kept = _c.ints(keep)
        options.non_donatable = ctypes.cast(kept, _c.P)
        outputs = (_c.P * max(self.num_outputs, 1))()
        _c.check(_c.lib.plinth_ifrt_executable_execute(
            self._handle, _c.pointers(placed), _c.SIZE(len(placed)), ctypes.byref(options), outputs,
            _c.SIZE(self.num_outputs), None))
        results = tuple(Array(self._client, outputs[i]) for i in range(self.num_outputs))
        return results[0] if len(results) == 1 else results


class Client(_c.Counted):
    """A plugin's client; made by `connect`."""

    _release = "plinth_ifrt_client_release"

    def __init__(self, handle: int) -> None:
        super().__init__(handle)
        count = _c.SIZE()
        listed = _c.lib.plinth_ifrt_client_devices(self._handle, ctypes.byref(count))
        handles = (_c.P * count.value).from_address(listed) if count.value else ()
        # Weakly: devices hold the client.
        self._by_handle = _Devices(self, list(handles))

    @property
    def platform(self) -> str:
        return _c.lib.plinth_ifrt_client_platform_name(self._handle).decode()

    @property
    def devices(self) -> list[Device]:
        return [self._by_handle[handle] for handle in self._by_handle.handles]

    def _made(self, name: str, devices: Sequence[Device], memory: str | None, *rest: Any) -> Sharding:
        made = _c.P()
        kind = memory.encode() if memory else None
        _c.check(getattr(_c.lib, f"plinth_ifrt_sharding_{name}")(
            self._handle, _c.pointers(devices), _c.SIZE(len(devices)), kind, *rest, ctypes.byref(made)))
        return Sharding(self, made.value or 0)

    def single(self, device: Device | None = None, memory: str | None = None) -> Sharding:
        return self.replicated([device or self.devices[0]], memory)

    def replicated(self, devices: Sequence[Device] | None = None, memory: str | None = None) -> Sharding:
        return self._made("replicated", devices or self.devices, memory)

    def named(self, mesh: Mesh, dims: Sequence[str | Sequence[str] | None],
              memory: str | None = None) -> Sharding:
        """For each dimension the mesh axis, or axes, along which it is cut; None: it is whole."""
        names = list(mesh.axes)
        axes = [[] if d is None else [d] if isinstance(d, str) else list(d) for d in dims]
        unknown = [a for of_dim in axes for a in of_dim if a not in names]
        if unknown:
            raise Error("INVALID_ARGUMENT", f"the mesh has no axis {unknown[0]!r}; it has {names}")
        counts = (_c.SIZE * max(len(axes), 1))(*[len(of_dim) for of_dim in axes])
        flat = [names.index(a) for of_dim in axes for a in of_dim]
        indices = (_c.SIZE * max(len(flat), 1))(*flat)
        texts, sizes = _c.texts(names), _c.ints(mesh.axes.values())
        spec = _c.Named(axis_names=ctypes.cast(texts, _c.P), axis_sizes=ctypes.cast(sizes, _c.P),
                        num_axes=len(names), rank=len(axes), num_dim_axes=ctypes.cast(counts, _c.P),
                        dim_axes=ctypes.cast(indices, _c.P))
        return self._made("named", mesh.devices, memory, ctypes.byref(spec))

    def from_op_sharding(self, message: bytes, devices: Sequence[Device] | None = None,
                         memory: str | None = None) -> Sharding:
        return self._made("from_op_sharding", devices or self.devices, memory, message,
                          _c.SIZE(len(message)))

    def put(self, host: Any, sharding: Sharding | None = None, *,
            minor_to_major: Sequence[int] | None = None) -> Array:
        """An array with what the host has, on the first device if no sharding is given. Its shards lie
        on their devices with the first dimension of `minor_to_major` the fastest, or as the plugin
        likes."""
        host = np.asarray(host)
        if host.dtype.name not in _TYPES or host.dtype.byteorder == ">":
            raise Error("INVALID_ARGUMENT", f"no array on devices has type {host.dtype}")
        sharding = sharding or self.single()
        if minor_to_major is not None and len(minor_to_major) != host.ndim:
            raise Error("INVALID_ARGUMENT", f"a layout of {len(minor_to_major)} dimensions for {host.ndim}")
        dims, strides, order = _c.ints(host.shape), _c.ints(host.strides), _c.ints(minor_to_major or ())
        spec = _c.HostArray(type=_TYPES.index(host.dtype.name), dims=ctypes.cast(dims, _c.P),
                            num_dims=host.ndim, sharding=sharding._handle,
                            data=host.ctypes.data if host.size else None,
                            byte_strides=None if host.flags.c_contiguous else ctypes.cast(strides, _c.P),
                            minor_to_major=ctypes.cast(order, _c.P) if minor_to_major else None)
        made = (_c.P * 1)()
        _c.check(_c.lib.plinth_ifrt_arrays_from_host(self._handle, ctypes.byref(spec), _c.SIZE(1), 0, None,
                                                     None, made))
        return Array(self, made[0])

    def from_dlpack(self, tensors: Any, sharding: Sharding | None = None,
                    shape: Sequence[int] | None = None) -> Array:
        """An array over the memory of `tensors`, which stay alive with it: one object with the whole
        array, or a list of one for each shard, then with the `shape` of the whole. Elements stay
        where they are if the plugin can use them there."""
        given = list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]
        capsules = [_dlpack.versioned(tensor) for tensor in given]
        if not given or None in capsules:
            if len(given) != 1:
                raise Error("INVALID_ARGUMENT", f"{len(given)} tensors, of which none may be older than DLPack 1.x")
            return self.put(np.from_dlpack(given[0]), sharding)
        pointers = [_dlpack.pointer(capsule) for capsule in capsules]
        first = _dlpack.tensor_at(pointers[0])
        name = _dlpack.type_name(first)
        if name not in _TYPES:
            raise Error("UNIMPLEMENTED", f"DLPack tensors of type code {first.code}, {first.bits} bits")
        own = (ctypes.c_int64 * first.ndim).from_address(first.shape) if first.ndim else ()
        whole = list(own) if shape is None else list(shape)
        dims = _c.ints(whole)
        sharding = sharding or self.single()
        spec = _c.ArraySpec(type=_TYPES.index(name), dims=ctypes.cast(dims, _c.P), num_dims=len(whole),
                            sharding=sharding._handle)
        made = _c.P()
        _c.check(_c.lib.plinth_ifrt_array_from_dlpack(
            self._handle, ctypes.byref(spec), (_c.P * len(pointers))(*pointers), _c.SIZE(len(pointers)),
            ctypes.byref(made)))
        for capsule in capsules:
            _dlpack.use_up(capsule)
        return Array(self, made.value or 0)

    def copy(self, array: Array, devices: Sequence[Device] = (), memory: str | None = None, *,
             copy: int = ALWAYS_COPY) -> Array:
        """Cut in the same way on other devices, shard i on device i, or in another memory. Devices
        may be those of other processes, which then call this too, in the same order."""
        made = _c.P()
        _c.check(_c.lib.plinth_ifrt_arrays_copy(
            self._handle, _c.pointers([array]), _c.SIZE(1), _c.pointers(devices) if devices else None,
            _c.SIZE(len(devices)), memory.encode() if memory else None, copy, ctypes.byref(made)))
        return Array(self, made.value or 0)

    def reshard(self, arrays: Sequence[Array], shardings: Sequence[Sharding], *,
                copy: int = ALWAYS_COPY,
                minor_to_major: Sequence[Sequence[int] | None] | None = None) -> list[Array]:
        orders = [None] * len(arrays) if minor_to_major is None else list(minor_to_major)
        if len(arrays) != len(shardings) or len(arrays) != len(orders):
            raise Error("INVALID_ARGUMENT", f"{len(arrays)} arrays, {len(shardings)} shardings and "
                                            f"{len(orders)} layouts")
        for array, order in zip(arrays, orders):
            if order is not None and len(order) != len(array.shape):
                raise Error("INVALID_ARGUMENT",
                            f"a layout of {len(order)} dimensions for {len(array.shape)}")
        lists = [None if order is None else _c.ints(order) for order in orders]
        pointers = (_c.P * max(len(lists), 1))(*[None if order is None else ctypes.addressof(order)
                                                 for order in lists])
        made = (_c.P * max(len(arrays), 1))()
        _c.check(_c.lib.plinth_ifrt_arrays_reshard_to_layouts(
            self._handle, _c.pointers(arrays), _c.SIZE(len(arrays)), _c.pointers(shardings), pointers, copy,
            0, made))
        return [Array(self, made[i]) for i in range(len(arrays))]

    def compile(self, code: str | bytes, *, format: str = "mlir",
                devices: Sequence[Device] | None = None, portable: bool = False,
                use_shardy: bool = False, options: Mapping[str, Any] | None = None) -> Executable:
        """Starts to compile a program; its errors are raised by whoever uses it."""
        text = code.encode() if isinstance(code, str) else bytes(code)
        wanted = _c.CompileOptions(code=text, code_size=len(text), format=format.encode(),
                                   portable=portable, use_shardy=use_shardy)
        listed = _c.pointers(devices or [])
        if devices:
            wanted.devices, wanted.num_devices = ctypes.cast(listed, _c.P), len(devices)
        overrides = _c.texts([f"{name}={_plain(value)}" for name, value in (options or {}).items()])
        wanted.overrides, wanted.num_overrides = ctypes.cast(overrides, _c.P), len(options or {})
        made = _c.P()
        _c.check(_c.lib.plinth_ifrt_executable_compile(self._handle, ctypes.byref(wanted),
                                                       ctypes.byref(made)))
        return Executable(self, made.value or 0)

    def load(self, program: str | os.PathLike[str] | bytes, **how: Any) -> Executable:
        """A program from a file of StableHLO, as text or bytecode, or from its bytes (for example
        `jax.export`'s mlir_module_serialized). Options as those of `compile`."""
        code = program if isinstance(program, bytes) else Path(program).read_bytes()
        return self.compile(code, **how)


class _Devices:
    """The devices of a client by their handle, made when they are asked for."""

    def __init__(self, client: Client, handles: list[int]) -> None:
        import weakref

        self.handles = handles
        self._client = weakref.ref(client)
        self._made: Any = weakref.WeakValueDictionary()

    def __getitem__(self, handle: int) -> Device:
        client = self._client()
        if handle not in self.handles or client is None:
            raise KeyError(handle)
        device = self._made.get(handle)
        if device is None:
            device = self._made[handle] = Device(client, handle)
        return device


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _dtype(number: int) -> np.dtype:
    name = _TYPES[number] if 0 <= number < len(_TYPES) else ""
    try:
        return np.dtype(name) if name else np.dtype("V1")
    except TypeError:
        import ml_dtypes  # Types that NumPy does not have.

        return np.dtype(getattr(ml_dtypes, name))


def connect(plugin: str | None = None, *, layers: str | None = None, store: Any = None,
            **options: Any) -> Client:
    """Loads a plugin, by path or by name, and makes a client of it with these options. Without a
    name: the CPU plugin of this package, else what libplinth finds.

    `store`: for a run of several processes, what they share: `get(key, seconds)` waits for a key
    and returns its bytes, or raises TimeoutError, with 0 seconds KeyError at once; `put(key, value)`
    sets one. Called from any thread."""
    if plugin is None and "PLINTH_PLUGIN" not in os.environ:
        own = _c.HERE / "lib" / "pjrt_plinth_cpu.so"
        plugin = str(own) if own.is_file() else None
    texts = [f"{name}={_plain(value)}" for name, value in options.items()]
    listed = _c.texts(texts)
    wanted = _c.ClientOptions(plugin=plugin.encode() if plugin else None,
                              layers=layers.encode() if layers else None,
                              options=ctypes.cast(listed, _c.P), num_options=len(texts))
    if store is not None:
        callbacks = _c.Store(store).callbacks
        wanted.key_value_get, wanted.key_value_put, wanted.key_value_done = callbacks
    client = _c.P()
    _c.check(_c.lib.plinth_ifrt_client_create(ctypes.byref(wanted), ctypes.byref(client)))
    return Client(client.value or 0)
