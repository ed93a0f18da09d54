# SPDX-License-Identifier: Apache-2.0
"""The grid of mutants: a function is wrong for arrays of one kind; see grid_mutants.cc.

There are too many to ask every case about each. The plugin `recorder`, which has no bug, writes which
functions met which arrays; a mutant is asked by the cases that met its own, the quickest first.
"""

import pathlib

RECORDER = "recorder"
EFFECTS = ("refuses", "leaks", "spoils")
ALONE = 4  # so many groups of cases run one by one; then all others at once


def cell_of(name: str) -> str:
    """"PJRT_Buffer_Bitcast.odd" of a mutant of the grid, or nothing"""
    cell, _, effect = name.rpartition(".")
    return cell if effect in EFFECTS and "." in cell else ""


class Grid:
    """Which cases let which functions meet which arrays."""

    def __init__(self, results: list[dict], requirements: set[str], programs: tuple[str, ...]):
        """`results` of a plugin without a bug; of these the cases that check one of the requirements count.
        Cases of `programs`, which are many, go together by what they are about."""
        self.seconds: dict[str, float] = {}
        self.groups: dict[str, dict[str, set[str]]] = {}  # name -> case -> requirements
        for result in results:
            named = requirements & set(result.get("requirements", ()))
            if result["verdict"] != "PASS" or not named:
                continue
            case = result["name"]
            group = "/".join(case.split("/")[:3]) + "/" if case.startswith(programs) else case
            self.groups.setdefault(group, {})[case] = named
            self.seconds[group] = self.seconds.get(group, 0) + result.get("seconds", 0)
        self.by_cell: dict[str, set[str]] = {}

    def record(self, make_runner, folder: pathlib.Path, pool) -> None:
        """Runs each group on the recorder, in folders of their own."""
        def ask(number_and_group):
            number, group = number_and_group
            own = folder / f"{RECORDER}_{number}"
            own.mkdir()
            log = own / "cells.txt"
            report, error = make_runner(own).run(RECORDER, set(self.groups[group]),
                                                 PLINTH_MUTANT_LOG=str(log))
            if report is None:
                raise RuntimeError(f"{group}: {error}")
            return group, log.read_text().split() if log.exists() else []

        for group, cells in pool.map(ask, enumerate(sorted(self.groups))):
            for cell in cells:
                self.by_cell.setdefault(cell, set()).add(group)

    def cases_for(self, name: str, requirement: str) -> list[set[str]]:
        """The groups of cases that can see the mutant, the quickest first."""
        able = [group for group in self.by_cell.get(cell_of(name), ())
                if any(requirement in named for named in self.groups[group].values())]
        return [{case for case, named in self.groups[group].items() if requirement in named}
                for group in sorted(able, key=lambda group: self.seconds[group])]

    def killer(self, runner, name: str, requirement: str, failed_of) -> str:
        """The first case that kills, or nothing."""
        groups = self.cases_for(name, requirement)
        for cases in groups[:ALONE] + [set().union(*groups[ALONE:])]:
            if not cases:
                continue
            report, error = runner.run(name, cases, "--stop-at-first")
            if report is None:
                raise RuntimeError(error)
            if failed := failed_of(report):
                return min(failed)
        return ""
