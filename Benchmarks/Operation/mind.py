#!/usr/bin/env python3
"""Measures the workflows over notes: near pairs, threads, briefing, tasks, and memories of chats.

    bench.py mind [COUNT…] [--dimensions 768]

COUNT notes, and as many memories. Default: 10,000 and 100,000. `associations` and `threads` have rows of their own.
"""
import argparse
import json
import re
import subprocess
import sys

from lib.environment import BIN
from lib.figures import report

COLUMNS = (("full", "threads s"), ("added", "100 new notes s"), ("briefing", "briefing s"), ("actions", "tasks s"),
           ("actions_again", "again s"), ("actions_added", "100 new notes s"), ("memories_read", "memories read s"),
           ("memories_merge_ms", "merge of a question ms"))


def output(*command):
    run = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True)
    if run.returncode != 0:
        raise SystemExit(run.returncode)
    return run.stdout


def measure(count, dimensions):
    """The figures of one size."""
    pairs = output(BIN / "AssociationsBench", count, dimensions)
    figures = {"pairs_cpu": float(re.search(r"CPU ([0-9.]+) s", pairs).group(1))}
    figures |= json.loads(output(BIN / "ThreadsBench", count, dimensions))
    return figures | json.loads(output(BIN / "MindBench", count))


def main():
    parser = argparse.ArgumentParser(prog="bench.py mind", description=__doc__.splitlines()[0])
    parser.add_argument("counts", nargs="*", type=int, metavar="COUNT")
    parser.add_argument("--dimensions", type=int, default=768)
    options = parser.parse_args()
    print("| notes | near pairs, CPU s |" + "".join(f" {title} |" for _, title in COLUMNS) + "\n|--:|--:|" + "--:|" * len(COLUMNS))
    for count in options.counts or [10_000, 100_000]:
        one = measure(count, options.dimensions)
        print(f"| {count:,} | {one['pairs_cpu']:.2f} |" + "".join(f" {one[name]:.2f} |" for name, _ in COLUMNS), flush=True)
        if count == 100_000 and options.dimensions == 768:
            report("mind.pairs_and_threads_s", one["pairs_cpu"] + one["full"])
            report("mind.briefing_s", one["briefing"])
            report("mind.tasks_s", one["actions"])
            report("mind.tasks_added_s", one["actions_added"])
            report("mind.merge_ms", one["memories_merge_ms"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
