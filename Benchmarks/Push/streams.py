#!/usr/bin/env python3
"""Measures 1,000 open streams of notifications, and the pages of a log with a million deliveries.

    streams.py [--streams 1000] [--messages 50] [--rows 1000000]

Streams: half of the clients read `/api/v1/stream` of one device, the others its WebSocket, while messages are sent one after another. Prints the time from a request
to its arrival at the last client, the memory that a stream adds, and the processor time while nothing happens. Exits with 1 if a
client missed a message or got one twice.

Log: prints the time of a page of 100 deliveries at the start, in the middle and at the end, and of pages of one device, of one topic
and of a status that no delivery has.
"""
import argparse
import asyncio
import json
import os
import resource
import sqlite3
import statistics
import time
import urllib.request
import uuid

from lib import environment, figures, processes

BIN = environment.ROOT / ".build" / os.environ.get("CONFIGURATION", "release")
TOPICS, DEVICES = 10, 20


def ask(server, method, path, body=None):
    """Sends a request with an optional JSON body; returns the reply and the milliseconds that it took."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{server.port}{path}", None if body is None else json.dumps(body).encode(),
        {"Content-Type": "application/json"}, method=method)
    begin = time.perf_counter()
    with urllib.request.urlopen(request, timeout=60) as reply:
        text = reply.read()
    return json.loads(text or b"null"), (time.perf_counter() - begin) * 1000


def serve(field, name, database):
    port = processes.free_port()
    return field.start(
        name, [BIN / "selene", "serve", "--port", port], port,
        {"SELENE_DATABASE": str(database), "SELENE_BACKFILL": "off", "SELENE_LOG_LEVEL": "error",
         "SELENE_MAX_CONNECTIONS": "2000", "HOME": str(field.folder)})


class Reader:
    """A client of a stream: which messages came, and when."""

    def __init__(self):
        self.came = {}
        self.repeats = 0
        self.is_open = asyncio.Event()

    def take(self, title):
        self.repeats += title in self.came
        self.came[title] = time.perf_counter()


class EventReader(Reader):
    """Reads server-sent events."""

    async def read(self, port, device):
        device = device["id"]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET /api/v1/stream?device={device} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        try:
            while line := await reader.readline():
                if line.startswith(b": open"):
                    self.is_open.set()
                if line.startswith(b"data: "):
                    self.take(json.loads(line[6:]).get("message", {}).get("title"))
        finally:
            writer.close()


class SocketReader(Reader):
    """Reads the WebSocket."""

    async def read(self, port, device):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                     b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n")
        try:
            while (line := await reader.readline()) != b"\r\n":
                if not line:
                    raise SystemExit("the WebSocket was refused")
            self.send(writer, 1, json.dumps({"type": "auth", "token": device["registrationToken"]}).encode())
            while True:
                first, length = await reader.readexactly(2)
                if length == 126:
                    length = int.from_bytes(await reader.readexactly(2))
                elif length == 127:
                    length = int.from_bytes(await reader.readexactly(8))
                payload = await reader.readexactly(length)
                if first & 15 == 9:
                    self.send(writer, 10, payload)
                if first & 15 != 1:
                    continue
                message = json.loads(payload)
                if message["type"] == "auth_ok":
                    self.is_open.set()
                if message["type"] == "notification":
                    self.take(message["payload"]["title"])
        except asyncio.IncompleteReadError:
            pass
        finally:
            writer.close()

    @staticmethod
    def send(writer, kind, payload):
        # A mask of zeros leaves the payload as it is.
        length = bytes([0x80 | len(payload)]) if len(payload) < 126 else b"\xfe" + len(payload).to_bytes(2)
        writer.write(bytes([0x80 | kind]) + length + bytes(4) + payload)


async def fan_out(server, device, count, messages):
    """Opens the streams and sends messages; returns the readers, the memory, the idle share and the milliseconds."""
    before = server.memory("VmRSS")
    readers = [EventReader() if number % 2 else SocketReader() for number in range(count)]
    tasks = []
    for begin in range(0, count, 100):
        tasks += [asyncio.create_task(reader.read(server.port, device)) for reader in readers[begin:begin + 100]]
        await asyncio.gather(*(asyncio.wait_for(reader.is_open.wait(), 30) for reader in readers[begin:begin + 100]))
    await asyncio.sleep(2)
    memory = server.memory("VmRSS") - before
    spent, begin = server.cpu(), time.perf_counter()
    await asyncio.sleep(5)
    idle = (server.cpu() - spent).total / (time.perf_counter() - begin)
    times = []
    for number in range(messages):
        begin, title = time.perf_counter(), f"message {number}"
        await asyncio.to_thread(ask, server, "POST", "/api/v1/messages", {"message": {"title": title}})
        end = begin + 30
        while time.perf_counter() < end and not all(title in reader.came for reader in readers):
            await asyncio.sleep(0.002)
        times.append(1000 * (max(reader.came.get(title, end) for reader in readers) - begin))
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return readers, memory, idle, times


def measure_streams(count, messages):
    with processes.Field() as field:
        server = serve(field, "gateway", field.folder / "streams.sqlite")
        device, _ = ask(server, "POST", "/api/v1/devices", {"name": "desk", "stream": True})
        readers, memory, idle, times = asyncio.run(fan_out(server, device, count, messages))
    expected = {f"message {number}" for number in range(messages)}
    wrong = sum(set(reader.came) != expected or reader.repeats > 0 for reader in readers)
    times.sort()
    last = times[min(len(times) - 1, len(times) * 99 // 100)]
    print(f"{count} streams, half of them WebSockets: a message at all of them after p50 {statistics.median(times):.1f} ms, p99 {last:.1f} ms; "
          f"{memory * 1024 / count:.1f} KiB a stream, {idle * 100:.1f} % of a core idle, {wrong} with a gap or a repeat")
    figures.report("push.streams_p99_ms", last)
    figures.report("push.streams_kib", memory * 1024 / count)
    return wrong == 0


def fill(path, rows):
    """Stores deliveries that were sent, straight into the file."""
    now = int(time.time() * 1000)
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA synchronous = OFF")
        devices = [
            database.execute(
                "INSERT INTO gateway_push_devices (uuid, name, channel, address, target, registered_at, created_at, updated_at) "
                "VALUES (?, ?, 'stream', ?, '{}', ?, ?, ?)",
                (str(uuid.uuid4()), f"device {number}", f"bench {number}", now, now, now)).lastrowid
            for number in range(DEVICES)]
        database.executemany(
            "INSERT INTO gateway_push_messages (id, uuid, topic, priority, body, source, created_at, updated_at) "
            "VALUES (?, ?, ?, 3, ?, 'api', ?, ?)",
            ((n, str(uuid.UUID(int=n)), f"topic-{n % TOPICS}", b'{"title":"message %d"}' % n, now, now)
             for n in range(1, rows + 1)))
        database.executemany(
            "INSERT INTO gateway_push_deliveries (uuid, message_id, device_id, channel, state, due, sent_at, created_at, updated_at) "
            "VALUES (?, ?, ?, 'stream', 2, ?, ?, ?, ?)",
            ((str(uuid.UUID(int=2**100 + n)), n, devices[n % DEVICES], now, now, now, now) for n in range(1, rows + 1)))


def measure_log(rows):
    with processes.Field() as field:
        path = field.folder / "log.sqlite"
        serve(field, "gateway that makes the tables", path).stop()
        fill(path, rows)
        server = serve(field, "gateway", path)
        devices, _ = ask(server, "GET", "/api/v1/devices?limit=1")
        device = devices["devices"][0]["id"]
        first, _ = ask(server, "GET", "/api/v1/log?limit=100")
        cursor = first["nextCursor"]
        # Ids only fall from page to page, so one walk with large pages leads to the middle and the end.
        places, page = {"start": ""}, first
        for step in range(1, rows // 500 + 2):
            if not page.get("nextCursor"):
                break
            cursor = page["nextCursor"]
            page, _ = ask(server, "GET", f"/api/v1/log?limit=500&cursor={cursor}")
            if step == rows // 1000:
                places["middle"] = f"&cursor={cursor}"
        places["end"] = f"&cursor={cursor}"
        worst = 0
        for name, query in [*places.items(), ("one device", f"&device={device}"), ("one topic", "&topic=topic-3"),
                            ("no such status", "&status=failed")]:
            times = sorted(ask(server, "GET", f"/api/v1/log?limit=100{query}")[1] for _ in range(20))
            worst = max(worst, times[-2])
            print(f"{rows:,} deliveries, {name}: p50 {statistics.median(times):.1f} ms, p95 {times[-2]:.1f} ms")
    figures.report("push.log_page_ms", worst)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--streams", type=int, default=1000)
    parser.add_argument("--messages", type=int, default=50)
    parser.add_argument("--rows", type=int, default=1_000_000)
    options = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192) if hard > 0 else 8192, hard))
    is_whole = measure_streams(options.streams, options.messages)
    measure_log(options.rows)
    raise SystemExit(0 if is_whole else 1)


main()
