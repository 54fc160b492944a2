#!/usr/bin/env python3
"""Ingests a BEIR collection, embeds it with Ollama, sends all judged queries over HTTP and scores the answers."""
import json
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request

import pytrec_eval

from lib.environment import BIN

PORT = 18440


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: bench.py quality COLLECTION [EMBED_MODEL]     with Ollama at OLLAMA_HOST")
    binary, collection = BIN / "selene", pathlib.Path(sys.argv[1])
    model = sys.argv[2] if len(sys.argv) > 2 else "all-minilm"
    folder = tempfile.mkdtemp(prefix="selene-quality-")
    database = f"{folder}/n.sqlite"
    environment = {**os.environ, "SELENE_DATABASE": database, "SELENE_EMBED_MODEL": model, "SELENE_PORT": str(PORT),
                   "SELENE_LOG_LEVEL": "warning"}

    def selene(*arguments):
        return subprocess.run([binary, *arguments], env=environment, check=True, capture_output=True, text=True).stdout

    # Ties are ordered by id, and collections often list relevant documents first. So the order is shuffled, with a
    # fixed seed.
    lines = (collection / "corpus.jsonl").read_text().splitlines()
    random.Random(7).shuffle(lines)
    pathlib.Path(folder, "corpus.jsonl").write_text("\n".join(lines))
    print(selene("ingest", folder, "--format", "beir").strip())
    print(selene("backfill").strip())
    names = dict(sqlite3.connect(database).execute("SELECT note_id, external_id FROM gateway_note_sources"))
    qrels = {}
    for line in (collection / "qrels" / "test.tsv").read_text().splitlines()[1:]:
        query, document, grade = line.split("\t")
        qrels.setdefault(query, {})[document] = int(grade)
    queries = [json.loads(line) for line in (collection / "queries.jsonl").read_text().splitlines()]
    queries = [(q["_id"], q["text"]) for q in queries if q["_id"] in qrels]
    server = subprocess.Popen([binary, "serve"], env=environment)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10", "recall.100", "recip_rank"})
    try:
        for _ in range(200):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{PORT}/health")
                break
            except OSError:
                time.sleep(0.05)
        print(f"\n{collection.name}, {len(names)} documents, {len(queries)} queries, {model}\n")
        print("| mode | nDCG@10 | Recall@100 | MRR | p50 ms |\n|---|---:|---:|---:|---:|")
        rows = [("vector", None), ("keyword", None), ("hybrid", "convex"), ("hybrid", "rrf"), ("hybrid", "dbsf")]
        for mode, fusion in rows:
            run, times = {}, []
            for identifier, text in queries:
                body = {"query": text, "limit": 100, "mode": mode, **({"fusion": fusion} if fusion else {})}
                request = urllib.request.Request(f"http://127.0.0.1:{PORT}/api/notes/retrieve",
                                                 json.dumps(body).encode(), {"Content-Type": "application/json"})
                reply = json.load(urllib.request.urlopen(request))
                assert reply["source"] == mode, reply.get("fallback_reason")
                times.append(reply["timings_ms"]["total"])
                # The score is derived from the rank, so that the evaluator's own tie-break has no effect.
                run[identifier] = {names[r["id"]]: 1000.0 - rank for rank, r in enumerate(reply["results"])}
            scores = evaluator.evaluate(run)
            mean = {m: sum(s[m] for s in scores.values()) / len(scores)
                    for m in ("ndcg_cut_10", "recall_100", "recip_rank")}
            name = f"{mode} ({fusion})" if fusion else mode
            print(f"| {name} | {mean['ndcg_cut_10']:.4f} | {mean['recall_100']:.4f} | {mean['recip_rank']:.4f} "
                  f"| {sorted(times)[len(times) // 2]:.1f} |")
    finally:
        server.terminate()
        server.wait(timeout=40)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
