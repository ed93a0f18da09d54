# SPDX-License-Identifier: Apache-2.0
"""what is there: driver, versions, libraries opened for the first kernel and product"""

import json
import pathlib
import tempfile

from processes import Failed, jax_program, last_line, need_jax, program, run

NVIDIA_SMI = [
    "nvidia-smi",
    "--query-gpu=name,driver_version,memory.total,compute_cap",
    "--format=csv,noheader",
]


def measure(rows) -> None:
    for what, value in last_line(run(program("machine"))).items():
        rows.add(what, str(value))
    try:
        rows.add("nvidia-smi", run(NVIDIA_SMI, 60).strip())
    except (OSError, Failed) as error:
        rows.add("nvidia-smi", f"none: {error}"[:200])
    need_jax()
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "log.txt"
        loaded = jax_program("plinth_cuda", "loaded", PLINTH_LOG=str(log))
        for what, value in loaded.items():
            rows.add(what, json.dumps(value) if not isinstance(value, str) else value)
        rows.machine["device"] = loaded["device"]
        if log.is_file():
            rows.add("the plugin's log", log.read_text().strip())
    rows.add("first kernel and product", "done", True)
