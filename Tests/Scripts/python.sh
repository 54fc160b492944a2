#!/bin/sh
# Prints the path of a Python with the packages of a requirements file:
#   sh Tests/Scripts/python.sh [FILE]      default: Tests/Scripts/requirements.txt
# The virtual environment below .build/python is named by the file's checksum, so it has exactly the pinned versions.
set -eu
cd "$(dirname "$0")/../.."
file=${1:-Tests/Scripts/requirements.txt}
home=.build/python/$(basename "$file" .txt)-$(cksum <"$file" | cut -d ' ' -f 1)
python="$home/bin/python"
mkdir -p .build/python
# Tests run in several processes, and each may be the first: one makes the environment, the others wait.
if [ ! -e "$home/complete" ] && command -v flock >/dev/null; then
    exec 9>"$home.lock"
    flock 9
fi
if [ ! -e "$home/complete" ]; then
    rm -rf "$home"
    if ! python3 -m venv "$home" >&2; then
        # On Debian venv is a separate package.
        rm -rf "$home"
        sh Tests/Scripts/install.sh python3-venv >&2
        python3 -m venv "$home" >&2
    fi
    hashes=""
    grep -q -- --hash= "$file" && hashes=--require-hashes
    # shellcheck disable=SC2086
    "$python" -m pip install --quiet --disable-pip-version-check $hashes -r "$file" >&2
    : >"$home/complete"
fi
echo "$PWD/$python"
