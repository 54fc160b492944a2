#!/usr/bin/env bash
# Runs the whole suite one test after another and prints what failed once more at the end, where a reader looks first.
# Usage: test.sh [arguments of swift test]
set -uo pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"${SWIFT:-swift}" test --no-parallel "$@" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
if [ "$status" -ne 0 ]; then
    printf '\n== failed\n'
    # Issues with the lines of their comments, ends of tests that failed, errors of compilers, traps.
    grep -E -A3 'recorded an issue|^✘|error:|Fatal error|Crash:' "$log" | head -200
fi
exit "$status"
