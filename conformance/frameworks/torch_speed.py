#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Training steps of PyTorch/XLA on the CPU plugin and on its own CPU: the fastest step of several processes of each.

    torch_speed.py [--stablehlo]

Prints milliseconds and their ratio. It needs the environment that `run torch-2.9.0` has made.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

ROUNDS = 3


def measure() -> None:
    """In a process of PyTorch: prints the fastest step of each model."""
    import torch
    import torch_xla
    from torch import nn

    device = torch_xla.device()
    models = {
        "MLP 256-1024-1024-10, batch 128": (
            nn.Sequential(nn.Linear(256, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 10)), (128, 256)),
        "ConvNet 32-64, batch 32 of 3x32x32": (
            nn.Sequential(nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
                          nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(4096, 10)),
            (32, 3, 32, 32)),
        "TransformerEncoder 128, 4 heads, batch 8 of 64": (
            nn.Sequential(nn.TransformerEncoderLayer(128, 4, 256, dropout=0.0, batch_first=True), nn.Flatten(),
                          nn.Linear(128 * 64, 10)), (8, 64, 128)),
    }
    best = {}
    for name, (model, shape) in models.items():
        model = model.to(device)
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        x, y = torch.randn(*shape).to(device), torch.randint(0, 10, shape[:1]).to(device)
        times = []
        for _ in range(25):
            started = time.perf_counter()
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            torch_xla.sync()
            loss.item()
            times.append(time.perf_counter() - started)
        best[name] = min(times)
    print("RESULT " + json.dumps(best))


def main() -> None:
    import environments

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stablehlo", action="store_true", help="XLA_STABLEHLO_COMPILE=1")
    arguments = parser.parse_args()
    release, = (r for r in environments.releases() if r.framework == "torch")
    python, folders = environments.make(release)
    build = pathlib.Path(os.environ.get("BUILD", environments.ROOT / "build/release")).resolve()
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PJRT_", "XLA_", "PYTHON", "VIRTUAL_ENV", "PLINTH_"))}
    clean["PYTHONPATH"] = os.pathsep.join(map(str, folders))
    sides = {"Plinth": {"PJRT_DEVICE": "LIBRARY", "PJRT_LIBRARY_PATH": str(build / "lib/pjrt_plinth_cpu.so")},
             "own CPU": {"PJRT_DEVICE": "CPU"}}
    best: dict[str, dict[str, float]] = {}
    for _ in range(ROUNDS):
        for side, environment in sides.items():
            if arguments.stablehlo:
                environment = environment | {"XLA_STABLEHLO_COMPILE": "1"}
            done = subprocess.run([python, __file__, "--measure"], env=clean | environment, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                sys.exit(f"{side}: {done.stderr[-1500:]}")
            line = next(line for line in done.stdout.splitlines() if line.startswith("RESULT "))
            for name, seconds in json.loads(line[len("RESULT "):]).items():
                kept = best.setdefault(name, {})
                kept[side] = min(seconds, kept.get(side, seconds))
    print(f"{'fastest step, ms':<50}" + "".join(f"{side:>10}" for side in sides) + f"{'ratio':>8}")
    for name, times in best.items():
        print(f"{name:<50}" + "".join(f"{times[side] * 1e3:>10.2f}" for side in sides)
              + f"{times['Plinth'] / times['own CPU']:>8.2f}")


if __name__ == "__main__":
    if "--measure" in sys.argv:
        measure()
    else:
        main()
