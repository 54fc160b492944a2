#!/usr/bin/env bash
# The checks of the gate, one after another; the first that fails ends it. Usage: check.sh [all]
# Pages, clients, the contract and the package are left out while what they look at is as it was when they last passed, see stamp.sh;
# with `all` they run anyway, and the tests of whole gateways once more on PostgreSQL. Not here, since they take long: make release,
# make fuzz, make corpora, make sanitize, make attack, and a long soak. The suite has a sample of fuzz and corpora.
set -euo pipefail
cd "$(dirname "$0")/../.."
everything=${1:-}
mkdir -p .build-logs
trap 'jobs -p | xargs -r kill 2>/dev/null || true' EXIT

step() { printf '\n== %s (minute %d)\n' "$1" $((SECONDS / 60)); }

# beside NAME COMMAND…: starts a command in the background; its output is kept.
beside() {
    local name=$1
    shift
    "$@" > ".build-logs/$name" 2>&1 &
    printf '%d' $! > ".build-logs/$name.pid"
}

# finish NAME: waits for the command and prints the end of its output.
finish() {
    step "$1, which ran beside"
    local status=0
    wait "$(cat ".build-logs/$1.pid")" || status=$?
    tail -n 200 ".build-logs/$1"
    [ "$status" -eq 0 ] || { echo "$1 failed with status $status"; exit "$status"; }
}

# changed NAME: whether a check must run. Takes the hash of what it looks at, for `passed`.
changed() {
    sh Tests/Scripts/stamp.sh "$1" hash > ".build-logs/$1.hash" || rm -f ".build-logs/$1.hash"
    [ "$everything" = all ] || ! sh Tests/Scripts/stamp.sh "$1" || {
        echo "left out: $1. What it looks at has not changed since it passed; make check-all runs it"
        return 1
    }
}

# passed NAME: records that the files as they were before the check are right. Without git there is no record.
passed() {
    if [ -s ".build-logs/$1.hash" ]; then sh Tests/Scripts/stamp.sh "$1" write "$(cat ".build-logs/$1.hash")"; fi
}

clients_and_assistants() {
    make test-clients
    make test-mcp
    make push-kills COUNT=600
}

# The scripts of the package, with the binary that is there and the toolchain's libraries: a release build takes too long.
package() {
    local tool need=''
    [ "$(id -u)" = 0 ] || need='root, who can make a clean Debian'
    for tool in mmdebstrap patchelf groff dpkg-shlibdeps curl; do
        command -v $tool > /dev/null || need="$tool, which .ci/run installs"
    done
    if [ -n "$need" ]; then
        echo "left out: the package. It needs $need"
        [ "$everything" != all ] || exit 1
        return
    fi
    rm -rf .build/trial
    TRIAL=1 sh Sources/Packaging/dist.sh .build/debug/selene .build/trial
    local status=0
    sh Sources/Packaging/test-package.sh .build/trial/*.deb || status=$?
    case $status in
    0) passed package ;;
    77) ;; # This machine cannot make a clean Debian.
    *) exit "$status" ;;
    esac
}

step "format and module borders"
make lint

step "a PostgreSQL server for the tests, which skip what needs it where there is none"
sh Tests/Scripts/python.sh Tests/Postgres/requirements.txt

step "tests"
TEST_ROUNDS=all make test

step "tests that take more than a second"
make test-rest

step "web client, official clients, assistants"
make build
clients=''
if changed clients; then
    clients=yes
    beside clients clients_and_assistants
fi
if changed web; then
    CI=1 HALVES=1 make test-web
    passed web
fi
if [ -n "$clients" ]; then
    finish clients
    passed clients
fi

step "contract: openapi.yaml against a running gateway"
beside transcripts python3 Tests/Scripts/check_transcripts.py
if changed contract; then
    make test-contract
    passed contract
fi
finish transcripts

if [ "$everything" = all ]; then
    step "whole gateways with their notes on a PostgreSQL server"
    make test-postgres
fi

step "soak"
make soak SECONDS=30

step "package"
if changed package; then package; fi

step "demo"
OLLAMA_HOST=127.0.0.1:9 make demo ONCE=1

step "passed"
