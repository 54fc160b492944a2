#!/usr/bin/env python3
"""Finds tasks in N notes: the first run, 100 new notes, and a run with nothing new.

    bench.py actions [--notes 10000] [--notes 100000]

The notes are of the last 80 days and of three sentences; one of four has a task. A short question is asked all the while:
its slowest answer shows whether the job yields to people.
"""
import argparse
import datetime
import json
import os
import pathlib
import random
import sqlite3
import subprocess
import tempfile
import threading
import time
import urllib.request

from lib.environment import BIN
from lib.processes import free_port, wait_for

SENTENCES = ["It rained all morning and the harbour was empty.", "Die Mauer war feucht und kalt.",
             "The choir sang better than last week.", "Anna rief an und erzählte von Leipzig.",
             "The bread rose slowly, the starter is tired."]
TASKS = ["I need to call the surveyor by Friday.", "Bis Freitag den Gutachter anrufen.", "- [ ] buy new strings"]


def notes(start, count, seed):
    chance = random.Random(seed)
    now = datetime.datetime.now(datetime.timezone.utc)
    for number in range(start, start + count):
        lines = chance.choices(SENTENCES, k=3 if number % 4 else 2) + ([] if number % 4 else [chance.choice(TASKS)])
        day = now - datetime.timedelta(days=chance.uniform(0, 80))
        yield number, f"Note {number}", "\n".join(lines), day.strftime("%Y-%m-%d %H:%M:%S")


def insert(path, rows):
    with sqlite3.connect(path, timeout=60) as database:
        database.executemany("INSERT INTO raw_notes (id, title, content, created_at) VALUES (?, ?, ?, ?)", rows)


def call(port, method, path, body=None):
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", None if body is None else json.dumps(body).encode(),
                                     {"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=300) as answer:
        return json.load(answer)


def run(port):
    """Seconds of a job, its message, and the slowest answer to a short question meanwhile."""
    slowest, is_over = [0.0], threading.Event()

    def ask():
        while not is_over.wait(0.02):
            began = time.perf_counter()
            call(port, "GET", "/api/tasks?limit=1")
            slowest[0] = max(slowest[0], time.perf_counter() - began)

    asking = threading.Thread(target=ask)
    asking.start()
    began = time.perf_counter()
    job = call(port, "POST", "/api/jobs/actions", {})
    while job["state"] == "running":
        time.sleep(0.05)
        job = call(port, "GET", f"/api/jobs/{job['id']}")
    seconds = time.perf_counter() - began
    is_over.set()
    asking.join()
    return seconds, job.get("message"), slowest[0] * 1e3


def measure(binary, count):
    with tempfile.TemporaryDirectory(prefix="selene-actions-") as folder:
        port, path = free_port(), f"{folder}/n.sqlite"
        environment = {**os.environ, "SELENE_DATABASE": path, "SELENE_PORT": str(port), "SELENE_BACKFILL": "off",
                       "SELENE_LOG_LEVEL": "error"}
        pathlib.Path(folder, "first.jsonl").write_text('{"title":"first","content":"first","created_at":"2020-01-01"}\n')
        subprocess.run([binary, "ingest", f"{folder}/first.jsonl"], env=environment, check=True, capture_output=True)
        insert(path, notes(10, count, 1))
        server = subprocess.Popen([binary, "serve"], env=environment)
        try:
            if not wait_for(port, 120, server):
                raise SystemExit("selene did not start")
            for name in ("first run", "100 new notes", "nothing new"):
                if name == "100 new notes":
                    insert(path, notes(10 + count, 100, 2))
                seconds, message, slowest = run(port)
                print(f"| {count:,} | {name} | {seconds:.2f} | {slowest:.0f} | {message} |", flush=True)
        finally:
            server.terminate()
            server.wait(timeout=60)


def main():
    parser = argparse.ArgumentParser(prog="bench.py actions", description=__doc__.splitlines()[0])
    parser.add_argument("--notes", type=int, action="append")
    parser.add_argument("--binary", type=pathlib.Path, default=BIN / "selene")
    options = parser.parse_args()
    print("| notes | run | seconds | slowest answer meanwhile, ms | message |\n|---:|---|---:|---:|---|")
    for count in options.notes or [10_000, 100_000]:
        measure(options.binary, count)


if __name__ == "__main__":
    main()
