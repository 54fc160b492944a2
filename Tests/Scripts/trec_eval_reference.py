"""Computes trec_eval's values, through pytrec_eval, as a reference for the Evaluation module.

    trec_eval_reference.py values QRELS RUN     print `query TAB metric TAB value` for every judged query
    trec_eval_reference.py random SEED FOLDER   write random.qrels, random.run and random.tsv, their values

The fixtures of EvaluationTests were written with `random 7` and pytrec_eval-terrier 0.5.11.
"""

import pathlib
import random
import struct
import sys

import pytrec_eval

NAMES = {
    "ndcg@10": "ndcg_cut_10",
    "ndcg@5": "ndcg_cut_5",
    "map": "map",
    "mrr": "recip_rank",
    "recall@100": "recall_100",
    "recall@10": "recall_10",
    "p@10": "P_10",
    "p@5": "P_5",
}
MEASURES = {"ndcg_cut.5,10", "map", "recip_rank", "recall.10,100", "P.5,10"}


def read(path, query, document, value, kind):
    table = {}
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        fields = line.split()
        if fields:
            table.setdefault(fields[query], {})[fields[document]] = kind(fields[value])
    return table


def cut(ranking, count):
    """The first documents in trec_eval's order, which compares scores in single precision."""

    def key(item):
        return struct.unpack("f", struct.pack("f", item[1]))[0], item[0].encode()

    return dict(sorted(ranking.items(), key=key, reverse=True)[:count])


def values(qrels_path, run_path):
    qrels = read(qrels_path, 0, 2, 3, int)
    run = read(run_path, 0, 2, 4, float)
    whole = pytrec_eval.RelevanceEvaluator(qrels, MEASURES).evaluate(run)
    first = {query: cut(ranking, 10) for query, ranking in run.items()}
    short = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(first)
    rows = []
    for query in sorted(qrels):
        # A query without a ranking counts as 0, as with trec_eval -c.
        found = {name: whole.get(query, {}).get(theirs, 0) for name, theirs in NAMES.items()}
        found["mrr@10"] = short.get(query, {}).get("recip_rank", 0)
        rows += [f"{query}\t{name}\t{value:.6f}" for name, value in sorted(found.items())]
    return "\n".join(rows) + "\n"


def write_random(seed, folder):
    rng = random.Random(seed)
    folder = pathlib.Path(folder)
    qrels, run = [], []
    for number in range(24):
        query = f"q{number}"
        documents = [f"d{index}" for index in range(150)]
        for document in rng.sample(documents, rng.randint(1, 40)):
            grade = 0 if number == 3 else rng.choice([-1, 0, 0, 1, 1, 2, 3])
            qrels.append(f"{query} 0 {document} {grade}")
        if number == 5:
            continue  # judged but not retrieved
        for rank, document in enumerate(rng.sample(documents, rng.randint(1, 140))):
            score = rng.choice([rng.randint(0, 12), rng.random() * 12, 3 + rng.random() * 1e-8])
            run.append(f"{query} Q0 {document} {rank + 1} {score!r} random")
    run.append("unjudged Q0 d1 1 1.0 random")
    (folder / "random.qrels").write_text("\n".join(qrels) + "\n", encoding="utf-8")
    (folder / "random.run").write_text("\n".join(run) + "\n", encoding="utf-8")
    (folder / "random.tsv").write_text(values(folder / "random.qrels", folder / "random.run"), encoding="utf-8")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["values", qrels, run]:
            sys.stdout.write(values(qrels, run))
        case ["random", seed, folder]:
            write_random(int(seed), folder)
        case _:
            sys.exit(__doc__)
