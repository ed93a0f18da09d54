#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""JAX's own tests on a plugin and on built-in CPU; see README.md."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import sys
import tempfile
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import comparison
import isolation

FOLDER = Path(__file__).resolve().parent
HARNESSES = "primitive_harnesses_test"
# JAX's core and runtime tests of one device.
FILES = ("lax_test lax_numpy_test lax_numpy_operators_test lax_numpy_reducers_test lax_numpy_indexing_test "
         "lax_control_flow_test lax_vmap_test lax_autodiff_test nn_test random_lax_test fft_test linalg_test "
         "lax_scipy_test array_test api_test python_callback_test memories_test array_interoperability_test "
         "compilation_cache_test ffi_test " + HARNESSES).split()
BATCH = 300  # Tests per process: what JAX caches in between is bounded.


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jax", type=Path, required=True, help="checkout of JAX at tag jax-v0.10.2")
    parser.add_argument("--plugin", type=Path, required=True, help="the plugin's shared library")
    parser.add_argument("--through", type=Path, help="libplinth.so, which loads the plugin behind its layers")
    parser.add_argument("--layers", default="validation", help="PLINTH_LAYERS with --through (%(default)s)")
    parser.add_argument("--files", nargs="+", default=FILES, help="test files, without .py")
    parser.add_argument("--select", default="", help="regular expression over FILE/Class.test")
    parser.add_argument("--again", type=Path, help="a JSON report: run only what differs in it")
    parser.add_argument("--quick", action="store_true", help="run on built-in CPU only what does not pass on the plugin")
    parser.add_argument("--bits", nargs="+", type=int, choices=(32, 64), default=(32, 64))
    parser.add_argument("--cases", type=int, default=2, help="JAX_NUM_GENERATED_CASES (%(default)s)")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=120, help="limit for one test (%(default)g)")
    parser.add_argument("--rate", type=float, default=0.995, help="share that must pass in each file (%(default)g)")
    parser.add_argument("--platforms", default="plinth", help="JAX_PLATFORMS on the plugin (%(default)s)")
    parser.add_argument("--replace-cpu", action="store_true", help="the plugin is JAX's backend cpu")
    parser.add_argument("--replace-cuda", action="store_true", help="the plugin is JAX's backend cuda")
    parser.add_argument("--against", default="cpu", metavar="PLATFORMS",
                        help="JAX_PLATFORMS of the other side (%(default)s)")
    parser.add_argument("--setup", default="", metavar="FOLDER:MODULE:FUNCTION",
                        help="called first where the plugin is tested: what its package does beside registering it")
    parser.add_argument("--one-device", action="store_true",
                        help="one device on either side, whatever a file asks for: tests of several are skipped")
    parser.add_argument("--no-shardy", action="store_true",
                        help="JAX spreads programs by GSPMD's shardings, on either side")
    parser.add_argument("--options", default="", help="create options of the plugin's client, name:value,...")
    parser.add_argument("--cache", type=Path, default=FOLDER.parents[1] / "build/jax-cache",
                        help="folder of built-in results (%(default)s)")
    parser.add_argument("--json", type=Path, help="report to write")
    parser.add_argument("--markdown", type=Path, help="summary to write")
    return parser.parse_args()


def environment_of(bits: int, cases: int, cache: Path, one_device: bool, no_shardy: bool = False,
                   **more: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("JAX_", "PJRT_", "PLINTH_", "XLA_"))}
    if one_device:
        more["JAX_TESTS_ONE_DEVICE"] = "1"
    if no_shardy:
        more["JAX_USE_SHARDY_PARTITIONER"] = "0"
    return {**kept, "JAX_ENABLE_X64": str(int(bits == 64)), "JAX_NUM_GENERATED_CASES": str(cases),
            "JAX_SKIP_SLOW_TESTS": "1", "PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1",
            "JAX_TESTS_RESULTS": str(cache / f"harnesses-{bits}"), **more}


