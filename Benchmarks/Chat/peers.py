#!/usr/bin/env python3
"""Compares a cited answer over the user's notes with the same chain in `langchain` (Chroma) and in `llama-index`.

All use one synthetic Ollama, the same notes, the same model names and as many passages. The model answers with two
sentences of the passages, each cited, so the answers are about as long; the pieces are counted. The contestants take turns,
each with questions of its own, so that no cache helps. The gateway runs with a key and its log, searches by meaning and by
word, stores the answer and checks each citation; the chains search by meaning and stop at the last piece. `past` makes
the two calls that every contestant needs, an embedding and a chat with passages, and nothing else: what a contestant
needs beyond it is its own.
"""
import argparse
import http.client
import json
import pathlib
import random
import re
import subprocess
import sys
import time

from lib.environment import BIN
from lib.figures import report
from lib.notes import notes
from lib.processes import Field, Server, clean_environment
from peer import PASSAGE

PASSAGES = 8
#: The words of a sentence. An answer has two sentences, with a marker each.
WORDS = 31


def sentences(text):
    """The text with a full stop after each WORDS words."""
    words = text.split()
    return " ".join(" ".join(words[start:start + WORDS]) + "." for start in range(0, len(words), WORDS))


def past(port, passages):
    """The two calls themselves, over one kept connection."""
    connection = http.client.HTTPConnection("127.0.0.1", port)

    def ask(question):
        begin = time.monotonic()
        connection.request("POST", "/api/embed", json.dumps({"model": "nomic-embed-text", "input": question}))
        connection.getresponse().read()
        text = "\n\n".join(PASSAGE.format(place=place, text=passage) for place, passage in enumerate(passages, 1))
        connection.request("POST", "/api/chat", json.dumps(
            {"model": "llama3.2", "messages": [{"role": "user", "content": f"{text}\n\nQuestion: {question}"}]}))
        response, first, pieces = connection.getresponse(), None, 0
        for line in response:
            first = first or time.monotonic()
            pieces += b'"done":false' in line
        return {"first": (first - begin) * 1000, "end": (time.monotonic() - begin) * 1000, "pieces": pieces}
    return ask


