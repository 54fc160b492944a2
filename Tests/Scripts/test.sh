#!/usr/bin/env bash
# Runs the whole suite one test after another and prints what failed once more at the end, where a reader looks first.
# Usage: test.sh [arguments of swift test]
# HALVES=1 builds first, with a check that each target names what it imports. Then it runs two halves at once, each one test
# after another: most tests wait for sockets in real time and leave a core idle. Linux only.
set -uo pipefail
swift=${SWIFT:-swift}
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

# The modules of the first half; the second one has all others.
whole='^(GatewayTests|CLITests|EndToEndTests|GatewayClientTests)\.'

half() {
    NO_COLOR=1 "$("$swift" build --show-bin-path)/selene-gatewayPackageTests.xctest" \
        --testing-library swift-testing --no-parallel "$1" "$whole" > "$logs/$2" 2>&1
}

if [ -n "${HALVES:-}" ]; then
    "$swift" build --build-tests --explicit-target-dependency-import-check error > "$logs/build" 2>&1
    status=$?
    tail -n 40 "$logs/build"
    if [ "$status" -eq 0 ]; then
        half --filter first &
        first=$!
        half --skip second
        status=$?
        wait "$first" || status=$?
        cat "$logs/first" "$logs/second"
    fi
else
    "$swift" test --no-parallel "$@" 2>&1 | tee "$logs/whole"
    status=${PIPESTATUS[0]}
fi

if [ "$status" -ne 0 ]; then
    printf '\n== failed\n'
    # Issues with the lines of their comments, ends of tests that failed, errors of compilers, traps.
    cat "$logs"/* | grep -E -A3 'recorded an issue|^✘|error:|Fatal error|Crash:' | head -200
fi
exit "$status"
