#!/bin/sh
# Launch to first answer, memory and freshness for 10k and 100k notes with vectors (add 1000000 for a million).
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
cd "$here/.."
swift build -c release --product selene >/dev/null
swift build -c release --product fake-ollama >/dev/null
[ -x Benchmarks/.venv/bin/python ] || python3 -m venv Benchmarks/.venv
Benchmarks/.venv/bin/python -c 'import numpy' 2>/dev/null || Benchmarks/.venv/bin/pip install -q numpy
exec Benchmarks/.venv/bin/python Benchmarks/startup.py .build/release/selene .build/release/fake-ollama "$@"
