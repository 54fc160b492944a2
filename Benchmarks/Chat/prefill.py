#!/usr/bin/env python3
"""Measures what it is worth that the model's server computes an opened conversation ahead, and what it costs others.

A conversation of some thousand tokens is put out of the server by another prompt. Then its next question is asked: by turns at
once, and after the conversation was opened and computed ahead. The time from the question to the first token counts, and how many
tokens llama.cpp evaluated for it. After that, short requests arrive at an idle server, and by turns while a prompt is being
computed ahead: their first token should come as soon.

It needs the shared real upstream, with its models in place: `--upstream FOLDER` and the interpreter of its environment.
"""
import argparse
import http.client
import itertools
import json
import pathlib
import random
import re
import statistics
import subprocess
import sys
import time

from lib.environment import BIN, ROOT
from lib.figures import report
from lib.processes import Field, clean_environment
from turns import Upstream

MODEL = "gemma3:270m"
CONTEXT, BATCH = 24576, 512
#: llama.cpp as Ollama runs it: batches of 512 tokens, and no memory for prompts beside the one that it computed last.
LIKE_OLLAMA = f"p.n_batch, p.cache_ram_mib = {BATCH}, 0\n"
QUESTIONS = ["What is known about the heating of a blunt body at hypersonic speed?", "How is the flutter of thin panels predicted?",
             "Which methods compute the laminar boundary layer on a cone?", "How do cylindrical shells buckle under pressure?"]


class Gateway:
    """The gateway with notes, and one long conversation."""

    def __init__(self, field, options, upstream, documents):
        notes = field.folder / "notes.jsonl"
        notes.write_text("".join(
            json.dumps({"id": place, "title": item["title"][:200], "content": item["text"]}) + "\n"
            for place, item in enumerate(documents[:options.notes], 1)))
        environment = {**clean_environment(), "SELENE_DATABASE": str(field.folder / "selene.sqlite"),
                       "OLLAMA_HOST": f"127.0.0.1:{upstream.port}", "SELENE_EMBED_MODEL": "all-minilm"}
        for command in (["ingest", notes], ["backfill"]):
            subprocess.run([options.binary, *command], check=True, env=environment, stdout=subprocess.DEVNULL)
        self.server = field.gateway("selene", upstream, log="info", binary=options.binary, embed_model="all-minilm",
                                    chat_context=CONTEXT)
        self.runs = 0
        self.call("PUT", "/api/sessions/long", {"title": "long"})
        size, texts = 0, itertools.cycle(documents[options.notes:])
        for role in itertools.cycle(("user", "assistant")):
            text = next(texts)["text"]
            size += len(text)
            self.call("POST", "/api/sessions/long/messages", {"role": role, "content": text})
            # About as many characters a token as the model's English has.
            if size > options.history * 5.4 and role == "assistant":
                break
        self.ask(QUESTIONS[0])

    def call(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=300)
        connection.request(method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json"})
        reply = connection.getresponse()
        text = reply.read()
        if reply.status >= 300:
            raise SystemExit(f"{method} {path}: {reply.status} {text.decode()}")
        return text

    def ask(self, question):
        """Asks in the conversation; returns the seconds to the first token of the answer."""
        self.runs += 1
        began = time.perf_counter()
        self.call("POST", "/api/chat/runs", {"id": f"run-{self.runs}", "question": question, "session": "long", "model": MODEL,
                                             "limit": 3, "tools": False})
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=300)
        connection.request("GET", f"/api/chat/runs/run-{self.runs}/events")
        first, reply = None, connection.getresponse()
        for line in reply:
            if line.startswith(b"event: delta") and first is None:
                first = time.perf_counter() - began
            if line.startswith(b"event: failed"):
                raise SystemExit(reply.read().decode())
        if first is None:
            raise SystemExit("an answer without text")
        return first

    def say(self, words):
        """Sends a short prompt of its own; returns the seconds to the first token."""
        began = time.perf_counter()
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=300)
        connection.request("POST", "/api/generate", json.dumps({"model": MODEL, "prompt": words, "options": {"num_predict": 1}}),
                           {"Content-Type": "application/json"})
        reply = connection.getresponse()
        reply.readline()
        first = time.perf_counter() - began
        reply.read()
        if reply.status != 200:
            raise SystemExit(f"/api/generate: {reply.status}")
        return first

    def prefills(self):
        """How many prompts were started, done and so on."""
        text = self.call("GET", "/metrics").decode()
        return {event: int(float(count)) for event, count in re.findall(r'selene_chat_prefills_total\{event="(\w+)"\} (\S+)', text)}

    def open(self, until):
        """Opens the conversation, and waits for an event of what is computed ahead."""
        while True:
            before = self.prefills()
            self.call("GET", "/api/sessions/long/messages?order=newest")
            while (now := self.prefills()).get(until, 0) == before.get(until, 0):
                if now.get("skipped", 0) > before.get("skipped", 0):
                    break
                time.sleep(0.005)
            else:
                return
            # So many a minute are computed ahead for one caller.
            time.sleep(5)

    def rest(self, before):
        """Waits until the prompt that a request interrupted was tried again."""
        while all((now := self.prefills()).get(event, 0) == before.get(event, 0) for event in ("done", "skipped")):
            time.sleep(0.05)
        if now.get("cancelled", 0) == before.get("cancelled", 0):
            print("  the prompt was computed before the request arrived", flush=True)


