"""A client of HTTP/2 over TLS with PyPI's h2, kind or hostile. Prints what happened as one JSON object.

    h2_client.py PORT AUTHORITY MODE [ARGUMENT]

Each function of MODES is a mode; its docstring says what it does.
"""
import json
import socket
import ssl
import sys
import time

from h2.config import H2Configuration
from h2.connection import ConnectionInputs, ConnectionState, H2Connection, H2ConnectionStateMachine
from h2.events import (ConnectionTerminated, DataReceived, PingAckReceived, ResponseReceived, SettingsAcknowledged, StreamEnded,
                       StreamReset)
from h2.exceptions import ProtocolError
from h2.settings import SettingCodes
from hyperframe.frame import ContinuationFrame, HeadersFrame, PingFrame, SettingsFrame, WindowUpdateFrame

PORT, AUTHORITY, MODE = int(sys.argv[1]), sys.argv[2], sys.argv[3]
ARGUMENT = sys.argv[4] if len(sys.argv) > 4 else ""
GENERATE = b'{"model":"llama3.2","prompt":"x"}'
LONGEST = 30
# h2 takes a GOAWAY for the end of the connection, but the streams that are open go on (RFC 9113, 6.8).
H2ConnectionStateMachine._transitions[(ConnectionState.CLIENT_OPEN, ConnectionInputs.RECV_GOAWAY)] = (
    None, ConnectionState.CLIENT_OPEN)


class Client:
    """One connection. `streams` has what came for each stream."""

    def __init__(self, settings=None, window=True, preface=True):
        context = ssl.create_default_context(cafile=AUTHORITY)
        context.set_alpn_protocols(["h2"])
        self.socket = context.wrap_socket(
            socket.create_connection(("127.0.0.1", PORT), timeout=LONGEST), server_hostname="localhost")
        assert self.socket.selected_alpn_protocol() == "h2"
        self.h2 = H2Connection(H2Configuration(
            client_side=True, header_encoding="utf-8", validate_outbound_headers=False,
            normalize_outbound_headers=False))
        self.window, self.streams, self.goaways, self.is_over, self.acknowledged = window, {}, [], False, 0
        self.pongs = 0
        if preface:
            self.h2.initiate_connection()
            if settings:
                self.h2.update_settings(settings)
            self.flush()
            self.wait(lambda: self.acknowledged == (2 if settings else 1))

    def flush(self):
        data = self.h2.data_to_send()
        if data:
            self.send(data)

    def send(self, data):
        """Sends bytes as they are; a connection that ended takes none."""
        try:
            self.socket.sendall(data)
        except OSError:
            self.is_over = True

    def request(self, method, path, body=None, headers=(), end=True, raw=None):
        """Sends a request and returns its stream; `raw` replaces all headers."""
        stream = self.h2.get_next_available_stream_id()
        fields = raw if raw is not None else [
            (":method", method), (":scheme", "https"), (":authority", f"localhost:{PORT}"), (":path", path), *headers]
        self.streams[stream] = {"status": 0, "headers": {}, "body": b"", "ended": False, "reset": None}
        self.h2.send_headers(stream, fields, end_stream=end and body is None)
        self.flush()
        if body is not None:
            self.upload(stream, body, end)
        return stream

    def upload(self, stream, body, end):
        rest = body
        while not self.is_over and self.streams[stream]["reset"] is None:
            try:
                room = min(self.h2.local_flow_control_window(stream), self.h2.max_outbound_frame_size)
                part, rest = rest[:room], rest[room:]
                if part or not rest:
                    self.h2.send_data(stream, part, end_stream=end and not rest)
                    self.flush()
            except ProtocolError:
                return
            if not rest:
                return
            if not self.h2.local_flow_control_window(stream):
                self.read(1)

    def read(self, seconds=LONGEST):
        """Reads what is there. Returns whether anything came; the end of the connection counts."""
        has_read = self.is_over
        patience = max(0.01, seconds)
        while not self.is_over:
            self.socket.settimeout(patience)
            # A record of TLS at a time.
            try:
                data = self.socket.recv(65536)
            except (TimeoutError, ssl.SSLWantReadError):
                break
            except OSError:
                data = b""
            has_read, patience = True, 0.001
            if not data:
                self.is_over = True
                break
            for event in self.h2.receive_data(data):
                self.take(event)
            self.flush()
        return has_read

    def take(self, event):
        stream = self.streams.get(getattr(event, "stream_id", None))
        match event:
            case ResponseReceived():
                stream["headers"] = dict(event.headers)
                stream["status"] = int(stream["headers"][":status"])
            case DataReceived():
                stream["body"] += event.data
                if self.window and event.flow_controlled_length:
                    self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            case StreamEnded():
                stream["ended"] = True
            case PingAckReceived():
                self.pongs += 1
            case StreamReset():
                if stream is not None:
                    stream["reset"] = int(event.error_code)
            case ConnectionTerminated():
                self.goaways.append(int(event.error_code))
            case SettingsAcknowledged():
                self.acknowledged += 1

    def wait(self, holds, seconds=LONGEST):
        """Reads until a condition holds or the connection ends. Returns whether it holds."""
        end = time.monotonic() + seconds
        while not holds():
            left = end - time.monotonic()
            if left <= 0 or self.is_over:
                return bool(holds())
            self.read(left)
        return True

    def is_done(self, stream):
        return self.streams[stream]["ended"] or self.streams[stream]["reset"] is not None

    def answer(self, stream, seconds=LONGEST):
        self.wait(lambda: self.is_done(stream), seconds)
        return self.streams[stream]

    def get(self, path):
        return self.answer(self.request("GET", path))

    def report(self, **more):
        return {"goaways": self.goaways, "over": self.is_over, **more}


