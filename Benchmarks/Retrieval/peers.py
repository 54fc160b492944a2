#!/usr/bin/env python3
"""What a person would use instead: faiss, usearch, sqlite-vec, LanceDB and tantivy beside Selene, on the same documents.

`ScaleBench export` writes generated documents of 384 dimensions. Each contestant runs in a process of its own, on all cores
for the build and one question at a time: seconds and CPU seconds of the build, memory afterwards, p50 and p99 of the ten
nearest, recall@10 against an exact scan, milliseconds of a change and of a deletion (the median of 20, each until the library
says that it is done). tantivy is the only one with words; its questions are ScaleBench's. An approximate index is set so that
its recall is comparable: faiss rescores 400 candidates of 48-byte codes in float32, the graphs have 32 links and look at 128.
"""
import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

from lib.environment import BIN

DIMENSIONS, NEAREST = 384, 10
NAMES = ("faiss IVF-PQ", "faiss HNSW", "usearch HNSW", "sqlite-vec", "lancedb IVF-PQ", "tantivy")
#: An exact scan of more rows takes longer than a person waits.
MOST_ROWS = {"sqlite-vec": 250_000}


def memory():
    """Resident MB of the process: its own, and of files."""
    lines = dict(line.split(":", 1) for line in open("/proc/self/status") if line.startswith(("RssAnon", "RssFile")))
    return [int(lines[name].split()[0]) / 1024 for name in ("RssAnon", "RssFile")]


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class Documents:
    """What ScaleBench exported."""

    def __init__(self, folder):
        import numpy
        self.folder = folder
        self.vectors = numpy.memmap(folder / "vectors", dtype=numpy.float32, mode="r").reshape(-1, DIMENSIONS)
        self.queries = numpy.fromfile(folder / "queries", dtype=numpy.float32).reshape(-1, DIMENSIONS)
        self.questions = (folder / "questions").read_text().splitlines()

    def texts(self):
        with open(self.folder / "texts") as file:
            yield from enumerate(line.rstrip("\n") for line in file)

    def nearest(self):
        """The ids of the ten nearest of each query, by an exact scan in blocks."""
        import numpy
        known = self.folder / "nearest.npy"
        if known.exists():
            return numpy.load(known)
        best = numpy.full((len(self.queries), NEAREST), -2, dtype=numpy.float32)
        ids = numpy.zeros((len(self.queries), NEAREST), dtype=numpy.int64)
        for start in range(0, len(self.vectors), 100_000):
            scores = self.queries @ numpy.asarray(self.vectors[start:start + 100_000]).T
            places = numpy.argpartition(-scores, min(NEAREST, scores.shape[1] - 1), axis=1)[:, :NEAREST]
            scores = numpy.concatenate([best, numpy.take_along_axis(scores, places, 1)], axis=1)
            places = numpy.concatenate([ids, places + start], axis=1)
            order = numpy.argsort(-scores, axis=1)[:, :NEAREST]
            best, ids = numpy.take_along_axis(scores, order, 1), numpy.take_along_axis(places, order, 1)
        numpy.save(known, ids)
        return ids


