# SPDX-License-Identifier: Apache-2.0
"""JAX's own tests; at least 98 % of those that XLA's CUDA plugin passes"""

import json
import os
import pathlib
import re
import sys
import tempfile

import failures
from processes import CUDA, ROOT, Failed, Missing, left, need_jax, plugins, run

RUNNER = ROOT / "conformance/jax"
# Most telling first: what does not end in time is not compared.
FILES = (
    "lax_test lax_numpy_test lax_control_flow_test nn_test lax_numpy_reducers_test "
    "lax_numpy_indexing_test random_lax_test python_callback_test api_test array_test "
    "lax_vmap_test lax_autodiff_test lax_numpy_operators_test linalg_test lax_scipy_test ffi_test "
    "memories_test array_interoperability_test compilation_cache_test fft_test"
).split()
# What docs/using/cuda.md names as refused: it waits for libraries that are not used yet.
LATER = re.compile(
    r"@cu(solver|hybrid|sparse|_cholesky|_tridiagonal|_threefry)|cudnn|has no fft yet", re.I
)
# JAX leaves out on GPUs what it runs on the CPU, where that is what it is compared with.
NOT_FOR_GPUS = "skipped here only"


def checkout() -> pathlib.Path:
    """A checkout of JAX, or what the archive has of it."""
    return pathlib.Path(os.environ.get("PLINTH_JAX_CHECKOUT", ROOT / "build/jax"))


def packed() -> list[pathlib.Path]:
    """What another machine needs for this part; nothing where there is no checkout."""
    helper = checkout() / "jax/_src/hypothesis_test_util.py"
    tests = [checkout() / f"tests/{file}.py" for file in FILES]
    runner = [RUNNER / f"{name}.py" for name in ("run", "worker", "isolation", "comparison")]
    return [*runner, *(file for file in (helper, *tests) if file.is_file())]


def command(report: pathlib.Path) -> list:
    libraries = os.environ.get("PLINTH_CUDA_LIBRARY_PATH")
    return [
        *(sys.executable, RUNNER / "run.py", "--jax", checkout(), "--plugin", CUDA),
        *("--replace-cuda", "--one-device", "--quick", "--bits", "32", "--cases", "1"),
        *("--against", "cuda,cpu" if "xla_cuda" in plugins() else "cpu"),
        *("--jobs", max(1, min(12, (os.cpu_count() or 2) - 2)), "--rate", "0"),
        *(["--options", f"cuda_library_path:{libraries}"] if libraries else []),
        *("--select", os.environ.get("PLINTH_GPU_JAX_TESTS", "")),
        *("--json", report, "--cache", report.parent / "cache"),
        *("--files", *(file for file in FILES if (checkout() / f"tests/{file}.py").is_file())),
    ]


def measure(rows) -> None:
    need_jax()
    try:
        import absl  # noqa: F401
    except ImportError as error:
        raise Missing("no absl, which JAX's tests need: pip install absl-py") from error
    if not checkout().joinpath("tests/lax_test.py").is_file():
        raise Missing(f"no tests in {checkout()}: --pack takes them from PLINTH_JAX_CHECKOUT")
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        try:
            run(command(report), left(600))
        except Failed:
            # A test that ends its process is in the report; what was cut off is not.
            if not report.is_file():
                raise
        add_rows(rows, json.loads(report.read_text()))


def add_rows(rows, report: dict) -> None:
    compared = passed = left_out = 0
    lines = []
    for file in report["files"]:
        name = f"JAX's {file['file']}"
        if file.get("error"):
            rows.add(name, f"not run: {file['error'].strip().splitlines()[-1]}")
            continue
        asked = {
            test: found
            for test, found in file["different"].items()
            if found["kind"] != NOT_FOR_GPUS and not LATER.search(found["message"])
        }
        good = file["counts"]["passed on both"]
        others = len(file["different"]) - len(asked)
        if good + len(asked) > 0:
            rows.add(name, f"{good} of {good + len(asked)}, {others} left out")
        compared, passed, left_out = compared + good + len(asked), passed + good, left_out + others
        lines += [
            f"{file['file']}/{test}: {found['kind']}\n{found['message']}\n"
            for test, found in asked.items()
        ]
    share = passed / compared if compared else 0
    rows.add("JAX's own tests", f"{share:.2%} of {compared}; {left_out} left out", share >= 0.98)
    if lines:
        failures.FOLDER.mkdir(exist_ok=True)
        failures.FOLDER.joinpath("jax_tests.txt").write_text("\n".join(lines))
        print("\n".join(line[:600] for line in lines[:12]), flush=True)
