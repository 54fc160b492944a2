#!/bin/sh
# Runs tests under the sanitizers: all of them under the thread sanitizer, and those of the modules with C below them
# under the address sanitizer, each with a build folder of its own.
#   sh Tests/Scripts/sanitize.sh [thread|address] [FILTER]      both, and their whole part of the suite, by default
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
    # A report ends the process with a status of its own. Leaks are those of Foundation and of the test runner.
    TSAN_OPTIONS="halt_on_error=1 exitcode=66" ASAN_OPTIONS="detect_leaks=0" SWIFT_BACKTRACE=enable=no \
        swift test --skip-build --no-parallel --sanitize="$kind" --scratch-path ".build-$kind" ${tests:+--filter "$tests"}
done
