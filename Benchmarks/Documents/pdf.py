#!/usr/bin/env python3
"""Reads PDF files with Selene, pdftotext, pypdf and pdfminer.six, as far as they are installed: CPU time and memory of each.

Usage: bench.py documents [FILE...]; without files, the five largest ones of ../shared/corpora/pdf."""
import argparse
import os
import pathlib
import subprocess
import sys

from lib.environment import BIN, ROOT

PYPDF = "import sys, pypdf; [page.extract_text() for page in pypdf.PdfReader(sys.argv[1]).pages]"
PDFMINER = "import sys; from pdfminer.high_level import extract_text; extract_text(sys.argv[1])"


def measured(command):
    """Runs a command; returns CPU seconds and peak MB, or None when it failed."""
    try:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except FileNotFoundError:
        return None
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return (usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024) if status == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--binary", type=pathlib.Path, default=BIN / "DocumentsBench", help="another build of DocumentsBench")
    options = parser.parse_args()
    corpus = sorted((ROOT.parent / "shared/corpora/pdf").glob("*.pdf"), key=lambda file: -file.stat().st_size)
    files = options.files or corpus[:5]
    if not files:
        sys.exit("no files: name some, there is no ../shared/corpora")
    print(f"{'':40}{'program':14}{'CPU s':>8}{'MB':>7}")
    for file in files:
        programs = {
            "selene": [options.binary, file],
            "pdftotext": ["pdftotext", file, "/dev/null"],
            "pypdf": [sys.executable, "-c", PYPDF, file],
            "pdfminer.six": [sys.executable, "-c", PDFMINER, file],
        }
        for name, command in programs.items():
            result = measured(command)
            print(f"{file.name[:38]:40}{name:14}" + ("failed or not installed" if result is None else
                                                      f"{result[0]:8.2f}{result[1]:7.0f}"), flush=True)


if __name__ == "__main__":
    main()