def is_ready(port):
    """Whether llama.cpp has loaded the model."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", "/api/generate", json.dumps({"model": MODEL, "prompt": "hello", "options": {"num_predict": 1}}))
    reply = connection.getresponse()
    reply.read()
    return reply.status == 200


def middle(values):
    return statistics.median(values)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--upstream", type=pathlib.Path, default=ROOT.parent / "shared" / "upstream",
                        help="the folder of ollama_upstream.py, with its models (default: %(default)s)")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has the upstream's packages")
    parser.add_argument("--corpus", type=pathlib.Path,
                        default=ROOT.parent / "shared" / "collections" / "cranfield" / "corpus.jsonl",
                        help="the notes and the conversation, in BEIR's form (default: %(default)s)")
    parser.add_argument("--notes", type=int, default=200, help="how many notes (default: %(default)s)")
    parser.add_argument("--history", type=int, default=5000, help="tokens of the conversation (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=6, help="how many of each (default: %(default)s)")
    parser.add_argument("--tokens", type=int, default=8, help="the longest answer in tokens (default: %(default)s)")
    parser.add_argument("--binary", type=pathlib.Path, default=BIN / "selene", help="the gateway (default: the release build)")
    options = parser.parse_args()
    if not (options.upstream / "models").exists():
        raise SystemExit(f"{options.upstream} has no models: see its README.md, then name it with --upstream and --python")
    with options.corpus.open() as lines:
        documents = [item for item in map(json.loads, lines) if item["text"].strip()]
    chance = random.Random(35)
    with Field() as field:
        upstream = Upstream(field, options, "selene", context=CONTEXT, more=LIKE_OLLAMA)
        while not is_ready(upstream.port):
            time.sleep(0.5)
        gateway = Gateway(field, options, upstream, documents)

        def put_out():
            gateway.say(f"{chance.random()} " + " ".join(chance.choices("north south east west sea land wind rain".split(), k=200)))

        times, evaluated, asked = {"cold": [], "ahead": []}, {"cold": [], "ahead": []}, []
        for place in range(options.rounds * 2):
            kind = ("cold", "ahead")[place % 2]
            put_out()
            if kind == "ahead":
                gateway.open(until="done")
            upstream.counter.zero()
            times[kind].append(gateway.ask(QUESTIONS[place // 2 % len(QUESTIONS)]))
            evaluated[kind].append(upstream.counter.evaluated)
            asked.append(upstream.counter.asked)
            print(f"{kind:6} first token {times[kind][-1]:.3f} s, evaluated {evaluated[kind][-1]}", flush=True)
        ratio = middle(times["cold"]) / middle(times["ahead"])
        print(f"prompt of about {middle(asked):,.0f} tokens; first token: {middle(times['cold']):.3f} s, computed ahead"
              f" {middle(times['ahead']):.3f} s: {ratio:.1f} times sooner; evaluated {middle(evaluated['cold']):,.0f} and"
              f" {middle(evaluated['ahead']):,.0f}")
        waits = {"idle": [], "during": []}
        for place in range(options.rounds * 2):
            kind = ("idle", "during")[place % 2]
            put_out()
            if kind == "during":
                gateway.open(until="started")
            time.sleep(chance.uniform(0.1, middle(times["cold"]) / 2))
            before = gateway.prefills()
            waits[kind].append(gateway.say(f"{chance.random()} is a number of the sea"))
            if kind == "during":
                gateway.rest(before)
            print(f"{kind:6} first token {waits[kind][-1] * 1000:.0f} ms", flush=True)
        more = middle(waits["during"]) - middle(waits["idle"])
        print(f"a short request: {middle(waits['idle']) * 1000:.0f} ms at an idle server, {middle(waits['during']) * 1000:.0f} ms"
              f" when a prompt is being computed ahead: {more * 1000:.0f} ms more")
        batch = BATCH * middle(times["cold"]) / middle(evaluated["cold"])
        print(f"llama.cpp needs {batch * 1000:.0f} ms for a batch of {BATCH} tokens: {more / batch:.2f} of that")
        report("prefill.times_sooner", ratio)
        report("prefill.batches_waited", more / batch)


if __name__ == "__main__":
    main()
