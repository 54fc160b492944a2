#!/bin/sh
# Tests a Debian package in a clean Debian of its own: test-package.sh DEB [OLD_DEB]
# Installs it, serves, stores and finds a note, reboots, upgrades (from OLD_DEB, else to copies of DEB with higher versions),
# removes, installs again and purges. In a booted systemd-nspawn, with a loopback of its own, where that is possible; else
# in a chroot without systemd. Prints the sizes and times that it measures. Exits with 77 where the test is impossible.
set -eu

skip() {
    echo "skipped: $1"
    exit 77
}
fail() {
    echo "FAILED: $1" >&2
    [ ! -s "${log:-}" ] || tail -n 20 "$log" >&2
    exit 1
}
# check WHAT COMMAND…: prints WHAT if the command succeeds, else its output, and ends the test.
check() {
    what=$1
    shift
    "$@" > "$work/output" 2>&1 || { cat "$work/output" >&2; fail "$what"; }
    echo "ok: $what"
}

[ $# -ge 1 ] || { echo "usage: test-package.sh DEB [OLD_DEB]" >&2; exit 64; }
[ "$(id -u)" = 0 ] || skip "only root can make a clean Debian"
command -v dpkg-deb > /dev/null || skip "this is no Debian system"
new=$(realpath "$1")
old=${2:+$(realpath "$2")}
repository=$(cd "$(dirname "$0")/../.." && pwd)
missing=""
command -v mmdebstrap > /dev/null || missing="$missing mmdebstrap"
command -v systemd-nspawn > /dev/null || missing="$missing systemd-container"
command -v curl > /dev/null || missing="$missing curl"
# shellcheck disable=SC2086
[ -z "$missing" ] || (cd "$repository" && sh Tests/Scripts/install.sh $missing) || skip "these packages are missing:$missing"

work=$(mktemp -d)
root=$work/root
log=$work/log
data=$root/var/lib/selene/selene.sqlite
container="" leader="" server=""

cleanup() {
    [ -z "$server" ] || kill -KILL "$server" 2>/dev/null || true
    [ -z "$container" ] || halt
    mountpoint -q "$root/proc" && umount "$root/proc"
    rm -rf --one-file-system "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

# halt: shuts the container down, as a machine is, within 60 seconds.
halt() {
    kill -TERM "$container" 2>/dev/null || true
    tries=600
    while kill -0 "$container" 2>/dev/null && [ $tries -gt 0 ]; do
        sleep 0.1
        tries=$((tries - 1))
    done
    kill -KILL "$container" 2>/dev/null || true
    wait "$container" 2>/dev/null || true
    container="" leader=""
}

# boot: starts systemd in the container, and waits for it.
boot() {
    # shellcheck disable=SC2086
    systemd-nspawn $flags --directory="$root" --private-network --boot < /dev/null > "$work/console" 2>&1 &
    container=$!
    tries=300
    while [ $tries -gt 0 ]; do
        leader=$(tr -d ' ' 2>/dev/null < "/proc/$container/task/$container/children" || true)
        if [ -n "$leader" ] && inside systemctl is-system-running --wait 2>/dev/null | grep -qE 'running|degraded'; then
            return 0
        fi
        kill -0 "$container" 2>/dev/null || break
        sleep 0.1
        tries=$((tries - 1))
    done
    return 1
}

# inside COMMAND…: runs a command as root in the clean Debian.
inside() {
    if [ -n "$leader" ]; then
        nsenter --target "$leader" --mount --uts --ipc --net --pid -- env -i PATH="$path" LC_ALL=C.UTF-8 "$@"
    elif [ "$mode" = nspawn ]; then
        # shellcheck disable=SC2086
        systemd-nspawn $flags --quiet --directory="$root" --pipe --setenv=LC_ALL=C.UTF-8 "$@"
    else
        chroot "$root" env -i PATH="$path" LC_ALL=C.UTF-8 "$@"
    fi
}
path=/usr/sbin:/usr/bin:/sbin:/bin
user() { inside runuser -u selene -- env HOME=/var/lib/selene selene "$@"; }
# The clean Debian has no curl: this machine's is used, with the loopback of the container.
http() {
    route=$1
    shift
    if [ -n "$leader" ]; then set -- nsenter --target "$leader" --net curl "$@"; else set -- curl "$@"; fi
    "$@" --silent --show-error --fail --noproxy '*' "http://127.0.0.1:$port$route"
}

# serve: starts the gateway, and waits until /health answers. Sets milliseconds and pid.
serve() {
    began=$(date +%s%3N)
    if [ "$mode" = nspawn ]; then
        inside systemctl start selene.service
    else
        chroot --userspec=selene:selene "$root" env -i HOME=/var/lib/selene PATH="$path" \
            /usr/bin/selene serve --config /etc/selene/selene.yaml > "$log" 2>&1 &
        server=$!
    fi
    await
    milliseconds=$(($(date +%s%3N) - began))
}
await() {
    tries=1500
    until http /health > /dev/null 2>&1; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || { journal; fail "/health does not answer within 30 seconds"; }
        sleep 0.02
    done
    if [ "$mode" = nspawn ]; then pid=$(inside systemctl show --property MainPID --value selene.service); else pid=$server; fi
}
stop() {
    if [ "$mode" = nspawn ]; then
        inside systemctl stop selene.service
    elif [ -n "$server" ]; then
        kill -TERM "$server"
        wait "$server" || true
        server=""
    fi
}
journal() { [ "$mode" = chroot ] || inside journalctl --no-pager -n 30 -u selene.service > "$log" 2>&1 || true; }
# As a reboot does: nothing stays but files.
restart() {
    stop
    if [ "$mode" = nspawn ]; then halt; boot || fail "the container does not boot again"; await; else serve; fi
}
memory() {
    inside cat "/proc/$pid/status" | awk '/^VmRSS:/ { printf "%d", $2 / 1024 }'
}
finds() {
    http /api/notes/retrieve -H 'Content-Type: application/json' -d '{"query":"greatest range","mode":"keyword"}' \
        | grep -q 'Spring tide'
}
searches() { user search "greatest range" --mode keyword | grep 'Spring tide'; }
# steps FILE: prints which of the newest steps of the schema a database has.
steps() {
    python3 -c 'import sqlite3, sys; print(*(row[0] for row in sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True).execute(
        "SELECT identifier FROM grdb_migrations WHERE identifier GLOB ? AND CAST(substr(identifier, 9) AS INTEGER) >= 35 ORDER BY 1",
        ["gateway-*"])))' "$1"
}
# older: undoes these steps, as if an earlier version had written the database.
older() {
    python3 -c 'import sqlite3, sys; database = sqlite3.connect(sys.argv[1])
rows = database.execute("SELECT identifier FROM grdb_migrations WHERE identifier GLOB ?", ["gateway-*"])
newest = max(int(row[0].split("-")[1]) for row in rows)
if newest != 57: sys.exit(f"test-package.sh: undo step {newest} in older(), too")
database.executescript("""
        ALTER TABLE gateway_key_usage DROP COLUMN cost;
        ALTER TABLE gateway_keys DROP COLUMN requests_at_once; ALTER TABLE gateway_keys DROP COLUMN budget_per_month;
        ALTER TABLE gateway_keys DROP COLUMN priority; ALTER TABLE gateway_pairings DROP COLUMN requests_at_once;
        ALTER TABLE gateway_pairings DROP COLUMN budget_per_month; ALTER TABLE gateway_pairings DROP COLUMN priority;
        DROP TABLE gateway_source_files; DROP TABLE gateway_sources;
        DROP TABLE gateway_audit; DROP TABLE gateway_note_ingests; ALTER TABLE gateway_keys DROP COLUMN parent;
        ALTER TABLE gateway_jobs DROP COLUMN lease;
        ALTER TABLE gateway_chat_runs DROP COLUMN lease; ALTER TABLE gateway_chat_runs DROP COLUMN is_stopping;
        ALTER TABLE gateway_books DROP COLUMN lease; ALTER TABLE gateway_task_drafts DROP COLUMN is_box;
        DELETE FROM grdb_migrations WHERE identifier GLOB \"gateway-*\" AND CAST(substr(identifier, 9) AS INTEGER) >= 35;"""); database.close()' "$data"
}
count() { inside find /var/lib/selene/backups -name 'upgrade-*.sqlite' | wc -l; }
# install DEB: installs it as apt does, without the network once the libraries are there.
install() {
    cp "$1" "$root/package.deb"
    inside env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends --allow-downgrades ./package.deb
}
version() { inside dpkg-query -W -f '${Version}' selene; }
# higher NUMBER: writes a copy of the package with a higher version, uncompressed for speed.
higher() {
    rm -rf "$work/copy"
    dpkg-deb -R "$new" "$work/copy"
    sed -i "s/^Version: .*/&+$1/" "$work/copy/DEBIAN/control"
    dpkg-deb --root-owner-group -Znone -b "$work/copy" "$work/higher-$1.deb" > /dev/null
    echo "$work/higher-$1.deb"
}

