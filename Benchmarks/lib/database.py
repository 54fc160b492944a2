"""Fills a database with generated notes and vectors, as a backfill does."""
import random
import sqlite3

import numpy

from .notes import notes

BATCH = 10_000


def fill(path, count, vectors, model, digest, dimensions):
    """Writes `count` notes with the vectors of `vectors(rows)`, an array of float32 for as many rows as asked."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA synchronous = OFF")
    triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute(
        "INSERT INTO gateway_spaces (id, model, digest, dimensions, query_prefix, document_prefix, chunker_version, "
        "created_at) VALUES (1, ?, ?, ?, 'search_query: ', 'search_document: ', 0, '2026-01-01 00:00:00')",
        (model, digest, dimensions))
    connection.execute("INSERT INTO gateway_meta (key, value) VALUES ('active_space', '1')")
    columns = {row[1] for row in connection.execute("PRAGMA table_info(raw_notes)")}
    assert {"title", "content", "created_at"} <= columns, columns
    rows = notes(count, random.Random(11))
    for start in range(0, count, BATCH):
        made = vectors(min(BATCH, count - start))
        batch = [next(rows) for _ in range(len(made))]
        connection.executemany(
            "INSERT INTO raw_notes (id, title, content, created_at) VALUES (:id, :title, :content, '2026-01-01 00:00:00')",
            batch)
        connection.executemany(
            "INSERT INTO gateway_embeddings (space_id, note_id, content_hash, vector, created_at) VALUES "
            "(1, ?, x'00', ?, '2026-01-01 00:00:00')",
            ((row["id"], vector.tobytes()) for row, vector in zip(batch, made)))
    for _, sql in triggers:
        connection.execute(sql)
    connection.commit()
    connection.close()


def gaussian(dimensions, seed=5):
    """Vectors without any structure."""
    generator = numpy.random.default_rng(seed)
    return lambda rows: generator.standard_normal((rows, dimensions), dtype=numpy.float32)


def structured(dimensions, seed=5, themes=2000, inner=64):
    """Vectors as models make them: around themes, in fewer dimensions than they have, with some noise."""
    generator = numpy.random.default_rng(seed)
    centres = generator.standard_normal((themes, inner), dtype=numpy.float32)
    frame = generator.standard_normal((inner, dimensions), dtype=numpy.float32)

    def rows(count):
        own = centres[generator.integers(0, themes, count)]
        own = own + 0.7 * generator.standard_normal((count, inner), dtype=numpy.float32)
        return own @ frame + 0.5 * generator.standard_normal((count, dimensions), dtype=numpy.float32)
    return rows
