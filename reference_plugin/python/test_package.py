# SPDX-License-Identifier: Apache-2.0
"""The wheel builds, installs into a fresh environment, and JAX runs on it there."""

import os
import pathlib
import subprocess
import sys
import textwrap
import venv

import jax
import numpy
import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# JAX is not installed again: the fresh environment sees it where the tests have it.
SITE_PACKAGES = pathlib.Path(numpy.__file__).resolve().parent.parent


def run(*command, **environment):
    dirty = ("PJRT_", "JAX_", "PLINTH_", "PYTHON", "VIRTUAL_ENV")
    clean = {k: v for k, v in os.environ.items() if not k.startswith(dirty)}
    done = subprocess.run([str(c) for c in command], env=clean | environment, capture_output=True, text=True, timeout=120,
                          check=False, cwd="/")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    folder = tmp_path_factory.mktemp("package")
    library = pathlib.Path(os.environ.get("PLINTH_CPU_PLUGIN", ROOT / "build/release/lib/pjrt_plinth_cpu.so")).resolve()
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-index", "-q", "-w", folder, HERE,
        PLINTH_BUILD=str(library.parent.parent))
    (wheel,) = folder.glob("plinth_pjrt-*.whl")
    assert wheel.stat().st_size < 12_000_000
    venv.create(folder / "venv", with_pip=False)
    python = folder / "venv/bin/python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", "-q", wheel)
    (site,) = (folder / "venv/lib").glob("python3*/site-packages")
    (site / "jax.pth").write_text(f"{SITE_PACKAGES}\n")
    return python


@pytest.fixture(scope="module")
def simulator():
    library = pathlib.Path(os.environ.get("PLINTH_CPU_PLUGIN", ROOT / "build/release/lib/pjrt_plinth_cpu.so")).resolve()
    folder = library.parent.parent / "simulator"
    assert (folder / "libcuda.so.1").is_file(), f"no {folder}/libcuda.so.1: scripts/build release plinth_cuda_simulator"
    return str(folder)


def script(python, text, **environment):
    return run(python, "-c", textwrap.dedent(text), **environment)


def test_jax_finds_it(python):
    out = script(python, """
        import jax, plinth_pjrt
        device = jax.devices()[0]
        print(device.client.platform_version)
        print(float(jax.jit(lambda x: x + 1)(1.0)), jax.devices("cpu")[0].client.platform_version == device.client.platform_version)
    """)
    assert "plinth " in out and "2.0 False" in out


def test_two_plugins_of_one_name(python, tmp_path):
    """The environment's counts, and a warning says so; JAX itself would not start."""
    other = tmp_path / "other.so"
    program = """
        import logging, sys
        logging.basicConfig(stream=sys.stdout)
        import jax, plinth_pjrt
        print(float(jax.jit(lambda x: x + 1)(1.0)), jax.devices()[0].platform)
        print([line.split()[-1] for line in open("/proc/self/maps") if "pjrt" in line or "other.so" in line])
    """
    package = script(python, "import plinth_pjrt; print(plinth_pjrt.plugin_path())").strip()
    other.write_bytes(pathlib.Path(package).read_bytes())
    out = script(python, program, PJRT_NAMES_AND_LIBRARY_PATHS=f"plinth:{other}")
    assert "2.0 cpu" in out and str(other) in out and package not in out
    assert f"does not register its plugin plinth: PJRT_NAMES_AND_LIBRARY_PATHS gives that name to {other}; unset it" in out
    # The same library twice is what was meant.
    out = script(python, program, PJRT_NAMES_AND_LIBRARY_PATHS=f"plinth:{package}")
    assert "2.0 cpu" in out and package in out and "does not register" not in out
    # Another package came first.
    out = script(python, f"""
        import logging, sys
        logging.basicConfig(stream=sys.stdout)
        import jax
        from jax._src import xla_bridge
        xla_bridge.register_plugin("plinth", library_path={str(other)!r})
        from plinth_pjrt import jax_plugin
        jax_plugin.initialize()
        print(float(jax.jit(lambda x: x + 1)(1.0)))
    """)
    assert "another package has registered a plugin of that name; uninstall one of the two" in out and "2.0" in out


def test_the_commands_find_their_libraries_and_the_plugin(python):
    assert "verdict: works" in run(python.parent / "plinth", "doctor", "plinth")
    assert "plinth-conformance " in run(python.parent / "plinth-conformance", "--version")