class Runner:
    """Runs batches of one file on one platform, several at a time."""

    def __init__(self, options: argparse.Namespace):
        self._options = options
        self._pool = ThreadPoolExecutor(options.jobs)
        options.cache.mkdir(parents=True, exist_ok=True)
        self._logs = tempfile.TemporaryDirectory()
        self._log_number = 0
        self._lock = threading.Lock()

    def path_of(self, file: str) -> Path:
        folder = FOLDER if file == HARNESSES else self._options.jax.resolve() / "tests"
        return folder / f"{file}.py"

    def _plugin_environment(self, bits: int) -> dict[str, str]:
        o = self._options
        more = {"JAX_PLATFORMS": o.platforms}
        if o.through:
            with self._lock:
                self._log_number += 1
            more |= {"PLINTH_PLUGIN": str(o.plugin.resolve()), "PLINTH_LAYERS": o.layers,
                     "PLINTH_LOG": f"{self._logs.name}/{self._log_number}.log"}
        if o.setup:
            folder, _, function = o.setup.partition(":")
            more["JAX_TESTS_SETUP"] = f"{Path(folder).resolve()}:{function}"
        library = (o.through or o.plugin).resolve()
        if o.replace_cpu or o.replace_cuda:
            name, platforms = ("CPU", "cpu") if o.replace_cpu else ("CUDA", "cuda,cpu")
            more |= {"JAX_PLATFORMS": platforms, f"JAX_TESTS_REPLACE_{name}": str(library),
                     "JAX_TESTS_CREATE_OPTIONS": o.options}
        else:
            more["PJRT_NAMES_AND_LIBRARY_PATHS"] = f"plinth:{library}"
            if o.options:
                more["JAX_PJRT_CLIENT_CREATE_OPTIONS"] = o.options
        return environment_of(bits, o.cases, o.cache.resolve(), o.one_device, o.no_shardy, **more)

    def _run(self, file: str, names: list[str], environment) -> dict[str, dict]:
        batches = [names[i:i + BATCH] for i in range(0, len(names), BATCH)]
        if len(batches) < self._options.jobs:
            jobs = self._options.jobs
            batches = [b for b in (names[i::jobs] for i in range(jobs)) if b]
        parts = self._pool.map(lambda batch: isolation.run_tests(
            self.path_of(file), batch, environment(), self._options.seconds), batches)
        return {name: result for part in parts for name, result in part.items()}

    def compared(self, file: str, bits: int, wanted) -> dict:
        """The wanted tests of a file on both sides."""
        names, known = self._known(file, bits)
        names = [name for name in names if wanted(name)]
        if self._options.quick and file != HARNESSES:
            # What passes on the plugin is taken to pass on built-in CPU.
            found = self.plugin(file, bits, [n for n in names if known.get(n, {"verdict": "pass"})["verdict"] == "pass"])
            expected = self.built_in(file, bits, [n for n, r in found.items() if r["verdict"] != "pass"])
            expected = {n: expected.get(n, known.get(n, {"verdict": "pass"})) for n in names}
            return comparison.compare(expected, found)
        expected = self.built_in(file, bits, names)
        # What built-in CPU does not pass says nothing about the plugin.
        passed = [name for name, result in expected.items() if result["verdict"] == "pass"]
        return comparison.compare(expected, self.plugin(file, bits, passed))

    def _known(self, file: str, bits: int) -> tuple[list[str], dict[str, dict]]:
        """All tests of a file, and the results that the cache has."""
        cached, environment = self._cached(file, bits)
        if not cached.exists():
            names = isolation.list_tests(self.path_of(file), environment)
            cached.write_text(json.dumps({"names": names, "results": {}}))
        known = json.loads(cached.read_text())
        return known["names"], known["results"]

    def _cached(self, file: str, bits: int) -> tuple[Path, dict[str, str]]:
        path = self.path_of(file)
        key = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
        o = self._options
        one = ("-one" if o.one_device else "") + ("-gspmd" if o.no_shardy else "")
        one += "" if o.against == "cpu" else f"-{o.against}"
        cached = o.cache / f"{file}-{bits}-{o.cases}{one}-{key}.json"
        environment = environment_of(bits, o.cases, o.cache.resolve(), o.one_device, o.no_shardy, JAX_PLATFORMS=o.against,
                                     JAX_TESTS_BUILT_IN="1", XLA_PYTHON_CLIENT_PREALLOCATE="false")
        return cached, environment

    def built_in(self, file: str, bits: int, names: list[str]) -> dict[str, dict]:
        """Results of these tests on built-in CPU; run where the cache has none."""
        cached, environment = self._cached(file, bits)
        all_names, results = self._known(file, bits)
        missing = [name for name in names if name not in results]
        if missing:
            results |= self._run(file, missing, lambda: environment)
            cached.write_text(json.dumps({"names": all_names, "results": results}))
        return {name: results[name] for name in names}

    def plugin(self, file: str, bits: int, names: list[str]) -> dict[str, dict]:
        return self._run(file, names, lambda: self._plugin_environment(bits))

    def validation(self) -> dict[str, int]:
        """What the layers wrote, addresses and call numbers taken out, with its count."""
        found: Counter = Counter()
        for log in Path(self._logs.name).glob("*.log"):
            for line in log.read_text(errors="replace").splitlines():
                if "validation:" in line:
                    line = re.sub(r"0x[0-9a-f]+", "0x..", line[line.index("validation:"):])
                    found[re.sub(r"#\d+", "#..", line)[:400]] += 1
        return dict(found.most_common())


