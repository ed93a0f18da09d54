# SPDX-License-Identifier: Apache-2.0
"""PyTorch to JAX and back by DLPack: no copy, right order of streams"""

import shutil

import failures
from processes import CUDA, Missing, last_line, need_jax, program, run


def measure(rows) -> None:
    need_jax()
    try:
        import torch
    except ImportError as error:
        raise Missing("no PyTorch: pip install torch") from error
    if not torch.cuda.is_available():
        raise Missing("a PyTorch without CUDA")
    dump = failures.FOLDER / "dlpack"
    # JAX takes arrays of others for this name alone.
    ours = {"PJRT_NAMES_AND_LIBRARY_PATHS": f"cuda:{CUDA}", "JAX_PLATFORMS": "cuda"}
    problems = last_line(run(program("exchange"), dump=dump, **ours))
    value = ", ".join(problems) or "no copy, the right numbers"
    rows.add("PyTorch and JAX by DLPack", value, not problems)
    if not problems:
        shutil.rmtree(dump, ignore_errors=True)
