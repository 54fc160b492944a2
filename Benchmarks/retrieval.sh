#!/bin/sh
# Exact top 10 of one query, 10k and 100k x 768, against numpy and faiss-cpu in the same run.
set -eu
cd "$(dirname "$0")"
swift build -c release --product RetrievalBench >/dev/null
[ -x .venv/bin/python ] || python3 -m venv .venv
.venv/bin/python -c 'import numpy, faiss' 2>/dev/null || .venv/bin/pip install -q numpy faiss-cpu
.venv/bin/python retrieval_peers.py .build/release/RetrievalBench "$@"
