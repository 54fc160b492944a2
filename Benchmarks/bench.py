#!/usr/bin/env python3
"""Runs benchmarks and prints which goals are met.

    bench.py                     all benchmarks that run by default
    bench.py NAME [ARGUMENTS]    one benchmark; `bench.py NAME --help` explains its arguments
    bench.py --list              the names
    bench.py --goals             the goals with the last measured figures; runs nothing

Options come before the name. `--no-build` uses the existing release build. `--record` writes the figures to goals.json
and the table of RESULTS.md; use it only with a benchmark's default arguments.
"""
import argparse
import dataclasses
import os
import subprocess
import sys
import tempfile

from lib import environment, figures


@dataclasses.dataclass(frozen=True)
class Benchmark:
    """A script below Benchmarks, and its requirements."""
    script: str
    summary: str
    products: tuple = ("selene",)
    """Executables of Package.swift to build."""
    packages: tuple = ()
    """Python packages, pinned in requirements.txt."""
    tools: tuple = ()
    """System commands."""
    is_default: bool = True
    """Whether it runs when no benchmark is named."""


PROXIES = ("nginx", "wrk", "caddy")
BENCHMARKS = {
    "proxy": Benchmark("Proxy/proxy.py", "a request, compared with nginx, Caddy and a bare echo: CPU, latency, rate",
                       ("selene", "fake-ollama", "BareEcho"), tools=PROXIES),
    "streams": Benchmark("Proxy/streams.py", "500 slow streams: delay per line, memory, CPU", tools=PROXIES),
    "gateways": Benchmark("Proxy/gateways.py", "compared with LiteLLM", packages=("litellm[proxy]",), tools=PROXIES,
                          is_default=False),
    "departures": Benchmark("Proxy/departures.py", "clients that leave, and a key that floods",
                            ("selene", "fake-ollama"), packages=("aiohttp",)),
    "swaps": Benchmark("Proxy/swaps.py", "requests for two models before an Ollama that holds one: loads, total time",
                       ("selene", "fake-ollama")),
    "waits": Benchmark("Proxy/waits.py", "the wait that was expected of a request, and the wait that it had", is_default=False),
    "costs": Benchmark("Proxy/costs.py", "where the CPU time of a request goes", tools=(*PROXIES, "perf"),
                         is_default=False),
    "chat": Benchmark("Chat/runs.py", "answers as runs: first token, delay per delta with 400 readers, memory"),
    "chains": Benchmark("Chat/peers.py", "cited answers over notes, compared with langchain and llama-index",
                        ("selene", "fake-ollama"),
                        packages=("chromadb", "langchain-chroma", "langchain-ollama", "llama-index-core",
                                  "llama-index-embeddings-ollama", "llama-index-llms-ollama"), is_default=False),
    "turns": Benchmark("Chat/turns.py", "prompt tokens that llama.cpp evaluates in a conversation, beside langchain and llama-index",
                       packages=("chromadb", "langchain-chroma", "langchain-ollama", "llama-index-core",
                                 "llama-index-embeddings-ollama", "llama-index-llms-ollama"), is_default=False),
    "prefill": Benchmark("Chat/prefill.py", "an opened conversation that llama.cpp computes ahead: first token, and what others wait",
                         is_default=False),
    "retrieval": Benchmark("Retrieval/retrieval.py", "ten nearest vectors, against numpy, faiss, usearch, sqlite-vec",
                           ("RetrievalBench",),
                           packages=("numpy", "faiss-cpu", "threadpoolctl", "usearch", "sqlite-vec")),
    "keywords": Benchmark("Retrieval/keywords.py", "patterns and questions, compared with SQLite's LIKE and FTS5",
                          ("KeywordBench",)),
    "hybrid": Benchmark("Retrieval/hybrid.py", "hybrid answers over HTTP, 100,000 and 1,000,000 notes",
                         ("selene", "fake-ollama"), packages=("numpy",), is_default=False),
    "scale": Benchmark("Retrieval/scale.py", "an index of 1,000,000 documents and more: build, memory, latency, recall",
                       ("ScaleBench",), is_default=False),
    "postgres": Benchmark("Retrieval/postgres.py", "PostgreSQL beside the SQLite file: sizes, migration, latency, gateways, backfill",
                          ("selene", "fake-ollama"), packages=("numpy",), is_default=False),
    "sizing": Benchmark("Retrieval/sizing.py", "sizes of 10 million to a billion passages, by a model checked against RESULTS.md",
                        products=(), is_default=False),
    "peers": Benchmark("Retrieval/peers.py", "10,000 to 1,000,000 documents against faiss, usearch, sqlite-vec, LanceDB, tantivy",
                       ("ScaleBench",), packages=("numpy", "faiss-cpu", "usearch", "apsw", "sqlite-vec", "lancedb", "tantivy"),
                       is_default=False),
    "words": Benchmark("Retrieval/words.py", "eight words of a note, any may match, compared with tantivy",
                       ("KeywordBench",), packages=("tantivy",)),
    "associations": Benchmark("Retrieval/associations.py", "similar pairs of 100,000 notes", ("AssociationsBench",),
                              is_default=False),
    "threads": Benchmark("Retrieval/threads.py", "threads of 10,000 and 100,000 notes, and of 100 new ones",
                         ("ThreadsBench",)),
    "quality": Benchmark("Retrieval/quality.py", "nDCG@10 on a BEIR collection: quality COLLECTION [EMBED_MODEL]",
                         packages=("pytrec-eval-terrier",), is_default=False),
    "analyze": Benchmark("Retrieval/analyze.py", "retrieval with analyze against without: analyze COLLECTION...",
                         packages=("numpy",), is_default=False),
    "ideas": Benchmark("Retrieval/ideas.py", "what ideas for better rankings would add: ideas COLLECTION... [--books SET...]", products=(),
                       packages=("numpy", "snowballstemmer"), is_default=False),
    "documents": Benchmark("Documents/pdf.py", "reading PDF files, compared with pdftotext, pypdf, pdfminer.six: documents FILE...",
                           ("DocumentsBench",), packages=("pypdf", "pdfminer.six"), is_default=False),
    "startup": Benchmark("Operation/startup.py", "launch to first answer, memory, freshness", ("selene", "fake-ollama"),
                         packages=("numpy",)),
    "assistant": Benchmark("Operation/assistant.py", "MCP: launch to first answer, latency beyond the route's",
                           ("selene", "fake-ollama"), packages=("numpy",)),
    "backfill": Benchmark("Operation/backfill.py", "notes per second against the upstream's maximum, questions meanwhile",
                          ("selene", "fake-ollama")),
    "ingest": Benchmark("Operation/ingest.py", "notes per second of a JSONL file into a new database, CPU, bytes"),
    "sources": Benchmark("Operation/sources.py", "a folder that is followed: first reading, a change until it is found, CPU at rest, a history of Git",
                         tools=("git",), is_default=False),
    "capture": Benchmark("Operation/capture.py", "durable captures per second from 50 clients",
                         ("selene", "fake-ollama")),
    "actions": Benchmark("Operation/actions.py", "tasks in 10,000 and 100,000 notes", is_default=False),
    "mind": Benchmark("Operation/mind.py", "near pairs, threads, briefing, tasks and memories of 10,000 and 100,000 notes",
                      ("AssociationsBench", "ThreadsBench", "MindBench"), is_default=False),
    "bodies": Benchmark("Operation/bodies.py", "JSON bodies of 8 MiB: CPU and peak memory", ("selene", "fake-ollama")),
    "idle": Benchmark("Operation/idle.py", "memory of an idle connection, HTTP/2 and HTTP/1.1", ("selene", "fake-ollama")),
    "watching": Benchmark("Operation/watching.py", "CPU of an idle server with a console open", ("selene", "fake-ollama")),
    "pages": Benchmark("Operation/pages.py", "the web client in Chromium: search over 100,000 notes, interactions while an answer streams",
                       packages=("numpy", "playwright"), tools=("chromium-headless-shell",), is_default=False),
    "goals": Benchmark("Operation/goals.py", "ten years of goals: every page, matching in the background",
                       ("selene", "fake-ollama")),
    "request-log": Benchmark("Operation/requests.py", "pages of a million logged requests, the cost of logging one",
                             ("selene", "fake-ollama")),
    "versions": Benchmark("Operation/versions.py", "processor time of the same work by two builds: versions --before PATH",
                          ("selene", "fake-ollama", "fake-apns"), is_default=False),
    "push": Benchmark("Push/push.py", "pushes per second through the channel of APNs, memory",
                      ("PushBench", "fake-apns")),
    "push-outbox": Benchmark("Push/outbox.py", "pushes from the request to the stand-in, through the outbox",
                             ("selene", "fake-apns")),
    "push-streams": Benchmark("Push/streams.py", "1,000 open streams and WebSockets, pages of a million deliveries", ("selene",)),
}


