#!/bin/sh
# Whether what a check looks at has changed since it last passed. The gate leaves a check out whose stamp is right.
#   stamp.sh NAME           exits with 0 if nothing has changed
#   stamp.sh NAME hash      prints the hash of the files as they are, for `write`
#   stamp.sh NAME write H   records that the check passed with the files of the hash H
# A stamp is a file of Tests/Stamps: the hash of the names and contents of the files. Commit it with the change that it is for.
# Exits with 2 where git cannot list the files.
set -eu
cd "$(dirname "$0")/../.."

# Every part of the program can change what people and clients see of it.
scripts=Tests/Scripts
program="Sources :!Sources/Packaging Prompts Package.swift Tests/Support $scripts/stand.py $scripts/requirements.txt"
case "${1:-}" in
web) paths="$program Tests/Web" ;;
clients) paths="$program Tests/MCP Tests/Push $scripts/*client*" ;;
contract) paths="$program $scripts/contract.sh" ;;
package)
    paths="Sources/Packaging Sources/C Sources/App/CLI Sources/Services/Storage/Schema Package.swift CHANGELOG.md
        $scripts/dependencies.sh $scripts/install.sh"
    ;;
*)
    echo "usage: stamp.sh web|clients|contract|package [hash | write HASH]" >&2
    exit 64
    ;;
esac

file=Tests/Stamps/$1
if [ "${2:-}" = write ]; then
    mkdir -p Tests/Stamps
    echo "$3" > "$file"
    exit
fi
list=$(mktemp)
trap 'rm -f "$list"' EXIT
# shellcheck disable=SC2086
git ls-files -z --cached --others --exclude-standard -- $paths > "$list" || exit 2
[ -s "$list" ] || exit 2
hash=$(LC_ALL=C sort -z "$list" | xargs -0 sha256sum | sha256sum | cut -c1-64)
if [ "${2:-}" = hash ]; then
    echo "$hash"
else
    [ "$(cat "$file" 2>/dev/null)" = "$hash" ]
fi
