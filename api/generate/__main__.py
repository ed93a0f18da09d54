# SPDX-License-Identifier: Apache-2.0
"""Makes everything that follows from api/registry; see README.md.

Without arguments it checks: what is committed must be what the registry gives.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import c_extension_headers
import c_header
import c_library_header
import c_table_header
import cxx_checks
import cxx_messages
import cxx_proxy_messages
import cxx_reflection
import cxx_tables
import generated_files
import pages
import python_tables
import registry as registry_module
import revisions

API = Path(__file__).resolve().parent.parent
LICENSE = "SPDX-License-Identifier: Apache-2.0"


def artefacts(registry, history, messages) -> dict[str, str]:
    """Every generated file, by its path below api/."""
    support = "support/include/plinth/support"
    reflection = cxx_reflection.Reflection(registry, history)
    files = {
        "include/pjrt_c_api.h": c_header.header(revisions.View(registry)),
        f"{support}/abi_tables.inc": cxx_tables.tables(registry, history),
        f"{support}/argument_checks.inc": cxx_checks.checks(registry),
        f"{support}/extension_tables.inc": cxx_checks.extensions(registry),
        "support/xla_message_fields.h": cxx_messages.header(messages),
        f"{support}/abi_version.h": cxx_tables.version_header(registry),
        "python/pjrt_abi.py": python_tables.module(registry),
        "reflection/include/plinth/reflection/reflection_names.h": reflection.ids(),
        "reflection/reflection_tables.inc": reflection.tables_text(),
    }
    for name, text in c_extension_headers.headers(registry).items():
        files[f"include/{name}"] = text
    for library in registry.libraries:
        files[f"include/{library.header}"] = c_library_header.header(library)
    for table in registry.tables:
        files |= {f"include/{name}": text for name, text in c_table_header.headers(table).items()}
    return {name: f"{'#' if name.endswith('.py') else '//'} {LICENSE}\n{text}"
            for name, text in files.items()}


def stale(root: Path, files: dict[str, str]) -> list[Path]:
    """Headers below include/ that the registry no longer gives."""
    headers = sorted((root / "include").rglob("*.h"))
    return [h for h in headers if h.relative_to(root).as_posix() not in files]


def past_header(registry, history, name: str, folder: Path) -> int:
    """Writes the header of a past revision into a folder."""
    revision = revisions.find(history, name)
    oldest = registry.version["oldest_minor"]
    if revision.minor < oldest:
        raise revisions.HistoryError(
            f"the registry describes revisions from 0.{oldest} on; the layout of {revision.name} "
            "is data in api/history")
    folder.mkdir(parents=True, exist_ok=True)
    text = c_header.header(revisions.View(registry, history, revision))
    (folder / "pjrt_c_api.h").write_text(text)
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 api/generate", description=__doc__)
    parser.add_argument("--write", action="store_true", help="rewrite what differs")
    parser.add_argument("--header", nargs=2, metavar=("0.NN", "OUTDIR"),
                        help="write pjrt_c_api.h as it was at that revision")
    parser.add_argument("--api", type=Path, default=API, help=argparse.SUPPRESS)
    options = parser.parse_args()
    try:
        registry = registry_module.load(options.api / "registry")
        history = revisions.load_history(options.api / "history")
        messages = cxx_messages.load(options.api / "messages" / "xla.toml")
        proxy = cxx_proxy_messages.current(options.api)
        if options.header:
            return past_header(registry, history, options.header[0], Path(options.header[1]))
    except (registry_module.RegistryError, revisions.HistoryError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    files = artefacts(registry, history, messages) | proxy | pages.current(registry, options.api)
    made = generated_files.GeneratedFiles(
        options.api, files, stale(options.api, files), "the registry",
        "python3 api/generate --write", prefix="api/")
    return made.write() if options.write else made.check()


if __name__ == "__main__":
    sys.exit(main())
