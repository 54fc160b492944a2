#!/bin/sh
# The gateway beside nginx, Caddy and LiteLLM, and 500 slow streams through it.
# Needs nginx and wrk (apt-get install nginx-light wrk); Caddy and LiteLLM come from PyPI.
set -eu
cd "$(dirname "$0")/.."
for tool in nginx wrk; do
    command -v $tool >/dev/null || { echo "$tool is missing: apt-get install nginx-light wrk" >&2; exit 1; }
done
swift build -c release --product selene >/dev/null
exec "$(sh Tests/Scripts/python.sh Benchmarks/requirements-gateways.txt)" Benchmarks/gateway_peers.py .build/release "$@"
