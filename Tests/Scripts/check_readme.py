#!/usr/bin/env python3
"""Runs every transcript of the README against a live gateway and compares what comes back.

A block ```console … ``` holds lines that begin with `$ ` (run) and the output that follows. `…` in an expected line
stands for anything, also across a line's end where it stands alone. The blocks share one scratch directory, a
synthetic Ollama and a gateway on port 5678 that is started by the transcript line `selene serve &`.
"""
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = ROOT / ".build" / os.environ.get("CONFIGURATION", "debug")


def blocks(text):
    """Commands with their expected lines, in order."""
    for block in re.findall(r"^```console\n(.*?)^```", text, re.S | re.M):
        command, expected = None, []
        for line in block.splitlines():
            if line.startswith("$ "):
                if command:
                    yield command, expected
                command, expected = line[2:], []
            elif command and command.endswith("\\"):
                command = command[:-1] + line.strip()
            else:
                expected.append(line)
        if command:
            yield command, expected


def pattern(lines):
    """A regular expression for the expected lines; `…` is anything."""
    text = "\n".join(lines).strip()
    return re.compile(r"\s*" + re.escape(text).replace("…", "(?s:.*?)") + r"\s*\Z")


def wait_for(port, seconds=15):
    end = time.time() + seconds
    while time.time() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise SystemExit(f"nothing listens on port {port}")


def main():
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="selene-readme-"))
    (scratch / "notes").mkdir()
    (scratch / "notes" / "2026-03-14 spring tide.md").write_text(
        "---\ntype: reference\nthreads: [Tide gauge]\n---\n"
        "The greatest range comes a day and a half after full moon.\n")
    (scratch / "notes" / "sourdough.md").write_text(
        "---\ntitle: Sourdough\ndate: 2026-03-15\ntype: task\n---\nFeed the starter tonight, 80% hydration.\n")
    collection = scratch / "collection"
    (collection / "qrels").mkdir(parents=True)
    texts = {"a": "spring tides at full moon", "b": "bread with a long rise", "c": "the moon pulls the sea", "d": "a cello"}
    (collection / "corpus.jsonl").write_text(
        "".join(f'{{"_id": "{k}", "title": "", "text": "{v}"}}\n' for k, v in texts.items()))
    (collection / "queries.jsonl").write_text(
        '{"_id": "1", "text": "moon and tides"}\n{"_id": "2", "text": "baking bread"}\n')
    (collection / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\ta\t2\n1\tc\t1\n2\tb\t1\n")
    environment = {
        **{k: v for k, v in os.environ.items() if not k.startswith("SELENE_")},
        "PATH": f"{BIN}:{os.environ['PATH']}", "HOME": str(scratch), "OLLAMA_HOST": "http://127.0.0.1:11999",
        "SELENE_LOG_LEVEL": "error", "NO_COLOR": "1", "TERM": "dumb",
    }
    fake = subprocess.Popen([BIN / "fake-ollama", "--port", "11999", "--tokens-per-second", "0", "--tokens", "3"],
                            stdout=subprocess.DEVNULL)
    servers, failures, ran = [], 0, 0
    try:
        wait_for(11999)
        for command, expected in blocks((ROOT / "README.md").read_text()):
            if command.startswith("make "):
                continue
            if command.endswith("&"):
                servers.append(subprocess.Popen(command[:-1].split(), cwd=scratch, env=environment,
                                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
                wait_for(5678)
                continue
            result = subprocess.run(["bash", "-c", command], cwd=scratch, env=environment, capture_output=True,
                                    text=True, timeout=60)
            ran += 1
            if command.startswith("selene keys"):
                time.sleep(0.3)  # a running server knows of a key within a quarter of a second
            if not pattern(expected).match(result.stdout):
                failures += 1
                print(f"README differs: $ {command}\n--- expected\n" + "\n".join(expected)
                      + f"\n--- got (exit {result.returncode})\n{result.stdout}{result.stderr}", file=sys.stderr)
    finally:
        for server in servers:
            server.send_signal(signal.SIGTERM)
            server.wait(timeout=20)
        fake.terminate()
        fake.wait(timeout=10)
        shutil.rmtree(scratch, ignore_errors=True)
    print(f"{ran - failures} passed, {failures} failed")
    sys.exit(1 if failures or not ran else 0)


if __name__ == "__main__":
    main()
