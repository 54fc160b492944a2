#!/usr/bin/env python3
"""The ten nearest of N vectors: Selene's plans beside numpy, faiss, usearch and sqlite-vec, on the same data."""
import argparse
import os
import sys
import tempfile

from lib.environment import BIN

TEACHING = """\
what is measured
  For every number of rows the same unit vectors go to every contestant. Each round then measures every contestant once,
  in rotating order, so that a machine that slows down slows all of them. A round has three parts:
    one query      queries one after another; the table has the median and the best time
    clients        concurrent clients (threads, for the peers); the table has queries per second and the 99th percentile
    batch          many queries handed over in one call; the table has milliseconds for the whole batch
  Exact contestants must agree on the ten nearest: each id must score within 1e-6 of the tenth best or above it, else the
  run stops. Approximate ones (int8, binary, faiss SQ8) report recall@10 over all queries instead.
  Peers get the faster of one thread and all threads a call under concurrent clients. A pause before each measurement
  lets the threads of the one before stop spinning, which slowed small sizes many times over.

reading the table
  "x selene" compares with selene exact in the same rounds: above 1 is slower in times, faster in queries per second.
  "of read" is the share of the speed at which all threads read the float32 matrix once. A contestant that reads a
  smaller copy (int8, binary, SQ8) can pass 100 %; so can any whose matrix stays in the cache.

examples
  bench.py retrieval                        10k and 100k rows
  bench.py retrieval 10k --rounds 3         a quick look
  bench.py retrieval --million --json runs.json --markdown table.md
  plot.py runs.json --out retrieval.svg     the curves of the runs kept so far
"""
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def size(text):
    """Reads `10000`, `10k` or `1m`."""
    factor = {"k": 1_000, "m": 1_000_000}.get(text[-1:].lower(), 1)
    digits = text if factor == 1 else text[:-1]
    if not digits.isdigit() or int(digits) * factor < 100:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of rows, at least 100: write 10000, 10k or 1m")
    return int(digits) * factor


def positive(text):
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number")
    return int(text)


def cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def parse(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=TEACHING, formatter_class=argparse.RawDescriptionHelpFormatter)
    option = parser.add_argument
    option("--binary", default=BIN / "RetrievalBench", metavar="FILE", help="(default: %(default)s)")
    option("sizes", nargs="*", type=size, metavar="ROWS", help="numbers of rows (default: 10k 100k)")
    option("--million", action="store_true", help="adds 1m rows (3 GB of vectors; wants about 8 GB, better 13)")
    option("--data", choices=("clustered", "random"), default="clustered",
           help="200 Gaussians plus noise, or unit vectors in random directions (default: %(default)s)")
    option("--seed", type=int, default=7, help="of the generated data (default: %(default)s)")
    option("--dimensions", type=positive, default=768, metavar="D", help="of a vector (default: %(default)s)")
    option("--threads", type=positive, default=cores(), metavar="T",
           help="for every contestant (default: all cores, here %(default)s)")
    option("--rounds", type=positive, default=5, metavar="N", help="(default: %(default)s)")
    option("--queries", type=positive, default=64, metavar="N",
           help="distinct queries; recall is over all of them (default: %(default)s)")
    option("--singles", type=positive, default=16, metavar="N",
           help="queries one by one in a round (default: %(default)s)")
    option("--clients", type=positive, default=8, metavar="C", help="concurrent clients (default: %(default)s)")
    option("--client-queries", type=positive, default=8, metavar="N", help="of each client (default: %(default)s)")
    option("--batch", type=positive, default=64, metavar="B", help="queries of a batch (default: %(default)s)")
    option("--sqlite-vec-large", action="store_true", help="runs sqlite-vec above 250k rows too (slow)")
    option("--folder", default=tempfile.gettempdir(), metavar="DIR",
           help="for temporary files of the data's size, twice with sqlite-vec (default: %(default)s)")
    option("--json", metavar="FILE", help="appends this run with all its figures as one line of JSON")
    option("--markdown", metavar="FILE", help="writes the tables to FILE as well")
    options = parser.parse_args(arguments)
    million = [1_000_000] if options.million else []
    options.sizes = sorted(set((options.sizes or [10_000, 100_000]) + million))
    options.queries = max(options.queries, options.batch)
    return options


def main():
    options = parse(sys.argv[1:])
    # Libraries read these when they are loaded, so the modules that import numpy come after.
    os.environ.update({name: str(options.threads) for name in THREAD_VARIABLES})
    try:
        import rounds
    except ImportError as missing:
        sys.exit(f"retrieval.py needs numpy ({missing}): bench.py retrieval installs what it uses")
    rounds.run(options)


if __name__ == "__main__":
    main()
