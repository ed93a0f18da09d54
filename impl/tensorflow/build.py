#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds libplinth_tensorflow.so for the TensorFlow of this Python: see README.md.

    python impl/tensorflow/build.py [--libplinth FILE] [--output FILE]
"""

from __future__ import annotations

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# plugin.cc declares what the headers of these have.
RELEASES = ("2.21.0",)
INCLUDES = (".", "api/include", "api/support/include", "impl/client/include")
SOURCES = ("impl/tensorflow/options.cc", "impl/client/src/options.cc", *(f"api/support/{name}.cc" for name in (
    "float_text", "named_value", "status", "str_cat", "text", "xla_mesh", "xla_messages")))


def build_options(compiler: str, folder: pathlib.Path) -> pathlib.Path:
    """Options are read as everywhere else in the project; of its sources only what that takes."""
    options = folder / "options.o"
    includes = [f"-I{ROOT / included}" for included in INCLUDES]
    subprocess.run([compiler, "-std=c++20", "-O2", "-fPIC", "-fvisibility=hidden", "-fvisibility-inlines-hidden", *includes,
                    "-nostdlib", "-r", *(ROOT / source for source in SOURCES), "-o", options], check=True)
    # A source that is missing is said here, not by the TensorFlow that loads the file.
    subprocess.run([compiler, "-shared", "-Wl,-z,defs", options, "-o", folder / "options.so"], check=True)
    return options


def build(libplinth: pathlib.Path, output: pathlib.Path, release: str | None) -> None:
    try:
        import tensorflow as tf
    except ImportError as error:
        sys.exit(f"no TensorFlow in {sys.executable} ({error}): pip install tensorflow-cpu, or run another Python")
    if tf.__version__ not in RELEASES:
        sys.exit(f"this is TensorFlow {tf.__version__}; known is {', '.join(RELEASES)}: pip install tensorflow-cpu=={RELEASES[-1]}")
    if not libplinth.is_file():
        sys.exit(f"no {libplinth}: scripts/build release, or name libplinth.so.0 by --libplinth")
    compiler = os.environ.get("CXX", "c++")
    library = pathlib.Path(tf.sysconfig.get_lib())
    with tempfile.TemporaryDirectory() as folder:
        compiled = f"{folder}/plugin.o"
        subprocess.run([compiler, *tf.sysconfig.get_compile_flags(), "-std=c++17", "-O2", "-fPIC", "-w", "-fvisibility=hidden",
                        "-fvisibility-inlines-hidden", f'-DPLINTH_TENSORFLOW_VERSION="{release or tf.__version__}"',
                        "-I", ROOT, "-c", HERE / "plugin.cc", "-o", compiled], check=True)
        # Another release has other C++ symbols: the file has to load there, to say so.
        subprocess.run(["objcopy", "--weaken", compiled], check=True)
        options = build_options(compiler, pathlib.Path(folder))
        output.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([compiler, "-shared", "-Wl,--no-as-needed", compiled, options, "-o", output, libplinth, library / "libtensorflow_cc.so.2",
                        library / "libtensorflow_framework.so.2", "-Wl,-z,nodelete",
                        f"-Wl,-rpath,$ORIGIN:{libplinth.parent}", f"-Wl,--version-script={HERE / 'exports.map'}"], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--libplinth", type=pathlib.Path, default=ROOT / "build/release/lib/libplinth.so.0")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "build/tensorflow/libplinth_tensorflow.so")
    parser.add_argument("--for-release", help="another than is installed, to see what it says")
    arguments = parser.parse_args()
    build(arguments.libplinth.resolve(), arguments.output, arguments.for_release)
    print(arguments.output)


if __name__ == "__main__":
    main()