def test_what_is_built_against_it(python, tmp_path):
    """A C program, by the CMake package that the wheel has."""
    (tmp_path / "CMakeLists.txt").write_text("""
        cmake_minimum_required(VERSION 3.25)
        project(user LANGUAGES C CXX)
        find_package(plinth REQUIRED COMPONENTS libplinth ifrt)
        add_executable(user user.c)
        target_link_libraries(user plinth::plinth plinth::ifrt)
        """)
    (tmp_path / "user.c").write_text("""
        #include <stdio.h>
        #include "plinth.h"
        #include "plinth_ifrt.h"
        int main(void) { puts(plinth_version()); plinth_ifrt_arrays_release(NULL, 0); return 0; }
        """)
    folder = script(python, "import subprocess, sys; subprocess.run([sys.executable, '-m', 'plinth_pjrt', '--cmake-dir'])")
    run("cmake", "-S", tmp_path, "-B", tmp_path / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={folder.strip()}")
    run("cmake", "--build", tmp_path / "build")
    version = run(tmp_path / "build/user").strip()
    assert run(python.parent / "plinth", "--version").split()[-1] == version
    assert folder.startswith(str(python.parent.parent))


def test_versions_agree(python):
    out = script(python, """
        import importlib.metadata, jax, pathlib, plinth_pjrt, re
        print(importlib.metadata.version("plinth-pjrt"))
        print(re.search(r"plinth (\\S+)", jax.devices("plinth")[0].client.platform_version).group(1))
        package = pathlib.Path(plinth_pjrt.__file__).parent
        text = (package / "lib/cmake/plinth/plinthConfigVersion.cmake").read_text()
        print(re.search(r'set\\(PACKAGE_VERSION "([^"]+)"', text).group(1))
        print(*[p.name for p in (package / "lib").glob("libplinth.so*")])
    """)
    wheel, plugin, cmake, library = out.split()
    command = run(python.parent / "plinth", "--version").split()[-1]
    suite = run(python.parent / "plinth-conformance", "--version").split()[-1]
    assert wheel == plugin == command == suite
    # CMake compares numbers.
    assert cmake == wheel.split(".dev")[0] and cmake.count(".") == 2
    assert library == "libplinth.so.0"


def test_nothing_stays_when_it_is_removed(python, tmp_path):
    (wheel,) = python.parent.parent.parent.glob("*.whl")
    venv.create(tmp_path / "venv", with_pip=False)
    files = lambda: {p for p in (tmp_path / "venv").rglob("*") if not p.name.endswith(".pyc")}  # noqa: E731
    before, pip = files(), [sys.executable, "-m", "pip", "--python", tmp_path / "venv/bin/python"]
    run(*pip, "install", "--no-deps", "--no-index", "-q", wheel)
    run(tmp_path / "venv/bin/plinth", "list")
    run(*pip, "uninstall", "-q", "-y", "plinth-pjrt")
    assert files() == before


def test_binaries_for_another_machine_are_refused_in_words(python, tmp_path):
    """Copies of the folder: pip itself refuses the wheel."""
    plugin = pathlib.Path(script(python, "import plinth_pjrt; print(plinth_pjrt.plugin_path())").strip())
    copy = tmp_path / "plinth_pjrt"
    (copy / "lib").mkdir(parents=True)
    for file in plugin.parent.parent.glob("*.py"):
        (copy / file.name).write_bytes(file.read_bytes())
    head = bytearray(plugin.read_bytes()[:64])
    for change, words in ((lambda: head.__setitem__(18, 183), "is for aarch64, this machine is x86_64: install plinth-pjrt"),
                          (lambda: head.__setitem__(1, 0), "is not a binary of Linux")):
        change()
        (copy / "lib/pjrt_plinth_cpu.so").write_bytes(head)
        out = script(python, """
            import sys
            sys.path.insert(0, sys.argv[-1])
            import jax, plinth_pjrt
            try:
                plinth_pjrt.plugin_path()
            except OSError as error:
                print(error)
            print(jax.devices())
        """.replace("sys.argv[-1]", repr(str(tmp_path))))
        assert words in out and "CpuDevice" in out, out
    commands = script(python, """
        import subprocess, sys
        for option in ("--plugin", "--cuda-plugin"):
            done = subprocess.run([sys.executable, "-m", "plinth_pjrt", option], capture_output=True, text=True)
            print(done.returncode, done.stdout + done.stderr)
    """, PYTHONPATH=str(tmp_path)).splitlines()
    assert len(commands) == 4, commands
    assert commands[0].startswith("1 plinth_pjrt: ") and "is not a binary of Linux" in commands[0]
    assert commands[2].startswith("1 plinth_pjrt: no ") and "made from a build without it" in commands[2]


@pytest.mark.parametrize("error", ["OSError(22, 'Invalid argument')", "ValueError('unrecognized configuration name')"])
def test_a_c_library_that_is_not_glibc_is_refused_in_words(python, error):
    """musl's headers know the name, and its function refuses it; other C libraries do not know it."""
    out = script(python, f"""
        import os, plinth_pjrt
        def confstr(name):
            raise {error}
        os.confstr = confstr
        try:
            plinth_pjrt.plugin_path()
        except OSError as error:
            print(error)
    """)
    assert "needs glibc" in out and "musl" in out and "manylinux" in out


def test_it_replaces_the_cpu(python):
    out = script(python, """
        import jax, numpy as np
        print(jax.devices("cpu")[0].client.platform_version)
        assert len({d.client.platform_version for d in jax.devices()}) == 1
        f = jax.jit(lambda x: jax.pure_callback(lambda a: np.asarray(a) * 2, jax.ShapeDtypeStruct((), np.float32), x))
        print(float(f(np.float32(21))))
    """, PLINTH_REPLACE_CPU="1")
    assert "plinth " in out and "42.0" in out


def test_without_a_gpu_it_says_what_it_looked_for(python):
    out = script(python, """
        import jax
        try:
            jax.devices()
        except RuntimeError as error:
            print(error)
    """, JAX_PLATFORMS="plinth_cuda")
    for words in ("UNAVAILABLE", "the CUDA driver, libcuda.so.1, was not found", "NVIDIA's driver, 550 or newer",
                  "cannot open shared object file", "JAX_PLATFORMS"):
        assert words in out, out
    out = script(python, """
        import jax
        print(sorted({d.client.platform for d in jax.devices()}), len(jax.devices("cpu")))
    """)
    assert "cuda" not in out


def test_a_driver_without_a_gpu_does_not_stop_jax(python, simulator):
    for options in ("init=100", "devices=0", "version=12020", "init=34"):
        environment = {"PLINTH_CUDA_LIBRARY_PATH": simulator, "PLINTH_SIMULATOR": options}
        out = script(python, "import jax; print({d.client.platform for d in jax.devices()})", **environment)
        assert "cuda" not in out, options


def test_dlpack_copies_what_cannot_be_shared(python):
    script(python, """
        import gc, weakref, jax, jax.numpy as jnp, numpy as np
        pointer = lambda a: a.ctypes.data if isinstance(a, np.ndarray) else a.unsafe_buffer_pointer()
        memory = np.zeros(4096, np.uint8)
        memory = memory[-memory.ctypes.data % 64:]
        shared = memory[:400].view(np.float32)
        shared[:] = np.arange(100)
        for copy in (None, False):
            assert pointer(jnp.from_dlpack(shared, copy=copy)) == pointer(shared)
        copies = {"on request": jnp.from_dlpack(shared, copy=True),
                  "other layout": jnp.from_dlpack(shared.reshape(10, 10).T),
                  "not aligned": jnp.from_dlpack(shared[1:]),
                  "strided": jnp.from_dlpack(shared[::2]),
                  "bfloat16": jnp.from_dlpack(jnp.arange(100, dtype=jnp.bfloat16), copy=True),
                  "fp8": jnp.from_dlpack(jnp.arange(8, dtype=jnp.float8_e4m3fn), copy=True)}
        shared[:] = 0
        expected = np.arange(100.0)
        for name, values in {"on request": expected, "other layout": expected.reshape(10, 10).T, "not aligned": expected[1:],
                             "strided": expected[::2], "bfloat16": expected, "fp8": expected[:8]}.items():
            np.testing.assert_array_equal(np.asarray(copies[name], np.float64), values, name)
        assert copies["bfloat16"].dtype == jnp.bfloat16 and copies["fp8"].dtype == jnp.float8_e4m3fn
        for refused in (shared[1:], shared.reshape(10, 10).T):
            try:
                jnp.from_dlpack(refused, copy=False)
            except (ValueError, jax.errors.JaxRuntimeError) as error:
                print(type(error).__name__, error)
            else:
                raise AssertionError("not refused")
        # What was copied is given back at once.
        class Owner(np.ndarray): pass
        x = shared[1:].view(Owner)
        owner = weakref.ref(x)
        kept = jnp.from_dlpack(x)
        del x
        gc.collect()
        assert owner() is None
    """, PLINTH_REPLACE_CPU="1")


def test_registered_handlers_reach_the_gpu(python, simulator, tmp_path):
    """Those for CUDA the device's arrays, which this one does not touch; those for the CPU copies."""
    library = tmp_path / "handlers.so"
    source = ROOT / "reference_plugin/differential/testdata/ffi_handlers.c"
    run("cc", "-std=c11", "-shared", "-fPIC", "-I", jax.ffi.include_dir(), "-o", library, source)
    out = script(python, """
        import ctypes, jax, numpy as np
        library = ctypes.CDLL("LIBRARY")
        capsule = lambda name: jax.ffi.pycapsule(getattr(library, name))
        jax.ffi.register_ffi_target("early", capsule("fail"), platform="CUDA", api_version=1)
        jax.ffi.register_ffi_target("user_scale", capsule("scale"), platform="cpu", api_version=1)
        x = np.ones(2, np.float32)
        call = lambda name, **attributes: jax.jit(lambda a: jax.ffi.ffi_call(
            name, jax.ShapeDtypeStruct(a.shape, a.dtype))(a, **attributes))(x)
        print(jax.devices()[0].device_kind, call("user_scale", factor=np.float32(4)))
        jax.ffi.register_ffi_target("late", capsule("fail"), platform="CUDA", api_version=1)
        for name in ("early", "late"):
            try:
                jax.block_until_ready(call(name))
            except jax.errors.JaxRuntimeError as error:
                print(name, error)
    """.replace("LIBRARY", str(library)), JAX_PLATFORMS="plinth_cuda,cpu",
        PLINTH_CUDA_LIBRARY_PATH=simulator, PLINTH_CUDA_CACHE="off")
    assert "Simulated GPU [4. 4.]" in out, out
    assert out.count("OUT_OF_RANGE") == 2 and out.count("it was told to") == 2, out


def test_handlers_of_jax_own_plugin_reach_the_gpu(python, simulator, tmp_path):
    library = tmp_path / "handlers.so"
    source = ROOT / "reference_plugin/differential/testdata/ffi_handlers.c"
    run("cc", "-std=c11", "-shared", "-fPIC", "-I", jax.ffi.include_dir(), "-o", library, source)
    package = tmp_path / "jax_cuda13_plugin"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "cuda_plugin_extension.py").write_text(textwrap.dedent(f"""
        import ctypes, jax
        def ffi_handlers():
            return {{"cusolver_fail_ffi": jax.ffi.pycapsule(ctypes.CDLL("{library}").fail)}}
    """))
    text = """
        import jax, numpy as np
        from jax._src import hardware_utils
        hardware_utils.has_visible_nvidia_gpu = lambda: True
        try:
            jax.block_until_ready(jax.jit(lambda a: jax.ffi.ffi_call("cusolver_fail_ffi", a)(a))(np.ones(2, np.float32)))
        except jax.errors.JaxRuntimeError as error:
            print(error)
    """
    environment = {"PYTHONPATH": str(tmp_path), "PLINTH_CUDA_LIBRARY_PATH": simulator, "PLINTH_CUDA_CACHE": "off"}
    out = script(python, text, PLINTH_REPLACE_CUDA="1", JAX_PLATFORMS="cuda,cpu", **environment)
    assert "it was told to" in out, out
    # Beside JAX's own plugin they are its own.
    out = script(python, text, JAX_PLATFORMS="plinth_cuda,cpu", **environment)
    assert "no such target" in out, out


