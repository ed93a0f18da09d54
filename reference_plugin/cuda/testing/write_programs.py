# SPDX-License-Identifier: Apache-2.0
"""What JAX lowers for platform `cuda`, as the bytes that it sends to a plugin: an archive of programs.

    reference_plugin/cuda/testing/write_programs.py jax-0.11.2

makes conformance/programs/jax-0.11.2-cuda.tar.xz in that release's own environment (conformance/frameworks), which needs
the release's Python. The programs are those of JAX's own harnesses of its primitives, each once.
"""

import argparse
import collections
import importlib.metadata
import io
import os
import pathlib
import subprocess
import sys
import tarfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
# The newest that the plugin reads, which is what JAX sends it.
VERSION = "1.17.0"


def write(file: pathlib.Path) -> None:
    """In the release's environment."""
    import jax
    import numpy as np
    from jax._src.internal_test_util import test_harnesses
    from jaxlib import _jax

    programs: dict[str, bytes] = {}
    seen: set[bytes] = set()
    primitives: set[str] = set()
    left_out = collections.Counter()
    for harness in test_harnesses.all_harnesses:
        if not harness.filter("gpu"):
            continue
        operands = harness.dyn_args_maker(np.random.RandomState(zlib.crc32(harness.fullname.encode())))
        try:
            lowered = jax.jit(harness.dyn_fun).trace(*operands).lower(lowering_platforms=("cuda",))
        except NotImplementedError as error:
            left_out[str(error).splitlines()[0][:80]] += 1
            continue
        module = lowered.compiler_ir("stablehlo")
        program = _jax.mlir.serialize_portable_artifact(module, VERSION, True)
        if program in seen:
            continue
        seen.add(program)
        primitives.add(harness.group_name)
        name = "".join(c if c.isalnum() or c in "_.-" else "_" for c in harness.fullname)[:80]
        programs[f"{name}-{zlib.crc32(harness.fullname.encode()):08x}.mlirbc"] = program
    with tarfile.open(file, "w:xz") as archive:
        for name, program in sorted(programs.items()):
            entry = tarfile.TarInfo(name)
            entry.size = len(program)
            archive.addfile(entry, io.BytesIO(program))
    print(f"{file.name}: {len(programs)} programs of {len(primitives)} primitives by JAX "
          f"{importlib.metadata.version('jax')}, {file.stat().st_size} bytes; without a lowering: {dict(left_out)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("release", help="of conformance/frameworks/releases.toml, as jax-0.11.2")
    name = parser.parse_args().release
    sys.path.insert(0, str(ROOT / "conformance/frameworks"))
    import environments

    release, = (r for r in environments.releases() if r.name == name)
    try:
        python, folders = environments.make(release)
    except environments.Missing as missing:
        sys.exit(f"not run: {missing}")
    file = ROOT / f"conformance/programs/{name}-cuda.tar.xz"
    environment = os.environ | {"PYTHONPATH": ":".join(map(str, folders)), "JAX_PLATFORMS": "cpu",
                                "JAX_TRACEBACK_IN_LOCATIONS_LIMIT": "0"}
    code = f"import pathlib, runpy; runpy.run_path({__file__!r})['write'](pathlib.Path({str(file)!r}))"
    sys.exit(subprocess.run([python, "-c", code], env=environment, check=False).returncode)


if __name__ == "__main__":
    main()