# A clean Debian of this machine's release.
mode=nspawn
flags="--register=no"
# systemd-nspawn asks the systemd of this machine for a scope. Without one it stays where it is.
[ -d /run/systemd/system ] || flags="$flags --keep-unit"
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
echo "making a clean Debian ($suite)"
mmdebstrap --quiet --variant=minbase --include=systemd-sysv,dbus "$suite" "$root" > "$log" 2>&1 \
    || skip "mmdebstrap cannot make a clean Debian: $(tail -n 1 "$log")"
inside true > /dev/null 2>&1 || mode=chroot
if [ $mode = chroot ]; then
    chroot "$root" true 2>/dev/null || skip "neither systemd-nspawn nor chroot works here"
    mount -t proc proc "$root/proc" || skip "/proc cannot be mounted in a chroot"
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
else
    port=5999
fi
: > "$log"

inside apt-get update -q > "$log" 2>&1 || fail "apt-get update"
first=${old:-$new}
began=$(date +%s)
check "apt installs $(basename "$first")" install "$first"
took=$(($(date +%s) - began))
: > "$log"
if [ $mode = nspawn ] && ! boot; then
    echo "the container does not boot; going on in a chroot"
    halt
    mode=chroot
    mount -t proc proc "$root/proc"
fi
echo "mode: $mode"
check "selene --version" inside selene --version
echo "installed: $(cat "$work/output") as $(version) in $took s with its libraries, $(inside dpkg-query -W -f '${Installed-Size}' selene) KiB"
check "the service is neither enabled nor running" inside sh -c '! systemctl --quiet is-enabled selene 2>/dev/null \
    && [ ! -e /var/lib/selene/selene.sqlite ]'
