#!/bin/sh
# Runs all tests under the thread sanitizer, and tests of modules that use C under the address sanitizer. Each sanitizer
# has its own build folder.
#   sh Tests/Scripts/sanitize.sh [thread|address] [FILTER]      default: both sanitizers, without a filter
set -eu
cd "$(dirname "$0")/../.."
kinds=${1:-}
[ -n "$kinds" ] || kinds="thread address"
filter=${2:-}

for kind in $kinds; do
    tests=$filter
    [ -n "$tests" ] || [ "$kind" = thread ] || tests='RetrievalTests|TransportTests|InferenceTests'
    echo "== $kind sanitizer${tests:+, $tests}"
    swift build --build-tests --sanitize="$kind" --scratch-path ".build-$kind"
    # A report ends the process with status 66. Leaks are not checked, since Foundation and the test runner leak.
    TSAN_OPTIONS="halt_on_error=1 exitcode=66" ASAN_OPTIONS="detect_leaks=0" SWIFT_BACKTRACE=enable=no \
        swift test --skip-build --no-parallel --sanitize="$kind" --scratch-path ".build-$kind" ${tests:+--filter "$tests"}
done
