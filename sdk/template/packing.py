# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel (PEP 517): the package of jax_plugins/ with the plugin in it.

CMAKE_PREFIX_PATH in the environment says where Plinth is installed; CMAKE_ARGS has more options.
"""

import base64
import hashlib
import os
import pathlib
import platform
import shlex
import subprocess
import tempfile
import tomllib
import zipfile

HERE = pathlib.Path(__file__).resolve().parent


def build_plugin(folder):
    """The library, installed to a folder of its own."""
    subprocess.run(["cmake", "-S", HERE, "-B", f"{folder}/build",
                    *shlex.split(os.environ.get("CMAKE_ARGS", ""))], check=True)
    subprocess.run(["cmake", "--build", f"{folder}/build"], check=True)
    subprocess.run(["cmake", "--install", f"{folder}/build", "--strip", "--prefix",
                    f"{folder}/out"], check=True)
    return next(pathlib.Path(folder, "out").glob("*.so"))


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    name, version = project["name"].replace("-", "_"), project["version"]
    tag = f"py3-none-linux_{platform.machine()}"
    info = f"{name}-{version}.dist-info"
    points = "".join(f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in rows.items())
                     for group, rows in project["entry-points"].items())
    files = {f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {project['name']}\n"
                                 f"Version: {version}\nSummary: {project['description']}\n",
             f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: packing\nRoot-Is-Purelib: false\n"
                              f"Tag: {tag}\n",
             f"{info}/entry_points.txt": points}
    with tempfile.TemporaryDirectory() as folder:
        library = build_plugin(folder)
        for path in sorted((HERE / "jax_plugins").rglob("*.py")):
            files[path.relative_to(HERE).as_posix()] = path.read_bytes()
            files[(path.parent / library.name).relative_to(HERE).as_posix()] = library.read_bytes()
    record = ""
    wheel = f"{name}-{version}-{tag}.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            data = data.encode() if isinstance(data, str) else data
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += f"{path},sha256={digest},{len(data)}\n"
            archive.writestr(path, data)
        archive.writestr(f"{info}/RECORD", record + f"{info}/RECORD,,\n")
    return wheel
