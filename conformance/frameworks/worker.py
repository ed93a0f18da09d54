# SPDX-License-Identifier: Apache-2.0
"""Runs a list of programs in this process, with whatever back end the environment selects.

    worker.py LIST OUT [--reference FILE] [--skip NAME]... [--seconds N]

LIST names a file of programs (jax_programs.py, ...) in this folder. A line of JSON per program goes to OUT: one
when it begins, one with how it ended. Without --reference, results are written beside OUT (OUT.results);
with it, they are compared with those.
"""

from __future__ import annotations

import argparse
import faulthandler
import importlib
import json
import pathlib
import pickle
import sys
import time
import traceback

import numpy as np


AGAIN = 75  # exit status: another process has to go on


def flat(value, path=""):
    """A result as named leaves: numbers as arrays, everything else as text."""
    if isinstance(value, dict):
        return [leaf for key in sorted(value) for leaf in flat(value[key], f"{path}.{key}")]
    if isinstance(value, (list, tuple)):
        return [leaf for i, item in enumerate(value) for leaf in flat(item, f"{path}[{i}]")]
    if isinstance(value, str):
        return [(path, value)]
    array = np.asarray(value)
    if array.dtype.kind not in "biufc":  # types of ml_dtypes
        array = array.astype(np.float32)
    return [(path, array)]


def difference(expected, found, tolerance: float) -> str | None:
    """What differs, in a sentence, or None. Relative to the largest element of its array."""
    if [path for path, _ in expected] != [path for path, _ in found]:
        return f"results {[p for p, _ in found]}; the framework's own CPU gives {[p for p, _ in expected]}"
    for (path, want), (_, have) in zip(expected, found):
        where = f"result{path}"
        if isinstance(want, str) or isinstance(have, str):
            if not (isinstance(want, str) and isinstance(have, str) and want == have):
                return f"{where} is {have!r}; the framework's own CPU gives {want!r}"
            continue
        if want.shape != have.shape or want.dtype != have.dtype:
            return f"{where} is {have.dtype}{have.shape}; the framework's own CPU gives {want.dtype}{want.shape}"
        if want.dtype.kind in "biu":
            wrong = int(np.sum(want != have))
            if wrong:
                return f"{where}: {wrong} of {want.size} elements differ"
            continue
        if not np.array_equal(np.isnan(want), np.isnan(have)):
            return f"{where}: NaN in other places"
        finite = np.isfinite(want)
        if not np.array_equal(want[~finite & ~np.isnan(want)], have[~finite & ~np.isnan(want)]):
            return f"{where}: infinities differ"
        largest = float(np.max(np.abs(want[finite]), initial=0))
        error = float(np.max(np.abs(want[finite] - have[finite]), initial=0))
        if not error <= tolerance * max(largest, 1e-30):
            return f"{where}: differs by {error:.2g}, at most {tolerance * largest:.2g} is right"
    return None


def accuracy(leaves) -> str | None:
    """What a program that trains says of itself, as a percentage."""
    return next((f"{float(value):.1%}" for path, value in leaves if path == ".accuracy"), None)


def sentence(error: BaseException) -> str:
    """The first line of what went wrong, with its type."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [""]
    return f"{type(error).__name__}: {lines[0]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("list")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--reference", type=pathlib.Path)
    parser.add_argument("--skip", action="append", default=[])
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--seconds", type=float, default=120)
    arguments = parser.parse_args()
    reference = pickle.loads(arguments.reference.read_bytes()) if arguments.reference else None
    programs = importlib.import_module(arguments.list)
    stored = arguments.out.with_suffix(".results")
    results = pickle.loads(stored.read_bytes()) if reference is None and stored.exists() else {}
    ran = False
    with open(arguments.out, "a") as out:

        def write(**line) -> None:
            out.write(json.dumps(line) + "\n")
            out.flush()

        for name, program in programs.PROGRAMS.items():
            if name in arguments.skip or arguments.only and name not in arguments.only:
                continue
            if ran and program.alone:
                sys.exit(AGAIN)
            ran = True
            write(name=name, begins=True)
            started = time.perf_counter()
            # A program that hangs ends the process; the driver goes on after it.
            faulthandler.dump_traceback_later(arguments.seconds, exit=True)
            error, figure = None, None
            try:
                results[name] = flat(program.function())
                figure = accuracy(results[name])
                if reference is not None:
                    # What the framework's own CPU cannot do has only to run.
                    if name in reference:
                        error = difference(reference[name], results[name], program.tolerance)
            except BaseException as raised:  # pylint: disable=broad-except
                traceback.print_exc()
                if isinstance(raised, (KeyboardInterrupt, SystemExit)):
                    raise
                error = sentence(raised)
                if reference is not None and name not in reference:
                    error = f"the framework's own CPU fails too: {error}"
            faulthandler.cancel_dump_traceback_later()
            write(name=name, seconds=round(time.perf_counter() - started, 2), error=error, accuracy=figure)
            if reference is None:
                stored.write_bytes(pickle.dumps(results))
            if program.alone:
                sys.exit(AGAIN)


if __name__ == "__main__":
    sys.exit(main())