class Faiss:
    def __init__(self, documents, folder, kind):
        import faiss
        self.faiss, self.documents, self.kind = faiss, documents, kind
        rows = len(documents.vectors)
        if kind == "HNSW":
            index = faiss.IndexHNSWFlat(DIMENSIONS, 32, faiss.METRIC_INNER_PRODUCT)
            index.hnsw.efConstruction, index.hnsw.efSearch = 100, 128
        else:
            lists = max(64, int(rows ** 0.5))
            quantizer = faiss.IndexFlatIP(DIMENSIONS)
            index = faiss.IndexIVFPQ(quantizer, DIMENSIONS, lists, 48, 8, faiss.METRIC_INNER_PRODUCT)
            index.nprobe = max(8, lists // 16)
            index.train(documents.vectors[:: max(1, rows // (lists * 64))].copy())
        self.index = index
        for start in range(0, rows, 50_000):
            index.add(documents.vectors[start:start + 50_000].copy())

    def ask(self, query):
        import numpy
        if self.kind == "HNSW":
            return self.index.search(query[None], NEAREST)[1][0]
        ids = self.index.search(query[None], 400)[1][0]
        ids = ids[ids >= 0]
        ids.sort()
        scores = self.documents.vectors[ids] @ query
        return ids[numpy.argsort(-scores)[:NEAREST]]

    def change(self, row, vector):
        if self.kind == "HNSW":
            raise NotImplementedError
        self.delete(row)
        import numpy
        self.index.add_with_ids(vector[None], numpy.array([row]))

    def delete(self, row):
        if self.kind == "HNSW":
            raise NotImplementedError
        import numpy
        self.index.remove_ids(numpy.array([row]))


class USearch:
    def __init__(self, documents, folder):
        import numpy
        from usearch.index import Index
        self.index = Index(ndim=DIMENSIONS, metric="ip", dtype="f32", connectivity=32, expansion_add=100, expansion_search=128)
        for start in range(0, len(documents.vectors), 50_000):
            block = documents.vectors[start:start + 50_000]
            self.index.add(numpy.arange(start, start + len(block)), block)

    def ask(self, query):
        return self.index.search(query, NEAREST).keys

    def change(self, row, vector):
        self.index.remove(row)
        self.index.add(row, vector)

    def delete(self, row):
        self.index.remove(row)


class SQLiteVec:
    def __init__(self, documents, folder):
        import sqlite3
        import sqlite_vec
        self.connection = sqlite3.connect(folder / "peer.sqlite")
        self.connection.enable_load_extension(True)
        sqlite_vec.load(self.connection)
        self.connection.execute(
            f"CREATE VIRTUAL TABLE v USING vec0(vector float[{DIMENSIONS}] distance_metric=cosine)")
        with self.connection:
            self.connection.executemany("INSERT INTO v (rowid, vector) VALUES (?, ?)",
                                        ((row + 1, vector.tobytes()) for row, vector in enumerate(documents.vectors)))

    def ask(self, query):
        rows = self.connection.execute("SELECT rowid FROM v WHERE vector MATCH ? AND k = ?", (query.tobytes(), NEAREST))
        return [row - 1 for row, in rows]

    def change(self, row, vector):
        with self.connection:
            self.connection.execute("UPDATE v SET vector = ? WHERE rowid = ?", (vector.tobytes(), row + 1))

    def delete(self, row):
        with self.connection:
            self.connection.execute("DELETE FROM v WHERE rowid = ?", (row + 1,))


class LanceDB:
    def __init__(self, documents, folder):
        import lancedb
        import pyarrow
        rows = len(documents.vectors)

        def batches():
            for start in range(0, rows, 50_000):
                block = documents.vectors[start:start + 50_000]
                values = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(block.reshape(-1)), DIMENSIONS)
                yield pyarrow.RecordBatch.from_arrays(
                    [pyarrow.array(range(start, start + len(block)), pyarrow.int64()), values], ["id", "vector"])
        schema = pyarrow.schema([("id", pyarrow.int64()), ("vector", pyarrow.list_(pyarrow.float32(), DIMENSIONS))])
        self.table = lancedb.connect(folder / "lance").create_table("v", batches(), schema=schema)
        self.lists = max(64, int(rows ** 0.5))
        self.table.create_index(metric="cosine", num_partitions=self.lists, num_sub_vectors=48)

    def ask(self, query):
        found = (self.table.search(query).metric("cosine").nprobes(max(8, self.lists // 16)).refine_factor(40)
                 .select(["id"]).limit(NEAREST).to_arrow())
        return found["id"].to_pylist()

    def change(self, row, vector):
        self.table.update(where=f"id = {row}", values={"vector": vector.tolist()})

    def delete(self, row):
        self.table.delete(f"id = {row}")


class Tantivy:
    has_words = True

    def __init__(self, documents, folder):
        import tantivy
        self.tantivy = tantivy
        builder = tantivy.SchemaBuilder()
        builder.add_unsigned_field("id", stored=True, indexed=True)
        builder.add_text_field("body", stored=False, tokenizer_name="en_stem")
        (folder / "tantivy").mkdir()
        self.index = tantivy.Index(builder.build(), path=str(folder / "tantivy"))
        self.writer = self.index.writer(400_000_000, os.cpu_count())
        for row, text in documents.texts():
            self.writer.add_document(tantivy.Document(id=row, body=text))
        self.commit()

    def commit(self):
        self.writer.commit()
        self.index.reload()
        self.searcher = self.index.searcher()

    def ask(self, question):
        query = self.index.parse_query(question, ["body"])
        return [address for _, address in self.searcher.search(query, NEAREST, count=False).hits]

    def change(self, row, _):
        self.writer.delete_documents("id", row)
        self.writer.add_document(self.tantivy.Document(id=row, body="changed words"))
        self.commit()

    def delete(self, row):
        self.writer.delete_documents("id", row)
        self.commit()


def made(name, documents, folder):
    match name:
        case "faiss IVF-PQ": return Faiss(documents, folder, "IVF-PQ")
        case "faiss HNSW": return Faiss(documents, folder, "HNSW")
        case "usearch HNSW": return USearch(documents, folder)
        case "sqlite-vec": return SQLiteVec(documents, folder)
        case "lancedb IVF-PQ": return LanceDB(documents, folder)
        case "tantivy": return Tantivy(documents, folder)


def median_ms(body, rounds=20):
    times = []
    for number in range(rounds):
        started = time.perf_counter()
        try:
            body(number)
        except NotImplementedError:
            return None
        times.append((time.perf_counter() - started) * 1e3)
    return statistics.median(times)


def measure(name, folder):
    """The figures of one contestant, in its own process."""
    documents = Documents(folder)
    exact = documents.nearest()
    before = memory()
    with tempfile.TemporaryDirectory(dir=folder) as own:
        started, used = time.perf_counter(), cpu()
        peer = made(name, documents, pathlib.Path(own))
        figures = {"name": name, "rows": len(documents.vectors), "build_s": time.perf_counter() - started,
                   "build_cpu_s": cpu() - used}
        has_words = getattr(peer, "has_words", False)
        asked = documents.questions if has_words else list(documents.queries)
        for one in asked[:20]:
            peer.ask(one)
        times, hits, used = [], 0, cpu()
        for number, one in enumerate(asked):
            begin = time.perf_counter()
            ids = peer.ask(one)
            times.append((time.perf_counter() - begin) * 1e3)
            if not has_words:
                hits += len(set(map(int, ids)) & set(exact[number].tolist()))
        times.sort()
        now = memory()
        figures |= {"anonymous_mb": now[0] - before[0], "files_mb": now[1], "p50_ms": statistics.median(times),
                    "p99_ms": times[len(times) * 99 // 100], "cpu_ms": (cpu() - used) * 1e3 / len(asked),
                    "recall": None if has_words else hits / (NEAREST * len(asked)),
                    "change_ms": median_ms(lambda number: peer.change(number, documents.queries[number])),
                    "delete_ms": median_ms(lambda number: peer.delete(100 + number))}
    print(json.dumps(figures))


def selene(bench, folder, rows):
    """The figures of Selene from ScaleBench's lines."""
    file = folder / "selene.index"
    lines = {}
    for command in (["build", file, str(rows)], ["tune", file, "100"], ["search", file, "200"], ["write", file]):
        done = subprocess.run([bench, *command], check=True, capture_output=True, text=True)
        lines |= {line["figure"]: line for line in map(json.loads, done.stdout.splitlines())}
    file.unlink()
    for mode in ("vector", "keyword", "hybrid"):
        one = lines[mode]
        yield {"name": f"selene {mode}", "rows": rows, "build_s": lines["build"]["seconds"] + lines["tune"]["seconds"],
               "build_cpu_s": lines["build"]["cpu_seconds"] - lines["build"]["making_cpu_seconds"]
               + lines["tune"]["cpu_seconds"], "anonymous_mb": one["anonymous_mb"], "files_mb": one["files_mb"],
               "p50_ms": one["p50_ms"], "p99_ms": one["p99_ms"], "cpu_ms": one["cpu_ms"],
               "recall": None if mode == "keyword" else lines["recall@10"]["recall"],
               "change_ms": lines["write changed"]["p50_ms"], "delete_ms": None}


COLUMNS = ("build_s", "build_cpu_s", "anonymous_mb", "files_mb", "p50_ms", "p99_ms", "cpu_ms", "recall", "change_ms", "delete_ms")


def row(figures):
    texts = ["–" if figures[name] is None else f"{figures[name]:.3f}" if name == "recall" else f"{figures[name]:,.1f}"
             if figures[name] >= 10 else f"{figures[name]:.2f}" for name in COLUMNS]
    print(f"| {figures['name']} | {figures['rows']:,} | " + " | ".join(texts) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(prog="bench.py peers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", type=int, default=[10_000, 100_000, 1_000_000], help="numbers of documents")
    parser.add_argument("--only", action="append", help="a contestant; may be repeated")
    parser.add_argument("--folder", help="folder for the data, about 4 kB per document and contestant")
    parser.add_argument("--bench", default=BIN / "ScaleBench", help="the program ScaleBench")
    parser.add_argument("--data", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.data:
        return measure(options.only[0], pathlib.Path(options.data))
    print("| | rows | " + " | ".join(name.replace("_", " ") for name in COLUMNS) + " |")
    print("|---|" + "---:|" * (len(COLUMNS) + 1), flush=True)
    for rows in options.rows:
        with tempfile.TemporaryDirectory(prefix="selene-peers-", dir=options.folder) as folder:
            folder = pathlib.Path(folder)
            subprocess.run([options.bench, "export", folder, str(rows)], check=True)
            if not options.only or "selene" in options.only:
                for figures in selene(options.bench, folder, rows):
                    row(figures)
            for name in NAMES:
                if options.only and name not in options.only or rows > MOST_ROWS.get(name, rows):
                    continue
                done = subprocess.run([sys.executable, __file__, "--data", folder, "--only", name], stdout=subprocess.PIPE,
                                      text=True)
                if done.returncode != 0:
                    print(f"| {name} | {rows:,} | failed |", flush=True)
                else:
                    row(json.loads(done.stdout.splitlines()[-1]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