def gateway(server):
    """A run of the gateway, begun and then read, as the web client does it."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    head = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}
    count = iter(range(1 << 30))

    def ask(question):
        begin, name = time.monotonic(), f"p-{next(count)}"
        connection.request("POST", "/api/chat/runs", json.dumps(
            {"id": name, "question": question, "tools": False, "limit": PASSAGES}), head)
        reply = connection.getresponse()
        text = reply.read()
        if reply.status >= 300:
            raise SystemExit(text.decode())
        connection.request("GET", f"/api/chat/runs/{name}/events", headers=head)
        response, first, event, passages, pieces = connection.getresponse(), None, b"", 0, 0
        for line in response:
            if line.startswith(b"event:"):
                event = line[6:].strip()
            elif line.startswith(b"data:") and event == b"passages":
                passages = len(re.findall(rb'"number":', line))
            elif line.startswith(b"data:") and event == b"failed":
                raise SystemExit(line.decode())
            if event == b"delta" and line.startswith(b"event:"):
                first = first or time.monotonic()
                pieces += 1
        return {"first": (first - begin) * 1000, "end": (time.monotonic() - begin) * 1000, "passages": passages,
                "pieces": pieces}
    return ask


class Peer(Server):
    """A chain in a process of its own."""

    def __init__(self, field, kind, port, file):
        script = pathlib.Path(__file__).with_name("peer.py")
        process = subprocess.Popen(
            [sys.executable, script, kind, f"http://127.0.0.1:{port}", file, str(PASSAGES)], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**clean_environment(), "ANONYMIZED_TELEMETRY": "False", "OLLAMA_HOST": f"127.0.0.1:{port}"})
        super().__init__(kind, process, port)
        field.servers.append(self)
        if (line := process.stdout.readline()) != "ready\n":
            raise SystemExit(f"{kind} did not start: {line}")

    def ask(self, question):
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=2_000, help="notes of about 80 words (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=60, help="questions to each contestant (default: %(default)s)")
    options = parser.parse_args()
    corpus = [{**note, "content": sentences(note["content"])} for note in notes(options.notes, random.Random(3))]
    with Field() as field:
        upstream = field.fake_ollama("--tokens", 64, "--tokens-per-second", 200)
        file = field.folder / "notes.jsonl"
        file.write_text("".join(json.dumps({**note, "id": str(note["id"])}) + "\n" for note in corpus))
        environment = {**clean_environment(), "SELENE_DATABASE": str(field.folder / "selene.sqlite"),
                       "OLLAMA_HOST": f"127.0.0.1:{upstream.port}"}
        for command in (["ingest", file], ["backfill"]):
            subprocess.run([BIN / "selene", *command], check=True, env=environment, stdout=subprocess.DEVNULL)
        server = field.gateway("selene", upstream, log="info", with_key=True)
        contestants = {
            "past": (past(upstream.port, [note["content"] for note in corpus[:PASSAGES]]), None),
            "selene": (gateway(server), server),
        }
        for kind in ("langchain", "llama-index"):
            peer = Peer(field, kind, upstream.port, file)
            contestants[kind] = (peer.ask, peer)
        pick = random.Random(9)
        questions = [" ".join(pick.sample(note["content"].split(), 7)) + "?" for note in pick.sample(corpus, 200)]
        times, spent = {name: [] for name in contestants}, dict.fromkeys(contestants, 0.0)
        for number in range(options.rounds + 5):
            for place, (name, (ask, process)) in enumerate(contestants.items()):
                # Each asks about its own notes; the number makes the text new in a second round of the list.
                question = f"{questions[(number * len(contestants) + place) % len(questions)]} {number}"
                before = process.cpu().total if process else 0
                answer = ask(question)
                # What a server does after the last event belongs to the answer.
                time.sleep(0.05)
                if number < 5:
                    continue
                times[name].append(answer)
                if process:
                    spent[name] += process.cpu().total - before
        base = median(times["past"], "first")
        print(f"{options.notes:,} notes, {options.rounds} questions each, {PASSAGES} passages, 200 pieces a second; the "
              f"gateway's passages: {median(times['selene'], 'passages')}")
        print("| | pieces | first token ms p50 | p95 | beyond the two calls ms | CPU ms an answer | CPU µs a piece "
              "| memory MB |\n|---|---:|---:|---:|---:|---:|---:|---:|")
        print(f"| two calls | {mean(times['past'], 'pieces'):.1f} | {base:.1f} | {percentile(times['past'], 'first', .95):.1f} "
              "| | | | |")
        for name in ("selene", "langchain", "llama-index"):
            process = contestants[name][1]
            pieces, cost = mean(times[name], "pieces"), spent[name] * 1000 / options.rounds
            print(f"| {name} | {pieces:.1f} | {median(times[name], 'first'):.1f} | {percentile(times[name], 'first', .95):.1f} "
                  f"| {median(times[name], 'first') - base:.1f} | {cost:.1f} | {cost * 1000 / pieces:.0f} "
                  f"| {process.memory('VmRSS'):.0f} |")
        for name in ("langchain", "llama-index"):
            report(f"chat.first_token_of_{name.replace('-', '_')}",
                   (median(times["selene"], "first") - base) / max(median(times[name], "first") - base, 0.01))
            report(f"chat.cpu_of_{name.replace('-', '_')}", spent["selene"] / max(spent[name], 0.001))


def percentile(answers, field, share):
    values = sorted(answer[field] for answer in answers)
    return values[min(int(len(values) * share), len(values) - 1)]


def mean(answers, field):
    return sum(answer[field] for answer in answers) / len(answers)


def median(answers, field):
    return percentile(answers, field, 0.5)


if __name__ == "__main__":
    main()
