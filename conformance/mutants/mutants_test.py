#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every mutant fails the cases that its file in expected/ lists, and no other; see README.md.

    mutants_test.py --suite plinth-conformance --plugin X.so --mutants plinth_mutants.so [--full] [--write] [NAME...]

Without --full each mutant runs the cases that have to fail and a sample of the others. Of the
thousands of programs of L4, which all go the same way, those run that a mutant names.
"""

import argparse
import concurrent.futures
import ctypes
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
EXPECTED = FOLDER / "expected"
FAILURES = {"FAIL", "CRASH", "HANG"}
SAMPLE = 25  # every so many-th case
# More than there are processors, and cases of each at a time: what hangs costs time only, 8 seconds
# a case, and one mutant hangs in 22.
JOBS = (os.cpu_count() or 1) + 6
CASES_AT_A_TIME = 8


def mutants_of(library: pathlib.Path) -> dict[str, tuple[str, str]]:
    """name -> (requirement, glob of cases)"""
    function = ctypes.CDLL(str(library)).PlinthMutants
    function.restype = ctypes.c_char_p
    rows = [line.split("\t") for line in function().decode().splitlines()]
    return {name: (requirement, cases) for name, requirement, cases, _ in rows}


PROGRAMS = ("L4/op/", "L4/jax/", "L4/form/", "L4/artifact/")


def all_cases(suite: pathlib.Path, globs: list[str]) -> set[str]:
    """Every case but the programs that no glob is about."""
    listed = subprocess.run([suite, "--list"], capture_output=True, text=True, check=True).stdout
    names = [line.removesuffix(" (robust)") for line in listed.splitlines()]
    globs = [glob for glob in globs if glob.startswith(PROGRAMS)]
    return {name for name in names if not name.startswith(PROGRAMS) or
            any(fnmatch.fnmatchcase(name, glob) for glob in globs)}


class Runner:
    def __init__(self, options, folder: pathlib.Path, profile: pathlib.Path = FOLDER / "profile.json"):
        self.options, self.folder, self.profile = options, folder, profile

    def run(self, name: str, cases: set[str]) -> tuple[dict | None, str]:
        """The report of the suite on a mutant, or why there is none."""
        plugin = self.folder / f"{name}.so"
        plugin.symlink_to(self.options.mutants)
        report = self.folder / f"{name}.json"
        names = self.folder / f"{name}.txt"
        names.write_text("".join(f"{case}\n" for case in sorted(cases)))
        done = subprocess.run(
            [self.options.suite, "--plugin", plugin, "--profile", self.profile,
             "--jobs", str(CASES_AT_A_TIME), "--quiet", "--max-hangs", "0", "--json", report, "--cases", f"@{names}"],
            env={**os.environ, "PLINTH_MUTANT_PLUGIN": str(self.options.plugin)},
            capture_output=True, text=True, timeout=600)
        # 3: of another major version, which is a result too.
        if done.returncode not in (0, 1, 3) or not report.exists():
            return None, f"{name}: the suite ended with {done.returncode}: {done.stdout[-500:]}{done.stderr}"
        found = json.loads(report.read_text())
        if not found["results"]:
            return None, f"{name}: the suite ended with {done.returncode}: {found.get('error')}"
        return found, ""


def passed_of(report: dict) -> set[str]:
    return {r["name"] for r in report["results"] if r["verdict"] == "PASS"}


def failed_of(report: dict) -> set[str]:
    return {r["name"] for r in report["results"] if r["verdict"] in FAILURES}


def lines_of(name: str) -> list[str]:
    path = EXPECTED / f"{name}.txt"
    return path.read_text().split() if path.exists() else []


def minimum_sizes() -> dict[str, int]:
    """function -> the smallest struct_size that is accepted, from the tables of the registry"""
    folder = FOLDER.parent.parent / "api/support/include/plinth/support"
    text = (folder / "abi_tables.inc").read_text() + (folder / "extension_tables.inc").read_text()
    rows = re.findall(r"FUNCTION\((.*), (\d+)\)$", text, re.M)
    return {word: int(size) for columns, size in rows for word in columns.split(", ")}


MINIMUM = minimum_sizes()
TOO_SMALL = "L0/struct_size/*/<minimum"


def matching(line: str, passed: set[str]) -> set[str]:
    if line != TOO_SMALL:
        return set(fnmatch.filter(passed, line)) if "*" in line else {line}
    sizes = [case.split("/") for case in fnmatch.filter(passed, "L0/struct_size/*")]
    return {"/".join(parts) for parts in sizes if int(parts[3]) < MINIMUM[parts[2]]}


def expected_of(name: str, clean: dict) -> set[str]:
    """The cases of a file of expected/: a line with * is every case of that form that passes without
    a bug, and one with ! takes a case away again."""
    passed = passed_of(clean)
    expected: set[str] = set()
    for line in lines_of(name):
        if line.startswith("!"):
            expected.discard(line[1:])
        else:
            expected |= matching(line, passed)
    return expected


def shortened(failed: set[str], clean: dict) -> list[str]:
    """The lines for these cases. The cases of L0 are one for each argument of each function, which
    the registry knows: where nearly all of a kind fail, only the others are listed."""
    lines = set(failed)
    for form in ("L0/null/*", "L0/enum/*", TOO_SMALL):
        everyone = matching(form, passed_of(clean))
        others = everyone - failed
        if len(everyone) > 10 and len(others) * 10 < len(everyone):
            lines = (lines - everyone) | {form} | {f"!{case}" for case in others}
    return sorted(lines, key=lambda line: (line.startswith("!"), line))


def naming_of(clean: dict, requirement: str, cases: str) -> set[str]:
    """The cases that see a violation of the requirement."""
    return {r["name"] for r in clean["results"]
            if r["verdict"] == "PASS" and requirement in r.get("requirements", ())
            and fnmatch.fnmatchcase(r["name"], cases)}


def judge(name: str, requirement: str, cases: str, clean: dict, report: dict) -> list[str]:
    """What is wrong with a mutant's result."""
    failed, expected = failed_of(report), expected_of(name, clean)
    problems = [f"{name}: {case} did not fail" for case in sorted(expected - failed)]
    problems += [f"{name}: {case} failed, which is not expected" for case in sorted(failed - expected)]
    naming = naming_of(clean, requirement, cases)
    if not naming:
        problems.append(f"{name}: no case {cases} names {requirement}")
    problems += [f"{name}: survives {case}, which names {requirement}"
                 for case in sorted(naming - failed)]
    return problems


