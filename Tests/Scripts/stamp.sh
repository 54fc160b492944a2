#!/bin/sh
# Whether what a check looks at has changed since it last passed. The gate leaves a check out whose stamp is right.
#   stamp.sh NAME           exits with 0 if nothing has changed
#   stamp.sh NAME write     records that the check passed with the files as they are
# A stamp is a file of Tests/Stamps: the hash of the names and contents of the files. Commit it with the change that it is for.
set -eu
cd "$(dirname "$0")/../.."

server="Sources/API Sources/Services/Server Sources/Services/Access Sources/Features/*/Routes Sources/Features/*/*/Routes"
case "${1:-}" in
web) paths="$server Sources/Features/Web Sources/C/CSite Tests/Web Tests/Support/FakeOllama" ;;
clients)
    paths="$server Sources/Features/LLM Sources/Features/MCP Sources/Features/Notifications Sources/Services/Inference
        Sources/Services/PushChannels Sources/Services/Tools Sources/Engines/Transport Sources/Engines/Push Tests/MCP Tests/Push
        Tests/Support/FakeOllama Tests/Support/FakeProviders Tests/Support/FakeAPNs Tests/Scripts/*client*
        Tests/Scripts/requirements.txt"
    ;;
contract) paths="$server Sources/Features/*/openapi.yaml Sources/Features/*/*/openapi.yaml Tests/Scripts/contract.sh Tests/Scripts/requirements.txt" ;;
package) paths="Sources/Packaging Sources/App/CLI/Service Sources/App/CLI/Backup Sources/Services/Storage/Schema Tests/Scripts/dependencies.sh" ;;
*)
    echo "usage: stamp.sh web|clients|contract|package [write]" >&2
    exit 64
    ;;
esac

# shellcheck disable=SC2086
hash=$(git ls-files -z --cached --others --exclude-standard -- $paths | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -c1-64)
file=Tests/Stamps/$1
if [ "${2:-}" = write ]; then
    mkdir -p Tests/Stamps
    echo "$hash" > "$file"
elif [ "$(cat "$file" 2>/dev/null)" != "$hash" ]; then
    exit 1
fi
