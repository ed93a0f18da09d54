#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every mutant is killed by a case of the requirement that it breaks; see README.md.

    mutants_test.py --suite plinth-conformance --plugin X.so --mutants plinth_mutants.so [--full] [--report FILE] [NAME...]
    mutants_test.py ... --write-killed

Without --full a sample runs of those written by hand, of those that compute wrongly and of those that
the registry gives, none of the grid (grid.py), and correct plugins are asked a part of their cases.
--write-killed writes killed.txt: for each requirement a mutant that a case of it kills, of which the
suite knows then that it would see it broken.
"""

import argparse
import collections
import concurrent.futures
import ctypes
import fnmatch
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import grid

FOLDER = pathlib.Path(__file__).resolve().parent
FAILURES = {"FAIL", "CRASH", "HANG"}
RESULTS = "PJRT-LoadedExecutable_Execute-results"
# Of each kind every so many-th runs without --full; wrong results ask for thousands of programs.
SAMPLES = {"by hand": 25, "results": 20, "generated": 100}
# Without --full a correct plugin is asked every so many-th of its cases, each plugin others.
CORRECT_SAMPLE = 6
# More than there are processors: what hangs costs time only. The tests beside this one, which start one
# process each, still get a third of a processor.
JOBS = (os.cpu_count() or 1) + 4
NICE = 5
CASES_AT_A_TIME = 2


def mutants_of(library: pathlib.Path) -> dict[str, tuple[str, str]]:
    """name -> (requirement, what it breaks); a generated one has a dot in its name"""
    function = ctypes.CDLL(str(library)).PlinthMutants
    function.restype = ctypes.c_char_p
    rows = [line.split("\t") for line in function().decode().splitlines()]
    # Of two rows of one name the second would never run.
    counts = collections.Counter(name for name, _, _ in rows)
    if twice := [name for name, count in counts.items() if count > 1]:
        raise SystemExit(f"two mutants have one name: {', '.join(twice)}")
    return {name: (requirement, breaks) for name, requirement, breaks in rows}


def sample_of(mutants: dict[str, tuple[str, str]]) -> list[str]:
    kinds = {kind: [] for kind in SAMPLES}
    for name, (requirement, _) in mutants.items():
        if grid.cell_of(name):
            continue
        by_hand = "results" if requirement == RESULTS else "by hand"
        kinds["generated" if "." in name else by_hand].append(name)
    return [name for kind, names in kinds.items() for name in names[::SAMPLES[kind]]]


KILLED = """# Written by mutants_test.py --write-killed: a requirement, and a mutant that breaks it and dies by a
# case that names it.
"""

# Thousands of programs that all go the same way: asked when nothing else kills.
PROGRAMS = ("L3/collective/", "L4/op/", "L4/jax/", "L4/form/", "L4/artifact/")


# What extensions say that a plugin need not have.
EXTENSIONS = ("L1/judge/extension/", "L1/owner/")


def all_cases(suite: pathlib.Path) -> set[str]:
    listed = subprocess.run([suite, "--list"], capture_output=True, text=True, check=True).stdout
    return {line.removesuffix(" (robust)") for line in listed.splitlines()}


class Runner:
    def __init__(self, options, folder: pathlib.Path, profile: pathlib.Path = FOLDER / "profile.json"):
        self.options, self.folder, self.profile = options, folder, profile
        self.case_seconds = json.loads(profile.read_text())["case_seconds"]

    def run(self, name: str, cases: set[str], *more: str, **environment: str) -> tuple[dict | None, str]:
        """The report of the suite on a mutant, or why there is none."""
        plugin = self.folder / f"{name}.so"
        plugin.unlink(missing_ok=True)
        plugin.symlink_to(self.options.mutants)
        report = self.folder / f"{name}.json"
        report.unlink(missing_ok=True)
        names = self.folder / f"{name}.txt"
        names.write_text("".join(f"{case}\n" for case in sorted(cases)))
        # The suite ends a case that hangs. If it hangs itself, no count of cases excuses that; a slow
        # machine does not count as one.
        patience = 900 + len(cases) * self.case_seconds
        try:
            done = subprocess.run(
                [self.options.suite, "--plugin", plugin, "--profile", self.profile, "--quiet",
                 "--jobs", str(CASES_AT_A_TIME), "--max-hangs", "0", *more,
                 "--json", report, "--cases", f"@{names}"],
                env={**os.environ, "PLINTH_MUTANT_PLUGIN": str(self.options.plugin), **environment},
                capture_output=True, text=True, timeout=patience)
        except subprocess.TimeoutExpired:
            return None, f"{name}: the suite did not end in {patience} s"
        # 3: of another major version or not usable, 4: no client, which are results too.
        if done.returncode not in (0, 1, 3, 4) or not report.exists():
            return None, f"{name}: the suite ended with {done.returncode}: {done.stdout[-500:]}{done.stderr}"
        found = json.loads(report.read_text())
        if not found["results"]:
            return None, f"{name}: it is not usable: {found.get('error')}"
        return found, ""


def failed_of(report: dict) -> set[str]:
    return {r["name"] for r in report["results"] if r["verdict"] in FAILURES}


def naming_of(clean: dict, requirement: str) -> set[str]:
    """The cases that check the requirement, and pass without a bug."""
    return {r["name"] for r in clean["results"]
            if r["verdict"] == "PASS" and requirement in r.get("requirements", ())}


def survivors() -> list[tuple[str, str]]:
    """(glob over names, the reason why no case can see the bug)"""
    lines = (FOLDER / "survivors.txt").read_text().splitlines()
    return [tuple(line.split("\t", 1)) for line in lines if line and not line.startswith("#")]


def killer(runner: Runner, name: str, requirement: str, clean: dict, must_pass: set[str]) -> str:
    """The first case of the requirement that kills the mutant, or nothing."""
    naming = naming_of(clean, requirement)
    programs = {case for case in naming if case.startswith(PROGRAMS)}
    for cases in (naming - programs, programs):
        if not cases:
            continue
        report, error = runner.run(name, cases, "--stop-at-first")
        if report is None:
            if "not usable" in error:
                return "(the plugin is not usable)"
            raise RuntimeError(error)
        failed = failed_of(report)
        # What has to pass and does not is no better.
        failed |= {r["name"] for r in report["results"]
                   if r["verdict"] == "UNSUPPORTED" and r["name"] in must_pass}
        if failed:
            return min(failed)
    return ""


def killed_of(requirement: str, mutants: dict, runner: Runner, clean: dict, must_pass: set) -> str:
    """A line of killed.txt: the first mutant of the requirement that dies."""
    of_it = [name for name, (broken, _) in mutants.items() if broken == requirement]
    # Those that were written by hand first; a few must do.
    for name in sorted((name for name in of_it if not grid.cell_of(name)),
                       key=lambda name: "." in name)[:8]:
        try:
            who = killer(runner, name, requirement, clean, must_pass)
        except RuntimeError:
            continue
        if who and not who.startswith("("):
            return f"{requirement}\t{name}\n"
    return ""


# Plugins that are correct in ways of their own: what their profile says, and the cases that this
# concerns; not those after a "!".
RICH = ["L1/judge/*", "L1/sweep/*", "L1/form/*", "L1/two_at_once/*", "L1/transfer/long_dimensions",
        "L2/order/*", "L2/failure/*", "L2/event/*", "L2/event_order/*", "L2/leak/layouts",
        "L1/many/*", "L1/after_failure/*", "L1/results/*", "L2/use/*", "L2/thread/*",
        "L2/walk/*", "L2/flow/*"]
CORRECT = {
    "one_client": ({"exclusive": True}, ["*"]),
    # It keeps its events for ever: not asked what it leaves behind.
    "slow_copies": ({}, ["L[01]/*ToHostBuffer*", "L1/transfer/*", "L2/use/*"]),
    "slow_clients": ({"start_seconds": 15, "case_seconds": 4}, ["L1/client/*", "L2/process/*"]),
    "other_bits": ({}, RICH + ["L1/transfer/roundtrip/*", "L4/transfer/narrow*"]),
    # As if all that is read were the result of a function.
    "other_rounding": ({}, ["L4/jax/erf*"]),
    "needs_option": ({}, ["L1/client/*"]),
    "no_optional": ({}, RICH + ["L1/executable/*", "L2/leak/every_kind/*", "L3/*"]),
    "no_extensions": ({}, RICH),
    "late_callbacks": ({}, ["L2/event*"]),
    "more_extensions": ({}, RICH + ["L2/leak/call/*"]),
    "not_on_cpu": ({}, RICH + ["L2/leak/every_kind/*"]),
    "no_statistics": ({}, ["L1/judge/*", "L1/client/*"]),
    "copies_always": ({}, ["L1/sweep/*", "L1/transfer/*", "L2/order/*"]),
    "borrows_always": ({}, RICH + ["L1/transfer/*", "L2/process/*", "L2/lifetime/*", "L2/leak/*"]),
    "refuses_layouts": ({}, ["L1/sweep/*", "L1/transfer/*", "L1/form/*"]),
    "no_serialization": ({}, ["L1/*execut*", "L1/judge/*", "L2/leak/*"]),
    "padded_sizes": ({}, ["L1/judge/*", "L1/sweep/*"]),
    "older": ({}, RICH),
    "one_device": ({"create_options": {"num_devices": 1}}, RICH),
    "eight_devices": ({"create_options": {"num_devices": 8}}, ["L1/judge/*", "L3/*"]),
    "artifacts": ({"program_form": "artifact"}, ["L1/judge/*", "L2/event_order/*"]),
    "any_order": ({}, RICH + ["L1/program/*", "L2/async_transfer/*", "L2/lifetime/*", "L2/leak/*",
                          "L3/*"]),
    # The plugin behind runs programs on arguments as it lays them out itself alone, and has aliases of
    # such arrays alone.
    "column_major": ({"reads_programs": False}, ["L0/*", "L1/*", "L2/*", "!L1/results/*",
                                                 "!L1/sweep/made_by_alias"]),
    "counts_duties": ({}, ["*CopyRawToHostFuture*", "*ControlDependency*", "*CreateAliasBuffer*"]),
}


def correct(options, name: str, folder: pathlib.Path, every: set[str]) -> list[str]:
    """A correct plugin fails nothing."""
    changes, globs = CORRECT[name]
    # Programs of L4 run where a glob is about them.
    cases = {case for case in every if any(
        fnmatch.fnmatchcase(case, glob) and
        (glob.startswith(PROGRAMS) or not case.startswith(PROGRAMS)) for glob in globs)}
    cases -= {case for case in cases if any(
        glob[0] == "!" and fnmatch.fnmatchcase(case, glob[1:]) for glob in globs)}
    if len(cases) < len(globs):
        return [f"{name}: no cases {globs}"]
    if not options.full and not options.names:
        first = list(CORRECT).index(name) % CORRECT_SAMPLE
        cases = set(sorted(cases)[first::CORRECT_SAMPLE]) or cases
    folder = folder / f"correct_{name}"
    folder.mkdir()
    profile = folder / "profile.json"
    # Nothing of it hangs: how long a case takes depends on what else the machine does.
    profile.write_text(json.dumps({**json.loads((FOLDER / "profile.json").read_text()),
                                   "case_seconds": 60, **changes}))
    report, error = Runner(options, folder, profile).run(name, cases)
    if report is None:
        return [error]
    return [f"{name}, which is correct: {case['name']}: {case['verdict']}: {case.get('findings')}"
            for case in report["results"] if case["verdict"] in FAILURES]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    for argument in ("suite", "plugin", "mutants"):
        parser.add_argument(f"--{argument}", type=pathlib.Path, required=True)
    parser.add_argument("--full", action="store_true", help="every mutant")
    parser.add_argument("--write-killed", action="store_true", help="write killed.txt, and stop")
    parser.add_argument("--report", type=pathlib.Path, help="write which case killed which mutant")
    parser.add_argument("names", nargs="*", help="these mutants alone, as globs")
    options = parser.parse_args()
    os.nice(NICE)
    for argument in ("suite", "plugin", "mutants"):
        setattr(options, argument, getattr(options, argument).resolve())
    mutants = mutants_of(options.mutants)
    problems = [] if len(mutants) >= 400 else [f"there are {len(mutants)} mutants only"]
    named = lambda name: any(fnmatch.fnmatchcase(name, glob) for glob in options.names)
    reasons = survivors()
    excused = {name: reason for name in mutants for glob, reason in reasons
               if fnmatch.fnmatchcase(name, glob)}
    problems += [f"survivors.txt: {glob} is no mutant" for glob, _ in reasons
                 if not fnmatch.filter(mutants, glob)]
    if options.names:
        names = [name for name in mutants if named(name)]
    else:
        names = list(mutants) if options.full else sample_of(mutants)
    must_pass = {line.split()[1] for path in (FOLDER.parent / "must_pass").glob("L*.txt")
                 for line in path.read_text().splitlines()}
    killers: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(options, pathlib.Path(folder))
        every = all_cases(options.suite)
        clean, error = runner.run("clean", every)
        if clean is None:
            print(error)
            return 1
        problems += [f"without a bug: {case} failed" for case in sorted(failed_of(clean))]
        # What the plugin behind lacks, a correct plugin has; bugs of it are beside that.
        lacking = {r["name"] for r in clean["results"] if r["verdict"] == "UNSUPPORTED"
                   and r["name"].startswith(EXTENSIONS)}
        richer, error = runner.run("more_extensions", lacking)
        if richer is None:
            print(error)
            return 1
        clean["results"] += [r for r in richer["results"] if r["verdict"] == "PASS"]
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            if options.write_killed:
                lines = pool.map(lambda each: killed_of(each, mutants, runner, clean, must_pass),
                                 sorted({requirement for requirement, _ in mutants.values()}))
                (FOLDER / "killed.txt").write_text(KILLED + "".join(lines))
                return 0
            correct_ones = [pool.submit(correct, options, name, pathlib.Path(folder), every)
                            for name in CORRECT if not options.names or name in options.names]
            asked = {name: pool.submit(killer, runner, name, mutants[name][0], clean, must_pass)
                     for name in names if not grid.cell_of(name)}
            if of_grid := [name for name in names if grid.cell_of(name)]:
                cells = grid.Grid(clean["results"], {mutants[name][0] for name in of_grid}, PROGRAMS)
                cells.record(lambda own: Runner(options, own), pathlib.Path(folder), pool)
                asked |= {name: pool.submit(cells.killer, runner, name, mutants[name][0], failed_of)
                          for name in of_grid}
            for name, future in asked.items():
                try:
                    killers[name] = future.result()
                except RuntimeError as problem:
                    problems.append(str(problem))
                    continue
                if not naming_of(clean, mutants[name][0]) and name not in excused:
                    problems.append(f"{name}: no case names {mutants[name][0]}")
                elif not killers[name] and name not in excused:
                    problems.append(f"{name} survives: {mutants[name][1]} ({mutants[name][0]})")
                elif killers[name] and name in excused:
                    problems.append(f"{name} dies by {killers[name]}, survivors.txt says otherwise")
            problems += [problem for one in correct_ones for problem in one.result()]
    if options.report:
        options.report.write_text("".join(
            f"{name}\t{mutants[name][0]}\t{who or 'survives: ' + excused.get(name, '')}\n"
            for name, who in killers.items()))
    for problem in problems:
        print(problem)
    died = sum(1 for who in killers.values() if who)
    print(f"{len(mutants)} mutants, {len(killers)} asked, {died} killed, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
