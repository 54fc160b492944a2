#!/usr/bin/env python3
"""Draws the runs that retrieval.py saved with --json as SVG: time and memory by number of rows. Or a table of peers.py: time of a
question and of the build."""
import argparse
import json
import math
import statistics
import sys
from html import escape

TEACHING = """\
FILE has one run per line. The picture shows the newest figures of each contestant and size, from all runs with the same
processor, cores, threads, data and dimensions as the last run. Sizes may come from separate runs. All axes are
logarithmic; approximate contestants are dashed. The picture has its own background and follows the reader's dark mode.

With --peers, FILE has rows as peers.py prints them; other lines do not count.

example: bench.py retrieval --million --json runs.json && plot.py runs.json --out Benchmarks/Retrieval/retrieval.svg
"""
WIDTH, HEIGHT, PANEL_WIDTH, PANEL_HEIGHT, TOP = 960, 500, 386, 300, 84
LOOKS = {  # colour, marker; each colour is legible on the light and the dark card
    "selene exact": ("#2f6fdd", "circle"), "selene": ("#2f6fdd", "circle"), "selene int8": ("#8a5be0", "square"),
    "selene binary": ("#c2418f", "diamond"), "numpy": ("#b26a00", "circle"), "usearch exact": ("#15857a", "square"),
    "faiss flat": ("#d1453b", "circle"), "faiss SQ8": ("#d1453b", "diamond"), "sqlite-vec": ("#748090", "square"),
    "reading the matrix": ("#748090", "none"),
    "selene vector": ("#2f6fdd", "circle"), "selene keyword": ("#2f6fdd", "square"), "selene hybrid": ("#2f6fdd", "diamond"),
    "faiss IVF-PQ": ("#d1453b", "diamond"), "faiss HNSW": ("#d1453b", "circle"), "usearch HNSW": ("#15857a", "square"),
    "lancedb IVF-PQ": ("#b26a00", "diamond"), "tantivy": ("#8a5be0", "square"),
}
STYLE = """\
text { font: 12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328 }
.title { font-size: 16px; font-weight: 600 } .panel { font-weight: 600 } .soft { fill: #59636e }
.card { fill: #ffffff; stroke: #d1d9e0 } .grid { stroke: #e3e8ed } .frame { fill: none; stroke: #8c959f }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .soft { fill: #9da7b1 }
.card { fill: #0d1117; stroke: #30363d } .grid { stroke: #262c34 } .frame { stroke: #6e7681 }
}"""


def load(path):
    """Loads the runs that are comparable with the last one, oldest first."""
    with open(path) as file:
        runs = [json.loads(line) for line in file if line.strip()]
    if not runs:
        raise ValueError("the file has no run")
    return [run for run in runs if setting(run) == setting(runs[-1])]


def setting(run):
    machine = run["machine"]
    return machine["processor"], machine["cores"], run["threads"], run["data"], run["dimensions"]


def series(runs):
    """Two maps from name to {rows: value}, of milliseconds per query and of megabytes, and the approximate names."""
    times, memory, approximate = {}, {}, set()
    for size in (size for run in runs for size in run["sizes"]):
        rows = size["rows"]
        for name, figures in size["contestants"].items():
            times.setdefault(name, {})[rows] = statistics.median(figures["single_ms"])
            if figures["approximate"]:
                approximate.add(name)
            if figures["memory_mb"]:
                memory.setdefault(name, {})[rows] = figures["memory_mb"]
        times.setdefault("reading the matrix", {})[rows] = statistics.median(size["read_ms"])
        if size["selene"].get("resident_mb"):
            memory.setdefault("selene", {})[rows] = size["selene"]["resident_mb"]
    return times, memory, approximate


class Scale:
    """A logarithmic axis: maps values to positions."""

    def __init__(self, values, start, end, room):
        self.low, self.high = min(values) / room, max(values) * room
        self.start, self.end = start, end

    def __call__(self, value):
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self):
        """Powers of ten, and their multiples by 2 and 5 if the range is small."""
        decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        steps = (1,) if self.high / self.low > 500 else (1, 2, 5)
        found = [step * 10.0**decade for decade in decades for step in steps]
        return [value for value in found if self.low <= value <= self.high]


def number(value):
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def rows_text(rows):
    for unit, letter in ((1_000_000, "M"), (1_000, "k")):
        if rows >= unit:
            return f"{rows / unit:g}{letter}"
    return str(rows)


def text(x, y, content, anchor="start", kind=""):
    attributes = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{attributes}>{escape(content)}</text>'


def line(x1, y1, x2, y2):
    return f'<line class="grid" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def marker(x, y, shape, colour, tip=""):
    title = f"<title>{escape(tip)}</title>" if tip else ""
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}">{title}</circle>'
    if shape == "none":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="1.5" fill="{colour}">{title}</circle>'
    turn = f' transform="rotate(45 {x:.1f} {y:.1f})"' if shape == "diamond" else ""
    return f'<rect x="{x - 3.6:.1f}" y="{y - 3.6:.1f}" width="7.2" height="7.2" fill="{colour}"{turn}>{title}</rect>'


def stroke(name, approximate):
    colour = LOOKS.get(name, ("#748090", "circle"))[0]
    width = 3 if name.startswith("selene") and "int8" not in name and "binary" not in name else 1.8
    dash = ' stroke-dasharray="6 4"' if name in approximate else ""
    dash = ' stroke-dasharray="1.5 3"' if name == "reading the matrix" else dash
    return f'fill="none" stroke="{colour}" stroke-width="{width}"{dash}'


