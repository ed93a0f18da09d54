# SPDX-License-Identifier: Apache-2.0
"""Fails if a page below a folder links to a file that is not there: what is installed is whole.

  dead_links.py FOLDER
"""

import re
import sys
from pathlib import Path


def dead_links(root: Path) -> list[str]:
    found = []
    for page in sorted(root.rglob("*.md")):
        text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
        for target in re.findall(r"\]\(([^)\s#]+)[^)]*\)", text):
            if not re.match(r"\w+:", target) and not (page.parent / target).exists():
                found.append(f"{page.relative_to(root)} links to {target}")
    return found


if __name__ == "__main__":
    root = Path(sys.argv[1])
    assert (root / "README.md").exists() and (root / "docs/README.md").exists(), f"no pages in {root}"
    dead = dead_links(root)
    print("\n".join(dead) or "no dead link")
    sys.exit(bool(dead))
