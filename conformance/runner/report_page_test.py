#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the page of a report as a browser would.

  report_page_test.py SUITE PLUGIN [--browser FOLDER]

--browser: shows it to Chromium too, as wide as a phone and as a desk, which write FOLDER/390.png and
1280.png for people to look at.
"""

import collections
import html
import html.parser
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

VOID = {"meta", "input", "br"}
VERDICTS = {"PASS", "FAIL", "CRASH", "HANG", "UNSUPPORTED", "WAIVED"}


class Page(html.parser.HTMLParser):
    """The elements of a page, with their attributes and what stands in them."""

    def __init__(self, text: str):
        super().__init__()
        self.open: list[dict] = []
        self.elements: list[dict] = []
        self.problems: list[str] = []
        self.feed(text)
        self.close()
        self.problems += [f"<{e['tag']}> is never closed" for e in self.open]

    def handle_starttag(self, tag, attributes):
        element = {"tag": tag, "text": "", "parents": list(self.open), **dict(attributes)}
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1]["tag"] != tag:
            self.problems.append(f"</{tag}> closes {self.open[-1]['tag'] if self.open else 'nothing'}")
            return
        self.open.pop()

    def handle_data(self, data):
        for element in self.open:
            element["text"] += data

    def having(self, **wanted):
        return [e for e in self.elements if all(e.get(k.replace("_", "-")) == v for k, v in wanted.items())]

    def of_class(self, name: str):
        return [e for e in self.elements if name in e.get("class", "").split()]


def luminance(color: str) -> float:
    parts = [int(color[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def style_problems(style: str) -> list[str]:
    """Readable in the light and in the dark."""
    problems = []
    modes = re.findall(r":root \{([^}]*)\}", style)
    if len(modes) != 2 or "prefers-color-scheme: dark" not in style:
        problems.append("there is no dark mode")
    for mode in modes:
        colors = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", mode))
        for text in ("text", "muted", "link"):
            for ground in ("page", "card"):
                if contrast(colors[text], colors[ground]) < 4.5:
                    problems.append(f"{text} on {ground} has a contrast of {contrast(colors[text], colors[ground]):.1f}")
    for verdict in VERDICTS:
        color, = re.findall(rf"\.{verdict} \{{ background: (#[0-9a-f]{{6}})", style)
        if contrast("#ffffff", color) < 4.5:
            problems.append(f"white on {verdict} has a contrast of {contrast('#ffffff', color):.1f}")
    if not re.search(r"@media \(max-width: \w+\)", style) or "overflow-wrap: anywhere" not in style:
        problems.append("it does not wrap on a phone")
    return problems


def page_problems(page: Page, report_text: str) -> list[str]:
    problems = list(page.problems)
    ids = collections.Counter(e["id"] for e in page.elements if "id" in e)
    problems += [f"id {name} is there {count} times" for name, count in ids.items() if count > 1]
    for element in page.elements:
        target = element.get("href")
        if target is not None and (not target.startswith("#") or target[1:] not in ids):
            problems.append(f"a link leads nowhere: {target}")
        if "src" in element or element["tag"] in ("link", "img", "iframe"):
            problems.append(f"<{element['tag']}> refers to something outside")
    for row in (e for e in page.elements if "data-total" in e):
        counts = [int(e["data-count"]) for e in page.elements if row in e["parents"] and "data-count" in e]
        said = [int(n) for n in re.findall(r"(\d+) [A-Z]+", row["text"])]
        if sum(counts) != int(row["data-total"]) or counts != said:
            problems.append(f"{row['text']}: bars {counts}, numbers {said}")
    rows = [e for e in page.elements if "data-total" in e]
    everything = sum(int(e["data-total"]) for e in rows if e["text"].startswith("all of class"))
    areas = sum(int(e["data-total"]) for e in rows if not e["text"].startswith("all of class"))
    if not everything or everything != areas:
        problems.append(f"{everything} cases by class, {areas} by area")
    for card in (e for e in page.elements if "data-verdict" in e):
        if card["data-verdict"] not in VERDICTS:
            problems.append(f"a finding of verdict {card['data-verdict']}")
    quotes = [e for e in page.elements if e["tag"] == "blockquote"]
    if not quotes or any(not re.match(r"PJRT-\S+ \w", e["text"]) for e in quotes):
        problems.append("a requirement has no sentence")
    if {e["text"] for e in page.of_class("verdict")} != VERDICTS:
        problems.append("the legend does not name every verdict")
    if not page.having(type="search") or len(page.having(type="checkbox")) != 5:
        problems.append("there is no filter")
    if not page.having(name="viewport"):
        problems.append("it has no viewport")
    terms = {e["text"] for e in page.elements if e["tag"] == "dt"}
    problems += [f"it does not tell the {name}" for name in
                 ("plugin", "SHA-256", "PJRT C API", "platform", "date", "host", "command", "suite")
                 if name not in terms]
    if report_text.count("http://") + report_text.count("https://"):
        problems.append("it names an address")
    style, = (e["text"] for e in page.elements if e["tag"] == "style")
    return problems + style_problems(style)


def browser_problems(page: pathlib.Path, folder: pathlib.Path) -> list[str]:
    """Whether anything is wider than the window."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        return ["there is no Chromium: scripts/install_dependencies --browser"]
    folder.mkdir(parents=True, exist_ok=True)
    # In a frame, because windows have a least width; a page from a file may not look into another.
    measured = page.with_name("measured.html")
    frame = ('<iframe id=page style="border:0;height:1100px;width:%dpx" srcdoc="%s"></iframe><script>'
             "onload = () => document.body.dataset.width = page.contentDocument.documentElement.scrollWidth"
             "</script>")
    problems = []
    for width in (390, 1280):
        measured.write_text(frame % (width, html.escape(page.read_text())))
        command = [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                   f"--user-data-dir={page.parent}/profile", f"--window-size={width},1100"]
        picture = folder / f"{width}.png"
        picture.unlink(missing_ok=True)
        for words in ([f"--screenshot={picture}", page.as_uri()], ["--dump-dom", measured.as_uri()]):
            done = subprocess.run(command + words, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                return [f"{browser} ended with {done.returncode}: {done.stderr}"]
        found = re.search(r'data-width="(\d+)"', done.stdout)
        if found is None or int(found[1]) > width:
            problems.append(f"in a window of {width} the page is {found and found[1]} wide")
        if not picture.exists():
            problems.append(f"{picture} was not written")
    return problems


def main() -> int:
    suite, plugin = sys.argv[1:3]
    pictures = pathlib.Path(sys.argv[4]).absolute() if sys.argv[3:4] == ["--browser"] else None
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "page.html"
        # Without its profile the plugin lacks much.
        done = subprocess.run([suite, "--plugin", plugin, "--level", "L1", "--quiet", "--html", path],
                              capture_output=True, text=True, check=False)
        if not path.exists():
            print(f"no page; status {done.returncode}\n{done.stdout}{done.stderr}")
            return 1
        text = path.read_text()
        problems = page_problems(Page(text), text)
        if pictures is not None:
            problems += browser_problems(path, pictures)
    print("\n".join(problems) or "the page is as it should be")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
