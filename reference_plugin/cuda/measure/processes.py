# SPDX-License-Identifier: Apache-2.0
"""The plugins that are measured, and programs that run on them, each in a process of its own."""

import json
import os
import pathlib
import subprocess
import sys
import time

import failures

ROOT = pathlib.Path(__file__).resolve().parents[3]
LIBRARIES = ROOT / "build/release/lib"
CUDA, CPU = LIBRARIES / "pjrt_plinth_cuda.so", LIBRARIES / "pjrt_plinth_cpu.so"
PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
PART_SECONDS = 600
# When all parts have to end, by time.perf_counter(): what runs then has a few seconds more.
_end = float("inf")


def end_at(moment: float) -> None:
    global _end
    _end = moment


def left(seconds: float) -> float:
    """So many seconds, or as many as are left."""
    return min(seconds, max(15.0, _end - time.perf_counter()))


class Missing(Exception):
    """The machine lacks something: the part is not run."""


class Failed(Exception):
    """A program failed: what it wrote, and the folder with what it compiled, stages and kernels."""

    def __init__(self, output: str, folder: pathlib.Path | None = None) -> None:
        super().__init__(output)
        self.output, self.folder = output, folder

    def __str__(self) -> str:
        return failures.error_of(self.output)

    def evidence(self) -> str:
        return failures.evidence(self.output, self.folder)


def plugins() -> dict[str, dict[str, str]]:
    """The environment in which JAX runs on each plugin that is there."""

    def own(path):
        return {
            "PJRT_NAMES_AND_LIBRARY_PATHS": f"plinth_measured:{path}",
            "JAX_PLATFORMS": "plinth_measured",
        }

    found = {"plinth_cuda": own(CUDA), "plinth_cpu": own(CPU)}
    from importlib.metadata import entry_points

    # The plugin of XLA, not ours under its name.
    if any("xla_cuda" in entry.name for entry in entry_points().select(group="jax_plugins")):
        found["xla_cuda"] = {"JAX_PLATFORMS": "cuda"}
    return found


def on_gpu() -> list[str]:
    """The names of the plugins that run on the GPU."""
    return [name for name in plugins() if name != "plinth_cpu"]


def need_jax() -> None:
    try:
        import jax  # noqa: F401
    except ImportError as error:
        raise Missing("no JAX: pip install jax") from error


def library_path() -> dict[str, str]:
    """The folders of NVIDIA's wheels: Python tells the plugin of them, other programs do not."""
    if os.environ.get("PLINTH_CUDA_LIBRARY_PATH"):
        return {}
    folders = ("cu13/lib", "cuda_nvrtc/lib", "cublas/lib")
    wheels = [pathlib.Path(site) / "nvidia" / folder for site in sys.path for folder in folders]
    found = [str(folder) for folder in wheels if folder.is_dir()]
    return {"PLINTH_CUDA_LIBRARY_PATH": ":".join(found)} if found else {}


def run(command, seconds=PART_SECONDS, dump=None, **environment) -> str:
    """What the command prints. `dump`: a folder for the stages and kernels of what it compiles."""
    seconds = left(seconds)
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PJRT_", "JAX_"))}
    if dump is not None:
        environment["PLINTH_DUMP"] = str(dump.absolute())
    try:
        done = subprocess.run(
            [str(c) for c in command],
            env=clean | environment,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        written = "".join(text_of(part) for part in (late.stdout, late.stderr))
        raise Failed(f"{written}\nTimeoutError: no end after {seconds:.0f} s", dump) from late
    if done.returncode != 0:
        signal = f"Error: ended by signal {-done.returncode}" if done.returncode < 0 else ""
        raise Failed(f"{done.stdout}\n{done.stderr}\n{signal}", dump)
    return done.stdout


def text_of(output: bytes | str | None) -> str:
    """What a process that was cut off has written."""
    return output.decode(errors="replace") if isinstance(output, bytes) else output or ""


def program(name: str, *arguments) -> list:
    """The command that runs a file of programs/."""
    return [sys.executable, PROGRAMS / f"{name}.py", *arguments]


def last_line(output: str):
    return json.loads(output.strip().splitlines()[-1])


def jax_program(plugin: str, name: str, *arguments, **environment):
    """Runs a file of programs/ on a plugin; its last line is JSON. On ours, one that fails runs
    once more with its kernels kept."""
    command = program(name, *arguments)
    try:
        return last_line(run(command, **plugins()[plugin], **environment))
    except Failed:
        if plugin != "plinth_cuda":
            raise
    # Now a launch that fails says so itself, not whatever comes after it.
    environment["CUDA_LAUNCH_BLOCKING"] = "1"
    dump = failures.new_folder("jax")
    return last_line(run(command, dump=dump, **plugins()[plugin], **environment))
