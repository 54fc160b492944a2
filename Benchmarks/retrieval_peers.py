#!/usr/bin/env python3
"""One query, its ten nearest of N unit vectors: ours, numpy and faiss-cpu, round by round on the same data.

Each round measures every contestant once, so a machine that slows down slows all of them. Printed are medians over all
queries of all rounds, and the ratio of each peer's median to ours.
"""
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time

import faiss
import numpy as np

ROUNDS, QUERIES, DIMENSIONS = 7, 15, 768


def contestants(matrix, queries, ours):
    index = faiss.IndexFlatIP(DIMENSIONS)
    index.add(matrix)

    def run_numpy(query):
        scores = matrix @ query
        best = np.argpartition(scores, -10)[-10:]
        return best[np.argsort(-scores[best])]

    def run_faiss(query):
        return index.search(query[None, :], 10)[1][0]

    def timed(function):
        def measure(count):
            times = []
            for number in range(count):
                started = time.perf_counter()
                ids = function(queries[number % len(queries)])
                times.append((time.perf_counter() - started) * 1e3)
            return times, [int(i) for i in ids]
        return measure

    def measure_ours(count):
        ours.stdin.write(f"{count}\n")
        ours.stdin.flush()
        times = [float(t) for t in ours.stdout.readline().split()]
        return times, [int(i) for i in ours.stdout.readline().split()]

    return {"selene": measure_ours, "numpy": timed(run_numpy), "faiss flat": timed(run_faiss)}


def main():
    binary = sys.argv[1]
    sizes = [int(s) for s in sys.argv[2:]] or [10_000, 100_000]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    faiss.omp_set_num_threads(cores)
    print(f"machine: {platform.machine()}, {cores} cores; numpy {np.__version__}, faiss {faiss.__version__}")
    generator = np.random.default_rng(7)
    for rows in sizes:
        matrix = generator.standard_normal((rows, DIMENSIONS), dtype=np.float32)
        matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
        queries = generator.standard_normal((QUERIES, DIMENSIONS), dtype=np.float32)
        queries /= np.linalg.norm(queries, axis=1, keepdims=True)
        with tempfile.TemporaryDirectory() as folder:
            matrix.tofile(f"{folder}/m")
            queries.tofile(f"{folder}/q")
            ours = subprocess.Popen([binary, f"{folder}/m", str(rows), str(DIMENSIONS), f"{folder}/q"],
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            blas = ours.stdout.readline().strip().removeprefix("ready ")
            measures = contestants(matrix, queries, ours)
            times = {name: [] for name in measures}
            answers = {}
            for measure in measures.values():
                measure(QUERIES)
            for _ in range(ROUNDS):
                for name, measure in measures.items():
                    found, ids = measure(QUERIES)
                    times[name] += found
                    answers[name] = ids
            ours.stdin.close()
            ours.wait()
        assert len({tuple(ids) for ids in answers.values()}) == 1, f"answers differ: {answers}"
        medians = {name: statistics.median(found) for name, found in times.items()}
        print(f"\n{rows} x {DIMENSIONS} float32 ({matrix.nbytes / 1e6:.0f} MB), top 10, {ROUNDS} x {QUERIES} queries; "
              f"ours over {blas}")
        print("| | median ms | best ms | GB/s at the median | ratio to selene |\n|---|---:|---:|---:|---:|")
        for name, median in medians.items():
            print(f"| {name} | {median:.2f} | {min(times[name]):.2f} | {matrix.nbytes / median / 1e6:.1f} "
                  f"| {median / medians['selene']:.2f} |")


if __name__ == "__main__":
    main()
