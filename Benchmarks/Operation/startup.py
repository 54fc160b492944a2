#!/usr/bin/env python3
"""Measures start-up, memory and freshness of the server, for N notes with vectors; also
right after that process rebuilt its table of notes, as migrations do.

Builds a database of N generated notes with 768-dimensional vectors and lets Selene write its index file. Then it
measures the time from launch to the first complete answers, the memory of the process, and the time from another
process's commit until the note is found. A synthetic Ollama embeds the query.
"""
import argparse
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import statistics
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from lib.database import fill, gaussian
from lib.environment import BIN
from lib.figures import report

DIMENSIONS = 768
MODEL = "nomic-embed-text"


def request(port, path, body=None):
    data = json.dumps(body).encode() if body is not None else None
    call = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, {"Content-Type": "application/json"})
    return json.load(urllib.request.urlopen(call, timeout=300))


def wait(port, path="/health"):
    while True:
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{port}{path}").read()
        except OSError:
            time.sleep(0.002)


def memory(pid):
    fields = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines())
    return {name: int(fields[key].split()[0]) / 1024
            for name, key in [("resident", "VmRSS"), ("anonymous", "RssAnon"), ("mapped", "RssFile")]}


def rebuild_table(connection):
    """What SQLite's documentation recommends to alter a table, as migrations of other programs run it."""
    sql, = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'raw_notes'").fetchone()
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(f"CREATE TABLE new_raw_notes {sql[sql.index('('):]}")
    connection.execute("INSERT INTO new_raw_notes SELECT * FROM raw_notes")
    connection.execute("DROP TABLE raw_notes")
    connection.execute("ALTER TABLE new_raw_notes RENAME TO raw_notes")
    connection.commit()


def freshness(database, port, rounds, after_rebuild=False, pause=5):
    """Milliseconds from another process's commit to the note being found.

    Pauses before each table rebuild, in seconds, so that the work after one is over before the next.
    """
    connection = sqlite3.connect(database, timeout=60)
    times = []
    for number in range(rounds):
        word = f"{'rebuilt' if after_rebuild else 'fresh'}{number}x"
        if after_rebuild:
            time.sleep(pause)
            rebuild_table(connection)
        connection.execute(
            "INSERT INTO raw_notes (title, content, created_at) VALUES ('fresh', ?, '2026-01-01 00:00:00')", (word,))
        connection.commit()
        committed = time.perf_counter()
        while not request(port, "/api/notes/retrieve", {"keywords": [word]})["count"]:
            pass
        times.append((time.perf_counter() - committed) * 1e3)
    connection.close()
    return statistics.median(times), max(times)


def launch(binary, environment, port):
    """Starts the server; returns it with the milliseconds until it listens and until its first answers."""
    started = time.perf_counter()
    server = subprocess.Popen([binary, "serve"], env=environment)
    wait(port)
    times = {"listening": (time.perf_counter() - started) * 1e3}
    for name, path, body in [
        ("hybrid", "/api/notes/retrieve", {"query": "harbour lantern gauge", "limit": 10}),
        ("hybrid again", "/api/notes/retrieve", {"query": "bread window theory", "limit": 10}),
        ("keyword", "/api/notes/retrieve", {"keywords": ["harbour"], "limit": 10}),
    ]:
        asked = time.perf_counter()
        reply = request(port, path, body)
        assert reply["source"] in ("hybrid", "keyword"), reply.get("fallback_reason")
        times[name] = (time.perf_counter() - asked) * 1e3
        if name == "hybrid":
            times["first answer"] = (time.perf_counter() - started) * 1e3
    return server, times


def stop(process):
    process.send_signal(signal.SIGTERM)
    process.wait(timeout=60)


def measure(binary, fake, count, port, keep):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="selene-startup-", dir=keep))
    database = str(folder / "n.sqlite")
    environment = {**os.environ, "SELENE_DATABASE": database, "SELENE_PORT": str(port), "SELENE_LOG_LEVEL": "warning",
                   "SELENE_EMBED_MODEL": MODEL, "OLLAMA_HOST": f"127.0.0.1:{port + 1}"}
    ollama = subprocess.Popen([fake, "--port", str(port + 1), "--dimensions", str(DIMENSIONS)],
                              stdout=subprocess.DEVNULL)
    try:
        models = json.loads(wait(port + 1, "/api/tags"))["models"]
        digest = next(m["digest"] for m in models if m["name"].startswith(MODEL))
        subprocess.run([binary, "index", "status"], env=environment, check=True, stdout=subprocess.DEVNULL)
        fill(database, count, gaussian(DIMENSIONS), MODEL, digest, DIMENSIONS)
        started = time.perf_counter()
        subprocess.run([binary, "index", "build"], env=environment, check=True, stdout=subprocess.DEVNULL)
        built = time.perf_counter() - started
        runs = []
        for _ in range(3):
            server, times = launch(binary, environment, port)
            used = memory(server.pid)
            runs.append(times)
            if len(runs) < 3:
                stop(server)
        fresh = freshness(database, port, 20)
        rebuilt = freshness(database, port, 5, after_rebuild=True)
        stop(server)
        status = json.loads(subprocess.run([binary, "index", "status", "--json"], env=environment, check=True,
                                           capture_output=True, text=True).stdout)
    finally:
        stop(ollama)
        shutil.rmtree(folder, ignore_errors=True)
    best = {name: min(run[name] for run in runs) for name in runs[0]}
    matrix, text = status["matrix_bytes"] / 2**20, status["text_bytes"] / 2**20
    return {"notes": count, "built_s": built, "file_mb": status["file_bytes"] / 2**20, "matrix_mb": matrix,
            "text_mb": text, "ratio": used["resident"] / (1.1 * matrix + text), **best, **used,
            "fresh_median": fresh[0], "fresh_max": fresh[1],
            "rebuilt_median": rebuilt[0], "rebuilt_max": rebuilt[1]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notes", nargs="*", type=int, default=[10_000, 100_000], help="numbers of notes")
    parser.add_argument("--port", type=int, default=18620)
    parser.add_argument("--folder", help="folder for the databases, about 7 kB per note")
    parser.add_argument("--json", help="file to append the figures to, as a line of JSON")
    options = parser.parse_args()
    columns = [
        ("notes", "notes", "{:,}"), ("first answer", "launch to first answer ms", "{:.0f}"),
        ("listening", "to listening ms", "{:.0f}"), ("hybrid again", "hybrid ms", "{:.1f}"),
        ("keyword", "keyword ms", "{:.1f}"), ("fresh_median", "fresh ms", "{:.1f}"), ("fresh_max", "worst", "{:.1f}"),
        ("rebuilt_median", "fresh after a table rebuild ms", "{:.1f}"), ("rebuilt_max", "worst", "{:.1f}"),
        ("matrix_mb", "matrix MB", "{:.0f}"), ("text_mb", "text index MB", "{:.0f}"),
        ("resident", "resident MB", "{:.0f}"), ("anonymous", "of it not mapped", "{:.0f}"),
        ("ratio", "of 1.1 matrix + text", "{:.2f}"), ("built_s", "index build s", "{:.1f}"),
    ]
    print("| " + " | ".join(title for _, title, _ in columns) + " |\n|" + "---:|" * len(columns), flush=True)
    for count in options.notes:
        row = measure(BIN / "selene", BIN / "fake-ollama", count, options.port, options.folder)
        print("| " + " | ".join(form.format(row[name]) for name, _, form in columns) + " |", flush=True)
        if count == 100_000:
            report("startup.memory", row["ratio"])
        if options.json:
            with open(options.json, "a") as file:
                file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
