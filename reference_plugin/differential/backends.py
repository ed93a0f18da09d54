# SPDX-License-Identifier: Apache-2.0
"""The two backends that live in this process: the plugin and JAX's built-in CPU.

JAX reads its environment when the first device is asked for, so conftest.py calls configure() before
any test module is imported.
"""

import os

import jax
from jax._src import compiler
from jaxlib import _jax

PLUGIN = "plinth"
_settings = {"plugin": PLUGIN, "options": {}}

# The built-in backend is the oracle: its optimizer only costs compile time here.
BUILTIN_OPTIONS = {"xla_backend_optimization_level": 0, "xla_cpu_use_fusion_emitters": False}


def configure(library: str | None, options: dict) -> None:
    """Registers the plugin; None compares the built-in backend with itself."""
    if library is None:
        os.environ["JAX_PLATFORMS"] = "cpu"
        _settings.update(plugin="cpu", options=BUILTIN_OPTIONS)
    else:
        os.environ["PJRT_NAMES_AND_LIBRARY_PATHS"] = f"{PLUGIN}:{library}"
        os.environ["JAX_PLATFORMS"] = f"{PLUGIN},cpu"
        _settings.update(plugin=PLUGIN, options=dict(options))
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


def run(function, args, device, options=None):
    """The outputs of jit(function)(*args) on a device, as NumPy arrays."""
    if options is None:
        on_builtin = device.client is builtin_device().client
        options = BUILTIN_OPTIONS if on_builtin else _settings["options"]
    with jax.default_device(device):
        jitted = jax.jit(lambda *a: function(*a), compiler_options=options or None)
        return jax.device_get(jitted(*jax.device_put(args, device)))


def run_on_plugin(function, *args, options=None):
    return run(function, args, plugin_device(), options)


def run_on_builtin(function, *args):
    return run(function, args, builtin_device())


def run_text_on_plugin(text, *args):
    """The outputs of a StableHLO program that JAX itself would not write, as NumPy arrays."""
    return _run_text(text, args, plugin_device(), _settings["options"])


def run_text_on_builtin(text, *args):
    return _run_text(text, args, builtin_device(), BUILTIN_OPTIONS)


def _run_text(text, args, device, overrides):
    options = compiler.get_compile_options(
        num_replicas=1, num_partitions=1, env_options_overrides=overrides)
    loaded = device.client.compile_and_load(text, _jax.DeviceList((device,)), options)
    return [jax.device_get(x) for x in loaded.execute(jax.device_put(list(args), device))]
