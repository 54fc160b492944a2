#!/bin/sh
# Runs all tests under the thread sanitizer, and tests of modules that use C under the address sanitizer. Each sanitizer
# has its own build folder.
#   sh Tests/Sanitizers/sanitize.sh [thread|address] [FILTER]      default: both sanitizers, without a filter
set -eu
cd "$(dirname "$0")/../.."
kinds=${1:-}
[ -n "$kinds" ] || kinds="thread address"
filter=${2:-}

clang=$(dirname "$(readlink -f "$(command -v swiftc)")")/clang

for kind in $kinds; do
    tests=$filter
    [ -n "$tests" ] || [ "$kind" = thread ] || tests='^(CertificatesTests|CryptographyTests|InferenceTests|RetrievalTests|TransportTests)[.]'
    echo "== $kind sanitizer${tests:+, $tests}"
    swift build --build-tests --sanitize="$kind" --scratch-path ".build-$kind"
    binary=$(find ".build-$kind" -name '*PackageTests.xctest' -type f | head -1)
    preload=""
    if [ "$kind" = thread ] && [ "$(uname)" = Linux ]; then
        preload=$PWD/.build-thread/tsan_mutex.so
        "$clang" -O1 -fPIC -shared -o "$preload" Tests/Sanitizers/tsan_mutex.c -ldl
    fi
    # A report ends the process with status 66. Leaks are not checked, since Foundation and the test runner leak. SIGBUS is left to the guard of mapped files.
    LD_PRELOAD=$preload TSAN_OPTIONS="halt_on_error=1 exitcode=66 handle_sigbus=0" ASAN_OPTIONS="detect_leaks=0 handle_sigbus=0" \
        SWIFT_BACKTRACE=enable=no "$binary" --testing-library swift-testing --no-parallel ${tests:+--filter "$tests"}
done
