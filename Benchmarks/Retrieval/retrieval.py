#!/usr/bin/env python3
"""Compares Selene's plans with numpy, faiss, usearch and sqlite-vec: the ten nearest of N vectors, on the same data."""
import argparse
import os
import sys
import tempfile

from lib.environment import BIN

TEACHING = """\
what is measured
  For each number of rows, all contestants get the same unit vectors. Each round measures every contestant once, in
  rotating order, so that a machine that slows down slows all of them. A round has three parts:
    one query      queries one after another; the table has the median and the best time
    clients        concurrent clients (threads, for the peers); the table has queries per second and the 99th percentile
    batch          many queries in one call; the table has milliseconds for the whole batch
  Exact contestants must agree on the ten nearest: each id must score at least the tenth best score minus 1e-6, else
  the run stops. Approximate contestants (int8, binary, faiss SQ8) report recall@10 over all queries instead.
  Under concurrent clients, peers use one thread or all threads per call, whichever is faster. A pause before each
  measurement lets the previous contestant's threads stop spinning, which would slow small sizes many times over.

reading the table
  "x selene" compares with selene exact in the same rounds: above 1 means slower for times, faster for queries/s.
  "of read" compares with reading the float32 matrix once with all threads. A contestant can exceed 100 % if it reads
  a smaller copy (int8, binary, SQ8) or if its matrix stays in the cache.

examples
  bench.py retrieval                        10k and 100k rows
  bench.py retrieval 10k --rounds 3         a short run
  bench.py retrieval --million --json runs.json --markdown table.md
  plot.py runs.json --out retrieval.svg     draws the saved runs
"""
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def size(text):
    """Parses `10000`, `10k` or `1m`."""
    factor = {"k": 1_000, "m": 1_000_000}.get(text[-1:].lower(), 1)
    digits = text if factor == 1 else text[:-1]
    if not digits.isdigit() or int(digits) * factor < 100:
        raise argparse.ArgumentTypeError(f"expected 100 rows or more, such as 10000, 10k or 1m, got {text!r}")
    return int(digits) * factor


def positive(text):
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"expected a positive number, got {text!r}")
    return int(text)


def cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def parse(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=TEACHING, formatter_class=argparse.RawDescriptionHelpFormatter)
    option = parser.add_argument
    option("--binary", default=BIN / "RetrievalBench", metavar="FILE", help="RetrievalBench (default: %(default)s)")
    option("sizes", nargs="*", type=size, metavar="ROWS", help="numbers of rows (default: 10k 100k)")
    option("--million", action="store_true", help="add 1m rows (3 GB of vectors; needs about 8 GB, better 13)")
    option("--data", choices=("clustered", "random"), default="clustered",
           help="200 Gaussians plus noise, or unit vectors in random directions (default: %(default)s)")
    option("--seed", type=int, default=7, help="seed of the generated data (default: %(default)s)")
    option("--dimensions", type=positive, default=768, metavar="D", help="dimensions of a vector (default: %(default)s)")
    option("--threads", type=positive, default=cores(), metavar="T",
           help="threads for each contestant (default: all cores, here %(default)s)")
    option("--rounds", type=positive, default=5, metavar="N", help="number of rounds (default: %(default)s)")
    option("--queries", type=positive, default=64, metavar="N",
           help="distinct queries; recall is over all of them (default: %(default)s)")
    option("--singles", type=positive, default=16, metavar="N",
           help="single queries per round (default: %(default)s)")
    option("--clients", type=positive, default=8, metavar="C", help="concurrent clients (default: %(default)s)")
    option("--client-queries", type=positive, default=8, metavar="N", help="queries of each client (default: %(default)s)")
    option("--batch", type=positive, default=64, metavar="B", help="queries per batch (default: %(default)s)")
    option("--sqlite-vec-large", action="store_true", help="run sqlite-vec above 250k rows, too (slow)")
    option("--folder", default=tempfile.gettempdir(), metavar="DIR",
           help="folder for temporary files, as large as the data, or twice with sqlite-vec (default: %(default)s)")
    option("--json", metavar="FILE", help="append this run with all figures to FILE, as one line of JSON")
    option("--markdown", metavar="FILE", help="write the tables to FILE, too")
    options = parser.parse_args(arguments)
    million = [1_000_000] if options.million else []
    options.sizes = sorted(set((options.sizes or [10_000, 100_000]) + million))
    options.queries = max(options.queries, options.batch)
    return options


def main():
    options = parse(sys.argv[1:])
    # Libraries read these variables at load time, so modules that import numpy are imported afterwards.
    os.environ.update({name: str(options.threads) for name in THREAD_VARIABLES})
    try:
        import rounds
    except ImportError as missing:
        sys.exit(f"retrieval.py needs numpy ({missing}): bench.py retrieval installs what it uses")
    rounds.run(options)


if __name__ == "__main__":
    main()
