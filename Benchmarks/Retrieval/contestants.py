"""Selene's plans and their peers, behind one interface: `single`, `clients`, `batch` and `answers`."""
import contextlib
import json
import os
import queue
import sqlite3
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from data import NEAREST

SQLITE_VEC_ROWS = 250_000
PAUSE = 0.2  # OpenBLAS threads spin for 2^28 cycles after a call; those of the previous contestant must go to sleep


class Unavailable(Exception):
    """Raised when a contestant cannot take part; the message says why."""


class BenchmarkFailed(Exception):
    """Raised when the run is invalid; the message says why."""


class Selene:
    """The RetrievalBench process: takes one command per line and answers each with a line of JSON."""

    def __init__(self, binary, folder, rows, dimensions, threads):
        command = [binary, f"{folder}/m", str(rows), str(dimensions), f"{folder}/q", str(threads)]
        try:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        except OSError as error:
            raise BenchmarkFailed(f"{binary} does not start: {error}") from error
        self.ready = self.decoded(self.line("its start").removeprefix("ready "), "its start")
        if "exact" not in self.ready.get("plans", []):
            raise BenchmarkFailed(f"{binary} has no exact plan, which is the reference: {self.ready}")

    def ask(self, command):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(command + "\n")
            self.process.stdin.flush()
        answer = self.decoded(self.line(command), command)
        if "error" in answer:
            raise BenchmarkFailed(f"RetrievalBench answered `{command}` with the error: {answer['error']}")
        return answer

    def line(self, occasion):
        line = self.process.stdout.readline()
        if not line:
            raise BenchmarkFailed(f"RetrievalBench ended at {occasion}, exit status {self.process.wait()}")
        return line

    def decoded(self, line, occasion):
        try:
            return json.loads(line)
        except ValueError as error:
            raise BenchmarkFailed(f"RetrievalBench answered {occasion} with no JSON: {line[:200]!r}") from error

    def close(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


class Plan:
    """One of Selene's vector plans."""

    batches, memory_mb, load_ms, call_threads, reported_recall = True, None, None, None, None

    def __init__(self, selene, plan, queries):
        self.selene, self.plan, self.queries = selene, plan, queries
        self.name, self.approximate = f"selene {plan}", plan != "exact"

    def single(self, count):
        answer = self.selene.ask(f"single {self.plan} {count}")
        return answer["ms"], answer["ids"]

    def clients(self, clients, each):
        answer = self.selene.ask(f"clients {self.plan} {clients} {each}")
        return answer["seconds"], answer["ms"]

    def batch(self, count):
        answer = self.selene.ask(f"batch {self.plan} {count}")
        return answer["ms"], answer["ids"]

    def answers(self):
        """The answers to all queries, as a batch. Also stores the recall that single queries report."""
        self.reported_recall = self.selene.ask(f"single {self.plan} {len(self.queries)}").get("recall")
        return self.batch(len(self.queries))[1]

    def tune(self, clients):
        pass

    def close(self):
        pass


class Peer:
    """A peer: loads the matrix, then `search(queries)` returns a row of ids for each query."""

    name, approximate, copies, batches, tunable = "", False, False, True, False
    reported_recall = None

    def __init__(self, matrix, queries, options, folder):
        self.queries, self.threads, self.call_threads, self.folder = queries, options.threads, None, folder
        self.large = options.sqlite_vec_large
        started = time.perf_counter()
        self.memory_mb = self.load(matrix) / 1e6
        self.load_ms = (time.perf_counter() - started) * 1e3

    def load(self, matrix):
        """Prepares the search; returns the bytes of the vectors."""
        raise NotImplementedError

    def search(self, queries):
        raise NotImplementedError

    def timed(self, number):
        query = self.queries[number % len(self.queries)][None, :]
        started = time.perf_counter()
        ids = self.search(query)
        return (time.perf_counter() - started) * 1e3, ids[0]

    def single(self, count):
        measured = [self.timed(number) for number in range(count)]
        return [ms for ms, _ in measured], measured[-1][1]

    def clients(self, clients, each):
        """Runs concurrent threads after a warm-up query each; returns seconds from first start to last end, and times."""
        together = threading.Barrier(clients)

        def client(number):
            try:
                self.timed(number)
            except BaseException:
                together.abort()
                raise
            together.wait()
            started = time.perf_counter()
            times = [self.timed(number + step * clients)[0] for step in range(each)]
            return started, times, time.perf_counter()

        with self.threads_of_a_call(self.call_threads), ThreadPoolExecutor(clients) as pool:
            starts, times, ends = zip(*pool.map(client, range(clients)))
        return max(ends) - min(starts), [ms for one in times for ms in one]

    def batch(self, count):
        started = time.perf_counter()
        ids = self.search(self.queries[:count])
        return (time.perf_counter() - started) * 1e3, ids

    def answers(self):
        return [self.timed(number)[1] for number in range(len(self.queries))]

    def threads_of_a_call(self, threads):
        """Limits the threads inside a call; a peer that supports this sets `tunable`."""
        return contextlib.nullcontext()

    def tune(self, clients):
        """Chooses one thread or all threads per call for concurrent clients, whichever is faster for this peer."""
        if not self.tunable or self.threads == 1:
            return
        seconds = {}
        for threads in (1, self.threads):
            self.call_threads = threads
            time.sleep(PAUSE)
            seconds[threads] = min(self.clients(clients, 4)[0] for _ in range(2))
        self.call_threads = min(seconds, key=seconds.get)

    def close(self):
        pass


class Numpy(Peer):
    """One matrix product with numpy's BLAS, then argpartition."""

    name = "numpy"

    def load(self, matrix):
        self.matrix = matrix
        try:
            from threadpoolctl import threadpool_limits
            self.limits, self.tunable = threadpool_limits, True
        except ImportError:
            pass
        return matrix.nbytes

    def threads_of_a_call(self, threads):
        return self.limits(threads, "blas") if self.tunable else contextlib.nullcontext()

    def search(self, queries):
        if len(queries) == 1:
            return [self.best(self.matrix @ queries[0])]
        return [self.best(scores) for scores in queries @ self.matrix.T]

    def best(self, scores):
        best = np.argpartition(scores, -NEAREST)[-NEAREST:]
        return best[np.argsort(-scores[best])]


class FaissFlat(Peer):
    """IndexFlatIP: exact, over a copy of the vectors. faiss distributes queries, not rows, over threads."""

    name, copies = "faiss flat", True

    def load(self, matrix):
        import faiss
        faiss.omp_set_num_threads(self.threads)
        self.index = self.empty(faiss, matrix)
        self.index.add(matrix)
        return self.index.ntotal * self.index.sa_code_size()

    def empty(self, faiss, matrix):
        return faiss.IndexFlatIP(matrix.shape[1])

    def search(self, queries):
        return self.index.search(queries, NEAREST)[1]


class FaissSQ8(FaissFlat):
    """One byte per dimension, trained on the first rows."""

    name, approximate = "faiss SQ8", True

    def empty(self, faiss, matrix):
        quantizer = faiss.ScalarQuantizer
        index = faiss.IndexScalarQuantizer(matrix.shape[1], quantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT)
        index.train(matrix[:50_000])
        return index


class Usearch(Peer):
    """Exact search directly on the matrix."""

    name, tunable = "usearch exact", True

    def load(self, matrix):
        from usearch.index import MetricKind, search
        self.matrix, self.exact, self.metric = matrix, search, MetricKind.IP
        return matrix.nbytes

    @contextlib.contextmanager
    def threads_of_a_call(self, threads):
        usual, self.threads = self.threads, threads or self.threads
        try:
            yield
        finally:
            self.threads = usual

    def search(self, queries):
        matches = self.exact(self.matrix, queries, NEAREST, self.metric, exact=True, threads=self.threads)
        return np.atleast_2d(matches.keys)


class SqliteVec(Peer):
    """A vec0 table in a memory-mapped database file; one thread per query."""

    name, copies, batches = "sqlite-vec", True, False

    def load(self, matrix):
        if len(matrix) > SQLITE_VEC_ROWS and not self.large:
            raise Unavailable(f"left out above {SQLITE_VEC_ROWS:,} rows without --sqlite-vec-large")
        if not hasattr(sqlite3.Connection, "enable_load_extension"):
            raise Unavailable("this Python's sqlite3 cannot load extensions")
        self.path, self.idle = f"{self.folder}/vectors.sqlite", queue.SimpleQueue()
        connection = self.connection()
        connection.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; CREATE VIRTUAL TABLE vectors "
            f"USING vec0(vector float[{matrix.shape[1]}] distance_metric=cosine);")
        with connection:
            connection.executemany("INSERT INTO vectors(rowid, vector) VALUES (?, ?)",
                                   ((row, vector.tobytes()) for row, vector in enumerate(matrix)))
        self.idle.put(connection)
        return os.path.getsize(self.path)

    def connection(self):
        import sqlite_vec
        connection = sqlite3.connect(self.path, check_same_thread=False)
        connection.enable_load_extension(True)
        sqlite_vec.load(connection)
        connection.enable_load_extension(False)
        connection.execute(f"PRAGMA mmap_size = {2**31 - 2**16}")
        return connection

    def search(self, queries):
        try:
            connection = self.idle.get_nowait()
        except queue.Empty:
            connection = self.connection()
        found = [connection.execute(f"SELECT rowid FROM vectors WHERE vector MATCH ? AND k = {NEAREST}",
                                    (query.tobytes(),)).fetchall() for query in queries]
        self.idle.put(connection)
        return [[row for row, in rows] for rows in found]

    def close(self):
        while not self.idle.empty():
            self.idle.get().close()
        os.remove(self.path)


PEERS = (Numpy, Usearch, FaissFlat, FaissSQ8, SqliteVec)
