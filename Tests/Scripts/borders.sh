#!/bin/sh
# The borders between modules that the compiler does not check.
set -eu
fail=0

complain() {
    echo "$1" >&2
    fail=1
}

imports() { grep -rnE "^(public |internal |package |private )?import $1\$" Sources Prompts --include='*.swift' || true; }

found=$(imports CCurl | grep -v '^Sources/Upstream/' || true)
[ -z "$found" ] || complain "CCurl is imported outside Upstream:
$found"
found=$(imports CBLAS | grep -v '^Sources/Retrieval/Vectors/BLAS.swift:' || true)
[ -z "$found" ] || complain "CBLAS is imported outside Retrieval/BLAS.swift:
$found"
found=$(imports GRDB | grep -v '^Sources/Storage/' || true)
[ -z "$found" ] || complain "GRDB is imported outside Storage:
$found"
found=$(imports 'Storage|Upstream|Gateway|Hummingbird' | grep '^Sources/Retrieval/' || true)
[ -z "$found" ] || complain "Retrieval imports another module of ours:
$found"
found=$(imports Retrieval | grep '^Sources/Storage/' || true)
[ -z "$found" ] || complain "Storage imports Retrieval:
$found"
found=$(imports Foundation | grep '^Sources/GatewayAPI/' || true)
[ -z "$found" ] || complain "GatewayAPI imports Foundation:
$found"
found=$(grep -rnE '^(public |internal |package |private )?import ' Sources/GatewayClient --include='*.swift' \
    | grep -vE 'import (GatewayAPI|Foundation|FoundationNetworking|Dispatch|Synchronization|Security)$' || true)
[ -z "$found" ] || complain "GatewayClient imports more than GatewayAPI and Foundation:
$found"

# A column of another program may hold any type: GRDB's subscripts trap, and its fetches of a type fail, on another one.
found=$(grep -rnE '\brow\??\[|\$0\[("|[0-9])|\b(Int|Int32|Int64|UInt64|SpaceID|String|Data|Double|Bool|Date)\??\.fetch(One|All|Set|Cursor)\(|\.fromDatabaseValue\(|uniqueKeysWithValues' \
    Sources/Storage --include='*.swift' | grep -v '^Sources/Storage/Values/' || true)
[ -z "$found" ] || complain "Storage reads a column by other means than Row+Values.swift and Scalar.swift:
$found"

# Opting out of concurrency checks needs its reason in the lines above.
list=$(mktemp)
trap 'rm -f "$list"' EXIT
grep -rnE '@unchecked Sendable|nonisolated\(unsafe\)' Sources Prompts Tests --include='*.swift' \
    | grep -vE '^[^:]+:[0-9]+: *///' > "$list" || true
while IFS=: read -r file line _; do
    start=$((line > 5 ? line - 5 : 1))
    sed -n "${start},${line}p" "$file" | grep -q 'SAFETY:' || complain "$file:$line opts out without a SAFETY: comment"
done < "$list"

exit $fail