def summary(stream):
    return {"status": stream["status"], "bytes": len(stream["body"]), "ended": stream["ended"], "reset": stream["reset"],
            "done": b'"done":true' in stream["body"]}


def kinds():
    """Sends one request of each kind on one connection: routes, the proxy, HEAD, a body without length, large bodies."""
    client = Client()
    long = json.dumps({"prompt": "x" * 90_000}).encode()
    answers = {
        "health": client.get("/health"),
        "version": client.get("/api/version"),
        "head": client.answer(client.request("HEAD", "/api/version")),
        "none": client.get("/none"),
        "models": client.get("/v1/models"),
        "stream": client.answer(client.request("POST", "/api/generate", GENERATE)),
        "route": client.answer(client.request("POST", "/api/llm/generate", long)),
        "socket": client.get("/ws"),
        "page": client.get("/"),
    }
    return client.report(
        answers={name: summary(answer) for name, answer in answers.items()},
        forbidden=[name for answer in answers.values() for name in answer["headers"]
                   if name in ("connection", "keep-alive", "transfer-encoding", "upgrade")],
        nosniff=all(answer["headers"].get("x-content-type-options") == "nosniff" for answer in answers.values()),
        identified="x-request-id" in answers["health"]["headers"])


def streams():
    """Has ARGUMENT streams open at once on one connection, each an answer of the upstream."""
    client = Client()
    opened = [client.request("POST", "/api/generate", GENERATE) for _ in range(int(ARGUMENT))]
    client.wait(lambda: all(client.streams[stream]["status"] for stream in opened))
    most = sum(not client.is_done(stream) for stream in opened)
    client.wait(lambda: all(client.is_done(stream) for stream in opened), 120)
    return client.report(most=most, done=sum(summary(client.streams[stream])["done"] for stream in opened))


def too_many():
    """Opens one stream more than the server allows, although it was told the limit."""
    client = Client()
    limit = client.h2.remote_settings.max_concurrent_streams
    opened = [client.request("POST", "/api/generate", GENERATE) for _ in range(limit)]
    client.wait(lambda: all(client.streams[stream]["status"] for stream in opened))
    client.h2.remote_settings.update({SettingCodes.MAX_CONCURRENT_STREAMS: limit + 1})
    client.h2.remote_settings.acknowledge()
    further = client.request("POST", "/api/generate", GENERATE)
    client.wait(lambda: client.is_done(further), 5)
    return client.report(limit=limit, further=summary(client.streams[further]))


