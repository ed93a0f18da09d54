# SPDX-License-Identifier: Apache-2.0
"""JAX itself on plugins frozen at older revisions, through libplinth.

  jax_test.py LIBPLINTH PLUGIN_FOLDER PLUGIN_BEHIND REVISION...

Each revision gets a process: JAX loads libplinth as the plugin, and libplinth the frozen one.
"""

from __future__ import annotations

import os
import subprocess
import sys
import unittest
from pathlib import Path

LIBPLINTH, FOLDER, BEHIND = (Path(a).resolve() for a in sys.argv[1:4])
REVISIONS = sys.argv[4:]

PROGRAM = """
import jax
import jax.numpy as jnp
import numpy as np

device, = jax.devices()
assert device.client.platform_version, "no platform version"
x = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4)
np.testing.assert_allclose(jax.jit(lambda a: jnp.sin(a) @ a.T)(x), np.sin(x) @ x.T, rtol=1e-5)
np.testing.assert_allclose(jax.grad(lambda a: (a ** 3).sum())(x), 3 * x * x, rtol=1e-5)
donated = jax.jit(lambda a: a + 1, donate_argnums=0)(jnp.asarray(x))
np.testing.assert_array_equal(donated, x + 1)
np.testing.assert_array_equal(jax.device_put(x, device).astype(jnp.bfloat16).astype(np.float32),
                              x.astype(jnp.bfloat16).astype(np.float32))
assert jax.jit(lambda a: a).lower(x).compile().memory_analysis() is not None
try:
    jax.jit(lambda a: jax.lax.cond(a.sum() > 0, lambda b: b, lambda b: b, a)).lower(
        jax.ShapeDtypeStruct((2,), np.float32)).compile(compiler_options={"no_such_option": 1})
    raise SystemExit("an unknown compile option was taken")
except jax.errors.JaxRuntimeError:
    pass
print("every check passed")
"""


class Jax(unittest.TestCase):
    def test_runs_through_libplinth(self):
        for revision in REVISIONS:
            with self.subTest(revision=revision):
                plugin = FOLDER / f"pjrt_frozen_{revision}.so"
                environment = {**os.environ, "PLINTH_PLUGIN": str(plugin),
                               "PLINTH_FROZEN_PLUGIN": str(BEHIND), "JAX_PLATFORMS": "plinth",
                               "PJRT_NAMES_AND_LIBRARY_PATHS": f"plinth:{LIBPLINTH}"}
                done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                                      timeout=240)
                self.assertEqual(done.returncode, 0, done.stdout[-3000:])
                self.assertIn("every check passed", done.stdout)


if __name__ == "__main__":
    if not REVISIONS:
        sys.exit(__doc__)
    unittest.main(argv=sys.argv[:1])
