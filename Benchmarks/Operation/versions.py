#!/usr/bin/env python3
"""Processor time that two builds of the gateway take for the same work over a SQLite file: ingest, backfill, captures, searches,
chats, goals, the log of requests, pushes.

    versions.py --before PATH [--after PATH] [--rounds 5] [--scale 1.0]

In each round the builds take turns, each with a new database, so that both meet the same load. Prints microseconds of processor time
for a unit: the least of the rounds, which a busy machine changes least, and after against before. Exits with 1 if a unit costs more
than --most percent more.
"""
import argparse
import http.client
import json
import os
import pathlib
import random
import subprocess
import sys
import time

from lib.environment import BIN
from lib.notes import notes
from lib.processes import CPU, Field, clean_environment

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Push"))


class Caller:
    """One kept connection."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def ask(self, method, path, body=None):
        self.connection.request(method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json"})
        reply = self.connection.getresponse()
        text = reply.read()
        if reply.status >= 300:
            raise SystemExit(f"{method} {path}: {reply.status} {text[:300]}")
        return json.loads(text) if text[:1] in (b"{", b"[") else text


def command(binary, *arguments, **settings):
    """Runs a command to its end; returns its CPU time."""
    process = subprocess.Popen([binary, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               env={**clean_environment(), **settings})
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{binary} {arguments} ended with {process.returncode}: {errors.decode()[-500:]}")
    return CPU(usage.ru_utime, usage.ru_stime).total


def settled(server):
    """Waits until a server has nothing to do; returns its CPU time."""
    last = server.cpu().total
    while True:
        time.sleep(0.5)
        now = server.cpu().total
        if now - last <= 0.02:
            return now
        last = now


def requests(server, count, ask):
    """CPU microseconds of a request."""
    before = settled(server)
    for number in range(count):
        ask(number)
    return (settled(server) - before) * 1e6 / count


def chats(server, count):
    """CPU microseconds of an answered question."""
    caller = Caller(server.port)

    def ask(number):
        run = caller.ask("POST", "/api/chat/runs", {"id": f"run-{number}", "question": f"what of tide {number}?", "kind": "ask", "model": "llama3.2:3b"})
        caller.ask("GET", f"/api/chat/runs/{run['id']}/events")

    return requests(server, count, ask)


def pushes(field, binary, devices, messages):
    """CPU microseconds of a push, from the request through the outbox to the synthetic APNs."""
    import outbox
    folder = field.folder / f"push-{time.monotonic_ns()}"
    folder.mkdir()
    stand_in = outbox.StandIn(folder)
    try:
        server = field.gateway(folder.name, field.servers[0], binary=binary, log="error", backfill="off", push_apns_key=folder / "key.p8",
                               push_apns_key_id="ABC123DEFG", push_apns_team_id="TEAM123456", push_bundle_id="com.example.app",
                               push_apns_origin=stand_in.origin, push_apns_authorities=folder / "ca.crt")
        caller = Caller(server.port)
        for number in range(devices):
            caller.ask("POST", "/api/v1/devices", {"name": f"phone {number}", "apnsToken": f"{number:064x}"})
        caller.ask("POST", "/api/v1/messages", {"message": {"title": "first"}})
        sent = outbox.wait_for(stand_in, devices)["accepted"]
        _, cost = outbox.burst(server, stand_in, messages, devices, sent)
        server.stop()
        return cost
    finally:
        stand_in.stop()


def measured(field, binary, scale):
    """CPU microseconds of each unit."""
    def size(count):
        return max(1, int(count * scale))

    upstream, folder = field.servers[0], field.folder
    found = {}
    database = folder / f"notes-{time.monotonic_ns()}.sqlite"
    settings = {"SELENE_DATABASE": str(database), "OLLAMA_HOST": f"127.0.0.1:{upstream.port}", "HOME": str(folder)}
    file, count = folder / "notes.jsonl", size(20_000)
    if not file.exists():
        with file.open("w") as lines:
            for note in notes(count, random.Random(11)):
                lines.write(json.dumps(note | {"id": f"note-{note['id']}"}) + "\n")
    found["a note ingested"] = command(binary, "ingest", file, **settings) * 1e6 / count
    found["a note embedded"] = command(binary, "backfill", "--limit", size(5000), **settings) * 1e6 / size(5000)
    server = field.gateway(database.stem, upstream, binary=binary, log="error", database=database, backfill="off", embed_model="nomic-embed-text")
    caller = Caller(server.port)
    caller.ask("POST", "/api/notes/retrieve", {"query": "tide"})
    found["a note captured"] = requests(server, size(1000), lambda number: caller.ask(
        "POST", "/api/notes", {"title": f"capture {number}", "content": f"the gauge was {number % 400} cm above the mark"}))
    found["a hybrid search"] = requests(server, size(300), lambda number: caller.ask(
        "POST", "/api/notes/retrieve", {"query": f"tide gauge {number}", "limit": 10}))
    found["a question answered"] = chats(server, size(100))
    found["an action logged"] = requests(server, size(500), lambda number: caller.ask(
        "POST", "/api/actions", {"title": f"Run {number % 20}", "amounts": [{"amount": 5, "unit": "km"}]}))
    found["a page of actions"] = requests(server, size(200), lambda number: caller.ask("GET", "/api/actions?limit=50"))
    found["a request logged (/health)"] = requests(server, size(3000), lambda number: caller.ask("GET", "/health"))
    server.stop()
    found["a push"] = pushes(field, binary, size(200), 5)
    return found


def main():
    parser = argparse.ArgumentParser(prog="bench.py versions", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=pathlib.Path, required=True, help="the earlier binary")
    parser.add_argument("--after", type=pathlib.Path, default=BIN / "selene", help="the later binary (default: the release build)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1, help="share of the usual work")
    parser.add_argument("--most", type=float, default=3, help="percent that a unit may cost more")
    options = parser.parse_args()
    least = {"before": {}, "after": {}}
    with Field() as field:
        field.fake_ollama()
        for turn in range(options.rounds):
            order = [("before", options.before), ("after", options.after)]
            for name, binary in order if turn % 2 == 0 else reversed(order):
                for unit, cost in measured(field, binary.resolve(), options.scale).items():
                    least[name][unit] = min(cost, least[name].get(unit, cost))
                    print(f"  round {turn + 1}, {name}: {unit}: {cost:,.0f} us", flush=True)
    print("\n| processor time of | before, us | after, us | after against before |\n|---|---:|---:|---:|")
    worst = 0
    for unit, before in least["before"].items():
        after = least["after"][unit]
        change = (after / before - 1) * 100
        worst = max(worst, change)
        print(f"| {unit} | {before:,.0f} | {after:,.0f} | {change:+.1f}% |")
    sys.exit(1 if worst > options.most else 0)


if __name__ == "__main__":
    main()
