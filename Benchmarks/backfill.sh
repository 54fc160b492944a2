#!/bin/sh
# A backfill against the upstream's own ceiling, and what a backfill inside a server costs those who ask questions.
#   sh Benchmarks/backfill.sh [notes…]      10000 and 100000 by default; COST=seconds a text (0.002)
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
cd "$here/.."
configuration="${CONFIGURATION:-release}"
swift build -c "$configuration" --product selene >/dev/null
swift build -c "$configuration" --product fake-ollama >/dev/null
exec python3 Benchmarks/backfill.py ".build/$configuration/selene" ".build/$configuration/fake-ollama" "${@:-10000 100000}"
