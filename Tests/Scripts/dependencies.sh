#!/bin/sh
# Installs missing system libraries of the build, through install.sh, which asks first unless run as root. Usage:
# dependencies.sh [PACKAGE…], with further packages.
set -eu
cd "$(dirname "$0")/../.."

need="libcurl4-openssl-dev libssl-dev libsqlite3-dev libblas-dev libopenblas0-pthread zlib1g-dev libqpdf-dev libzip-dev libxml2-dev libcmark-gfm-dev libcmark-gfm-extensions-dev libicu-dev libpq-dev poppler-utils tesseract-ocr nghttp2-server $*"

if [ "$(uname -s)" = "Darwin" ]; then
    # macOS has SQLite, curl, CryptoKit and Accelerate. What it lacks comes from Homebrew:
    #   brew install qpdf libzip cmark-gfm icu4c libpq
    # Homebrew links neither icu4c nor libpq; PKG_CONFIG_PATH must name their folders lib/pkgconfig.
    command -v swift >/dev/null || { echo "Install Xcode 26 or a Swift 6.3 toolchain first." >&2; exit 1; }
    exit 0
fi

command -v swift >/dev/null || { echo "Install a Swift 6.3 toolchain first: swift is not on the PATH." >&2; exit 1; }
if ! command -v dpkg-query >/dev/null; then
    echo "This is not a Debian system: install curl, OpenSSL, SQLite, zlib, OpenBLAS, libpq and the document libraries with their headers by hand ($need)." >&2
    exit 0
fi

missing=""
for package in $need; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q "install ok installed" || missing="$missing $package"
done
[ -z "$missing" ] && exit 0

# shellcheck disable=SC2086
exec sh Tests/Scripts/install.sh $missing
