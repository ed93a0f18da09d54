#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Releases of JAX as clients of plinth-serve: the tests of plinth_pjrt.remote in the environment of each.

    through_serve.py [jax-0.7.2 ...]

The releases are those on both sides of every change of the protocol's versions. One whose Python is not found is not
run, and says so.
"""

import os
import pathlib
import subprocess
import sys

import environments

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", ROOT / "build/release")).resolve()
PLUGIN = pathlib.Path(os.environ.get("PLUGIN", BUILD / "lib/pjrt_plinth_cpu.so")).resolve()
# 0.7.2 speaks protocol 15 and 16, 0.9.2 up to 25, 0.12.0 serialization 2 to 6.
RELEASES = ("jax-0.7.2", "jax-0.8.3", "jax-0.9.2", "jax-0.10.2", "jax-0.12.0")
DIRTY = ("PJRT_", "JAX_", "PLINTH_", "PYTHON", "VIRTUAL_ENV", "XLA_", "TF_", "IFRT_")


def main() -> int:
    known = {release.name: release for release in environments.releases()}
    wanted = sys.argv[1:] or RELEASES
    failed = 0
    for name in wanted:
        if name not in known:
            raise SystemExit(f"no release {name} in releases.toml")
        try:
            python, folders = environments.make(known[name])
        except environments.Missing as missing:
            print(f"{name}: not run: {missing}", flush=True)
            continue
        package = ROOT / "reference_plugin/python"
        environment = {k: v for k, v in os.environ.items() if not k.startswith(DIRTY)} | {
            "PLINTH_SERVE": str(BUILD / "bin/plinth-serve"), "PLINTH_CPU_PLUGIN": str(PLUGIN), "PYTHONWARNINGS": "ignore",
            "PYTHONPATH": os.pathsep.join(map(str, [package, *folders]))}
        done = subprocess.run([python, package / "test_remote.py"], env=environment, capture_output=True, text=True,
                              check=False)
        print(f"{name}: {'ok' if done.returncode == 0 else 'failed'}: {done.stderr.strip().splitlines()[-1]}", flush=True)
        if done.returncode != 0:
            failed += 1
            print(done.stderr[-6000:], flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
