# SPDX-License-Identifier: Apache-2.0
"""Programs that need a process of their own: other environment variables, other options of the client."""

import os
import subprocess
import sys
import textwrap

import conftest


def run_python(program: str, *arguments: str, **environment: str) -> str:
    """What a program prints that runs on the plugin; fails if it does."""
    library = os.environ.get("PLINTH_CPU_PLUGIN", str(conftest.DEFAULT))
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("JAX_", "PJRT_", "XLA_"))}
    settings = {"PJRT_NAMES_AND_LIBRARY_PATHS": f"plinth:{os.path.abspath(library)}", "JAX_PLATFORMS": "plinth"}
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program), *arguments], env=clean | settings | environment,
                          capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout
