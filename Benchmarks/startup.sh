#!/bin/sh
# Launch to first answer, memory and freshness for 10k and 100k notes with vectors (add 1000000 for a million).
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
cd "$here/.."
swift build -c release --product selene >/dev/null
swift build -c release --product fake-ollama >/dev/null
exec "$(sh Tests/Scripts/python.sh Benchmarks/requirements.txt)" Benchmarks/startup.py .build/release/selene .build/release/fake-ollama "$@"
