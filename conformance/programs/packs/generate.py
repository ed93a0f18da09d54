# SPDX-License-Identifier: Apache-2.0
#!/usr/bin/env python3
"""Writes <folder>/<op>.bin, frameworks/jax.bin among them: programs with arguments and results.

    generate.py [--check] [OP...]

Results are computed by NumPy. jaxlib makes portable artifacts of the texts, one version of it
(../jaxlib_version.py). With --check nothing is written; the exit status says whether the files are what the tables give.
"""

import argparse
import importlib
import os
import pathlib
import sys

# The same numbers on every machine: with the instructions and the OpenBLAS that all have.
os.environ["NPY_DISABLE_CPU_FEATURES"] = "X86_V4 AVX512_ICL AVX512_SPR"
os.environ["OPENBLAS_CORETYPE"] = "Haswell"

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))
import jaxlib_version  # noqa: E402

# Of StableHLO; those of StoredVersions in conformance/cases/stored_programs.cc.
VERSIONS = ["0.9", "1.0", "1.13"]
TABLES = ["elementwise", "conversions", "movement", "indexing", "reductions", "products",
          "algorithms", "control", "random_bits", "dynamic", "collectives", "several",
          "jax_programs", "framework_forms"]


class Serializer:
    """Makes portable artifacts of text."""

    def __init__(self):
        from jax._src.interpreters import mlir as jax_mlir
        from jaxlib import _jax
        from jaxlib.mlir import ir, passmanager
        self._ir, self._serialize = ir, _jax.mlir.serialize_portable_artifact
        self._context = jax_mlir.make_ir_context()
        with self._context:
            self._strip = passmanager.PassManager.parse("builtin.module(strip-debuginfo)")

    def artifacts_of(self, text: str, versions: list[str] | None = None) -> dict[str, bytes]:
        with self._context:
            try:
                module = self._ir.Module.parse(text)
                self._strip.run(module.operation)
            except self._ir.MLIRError as error:
                raise SystemExit(f"{error}\n{text}")
            made = {}
            for version in versions or VERSIONS:
                try:
                    made[version] = self._serialize(module, version + ".0", True)
                except Exception as error:  # what this version does not have
                    if versions or version == VERSIONS[-1]:
                        raise SystemExit(f"{error}\n{text}")
        return made


def packs() -> dict:
    """"ops/abs" -> its row"""
    rows = [row for table in TABLES for row in importlib.import_module(table).ROWS]
    made = {f"{row.folder}/{row.name}": row for row in rows}
    assert len(made) == len(rows)
    return made


def path_of(pack: str) -> pathlib.Path:
    return FOLDER / f"{pack}.bin"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("ops", nargs="*")
    arguments = parser.parse_args()
    jaxlib_version.need()
    import numpy
    from program import encode, unpacked
    numpy.seterr(all="ignore")  # edge values are meant
    table = packs()
    serializer = Serializer()
    wrong, size, count = [], 0, 0
    for row in table.values():
        (FOLDER / row.folder).mkdir(exist_ok=True)
    for name in [name for name in table if not arguments.ops or table[name].name in arguments.ops]:
        programs = table[name].programs()
        made = encode(programs, serializer.artifacts_of)
        path = path_of(name)
        size, count = size + len(made), count + len(programs)
        if not arguments.check:
            path.write_bytes(made)
        elif not path.exists() or unpacked(path.read_bytes()) != unpacked(made):
            wrong.append(f"{path}: differs from what the tables give")
    if not arguments.ops:
        known = {path_of(name) for name in table}
        wrong += [f"{path}: of no op" for path in FOLDER.glob("*/*.bin") if path not in known]
    for line in wrong:
        print(line, file=sys.stderr)
    print(f"{count} programs, {size} bytes")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
