#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs bench.py for two platforms in turn (A, B, A, B, ...; a process each) and prints their ratios.

  compare.py                                     built-in CPU and build/release's CPU plugin
  compare.py --a cpu --b name:/path/plugin.so [--rounds 5] [--only RE] [--skip RE] [--budget S]
  compare.py --a cpu --b cpu --rounds 3          the noise of this machine
  compare.py --report-only --dir RUNS            the table again, from kept files
See README.md for how to read the table.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RESTARTS = 200  # Of a round: each loses the case that died or hung.
# Processors that others kept busy during a round, on average: above it, the round says little.
MOST_LOAD = 0.3
HIGHER_IS_BETTER = ("GBps", "GFLOPs", "copy_GBps")
NOT_COMPARED = ("chk", "n_ops", "kind", "ms_med", "block_ns_med", "compile_ms_med", "lower_ms", "first_ms")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--a", default="cpu")
    parser.add_argument("--b", default=f"plinth:{ROOT / 'build/release/lib/pjrt_plinth_cpu.so'}")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--most-load", type=float, default=MOST_LOAD,
                        help="of other processes; a round with more is run again")
    parser.add_argument("--repeats", type=int, default=3, help="rounds run again, of all together, at most")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--bench", default=str(HERE / "bench.py"))
    parser.add_argument("--only", default=".")
    parser.add_argument("--skip", default="^$")
    parser.add_argument("--budget", default="0.3")
    parser.add_argument("--dir", type=Path, default=ROOT / "build/bench")
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--cpus", default="")
    parser.add_argument("--limits", default="")
    parser.add_argument("--report-only", action="store_true")
    parser.add_argument("--json", default="")
    return parser.parse_args()


def environment_of(platform: str) -> dict[str, str]:
    environment = dict(os.environ)
    environment.pop("PJRT_NAMES_AND_LIBRARY_PATHS", None)
    if ":" in platform:
        environment["PJRT_NAMES_AND_LIBRARY_PATHS"] = platform
    environment["JAX_PLATFORMS"] = platform.split(":")[0]
    return environment


def read(path: Path) -> dict:
    return json.loads(path.read_text()) if path.exists() else {}


def watch(process: subprocess.Popen, path: Path, seconds: float) -> str | None:
    """Waits for the end of bench.py; "timeout" if it had to be killed because one case took longer."""
    running, since = None, time.time()
    while process.poll() is None:
        time.sleep(0.25)
        try:
            now = read(path).get("_running")
        except ValueError:
            now = None
        if now != running:
            running, since = now, time.time()
        if time.time() - since > seconds:
            process.kill()
            process.wait()
            return "timeout"
    return None


def run_round(options: argparse.Namespace, platform: str, path: Path) -> None:
    """All cases on a platform; one that dies or hangs is an error, and a new process goes on behind it."""
    path.unlink(missing_ok=True)
    command = ["taskset", "-c", options.cpus] if options.cpus else []
    command += [options.python, options.bench, "--out", str(path), "--only", options.only,
                "--skip", options.skip, "--budget", options.budget, "--quiet", "--resume"]
    for _ in range(RESTARTS):
        with open(f"{path}.err", "a") as errors:
            process = subprocess.Popen(command, env=environment_of(platform), stdout=subprocess.DEVNULL,
                                       stderr=errors)
            killed = watch(process, path, options.timeout)
        results = read(path)
        running = results.pop("_running", None)
        if running is None:
            if not results:
                sys.exit(f"{platform}: bench.py did not start, see {path}.err")
            return
        results[running] = {"error": killed or f"process died rc={process.returncode}"}
        path.write_text(json.dumps(results))


class OthersLoad:
    """How many processors others kept busy since this was made."""

    def __init__(self):
        self._start = self._now()

    @staticmethod
    def _now() -> tuple[float, float, float]:
        fields = [int(x) for x in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
        user, nice, system, _idle, _wait, irq, soft_irq, steal = fields[:8]
        busy = (user + nice + system + irq + soft_irq + steal) / os.sysconf("SC_CLK_TCK")
        own = sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF))
        return time.monotonic(), busy, own

    def get(self) -> float:
        seconds, busy, own = (now - then for now, then in zip(self._now(), self._start))
        return max(busy - own, 0) / max(seconds, 1e-3)


def remove_rounds(folder: Path) -> None:
    """The report is of all rounds in the folder: none of another run may be left."""
    for path in folder.glob("*"):
        if re.fullmatch(r"[ab]\d+\.json(\.err)?", path.name):
            path.unlink()


def run(options: argparse.Namespace) -> None:
    remove_rounds(options.dir)
    repeats, loaded = options.repeats, []
    for k in range(options.rounds):
        sides = [("a", options.a), ("b", options.b)]
        for side, platform in sides if k % 2 == 0 else reversed(sides):
            while True:
                start, others = time.time(), OthersLoad()
                run_round(options, platform, options.dir / f"{side}{k}.json")
                load = others.get()
                again = load > options.most_load and repeats > 0
                print(f"# round {k} {side} ({platform}) {time.time() - start:.0f}s load of others {load:.2f}"
                      + (", run again" if again else ""), file=sys.stderr, flush=True)
                if not again:
                    break
                repeats -= 1
            if load > options.most_load:
                loaded.append(f"{side}{k}")
    if loaded:
        print(f"# others used more than {options.most_load} processors during {', '.join(loaded)}, after "
              f"{options.repeats} rounds that were run again: trust minima alone", file=sys.stderr, flush=True)


def rounds_of(folder: Path, side: str) -> list[dict]:
    found = []
    while (path := folder / f"{side}{len(found)}.json").exists():
        found.append(read(path))
    return found


def error_of(results: list[dict]) -> str | None:
    return next((r["error"] for r in results if "error" in r), None)