check "the folder is the user's alone" inside sh -c '[ "$(stat -c "%U:%G %a" /var/lib/selene)" = "selene:selene 750" ] \
    && [ "$(stat -c "%U:%G %a" /etc/selene/selene.yaml)" = "selene:selene 600" ]'

# The first steps of README.md, as a person of the machine; its vectors and answers need an Ollama.
inside useradd --create-home ada
inside runuser -u ada -- sh -c 'mkdir "$HOME/notes" && echo "Feed the starter tonight, 80% hydration." > "$HOME/notes/Sourdough.md"'
person() { inside runuser -u ada -- env -C /home/ada HOME=/home/ada selene "$@"; }
check "a person ingests a folder of notes" person ingest notes
found() { person search "80%" --mode keyword | grep Sourdough; }
check "and finds them" found
check "the manual has a page" inside test -e /usr/share/man/man1/selene-serve.1.gz
inside sed -i "s/^#port: 5678/port: $port/" /etc/selene/selene.yaml
check "the settings file has the port" inside grep -q "^port: $port" /etc/selene/selene.yaml
[ $mode = chroot ] || check "systemctl enable" inside systemctl enable selene.service
serve
echo "started: /health answers after $milliseconds ms on 127.0.0.1:$port"
sleep 2
echo "memory: $(memory) MiB resident"
check "the gateway runs as the user selene" test "$(inside stat -c %U "/proc/$pid")" = selene
check "a note is stored" http /api/notes -H 'Content-Type: application/json' \
    -d '{"title":"Spring tide","content":"The greatest range comes a day and a half after full moon."}'
check "HTTP finds the note" finds
check "selene search finds the note" searches
check "selene notes talks to the running gateway" user notes show 1
# Without an Ollama the doctor has one problem.
user doctor --json > "$work/findings" || true
check "selene doctor says how to update the package" grep "from a Debian package; to update: apt install" "$work/findings"
check "selene doctor has no finding except the missing Ollama" python3 -c 'import json, sys
bad = [f for f in json.load(open(sys.argv[1]))["findings"] if f["severity"] != "ok" and f["check"] != "upstreams"]
sys.exit(json.dumps(bad) if bad else 0)' "$work/findings"

