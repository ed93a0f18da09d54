# SPDX-License-Identifier: Apache-2.0
"""A training run of JAX is captured through libplinth and repeated by `plinth replay`.

  jax_test.py LIBPLINTH PLINTH PLUGIN
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LIBPLINTH, PLINTH, PLUGIN = (Path(a).resolve() for a in sys.argv[1:4])

PROGRAM = """
from functools import partial
import jax
import jax.numpy as jnp
import numpy as np

rng = np.random.RandomState(0)
x, y = rng.randn(64, 16).astype(np.float32), rng.randn(64, 4).astype(np.float32)
keys = jax.random.split(jax.random.PRNGKey(0))
parameters = (jax.random.normal(keys[0], (16, 32)) * 0.1, jax.random.normal(keys[1], (32, 4)) * 0.1)

def loss(parameters, x, y):
    return jnp.mean((jnp.tanh(x @ parameters[0]) @ parameters[1] - y) ** 2)

@partial(jax.jit, donate_argnums=0)
def step(parameters, x, y):
    value, gradient = jax.value_and_grad(loss)(parameters, x, y)
    return tuple(p - 0.1 * g for p, g in zip(parameters, gradient)), value

for _ in range(10):
    parameters, value = step(parameters, x, y)
assert float(value) < 1
np.asarray(parameters[0])
# Transposed and reversed host arrays, narrow types, arrays in parts.
np.asarray(jnp.asarray(x.T[::-1]).astype(jnp.bfloat16))
np.asarray(jnp.sort(jnp.asarray(x[:, 0])))
np.asarray(jnp.arange(200_000) * 3)
try:
    jax.jit(lambda a: a).lower(x).compile(compiler_options={"no_such_option": 1})
except jax.errors.JaxRuntimeError:
    pass
if len(jax.devices()) > 1:
    other = jax.device_put(jax.device_put(x, jax.devices()[0]), jax.devices()[1])
    np.testing.assert_allclose(np.asarray(jax.jit(lambda a: a.sum(0))(other)), x.sum(0), rtol=1e-4)
print("done")
"""

# The same in a program, with the default options; PLINTH_PLUGIN names the plugin.
FROM_C = """
import ctypes, sys

lib = ctypes.CDLL(sys.argv[1])
lib.plinth_load.restype = lib.plinth_replay.restype = ctypes.c_void_p
lib.plinth_plugin_api.restype = ctypes.c_void_p
plugin, result = ctypes.c_void_p(), ctypes.c_char_p()
assert lib.plinth_load(None, ctypes.byref(plugin)) is None
api = ctypes.c_void_p(lib.plinth_plugin_api(plugin))
assert lib.plinth_replay(api, b"run.capture", None, ctypes.byref(result)) is None
print(result.value.decode())
lib.plinth_string_free(result)
"""


class Jax(unittest.TestCase):
    def run_captured(self, folder: str, layer: str, **variables: str) -> None:
        environment = {**os.environ, **variables, "PLINTH_PLUGIN": str(PLUGIN), "PLINTH_LAYERS": layer,
                       "JAX_PLATFORMS": "plinth",
                       "PJRT_NAMES_AND_LIBRARY_PATHS": f"plinth:{LIBPLINTH}"}
        done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, text=True, cwd=folder,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=240)
        self.assertEqual(done.returncode, 0, done.stdout[-3000:])
        self.assertIn("done", done.stdout)

    def replay(self, folder: str, **variables: str) -> dict:
        environment = {**os.environ, **variables, "PLINTH_LAYERS": "validation(mode=error)"}
        done = subprocess.run([PLINTH, "replay", "run.capture", "--plugin", PLUGIN, "--json"],
                              env=environment, text=True, cwd=folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False, timeout=240)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def test_what_is_read(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.run_captured(folder, "trace(capture=run.capture,file=run.json)")
            report = self.replay(folder)
            self.assertEqual(report["divergences"], 0)
            self.assertGreaterEqual(report["outputs_compared"], 5)
            self.assertEqual(report["outputs_not_captured"], 0)
            environment = {**os.environ, "PLINTH_PLUGIN": str(PLUGIN)}
            output = subprocess.run([sys.executable, "-c", FROM_C, LIBPLINTH], env=environment,
                                    cwd=folder, stdout=subprocess.PIPE, check=True, timeout=240).stdout
            same = json.loads(output)
            self.assertEqual(same, {key: report[key] for key in same})
            self.assertEqual(same["outputs_compared"], report["outputs_compared"])
            events = json.loads((Path(folder) / "run.json").read_text(encoding="utf-8"))
            spans = [e["name"] for e in events if e.get("cat") == "execution" and e["ph"] == "e"]
            self.assertEqual(spans.count("jit_step"), 10)

    def test_every_output(self) -> None:
        devices = {"JAX_PJRT_CLIENT_CREATE_OPTIONS": "num_devices:2"}
        with tempfile.TemporaryDirectory() as folder:
            self.run_captured(folder, "trace(capture=run.capture,outputs=all)", **devices)
            report = self.replay(folder)
            self.assertEqual(report["divergences"], 0)
            self.assertGreater(report["outputs_compared"], 40)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