def checksums_differ(a: float | None, b: float | None) -> bool:
    if a is None or b is None or a == b or (math.isnan(a) and math.isnan(b)):
        return False
    return not abs(a - b) <= 2e-3 * max(abs(a), abs(b), 1e-6)


def percent_of_limit(results: list[dict], limits: dict, metric: str) -> float | None:
    """Of what the machine can do, the best round; None for a case that does not count its work."""
    kind = results[0].get("kind") if metric == "ms" else None
    if kind not in limits:
        return None
    work = "GBps" if kind == "mem" else "GFLOPs"
    return max(100 * r.get(work, 0) / limits[kind] for r in results) or None


def machine() -> str:
    """What Linux calls this processor: the names alone are not enough on rented machines."""
    said = dict(line.split(":", 1) for line in Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines())
    said = {key.strip(): value.strip() for key, value in said.items()}
    return f"{said['model name']}, family {said['cpu family']}, model {said['model']}"


def limits_of(path: Path, name: str) -> dict:
    """The row of the machine; none, and a line that says so, if the file lacks it."""
    rows = json.loads(path.read_text())
    if name not in rows:
        print(f'# no row "{name}" in {path}: `scripts/build release machine_limits && build/release/bin/machine_limits`'
              " prints its figures")
    return rows.get(name, {})


def compared(a: list[dict], b: list[dict], metric: str, limits: dict) -> dict:
    """One metric of one case in all rounds."""
    times_a, times_b = [r[metric] for r in a], [r[metric] for r in b]
    ratio = statistics.median(x / y if y else math.inf for x, y in zip(times_a, times_b))
    least_a, least_b = min(times_a), min(times_b)
    return {"a": least_a, "b": least_b, "ratio": ratio, "min_ratio": least_a / least_b if least_b else math.inf,
            "spread": max(times_a) / min(times_a) if min(times_a) else 0,
            "pct_a": percent_of_limit(a, limits, metric), "pct_b": percent_of_limit(b, limits, metric)}


def line_of(name: str, row: dict, note: str) -> str:
    percents = " ".join(f"{row[p]:6.0f}" if row[p] else " " * 6 for p in ("pct_a", "pct_b"))
    return (f"{name:46s} {row['a']:11.4g} {row['b']:11.4g} {row['min_ratio']:7.2f} {row['ratio']:7.2f} {row['spread']:7.2f} "
            f"{percents}  {note}")


def mean_of_pairs(pairs: list[tuple[float, float]]) -> tuple[float, float]:
    return tuple(statistics.geometric_mean(column) for column in zip(*pairs))


def report(rounds_a: list[dict], rounds_b: list[dict], limits: dict) -> dict[str, dict]:
    """Prints the table; returns its rows by case.metric."""
    print(f"{'case.metric':46s} {'A':>11s} {'B':>11s} {'minima':>7s} {'median':>7s} {'spreadA':>7s} {'%limA':>6s} {'%limB':>6s}  note")
    rows: dict[str, dict] = {}
    groups: dict[str, list[tuple[float, float]]] = {}  # of each case: by minima, by medians
    cases = dict.fromkeys(c for r in rounds_a + rounds_b for c in r if not c.startswith("_"))
    for case in cases:
        a = [r[case] for r in rounds_a if case in r]
        b = [r[case] for r in rounds_b if case in r]
        error_a, error_b = error_of(a), error_of(b)
        if error_a or error_b or not a or not b:
            print(f"{case:46s} {'ERR' if error_a else 'ok':>11s} {'ERR' if error_b else 'ok':>11s}"
                  f"  A:{error_a} B:{error_b}")
            rows[case] = {"error_a": error_a, "error_b": error_b}
            continue
        check_a, check_b = a[0].get("chk"), b[0].get("chk")
        note = f"CHK DIFFERS {check_a:.6g} {check_b:.6g}" if checksums_differ(check_a, check_b) else ""
        of_case = []
        for metric in a[0]:
            if metric in NOT_COMPARED or metric in HIGHER_IS_BETTER or metric not in b[0]:
                continue
            row = compared(a, b, metric, limits)
            print(line_of(f"{case}.{metric}", row, note))
            rows[f"{case}.{metric}"] = {k: v for k, v in row.items() if k != "spread"}
            pair = (row["min_ratio"], row["ratio"])
            if all(math.isfinite(x) and x > 0 for x in pair):
                of_case.append(pair)
        if of_case:
            groups.setdefault(case.split("/")[0], []).append(mean_of_pairs(of_case))
    if groups:
        groups["all"] = [pair for pairs in groups.values() for pair in pairs]
    for which, name in enumerate(("minima", "medians")):
        means = [f"{group} {mean_of_pairs(found)[which]:.2f} (n={len(found)})" for group, found in groups.items()]
        print(f"# geometric mean over cases of the ratios of {name}: " + ", ".join(means))
    return rows


def main() -> int:
    options = arguments()
    for platform in (options.a, options.b):
        library = platform.partition(":")[2]
        if library and not os.path.exists(library):
            sys.exit(f"no plugin at {library}: build it with `scripts/build release pjrt_plinth_cpu`")
    options.dir.mkdir(parents=True, exist_ok=True)
    if not options.report_only:
        run(options)
    rounds_a, rounds_b = rounds_of(options.dir, "a"), rounds_of(options.dir, "b")
    limits = limits_of(Path(options.limits), machine()) if options.limits else {}
    print(f"# A={options.a} B={options.b} rounds={len(rounds_a)}/{len(rounds_b)}  (times: min of rounds; "
          "A/B, >1 = B faster: of these minima, and the median of the rounds; spread = max/min of A)")
    rows = report(rounds_a, rounds_b, limits)
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