def test_registered_handlers_reach_it(python, tmp_path):
    library = tmp_path / "handlers.so"
    source = ROOT / "reference_plugin/differential/testdata/ffi_handlers.c"
    # JAX registers them too, and refuses what was built with a newer header than its own.
    run("cc", "-std=c11", "-shared", "-fPIC", "-I", jax.ffi.include_dir(), "-o", library, source)
    text = """
        import ctypes, sys, jax, numpy as np
        library = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else "LIBRARY")
        capsule = lambda name: jax.ffi.pycapsule(getattr(library, name))
        jax.ffi.register_ffi_target("user_scale", capsule("scale"), platform="cpu", api_version=1)
        call = lambda x: jax.ffi.ffi_call("user_scale", jax.ShapeDtypeStruct(x.shape, x.dtype))(x, factor=np.float32(4))
        print(jax.jit(call)(np.ones(2, np.float32)))
        # After the clients exist, by stages.
        stages = ("instantiate", "prepare", "initialize", "execute")
        jax.ffi.register_ffi_target("user_stateful", {s: capsule("stateful_" + s) for s in stages}, platform="cpu", api_version=1)
        jax.config.update("jax_enable_x64", True)
        print(jax.jit(lambda: jax.ffi.ffi_call("user_stateful", jax.ShapeDtypeStruct((3,), np.int64))())())
        for device in jax.devices("cpu"):
            print(jax.jit(call)(jax.device_put(np.ones(2, np.float32), device)))
    """.replace("LIBRARY", str(library))
    for environment in ({}, {"PLINTH_REPLACE_CPU": "1"}):
        out = script(python, text, **environment)
        assert out.count("[4. 4.]") == 2 and "[1 1 1]" in out, out
