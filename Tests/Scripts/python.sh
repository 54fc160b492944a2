#!/bin/sh
# Prints the path of a Python that has the packages named on the command line; makes it under .build when there is none.
set -eu
cd "$(dirname "$0")/../.."
home=.build/python
python="$home/bin/python"
if [ ! -x "$python" ]; then
    if ! python3 -m venv "$home" >&2; then
        # Debian ships venv apart.
        run=""
        [ "$(id -u)" = 0 ] || run=sudo
        $run apt-get update -qq >&2 || true
        DEBIAN_FRONTEND=noninteractive $run apt-get install -y -qq --no-install-recommends python3-venv >/dev/null
        rm -rf "$home"
        python3 -m venv "$home" >&2
    fi
fi
missing=""
for package in "$@"; do
    [ -e "$home/$package.installed" ] || missing="$missing $package"
done
if [ -n "$missing" ]; then
    # shellcheck disable=SC2086
    "$python" -m pip install --quiet --disable-pip-version-check $missing >&2
    for package in $missing; do : >"$home/$package.installed"; done
fi
echo "$PWD/$python"
