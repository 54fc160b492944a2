#!/bin/sh
# Patterns and questions over 10k and 100k notes, against SQLite's LIKE and FTS5 in the same run.
set -eu
cd "$(dirname "$0")"
swift build -c release --product KeywordBench >/dev/null
exec python3 keyword_peers.py .build/release/KeywordBench "$@"
