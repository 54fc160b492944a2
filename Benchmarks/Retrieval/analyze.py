#!/usr/bin/env python3
"""Retrieval with and without `analyze` on BEIR collections: the reading of a question may cost nothing on others.

    bench.py analyze COLLECTION... [--mode keyword,vector,hybrid] [--vectors stored|ollama]

Every judged query is sent twice to one server over one database, once with `"analyze": true`. The exit code is 1 when
nDCG@10 or Recall@100 with it is more than 0.002 below the figure without it. Keywords need no model; other modes take
the vectors that the collection has stored, or embed with Ollama at OLLAMA_HOST.
"""
import argparse
import contextlib
import json
import math
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile
import urllib.request

from lib.environment import BIN
from lib.processes import free_port, wait_for

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from stored_vectors import MODEL, StoredVectors

TOLERANCE = 0.002


def ndcg(found, grades, depth=10):
    """nDCG as trec_eval computes it: the grade is the gain."""
    gain = sum(max(grades.get(one, 0), 0) / math.log2(place + 2) for place, one in enumerate(found[:depth]))
    best = sorted((grade for grade in grades.values() if grade > 0), reverse=True)[:depth]
    ideal = sum(grade / math.log2(place + 2) for place, grade in enumerate(best))
    return gain / ideal if ideal else 0


def recall(found, grades, depth=100):
    relevant = {one for one, grade in grades.items() if grade > 0}
    return len(relevant & set(found[:depth])) / len(relevant) if relevant else 0


def judged(collection):
    """The queries with judgements, and the judgements."""
    grades = {}
    for line in (collection / "qrels" / "test.tsv").read_text().splitlines()[1:]:
        query, document, grade = line.split("\t")
        grades.setdefault(query, {})[document] = int(grade)
    queries = [json.loads(line) for line in (collection / "queries.jsonl").read_text().splitlines()]
    return [(one["_id"], one["text"]) for one in queries if one["_id"] in grades], grades


def rows(binary, collection, modes, vectors):
    """Yields the row of each mode: figures without and with the analysis, and what it read."""
    queries, grades = judged(collection)
    with tempfile.TemporaryDirectory(prefix="selene-analyze-") as folder, contextlib.ExitStack() as stack:
        port = free_port()
        environment = {**os.environ, "SELENE_DATABASE": f"{folder}/n.sqlite", "SELENE_PORT": str(port),
                       "SELENE_BACKFILL": "off", "SELENE_LOG_LEVEL": "error"}
        needs_vectors = modes != ["keyword"]
        stored = None
        if needs_vectors and vectors == "stored":
            stored = stack.enter_context(StoredVectors(collection))
            environment |= {"OLLAMA_HOST": stored.url, "SELENE_EMBED_MODEL": MODEL}
        # Ties are ordered by id, and collections often list relevant documents first.
        lines = (collection / "corpus.jsonl").read_text().splitlines()
        random.Random(7).shuffle(lines)
        pathlib.Path(folder, "corpus.jsonl").write_text("\n".join(lines))
        subprocess.run([binary, "ingest", folder, "--format", "beir"], env=environment, check=True, capture_output=True)
        if needs_vectors:
            subprocess.run([binary, "backfill"], env=environment, check=True, capture_output=True)
        with sqlite3.connect(environment["SELENE_DATABASE"]) as database:
            names = dict(database.execute("SELECT note_id, external_id FROM gateway_note_sources"))
        server = subprocess.Popen([binary, "serve"], env=environment)
        try:
            if not wait_for(port, 60, server):
                raise SystemExit("selene did not start")

            def ask(text, mode, analyze):
                body = {"query": text, "mode": mode, "limit": 100, "analyze": analyze}
                request = urllib.request.Request(f"http://127.0.0.1:{port}/api/notes/retrieve", json.dumps(body).encode(),
                                                 {"Content-Type": "application/json"})
                with urllib.request.urlopen(request, timeout=60) as answer:
                    reply = json.load(answer)
                if reply["source"] != mode:
                    raise SystemExit(f"{mode} was answered as {reply['source']}: {reply.get('fallback_reason')}")
                return [names.get(one["id"]) for one in reply["results"]], reply.get("analysis")

            for mode in modes:
                sums, read, changed = {False: [0, 0], True: [0, 0]}, 0, 0
                if stored:
                    stored.shortened = 0
                for name, text in queries:
                    lists = {}
                    for analyze in (False, True):
                        lists[analyze], analysis = ask(text, mode, analyze)
                        sums[analyze][0] += ndcg(lists[analyze], grades[name])
                        sums[analyze][1] += recall(lists[analyze], grades[name])
                    read += any(analysis.get(part) for part in ("since", "until", "phrases", "excluded"))
                    changed += lists[True] != lists[False]
                figures = {key: [one / len(queries) for one in value] for key, value in sums.items()}
                yield mode, len(names), len(queries), figures, read, changed, stored.shortened if stored else 0
        finally:
            server.terminate()
            server.wait(timeout=60)


def main():
    parser = argparse.ArgumentParser(prog="bench.py analyze", description=__doc__.splitlines()[0])
    parser.add_argument("collections", nargs="+", type=pathlib.Path)
    parser.add_argument("--mode", default="keyword", help="keyword, vector, hybrid, or several with commas")
    parser.add_argument("--vectors", default="stored", choices=["stored", "ollama"])
    parser.add_argument("--binary", type=pathlib.Path, default=BIN / "selene")
    options = parser.parse_args()
    modes = options.mode.split(",")
    if not set(modes) <= {"keyword", "vector", "hybrid"}:
        parser.error(f"unknown mode in {options.mode}")
    print("| collection | mode | documents | queries | nDCG@10 | with analyze | Recall@100 | with analyze | read | changed | "
          "vectors of the whole question |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    is_worse = False
    for collection in options.collections:
        for mode, documents, count, figures, read, changed, shortened in rows(
                options.binary, collection, modes, options.vectors):
            plain, analyzed = figures[False], figures[True]
            print(f"| {collection.name} | {mode} | {documents:,} | {count} | {plain[0]:.4f} | {analyzed[0]:.4f} | "
                  f"{plain[1]:.4f} | {analyzed[1]:.4f} | {read} | {changed} | {shortened} |", flush=True)
            is_worse = is_worse or any(new < old - TOLERANCE for old, new in zip(plain, analyzed))
    if is_worse:
        sys.exit("retrieval with analyze is below retrieval without it")


if __name__ == "__main__":
    main()
