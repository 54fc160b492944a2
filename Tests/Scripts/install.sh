#!/bin/sh
# Installs Debian packages: at once as root, or with sudo after a confirmation on a terminal. Otherwise it prints the
# command to run and exits with status 1.
set -eu
command="apt-get install -y --no-install-recommends $*"
run=""
if [ "$(id -u)" != 0 ]; then
    if [ ! -t 0 ] || ! command -v sudo >/dev/null; then
        echo "Missing packages. As root, run:" >&2
        echo "    $command" >&2
        exit 1
    fi
    printf 'Missing packages. Run "sudo %s"? [y/N] ' "$command" >&2
    read -r answer
    case "$answer" in [yY]*) run=sudo ;; *) exit 1 ;; esac
fi
echo "Installing $*" >&2
# Package lists may be absent or old on a fresh machine.
$run apt-get update -qq >&2 || true
# shellcheck disable=SC2086
$run env DEBIAN_FRONTEND=noninteractive $command -qq >/dev/null
