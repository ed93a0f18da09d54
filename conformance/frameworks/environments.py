# SPDX-License-Identifier: Apache-2.0
"""Environments of releases of frameworks, from PyPI, below build/frameworks.

downloads/ has each wheel once; layers/ what several releases share; releases/ the rest. A process gets its folders by
PYTHONPATH, so that entry points of what is installed are found as in any environment.
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import shutil
import subprocess
import sys
import tomllib

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
CACHE = pathlib.Path(os.environ.get("PLINTH_FRAMEWORKS_CACHE", ROOT / "build/frameworks"))


class Missing(Exception):
    """No environment can be made here; the text says what is missing."""


@dataclasses.dataclass(frozen=True)
class Release:
    framework: str
    version: str
    python: str
    requirements: list[str]
    layers: list[str] = dataclasses.field(default_factory=list)

    @property
    def name(self) -> str:
        return f"{self.framework}-{self.version}"


def _tables() -> dict:
    return tomllib.loads((FOLDER / "releases.toml").read_text())


def releases() -> list[Release]:
    return [Release(**table) for table in _tables()["releases"]]


def _is_python(path: str, version: str) -> bool:
    code = "import sys, venv; print('%d.%d' % sys.version_info[:2])"
    try:
        done = subprocess.run([path, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    except OSError:
        return False
    return done.stdout.strip() == version


def find_python(version: str) -> str:
    """An interpreter of this version: on PATH, of pyenv, or of uv."""
    candidates = [sys.executable, shutil.which(f"python{version}")]
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv")) / "versions"
    candidates += sorted(map(str, pyenv.glob(f"{version}.*/bin/python{version}")), reverse=True)
    uv = shutil.which("uv")
    if uv:
        done = subprocess.run([uv, "python", "find", version], capture_output=True, text=True, check=False)
        candidates.append(done.stdout.strip())
    for candidate in candidates:
        if candidate and _is_python(candidate, version):
            return candidate
    raise Missing(f"no Python {version} on PATH, of pyenv or of uv: pyenv install {version}")


def _pip(*arguments) -> None:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", *map(str, arguments)], env=clean,
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Missing(f"pip failed: {done.stderr.strip()[-600:]}")


def interpreter(version: str) -> pathlib.Path:
    """That of an empty environment."""
    python = CACHE / f"python-{version}/bin/python"
    if not _is_python(str(python), version):
        subprocess.run([find_python(version), "-m", "venv", "--clear", "--without-pip", python.parents[1]], check=True)
    return python


def _site(name: str, python: str, requirements: list[str]) -> pathlib.Path:
    """A folder with these packages; made anew where they changed."""
    folder = CACHE / name
    wanted = "\n".join([python, *requirements]) + "\n"
    stamp = folder / "requirements.txt"
    if stamp.is_file() and stamp.read_text() == wanted:
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    listed = folder / "wanted.txt"
    listed.write_text("\n".join(requirements) + "\n")
    downloads = CACHE / "downloads"
    _pip("download", "--no-deps", "--require-hashes", "--only-binary", ":all:", "--python-version", python, "--dest", downloads,
         "--requirement", listed)
    _pip("--python", interpreter(python), "install", "--no-index", "--no-deps", "--require-hashes", "--find-links", downloads,
         "--no-compile", "--target", folder, "--requirement", listed)
    listed.rename(stamp)
    stamp.write_text(wanted)
    return folder


def make(release: Release) -> tuple[pathlib.Path, list[pathlib.Path]]:
    """The interpreter, and the folders that its PYTHONPATH has to name."""
    tables = _tables()["layers"]
    folders = [_site(f"releases/{release.name}", release.python, release.requirements)]
    for layer in release.layers:
        folders.append(_site(f"layers/{layer}", tables[layer]["python"], tables[layer]["requirements"]))
    return interpreter(release.python), folders


def install_wheel(build: pathlib.Path) -> pathlib.Path:
    """The project's wheel from this build, installed into a folder of its own."""
    folder = CACHE / "wheel"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.environ["PLINTH_BUILD"] = str(build)
    _pip("wheel", "--no-deps", "--no-index", "--wheel-dir", folder / "made", ROOT / "reference_plugin/python")
    wheel, = (folder / "made").glob("*.whl")
    _pip("install", "--no-deps", "--no-index", "--target", folder / "site", wheel)
    return folder / "site"
