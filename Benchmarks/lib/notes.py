"""Generates notes, the same in every run, with words distributed as in English."""
import bisect
import itertools


def words(generator, count):
    """Generates a vocabulary of pseudo-words with the letters and endings of English."""
    starts = "b br c ch d f g gr h j l m n p pl qu r s sh st str t th tr v w".split()
    vowels = "a e i o u ai ea ou".split()
    ends = "b ck d ft g l ll m n nd ng nt p r rd s st t tion ation ment ing er".split()
    found = ["the", "and", "of", "to", "in"]
    seen = set(found)
    while len(found) < count:
        word = "".join(
            generator.choice(starts) + generator.choice(vowels) for _ in range(generator.randint(1, 3))
        ) + generator.choice(ends)
        if word not in seen:
            seen.add(word)
            found.append(word)
    return found


def notes(count, generator):
    """Generates notes of about 80 words, with word frequencies proportional to one over the rank (Zipf)."""
    vocabulary = words(generator, 60_000) + "harbour lantern gauge bread committee window violin theory".split()
    weights = list(itertools.accumulate(1 / (rank + 1) for rank in range(len(vocabulary))))
    for number in range(1, count + 1):
        length = generator.randint(20, 140)
        picks = [vocabulary[bisect.bisect(weights, generator.random() * weights[-1])] for _ in range(length)]
        if number % 400 == 0:
            picks[3] = f"{generator.choice([10, 20, 50])}%"
        if number % 20_000 == 7:
            picks[1] = "zyxwquartz"
        yield {"id": number, "title": " ".join(picks[:4]), "content": " ".join(picks)}
