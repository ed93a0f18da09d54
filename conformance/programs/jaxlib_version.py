# SPDX-License-Identifier: Apache-2.0
"""The jaxlib whose serializer makes the artifacts: another makes others."""

import importlib.metadata

NEEDED = "0.10.2"


def need() -> None:
    """Ends the program where it is another one."""
    try:
        found = importlib.metadata.version("jaxlib")
    except importlib.metadata.PackageNotFoundError:
        found = "none"
    if found != NEEDED:
        raise SystemExit(f"jaxlib {NEEDED} is needed, here is {found}: python3 -m pip install "
                         f"jax=={NEEDED} jaxlib=={NEEDED}, or scripts/install_dependencies --tests")
