#!/usr/bin/env python3
"""What a person would use instead: faiss, usearch, sqlite-vec, LanceDB and tantivy beside Selene, on the same documents.

`ScaleBench export` writes generated documents of 384 dimensions. Each contestant runs in a process of its own, on all cores
for the build and one question at a time: seconds and CPU seconds of the build, memory afterwards, p50 and p99 of the ten
nearest, recall@10 against an exact scan, milliseconds of a change and of a deletion (the median of 20, each until the library
says that it is done: sqlite-vec, LanceDB and tantivy then have it on the disk, the others in memory). tantivy is the only other one
with words; its questions are ScaleBench's. The codes of faiss and LanceDB have 48 bytes, 400 candidates are scored again in
float32; the graphs have 32 links. Lists or nodes to look at are doubled until 50 other questions reach recall@10 of 0.99, or to the
end; `effort` is their number. `peak` is the most memory until then, files included.
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
#: The recall@10 that an approximate index is set to reach.
RECALL = 0.99
#: An exact scan of more rows takes longer than a person waits.
MOST_ROWS = {"sqlite-vec": 250_000}


def memory():
    """Resident MB of the process: its own, of files, and the most so far of both."""
    names = ("RssAnon", "RssFile", "VmHWM")
    with open("/proc/self/status") as status:
        lines = dict(line.split(":", 1) for line in status if line.startswith(names))
    return [int(lines[name].split()[0]) / 1024 for name in names]


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
            index.hnsw.efConstruction = 100
            self.efforts = doubled(32, 1024)
        else:
            lists = max(64, int(rows ** 0.5))
            quantizer = faiss.IndexFlatIP(DIMENSIONS)
            index = faiss.IndexIVFPQ(quantizer, DIMENSIONS, lists, 48, 8, faiss.METRIC_INNER_PRODUCT)
            self.efforts = doubled(8, lists)
            index.train(documents.vectors[:: max(1, rows // (lists * 64))].copy())
        self.index = index
        for start in range(0, rows, 50_000):
            index.add(documents.vectors[start:start + 50_000].copy())

    def set(self, effort):
        if self.kind == "HNSW":
            self.index.hnsw.efSearch = effort
        else:
            self.index.nprobe = effort

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
        self.index = Index(ndim=DIMENSIONS, metric="ip", dtype="f32", connectivity=32, expansion_add=100)
        self.efforts = doubled(32, 1024)
        for start in range(0, len(documents.vectors), 50_000):
            block = documents.vectors[start:start + 50_000]
            self.index.add(numpy.arange(start, start + len(block)), block)

    def set(self, effort):
        self.index.expansion_search = effort

    def ask(self, query):
        return self.index.search(query, NEAREST).keys

    def change(self, row, vector):
        self.index.remove(row)
        self.index.add(row, vector)

    def delete(self, row):
        self.index.remove(row)


class SQLiteVec:
    def __init__(self, documents, folder):
        # Many Pythons have an sqlite3 that cannot load extensions.
        import apsw
        import sqlite_vec
        self.connection = apsw.Connection(str(folder / "peer.sqlite"))
        self.connection.enable_load_extension(True)
        self.connection.load_extension(sqlite_vec.loadable_path())
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
        from lancedb.index import IvfPq
        rows = len(documents.vectors)

        def batches():
            for start in range(0, rows, 50_000):
                block = documents.vectors[start:start + 50_000]
                values = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(block.reshape(-1)), DIMENSIONS)
                yield pyarrow.RecordBatch.from_arrays(
                    [pyarrow.array(range(start, start + len(block)), pyarrow.int64()), values], ["id", "vector"])
        schema = pyarrow.schema([("id", pyarrow.int64()), ("vector", pyarrow.list_(pyarrow.float32(), DIMENSIONS))])
        self.table = lancedb.connect(folder / "lance").create_table("v", batches(), schema=schema)
        # LanceDB trains no partition with fewer than 256 vectors.
        self.lists = max(1, min(int(rows ** 0.5), rows // 256))
        self.table.create_index(
            "vector", config=IvfPq(distance_type="cosine", num_partitions=self.lists, num_sub_vectors=48))
        self.efforts = doubled(8, self.lists)

    def set(self, effort):
        self.lists_to_ask = effort

    def ask(self, query):
        found = (self.table.search(query).distance_type("cosine").nprobes(self.lists_to_ask).refine_factor(40)
                 .select(["id", "_distance"]).limit(NEAREST).to_arrow())
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
            self.add(row, text)
        self.commit()

    def add(self, row, text):
        document = self.tantivy.Document(body=text)
        document.add_unsigned("id", row)
        self.writer.add_document(document)

    def commit(self):
        self.writer.commit()
        self.index.reload()
        self.searcher = self.index.searcher()

    def ask(self, question):
        query = self.index.parse_query(question, ["body"])
        return [address for _, address in self.searcher.search(query, NEAREST, count=False).hits]

    def change(self, row, _):
        self.writer.delete_documents_by_term("id", row)
        self.add(row, "changed words")
        self.commit()

    def delete(self, row):
        self.writer.delete_documents_by_term("id", row)
        self.commit()


def made(name, documents, folder):
    match name:
        case "faiss IVF-PQ": return Faiss(documents, folder, "IVF-PQ")
        case "faiss HNSW": return Faiss(documents, folder, "HNSW")
        case "usearch HNSW": return USearch(documents, folder)
        case "sqlite-vec": return SQLiteVec(documents, folder)
        case "lancedb IVF-PQ": return LanceDB(documents, folder)
        case "tantivy": return Tantivy(documents, folder)


def doubled(first, last):
    """Efforts from the first on, each twice the one before, and the last one."""
    efforts = []
    while first < last:
        efforts.append(first)
        first *= 2
    return [*efforts, last]


def set_effort(peer, queries, exact):
    """Chooses the least effort that reaches the wanted recall, or the last one; None for a contestant without a choice."""
    for effort in getattr(peer, "efforts", ()):
        peer.set(effort)
        hits = sum(len(set(map(int, peer.ask(query))) & set(ids.tolist())) for query, ids in zip(queries, exact))
        if hits >= RECALL * NEAREST * len(queries):
            return effort
    return peer.efforts[-1] if hasattr(peer, "efforts") else None


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
        figures["effort"] = None if has_words else set_effort(peer, documents.queries[:50], exact)
        asked, exact = (documents.questions, None) if has_words else (list(documents.queries[50:]), exact[50:])
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
        figures |= {"anonymous_mb": now[0] - before[0], "files_mb": now[1], "peak_mb": now[2], "p50_ms": statistics.median(times),
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
        yield {"name": f"selene {mode}", "rows": rows, "effort": None, "build_s": lines["build"]["seconds"] + lines["tune"]["seconds"],
               "build_cpu_s": lines["build"]["cpu_seconds"] - lines["build"]["making_cpu_seconds"]
               + lines["tune"]["cpu_seconds"], "anonymous_mb": one["anonymous_mb"], "files_mb": one["files_mb"],
               "p50_ms": one["p50_ms"], "p99_ms": one["p99_ms"], "cpu_ms": one["cpu_ms"],
               "recall": None if mode == "keyword" else lines["recall@10"]["recall"],
               "peak_mb": max(lines["build"]["peak_mb"], lines["tune"]["peak_mb"], one["peak_mb"]),
               "change_ms": lines["write changed"]["p50_ms"], "delete_ms": lines["write removed"]["p50_ms"]}


COLUMNS = ("effort", "build_s", "build_cpu_s", "anonymous_mb", "files_mb", "peak_mb", "p50_ms", "p99_ms", "cpu_ms", "recall",
           "change_ms", "delete_ms")


def shown(name, value):
    if value is None:
        return "–"
    if name == "effort":
        return f"{value:,}"
    return f"{value:.3f}" if name == "recall" or value < 0.1 else f"{value:,.1f}" if value >= 10 else f"{value:.2f}"


def row(figures):
    texts = [shown(name, figures[name]) for name in COLUMNS]
    print(f"| {figures['name']} | {figures['rows']:,} | " + " | ".join(texts) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(prog="bench.py peers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", type=int, default=[10_000, 100_000, 1_000_000], help="numbers of documents")
    parser.add_argument("--only", action="append", choices=("selene", "exact") + NAMES, metavar="NAME",
                        help=f"a contestant; may be repeated: selene, {', '.join(NAMES)}")
    parser.add_argument("--folder", help="folder for the data, about 4 kB per document and contestant")
    parser.add_argument("--bench", default=BIN / "ScaleBench", help="the program ScaleBench")
    parser.add_argument("--data", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.data:
        folder = pathlib.Path(options.data)
        if options.only == ["exact"]:
            Documents(folder).nearest()
            return 0
        return measure(options.only[0], folder)
    print("| | rows | " + " | ".join(name.replace("_", " ") for name in COLUMNS) + " |")
    print("|---|" + "---:|" * (len(COLUMNS) + 1), flush=True)
    for rows in options.rows:
        with tempfile.TemporaryDirectory(prefix="selene-peers-", dir=options.folder) as folder:
            folder = pathlib.Path(folder)
            subprocess.run([options.bench, "export", folder, str(rows)], check=True)
            if not options.only or "selene" in options.only:
                for figures in selene(options.bench, folder, rows):
                    row(figures)
            # In a process of its own, so that its memory is nobody's.
            subprocess.run([sys.executable, __file__, "--data", folder, "--only", "exact"], check=True)
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
