#!/usr/bin/env python3
"""Measures the search for similar pairs of 100,000 notes with 768 dimensions, or of ROWS DIMENSIONS [SECONDS]."""
import subprocess
import sys

from lib.environment import BIN

if __name__ == "__main__":
    sys.exit(subprocess.run([BIN / "AssociationsBench", *(sys.argv[1:] or ["100000", "768"])]).returncode)
