#!/bin/sh
# The ten nearest of 10k and 100k x 768 vectors, against numpy, faiss-cpu, usearch and sqlite-vec in the same run:
#   sh Benchmarks/retrieval.sh [--million] [--json FILE] [ROWS…]     --help explains the rest
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
for argument in "$@"; do
    case "$argument" in -h | --help) exec python3 "$here/retrieval_peers.py" --help ;; esac
done
(cd "$here" && swift build -c release --product RetrievalBench >/dev/null)
python="$here/.venv/bin/python"
[ -x "$python" ] || python3 -m venv "$here/.venv"
"$python" -c 'import numpy, faiss' 2>/dev/null || "$python" -m pip install -q numpy faiss-cpu
for package in threadpoolctl usearch sqlite-vec; do
    module="$(echo "$package" | tr - _)"
    "$python" -c "import $module" 2>/dev/null || "$python" -m pip install -q "$package" ||
        echo "$package cannot be installed: the benchmark goes on without it" >&2
done
exec "$python" "$here/retrieval_peers.py" "$here/.build/release/RetrievalBench" "$@"
