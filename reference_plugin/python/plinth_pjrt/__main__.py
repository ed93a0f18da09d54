# SPDX-License-Identifier: Apache-2.0
"""python -m plinth_pjrt: where the parts of this package are, for the tools that build against them."""

import argparse
import sys
from pathlib import Path

import plinth_pjrt

_HERE = Path(__file__).resolve().parent


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m plinth_pjrt", description=__doc__)
    asked = parser.add_mutually_exclusive_group(required=True)
    asked.add_argument("--cmake-dir", action="store_const", dest="path", const=lambda: _HERE / "lib/cmake",
                       help="for CMAKE_PREFIX_PATH: the package plinth, with its components libplinth and ifrt")
    asked.add_argument("--include-dir", action="store_const", dest="path",
                       const=lambda: _HERE / "include/plinth/api", help="the headers of the C APIs")
    asked.add_argument("--plugin", action="store_const", dest="path", const=plinth_pjrt.plugin_path,
                       help="the plugin for CPUs")
    asked.add_argument("--cuda-plugin", action="store_const", dest="path", const=plinth_pjrt.cuda_plugin_path,
                       help="the plugin for NVIDIA GPUs")
    asked.add_argument("--loader", action="store_const", dest="path", const=plinth_pjrt.loader_path,
                       help="libplinth")
    try:
        path = Path(parser.parse_args().path())
    except OSError as error:
        sys.exit(f"plinth_pjrt: {error}")
    if not path.exists():
        sys.exit(f"plinth_pjrt: no {path}: this wheel was made from a build without it; `scripts/build release` builds all")
    print(path)


if __name__ == "__main__":
    main()
