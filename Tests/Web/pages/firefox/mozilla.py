"""Mozilla's push service in small: a WebSocket for the browser, and an address of each subscription that takes encrypted messages.

    with Mozilla() as service: Firefox(preferences=service.preferences) …; service.pushes; service.acknowledged
"""

import base64
import hashlib
import http.server
import json
import struct
import threading
import uuid

LONGEST = 1 << 16


class Mozilla:
    def __enter__(self):
        service = self
        self.lock = threading.Lock()
        # The subscriptions by channel, with the key of the sender that the browser gave; what was pushed; what the browser said of it.
        self.channels, self.pushes, self.acknowledged = {}, [], []
        self.browser = None

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                key = self.headers.get("Sec-WebSocket-Key")
                if not key:
                    return self.send_error(426)
                accept = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
                self.send_response(101)
                for name, value in ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", accept):
                    self.send_header(name, value)
                if self.headers.get("Sec-WebSocket-Protocol"):
                    self.send_header("Sec-WebSocket-Protocol", "push-notification")
                self.end_headers()
                self.close_connection = True
                service.serve(self.rfile, self.wfile)

            def do_POST(self):
                channel = self.path.rpartition("/")[2]
                body = self.rfile.read(min(int(self.headers.get("Content-Length") or 0), LONGEST))
                status = service.push(channel, body, {name.lower(): value for name, value in self.headers.items()})
                self.send_response(status)
                self.send_header("Location", f"/messages/{len(service.pushes)}")
                self.send_header("TTL", self.headers.get("TTL", "0"))
                self.send_header("Content-Length", "0")
                self.end_headers()

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.host = f"127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()
        self.preferences = {
            "dom.push.serverURL": f"ws://{self.host}/", "dom.push.testing.allowInsecureServerURL": True, "dom.push.testing.ignorePermission": True,
            "dom.push.connection.enabled": True, "dom.push.enabled": True, "dom.push.userAgentID": "", "permissions.default.desktop-notification": 1,
            # A headless machine has no service of its own that shows notifications.
            "alerts.useSystemBackend": False,
        }
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def push(self, channel, body, headers):
        """Takes a message for a subscription and hands it to the browser."""
        with self.lock:
            if channel not in self.channels or self.browser is None:
                return 410
            self.pushes.append((body, headers))
        self.send({"messageType": "notification", "channelID": channel, "version": uuid.uuid4().hex, "data": base64.urlsafe_b64encode(body).rstrip(b"=").decode(),
                   "headers": {"encoding": headers.get("content-encoding")}})
        return 201

    def serve(self, source, sink):
        """Speaks with the browser until it goes."""
        with self.lock:
            self.browser = sink
        while (text := self.frame(source, sink)) is not None:
            said = json.loads(text)
            kind = said.get("messageType")
            if kind == "hello":
                self.send({"messageType": "hello", "status": 200, "uaid": said.get("uaid") or uuid.uuid4().hex, "use_webpush": True, "broadcasts": {}})
            elif kind == "register":
                with self.lock:
                    self.channels[said["channelID"]] = said.get("key")
                self.send({"messageType": "register", "status": 200, "channelID": said["channelID"], "pushEndpoint": f"http://{self.host}/push/{said['channelID']}"})
            elif kind == "unregister":
                with self.lock:
                    self.channels.pop(said["channelID"], None)
                self.send({"messageType": "unregister", "status": 200, "channelID": said["channelID"]})
            elif kind == "ack":
                with self.lock:
                    self.acknowledged += [update.get("code") for update in said.get("updates", [])]
            elif not said:
                self.send({})

    def frame(self, source, sink):
        """The next text of the browser; None at the end."""
        while True:
            head = source.read(2)
            if len(head) < 2:
                return None
            length = head[1] & 0x7F
            if length >= 126:
                length = struct.unpack(">H" if length == 126 else ">Q", source.read(2 if length == 126 else 8))[0]
            if length > LONGEST:
                return None
            mask = source.read(4)
            data = bytes(byte ^ mask[index % 4] for index, byte in enumerate(source.read(length)))
            if head[0] & 0xF == 1:
                return data
            if head[0] & 0xF == 8:
                return None
            if head[0] & 0xF == 9:
                self.write(sink, 10, data)

    def send(self, message):
        self.write(self.browser, 1, json.dumps(message).encode())

    def write(self, sink, opcode, data):
        length = bytes([len(data)]) if len(data) < 126 else b"\x7e" + struct.pack(">H", len(data))
        with self.lock:
            sink.write(bytes([0x80 | opcode]) + length + data)
            sink.flush()
