#!/bin/sh
# nDCG@10 of vector, keyword and hybrid retrieval on a BEIR collection, through the running gateway's own route:
#   sh Benchmarks/quality.sh COLLECTION [EMBED_MODEL]     with Ollama at OLLAMA_HOST
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
collection="${1:?the folder of a BEIR collection}"
cd "$here/.."
swift build -c release --product selene >/dev/null
exec "$(sh Tests/Scripts/python.sh Benchmarks/requirements.txt)" Benchmarks/quality.py .build/release/selene "$collection" "${2:-all-minilm}"
