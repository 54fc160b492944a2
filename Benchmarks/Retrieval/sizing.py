#!/usr/bin/env python3
"""What 10 million, 100 million and a billion passages need, by a cost model whose constants are measured.

Each stage grows as Benchmarks/Scale.md says. A constant comes from one measured point; every other point of RESULTS.md
is predicted and compared, and the program fails if a prediction is more than a factor of 1.5 away. Rows of the benchmark
`postgres` that RESULTS.md does not have yet are taken from the constants below.

    sizing.py                      the check, and the tables for 384 dimensions
    sizing.py --dimensions 768     other vectors
    sizing.py --passages 25e6      other sizes; may be repeated
"""
import argparse
import re
import sys

from lib.figures import RESULTS

MILLION = 1_000_000
#: Most a prediction may be off.
TOLERANCE = 1.5

#: Points of one machine: name, row of RESULTS.md, number of passages. A row's numbers are all of its measurements.
ONE_MACHINE = [
    ("build, CPU s", r"^\| build of the index file, CPU s[^|]*\| \*\*([\d.]+)", MILLION),
    ("build, CPU s", r"^\| build: CPU s, wall s[^|]*\| ([\d.]+)", 10 * MILLION),
    ("file, GB", r"^\| file, GB;[^|]*\| ([\d.]+)", 10 * MILLION),
    ("vector question, CPU ms", r"^\| vector question: CPU ms[^|]*\| \*\*([\d.]+)", MILLION),
    ("vector question, CPU ms", r"^\| vector: CPU ms, p50 ms \| ([\d.]+) and ([\d.]+)", 10 * MILLION),
    ("hybrid question, CPU ms", r"^\| hybrid question: CPU ms[^|]*\| ([\d.]+)", MILLION),
    ("hybrid question, CPU ms", r"^\| hybrid: CPU ms \| ([\d.]+) and ([\d.]+)", 10 * MILLION),
    ("opening, ms", r"^\| opening, first search ms[^|]*\| ([\d.]+)", MILLION),
    ("opening, ms", r"^\| opening \+ first search, ms[^|]*\| ([\d.]+) [^|]*at load 7 ([\d,]+)", 10 * MILLION),
]

#: Bytes of a passage in the index file, apart from 4 for each dimension in float32 and a bit for its code; see
#: Benchmarks/Scale.md.
FILE_BYTES = 210

#: Figures of `make bench NAME=postgres`: constants until RESULTS.md has rows of these names.
POSTGRES = {
    # 5,000 notes of about 80 words with one vector.
    "notes, bytes a note with its indexes": 1042.0,
    "note_words, bytes a note with its indexes": 2772.2,
    "embeddings, bytes a note with its indexes": 122.9,
    "vectors, bytes a note with its indexes": 1690.8,
    "migration with comparison, notes/s": None,
    "postgres: backfill by 1, notes/s": None,
}
#: The dimensions with which the sizes were measured.
MEASURED_DIMENSIONS = 384
#: An entry of an HNSW index over halfvec has 2 bytes a dimension and these: 6 for each of 32 neighbours of the lowest layer, a
#: fifteenth more for the others, headers, and what is left over in pages. 1,170 bytes were measured with 384 dimensions.
HNSW_LINKS = 1170 - 2 * 384
#: A question whose words more notes hold is refused (Documentation/Scale.md).
MOST_MATCHES = 400_000


def measured(text):
    """The points of one machine, with the range of their measurements; and PostgreSQL's rows."""
    points = []
    for name, pattern, passages in ONE_MACHINE:
        if found := re.search(pattern, text, re.M):
            values = [float(one.replace(",", "")) for one in found.groups()]
            points.append((name, passages, min(values), max(values)))
        else:
            raise SystemExit(f"RESULTS.md has no row for {name} at {passages:,}: {pattern}")
    rows = {}
    for name in POSTGRES:
        if found := re.search(rf"^\| {re.escape(name)} \| \**([\d,.]+)", text, re.M):
            rows[name] = float(found[1].replace(",", ""))
    return points, rows


