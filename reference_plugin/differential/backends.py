# SPDX-License-Identifier: Apache-2.0
"""The two backends that live in this process: the plugin and JAX's built-in CPU.

JAX reads its environment when the first device is asked for, so conftest.py calls configure() before
any test module is imported.
"""

import os
import pathlib
import sys

import jax
import numpy as np
from jax._src import compiler
from jaxlib import _jax, xla_client

PLUGIN = "plinth"
_settings = {"plugin": PLUGIN, "options": {}, "hlo": False}

# The built-in backend is the oracle: its optimizer only costs compile time here.
BUILTIN_OPTIONS = {"xla_backend_optimization_level": 0, "xla_cpu_use_fusion_emitters": False}


def configure(library: str | None, options: dict, hlo: bool = False) -> None:
    """Registers the plugin; None compares the built-in backend with itself. hlo: what run_on_plugin
    and run_text_on_plugin run reaches the plugin as HLO."""
    if library is None:
        os.environ["JAX_PLATFORMS"] = "cpu"
        _settings.update(plugin="cpu", options=BUILTIN_OPTIONS)
    else:
        os.environ["PJRT_NAMES_AND_LIBRARY_PATHS"] = f"{PLUGIN}:{library}"
        os.environ["JAX_PLATFORMS"] = f"{PLUGIN},cpu"
        _settings.update(plugin=PLUGIN, options=dict(options), library=library, hlo=hlo)
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_enable_compilation_cache", False)


def plugin_options() -> dict:
    """The compiler options that every program for the plugin gets."""
    return _settings["options"]


def unoptimized_options() -> dict:
    """The same, but the plugin neither fuses nor simplifies."""
    optimizer = {"fusion": False, "simplify": False} if _settings["plugin"] == PLUGIN else {}
    return _settings["options"] | optimizer


def plugin_device():
    return jax.devices(_settings["plugin"])[0]


def builtin_device():
    return jax.devices("cpu")[0]


def run(function, args, device, options=None, again=True):
    """The outputs of jit(function)(*args) on a device, as NumPy arrays. again: the plugin runs it twice,
    with the same bits."""
    on_builtin = device.client is builtin_device().client
    if options is None:
        options = BUILTIN_OPTIONS if on_builtin else _settings["options"]
    with jax.default_device(device):
        jitted = jax.jit(lambda *a: function(*a), compiler_options=options or None)
        call = lambda: jax.device_get(jitted(*jax.device_put(args, device)))
        return call() if on_builtin or not again else _twice(call)


def _twice(call):
    """The results. The plugin makes machine code of what runs a second time, and other code may find
    other memory then."""
    first, second = call(), call()
    for before, after in zip(jax.tree.leaves(first), jax.tree.leaves(second), strict=True):
        before, after = np.asarray(before), np.asarray(after)
        assert before.tobytes() == after.tobytes(), (
            f"the second run's results have other bits: {before} and {after}")
    return first


def client_with(**options):
    """A client of the plugin of its own, with options for it."""
    plugin_device()  # Loads the plugin.
    return xla_client.make_c_api_client(PLUGIN, options)


def compile_for(client, function, *args):
    """jit(function) as a callable for the first device of such a client, which takes and gives NumPy
    arrays."""
    device = client.devices()[0]
    options = compiler.get_compile_options(1, 1, env_options_overrides=plugin_options())
    text = jax.jit(function).lower(*args).as_text()
    loaded = client.compile_and_load(text, _jax.DeviceList((device,)), options)
    return lambda *a: [np.asarray(x) for x in loaded.execute(jax.device_put(list(a), device))]


def run_on_plugin(function, *args, options=None, again=True):
    """again=False: for results that differ from run to run."""
    if _settings["hlo"]:
        return run_as_hlo(function, *args, options=options, again=again)
    return run(function, args, plugin_device(), options, again)


def run_on_builtin(function, *args):
    return run(function, args, builtin_device())


def run_text_on_plugin(text, *args):
    """The outputs of a StableHLO program that JAX itself would not write, as NumPy arrays."""
    if _settings["hlo"]:
        return run_hlo(to_hlo(text), args)
    return _run_text(text, args, plugin_device(), _settings["options"])


def run_text_on_builtin(text, *args):
    return _run_text(text, args, builtin_device(), BUILTIN_OPTIONS)


def _run_text(text, args, device, overrides):
    options = compiler.get_compile_options(
        num_replicas=1, num_partitions=1, env_options_overrides=overrides)
    loaded = device.client.compile_and_load(text, _jax.DeviceList((device,)), options)
    call = lambda: [
        jax.device_get(x) for x in loaded.execute(jax.device_put(list(args), device))]
    return call() if device.client is builtin_device().client else _twice(call)


# HLO: jaxlib sends StableHLO alone, so these programs go through libplinth_ifrt.


def _hlo_client(devices=1):
    clients = _settings.setdefault("clients", {})
    if devices not in clients:
        library = pathlib.Path(_settings["library"])
        os.environ.setdefault("PLINTH_IFRT_LIBRARIES", str(library.parent))
        sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "python"))
        from plinth_pjrt import ifrt
        clients[devices] = ifrt.connect(str(library), num_devices=devices)
    return clients[devices]


def to_hlo(text) -> bytes:
    """The HloModuleProto that XLA makes of a StableHLO program, as text or bytecode."""
    computation = _jax.mlir.mlir_module_to_xla_computation(text, use_tuple_args=False,
                                                           return_tuple=True)
    return computation.as_serialized_hlo_module_proto()


def put(array):
    """An array of the client that runs HLO."""
    return _hlo_client().put(np.asarray(array))


def compile_hlo(program: bytes, options=None, format="hlo"):
    """An executable of an HLO program, or of one in another format."""
    return _hlo_client().compile(program, format=format, options=options or _settings["options"])


def compile_hlo_for_two_devices(program: bytes):
    """When it is compiled."""
    client = _hlo_client(2)
    return client.compile(program, format="hlo", devices=client.devices, use_shardy=True).ready()


def run_on_two_devices(program: bytes, args, by_rows, format):
    """The outputs as arrays over both devices, with the arguments that `by_rows` counts in halves."""
    client = _hlo_client(2)
    from plinth_pjrt import ifrt
    halves = client.named(ifrt.Mesh(client.devices, {"x": 2}), ["x", None])
    whole = client.replicated(client.devices)
    spread = [client.put(a, halves if i in by_rows else whole) for i, a in enumerate(args)]
    return client.compile(program, format=format, devices=client.devices)(*spread)


def run_hlo(program: bytes, args, options=None, format="hlo", again=True):
    """The outputs on the plugin, as NumPy arrays."""
    executable = compile_hlo(program, options, format)

    def call():
        results = executable(*[put(a) for a in args])
        return [np.asarray(x) for x in (results if isinstance(results, tuple) else (results,))]
    return _twice(call) if again else call()


def run_as_hlo(function, *args, options=None, again=True):
    """The outputs of jit(function)(*args) on the plugin, with the program sent as HLO."""
    traced = jax.jit(lambda *a: function(*a), keep_unused=True).trace(*args)
    lowered = traced.lower(lowering_platforms=("cpu",))
    leaves = [np.asarray(leaf, dtype=info.dtype) for leaf, info in zip(
        jax.tree.leaves(args), jax.tree.leaves(lowered.in_avals), strict=True)]
    results = run_hlo(to_hlo(lowered.as_text()), leaves, options, again=again)
    return jax.tree.unflatten(jax.tree.structure(lowered.out_info), results)
