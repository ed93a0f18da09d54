# SPDX-License-Identifier: Apache-2.0
"""The table that the parts fill: what, its figure, and where something is asked, if it holds."""

import platform
import time

VERDICTS = {None: "", True: "  ok", False: "  FAILS"}


class Rows:
    def __init__(self) -> None:
        self.rows: list[dict] = []
        self.machine: dict[str, str] = {
            "host": platform.platform(),
            "python": platform.python_version(),
            "date": time.strftime("%Y-%m-%d"),
        }

    def add(self, what: str, value: str, holds: bool | None = None) -> None:
        row = {"what": what, "value": value}
        self.rows.append(row if holds is None else row | {"holds": bool(holds)})
        print(f"{what:<44}{value}{VERDICTS[holds]}", flush=True)

    def compare(self, what: str, seconds: dict[str, float], asked: float) -> None:
        """How much sooner the plugin is than XLA's, which has to be there to ask."""
        if "xla_cuda" in seconds:
            sooner = seconds["xla_cuda"] / seconds["plinth_cuda"]
            self.add(f"{what}, XLA's time / ours", f"{sooner:.2f}", sooner >= asked)

    def print_again(self) -> None:
        print("===== all rows")
        for row in self.rows:
            value = " ".join(row["value"].split())[:90]
            print(f"{row['what']:<36}{value}{VERDICTS[row.get('holds')]}", flush=True)
