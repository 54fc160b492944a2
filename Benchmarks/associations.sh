#!/bin/sh
# How long the near pairs of 100,000 notes with 768 dimensions take; other numbers as arguments.
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
cd "$here"
swift build -c release --product AssociationsBench >/dev/null
[ $# -gt 0 ] || set -- 100000 768
exec .build/release/AssociationsBench "$@"