def cancel():
    """Resets a stream after the first part of its answer; the connection goes on."""
    client = Client()
    other = client.request("POST", "/api/generate", GENERATE)
    stream = client.request("POST", "/api/generate", GENERATE)
    client.wait(lambda: client.streams[stream]["body"] and client.streams[other]["body"])
    client.h2.reset_stream(stream, 8)
    client.flush()
    return client.report(other=summary(client.answer(other)), health=summary(client.get("/health")))


def leave():
    """Closes the connection within ARGUMENT answers."""
    client = Client()
    opened = [client.request("POST", "/api/generate", GENERATE) for _ in range(int(ARGUMENT))]
    client.wait(lambda: all(client.streams[stream]["body"] for stream in opened))
    client.socket.close()
    return client.report()


def rapid_reset():
    """Opens and resets streams at once, up to 1,000 (CVE-2023-44487)."""
    client = Client()
    count = 0
    while count < 1000 and not client.is_over and not client.goaways:
        stream = client.h2.get_next_available_stream_id()
        client.streams[stream] = {"status": 0, "headers": {}, "body": b"", "ended": False, "reset": None}
        client.h2.send_headers(stream, [(":method", "POST"), (":scheme", "https"), (":authority", "localhost"),
                                        (":path", "/api/generate")])
        client.h2.send_data(stream, GENERATE, end_stream=True)
        client.h2.reset_stream(stream, 8)
        client.flush()
        count += 1
        if count % 20 == 0:
            # The answer to a PING says that the gateway has read all before it.
            try:
                client.h2.ping(b"12345678")
                client.flush()
                client.wait(lambda: client.pongs == count // 20 or client.goaways or client.is_over, LONGEST)
            except ProtocolError:
                pass
    client.wait(lambda: client.is_over, 5)
    return client.report(count=count)


def flood(frame):
    client = Client()
    count = 0
    while count < 2000 and not client.is_over and not client.goaways:
        client.send(frame() * 10)
        count += 10
        client.read(0.005)
    client.wait(lambda: client.is_over, 5)
    return client.report(count=count)


def pings():
    """Sends up to 2,000 PINGs."""
    return flood(lambda: PingFrame(0, opaque_data=b"12345678").serialize())


def settings():
    """Sends up to 2,000 SETTINGS."""
    return flood(lambda: SettingsFrame(0, settings={3: 100}).serialize())


def window_updates():
    """Sends up to 2,000 WINDOW_UPDATEs."""
    return flood(lambda: WindowUpdateFrame(0, window_increment=1).serialize())


def unknown_frames():
    """Sends up to 2,000 frames of a type that nobody knows."""
    return flood(lambda: bytes([0, 0, 0, 0xEE, 0, 0, 0, 0, 0]))


def unread():
    """Asks for GET ARGUMENT over 12 streams and takes nothing of the answers until its input ends."""
    client = Client(settings={SettingCodes.INITIAL_WINDOW_SIZE: 0})
    opened = [client.request("GET", ARGUMENT) for _ in range(12)]
    client.wait(lambda: all(client.streams[stream]["status"] for stream in opened), 10)
    print("held", flush=True)
    sys.stdin.read()
    statuses = [client.streams[stream]["status"] for stream in opened]
    return {"count": statuses.count(200), "statuses": statuses.count(503)}


def continuations():
    """Sends a header block that never ends, in up to 10,000 parts."""
    client = Client()
    client.send(HeadersFrame(1, data=b"").serialize())
    count = 0
    part = client.h2.encoder.encode([("x-part", "y")])
    while count < 10_000 and not client.is_over and not client.goaways:
        client.send(ContinuationFrame(1, data=part).serialize())
        count += 1
        if count % 10 == 0:
            client.read(0.005)
    client.wait(lambda: client.is_over, 5)
    return client.report(count=count)


def bomb():
    """Names one large header of the table again and again, so that few bytes become many (HPACK bomb)."""
    client = Client()
    fields = [(":method", "GET"), (":scheme", "https"), (":authority", "localhost"), (":path", "/health")]
    block = client.h2.encoder.encode(fields + [("x-bomb", "y" * 3500)])
    again = client.h2.encoder.encode([("x-bomb", "y" * 3500)])
    block += again * 4000
    frame = HeadersFrame(1, data=block, flags=["END_HEADERS", "END_STREAM"])
    client.streams[1] = {"status": 0, "headers": {}, "body": b"", "ended": False, "reset": None}
    client.send(frame.serialize())
    client.wait(lambda: client.is_over, 5)
    return client.report(sent=len(block), again=len(again))


def many_headers():
    """Sends a request with ARGUMENT small headers."""
    client = Client()
    stream = client.request("GET", "/health", headers=[(f"x-{n}", "y") for n in range(int(ARGUMENT))])
    return client.report(answer=summary(client.answer(stream, 10)))


def slow_block():
    """Begins a header block and sends nothing more, beside an open stream; or a byte now and then."""
    client = Client()
    client.request("POST", "/api/generate", b"{", end=False)
    frame = HeadersFrame(3, data=client.h2.encoder.encode([(":method", "GET")])).serialize()
    client.send(frame[:5])
    for byte in frame[5:]:
        if client.wait(lambda: client.is_over, 0.2):
            break
        client.send(bytes([byte]))
    client.wait(lambda: client.is_over, 20)
    return client.report()


def no_preface():
    """Says nothing after the handshake."""
    client = Client(preface=False)
    client.wait(lambda: client.is_over, 20)
    return client.report()


def no_http():
    """Sends bytes that are not HTTP/2."""
    client = Client(preface=False)
    client.send(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" + bytes(range(256)))
    try:
        client.wait(lambda: client.is_over, 20)
    except ProtocolError:
        client.wait(lambda: client.is_over, 20)
    return client.report()


def stall():
    """Takes nothing of a large answer, and nothing of a small one; a third stream with windows goes on."""
    client = Client(settings={SettingCodes.INITIAL_WINDOW_SIZE: 0})
    large = client.request("POST", "/api/generate", GENERATE)
    small = client.request("GET", "/health")
    client.wait(lambda: client.is_done(large) and client.is_done(small), 20)
    third = client.request("GET", "/health")
    client.h2.increment_flow_control_window(10_000, third)
    client.flush()
    return client.report(large=summary(client.streams[large]), small=summary(client.streams[small]),
                         third=summary(client.answer(third)))


def hold():
    """Takes nothing of a large answer until its input ends, then leaves."""
    client = Client(window=False)
    stream = client.request("POST", "/api/generate", GENERATE)
    client.wait(lambda: len(client.streams[stream]["body"]) >= 60_000)
    print("held", flush=True)
    sys.stdin.read()
    return client.report(answer=summary(client.streams[stream]))


def slow_reader():
    """Takes an answer in steps of 30,000 bytes, a fifth of a second apart."""
    client = Client(settings={SettingCodes.INITIAL_WINDOW_SIZE: 30_000}, window=False)
    stream = client.request("POST", "/api/generate", GENERATE)
    taken = 0
    while not client.is_done(stream) and not client.is_over:
        client.read(0.2)
        count = len(client.streams[stream]["body"]) - taken
        if count >= 30_000:
            time.sleep(0.2)
            taken += count
            client.h2.increment_flow_control_window(count)
            client.h2.increment_flow_control_window(count, stream)
            client.flush()
    return client.report(answer=summary(client.streams[stream]))


def rules():
    """Sends requests that break a rule, each on a connection of its own."""
    base = [(":method", "GET"), (":scheme", "https"), (":authority", "localhost"), (":path", "/health")]
    without = {name: [field for field in base if field[0] != name] for name, _ in base}
    cases = {
        "good": base,
        "host alone": without[":authority"] + [("host", "localhost")],
        "host repeated": base + [("host", "localhost")],
        "no authority": without[":authority"],
        "other host": base + [("host", "evil.example")],
        "two hosts": without[":authority"] + [("host", "localhost"), ("host", "evil.example")],
        "rebinding": base[:2] + [("host", "evil.example"), (":path", "/api/version")][::-1],
        "no path": without[":path"],
        "bare path": without[":path"] + [(":path", "health")],
        "absolute path": without[":path"] + [(":path", "http://evil.example/health")],
        "space in path": without[":path"] + [(":path", "/health x")],
        "line in path": without[":path"] + [(":path", "/health\r\nx: y")],
        "connect": [(":method", "CONNECT"), (":authority", "localhost:1")],
        "socket": [(":method", "CONNECT"), (":protocol", "websocket")] + base[1:],
        "connection": base + [("connection", "close")],
        "chunked": base + [("transfer-encoding", "chunked")],
        "upper case": base + [("X-Upper", "y")],
        "late pseudo": [("x-early", "y")] + base,
        "unknown pseudo": base + [(":unknown", "y")],
        "two paths": base + [(":path", "/none")],
        "length": base + [("content-length", "5")],
        "signed length": base + [("content-length", "+0")],
        "line in value": base + [("x-line", "a\r\nb: c")],
        "large value": base + [("x-large", "y" * 20_000)],
    }
    answers = {}
    for name, fields in cases.items():
        client = Client()
        stream = client.request("GET", "", raw=fields)
        answers[name] = {**summary(client.answer(stream, 10)), "over": client.is_over}
        client.socket.close()
    # A block of trailers that does not end the stream, then another.
    client = Client()
    stream = client.request("POST", "/api/generate", GENERATE, end=False)
    for _ in range(2):
        client.send(HeadersFrame(stream, data=client.h2.encoder.encode([("x-trailer", "y")]),
                                 flags=["END_HEADERS"]).serialize())
    answers["two trailers"] = {**summary(client.answer(stream, 10)), "over": client.is_over}
    client = Client()
    stream = client.request("POST", "/api/generate", GENERATE, end=False)
    client.h2.send_headers(stream, [("x-trailer", "y")], end_stream=True)
    client.flush()
    answers["trailers"] = summary(client.answer(stream, 10))
    return {"answers": answers}


def too_large():
    """Sends a body of ARGUMENT bytes to a route that takes less."""
    client = Client()
    stream = client.request("POST", "/api/llm/generate", b"x" * int(ARGUMENT))
    answer = client.answer(stream, 20)
    client.wait(lambda: answer["reset"] is not None or answer["ended"], 10)
    return client.report(answer=summary(answer), health=summary(client.get("/health")))


def slow_body():
    """Begins a body and sends nothing more; the connection goes on."""
    client = Client()
    opened = [client.request("POST", path, b"{", end=False) for path in ("/api/generate", "/api/llm/generate")]
    answers = {name: summary(client.answer(stream, 20)) for name, stream in zip(("proxied", "own"), opened)}
    return client.report(answers=answers, health=summary(client.get("/health")))


def shutdown():
    """Begins an answer and waits; the server shuts down within it."""
    client = Client()
    stream = client.request("POST", "/api/generate", GENERATE)
    client.wait(lambda: client.streams[stream]["body"])
    print("begun", flush=True)
    answer = client.answer(stream, 60)
    client.wait(lambda: client.is_over, 20)
    return client.report(answer=summary(answer))


def idle():
    """Sends one request, then nothing."""
    client = Client()
    health = summary(client.get("/health"))
    client.wait(lambda: client.is_over, 20)
    return client.report(health=health)


def connections():
    """Opens ARGUMENT connections with one answered request each, and holds them until its input ends."""
    held = [Client() for _ in range(int(ARGUMENT))]
    statuses = [client.get("/health")["status"] for client in held]
    print("held", flush=True)
    sys.stdin.read()
    return {"statuses": statuses.count(200)}


MODES = [kinds, streams, too_many, cancel, leave, rapid_reset, pings, settings, window_updates, unknown_frames, unread,
         continuations, bomb, many_headers,
         slow_block, no_preface, no_http, stall, hold, slow_reader, rules, too_large, slow_body, shutdown, idle,
         connections]
print(json.dumps({mode.__name__: mode for mode in MODES}[MODE]()), flush=True)