restart
check "after a restart the note is there" finds

# Upgrades. The gateway runs meanwhile; with systemd the package stops and starts it.
next=${old:+$new}
number=1
while [ $number -le 4 ]; do
    before=$(version)
    install "${next:-$(higher $number)}" > "$log" 2>&1 || fail "upgrade $number"
    [ "$(version)" != "$before" ] || fail "upgrade $number: the version is still $before"
    next=""
    number=$((number + 1))
    sleep 1
done
echo "ok: four upgrades, from $(basename "$first") to $(version)"
check "the newest three backups are kept" test "$(count)" = 3
[ $mode = chroot ] || { await; check "the upgrade started the service again" inside systemctl is-active selene.service; }
[ $mode = nspawn ] || restart
check "after the upgrades the note is there" finds
check "the changed setting is kept" inside grep -q "$port" /etc/selene/selene.yaml
stop
older
check "the database is one of an earlier version" test -z "$(steps "$data")"
check "an upgrade over it" install "$(higher 4.5)"
check "its backup is from before the migration" test -z "$(steps "$(ls "$root"/var/lib/selene/backups/*.sqlite | tail -n 1)")"
serve
check "the new version has migrated the database" test "$(steps "$data")" = "gateway-35-key-parents gateway-36-note-ingests gateway-37-job-leases gateway-40-answer-leases gateway-41-books gateway-54-task-boxes gateway-55-audit gateway-56-key-budgets gateway-57-sources"
check "the note has survived the migration" finds
check "a backup can be restored and has the note" inside runuser -u selene -- sh -c 'cd "$HOME" \
    && selene restore "$(ls backups/* | tail -n 1)" --database "$HOME/copy.sqlite" \
    && selene search "greatest range" --mode keyword --database "$HOME/copy.sqlite" | grep "Spring tide"'
inside runuser -u selene -- sh -c 'rm -f /var/lib/selene/copy.sqlite*'

# A backup that fails stops the upgrade.
inside sh -c 'mv /var/lib/selene/backups /var/lib/selene/moved && touch /var/lib/selene/backups'
before=$(version)
if install "$(higher 5)" > "$log" 2>&1; then fail "an upgrade without a backup went on"; fi
check "a backup that fails stops the upgrade" test "$(version)" = "$before"
[ $mode = chroot ] || { await; check "the old version runs again" inside systemctl is-active selene.service; }
inside touch /etc/selene/no-upgrade-backup
check "no-upgrade-backup upgrades without one" install "$(higher 6)"
inside sh -c 'rm /etc/selene/no-upgrade-backup /var/lib/selene/backups && mv /var/lib/selene/moved /var/lib/selene/backups'

stop
before=$(version)
check "apt remove" inside apt-get remove -y -q selene
check "remove keeps notes and settings" inside sh -c '[ -s /var/lib/selene/selene.sqlite ] \
    && [ -e /etc/selene/selene.yaml ] && [ ! -e /usr/bin/selene ]'
check "apt installs it again" install "$new"
check "the installation makes a backup of the notes that it finds" inside sh -c \
    'ls /var/lib/selene/backups | tail -n 1 | grep -F -- "-from-$1.sqlite"' sh "$before"
serve
check "the note is there again" finds
stop
check "apt purge" inside env DEBIAN_FRONTEND=noninteractive apt-get purge -y -q selene
mv "$work/output" "$work/purge"
check "purge says that the notes are kept" grep '/var/lib/selene is kept' "$work/purge"
check "purge keeps the notes and deletes the settings" inside sh -c '[ -s /var/lib/selene/selene.sqlite ] \
    && [ ! -e /etc/selene ] && getent passwd selene && [ ! -e /etc/systemd/system/multi-user.target.wants/selene.service ]'
check "apt installs it again" install "$new"
inside sh -c 'echo "selene selene/delete-notes boolean true" | debconf-set-selections'
check "purge with the answer yes" inside env DEBIAN_FRONTEND=noninteractive apt-get purge -y -q selene
check "deletes the notes and the user" inside sh -c '[ ! -e /var/lib/selene ] && ! getent passwd selene'
check "apt installs it without data" install "$new"
check "apt purge without data" inside apt-get purge -y -q selene
check "purge without data deletes folder and user" inside sh -c '[ ! -e /var/lib/selene ] && ! getent passwd selene'
echo "the package passed in a $mode"