def predict(name, passages, points):
    """A stage that grows with the passages, from its smallest measured point."""
    if name == "file, GB":
        return passages * (FILE_BYTES + 4 * 384 + 384 / 8) / 1e9
    first = min((point for point in points if point[0] == name), key=lambda point: point[1])
    return (first[2] + first[3]) / 2 * passages / first[1]


def check(points):
    """Compares every measured point with its prediction; returns whether all are near."""
    print("| stage | passages | measured | predicted | factor |\n|---|---:|---:|---:|---:|")
    good = True
    for name, passages, low, high in points:
        value = predict(name, passages, points)
        factor = 1 if low <= value <= high else max(value / high, low / value)
        good = good and factor <= TOLERANCE
        span = f"{low:g}" if low == high else f"{low:g} to {high:g}"
        print(f"| {name} | {passages:,} | {span} | {value:.4g} | {factor:.2f}{'' if factor <= TOLERANCE else ' **off**'} |")
    return good


def size(value):
    """Bytes for people."""
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000:
            return f"{value:.3g} {unit}"
        value /= 1000
    return f"{value:.3g} TB"


def duration(seconds):
    hours = seconds / 3600
    return f"{seconds / 60:.0f} min" if hours < 2 else f"{hours:.0f} h" if hours < 72 else f"{hours / 24:.0f} days"


def tables(sizes, dimensions, points, rows):
    """What each size needs, on one machine and in PostgreSQL."""
    head = " | ".join(f"{passages / MILLION:,.0f} million" for passages in sizes)
    print(f"\n{dimensions} dimensions\n\n| one machine | {head} |\n|---|{'---:|' * len(sizes)}")

    def row(name, value):
        print(f"| {name} | {' | '.join(value(passages) for passages in sizes)} |")

    row("index file", lambda n: size(n * (FILE_BYTES + 4 * dimensions + dimensions / 8)))
    row("in memory: codes and postings", lambda n: size(n * (140 + 4 + dimensions / 8)))
    row("hybrid question, CPU s", lambda n: f"{predict('hybrid question, CPU ms', n, points) / 1e3:.3g}")
    row("build, CPU time", lambda n: duration(predict("build, CPU s", n, points)))
    row("fits row numbers of 31 bits", lambda n: "yes" if n < 2**31 else "no")

    figures = {name: rows.get(name, constant) for name, constant in POSTGRES.items()}
    vectors = figures["vectors, bytes a note with its indexes"] + 4 * (dimensions - MEASURED_DIMENSIONS)
    rest = sum(figures[f"{table}, bytes a note with its indexes"] for table in ("notes", "note_words", "embeddings"))
    hnsw = 2 * dimensions + HNSW_LINKS
    print(f"\n| PostgreSQL | {head} |\n|---|{'---:|' * len(sizes)}")
    row("tables and their indexes", lambda n: size(n * (vectors + rest)))
    row("HNSW over halfvec: should be in memory", lambda n: size(n * hnsw))
    row("servers of 256 GB for that index, three quarters used", lambda n: f"{-(-n * hnsw // (0.75 * 256e9)):.0f}")
    row("keywords answer words in at most", lambda n: f"{100 * min(1, MOST_MATCHES / n):.2g}% of notes")
    for name, rate in (("migration with comparison", "migration with comparison, notes/s"),
                       ("storing vectors by one gateway, a model that costs nothing", "postgres: backfill by 1, notes/s")):
        row(name, lambda n, rate=figures[rate]: duration(n / rate) if rate else "not measured")


def main():
    parser = argparse.ArgumentParser(prog="bench.py sizing", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dimensions", type=int, default=384)
    parser.add_argument("--passages", type=float, action="append")
    options = parser.parse_args()
    points, rows = measured(RESULTS.read_text())
    good = check(points)
    tables([int(one) for one in options.passages or [10 * MILLION, 100 * MILLION, 1000 * MILLION]], options.dimensions, points, rows)
    if not good:
        sys.exit("a prediction is too far from its measurement")


if __name__ == "__main__":
    main()
