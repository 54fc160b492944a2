#!/bin/sh
# Runs libFuzzer over the parsers of outside bytes, each for some seconds, two at a time:
#   sh Tests/Scripts/fuzz.sh [SECONDS] [TARGET…]      default: 20 seconds, all targets; 0 seconds: only builds
# Failing inputs are in .build-fuzz/found; to reproduce one, run .build-fuzz/debug/Fuzz with FUZZ_TARGET and that file.
# Inputs that reach new code are kept in .build-fuzz/corpus, where the next run starts. With SEED=1 a run from the same
# corpus tries the same inputs in the same order, until its time is over.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-20}
[ $# -gt 0 ] && shift
root=$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")
SELENE_FUZZER=$(ls "$root"/lib/clang/*/lib/linux/libclang_rt.fuzzer_no_main-"$(uname -m)".a 2>/dev/null | head -1 || true)
[ -n "$SELENE_FUZZER" ] || { echo "This toolchain has no libFuzzer; Swift's own for Linux has one." >&2; exit 1; }
export SELENE_FUZZER
swift build --product Fuzz --scratch-path .build-fuzz
[ "$seconds" -gt 0 ] || exit 0
binary=$PWD/.build-fuzz/debug/Fuzz
[ $# -gt 0 ] || set -- $("$binary")

run() {
    mkdir -p ".build-fuzz/corpus/$1" ".build-fuzz/found"
    seeds=""
    [ ! -d "Tests/Fuzz/Seeds/$1" ] || seeds="Tests/Fuzz/Seeds/$1"
    # shellcheck disable=SC2086
    # Leaks are not checked, since Foundation leaks.
    if env FUZZ_TARGET="$1" SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0 ${SEED:+SWIFT_DETERMINISTIC_HASHING=1} \
        "$binary" ${SEED:+-seed="$SEED"} -max_total_time="$seconds" -max_len=4096 -timeout=20 \
        -rss_limit_mb=3000 -print_final_stats=1 -artifact_prefix=".build-fuzz/found/$1-" ".build-fuzz/corpus/$1" $seeds \
        >".build-fuzz/$1.log" 2>&1; then
        echo "$1: $(sed -n 's/^stat::number_of_executed_units: *//p' ".build-fuzz/$1.log") inputs," \
            "$(grep -oE 'cov: [0-9]+' ".build-fuzz/$1.log" | tail -1)"
    else
        echo "$1: FAILED" >&2
        grep -vE '^#[0-9]+' ".build-fuzz/$1.log" | tail -60 >&2
        return 1
    fi
}

status=0
while [ $# -gt 0 ]; do
    run "$1" & first=$!
    second=""
    shift
    [ $# -eq 0 ] || { run "$1" & second=$!; shift; }
    wait "$first" || status=1
    [ -z "$second" ] || wait "$second" || status=1
done
exit $status
