# SPDX-License-Identifier: Apache-2.0
"""training steps of a GPT, a CNN with batch norm and an LSTM by scan, beside XLA's CUDA plugin"""

import math

from processes import jax_program, need_jax, on_gpu


def measure(rows) -> None:
    need_jax()
    firsts = {}
    for name in on_gpu():
        for model, figures in jax_program(name, "models", PLINTH_CUDA_CACHE="off").items():
            value = f"{figures['ms']:.2f} ms, the first {figures['first']:.0f} ms"
            holds = False if math.isnan(figures["loss"]) else None
            rows.add(f"{model} step on {name}", value, holds)
            firsts.setdefault(model, {})[name] = figures["first"]
    rows.compare("first gpt step", firsts["gpt"], 2)
