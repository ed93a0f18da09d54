# SPDX-License-Identifier: Apache-2.0
"""Checks that what the Markdown pages name exists.

  pages_test.py

Looked at: relative links with their anchors; paths in `code spans` and in fenced blocks of shell;
pages of docs/ that any file of the tree names; folders that have owners; code after the words "From
`path`:", which must stand in that file. Run by CTest.
"""

import fnmatch
import functools
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What a span may name that is not in the tree: files of the build and of users' machines, things
# that programs make, names of conformance and benchmark cases.
ELSEWHERE = re.compile(
    r"^([/~$<-]|build/|origin/|https?:|git:|\w+=|name:|chrome:|PREFIX|FOLDER|FILE\b|NAME\b"
    r"|(L[0-4]|mm|ew|xfer|disp|conv|embed|red|short|model|compile|digits)/"
    r"|(bin|share|lib|dist)/|(include/plinth/api|plinth/plugins\.d|xla/(ffi|pjrt)/|jax_plugins/|jax-\d)"
    r"|.*\.so$)"
)
# Files that are named without a folder; those of users have other endings.
EXTENSIONS = "c cc cmake def h inc md mlir mlirbc py sh svg toml".split()
SKIPPED = {".git", "build", "__pycache__", ".pytest_cache"}


@functools.cache
def tree():
    """Every file and folder of the checkout, relative to its root."""
    found = []
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in SKIPPED]
        relative = pathlib.Path(folder).relative_to(ROOT)
        found += [(relative / name).as_posix() for name in folders + files]
    return found


@functools.cache
def endings():
    """Every path of the tree, from each of its folders on: "a/b.cc" is also "b.cc"."""
    result = set()
    for path in tree():
        parts = path.split("/")
        result.update("/".join(parts[start:]) for start in range(len(parts)))
    return result


def pages():
    return [ROOT / path for path in tree() if path.endswith(".md")]


def anchors(page):
    """The anchors of a page's headings, as hosts make them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
    titles = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def exists(name, folder):
    """Whether a path is one of the tree: from the page's folder, the root, or any folder."""
    name = name.rstrip("/")
    if name.startswith("."):
        name = os.path.relpath(os.path.normpath(folder / name), ROOT)
        if name == ".":
            return True
    # A pair such as plan.{h,cc}, and what stands for many names.
    name = re.sub(r"\{[^}]*\}|<[^>]*>|\[[^]]*\]", "*", name)
    if name.endswith("..."):
        name = name[:-3] + "*"
    if "*" in name:
        return any(fnmatch.fnmatch(path, name) for path in endings())
    # A module is named without its extension: it is a header, a source, or both.
    return name in endings() or any(f"{name}.{ext}" in endings() for ext in ("h", "cc", "py"))


def is_path(word):
    if ELSEWHERE.match(word) or re.search(r"[()'\"=,;|#&]|::|//", word) or not re.search(r"\w", word):
        return False
    if re.search(r"/", word):
        return bool(re.fullmatch(r"[\w.*<>{},\[\]/-]+", word)) and not re.match(r"[\d.]+/\d", word)
    return bool(re.fullmatch(r"[\w*<>{}-]+\.(" + "|".join(EXTENSIONS) + ")", word))


def words(text):
    """What may be a path in the page's spans, and in its blocks of shell if it begins with a folder."""
    folders = {path for path in tree() if "/" not in path and (ROOT / path).is_dir()}
    for language, block in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S):
        if language == "sh":
            for word in re.split(r"[\s'\"=:]+", block):
                if word.split("/")[0] in folders and "/" in word:
                    yield word
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    for span in re.findall(r"`([^`]+)`", text):
        yield from span.split()


