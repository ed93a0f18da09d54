# SPDX-License-Identifier: Apache-2.0
"""What a machine with a GPU needs of this build, as one archive."""

import pathlib
import subprocess
import sys
import tarfile
import tempfile

from parts import jax_tests
from parts.demo import TRAIN
from processes import CPU, CUDA, ROOT
from suite import CONFORMANCE, PROFILES

HERE = pathlib.Path(__file__).resolve().parent
LARGEST = 40 << 20


def files() -> list[pathlib.Path]:
    scripts = [ROOT / "scripts/gpu", *sorted(HERE.rglob("*.py"))]
    return [CUDA, CPU, CONFORMANCE, *PROFILES.values(), TRAIN, *scripts, *jax_tests.packed()]


def place(path: pathlib.Path) -> pathlib.PurePosixPath:
    """Where a file lies in the archive: as here, and JAX's tests as if they were in build/jax."""
    if path.is_relative_to(jax_tests.checkout()):
        return pathlib.PurePosixPath("build/jax") / path.relative_to(jax_tests.checkout())
    return pathlib.PurePosixPath(path.relative_to(ROOT))


def write(file: pathlib.Path) -> None:
    missing = [str(path) for path in files() if not path.is_file()]
    if missing:
        sys.exit(f"not built: {', '.join(missing)}")
    with tempfile.TemporaryDirectory() as folder, tarfile.open(file, "w:gz") as archive:
        for path in files():
            packed = path
            if path in (CUDA, CPU, CONFORMANCE):
                packed = pathlib.Path(folder) / path.name
                subprocess.run(["strip", "-o", packed, path], check=True)
            archive.add(packed, "plinth-gpu" / place(path))
    size = file.stat().st_size
    tests = jax_tests.checkout() / "tests"
    left_out = "" if tests.is_dir() else f"; without JAX's own tests: no {tests}"
    print(f"{file}: {size / 2**20:.1f} MB{left_out}")
    if size > LARGEST:
        sys.exit(f"more than {LARGEST >> 20} MB")
