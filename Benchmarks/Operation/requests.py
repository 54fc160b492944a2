#!/usr/bin/env python3
"""Measures the log of requests: pages of a million rows, and what the log costs each request.

    requests.py [--rows 1000000] [--rounds 20] [--load 20000]

Fills the file as a busy week does: chats, notes, health checks, few failures, many keys and models. Prints the median and
the worst time of each page in milliseconds, the rows a second of the writer's own batches, and the processor time of a
request to /health with the log and without it.
"""
import argparse
import http.client
import json
import os
import pathlib
import random
import sqlite3
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Scripts"))
import stand  # noqa: E402

from lib.figures import report  # noqa: E402

COLUMNS = ("at, class, method, route, path, status, phase, key_id, key, model, upstream, error, request_id, flags, queued, "
           "first_token, total, prompt, generated, received, sent")


def rows(count):
    """A week of requests, oldest first."""
    chance = random.Random(11)
    begin = int(time.time() * 1000) - 6 * 86_400_000
    step = 6 * 86_400_000 // count
    for number in range(count):
        place = chance.random()
        key = chance.randrange(1, 40)
        status, error = (200, None) if chance.random() > 0.004 else chance.choice(((404, "not_found"), (429, "overloaded"), (503, "upstream_unreachable")))
        model = first = tokens = None
        if place < 0.3:
            method, route, path, model = "POST", "/api/chat", "/api/chat", f"model-{chance.randrange(12)}"
            first, tokens = chance.randrange(50_000, 900_000), chance.randrange(10, 900)
        elif place < 0.8:
            method, route, path = "GET", "/api/notes/{id}", f"/api/notes/{chance.randrange(100_000)}"
        else:
            method, route, path, key = "GET", "/health", "/health", None
        yield (begin + number * step, status // 100, method, route, path, status, "done", key, key and f"key {key}", model, None, error,
               f"{number:016x}", 0, 100 if model else None, first, 5000 + (tokens or 0) * 9000, tokens, tokens, 300, 2000)


def fill(path, count):
    database = sqlite3.connect(path, timeout=60)
    marks = ", ".join("?" * 21)
    begin = time.perf_counter()
    with database:
        database.executemany(f"INSERT INTO request ({COLUMNS}) VALUES ({marks})", rows(count))
    seconds = time.perf_counter() - begin
    database.close()
    return seconds


def pages(s):
    """The pages of the console, by name; the deep one is after half of all rows."""
    middle = time.strftime("%Y-%m-%d", time.gmtime(time.time() - 3 * 86_400))
    second = json.loads(s.get("/api/requests?limit=500"))["next_cursor"]
    return {
        "latest": "/api/requests?limit=50",
        "latest, 500 rows": "/api/requests?limit=500",
        "second page of 500": f"/api/requests?limit=500&cursor={second}",
        "before the middle": f"/api/requests?limit=50&until={middle}",
        "failures": "/api/requests?limit=50&status=5xx",
        "status 429": "/api/requests?limit=50&status=429",
        "status 200": "/api/requests?limit=50&status=200",
        "a key": "/api/requests?limit=50&key=17",
        "a route": "/api/requests?limit=50&route=/api/chat",
        "a model": "/api/requests?limit=50&model=model-7",
        "a key's failures of a route": "/api/requests?limit=50&key=17&status=503&route=/api/chat",
        "text, common": "/api/requests?limit=50&text=notes",
        "text, rare": "/api/requests?limit=50&text=notes/4711",
        "text, in no path": "/api/requests?limit=50&text=nowhere",
    }


def timed(s, path):
    begin = time.perf_counter()
    s.get(path)
    return (time.perf_counter() - begin) * 1e3


def cost(count, setting):
    """Processor time of the gateway for each request to a plain route, in microseconds."""
    with stand.Stand(settings={"SELENE_BACKFILL": "off", "SELENE_REQUEST_LOG": setting, "SELENE_LOG_LEVEL": "notice"}) as s:
        host = s.url.removeprefix("http://")
        connection = http.client.HTTPConnection(host)

        def ask(number):
            for _ in range(number):
                connection.request("GET", "/health", headers={"Authorization": f"Bearer {s.token}"})
                connection.getresponse().read()

        def spent():
            fields = pathlib.Path(f"/proc/{s.gateway_process.pid}/stat").read_text().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

        ask(2000)
        before = spent()
        ask(count)
        # The last batch of the writer is part of the price.
        time.sleep(2)
        return (spent() - before) / count * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the log (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=20, help="rounds of all pages (default: %(default)s)")
    parser.add_argument("--load", type=int, default=20_000, help="requests for the cost of each; 0: none (default: %(default)s)")
    options = parser.parse_args()
    with stand.Stand(settings={"SELENE_BACKFILL": "off"}) as s:
        path = s.folder / "notes.sqlite.requests"
        seconds = fill(path, options.rows)
        size = sum(file.stat().st_size for file in s.folder.glob("notes.sqlite.requests*"))
        print(f"{options.rows:,} rows, {size / options.rows:.0f} bytes each; filled with {options.rows / seconds:,.0f} rows/s by another program")
        asked = pages(s)
        times = {name: [] for name in asked}
        for _ in range(options.rounds):
            for name, path in asked.items():
                times[name].append(timed(s, path))
        print(f"\n{'milliseconds':30} {'median':>8} {'worst':>8}")
        for name in asked:
            print(f"{name:30} {statistics.median(times[name]):8.1f} {max(times[name]):8.1f}")
        slowest = max(asked, key=lambda name: statistics.median(times[name]))
        print(f"\nslowest page: {slowest}, {statistics.median(times[slowest]):.1f} ms")
        report("requests.slowest_page_ms", statistics.median(times[slowest]))
    if options.load:
        # In turns, so that a change of the machine's pace is in both.
        found = {setting: [] for setting in ("on", "off")}
        for _ in range(3):
            for setting, values in found.items():
                values.append(cost(options.load, setting))
        means = {setting: statistics.median(values) for setting, values in found.items()}
        print(f"processor time of a request to /health: {means['on']:.1f} us with the log, {means['off']:.1f} us without it")
        report("requests.cost_us", means["on"] - means["off"])


if __name__ == "__main__":
    main()
