# SPDX-License-Identifier: Apache-2.0
"""the whole demo, beside the CPU plugin and XLA's CUDA plugin; at least 97 %"""

import json
import pathlib
import sys
import tempfile

from processes import CPU, ROOT, Missing, need_jax, plugins, run

TRAIN = ROOT / "samples/digits/train.py"


def measure(rows) -> None:
    need_jax()
    try:
        import sklearn  # noqa: F401
    except ImportError as error:
        raise Missing("no scikit-learn: pip install scikit-learn") from error
    with tempfile.TemporaryDirectory() as folder:
        for name, environment in plugins().items():
            if name == "plinth_cpu" and not CPU.is_file():
                continue
            out = pathlib.Path(folder) / name
            run([sys.executable, TRAIN, "--out", out, "--epochs", "20"], **environment)
            result = json.loads(out.with_suffix(".json").read_text())
            accuracy = result["accuracy"]
            rows.add(f"demo, accuracy on {name}", f"{accuracy:.2%}", accuracy >= 0.97)
            rows.add(f"demo, step on {name}", f"{1e3 * result['step_seconds']:.3f} ms")
            rows.add(f"demo, compile on {name}", f"{1e3 * result['compile_seconds']:.0f} ms")