# Plugins that are correct in ways of their own: what their profile says, and the cases that this
# concerns.
CORRECT = {
    "one_client": ({"exclusive": True}, ["*"]),
    "slow_copies": ({}, ["*ToHostBuffer*", "L1/transfer/*"]),
    "slow_clients": ({"start_seconds": 15, "case_seconds": 4}, ["L1/client/*", "L2/process/*"]),
    "other_bits": ({}, ["L1/transfer/roundtrip/[su]4/*", "L4/transfer/narrow*", "L4/jax/erf*"]),
    "needs_option": ({}, ["L1/client/*"]),
    "counts_duties": ({}, ["*CopyRawToHostFuture*", "*ControlDependency*", "*CreateAliasBuffer*"]),
}


def correct(options, name: str, folder: pathlib.Path, every: set[str]) -> list[str]:
    """A correct plugin fails nothing."""
    changes, globs = CORRECT[name]
    cases = {case for case in every if any(fnmatch.fnmatchcase(case, glob) for glob in globs)}
    folder = folder / f"correct_{name}"
    folder.mkdir()
    profile = folder / "profile.json"
    profile.write_text(json.dumps({**json.loads((FOLDER / "profile.json").read_text()),
                                   **changes}))
    report, error = Runner(options, folder, profile).run(name, cases)
    if report is None:
        return [error]
    if len(report["results"]) < len(globs):
        return [f"{name}: no cases {globs}"]
    return [f"{name}, which is correct: {case} failed" for case in sorted(failed_of(report))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    for argument in ("suite", "plugin", "mutants"):
        parser.add_argument(f"--{argument}", type=pathlib.Path, required=True)
    parser.add_argument("--full", action="store_true", help="every case on every mutant")
    parser.add_argument("--write", action="store_true", help="write expected/ anew")
    parser.add_argument("names", nargs="*", help="these mutants alone")
    options = parser.parse_args()
    for argument in ("suite", "plugin", "mutants"):
        setattr(options, argument, getattr(options, argument).resolve())
    mutants = mutants_of(options.mutants)
    unknown = {path.stem for path in EXPECTED.glob("*.txt")} - set(mutants)
    problems = [f"expected/{name}.txt is of no mutant" for name in sorted(unknown)]
    names = [name for name in options.names if name in mutants or name not in CORRECT] \
        if options.names else list(mutants)
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(options, pathlib.Path(folder))
        every = all_cases(options.suite, [cases for _, cases in mutants.values()] +
                          [glob for _, globs in CORRECT.values() for glob in globs])
        clean, error = runner.run("clean", every)
        if clean is None:
            print(error)
            return 1
        problems += [f"without a bug: {case} failed" for case in sorted(failed_of(clean))]
        # What has most to fail may hang most: it starts first.
        names.sort(key=lambda name: -len(expected_of(name, clean)))
        sample = {r["name"] for r in clean["results"][::SAMPLE]}
        selections = [every if options.full or options.write else
                      expected_of(name, clean) | naming_of(clean, *mutants[name]) | sample
                      for name in names]
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            correct_ones = [pool.submit(correct, options, name, pathlib.Path(folder), every)
                            for name in CORRECT if not options.names or name in options.names]
            for name, (report, error) in zip(names, pool.map(runner.run, names, selections)):
                if report is None:
                    problems.append(error)
                    continue
                if options.write:
                    lines = shortened(failed_of(report), clean)
                    (EXPECTED / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))
                problems += judge(name, *mutants[name], clean, report)
            problems += [problem for one in correct_ones for problem in one.result()]
    for problem in problems:
        print(problem)
    print(f"{len(names)} mutants, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
