# SPDX-License-Identifier: Apache-2.0
#!/usr/bin/env python3
"""Runs the programs on JAX's built-in CPU backend and lists what is not as expected.

    against_jax.py [OP...]

A second opinion on the tables: where XLA and NumPy differ, one of them is wrong, or the specification
leaves it open and the table must not ask. The backend flushes subnormal numbers, which is forgiven.
"""

import sys

import jax
import numpy as np
from jax._src.lib import xla_client

from element_types import info, is_subnormal, type_of
from generate import packs
from program import Program, Result

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")


def run(program: Program) -> list[np.ndarray]:
    device = jax.devices("cpu")[0]
    devices = xla_client.DeviceList((device,))
    options = xla_client.CompileOptions()
    executable = device.client.compile_and_load(program.text, devices, options)
    arguments = [jax.device_put(a, device) for a in program.arguments]
    return [np.asarray(a) for a in executable.execute(arguments)]


def wrong(result: Result, got: np.ndarray) -> np.ndarray:
    wanted, element = result.value, type_of(result.value)
    if got.shape != wanted.shape or got.dtype != wanted.dtype:
        return np.ones(1, bool)
    if element.kind not in ("float", "complex"):
        bad = got != wanted
    else:
        wide = np.clongdouble if element.kind == "complex" else np.longdouble
        a, b = wanted.astype(wide), got.astype(wide)
        facts = info(element)
        size = np.max(np.abs(a[np.isfinite(a)]), initial=0) if result.of_max else np.abs(a)
        allowed = result.ulps * float(facts.eps) * np.maximum(size, float(facts.tiny))
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        if element.kind == "float" and not result.any_zero_sign and result.ulps == 0:
            same &= (np.signbit(a) == np.signbit(b)) | (a != 0)
        bad = ~(same | (np.abs(a - b) <= allowed))
    if result.not_asked is not None:
        bad &= ~result.not_asked
    for array in (*result.inputs, wanted):
        bad &= ~is_subnormal(np.broadcast_to(array, wanted.shape))
    return bad


def main() -> int:
    np.seterr(all="ignore")
    table, count = {row.name: row for name, row in packs().items() if name.startswith("ops/")}, 0
    for name in sys.argv[1:] or table:
        for program in table[name].programs():
            try:
                results = run(program)
            except Exception as error:  # of XLA, of any kind
                print(f"{name}/{program.name}: {str(error)[:200]}", flush=True)
                continue
            for i, (result, got) in enumerate(zip(program.results, results)):
                bad = wrong(result, got)
                if not bad.any():
                    continue
                count += 1
                at = np.argwhere(bad)[0]
                shown = (f"{got.reshape(-1)[:3]}" if got.shape != result.value.shape else
                         f"{got[tuple(at)]}, not {result.value[tuple(at)]}, for "
                         f"{[a[tuple(at)] for a in program.arguments if a.shape == got.shape]}")
                print(f"{name}/{program.name}: result {i}: {bad.sum()} of {bad.size}: {shown}",
                      flush=True)
    print(f"{count} results differ")
    return 0


if __name__ == "__main__":
    sys.exit(main())