def run(name, arguments, builds):
    """Runs a benchmark; returns its figures and exit status."""
    benchmark = BENCHMARKS[name]
    environment.require(benchmark.tools)
    if builds:
        environment.build(benchmark.products)
    interpreter = environment.python(benchmark.packages)
    with tempfile.NamedTemporaryFile("r", prefix="selene-figures-") as file:
        variables = {**os.environ, "PYTHONPATH": str(environment.BENCHMARKS), "BENCH_FIGURES": file.name,
                     "CONFIGURATION": "release"}
        print(f"## {name}: {benchmark.summary}", flush=True)
        status = subprocess.run([interpreter, environment.BENCHMARKS / benchmark.script, *arguments],
                                cwd=environment.ROOT, env=variables).returncode
        print(flush=True)
        return figures.collected(file.name), status


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="list the benchmarks")
    parser.add_argument("--goals", action="store_true", help="print the goals with the last measured figures")
    parser.add_argument("--record", action="store_true", help="write the figures to goals.json and RESULTS.md")
    parser.add_argument("--no-build", action="store_true", help="use the existing build")
    parser.add_argument("name", nargs="?", help="the benchmark to run")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="arguments of the benchmark")
    options = parser.parse_args()
    if options.list:
        for name, benchmark in BENCHMARKS.items():
            print(f"{name:13} {benchmark.summary}{'' if benchmark.is_default else ' (by name only)'}")
        return 0
    if options.name and options.name not in BENCHMARKS:
        sys.exit(f"unknown benchmark {options.name!r}; expected one of: {', '.join(BENCHMARKS)}")
    names = [options.name] if options.name else [name for name, one in BENCHMARKS.items() if one.is_default]
    found, failed = {}, []
    for name in [] if options.goals else names:
        measured, status = run(name, options.arguments, builds=not options.no_build)
        found |= measured
        if status != 0:
            failed.append(name)
    goals = figures.take_over(found)
    if options.record:
        figures.record(goals)
    shown = goals if not options.name else [goal for goal in goals if goal["benchmark"] in names]
    if shown:
        print(f"### Goals\n{figures.table(shown)}")
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
