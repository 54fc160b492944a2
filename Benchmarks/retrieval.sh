#!/bin/sh
# The ten nearest of 10k and 100k x 768 vectors, against numpy, faiss-cpu, usearch and sqlite-vec in the same run:
#   sh Benchmarks/retrieval.sh [--million] [--json FILE] [ROWS…]     --help explains the rest
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
for argument in "$@"; do
    case "$argument" in -h | --help) exec python3 "$here/retrieval_peers.py" --help ;; esac
done
(cd "$here" && swift build -c release --product RetrievalBench >/dev/null)
python="$(sh "$here/../Tests/Scripts/python.sh" Benchmarks/requirements.txt)"
exec "$python" "$here/retrieval_peers.py" "$here/.build/release/RetrievalBench" "$@"
