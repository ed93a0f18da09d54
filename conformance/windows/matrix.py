# SPDX-License-Identifier: Apache-2.0
"""Runs frozen clients against plugins and draws who works with whom.

  matrix.py --build build/release                  the default revisions
  matrix.py --build build/release --all            every one (target windows_all)
  matrix.py ... --plugin X.so                      also these plugins; repeatable
  matrix.py ... --through build/release/lib/libplinth.so
                                                   through the loader, which has the plugin behind it
  matrix.py ... --json M.json --html M.html

One process per client loads every plugin. A plugin that ends the process, or takes too long, is run
again alone, and that run is its verdict. Verdicts: PASS; REFUSED (every failed call was answered
"unexpected size": what the loader adapts); FAIL; CRASH; HANG.

Exit status 1 if a pair breaks a promise. A plugin given with --plugin passes with every client. A
frozen plugin, as strict as those of its time, passes unless it asks for larger structs than the
client has (promises.py). Through the loader everything passes, but for plugins with as many functions
as the newest: without layers the loader gives their own table to the caller, and what holds directly
holds.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import matrix_html
import promises
import windows

HERE = Path(__file__).resolve().parent


@dataclass
class Client:
    window: windows.Window
    sizes: dict[str, promises.Size]
    path: Path

    @property
    def name(self) -> str:
        return self.window.name


@dataclass
class Plugin:
    name: str
    path: Path
    window: windows.Window | None = None  # None: not frozen
    sizes: dict[str, promises.Size] = field(default_factory=dict)

    @property
    def is_full_size(self) -> bool:
        functions = len(windows.history()[-1].layout["functions"])
        return self.window is None or len(self.window.revision.layout["functions"]) == functions


@dataclass
class Pair:
    client: str
    plugin: str
    verdict: str
    expected: list[str]
    plugin_minor: int = 0
    calls: int = 0
    failures: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    command: str = ""

    @property
    def kept(self) -> bool:
        return self.verdict in self.expected


class Runner:
    def __init__(self, through: Path | None, timeout: float, behind: Path | None,
                 layers: str | None = None) -> None:
        self._through = through
        self._timeout = timeout
        self._environment = dict(os.environ)
        if layers is not None:
            self._environment["PLINTH_LAYERS"] = layers
        if behind is not None:
            self._environment["PLINTH_FROZEN_PLUGIN"] = str(behind)

    def _command(self, client: Client, plugins: list[Plugin]) -> tuple[list[str], dict[str, str]]:
        if self._through is None:
            return [str(client.path)] + [str(p.path) for p in plugins], self._environment
        environment = {**self._environment, "PLINTH_PLUGIN": str(plugins[0].path)}
        return [str(client.path), str(self._through)], environment

    def _run(self, client: Client, plugins: list[Plugin]) -> tuple[list[dict], str | None]:
        """The answers of one process, and how it ended if before its last plugin."""
        command, environment = self._command(client, plugins)
        ending = None
        try:
            done = subprocess.run(command, env=environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, timeout=self._timeout, check=False)
            output = done.stdout
            if done.returncode < 0:
                ending = signal.Signals(-done.returncode).name
            elif done.returncode not in (0, 1):
                ending = f"exit status {done.returncode}"
        except subprocess.TimeoutExpired as expired:
            output, ending = expired.stdout or b"", "HANG"
        rows = []
        for line in output.decode("utf-8", "replace").splitlines():
            try:
                row = json.loads(line)
            except ValueError:
                continue  # Something else in the process printed.
            if isinstance(row, dict) and "verdict" in row:
                rows.append(row)
        if len(rows) < len(plugins) and ending is None:
            ending = "the process ended early"
        return rows, ending

    def client(self, client: Client, plugins: list[Plugin]) -> list[dict]:
        """One row per plugin, in order."""
        if self._through is not None:
            return [self._alone(client, plugin) for plugin in plugins]
        answers: list[dict] = []
        while len(answers) < len(plugins):
            rows, ending = self._run(client, plugins[len(answers):])
            answers += rows
            if len(answers) < len(plugins):
                answers.append(self._alone(client, plugins[len(answers)]))
            elif ending is not None:  # All done, but the process could not leave.
                answers[-1] = self._alone(client, plugins[-1])
        return answers

    def _alone(self, client: Client, plugin: Plugin) -> dict:
        rows, ending = self._run(client, [plugin])
        row = rows[0] if rows else {"failures": [], "refusals": [], "absent": []}
        if ending is not None:
            row["verdict"] = "HANG" if ending == "HANG" else "CRASH"
            row["failures"] = row["failures"] + [ending]
        return row

    def repeat(self, client: Client, plugin: Plugin) -> str:
        command, environment = self._command(client, [plugin])
        set_here = [f"{k}={v}" for k, v in environment.items() if os.environ.get(k) != v]
        return " ".join(set_here + command)


def expected(client: Client, plugin: Plugin, through: bool, layers: bool = False) -> list[str]:
    is_adapted = through and (layers or not plugin.is_full_size)
    if plugin.window is None or is_adapted:
        return ["PASS"]
    return promises.verdicts(client.sizes, plugin.sizes)


def find(build: Path, names: list[str]) -> tuple[list[Client], list[Plugin]]:
    """The frozen clients and plugins of a build folder, oldest first; FileNotFoundError."""
    history = windows.history()
    registry = windows.registry_module.load(windows.API / "registry")
    clients, plugins = [], []
    for window in windows.named(history, names):
        sizes = promises.sizes(registry, history, window.revision)
        clients.append(Client(window, sizes, build / "windows" / "client" / window.name))
        plugins.append(Plugin(window.name, build / "windows" / "plugin" / f"pjrt_frozen_{window.name}.so",
                              window, sizes))
    missing = [x.path for x in clients + plugins if not x.path.exists()]
    if missing:
        raise FileNotFoundError(f"{missing[0]} does not exist ({len(missing)} are missing)")
    return clients, plugins


def default_names(build: Path) -> list[str]:
    return (build / "windows" / "default_revisions.txt").read_text().split()


def main() -> int:
    parser = argparse.ArgumentParser(prog="matrix.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True, help="the build folder")
    parser.add_argument("--all", action="store_true", help="every revision, not the default ones")
    parser.add_argument("--plugin", type=Path, action="append", default=[])
    parser.add_argument("--behind", type=Path, help="the plugin inside the frozen ones")
    parser.add_argument("--through", type=Path, metavar="LIBPLINTH")
    parser.add_argument("--layers", help="with --through: layers between, as PLINTH_LAYERS")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--html", type=Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--timeout", type=float, default=60, help="seconds per process")
    options = parser.parse_args()

    for needed in [*options.plugin, options.through, options.behind]:
        if needed and not needed.exists():
            print(f"error: {needed} does not exist", file=sys.stderr)
            return 2
    try:
        clients, plugins = find(options.build, [] if options.all else default_names(options.build))
    except FileNotFoundError as error:
        print(f"error: {error}; build the target {'windows_all' if options.all else 'windows'}",
              file=sys.stderr)
        return 2
    plugins += [Plugin(p.name, p.resolve()) for p in options.plugin]

    through = options.through.resolve() if options.through else None
    runner = Runner(through, options.timeout, options.behind, options.layers)
    with ThreadPoolExecutor(options.jobs) as pool:
        rows = list(pool.map(lambda c: runner.client(c, plugins), clients))
    pairs = []
    for client, answers in zip(clients, rows):
        for plugin, row in zip(plugins, answers):
            pair = Pair(client.name, plugin.name, row["verdict"],
                        expected(client, plugin, through is not None, bool(options.layers)),
                        row.get("plugin_minor", 0), row.get("calls", 0), row["failures"],
                        row["refusals"], row["absent"])
            if pair.verdict != "PASS":
                pair.command = runner.repeat(client, plugin)
            pairs.append(pair)

    counts: dict[str, int] = {}
    for pair in pairs:
        counts[pair.verdict] = counts.get(pair.verdict, 0) + 1
    result = {"through": str(through) if through else None, "counts": counts,
              "clients": [{"name": c.name, "labels": c.window.labels} for c in clients],
              "plugins": [{"name": p.name, "labels": p.window.labels if p.window else [],
                           "frozen": p.window is not None} for p in plugins],
              "pairs": [{**vars(p), "kept": p.kept} for p in pairs]}
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n")
    if options.html:
        options.html.write_text(matrix_html.page(result))
    broken = [p for p in pairs if not p.kept]
    for pair in broken[:20]:
        reasons = "; ".join((pair.failures + pair.refusals)[:3])
        print(f"client {pair.client}, plugin {pair.plugin}: {pair.verdict}: {reasons}\n"
              f"  repeat: {pair.command}")
    if len(broken) > 20:
        print(f"and {len(broken) - 20} more")
    print(f"{len(clients)} clients x {len(plugins)} plugins: "
          + ", ".join(f"{n} {verdict}" for verdict, n in sorted(counts.items()))
          + f"; {len(broken)} not as promised")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
