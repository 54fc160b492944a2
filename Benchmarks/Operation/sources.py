#!/usr/bin/env python3
"""Measures a folder that a gateway follows: the first reading, a look at unchanged files, a change until it is found, CPU at
rest. With --history also whether the notes are those of the files after each checkout of a history of Git.

    sources.py [--files 10000] [--changes 30] [--rest 60] [--history 0] [--binary PATH]
"""
import argparse
import json
import os
import pathlib
import random
import sqlite3
import statistics
import subprocess
import tempfile
import time

from lib.environment import BIN
from lib.figures import report
from lib.processes import clean_environment

WORDS = [f"word{number}" for number in range(5000)]


def text(source):
    return " ".join(source.choice(WORDS) for _ in range(80))


def fill(vault, count, source):
    for number in range(count):
        file = vault / f"f{number % 100}" / f"note {number}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text(source))


def timed(command, environment):
    """Runs a command to its end; returns its JSON, wall seconds and CPU seconds."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} ended with {process.returncode}: {output}")
    return json.loads(output), time.perf_counter() - started, usage.ru_utime + usage.ru_stime


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def stored(database, vault):
    """The notes of the folder by path, read as another program would."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    rows = connection.execute(
        "SELECT s.external_id, n.content FROM gateway_note_sources s JOIN raw_notes n ON n.id = s.note_id").fetchall()
    connection.close()
    start = str(vault) + "/"
    return {name[len(start):]: content for name, content in rows if name.startswith(start)}


def there(vault):
    return {str(file.relative_to(vault)): file.read_text().strip() for file in vault.rglob("*.md") if ".git" not in file.parts}


def wait(condition, seconds=120):
    """Waits for a condition; returns the seconds that it took, None when it did not hold in time."""
    started = time.perf_counter()
    while time.perf_counter() - started < seconds:
        if condition():
            return time.perf_counter() - started
        time.sleep(0.02)
    return None


def changes(vault, database, count, source):
    """Seconds from the last byte of a change until its text is in the database."""
    files, found = sorted(vault.rglob("*.md")), []
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    for number in range(count):
        file = source.choice(files)
        mark = f"mark{number}x{source.randrange(10**9)}"
        file.write_text(text(source) + " " + mark)
        seconds = wait(lambda: connection.execute(
            "SELECT 1 FROM raw_notes WHERE content LIKE ?", [f"%{mark}"]).fetchone())
        if seconds is None:
            raise SystemExit(f"the change of {file} was not found")
        found.append(seconds)
    return found


