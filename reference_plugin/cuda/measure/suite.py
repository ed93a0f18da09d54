# SPDX-License-Identifier: Apache-2.0
"""The conformance suite on the plugin. Of the first cases that fail it prints the kernels."""

import os
import re
import subprocess

import failures
from processes import CUDA, ROOT, Missing, left, library_path, text_of

CONFORMANCE = ROOT / "build/release/bin/plinth-conformance"
PROFILES = {
    name: ROOT / f"conformance/profiles/{name}.json"
    for name in ("plinth_cuda", "plinth_cuda_tf32", "plinth_cuda_f32")
}


def _run(options: list, seconds: float, **environment) -> str:
    """What the suite prints, which may have found anything."""
    seconds = left(seconds)
    jobs = max(1, min(8, (os.cpu_count() or 2) - 1))
    command = [CONFORMANCE, "--plugin", CUDA, "--quiet", "--jobs", jobs, *options]
    try:
        done = subprocess.run(
            [str(c) for c in command],
            env=os.environ | library_path() | environment,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        return f"{text_of(late.stdout)}\nno end after {seconds:.0f} s"
    return done.stdout + done.stderr


def _is_summary(line: str) -> bool:
    return line.startswith("PASS ") or any(
        said in line for said in ("conforms to", "no level", "no end after")
    )


def measure(rows, what: str, profile: str, options: list, wanted: str | None, seconds: float):
    """One row. `wanted`: a line that the suite must print."""
    if not CONFORMANCE.is_file():
        raise Missing(f"no {CONFORMANCE}: scripts/build release plinth-conformance")
    options = ["--profile", PROFILES[profile], *options]
    out = _run(options, seconds)
    lines = out.splitlines()
    holds = "FAIL 0  CRASH 0  HANG 0" in out and (wanted is None or wanted in lines)
    rows.add(what, "; ".join(list(filter(_is_summary, lines)) or lines[-3:]), holds)
    if holds:
        return
    failures.FOLDER.mkdir(exist_ok=True)
    failures.FOLDER.joinpath(re.sub(r"\W+", "-", what) + ".txt").write_text(out)
    print(out[:4000], flush=True)
    failed = re.findall(r"^(?:FAIL|CRASH|HANG) (\S+)", out, re.MULTILINE)
    # Cases of one area fail alike: one of each.
    areas = {case.rsplit("/", 1)[0]: case for case in reversed(failed)}
    for case in list(areas.values())[:4]:
        _run_again(case, options[:2])


def _run_again(case: str, profile: list) -> None:
    dump = failures.FOLDER / f"case-{case.replace('/', '-')}"
    out = _run(
        [*profile, "--cases", case],
        60,
        PLINTH_DUMP=str(dump.absolute()),
        PLINTH_CUDA_CACHE="off",
        CUDA_LAUNCH_BLOCKING="1",
    )
    (dump if dump.is_dir() else failures.FOLDER).joinpath("output.txt").write_text(out)
    evidence = failures.evidence(out, dump)[:2500]
    print(f"===== {case}, again:\n{out[-1500:]}\n{evidence}", flush=True)
