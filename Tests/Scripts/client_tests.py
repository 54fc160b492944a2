#!/usr/bin/env python3
"""Runs the official Python clients, and LangChain's, through a gateway: `make test-clients`.

Starts a synthetic Ollama and a gateway in front of it. The same checks run against both, so the gateway causes any
difference. OLLAMA_URL adds a run through a gateway in front of your own server. OpenAI's and Anthropic's own clients
prove the synthetic provider, and then use it through the gateway. OpenTelemetry's definition of OTLP reads the
gateway's traces. Ollama's client searches the web by the gateway. The client `websockets` speaks with the socket of devices.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

import stand

CLIENTS = stand.ROOT / "Tests" / "Scripts" / "clients.py"


def run(title, url, *options):
    """Runs all checks against one server."""
    print(f"== {title}", flush=True)
    return subprocess.run([sys.executable, CLIENTS, url, *options]).returncode == 0


def signing_key(folder):
    """Makes a key in the form of ~/.ollama/id_ed25519; returns its file and the line of its public half."""
    from cryptography.hazmat.primitives import serialization as form
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    key = Ed25519PrivateKey.generate()
    file = pathlib.Path(folder) / "id_ed25519"
    file.write_bytes(key.private_bytes(form.Encoding.PEM, form.PrivateFormat.OpenSSH, form.NoEncryption()))
    return file, key.public_key().public_bytes(form.Encoding.OpenSSH, form.PublicFormat.OpenSSH).decode()


def main():
    fine = True
    with stand.Stand(fake=["--tokens-per-second", "0", "--load-time", "0.05"]) as s:
        fine &= run("direct", s.upstream, "--admin", "--direct")
        fine &= run("through the gateway, administrator", s.url, "--admin", "--key", s.key("boss", "llm", "admin"))
        fine &= run("through the gateway, a phone's key", s.url, "--key", s.key("phone", "llm"))
        # The clients send an invented bearer token besides.
        path = s.key("tablet", "llm", options=["--in-path"])
        fine &= run("through the gateway, a key in the address", f"{s.url}/k/{path}")
        fine &= run("through the gateway, a key as password", s.url, "--password", s.key("radio", "llm"))
        s.get("/api/notes", value={"title": "gauge", "content": "Anna Brandt repaired the harbour gauge in May."})
        reader = s.key("reader", "llm", "notes:read")
        fine &= run("the notes as a model", s.url, "--key", reader, "--notes", "--only", "notes:")
        with tempfile.TemporaryDirectory() as folder:
            file, line = signing_key(folder)
            s.signer("laptop", line, "llm")
            fine &= run("through the gateway, signed as Ollama's client does", s.url, "--sign", str(file))
    with stand.Stand(fake=["--tokens-per-second", "0"], token="") as s:
        fine &= run("through a gateway without keys", s.url)
    if url := os.environ.get("OLLAMA_URL"):
        with stand.Stand(settings={"OLLAMA_HOST": url}) as s:
            fine &= run(f"through the gateway to {url}", s.url, "--key", s.token)
    for title, script in [
            ("the synthetic provider", "Scripts/provider_clients.py"),
            ("providers through the gateway", "Scripts/gateway_provider_clients.py"),
            ("web search", "Scripts/web_search_clients.py"),
            ("traces", "Scripts/trace_clients.py"),
            ("the WebSocket of devices", "Push/socket_client.py")]:
        print(f"== {title}", flush=True)
        fine &= subprocess.run([sys.executable, stand.ROOT / "Tests" / script]).returncode == 0
    print("all passed" if fine else "FAILED")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
