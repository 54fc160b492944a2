#!/bin/sh
# Builds the tests, with a check that each target names what it imports, and runs them. Usage: test.sh [arguments of suite.py]
# On Linux the tests are shared out over processes; elsewhere `swift test` runs them one after another.
set -eu
cd "$(dirname "$0")/../.."
swift=${SWIFT:-swift}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
"$swift" build --build-tests --explicit-target-dependency-import-check error > "$log" 2>&1 || status=$?
if [ "$status" -ne 0 ]; then
    grep -E -A3 'error:' "$log" | head -200
    tail -n 20 "$log"
    exit "$status"
fi
tail -n 3 "$log"
rm -f "$log"
if [ "$(uname -s)" = Linux ]; then
    exec python3 Tests/Scripts/suite.py "$("$swift" build --show-bin-path)/selene-gatewayPackageTests.xctest" "$@"
fi
case "${1:-}" in
'') exec "$swift" test --no-parallel ;;
--only) exec "$swift" test --no-parallel --filter "$2" ;;
--gear)
    [ "$2" = rest ] || export TEST_GEAR=fast
    exec "$swift" test --no-parallel
    ;;
*)
    echo "test.sh: $1 works on Linux only" >&2
    exit 64
    ;;
esac
