#!/usr/bin/env python3
"""An index of many generated documents of 384 dimensions on this machine, without a database.

Builds the index file, tunes it, then asks: launch to the first answer, hybrid, vector and keyword questions, two filters,
recall@10 against an exact scan, and the time until a change is found. With `--keep` the file stays, and a second run with
`--file` measures it again within minutes. `--memory` limits the memory of the questions by a control group (needs root): what
is not resident has to come from the disk.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from lib.environment import BIN


class Group:
    """A control group of version 1 or 2 with a limit of memory, page cache included."""

    def __init__(self, megabytes):
        root = pathlib.Path("/sys/fs/cgroup")
        is_unified = (root / "cgroup.controllers").exists()
        if is_unified:
            (root / "cgroup.subtree_control").write_text("+memory")
        self.folder = (root if is_unified else root / "memory") / "selene-scale"
        self.folder.mkdir(exist_ok=True)
        (self.folder / ("memory.max" if is_unified else "memory.limit_in_bytes")).write_text(str(megabytes << 20))

    @staticmethod
    def forget(file):
        """Drops a file from the page cache: pages that another group read do not count as this one's."""
        with open(file, "rb") as opened:
            os.fsync(opened.fileno())
            os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

    def enter(self):
        (self.folder / "cgroup.procs").write_text("0")

    def end(self):
        self.folder.rmdir()


def run(bench, *arguments, group=None):
    print(f"# {' '.join(map(str, arguments))}", flush=True)
    done = subprocess.run([bench, *map(str, arguments)], stdout=subprocess.PIPE, text=True,
                          preexec_fn=group.enter if group else None)
    for line in done.stdout.splitlines():
        figures = json.loads(line)
        name = figures.pop("figure")
        print(f"{name}: " + ", ".join(f"{key} {value:,.2f}" for key, value in figures.items()), flush=True)
    if done.returncode != 0:
        sys.exit(f"ScaleBench {arguments[0]} failed: {done.returncode}")


def main():
    parser = argparse.ArgumentParser(prog="bench.py scale", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", type=int, default=[1_000_000], help="numbers of documents")
    parser.add_argument("--rounds", type=int, default=100, help="questions of each kind")
    parser.add_argument("--sample", type=int, default=64, help="stored vectors that tuning asks for")
    parser.add_argument("--folder", help="folder for the files, about 4 kB per document while tuning")
    parser.add_argument("--keep", action="store_true", help="keep the files")
    parser.add_argument("--file", help="measure this file, without building")
    parser.add_argument("--memory", type=int, help="limit of memory for the questions in MB")
    parser.add_argument("--bench", default=BIN / "ScaleBench", help="the program ScaleBench")
    options = parser.parse_args()
    group = Group(options.memory) if options.memory else None
    folder = pathlib.Path(tempfile.mkdtemp(prefix="selene-scale-", dir=options.folder))
    try:
        for file in [options.file] if options.file else [folder / f"{rows}.index" for rows in options.rows]:
            if not options.file:
                run(options.bench, "build", file, file.stem)
                run(options.bench, "tune", file, options.sample)
            if group:
                group.forget(file)
            run(options.bench, "search", file, options.rounds, group=group)
            run(options.bench, "write", file, 20, group=group)
            if not options.file and not options.keep:
                file.unlink()
                pathlib.Path(f"{file}.lock").unlink(missing_ok=True)
    finally:
        if group:
            group.end()
        # Also after a failure: an unfinished file has gigabytes.
        if not options.keep:
            shutil.rmtree(folder)
        elif not any(folder.iterdir()):
            folder.rmdir()
    return 0


if __name__ == "__main__":
    sys.exit(main())
