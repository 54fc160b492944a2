#!/usr/bin/env python3
"""Drives the MCP server with the official Python clients: `make test-mcp`.

Starts a gateway with a few notes. Each client runs over HTTP, over `selene mcp` on the database file, and over
`selene mcp --url`. The clients are two generations of `mcp`, and `fastmcp`, each in a virtual environment of its own.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Scripts"))

import stand  # noqa: E402

NOTES = [
    {"title": "Spring tide", "content": "The tide is highest two days after full moon. " * 40, "threads": ["Gauge"]},
    {"title": "Bread", "content": "Flour, water, salt and a night of patience.", "tags": ["kitchen"]},
    {"title": "Grüße 🎻", "content": "The cello waits for spring.", "threads": ["Cello"]},
    {"title": "Letter", "content": "The tide and my father.", "tags": ["private"]},
]


def python(requirements):
    """The Python with the packages of a requirements file."""
    command = ["sh", HERE.parent / "Scripts" / "python.sh", HERE / requirements]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def main():
    fine = True
    with tempfile.TemporaryDirectory() as folder, stand.Stand(
            fake=["--tokens-per-second", "0"], settings={"SELENE_MCP_DELETE": "on"}) as s:
        notes = pathlib.Path(folder) / "notes.jsonl"
        notes.write_text("".join(json.dumps(note) + "\n" for note in NOTES))
        environment = {**s.environment, "SELENE_API_TOKEN": s.token}
        subprocess.run([stand.BIN / "selene", "ingest", notes], env=environment, check=True, capture_output=True)
        subprocess.run([stand.BIN / "selene", "backfill"], env=environment, check=True, capture_output=True)
        setting = {
            "url": s.url + "/mcp", "key": s.key("assistant", "notes:read", "notes:write"),
            "reader": s.key("reader", "notes:read"), "program": str(stand.BIN / "selene"), "gateway": s.url,
            "environment": {name: value for name, value in environment.items()
                            if name.startswith(("SELENE_", "OLLAMA_", "HOME", "PATH"))}}
        for requirements, script in [("requirements-2.txt", "client_2.py"), ("requirements-1.txt", "client_1.py"),
                                     ("requirements-fast.txt", "client_fast.py")]:
            print(f"== {script}", flush=True)
            run = subprocess.run([python(requirements), HERE / script, json.dumps(setting)])
            fine &= run.returncode == 0
    print("all passed" if fine else "FAILED")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
