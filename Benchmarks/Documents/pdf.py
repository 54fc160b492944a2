#!/usr/bin/env python3
"""Reads PDF files with Selene, pdftotext, pypdf and pdfminer.six, as far as they are installed: CPU time and memory of each.

Usage: pdf.py FILE..."""
import os
import subprocess
import sys

from lib.environment import BIN

PYPDF = "import sys, pypdf; [page.extract_text() for page in pypdf.PdfReader(sys.argv[1]).pages]"
PDFMINER = "import sys; from pdfminer.high_level import extract_text; extract_text(sys.argv[1])"


def measured(command):
    """Runs a command; returns CPU seconds and peak MB, or None when it failed."""
    try:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except FileNotFoundError:
        return None
    _, status, usage = os.wait4(process.pid, 0)
    return (usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024) if status == 0 else None


if __name__ == "__main__":
    for file in sys.argv[1:]:
        programs = {
            "selene": [BIN / "DocumentsBench", file],
            "pdftotext": ["pdftotext", file, "/dev/null"],
            "pypdf": [sys.executable, "-c", PYPDF, file],
            "pdfminer.six": [sys.executable, "-c", PDFMINER, file],
        }
        for name, command in programs.items():
            result = measured(command)
            print(file, name, "failed or not installed" if result is None else "%.2f s CPU, %.0f MB" % result, sep="\t")
