#!/usr/bin/env python3
"""How long the near pairs of 100,000 notes with 768 dimensions take; other numbers: ROWS DIMENSIONS [SECONDS]."""
import subprocess
import sys

from lib.environment import BIN

if __name__ == "__main__":
    sys.exit(subprocess.run([BIN / "AssociationsBench", *(sys.argv[1:] or ["100000", "768"])]).returncode)
