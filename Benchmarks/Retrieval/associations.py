#!/usr/bin/env python3
"""Measures the search for similar pairs of 100,000 notes with 768 dimensions, or of ROWS DIMENSIONS [SECONDS]."""
import re
import subprocess
import sys

from lib.environment import BIN
from lib.figures import report

if __name__ == "__main__":
    arguments = sys.argv[1:]
    found = subprocess.run([BIN / "AssociationsBench", *(arguments or ["100000", "768"])], capture_output=True, text=True)
    print(found.stdout or found.stderr, end="")
    if found.returncode == 0 and not arguments:
        report("associations.cpu_s", float(re.search(r"CPU ([0-9.]+) s", found.stdout).group(1)))
    sys.exit(found.returncode)
