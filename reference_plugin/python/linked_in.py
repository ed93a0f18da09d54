# SPDX-License-Identifier: Apache-2.0
"""What others wrote and the binaries contain: for the wheel's list of materials, and for scripts/package, which
compares it with what the compiler has read.

  linked_in.py BUILD    fails if a build has read a header of a Debian package that is not listed
"""

from __future__ import annotations

import json
import subprocess
import sys
import uuid
from typing import NamedTuple


class Part(NamedTuple):
    name: str
    license: str    # SPDX; the texts are in NOTICE
    package: str    # of Debian, with its headers or static library
    website: str
    binaries: str   # which contain it


PARTS = (
    Part("Highway", "Apache-2.0", "libhwy-dev", "https://github.com/google/highway", "pjrt_plinth_cpu.so"),
    Part("Xbyak", "BSD-3-Clause", "libxbyak-dev", "https://github.com/herumi/xbyak", "pjrt_plinth_cpu.so"),
    Part("protozero", "BSD-2-Clause", "libprotozero-dev", "https://github.com/mapbox/protozero", "all"),
    Part("CLI11", "BSD-3-Clause", "libcli11-dev", "https://github.com/CLIUtils/CLI11", "plinth, plinth-conformance"),
    Part("libffi", "MIT", "libffi-dev", "https://sourceware.org/libffi", "libplinth.so"),
    Part("nghttp2", "MIT", "libnghttp2-dev", "https://nghttp2.org", "plinth-serve"),
    Part("zlib", "Zlib", "zlib1g-dev", "https://zlib.net", "plinth-conformance"),
    Part("libstdc++", "GPL-3.0-or-later WITH GCC-exception-3.1", "libstdc++-12-dev", "https://gcc.gnu.org", "all"),
)
# Headers of the system, whose code is not in the binaries.
_SYSTEM = {"libc6-dev", "linux-libc-dev", "libgcc-12-dev"}


def _version(package: str) -> str:
    """What is installed, without Debian's own part; nothing where there is no dpkg."""
    try:
        done = subprocess.run(["dpkg-query", "-W", "-f=${source:Upstream-Version}", package], capture_output=True,
                              text=True, check=False)
    except FileNotFoundError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def licenses() -> str:
    """The SPDX expression for all that the binaries contain."""
    return " AND ".join(dict.fromkeys(["Apache-2.0", *(part.license for part in PARTS)]))


def bill_of_materials(distribution: str, version: str) -> str:
    """A CycloneDX document."""
    def component(part: Part) -> dict:
        made = {"type": "library", "name": part.name, "version": _version(part.package),
                "licenses": [{"expression": part.license}],
                "externalReferences": [{"type": "website", "url": part.website}],
                "properties": [{"name": "plinth:binaries", "value": part.binaries},
                               {"name": "plinth:debian-package", "value": part.package}]}
        return {key: value for key, value in made.items() if value}

    identity = f"pkg:pypi/{distribution}@{version}"
    return json.dumps({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, identity)}",
        "metadata": {"component": {"type": "library", "name": distribution, "version": version, "purl": identity,
                                   "licenses": [{"expression": "Apache-2.0"}]}},
        "components": [component(part) for part in PARTS],
    }, indent=1) + "\n"


def unlisted(build: str) -> list[str]:
    """Debian packages whose headers the build has read, and that are not listed."""
    deps = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    headers = sorted({line.strip() for line in deps.splitlines() if line.startswith("    /usr/")})
    found = subprocess.run(["dpkg", "-S", *headers], capture_output=True, text=True, check=False).stdout
    packages = {line.split(":")[0] for line in found.splitlines()}
    return sorted(packages - _SYSTEM - {part.package for part in PARTS})


if __name__ == "__main__":
    if others := unlisted(sys.argv[1]):
        sys.exit(f"{sys.argv[1]} has read headers of {', '.join(others)}: add what is linked in to PARTS of {__file__}, "
                 "and its licence to NOTICE")
