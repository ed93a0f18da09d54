#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures whichever JAX platform JAX_PLATFORMS selects; compare.py runs it for two.

  JAX_PLATFORMS=cpu python bench.py --out a.json
  PJRT_NAMES_AND_LIBRARY_PATHS=foo:/x/foo.so JAX_PLATFORMS=foo python bench.py --out b.json
  options: --only REGEX  --skip REGEX  --list  --budget SECONDS (per timed thing, 0.35)
           --resume (keep finished cases in --out, skip them)

Writes {case: {metric: value}} after every case, so that a crash loses only one; "_running" names
the case in progress. Every metric is a time unless named otherwise (ms, us, ns: minimum; *_med:
median). chk is the mean of |output|, to check the two platforms against each other; bytes and flops
are the work done, for the share of the machine's limit.
"""

import argparse
import glob
import json
import os
import re
import resource
import sys
import time

T0 = time.perf_counter()


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="bench.json")
    parser.add_argument("--only", default=".")
    parser.add_argument("--skip", default="^$")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--budget", type=float, default=0.35)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--quiet", action="store_true")
    return parser.parse_args()


def peak_rss_mb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def library_mb():
    """The plugin's size; without one, that of JAX's built-in backends."""
    platform = os.environ.get("JAX_PLATFORMS", "").split(",")[0]
    plugin = None
    for entry in os.environ.get("PJRT_NAMES_AND_LIBRARY_PATHS", "").split(","):
        name, colon, path = entry.partition(":")
        if colon and name == platform:
            plugin = path
    if plugin:
        return os.path.getsize(plugin) / 1e6
    import jaxlib

    built_in = glob.glob(os.path.dirname(jaxlib.__file__) + "/libjax_common.so")
    return sum(os.path.getsize(f) for f in built_in) / 1e6


def start(only_lists):
    """Imports JAX and runs a first program: how long each took."""
    import numpy as np

    t_numpy = time.perf_counter()
    import jax

    t_jax = time.perf_counter()
    jax.devices()
    t_devices = time.perf_counter()
    if not only_lists:
        jax.block_until_ready(jax.jit(lambda x: x + 1)(np.zeros(8, np.float32)))
    t_first = time.perf_counter()
    return {
        "import_jax_s": t_jax - t_numpy,
        "devices_s": t_devices - t_jax,
        "first_jit_s": t_first - t_devices,
        "total_s": t_first - t_numpy,
        "peak_rss_mb": peak_rss_mb(),
        "so_mb": library_mb(),
    }


def all_cases(startup, budget):
    """Every case in the order of its run."""
    import measure

    measure.budget = budget
    measure.case("startup")(lambda: dict(startup))
    import cases_calls  # noqa: F401
    import cases_compile  # noqa: F401
    import cases_ops  # noqa: F401
    import cases_algebra  # noqa: F401
    import cases_devices  # noqa: F401
    import cases_models  # noqa: F401

    measure.case("end_rss")(lambda: {"peak_rss_mb": peak_rss_mb()})
    return measure.cases


class Results:
    """What was measured so far, in a file that is whole at any time."""

    def __init__(self, path, resume):
        self._path = path
        self.values = {}
        if resume and os.path.exists(path):
            with open(path) as file:
                self.values = json.load(file)

    def save(self):
        with open(self._path + ".tmp", "w") as file:
            json.dump(self.values, file, indent=1)
        os.replace(self._path + ".tmp", self._path)


def print_result(name, seconds, result):
    shown = {k: v for k, v in result.items() if k not in ("ms_med", "kind")}
    shown = {k: round(v, 3) if isinstance(v, float) else v for k, v in shown.items()}
    print(f"{name:40s} {seconds:5.1f}s ", shown, flush=True)


def run(cases, results, quiet):
    for name, function in cases:
        if name in results.values:
            continue
        results.values["_running"] = name
        results.save()
        t = time.perf_counter()
        try:
            result = function()
        except Exception as error:
            first_line = str(error).split("\n")[0]
            result = {"error": f"{type(error).__name__}: {first_line}"[:200]}
        results.values[name] = result
        if not quiet:
            print_result(name, time.perf_counter() - t, result)
    results.values.pop("_running", None)


def main():
    options = arguments()
    startup = start(options.list)
    cases = [
        (name, function)
        for name, function in all_cases(startup, options.budget)
        if re.search(options.only, name) and not re.search(options.skip, name)
    ]
    if options.list:
        print("\n".join(name for name, _ in cases))
        return 0
    results = Results(options.out, options.resume)
    run(cases, results, options.quiet)
    import jax

    results.values["_env"] = {
        "platform": jax.devices()[0].platform,
        "jax": jax.__version__,
        "wall_s": time.perf_counter() - T0,
        "load": os.getloadavg()[0],
    }
    results.save()
    return 0


if __name__ == "__main__":
    sys.exit(main())