def git(vault, *arguments):
    subprocess.run(["git", "-C", vault, "-c", "user.name=b", "-c", "user.email=b@example.org", "-c", "gc.auto=0", *arguments],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def history(vault, commits, source):
    """Commits with changed, new, renamed and removed files, and merges of side branches."""
    git(vault, "init", "-q", "-b", "main")
    git(vault, "add", "-A")
    git(vault, "commit", "-q", "-m", "start")
    for commit in range(commits):
        files = [file for file in sorted(vault.rglob("*.md")) if ".git" not in file.parts]
        side = commit % 10 == 5
        if side:
            git(vault, "checkout", "-q", "-b", f"side{commit}")
            (vault / "side").mkdir(exist_ok=True)
            (vault / "side" / f"{commit}.md").write_text(text(source))
            git(vault, "add", "-A")
            git(vault, "commit", "-q", "-m", "side")
            git(vault, "checkout", "-q", "main")
        for number, file in enumerate(source.sample(files, 12)):
            kind = number % 4
            if kind == 0:
                file.write_text(text(source))
            elif kind == 1:
                file.rename(file.parent / f"moved {commit}-{number}.md")
            elif kind == 2:
                file.unlink()
            else:
                (file.parent / f"new {commit}-{number}.md").write_text(text(source))
        git(vault, "add", "-A")
        git(vault, "commit", "-q", "-m", str(commit))
        if side:
            git(vault, "merge", "-q", "--no-ff", "-m", "merge", f"side{commit}")
    log = subprocess.run(["git", "-C", vault, "log", "--reverse", "--format=%H"], check=True, capture_output=True, text=True)
    return log.stdout.split()


def replay(vault, database, order):
    """Checks out commits; returns how often the notes were those of the files, and the seconds until then."""
    equal, seconds = 0, []
    for number, commit in enumerate(order):
        git(vault, "checkout", "-q", commit)
        expected = there(vault)
        took = wait(lambda: stored(database, vault) == expected, 60)
        if took is None:
            print(f"  {commit}: the notes are not those of the files")
        else:
            equal += 1
            seconds.append(took)
        if number % 50 == 49:
            print(f"  {number + 1} of {len(order)} checkouts, {equal} equal", flush=True)
    return equal, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--changes", type=int, default=30)
    parser.add_argument("--rest", type=float, default=60, help="seconds over which CPU at rest is measured")
    parser.add_argument("--history", type=int, default=0, help="commits to check out")
    parser.add_argument("--binary", type=pathlib.Path, default=BIN / "selene")
    options = parser.parse_args()
    source = random.Random(36)
    with tempfile.TemporaryDirectory(prefix="selene-sources-") as folder:
        folder = pathlib.Path(folder).resolve()
        vault, database = folder / "vault", folder / "notes.sqlite"
        fill(vault, options.files, source)
        environment = clean_environment() | {
            "SELENE_DATABASE": str(database), "SELENE_PORT": "0", "SELENE_BACKFILL": "off", "OLLAMA_HOST": "http://127.0.0.1:9"}
        # What was just written may still be being written.
        time.sleep(1)
        added, first, spent = timed([options.binary, "sources", "add", "vault", vault, "--json"], environment)
        assert added["added"] == options.files, added["source"]
        print(f"{options.files} files: first reading {first:.1f} s, {options.files / first:.0f} files/s, CPU "
              f"{1e6 * spent / options.files:.0f} us a file")
        looks = [timed([options.binary, "sources", "look", "vault", "--json"], environment) for _ in range(3)]
        seconds = min(look[1] for look in looks)
        print(f"a look at unchanged files: {seconds:.2f} s with the start of the process, {options.files / seconds:.0f} files/s, "
              f"CPU {1e6 * min(look[2] for look in looks) / options.files:.1f} us a file")
        report("sources.look_rate", options.files / seconds)
        order = []
        if options.history:
            order = history(vault, options.history, source)
            order += source.sample(order, len(order) // 10)
        serve = subprocess.Popen([options.binary, "serve"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            if wait(lambda: stored(database, vault) == there(vault)) is None:
                raise SystemExit("the gateway does not follow the folder")
            found = sorted(changes(vault, database, options.changes, source))
            print(f"a change until it is found: median {statistics.median(found):.2f} s, largest of {len(found)} {found[-1]:.2f} s")
            report("sources.change_seconds", found[-1])
            shares = []
            for verb in ("resume", "pause"):
                subprocess.run([options.binary, "sources", verb, "vault"], env=environment, check=True, capture_output=True)
                time.sleep(5)
                before = cpu_seconds(serve.pid)
                time.sleep(options.rest)
                shares.append(100 * (cpu_seconds(serve.pid) - before) / options.rest)
            subprocess.run([options.binary, "sources", "resume", "vault"], env=environment, check=True, capture_output=True)
            print(f"CPU of the whole gateway at rest over {options.rest:.0f} s: {shares[0]:.2f}%, {shares[1]:.2f}% while the source is paused")
            if order:
                git(vault, "checkout", "-q", "-f", "main")
                equal, took = replay(vault, database, order)
                took.sort()
                print(f"history: {equal} of {len(order)} checkouts equal; until then median {statistics.median(took):.2f} s, "
                      f"95% {took[int(0.95 * len(took))]:.2f} s, largest {took[-1]:.2f} s; load {os.getloadavg()[0]:.1f}")
                report("sources.equal_checkouts", equal / len(order))
                if equal < len(order):
                    raise SystemExit(1)
        finally:
            serve.terminate()
            serve.wait()


if __name__ == "__main__":
    main()
