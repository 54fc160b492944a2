#!/usr/bin/env bash
# Runs the whole suite one test after another and prints what failed once more at the end, where a reader looks first.
# Usage: test.sh [arguments of swift test]
# HALVES=1 builds first, with a check that each target names what it imports. Then it runs two halves at once, each one test
# after another: most tests wait for sockets in real time and leave a core idle. At most three tests that failed run once
# more, alone; if all of them pass, the run passes and lists them under "flaky:". Linux only.
set -uo pipefail
swift=${SWIFT:-swift}
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

# The modules of the first half; the second one has all others.
whole='^(GatewayTests|CLITests|EndToEndTests|GatewayClientTests)\.'

# half OPTION NAME: runs the tests that the option selects of `whole`; keeps what they say and their events.
half() {
    NO_COLOR=1 "$binary" --testing-library swift-testing --no-parallel "$1" "$whole" \
        --event-stream-version 0 --event-stream-output-path "$logs/$2.events" > "$logs/$2" 2>&1
}

if [ -n "${HALVES:-}" ]; then
    "$swift" build --build-tests --explicit-target-dependency-import-check error > "$logs/build" 2>&1
    status=$?
    tail -n 40 "$logs/build"
    if [ "$status" -eq 0 ]; then
        binary=$("$swift" build --show-bin-path)/selene-gatewayPackageTests.xctest
        half --filter first &
        first=$!
        again=()
        half --skip second || { status=1; again+=("$logs/second.events"); }
        wait "$first" || { status=1; again+=("$logs/first.events"); }
        cat "$logs/first" "$logs/second"
        if [ "$status" -ne 0 ]; then
            python3 Tests/Scripts/again.py "$binary" "${again[@]}" > "$logs/again" 2>&1 && status=0
            cat "$logs/again"
        fi
    fi
else
    "$swift" test --no-parallel "$@" 2>&1 | tee "$logs/whole"
    status=${PIPESTATUS[0]}
fi

if [ "$status" -ne 0 ]; then
    printf '\n== failed\n'
    # Issues with the lines of their comments, ends of tests that failed, errors of compilers, traps.
    cat "$logs"/{build,first,second,whole} 2> /dev/null | grep -E -A3 'recorded an issue|^✘|error:|Fatal error|Crash:' | head -200
fi
exit "$status"
