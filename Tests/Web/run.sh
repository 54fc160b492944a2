#!/bin/sh
# The web client's tests: pure modules by node, Markdown against markdown-it-py, whole flows in Chromium.
# Some modules drive Firefox ESR or WebKitGTK.
#
#   sh Tests/Web/run.sh [TEST…]     tests of pages by name, such as test_chat.Chat; default: all, with HALVES=1 two files at once
#
# Installs node, Chromium and, with CI set, Firefox and WebKitGTK on Debian where they are missing, as root or after a confirmation.
# Elsewhere it skips what needs them, with a message; with CI set that is an error.
set -eu
cd "$(dirname "$0")/../.."

# Not named chromium: `command -v chromium` would then find the function.
find_chromium() { command -v chromium-headless-shell || command -v chromium || true; }

skip() {
    echo "skipped: $1" >&2
    [ -z "${CI:-}" ] || exit 1
    exit 0
}

need=""
command -v node >/dev/null || need="nodejs"
[ -n "$(find_chromium)" ] || need="$need chromium-headless-shell"
[ -z "${CI:-}" ] || command -v firefox-esr >/dev/null || need="$need firefox-esr"
[ -z "${CI:-}" ] || command -v WebKitWebDriver >/dev/null || need="$need webkit2gtk-driver"
[ -z "${CI:-}" ] || command -v Xvfb >/dev/null || need="$need xvfb"
[ -z "${CI:-}" ] || command -v tsc >/dev/null || need="$need node-typescript"
if [ -n "$need" ]; then
    command -v apt-get >/dev/null || skip "the web client's tests need$need; install them by hand"
    # shellcheck disable=SC2086
    sh Tests/Scripts/install.sh $need || skip "the web client's tests need$need"
fi

python=$(sh Tests/Scripts/python.sh Tests/Web/requirements.txt)

echo "== pure modules"
node --test Tests/Web/pure/

echo "== types"
if command -v tsc >/dev/null; then
    # sw.js is a script of its own world: no modules, no page.
    # shellcheck disable=SC2046
    tsc --noEmit --allowJs --checkJs --strict --target esnext --module esnext --moduleResolution node \
        --lib esnext,dom,dom.iterable $(find Sources/Features/Web/Site -name '*.js' ! -name sw.js)
else
    echo "skipped: tsc is missing (Debian: node-typescript)"
fi

echo "== Markdown against markdown-it-py"
# CommonMark's examples are in the source archive of markdown-it-py, not in its wheel.
examples=.build/python/commonmark-4.3.0.json
if [ ! -e "$examples" ]; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    if "$python" -m pip download --quiet --disable-pip-version-check --no-deps --no-binary :all: --dest "$folder" markdown-it-py==4.3.0 >&2; then
        tar -xzf "$folder"/*.tar.gz -C "$folder"
        mv "$folder"/*/tests/test_cmark_spec/commonmark.json "$examples"
    else
        echo "CommonMark's examples cannot be downloaded: only the own examples are compared" >&2
        examples=""
    fi
fi
"$python" Tests/Web/commonmark.py $examples | node Tests/Web/pure/commonmark.mjs

echo "== pages"
cd Tests/Web/pages
CHROMIUM=$(find_chromium)
export CHROMIUM
if [ "$#" -gt 0 ]; then
    "$python" -m unittest "$@"
elif [ -n "${HALVES:-}" ]; then
    # Two at a time; what a file's tests say is shown when they end. The larger files first, and before them the one that
    # checks every view four times: it takes the longest.
    reports=$(mktemp -d)
    status=0
    # shellcheck disable=SC2012
    { echo looks/test_views.py; ls -S test_*.py */test_*.py | grep -vx looks/test_views.py; } | sed 's|\.py$||; s|/|.|' | xargs -P 2 -I '{}' sh -c '
        status=0
        timeout -k 10 900 "$1" -m unittest "$2" > "$3/$2" 2>&1 || status=1
        { echo "-- $2"; cat "$3/$2"; } >&2
        exit "$status"' run "$python" '{}' "$reports" || status=1
    if [ "$status" -ne 0 ]; then
        # At most three tests or classes that failed run once more, alone; if they pass, the run passes and lists them.
        failed=$(sed -nE 's/^(FAIL|ERROR): .*\(([A-Za-z0-9_.]+)\)$/\2/p' "$reports"/* | sort -u)
        count=$(printf '%s' "$failed" | grep -c . || true)
        # A file whose run has no closing line ended early: its failure stays.
        if [ -z "$(grep -L '^Ran [0-9]* test' "$reports"/*)" ] && [ "$count" -ge 1 ] && [ "$count" -le 3 ]; then
            echo "== once more, alone: $failed" >&2
            # shellcheck disable=SC2086
            if "$python" -m unittest $failed; then
                printf 'flaky:\n%s\n' "$failed"
                status=0
            fi
        fi
    fi
    rm -rf "$reports"
    exit "$status"
else
    "$python" -m unittest discover --pattern 'test_*.py'
fi
