#!/usr/bin/env python3
"""Hybrid retrieval over HTTP: N notes of 384 dimensions, the plan that `selene index tune` chooses, one client.

Builds a database of N generated notes with vectors around themes, builds and tunes the index, and asks questions of four words
over one connection. A synthetic Ollama embeds each question; what that takes is measured alone and said beside.
"""
import argparse
import http.client
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import tempfile
import time
import urllib.request

from lib.database import fill, structured
from lib.environment import BIN
from lib.figures import report

DIMENSIONS, MODEL = 384, "nomic-embed-text"
WORDS = "harbour lantern gauge bread window theory river letter garden winter engine paper music stone light market".split()


def wait(port, path):
    for _ in range(60_000):
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{port}{path}").read()
        except OSError:
            time.sleep(0.005)
    raise SystemExit("a server did not start")


def ask(connection, path, body):
    """Milliseconds, and the reply."""
    begin = time.perf_counter()
    connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    reply = json.loads(connection.getresponse().read())
    return (time.perf_counter() - begin) * 1e3, reply


def questions(count, seed):
    chooser = random.Random(seed)
    return [" ".join(chooser.sample(WORDS, 4)) + f" {number}" for number in range(count)]


def spread(times):
    ordered = sorted(times)
    return statistics.median(ordered), ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]


def measure(count, port, keep, rounds):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="selene-hybrid-", dir=keep))
    environment = {**os.environ, "SELENE_DATABASE": str(folder / "n.sqlite"), "SELENE_PORT": str(port), "SELENE_LOG_LEVEL": "warning",
                   "SELENE_EMBED_MODEL": MODEL, "SELENE_BACKFILL": "off", "OLLAMA_HOST": f"127.0.0.1:{port + 1}"}
    selene, processes = BIN / "selene", []

    def command(*arguments):
        begin = time.perf_counter()
        done = subprocess.run([selene, *arguments], env=environment, check=True, capture_output=True, text=True)
        return done.stdout, time.perf_counter() - begin

    try:
        processes.append(subprocess.Popen([BIN / "fake-ollama", "--port", str(port + 1), "--dimensions", str(DIMENSIONS)],
                                          stdout=subprocess.DEVNULL))
        models = json.loads(wait(port + 1, "/api/tags"))["models"]
        digest = next(one["digest"] for one in models if one["name"].startswith(MODEL))
        command("index", "status")
        fill(folder / "n.sqlite", count, structured(DIMENSIONS), MODEL, digest, DIMENSIONS)
        _, built = command("index", "build")
        tuned, tuning = command("index", "tune", "--json")
        plans = ", ".join(f"{one['plan']} {one['median_ms']:.1f} ms at recall {one['recall']:.3f}"
                          for one in json.loads(tuned)["measurements"])
        print(f"{count:,} notes: index built in {built:.0f} s, tuned in {tuning:.0f} s: {plans}", flush=True)
        processes.append(subprocess.Popen([selene, "serve"], env=environment))
        wait(port, "/health")
        gateway, upstream = (http.client.HTTPConnection("127.0.0.1", one) for one in (port, port + 1))
        embedding = [ask(upstream, "/api/embed", {"model": MODEL, "input": one})[0] for one in questions(rounds, 1)]
        for one in questions(20, 2):
            _, reply = ask(gateway, "/api/notes/retrieve", {"query": one, "limit": 10})
            if reply.get("source") != "hybrid":
                raise SystemExit(f"not a hybrid answer: {json.dumps(reply)[:300]}")
        figures = {"embedding alone": spread(embedding)}
        for mode in ("hybrid", "vector", "keyword"):
            times = [ask(gateway, "/api/notes/retrieve", {"query": one, "limit": 10, "mode": mode})[0]
                     for one in questions(rounds, mode)]
            figures[mode] = spread(times)
        print("| | p50 ms | p99 ms |\n|---|---:|---:|")
        for name, (median, tail) in figures.items():
            print(f"| {name} | {median:.2f} | {tail:.2f} |")
        if count == 1_000_000:
            report("retrieve.hybrid_1m_ms", figures["hybrid"][0])
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait(timeout=60)
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(prog="bench.py hybrid", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notes", nargs="*", type=int, default=[100_000, 1_000_000], help="numbers of notes")
    parser.add_argument("--rounds", type=int, default=200, help="questions of each mode")
    parser.add_argument("--port", type=int, default=18640)
    parser.add_argument("--folder", help="folder for the databases, about 6 kB per note")
    options = parser.parse_args()
    for count in options.notes:
        measure(count, options.port, options.folder, options.rounds)


if __name__ == "__main__":
    main()
