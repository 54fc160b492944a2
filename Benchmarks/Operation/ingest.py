#!/usr/bin/env python3
"""Measures `selene ingest` of a JSONL file into a new database: notes per second at its start, at its end and in all, CPU,
memory, bytes; and the same file again, when nothing has changed.

    ingest.py [NOTES ...] [--binary PATH ...]      100,000 notes of about 80 words by default

With several binaries each one runs in turn, so that they meet the same load. Only one run reports to bench.py: the first
size with the first binary.
"""
import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import tempfile
import time

from lib.environment import BIN
from lib.figures import report
from lib.notes import notes
from lib.processes import CPU, clean_environment

# The share of the file whose rate counts as that of the start, and of the end.
EDGE = 0.2


def corpus(path, count):
    """Writes notes with what an export has: an id, a date, tags for every third."""
    with path.open("w") as file:
        for note in notes(count, random.Random(11)):
            number = note["id"]
            note |= {"id": f"note-{number}", "created_at": f"20{10 + number % 15}-{1 + number % 12:02}-{1 + number % 28:02}"}
            if number % 3 == 0:
                note["tags"] = ["tide", f"year {number % 15}"]
            file.write(json.dumps(note) + "\n")


def ingest(binary, file, database):
    """Runs an ingest; returns its summary, wall seconds, CPU, peak megabytes, and (seconds, share of the file) on its way."""
    started = time.perf_counter()
    process = subprocess.Popen([binary, "ingest", file, "--database", database, "--json"], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_environment())
    way = [(0.0, 0.0)]
    # Standard error has a line of progress now and then: `ingest  24%  15616/65037 KB …`.
    for line in process.stderr:
        if found := re.search(r"(\d+)/(\d+) KB", line):
            way.append((time.perf_counter() - started, int(found[1]) / int(found[2])))
    summary = json.loads(process.stdout.read())
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{binary} ingest ended with {process.returncode}: {summary}")
    return summary, time.perf_counter() - started, CPU(usage.ru_utime, usage.ru_stime), usage.ru_maxrss / 1024, way


def edge_rates(way, count):
    """Notes per second in the first and in the last part of the file; None where too few lines came."""
    def rate(points):
        points = list(points)
        (began, low), (ended, high) = points[0], points[-1]
        return count * (high - low) / (ended - began) if ended > began and high > low else None
    return rate(point for point in way if point[1] <= 2 * EDGE), rate(point for point in way if point[1] >= 1 - 2 * EDGE)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notes", nargs="*", type=int, default=[100_000])
    parser.add_argument("--binary", action="append", type=pathlib.Path, help="default: the release build")
    parser.add_argument("--rounds", type=int, default=1, help="runs of each binary (default 1)")
    options = parser.parse_args()
    binaries = options.binary or [BIN / "selene"]
    reported = False
    for count in options.notes:
        with tempfile.TemporaryDirectory(prefix="selene-ingest-") as folder:
            file = pathlib.Path(folder) / "notes.jsonl"
            corpus(file, count)
            print(f"{count} notes, {file.stat().st_size >> 20} MiB of JSONL")
            for turn in range(options.rounds * len(binaries)):
                binary = binaries[turn % len(binaries)]
                database = pathlib.Path(folder) / f"{turn}.sqlite"
                summary, seconds, cpu, memory, way = ingest(binary, file, database)
                assert summary["inserted"] == count, summary
                size = sum(part.stat().st_size for part in pathlib.Path(folder).glob(f"{turn}.sqlite*"))
                start, end = (f"{rate:.0f}" if rate else "?" for rate in edge_rates(way, count))
                each = cpu.micros(count)
                again, elapsed, spent, _, _ = ingest(binary, file, database)
                assert again["unchanged"] == count, again
                print(f"{binary}: {count / seconds:7.0f} notes/s (start {start}, end {end}), CPU {each.total:5.1f} us a note "
                      f"({each.user:.1f} user, {each.kernel:.1f} kernel), {memory:4.0f} MB, {size / count:5.0f} bytes a note; "
                      f"again {count / elapsed:7.0f} notes/s, CPU {spent.micros(count).total:5.1f} us; "
                      f"load {os.getloadavg()[0]:.1f}", flush=True)
                if not reported:
                    report("ingest.rate", count / seconds)
                    reported = True
                for part in pathlib.Path(folder).glob(f"{turn}.sqlite*"):
                    part.unlink()


if __name__ == "__main__":
    main()
