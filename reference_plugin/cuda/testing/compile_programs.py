# SPDX-License-Identifier: Apache-2.0
"""Compiles the programs of an archive (write_programs.py) ahead of time, kernels included; no GPU is needed.

    reference_plugin/cuda/testing/compile_programs.py conformance/programs/jax-0.11.2-cuda.tar.xz [--every 10]

A program that does not compile is an error, unless it is UNIMPLEMENTED for a name that docs/using/cuda.md lists.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("PLINTH_BUILD", ROOT / "build/release"))
DOCS = ROOT / "docs/using/cuda.md"
# What an error names: a custom call's target, or an op.
NAMED = re.compile(r"UNIMPLEMENTED: .*?(?:custom_call @)?([\w.$]+) at ")


def nvrtc() -> str:
    """The folder of the NVRTC that tests have."""
    for site in map(pathlib.Path, sys.path):
        for file in site.glob("nvidia/*/lib/libnvrtc.so.*"):
            return str(file.parent)
    sys.exit("no NVRTC: pip install -r scripts/requirements-cuda.txt")


def compile_program(program: bytes, architecture: str) -> str:
    """The error; empty if it compiled."""
    command = [BUILD / "bin/plinth", "compile", "-", "--format", "mlir", "--topology", architecture,
               "--plugin", BUILD / "lib/pjrt_plinth_cuda.so"]
    done = subprocess.run(command, input=program, capture_output=True, check=False)
    return "" if done.returncode == 0 else done.stderr.decode(errors="replace") or f"exit code {done.returncode}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archive", type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1, help="only each n-th program")
    parser.add_argument("--architecture", default="sm_90")
    options = parser.parse_args()
    with tarfile.open(options.archive) as archive:
        programs = {entry.name: archive.extractfile(entry).read() for entry in archive.getmembers()[::options.every]}
    os.environ.setdefault("PLINTH_CUDA_LIBRARY_PATH", nvrtc())
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        architectures = [options.architecture] * len(programs)
        errors = dict(zip(programs, pool.map(compile_program, programs.values(), architectures)))
    documented = DOCS.read_text()
    refused = collections.Counter()
    failed = []
    for name, error in errors.items():
        named = NAMED.search(error)
        if named and f"`{named[1]}`" in documented:
            refused[named[1]] += 1
        elif error:
            failed.append(name)
            print(f"{name}: {error.strip()[:600]}")
    names = ", ".join(f"{name} {count}" for name, count in sorted(refused.items()))
    compiled = len(programs) - len(failed) - sum(refused.values())
    print(f"{options.archive.name}: {compiled} of {len(programs)} compile for {options.architecture} in "
          f"{time.monotonic() - begin:.0f} s; refused by name: {names or 'none'}; {len(failed)} fail")
    sys.exit(1 if failed or compiled == 0 else 0)


if __name__ == "__main__":
    main()
