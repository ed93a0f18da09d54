#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare_dumps.py OLD.so NEW.so   compiles every stored program, fused and unfused, with two builds
of a plugin, and compares what PLINTH_DUMP writes, stage by stage

Stages are matched by name, so that a stage which only one build has is told and not compared.
--stage NAME      compares that stage alone (`plan` is what runs)
--word OLD=NEW    a word that the newer build writes otherwise; may be given often
--plinth FILE     the command that compiles (build/release/bin/plinth)
Exits with 1 if a dump differs, and prints the first lines of each difference.
"""

import argparse
import concurrent.futures
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
FOLDERS = ["conformance/programs", "reference_plugin/compiler", "reference_plugin/program/testdata"]


def programs():
    found = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.mlir*")):
            if path.suffix in (".mlir", ".mlirbc") and "_fuzz" not in str(path):
                found.append(path)
    return found


def dumps(plinth, plugin, program, fusion):
    """Text by stage, and the compiler's word on the program."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PLINTH_")}
        environment["PLINTH_DUMP"] = folder
        done = subprocess.run(
            [plinth, "compile", program, "--plugin", plugin, "--compile-option", f"fusion={fusion}"],
            env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=600)
        stages = {}
        for path in sorted(pathlib.Path(folder).iterdir()):
            stage = re.sub(r"^.*-\d+\.\d+\.|\.txt$", "", path.name)
            while stage in stages:
                stage += "+"
            stages[stage] = path.read_text()
        if done.returncode:
            stages["error"] = done.stderr.replace(str(plugin), "PLUGIN")
    return stages


def compare(arguments, program, fusion):
    """(name, number of stages compared, stages that only one has, differences)."""
    old, new = (dumps(arguments.plinth, plugin, program, fusion)
                for plugin in (arguments.old, arguments.new))
    shared = [stage for stage in old if stage in new and arguments.stage in (None, stage, "error")]
    differences = []
    for stage in shared:
        text = old[stage]
        for word in arguments.word:
            before, after = word.split("=", 1)
            text = re.sub(rf"\b{re.escape(before)}\b", after, text)
        if text != new[stage]:
            lines = difflib.unified_diff(text.splitlines(), new[stage].splitlines(), "old", "new",
                                         n=0, lineterm="")
            differences.append((stage, list(lines)[:12]))
    alone = sorted(set(old) ^ set(new))
    name = f"{program.relative_to(ROOT)}{'' if fusion == 'true' else ' (unfused)'}"
    return name, len(shared), alone, differences


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("new", type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--stage")
    parser.add_argument("--word", action="append", default=[])
    parser.add_argument("--plinth", default=str(ROOT / "build/release/bin/plinth"))
    arguments = parser.parse_args()
    runs = [(program, fusion) for program in programs() for fusion in ("true", "false")]
    compared, different, alone = 0, 0, set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, stages, only, differences in pool.map(
                lambda run: compare(arguments, *run), runs):
            compared += stages
            alone |= set(only)
            different += bool(differences)
            for stage, lines in differences:
                print(f"{name}: stage {stage} differs", *lines, sep="\n  ")
    if alone:
        print("stages that only one build writes:", ", ".join(sorted(alone)))
    print(f"{len(runs)} compilations, {compared} dumps compared, {different} programs differ")
    return 1 if different or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
