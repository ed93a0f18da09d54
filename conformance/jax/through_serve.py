# SPDX-License-Identifier: Apache-2.0
"""JAX's own tests on the devices of a plinth-serve, through jaxlib's client for IFRT's proxy protocol.

    python conformance/jax/through_serve.py --jax build/jax [--devices 1 8] [--files api_test array_test] [OPTIONS OF run.py]

`through_serve.json` lists, by cause, the tests that fail here and not on JAX's built-in CPU, each with a part of its
message: nearly all of them jaxlib's client itself refuses. Those of "FILE with 8 devices" need as many. Anything else
that fails here only is a fault, and so is a test that is listed and passes.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
ADDRESS = "SERVE_TESTS_ADDRESS"
# By the number of devices; with one, tests of several are skipped.
FILES = {1: ["api_test", "array_test", "lax_numpy_test", "lax_test", "pjit_test", "random_lax_test"],
         8: ["array_test", "multi_device_test", "pjit_test", "pmap_test", "shard_alike_test", "shard_map_test"]}


def setup() -> None:
    """Called by worker.py in the process that runs the tests."""
    sys.path.insert(0, str(ROOT / "reference_plugin/python"))
    from plinth_pjrt import remote

    remote.register(os.environ[ADDRESS])


def listed_tests(devices: int) -> dict[str, dict[str, str]]:
    """For each file its tests, whatever the cause."""
    merged: dict[str, dict[str, str]] = {}
    for files in json.loads((FOLDER / "through_serve.json").read_text()).values():
        for key, tests in files.items():
            file, _, number = key.partition(" with ")
            if number in ("", f"{devices} devices"):
                merged.setdefault(file, {}).update(tests)
    return merged


def faults(report: dict, refused: dict[str, dict[str, str]]) -> list[str]:
    """What a report of run.py has that the list does not say, and what the list says and the report has not."""
    found = []
    for file in report["files"]:
        listed = refused.get(file["file"], {})
        different = file["different"]
        for name, result in different.items():
            if name not in listed:
                found.append(f"{file['file']} {name}: {result['kind']}: {last_line(result)}")
            elif listed[name] not in result["message"]:
                found.append(f"{file['file']} {name}: fails with another message than is listed: {last_line(result)}")
        found += [f"{file['file']} {name}: passes; take it off the list" for name in listed if name not in different]
    return found


def last_line(result: dict) -> str:
    return (result["message"].strip().splitlines() or [""])[-1][:300]


def run(devices: int, files: list[str], json_file: Path | None, options: argparse.Namespace, more: list[str]) -> list[str]:
    """What differs from the list."""
    plugin = options.build / "lib/pjrt_plinth_cpu.so"
    server = subprocess.Popen([options.build / "bin/plinth-serve", "--plugin", plugin, "--log", "none",
                               "--option", f"num_devices={devices}"], stdout=subprocess.PIPE, text=True)
    try:
        line = server.stdout.readline()
        if not (match := re.match(r"listening on (\S+)", line)):
            sys.exit(f"plinth-serve said {line!r}")
        with tempfile.TemporaryDirectory() as folder:
            report = json_file or Path(folder) / "report.json"
            subprocess.run([sys.executable, FOLDER / "run.py", "--jax", options.jax, "--plugin", plugin, "--quick",
                            *(["--one-device"] if devices == 1 else []), "--platforms", "plinth_remote,cpu", "--bits", "32",
                            "--setup", f"{FOLDER}:through_serve:setup", "--json", report,
                            "--files", *files, *more], env={**os.environ, ADDRESS: match[1]})
            result = json.loads(report.read_text())
    finally:
        server.kill()
        server.wait()
    return faults(result, listed_tests(devices))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jax", type=Path, required=True, help="a checkout of JAX, of the release that is installed")
    parser.add_argument("--build", type=Path, default=ROOT / "build/release", help="build folder (%(default)s)")
    parser.add_argument("--devices", nargs="+", type=int, default=list(FILES), help="devices of the server, one run each (1 8)")
    parser.add_argument("--files", nargs="+", help="default: those of one device, those of several")
    parser.add_argument("--json", type=Path, help="folder where to leave the reports of run.py")
    options, more = parser.parse_known_args()
    bad = []
    for devices in options.devices:
        files = options.files or FILES.get(devices, FILES[8])
        print(f"with {devices} devices:", flush=True)
        bad += run(devices, files, options.json and options.json / f"through-serve-{devices}.json", options, more)
    print(*bad, sep="\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