def curve(name, points, across, up, unit, approximate):
    colour, shape = LOOKS.get(name, ("#748090", "circle"))
    places = [(across(rows), up(value)) for rows, value in sorted(points.items())]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    drawn = [f'<polyline points="{path}" {stroke(name, approximate)}/>']
    for (x, y), (rows, value) in zip(places, sorted(points.items())):
        drawn.append(marker(x, y, shape, colour, f"{name}, {rows_text(rows)} rows: {value:.3g} {unit}"))
    return drawn


def panel(left, title, label, unit, data, approximate):
    """Draws one pair of axes with its curves."""
    rows = sorted({rows for points in data.values() for rows in points})
    across = Scale(rows, left, left + PANEL_WIDTH, 1.5)
    up = Scale([value for points in data.values() for value in points.values()], TOP + PANEL_HEIGHT, TOP, 1.4)
    bottom, right, middle = TOP + PANEL_HEIGHT, left + PANEL_WIDTH, TOP + PANEL_HEIGHT / 2
    drawn = [text(left, TOP - 10, title, kind="panel")]
    for value in up.ticks():
        drawn += [line(left, up(value), right, up(value)), text(left - 6, up(value) + 4, number(value), "end", "soft")]
    for value in rows:
        drawn += [line(across(value), TOP, across(value), bottom),
                  text(across(value), bottom + 17, rows_text(value), "middle", "soft")]
    drawn += [f'<rect class="frame" x="{left}" y="{TOP}" width="{PANEL_WIDTH}" height="{PANEL_HEIGHT}"/>',
              text((left + right) / 2, bottom + 34, "rows (logarithmic)", "middle"),
              f'<g transform="rotate(-90 {left - 48} {middle})">{text(left - 48, middle, label, "middle")}</g>']
    for name, points in data.items():
        drawn += curve(name, points, across, up, unit, approximate)
    return drawn


def legend(names, approximate):
    drawn = []
    for place, name in enumerate(names):
        x, y = 72 + (place % 4) * 218, TOP + PANEL_HEIGHT + 62 + (place // 4) * 20
        colour, shape = LOOKS.get(name, ("#748090", "circle"))
        drawn += [f'<line x1="{x}" y1="{y}" x2="{x + 26}" y2="{y}" {stroke(name, approximate)}/>',
                  marker(x + 13, y, shape, colour),
                  text(x + 33, y + 4, f"{name} (approximate)" if name in approximate else name)]
    return drawn


def picture(runs):
    times, memory, approximate = series(runs)
    last, machine = runs[-1], runs[-1]["machine"]
    title = f"Ten nearest of N x {last['dimensions']} vectors, {last['date'][:10]}"
    where = (f"{machine['processor']}, {machine['cores']} cores, {machine['memory_gb']} GB; "
             f"{last['threads']} threads for each, {last['data']} data")
    panels = panel(74, "One query, median", "milliseconds (logarithmic)", "ms", times, approximate)
    if memory:
        caption = "Memory: selene's process, the peers' vectors"
        panels += panel(550, caption, "megabytes (logarithmic)", "MB", memory, approximate)
    return card(title, where, panels + legend(list(times), approximate))


def card(title, where, drawn):
    body = [f'<rect class="card" x="0.5" y="0.5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="8"/>',
            text(24, 30, title, kind="title"), text(24, 50, where, kind="soft"), *drawn]
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
            f'role="img">\n<title>{escape(f"{title}; {where}")}</title>\n'
            f"<style>\n{STYLE}\n</style>\n" + "\n".join(body) + "\n</svg>\n")


def peers(path):
    """Draws a table of peers.py: milliseconds of a question, CPU seconds of the build."""
    times, builds = {}, {}
    with open(path) as file:
        for cells in ([cell.strip() for cell in line.split("|")[1:-1]] for line in file if line.startswith("| ")):
            if len(cells) < 14 or not cells[1].replace(",", "").isdigit():
                continue
            name, rows = cells[0], int(cells[1].replace(",", ""))
            times.setdefault(name, {})[rows] = float(cells[8].replace(",", ""))
            # Selene builds one index for all kinds of questions.
            if cells[4] != "–" and (not name.startswith("selene") or name == "selene hybrid"):
                builds.setdefault(name, {})[rows] = float(cells[4].replace(",", ""))
    if not times:
        raise ValueError("the file has no row of peers.py")
    drawn = panel(74, "One question, median", "milliseconds (logarithmic)", "ms", times, set())
    drawn += panel(550, "Building and tuning the index; selene's has words, too", "CPU seconds (logarithmic)", "s", builds, set())
    where = "recall@10 of 0.98 to 1 for vectors; selene keyword and tantivy search for words, selene hybrid for both"
    return card("The ten best of N documents of 384 dimensions", where, drawn + legend(list(times), set()))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=TEACHING, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE", help="file written by retrieval.py --json")
    parser.add_argument("--out", default="-", metavar="SVG", help="file for the picture (default: standard output)")
    parser.add_argument("--peers", action="store_true", help="FILE is a table of peers.py")
    options = parser.parse_args()
    try:
        drawn = peers(options.file) if options.peers else picture(load(options.file))
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"{options.file} cannot be drawn: {type(error).__name__}: {error}")
    if options.out == "-":
        sys.stdout.write(drawn)
    else:
        with open(options.out, "w") as file:
            file.write(drawn)


if __name__ == "__main__":
    main()
