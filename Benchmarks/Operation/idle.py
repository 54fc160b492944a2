#!/usr/bin/env python3
"""Measures what an idle connection of a page costs the server: memory for each, over HTTP/2 and HTTP/1.1, with TLS and
without.

    idle.py [--connections 500]

Each connection has one request answered, then does nothing. The memory is the growth of the process's resident memory,
divided by the connections; a server of its own is measured for each kind.
"""
import argparse
import os
import pathlib
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Scripts"))
import stand  # noqa: E402

from lib.figures import report  # noqa: E402

# The preface, empty SETTINGS, the answer to the server's, and GET /health with :authority localhost (RFC 7541).
BLOCK = b"\x82\x87\x41\x09localhost\x04\x07/health"
START = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0" + b"\0\0\0\4\1\0\0\0\0"
REQUEST = struct.pack(">I", len(BLOCK))[1:] + b"\1\5\0\0\0\1" + BLOCK
WARM_UP = 20


def resident(process):
    """Resident memory in bytes."""
    status = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines())
    return int(status["VmRSS"].split()[0]) * 1024


def connect(port, authority, protocol):
    connection = socket.create_connection(("127.0.0.1", port), timeout=30)
    if authority:
        context = ssl.create_default_context(cafile=authority)
        context.set_alpn_protocols([protocol])
        connection = context.wrap_socket(connection, server_hostname="localhost")
        assert connection.selected_alpn_protocol() == protocol
    if protocol == "h2":
        connection.sendall(START + REQUEST)
        buffer = b""
        # Until the end of stream 1.
        while True:
            while len(buffer) >= 9 and len(buffer) >= 9 + int.from_bytes(buffer[:3], "big"):
                kind, flags, stream = buffer[3], buffer[4], int.from_bytes(buffer[5:9], "big")
                buffer = buffer[9 + int.from_bytes(buffer[:3], "big"):]
                if stream == 1 and kind in (0, 1) and flags & 1:
                    return connection
            part = connection.recv(65536)
            assert part, "the server closed the connection"
            buffer += part
    connection.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
    answer = b""
    while not answer.endswith(b"}"):
        part = connection.recv(65536)
        assert part, "the server closed the connection"
        answer += part
    return connection


def measure(count, folder, protocol, is_encrypted):
    """Bytes for each connection."""
    settings = {"SELENE_BACKFILL": "off", "SELENE_CLIENT_IDLE_TIMEOUT": "600"}
    if is_encrypted:
        settings |= {"SELENE_TLS_CERTIFICATE": f"{folder}/server.crt", "SELENE_TLS_KEY": f"{folder}/server.key"}
    with stand.Stand(settings=settings) as field:
        port, authority = int(field.url.rsplit(":", 1)[1]), f"{folder}/ca.crt" if is_encrypted else None
        held = [connect(port, authority, protocol) for _ in range(WARM_UP)]
        before = resident(field.gateway_process)
        held += [connect(port, authority, protocol) for _ in range(count)]
        after = resident(field.gateway_process)
        for connection in held:
            connection.close()
        return (after - before) / count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--connections", type=int, default=500, help="connections of each kind (default: %(default)s)")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="selene-idle-")
    try:
        subprocess.run([stand.BIN / "selene", "tls", "init", "--folder", folder], check=True, capture_output=True,
                       env={**os.environ, "SELENE_DATABASE": f"{folder}/none.sqlite"})
        print(f"### {options.connections} idle connections\n| | kB each |\n|---|---:|")
        for name, protocol, is_encrypted in [("HTTP/2 over TLS", "h2", True), ("HTTP/1.1 over TLS", "http/1.1", True),
                                             ("HTTP/1.1", "http/1.1", False)]:
            each = measure(options.connections, folder, protocol, is_encrypted) / 1e3
            print(f"| {name} | {each:.1f} |", flush=True)
            if protocol == "h2":
                report("idle.http2_kb", each)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
