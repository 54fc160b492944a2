#!/usr/bin/env python3
"""Measures `selene backfill` in notes per second, against a minimal client that sends the same batches to the same
upstream; and the latency of retrievals while a server embeds notes, against the same server at rest."""
import http.client
import json
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

from lib.environment import BIN
from lib.figures import report

COST = os.environ.get("COST", "0.002")  # seconds that the upstream takes per text
BATCH = 64
CALLS = ["--batch", str(BATCH)]
DIMENSIONS = 768


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port):
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise SystemExit(f"nothing listens on port {port}")


def notes(count):
    words = "tide moon gauge cello bread river harbour letter winter engine orchard signal".split()
    for number in range(count):
        text = " ".join(words[(number * 7 + place * place) % len(words)] for place in range(60))
        yield {"id": str(number), "title": f"note {number}", "content": f"{text} {number}"}


def ceiling(port, texts):
    """The minimal client: one connection, requests back to back, answers read but not parsed."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    bodies = [json.dumps({"model": "nomic-embed-text", "input": texts[start:start + BATCH], "truncate": True})
              for start in range(0, len(texts), BATCH)]
    started = time.perf_counter()
    for body in bodies:
        connection.request("POST", "/api/embed", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        response.read()
        assert response.status == 200
    return len(texts) / (time.perf_counter() - started)


def retrieve(connection, query):
    started = time.perf_counter()
    connection.request("POST", "/api/notes/retrieve", json.dumps({"query": query}), {"Content-Type": "application/json"})
    body = json.loads(connection.getresponse().read())
    return (time.perf_counter() - started) * 1000, body.get("source")


def p95(values):
    return sorted(values)[int(len(values) * 0.95)]


def main():
    selene, fake = BIN / "selene", BIN / "fake-ollama"
    sizes = [int(size) for size in sys.argv[1:]] or [10_000, 100_000]
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="selene-backfill-"))
    port, gateway_port = free_port(), free_port()
    upstream = subprocess.Popen([fake, "--port", str(port), "--embed-cost", COST, "--dimensions", str(DIMENSIONS)],
                                stdout=subprocess.DEVNULL)
    server = None
    environment = {**{k: v for k, v in os.environ.items() if not k.startswith("SELENE_")}, "HOME": str(scratch),
                   "OLLAMA_HOST": f"http://127.0.0.1:{port}", "SELENE_LOG_LEVEL": "error"}

    def run(*arguments, database):
        started = time.perf_counter()
        result = subprocess.run([selene, *arguments, "--database", str(database)], env=environment, capture_output=True,
                                text=True)
        if result.returncode != 0:
            raise SystemExit(f"{arguments}: {result.stderr}")
        return time.perf_counter() - started, result.stdout

    try:
        wait_for(port)
        print(f"upstream: {COST} s a text, {DIMENSIONS} dimensions, batches of {BATCH}")
        for size in sizes:
            corpus = list(notes(size))
            file = scratch / "notes.jsonl"
            file.write_text("".join(json.dumps(note) + "\n" for note in corpus))
            database = scratch / f"{size}.sqlite"
            run("ingest", str(file), database=database)
            texts = [f"search_document: {note['title']}\n{note['content']}" for note in corpus]
            sample = texts[:min(size, 20_000)]
            best = ceiling(port, sample)
            _, output = run("backfill", "--json", *CALLS, database=database)
            summary = json.loads(output.splitlines()[-1])
            rate = summary["embedded"] / summary["seconds"]
            after = ceiling(port, sample)
            best = (best + after) / 2
            share = rate / best
            again, _ = run("backfill", database=database)
            print(f"{size:>7} notes: {rate:8.0f} notes/s, ceiling {best:8.0f}, {100 * rate / best:5.1f}%; "
                  f"{1e6 * (1 / rate - 1 / best):6.0f} us a note beyond the upstream; nothing to do: {again:.2f} s")

        # Questions while a server embeds, compared with a server on the same database that does not.
        database = scratch / f"{sizes[0]}.sqlite"
        more = scratch / "more.jsonl"
        more.write_text("".join(json.dumps({**note, "id": "m" + note["id"], "title": "more " + note["title"]}) + "\n"
                                for note in notes(20_000)))
        run("ingest", str(more), database=database)
        seconds = float(os.environ.get("SECONDS_OF_QUESTIONS", "15"))
        number = 0

        def embedded():
            return json.loads(run("backfill", "status", "--json", database=database)[1])["spaces"][0]["embedded"]

        def ask(mode):
            nonlocal number, server
            server = subprocess.Popen([selene, "serve", "--port", str(gateway_port), "--database", str(database)],
                                      env={**environment, "SELENE_BACKFILL": mode}, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL)
            wait_for(gateway_port)
            connection = http.client.HTTPConnection("127.0.0.1", gateway_port)
            start = embedded()
            retrieve(connection, "warm")
            while mode == "auto" and embedded() == start:
                time.sleep(0.1)
            start, times, end = embedded(), [], time.time() + seconds
            while time.time() < end:
                number += 1
                took, source = retrieve(connection, f"tide and moon {number}")
                assert source == "hybrid", source
                times.append(took)
                time.sleep(0.05)
            done = embedded() - start
            connection.close()
            server.terminate()
            server.wait(timeout=30)
            server = None
            return times, done

        idle, _ = ask("off")
        busy, done = ask("auto")
        report("backfill.of_ceiling", share)
        report("backfill.questions_p95", p95(busy) / p95(idle))
        print(f"questions: p50 {statistics.median(idle):.1f} ms, p95 {p95(idle):.1f} ms at rest; "
              f"p50 {statistics.median(busy):.1f} ms, p95 {p95(busy):.1f} ms while {done} notes were embedded; "
              f"p95 x {p95(busy) / p95(idle):.2f}")
    finally:
        if server:
            server.terminate()
            server.wait(timeout=30)
        upstream.terminate()
        upstream.wait(timeout=10)
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
