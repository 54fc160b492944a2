"""Generates the benchmark's vectors and judges answers."""
import numpy as np

BLOCK, NEAREST, TOLERANCE = 8192, 10, 1e-6


class Clusters:
    """A mixture of Gaussians, each with its own random directions, plus white noise."""

    def __init__(self, seed, dimensions, count=200, directions=32):
        generator = np.random.default_rng([seed, dimensions])
        self.centres = unit(generator.standard_normal((count, dimensions), dtype=np.float32))
        self.directions = unit(generator.standard_normal((count, directions, dimensions), dtype=np.float32))
        self.directions *= 0.8 / directions**0.5

    def sample(self, generator, rows):
        count, directions, dimensions = self.directions.shape
        labels = generator.integers(count, size=rows)
        place = generator.standard_normal((rows, directions), dtype=np.float32)
        vectors = generator.standard_normal((rows, dimensions), dtype=np.float32)
        vectors *= 0.3 / dimensions**0.5
        for label in np.unique(labels):
            chosen = np.flatnonzero(labels == label)
            vectors[chosen] += self.centres[label] + place[chosen] @ self.directions[label]
        return unit(vectors)


class Directions:
    """Unit vectors in random directions."""

    def __init__(self, seed, dimensions):
        self.dimensions = dimensions

    def sample(self, generator, rows):
        return unit(generator.standard_normal((rows, self.dimensions), dtype=np.float32))


def unit(vectors):
    vectors /= np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors


def generate(kind, seed, rows, dimensions, queries, folder):
    """Generates a matrix and queries, in memory and as raw files `m` and `q`. Works in blocks to save memory."""
    source = (Clusters if kind == "clustered" else Directions)(seed, dimensions)
    generator = np.random.default_rng([seed, dimensions, rows])
    asked = source.sample(generator, queries)
    asked.tofile(f"{folder}/q")
    matrix = np.empty((rows, dimensions), dtype=np.float32)
    with open(f"{folder}/m", "wb") as file:
        for start in range(0, rows, BLOCK):
            block = matrix[start:start + BLOCK]
            block[:] = source.sample(generator, len(block))
            block.tofile(file)
    return matrix, asked


class Judge:
    """Judges answers by each query's tenth best score, in double precision."""

    def __init__(self, matrix, queries):
        self.matrix, self.queries = matrix, queries
        self.tenth = [np.sort(self.scores(number, found))[-NEAREST]
                      for number, found in enumerate(self.candidates())]

    def scores(self, query, ids):
        return self.matrix[ids].astype(np.float64) @ self.queries[query].astype(np.float64)

    def candidates(self):
        """Twice the needed rows for each query, by scores in single precision."""
        wanted, found = 2 * NEAREST, [[] for _ in self.queries]
        for start in range(0, len(self.matrix), BLOCK):
            for number, scores in enumerate(self.queries @ self.matrix[start:start + BLOCK].T):
                best = np.argpartition(scores, -wanted)[-wanted:] if len(scores) > wanted else np.arange(len(scores))
                found[number] += [(scores[row], start + row) for row in best]
        return [[row for _, row in sorted(rows)[-wanted:]] for rows in found]

    def right(self, query, ids):
        """The ids that belong to the ten nearest; scores within the tolerance count as equal."""
        known = [row for row in dict.fromkeys(map(int, ids)) if 0 <= row < len(self.matrix)]
        scores = self.scores(query, known)
        return [row for row, score in zip(known, scores) if score >= self.tenth[query] - TOLERANCE][:NEAREST]

    def recall(self, answers):
        """recall@10 of answers to the first queries."""
        return sum(len(self.right(query, ids)) for query, ids in enumerate(answers)) / NEAREST / len(answers)

    def fault(self, query, ids):
        """The fault of an exact answer as text; None if it is correct."""
        ids = [int(row) for row in ids]
        right = self.right(query, ids)
        if len(ids) == NEAREST == len(right):
            return None
        wrong = [row for row in ids if row not in right]
        known = [row for row in wrong if 0 <= row < len(self.matrix)]
        below = ", ".join(f"{row} scores {score:.7f}" for row, score in zip(known, self.scores(query, known)))
        return (f"query {query} was answered with {ids}; the tenth best of {len(self.matrix)} rows scores "
                f"{self.tenth[query]:.7f}, but {below or f'these do not belong or repeat: {wrong}'}")