def report_of(options: argparse.Namespace, rows: list[dict], runner: Runner) -> dict:
    report = {"plugin": str(options.plugin), "through": str(options.through or ""), "cases": options.cases,
              "files": rows, "validation": runner.validation() if options.through else {}}
    if options.json:
        options.json.write_text(json.dumps(report, indent=1))
    if options.markdown:
        options.markdown.write_text(comparison.markdown(report))
    return report


def main() -> int:
    options = arguments()
    for library in (options.plugin, options.through):
        if library and not library.exists():
            print(f"{library} does not exist")
            return 2
    select = re.compile(options.select)
    again = None
    if options.again:
        # A file that could not be compared is run whole.
        again = {(row["file"], row["bits"]): None if row.get("error") else set(row["different"])
                 for row in json.loads(options.again.read_text())["files"]}
        if all(names == set() for names in again.values()):
            print(f"nothing differs in {options.again}")
            return 0
    runner = Runner(options)
    rows = []
    for file in options.files:
        if not runner.path_of(file).exists():
            print(f"{runner.path_of(file)} does not exist: --jax names a checkout of jax-v0.10.2 with its tests")
            return 2
        for bits in options.bits:
            chosen = None if again is None else again.get((file, bits), set())
            if chosen == set():
                continue
            row = {"file": file, "bits": bits}
            try:
                row |= runner.compared(file, bits, lambda name: select.search(f"{file}/{name}") and (
                    chosen is None or name in chosen))
            except RuntimeError as error:
                row |= comparison.compare({}, {}) | {"error": str(error)}
            rows.append(row)
            bad = {k: n for k, n in row["counts"].items() if n and k != "passed on both"}
            print(f"{file} {bits}: {row['counts']['passed on both']} of {row['tests']}"
                  + (f" {bad}" if bad else "") + (f" {row['error']}" if row.get("error") else ""), flush=True)
            report_of(options, rows, runner)
    report = report_of(options, rows, runner)
    for line, count in comparison.causes(report).most_common(25):
        print(f"{count:6} {line}")
    for line, count in report["validation"].items():
        print(f"{count:6} {line}")
    if not any(row["tests"] for row in rows):
        print("no test was compared: see --files, --select, and whether built-in CPU passes them")
    return comparison.exit_status(report, options.rate)


if __name__ == "__main__":
    sys.exit(main())
