# SPDX-License-Identifier: Apache-2.0
"""Draws the matrix as one small HTML file: an SVG, and a script that tells what is under the pointer."""

from __future__ import annotations

import html
import json

COLORS = {"PASS": "#2e9e5b", "REFUSED": "#e3b341", "FAIL": "#d1495b", "CRASH": "#7b2d8b",
          "HANG": "#33415c"}
CELL, LEFT, TOP = 12, 120, 120

STYLE = """
body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem; color: #1b1f24; background: #fff; }
text { font: 9px system-ui, sans-serif; fill: #1b1f24; }
.key span { display: inline-block; width: 1em; height: 1em; margin: 0 .3em 0 1em;
            vertical-align: -.15em; }
.broken { fill: none; stroke: #000; stroke-width: 2; }
#cell { position: sticky; top: 0; background: #fff; min-height: 4.5em; white-space: pre-line; }
table { border-collapse: collapse; margin-top: 1rem; }
td, th { text-align: left; padding: .2rem .8rem .2rem 0; vertical-align: top; }
code { font-size: 12px; }
"""

SCRIPT = """
const data = JSON.parse(document.getElementById('data').textContent);
const picture = document.querySelector('svg'), cell = document.getElementById('cell');
picture.addEventListener('mousemove', event => {
  const box = picture.getBoundingClientRect();
  const column = Math.floor((event.clientX - box.left - data.left) / data.cell);
  const row = Math.floor((event.clientY - box.top - data.top) / data.cell);
  if (!data.clients[row] || !data.plugins[column]) return;
  const [verdict, why] = data.answers[data.pairs[row][column]];
  cell.textContent = `client ${data.clients[row]}, plugin ${data.plugins[column]}: ${verdict}\\n${why}`;
});
"""


def _title(item: dict) -> str:
    return item["name"] if len(item["labels"]) < 2 else " = ".join(item["labels"])


def _why(pair: dict) -> str:
    """The reasons, short enough for a few lines."""
    notes = pair["failures"] + pair["refusals"]
    more = [f"and {len(notes) - 2} more"] if len(notes) > 2 else []
    missing = [f"{len(pair['absent'])} functions not there"] if pair["absent"] else []
    return "\n".join([n[:200] for n in notes[:2]] + more + missing)


def _row_paths(verdicts: list[str], y: int) -> list[str]:
    """The cells of one row, neighbours of one verdict together."""
    lines, start = [], 0
    for column in range(1, len(verdicts) + 1):
        if column < len(verdicts) and verdicts[column] == verdicts[start]:
            continue
        cells = "".join(f"M{LEFT + c * CELL} {y}h{CELL - 1}v{CELL - 1}h{1 - CELL}z"
                        for c in range(start, column))
        lines.append(f'<path fill="{COLORS[verdicts[start]]}" d="{cells}"/>')
        start = column
    return lines


def _picture(clients: list[str], plugins: list[str], rows: list[list[dict]]) -> list[str]:
    width, height = LEFT + CELL * len(plugins) + 60, TOP + CELL * len(clients) + 20
    lines = [f'<svg width="{width}" height="{height}" role="img" '
             'aria-label="verdict of each client with each plugin">']
    for column, name in enumerate(plugins):
        x = LEFT + column * CELL + 9
        lines.append(f'<text x="{x}" y="{TOP - 6}" transform="rotate(-90 {x} {TOP - 6})">'
                     f"{html.escape(name)}</text>")
    for row, name in enumerate(clients):
        y = TOP + row * CELL
        lines.append(f'<text x="{LEFT - 6}" y="{y + 9}" text-anchor="end">{html.escape(name)}</text>')
        lines += _row_paths([pair["verdict"] for pair in rows[row]], y)
        lines += [f'<rect class="broken" x="{LEFT + c * CELL}" y="{y}" width="{CELL - 1}" '
                  f'height="{CELL - 1}"/>' for c, pair in enumerate(rows[row]) if not pair["kept"]]
    return lines + ["</svg>"]


def _broken(pairs: list[dict]) -> list[str]:
    broken = [p for p in pairs if not p["kept"]]
    if not broken:
        return []
    lines = ["<table><tr><th>client<th>plugin<th>verdict<th>why<th>repeat</tr>"]
    for p in broken:
        cells = [p["client"], p["plugin"], p["verdict"], _why(p)]
        lines.append("<tr>" + "".join(f"<td>{html.escape(c)}" for c in cells)
                     + f"<td><code>{html.escape(p['command'])}</code></tr>")
    return lines + ["</table>"]


def page(result: dict) -> str:
    clients = [_title(c) for c in result["clients"]]
    plugins = [_title(p) for p in result["plugins"]]
    count = len(plugins)
    rows = [result["pairs"][i:i + count] for i in range(0, len(result["pairs"]), count)]
    answers: dict[tuple[str, str], int] = {}
    pairs = [[answers.setdefault((p["verdict"], _why(p)), len(answers)) for p in row]
             for row in rows]
    data = {"left": LEFT, "top": TOP, "cell": CELL, "clients": clients, "plugins": plugins,
            "answers": list(answers), "pairs": pairs}
    how = f"through {html.escape(result['through'])}" if result["through"] else "directly"
    counts = ", ".join(f"{n} {verdict}" for verdict, n in sorted(result["counts"].items()))
    key = "".join(f'<span style="background:{c}"></span>{v}' for v, c in COLORS.items())
    lines = ["<!doctype html>", '<html lang="en"><meta charset="utf-8">',
             "<title>PJRT compatibility windows</title>", f"<style>{STYLE}</style>",
             "<h1>PJRT compatibility windows</h1>",
             f"<p>Clients (rows) and plugins (columns), each frozen at the revision that it names, "
             f"{how}: {counts}. A black frame is a broken promise.</p>",
             f'<p class="key">{key}</p>', '<div id="cell">Point at a cell.</div>']
    lines += _picture(clients, plugins, rows) + _broken(result["pairs"])
    text = json.dumps(data, separators=(",", ":")).replace("</", "<\\/")
    lines += [f'<script type="application/json" id="data">{text}</script>',
              f"<script>{SCRIPT}</script>"]
    return "\n".join(lines) + "\n</html>\n"