def faults_of(page, text):
    faults = []
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)):
        if re.match(r"\w+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path) if path else page
        if not file.exists():
            faults.append(f"links to {target}, which does not exist")
        elif anchor and file.suffix == ".md" and anchor not in anchors(file):
            faults.append(f"links to {target}, which has no such heading")
    for word in words(text):
        word = word.rstrip(".,:")
        if is_path(word) and not exists(word, page.parent):
            faults.append(f"names {word}, which does not exist")
    return faults


def excerpts(text):
    """(path, code) of every block after the words "From `path`:"."""
    return re.findall(r"From\s+`([^`]+)`:\n\n *```\w*\n(.*?)^ *```$", text, re.M | re.S)


def without_indent(code):
    return re.sub(r"^[ \t]+", "", code, flags=re.M)


class PagesTest(unittest.TestCase):
    def test_links_and_paths(self):
        self.assertGreater(len(pages()), 50)
        for page in pages():
            with self.subTest(page.relative_to(ROOT).as_posix()):
                self.assertEqual([], faults_of(page, page.read_text()))

    def test_every_function_of_ifrt(self):
        """docs/using/ifrt.md says of each what it rests on, and names no other."""
        header = (ROOT / "api/include/plinth_ifrt.h").read_text()
        page = (ROOT / "docs/using/ifrt.md").read_text()
        table = page.split("## Every function", 1)[1].split("\n## ", 1)[0]
        named = re.findall(r"`([a-z_]+)`", "\n".join(line.split("|")[1] for line in table.splitlines() if line.startswith("|")))
        exported = re.findall(r"\bplinth_ifrt_(\w+)\(", re.sub(r"^//.*$", "", header, flags=re.M))
        self.assertGreater(len(exported), 50)
        self.assertEqual(sorted(exported), sorted(named))

    def test_lines_fit(self):
        """But those of tables, code and pictures."""
        for page in pages():
            text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
            long = [line for line in text.splitlines()
                    if len(line) > 100 and not re.match(r"\s*(\||!\[|    )", line)]
            with self.subTest(page.relative_to(ROOT).as_posix()):
                self.assertEqual([], long, "longer than 100 columns")

    def test_pages_that_sources_name(self):
        count = 0
        for path in tree():
            if (ROOT / path).is_dir():
                continue
            text = (ROOT / path).read_bytes().decode(errors="ignore")
            for name in re.findall(r"\bdocs/[\w/-]+\.md\b", text):
                count += 1
                with self.subTest(path):
                    self.assertTrue((ROOT / name).exists(), f"names {name}, which does not exist")
        self.assertGreater(count, 20)

    def test_excerpts_are_in_their_files(self):
        count = 0
        for page in pages():
            for path, code in excerpts(page.read_text()):
                count += 1
                with self.subTest(page.relative_to(ROOT).as_posix(), path=path):
                    self.assertIn(without_indent(code), without_indent((ROOT / path).read_text()))
        self.assertGreater(count, 5)

    def test_drawings_are_whole(self):
        for path in tree():
            if path.endswith(".svg"):
                with self.subTest(path):
                    self.assertTrue(xml.etree.ElementTree.parse(ROOT / path).getroot().tag.endswith("svg"))

    def test_owned_folders(self):
        for line in (ROOT / ".github/CODEOWNERS").read_text().splitlines():
            if line.startswith("/"):
                path = line.split()[0].strip("/")
                self.assertTrue((ROOT / path).exists(), f"{path} has an owner and does not exist")

    def test_the_parts_of_the_tests(self):
        """The table of the page has the parts that the script runs: else --list refuses."""
        done = subprocess.run([ROOT / "scripts/test", "--list"], capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("| `everyday` |", done.stdout)

    def test_the_passes_of_the_compiler(self):
        """docs/inside/compiler.md has them in the order in which they run."""
        source = (ROOT / "reference_plugin/compiler/passes/optimize.cc").read_text()
        run = re.findall(r'^    {"(\w+)", ', source.split("kRound[] = {", 1)[1].split("};", 1)[0], re.M)
        page = (ROOT / "docs/inside/compiler.md").read_text()
        table = page.split("| pass | what it does |", 1)[1].split("\n\n", 1)[0]
        self.assertGreater(len(run), 5)
        self.assertEqual(run, re.findall(r"^\| `(\w+)` \|", table, re.M))

    def test_faults_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.md"
            page.write_text("# One title\n")
            for text in ("[a](nowhere.md)", "[a](#no-title)", "`api/nowhere.py`", "`nowhere/`",
                         "`scripts/nowhere --full`", "`nowhere.cc`", "`api/*.nowhere`",
                         "```sh\nPYTHONPATH=api/nowhere scripts/test\n```\n"):
                self.assertEqual(1, len(faults_of(page, text)), text)
            for text in ("[a](#one-title)", "[a](page.md#one-title)", "`api/generate/`",
                         "`scripts/test --full`", "`api/*.md`", "`/opt/npu/pjrt_npu.so`",
                         "```sh\npython3 api/generate --write\n```\n"):
                self.assertEqual([], faults_of(page, text), text)


if __name__ == "__main__":
    unittest.main()
