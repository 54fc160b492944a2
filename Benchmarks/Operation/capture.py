#!/usr/bin/env python3
"""Measures durable captures of notes: 50 concurrent clients, a key, the default log.

    capture.py [--clients 50] [--notes 10000] [--strace]

Each client sends POST /api/notes on its own connection, one request after another. Prints captures per second,
milliseconds per capture and, with --strace, the number of file syncs (which slows the run). Exits with 1 if a note
with status 201 is not in the database, or if the rate is below --least per second.
"""
import argparse
import asyncio
import pathlib
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Scripts"))
import stand  # noqa: E402


async def client(port, key, numbers, times, stored):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for number in numbers:
        body = b'{"title":"capture %d","content":"the tide at the gauge was %d cm above the mark"}' % (number, number % 400)
        begin = time.perf_counter()
        writer.write(b"POST /api/notes HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"
                     b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (key, len(body), body))
        head = await reader.readuntil(b"\r\n\r\n")
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
        await reader.readexactly(int(fields[b"content-length"]))
        times.append(time.perf_counter() - begin)
        if head.startswith(b"HTTP/1.1 201"):
            stored.append(number)
        else:
            raise SystemExit(head.decode())
    writer.close()


async def load(port, key, clients, notes, first):
    times, stored, numbers = [], [], iter(range(first, first + notes))
    begin = time.perf_counter()
    await asyncio.gather(*(client(port, key, numbers, times, stored) for _ in range(clients)))
    return time.perf_counter() - begin, sorted(times), stored


def synchronised(output):
    """The number of sync calls by name, from strace's summary."""
    counts = {}
    for line in output.splitlines():
        words = line.split()
        if words and words[-1] in ("fsync", "fdatasync"):
            counts[words[-1]] = int(words[3])
    return counts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--least", type=float, default=0)
    parser.add_argument("--strace", action="store_true")
    options = parser.parse_args()
    with stand.Stand(settings={"SELENE_BACKFILL": "off"}) as s:
        key = s.key("phone", "notes:write").encode()
        time.sleep(0.5)
        port = int(s.url.rsplit(":", 1)[1])
        asyncio.run(load(port, key, options.clients, 500, 0))
        tracer = None
        if options.strace:
            tracer = subprocess.Popen(
                ["strace", "-c", "-f", "-e", "trace=fsync,fdatasync", "-p", str(s.gateway_process.pid)],
                stderr=subprocess.PIPE, text=True)
            time.sleep(1)
        seconds, times, stored = asyncio.run(load(port, key, options.clients, options.notes, 500))
        rate = len(stored) / seconds
        print(f"{len(stored)} captures by {options.clients} clients in {seconds:.2f} s: {rate:.0f}/s, "
              f"p50 {times[len(times) // 2] * 1000:.1f} ms, p99 {times[len(times) * 99 // 100] * 1000:.1f} ms")
        if tracer:
            tracer.send_signal(2)
            calls = synchronised(tracer.communicate(timeout=30)[1])
            print(f"synchronised: {calls}, a call for {len(stored) / max(1, sum(calls.values())):.1f} captures")
        with sqlite3.connect(s.folder / "notes.sqlite") as database:
            held = {row[0] for row in database.execute("SELECT title FROM raw_notes")}
        lost = [number for number in stored if f"capture {number}" not in held]
        print(f"{len(lost)} lost")
    sys.exit(1 if lost or rate < options.least else 0)


if __name__ == "__main__":
    main()
