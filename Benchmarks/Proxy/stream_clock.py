"""Many slow streams and one clock: an upstream that stamps each line, and a client that reads the stamps.

Each is a single process over epoll, so that 500 streams of 20 lines per second cost little.
"""
import dataclasses
import heapq
import re
import select
import socket
import sys
import time

from lib.processes import CPU

LINE = (b'{"model":"llama3.2","created_at":"2026-01-01T00:00:00.000000Z","message":{"role":"assistant","content":" tide"},'
        b'"stamp":%019d,"done":false}\n')
STAMP = re.compile(rb'"stamp":(\d{19})')
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"


def serve(port, rate):
    """The upstream: sends each request an endless stream of `rate` lines per second, with evenly spread phases."""
    listener = socket.create_server(("127.0.0.1", port), backlog=1024)
    listener.setblocking(False)
    poll = select.epoll()
    poll.register(listener, select.EPOLLIN)
    clients, due, started = {}, [], 0
    while True:
        now = time.monotonic_ns()
        timeout = max(0, (due[0][0] - now) / 1e9) if due else -1
        for descriptor, _ in poll.poll(timeout):
            if descriptor == listener.fileno():
                client, _ = listener.accept()
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                client.setblocking(False)
                clients[client.fileno()] = client
                poll.register(client, select.EPOLLIN)
                continue
            client = clients[descriptor]
            try:
                data = client.recv(65536)
            except OSError:
                data = b""
            if not data:
                poll.unregister(descriptor)
                clients.pop(descriptor).close()
            elif b"\r\n\r\n" in data:
                client.send(HEAD)
                # Multiples of the golden ratio, so that no two streams send at the same time.
                started += 1
                phase = int((started * 0.6180339887 % 1) * 1e9 / rate)
                heapq.heappush(due, (time.monotonic_ns() + phase, descriptor, client))
        now = time.monotonic_ns()
        while due and due[0][0] <= now:
            at, descriptor, client = heapq.heappop(due)
            if clients.get(descriptor) is not client:
                continue
            line = LINE % time.monotonic_ns()
            try:
                client.send(b"%x\r\n%s\r\n" % (len(line), line))
            except OSError:
                continue
            heapq.heappush(due, (at + int(1e9 / rate), descriptor, client))


@dataclasses.dataclass
class Run:
    """The client's figures of all streams together, and the server's CPU time and memory."""
    delays: list
    """Microseconds from stamp to arrival, for each line."""
    split: int
    """The number of HTTP chunks that ended within a line."""
    cpu: CPU
    resident: float
    anonymous: float


def measure(port, streams, warm, seconds, key, server):
    """The client: opens all streams, warms up for `warm` seconds, and measures for `seconds`."""
    poll = select.epoll()
    connections = {}
    head = "POST /api/chat HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    head += f"Authorization: Bearer {key}\r\n" if key else ""
    request = head.encode() + b"Content-Length: %d\r\n\r\n%s"
    body = b'{"model":"llama3.2","messages":[{"role":"user","content":"tide"}]}'
    for _ in range(streams):
        connection = socket.create_connection(("127.0.0.1", port))
        connection.send(request % (len(body), body))
        connection.setblocking(False)
        poll.register(connection, select.EPOLLIN)
        connections[connection.fileno()] = [connection, b"", False]
    delays, split, spent = [], 0, None
    begin = time.monotonic() + warm
    end = begin + seconds
    while (now := time.monotonic()) < end:
        if spent is None and now >= begin:
            spent = server.cpu()
        for descriptor, _ in poll.poll(0.5):
            state = connections[descriptor]
            data = state[0].recv(262144)
            arrived = time.monotonic_ns()
            if not data:
                raise SystemExit(f"a stream ended: {state[1][:200]}")
            rest = state[1] + data
            if not state[2]:
                head, mark, rest = rest.partition(b"\r\n\r\n")
                if not mark:
                    state[1] = head
                    continue
                if b" 200 " not in head[:20]:
                    raise SystemExit(head.decode())
                state[2] = True
            while True:
                size, mark, after = rest.partition(b"\r\n")
                if not mark or len(after) < int(size, 16) + 2:
                    break
                length = int(size, 16)
                chunk, rest = after[:length], after[length + 2:]
                split += not chunk.endswith(b"\n")
                if spent is not None:
                    delays.extend((arrived - int(stamp)) / 1e3 for stamp in STAMP.findall(chunk))
            state[1] = rest
    run = Run(delays, split, server.cpu() - spent, server.memory("VmRSS"), server.memory("RssAnon"))
    for state in connections.values():
        state[0].close()
    return run


if __name__ == "__main__":
    serve(int(sys.argv[1]), float(sys.argv[2]))
