# SPDX-License-Identifier: Apache-2.0
"""Runs train.py on a PJRT plugin and on JAX's own CPU backend, and prints both side by side."""

import argparse
import json
import os
import pathlib
import subprocess
import sys

import matplotlib
import numpy as np

def train(name, out, epochs, environment):
    print(f"{name}:", flush=True)
    command = [sys.executable, str(pathlib.Path(__file__).with_name("train.py")),
               "--out", str(out), "--epochs", str(epochs)]
    inherited = {k: v for k, v in os.environ.items()
                 if k not in ("JAX_PLATFORMS", "PJRT_NAMES_AND_LIBRARY_PATHS")}
    subprocess.run(command, check=True, env=inherited | environment)
    print()
    return json.loads(out.with_suffix(".json").read_text()), np.load(out.with_suffix(".npz"))


def largest_difference(a, b):
    """Over all parameters: the largest |a - b|, relative to the largest |b| of its array."""
    return max(np.max(np.abs(a[k] - b[k])) / np.max(np.abs(b[k])) for k in b.files)


def draw(path, curves):
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    for (name, losses), style in zip(curves.items(), ("-", "--")):
        axes.semilogy(range(1, len(losses) + 1), losses, style, label=name, linewidth=2)
    axes.set_xlabel("epoch")
    axes.set_ylabel("training loss")
    axes.set_title("Digits: one program, two backends")
    axes.legend()
    axes.grid(True, which="both", alpha=0.3)
    figure.savefig(path, dpi=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plugin", required=True, type=pathlib.Path)
    parser.add_argument("--out", required=True, type=pathlib.Path, help="folder for the results")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--accuracy", type=float, default=0.97, help="that the plugin has to reach")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)

    plugin, plugin_params = train(
        "Plinth CPU plugin", arguments.out / "plinth", arguments.epochs,
        {"PJRT_NAMES_AND_LIBRARY_PATHS": f"plinth:{arguments.plugin.resolve()}",
         "JAX_PLATFORMS": "plinth"})
    own, own_params = train(
        "JAX's own CPU backend", arguments.out / "jax_cpu", arguments.epochs,
        {"JAX_PLATFORMS": "cpu"})

    def row(label, key, scale, unit):
        a, b = plugin[key] * scale, own[key] * scale
        print(f"{label:<28}{a:>10.2f} {unit:<3}{b:>10.2f} {unit:<3}{b / a:>9.2f}")

    print(f"{'':<28}{'Plinth':>10} {'':<3}{'JAX CPU':>10} {'':<3}{'JAX/Plinth':>10}")
    row("held-out accuracy", "accuracy", 100, "%")
    row("compile the training step", "compile_seconds", 1e3, "ms")
    row("time per step (median)", "step_seconds", 1e3, "ms")
    row("time per step (fastest)", "fastest_step_seconds", 1e3, "ms")
    print(f"{'largest relative difference of the final parameters':<52}"
          f"{largest_difference(plugin_params, own_params):.2g}")
    picture = arguments.out / "loss.png"
    draw(picture, {"Plinth": plugin["losses"], "JAX CPU": own["losses"]})
    print(f"loss curves: {picture}")
    if plugin["accuracy"] < arguments.accuracy:
        sys.exit(f"the plugin reached {plugin['accuracy']:.2%}, less than {arguments.accuracy:.0%}")


if __name__ == "__main__":
    main()
