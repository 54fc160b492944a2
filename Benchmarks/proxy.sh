#!/bin/sh
# What the gateway adds to a request: direct, nginx as a reverse proxy, a bare Hummingbird echo and the gateway, in turn.
# Needs nginx and wrk (apt-get install nginx-light wrk). Everything listens on 127.0.0.1.
set -eu
cd "$(dirname "$0")/.."
for tool in nginx wrk; do
    command -v $tool >/dev/null || { echo "$tool is missing: apt-get install nginx-light wrk" >&2; exit 1; }
done
swift build -c release --product selene >/dev/null
swift build -c release --product fake-ollama >/dev/null
(cd Benchmarks && swift build -c release --product BareEcho >/dev/null)
exec python3 Benchmarks/proxy_peers.py .build/release Benchmarks/.build/release "$@"
