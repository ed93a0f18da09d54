#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the programs of bench.py's cases for plinth-bench: conformance/programs/bench/cases.

  store_programs.py           writes every program, and cases.txt with what their arguments are like
  store_programs.py --check   says whether cases.txt has just the cases there are

A program that is stored stays as it is when JAX changes: remove the folder to make all anew. Needs
the jaxlib of conformance/programs/jaxlib_version.py.
"""

import argparse
import contextlib
import os
import sys
from pathlib import Path

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import numpy as np
from jaxlib import _jax

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent / "programs" / "bench" / "cases"
TYPES = {"bool": "pred", "bfloat16": "bf16", "complex64": "c64", "complex128": "c128"}
HEADER = """# Stored programs of conformance/bench, by store_programs.py: NAME FILE ARGUMENT...
# An argument is TYPE:DIMS:KIND:NUMBER... (conformance/bench/arrays.h).
"""


def type_name(dtype: np.dtype) -> str:
    if dtype.name in TYPES:
        return TYPES[dtype.name]
    kind = {"i": "s", "u": "u", "f": "f"}[dtype.kind]
    return f"{kind}{8 * dtype.itemsize}"


def numbers(*values: float) -> str:
    return ":".join(f"{v:.3g}" for v in values)


def mean_and_deviation(a: np.ndarray) -> str:
    mean, deviation = a.mean(), a.std()
    return numbers(0 if abs(mean) < 0.05 * deviation else mean, deviation)


def matrix_kind(a: np.ndarray) -> str | None:
    """Symmetric and lower triangular matrices: routines of linear algebra may fail on others."""
    if a.ndim < 2 or a.shape[-1] != a.shape[-2] or a.shape[-1] < 4:
        return None
    n = a.shape[-1]
    is_lower = not np.any(np.triu(a, 1))
    if not is_lower and not np.array_equal(a, np.swapaxes(a, -1, -2)):
        return None
    beside = a[..., *np.tril_indices(n, -1)]
    # Half of the deviation: numbers that are not those of a product would not always be definite.
    return f"{'lower' if is_lower else 'spd'}:" + numbers(
        np.mean(np.diagonal(a, axis1=-2, axis2=-1)), np.std(beside) / 2
    )


def kind_of(a: np.ndarray) -> str:
    flat = a.reshape(-1)
    if a.dtype.kind == "c":
        return "normal:" + numbers(0, np.std(flat.real))
    wide = flat.astype(np.float64)
    if a.size == 0:
        return "constant:0"
    if a.size <= 16:
        return "values:" + ":".join(repr(float(v)).removesuffix(".0") for v in wide)
    if np.all(wide == wide[0]):
        return "constant:" + numbers(wide[0])
    if a.dtype.kind in "iub":
        if len(np.unique(wide)) == a.size:
            return f"distinct:{int(wide.max()) + 1}"
        return f"uniform:{int(wide.min())}:{int(wide.max())}"
    if found := matrix_kind(a.astype(np.float64)):
        return found
    if np.all(wide[1:] >= wide[:-1]):
        return "sorted:" + mean_and_deviation(wide)
    if wide.min() >= 0:
        return "uniform:" + numbers(wide.min(), wide.max())
    return "normal:" + mean_and_deviation(wide)


def spec_of(argument: object) -> str:
    a = np.asarray(argument)
    return f"{type_name(a.dtype)}:{'x'.join(map(str, a.shape))}:{kind_of(a)}"


def file_of(name: str) -> str:
    return name.replace("/", "_") + ".mlirbc"


def store(name: str, make, x64: bool) -> str:
    """The line of cases.txt; writes the program if there is none yet."""
    with jax.enable_x64(True) if x64 else contextlib.nullcontext():
        function, arguments = make()
        lowered = jax.jit(function).lower(*arguments)
        kept = lowered._lowering.compile_args["kept_var_idx"]
        leaves = jax.tree_util.tree_leaves(arguments)
        types = [t.dtype for t in jax.tree_util.tree_leaves(lowered.in_avals)]
        target = FOLDER / file_of(name)
        if not target.exists():
            target.write_bytes(
                _jax.mlir.serialize_portable_artifact(lowered.compiler_ir("stablehlo"), "1.17.0", True)
            )
        used = [np.asarray(leaf).astype(dtype) for i, (leaf, dtype) in enumerate(zip(leaves, types))
                if i in kept]
        return " ".join([name, target.name, *map(spec_of, used)])


def all_programs() -> list:
    import measure

    import cases_calls  # noqa: F401
    import cases_compile  # noqa: F401
    import cases_ops  # noqa: F401
    import cases_algebra  # noqa: F401
    import cases_models  # noqa: F401

    return measure.programs


def check() -> int:
    wanted = {(name, file_of(name)) for name, _, _ in all_programs()}
    lines = (FOLDER / "cases.txt").read_text().splitlines()
    listed = {tuple(line.split()[:2]) for line in lines if not line.startswith("#")}
    files = {(name, file) for name, file in listed if (FOLDER / file).exists()}
    if wanted == listed == files:
        return 0
    print(f"conformance/programs/bench/cases: missing {sorted(wanted - files)}, without a case "
          f"{sorted(listed - wanted)}; run {Path(__file__).name}")
    return 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    if parser.parse_args().check:
        return check()
    jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")  # No paths of this machine.
    FOLDER.mkdir(parents=True, exist_ok=True)
    lines = [store(*program) for program in all_programs()]
    (FOLDER / "cases.txt").write_text(HEADER + "\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
