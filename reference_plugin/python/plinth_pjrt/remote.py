# SPDX-License-Identifier: Apache-2.0
"""JAX on the devices of a `plinth-serve`, which may run on another machine.

    from plinth_pjrt import remote
    remote.connect("grpc://127.0.0.1:9000")      # or grpc://unix:/path/to/socket
    jax.jit(lambda x: x + 1)(1.0)                # runs there

Before JAX has made its backends; afterwards it is too late, and `connect` says so. With the wheel
installed, the variable PLINTH_REMOTE=ADDRESS does the same. The client is the one of jaxlib, from
0.7.1 on.
"""

from __future__ import annotations

import ctypes
import os
from typing import Any, Callable

from plinth_pjrt import remote_callbacks, remote_programs

PLATFORM = "plinth_remote"
_PREFIX = "grpc://"
_registered: list[str] = []
_OLDEST = (0, 7, 1)
# jaxlib's client knows Google's ALTS, or nothing: without it every connection is refused.
_PLAIN = "IFRT_PROXY_USE_INSECURE_GRPC_CREDENTIALS"


class Error(RuntimeError):
    """Why JAX cannot use a server."""


def _address(address: str) -> str:
    """`HOST:PORT` and `unix:PATH`, as plinth-serve prints them, and the same after grpc://."""
    plain = address.removeprefix(_PREFIX)
    if not plain.startswith("unix:") and ":" not in plain:
        raise Error(f"{address!r} is no address; give HOST:PORT or unix:PATH")
    return _PREFIX + plain


def _proxy() -> Any:
    import jaxlib

    found = tuple(int(part) for part in jaxlib.__version__.split(".")[:3])
    if found < _OLDEST:
        raise Error(f"jaxlib {jaxlib.__version__} has no client for a remote server; 0.7.1 is the "
                    "first that has one")
    from jax.extend.backend import ifrt_proxy

    return ifrt_proxy


def _keep_memory() -> None:
    if any(name.startswith("MALLOC_") or name == "GLIBC_TUNABLES" for name in os.environ):
        return  # Whoever started the process has chosen.
    arenas, mmap_threshold, trim_threshold = -8, -3, -1  # M_... of malloc.h
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return  # Not glibc's allocator: it keeps what it keeps.
    for option, value in ((arenas, 1), (mmap_threshold, 1 << 30), (trim_threshold, (1 << 31) - 1)):
        mallopt(option, value)


def register(address: str, *, platform: str = PLATFORM, timeout: float = 20.0, priority: int = 600,
             keep_memory: bool = True, on_disconnect: Callable[[Any], None] | None = None) -> None:
    """Makes the platform `plinth_remote` known to JAX; it connects when JAX makes its backends.

    platform: another name, for a second server: jax.devices(name) are its devices. timeout:
    seconds to try for. priority: a platform with a larger one comes first.
    keep_memory: glibc's malloc keeps up to 2 GB of what is freed, in one arena: jaxlib's client
    takes new memory for each array that comes, and most of its time goes into pages that the system
    has to clear again. For the whole process, and for good; not where the environment has MALLOC_...
    or GLIBC_TUNABLES.
    on_disconnect: called once, with the reason, when the server is gone.
    """
    if keep_memory:
        _keep_memory()
    proxy = _proxy()
    from jax._src import xla_bridge

    if xla_bridge.backends_are_initialized():
        raise Error("JAX has made its backends already; call this before the first computation")
    target = _address(address)
    os.environ.setdefault(_PLAIN, "true")

    def connect(told: Callable[[Any], None] | None = None) -> Any:
        options = proxy.ClientConnectionOptions()
        options.connection_timeout_in_seconds = max(1, round(timeout))
        options.initialization_data = {remote_programs.SESSION_ATTRIBUTE: True}
        if told is not None:
            options.on_disconnect = told
        return proxy.get_client(target, options)

    if platform in xla_bridge._backend_factories:
        raise Error(f"JAX has a platform {platform} already; give each server a name of its own")
    xla_bridge.register_backend_factory(platform, lambda: connect(on_disconnect),
                                        priority=priority)
    known = getattr(xla_bridge, "_nonexperimental_plugins", None)
    if isinstance(known, set):
        known.add(platform)
    remote_callbacks.install(platform, connect)
    remote_programs.install()
    _registered.append(platform)


def connect(address: str, *, platform: str = PLATFORM, **options: Any) -> list[Any]:
    """Registers the server, makes it JAX's default, and returns its devices. Servers that were
    registered before remain: jax.devices(name)."""
    import jax

    from jax._src import xla_bridge

    others = [name for name in _registered if name in xla_bridge._backend_factories]
    register(address, platform=platform, **options)
    # Callbacks put their arguments on a device of this process.
    jax.config.update("jax_platforms", ",".join([platform, *others, "cpu"]))
    return jax.devices()


def register_from_environment() -> None:
    """What the wheel does for PLINTH_REMOTE, when JAX looks for plugins."""
    address = os.environ.get("PLINTH_REMOTE", "")
    if address:
        register(address)
