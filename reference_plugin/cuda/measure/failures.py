# SPDX-License-Identifier: Apache-2.0
"""What is kept of programs that fail, for someone without the machine: output, stages, kernels."""

import pathlib
import re
import tarfile

FOLDER = pathlib.Path("gpu.failures")


def new_folder(name: str) -> pathlib.Path:
    """For the dump of one program, and none that was there before."""
    number = len(list(FOLDER.glob("*"))) if FOLDER.is_dir() else 0
    return FOLDER / f"{name}-{number}"


def keep(beside: pathlib.Path) -> pathlib.Path | None:
    """Everything as one archive; None if nothing failed."""
    if not FOLDER.is_dir() or not any(FOLDER.iterdir()):
        return None
    kept = beside / "gpu.failures.tar.gz"
    with tarfile.open(kept, "w:gz") as archive:
        archive.add(FOLDER, FOLDER.name)
    return kept


def error_of(output: str) -> str:
    # The last part of a traceback says what was wrong; the lines after it are the error's own.
    lines = output.rstrip().splitlines()
    starts = [
        i for i, line in enumerate(lines) if re.match(r"[A-Za-z_.]*(Error|Exception)\b", line)
    ]
    return "\n".join(lines[starts[-1] :] if starts else lines[-30:])[:6000]


def evidence(output: str, folder: pathlib.Path | None) -> str:
    """The programs and kernels that an error names; of a program that never ran, the last ones."""
    if folder is None or not folder.is_dir():
        return ""
    files = sorted(folder.iterdir(), key=lambda file: (file.stat().st_mtime, file.name))
    names = set(re.findall(r"\bk[0-9a-f]{20}\b", output))
    kernels = [file for file in files if any(name in file.name for name in names)]
    programs = [file for file in files if ".program." in file.name]
    named = [file for file in programs if f"program '{file.name.rsplit('-', 1)[0]}'" in output]
    texts = []
    for file in kernels[:3] + (named or programs)[-1:]:
        lines = file.read_text(errors="replace").splitlines()[:60]
        texts.append("\n".join([f"----- {file.name}", *(line[:160] for line in lines)]))
    return "\n".join(texts)[:6000]
