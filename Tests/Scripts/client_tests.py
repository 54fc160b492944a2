#!/usr/bin/env python3
"""Runs the official Python clients, and LangChain's, through a gateway: `make test-clients`.

Starts a synthetic Ollama and a gateway in front of it. The same checks run against both, so the gateway causes any
difference. OLLAMA_URL adds a run through a gateway in front of your own server. OpenAI's and Anthropic's own clients
prove the synthetic provider, and then use it through the gateway. The client `websockets` speaks with the socket of devices.
"""
import os
import subprocess
import sys

import stand

CLIENTS = stand.ROOT / "Tests" / "Scripts" / "clients.py"


def run(title, url, *options):
    """Runs all checks against one server."""
    print(f"== {title}", flush=True)
    return subprocess.run([sys.executable, CLIENTS, url, *options]).returncode == 0


def main():
    fine = True
    with stand.Stand(fake=["--tokens-per-second", "0", "--load-time", "0.05"]) as s:
        fine &= run("direct", s.upstream, "--admin")
        fine &= run("through the gateway, administrator", s.url, "--admin", "--key", s.key("boss", "llm", "admin"))
        fine &= run("through the gateway, a phone's key", s.url, "--key", s.key("phone", "llm"))
    with stand.Stand(fake=["--tokens-per-second", "0"], token="") as s:
        fine &= run("through a gateway without keys", s.url)
    if url := os.environ.get("OLLAMA_URL"):
        with stand.Stand(settings={"OLLAMA_HOST": url}) as s:
            fine &= run(f"through the gateway to {url}", s.url, "--key", s.token)
    for title, script in [
            ("the synthetic provider", "Scripts/provider_clients.py"),
            ("providers through the gateway", "Scripts/gateway_provider_clients.py"),
            ("the WebSocket of devices", "Push/socket_client.py")]:
        print(f"== {title}", flush=True)
        fine &= subprocess.run([sys.executable, stand.ROOT / "Tests" / script]).returncode == 0
    print("all passed" if fine else "FAILED")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
