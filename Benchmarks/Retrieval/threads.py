#!/usr/bin/env python3
"""Measures the grouping of notes and the search for threads, without the search for all similar pairs (`associations`).

A full run over N notes with ten pairs each, the same run again, and a run after 100 new notes with the search for their
neighbours. Default: 10,000 and 100,000 notes.
"""
import argparse
import json
import subprocess
import sys

from lib.environment import BIN
from lib.figures import report


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notes", nargs="*", type=int, default=[10_000, 100_000])
    parser.add_argument("--dimensions", type=int, default=768)
    options = parser.parse_args()
    print("| notes | full run s | its CPU s | again s | 100 new notes s | their CPU s |\n|--:|--:|--:|--:|--:|--:|")
    for notes in options.notes:
        run = subprocess.run([BIN / "ThreadsBench", str(notes), str(options.dimensions)], stdout=subprocess.PIPE, text=True)
        if run.returncode != 0:
            return run.returncode
        one = json.loads(run.stdout)
        print(f"| {notes:,} | {one['full']:.2f} | {one['full_cpu']:.2f} | {one['again']:.2f} | {one['added']:.2f} | {one['added_cpu']:.2f} |",
              flush=True)
        if notes == 100_000 and options.dimensions == 768:
            report("threads.full_s", one["full"])
            report("threads.added_s", one["added"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
