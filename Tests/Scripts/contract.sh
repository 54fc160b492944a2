#!/bin/sh
# Checks openapi.yaml against two running gateways, one over a file and one over PostgreSQL; STORE=file and STORE=postgres check
# one of them. Sends valid and invalid requests for all routes; none may get a server error, or a status, content type or shape
# that is not documented.
set -eu
cd "$(dirname "$0")/../.."

if [ -z "${STORE:-}" ]; then
    reports=$(mktemp -d)
    trap 'rm -rf "$reports"' EXIT
    STORE=postgres sh Tests/Scripts/contract.sh > "$reports/postgres" 2>&1 &
    status=0
    STORE=file sh Tests/Scripts/contract.sh || status=$?
    wait $! || status=$?
    echo "--- over PostgreSQL"
    cat "$reports/postgres"
    exit "$status"
fi

BIN=.build/${CONFIGURATION:-debug}
SEED=${SEED:-1}
EXAMPLES=${EXAMPLES:-12}

[ -x "$BIN/selene" ] && [ -x "$BIN/fake-ollama" ] || { echo "Build first: make build" >&2; exit 1; }
PYTHON=$(sh Tests/Scripts/python.sh)

scratch=$(mktemp -d)
fake='' gateway='' server=''
finish() {
    [ -z "$gateway" ] || kill "$gateway" 2>/dev/null || true
    [ -z "$fake" ] || kill "$fake" 2>/dev/null || true
    [ -z "$server" ] || exec 9>&-
    wait 2>/dev/null || true
    rm -rf "$scratch"
}
trap finish EXIT

# Waits for the address in a process's log and prints it.
address() {
    for _ in $(seq 200); do
        found=$(grep -oE 'http://127\.0\.0\.1:[0-9]+' "$1" | head -1 || true)
        [ -z "$found" ] || { echo "$found"; return; }
        sleep 0.1
    done
    echo "nothing listens:" >&2
    cat "$1" >&2
    exit 1
}

unset $(env | grep -oE '^SELENE_[A-Z_]+' || true) 2>/dev/null || true
export HOME="$scratch" SELENE_DATABASE="$scratch/notes.sqlite" SELENE_EXPORT="$scratch/export" SELENE_LOG_LEVEL=notice SELENE_WORKFLOWS=off
if [ "$STORE" = postgres ]; then
    mkfifo "$scratch/hold"
    sh Tests/Postgres/server.sh < "$scratch/hold" > "$scratch/postgres.log" 2>&1 &
    server=$!
    exec 9> "$scratch/hold"
    until grep -q '^postgres://' "$scratch/postgres.log"; do
        kill -0 "$server" 2>/dev/null || {
            echo "left out: no PostgreSQL server can be started here"
            server=''
            exit 0
        }
        sleep 0.2
    done
    SELENE_STORE=$(grep -m 1 '^postgres://' "$scratch/postgres.log")
    export SELENE_STORE
fi
"$BIN/fake-ollama" --port 0 --tokens-per-second 0 --tokens 3 > "$scratch/fake.log" 2>&1 &
fake=$!
OLLAMA_HOST=$(address "$scratch/fake.log")
export OLLAMA_HOST
cat Sources/App/CLI/SampleNotes/*.jsonl > "$scratch/notes.jsonl"
"$BIN/selene" ingest "$scratch/notes.jsonl" > /dev/null
"$BIN/selene" backfill > /dev/null
"$BIN/selene" serve --port 0 > "$scratch/serve.log" 2>&1 &
gateway=$!
base=$(address "$scratch/serve.log")

# The rows that the description's examples use.
"$PYTHON" - "$base" <<'END'
import sys
import urllib.request

for method, path, body in [
    ("PUT", "/api/sessions/session-1", '{"title":"A chat"}'),
    ("POST", "/api/sessions/session-1/messages", '{"role":"user","content":"hello"}'),
    ("POST", "/api/memories", '{"content":"likes tea","type":"preference","embedding":[1,2,3]}'),
]:
    request = urllib.request.Request(
        sys.argv[1] + path, body.encode(), {"Content-Type": "application/json"}, method=method)
    urllib.request.urlopen(request).read()
END

status=0
# "/{topic}" is every path of one word that is no other route: its other methods are 404, not 405. GatewayTests checks it. A POST
# to "/" comes from a client with a wrong base address: its 404 names the right ones. GatewayTests checks it and the page.
# "/api/admin/events" and the readers of topics never end. GatewayTests checks them.
# schemathesis writes files to its working directory.
(cd "$scratch" && "$(dirname "$PYTHON")/st" run "$base/openapi.yaml" --phases examples,coverage,fuzzing --max-examples "$EXAMPLES" --seed "$SEED" \
    --exclude-path '/{topic}' --exclude-path / --exclude-path-regex '\{topic\}/(json|sse|raw|ws|auth)$' --exclude-path /api/admin/events --continue-on-failure --no-color --suppress-health-check all \
    --checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,unsupported_method \
    > "$scratch/report" 2>&1) || status=$?
if [ "$status" != 0 ]; then
    cat "$scratch/report"
    echo "--- the gateway said" >&2
    tail -20 "$scratch/serve.log" >&2
    exit "$status"
fi
kill -0 "$gateway" || { echo "the gateway ended" >&2; exit 1; }
sed -n '/= SUMMARY =/,$p' "$scratch/report"
