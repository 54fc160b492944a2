"""Computes the progress of random goals with numpy and exact fractions, as a reference for the Goals module.

    progress.py FILE        writes 200 cases: Fixtures/progress.jsonl
    progress.py FILE N SEED writes N cases of another seed; set SELENE_PROGRESS=FILE for GoalsTests

Needs the packages of requirements.in beside this file. A line is an object: the question's fields, with days as days since 1970, then what is expected of it.
The rules are those of the documentation of ProgressRule, Progress and WindowOutcome, written anew from the text.
"""

import json
import random
import sys
from fractions import Fraction

import numpy
from scipy import stats


def target_on(case, day):
    value = case["target"]
    for since, changed in case["changes"]:
        if since <= day:
            value = changed
    return Fraction(value)


def due(case, day):
    schedule = case["schedule"]
    if schedule == "daily":
        return True
    if isinstance(schedule, list):
        return (day + 4) % 7 in schedule  # 1970-01-01 was a Thursday
    return day >= case["start"] and (day - case["start"]) % schedule == 0


def judge(case, first, last, bound):
    amounts = [Fraction(a) for d, a in case["seen"] if first <= d <= last]
    total, target = sum(amounts), target_on(case, last)
    over = last < case["today"]
    skipped = all(d in case["skips"] for d in range(first, last + 1))
    if bound == "at_least" and amounts and total >= target:
        return "kept"
    if skipped:
        return "skipped"
    if not amounts:
        return "missing" if over else "open"
    if bound == "at_most":
        return "failed" if total > target else "kept" if over else "open"
    return "failed" if over else "open"


def status(fraction, expected, entries, over):
    if fraction > Fraction(11, 10):
        return "overachieved"
    if fraction >= 1:
        return "complete"
    if over:
        return "overdue"
    if not entries:
        return "not_started"
    return "behind" if fraction < expected else "on_track"


def spread(values, future, achieved, limit):
    """Estimate and 80 % prediction interval of the final sum."""
    x = numpy.array([float(v) for v in values])
    estimate = float(achieved) + float(numpy.mean(x)) * future
    if len(x) < 2:
        return estimate, None, None
    half = stats.t.ppf(0.9, len(x) - 1) * numpy.std(x, ddof=1) * numpy.sqrt(future + future**2 / len(x))
    return estimate, max(float(achieved), estimate - half), min(limit, estimate + half)


def reached(case, series, remaining, needed, go_on):
    total = Fraction(0)
    for day, value in series:
        total += value
        if total >= needed:
            return day
    if not series or total == 0:
        return None
    rate = total / len(series)
    steps = -((total - needed) // rate)
    days = list(remaining)
    if go_on:
        after = max(case["end"], case["today"] - 1)
        days += [d for d in range(after + 1, after + 3654) if due(case, d) and d not in case["skips"]]
    return days[steps - 1] if 0 < steps <= min(3653, len(days)) else None


def solve(case):
    start, end, today, rule = case["start"], case["end"], case["today"], case["rule"]
    case = dict(case, skips=set(case["skips"]))
    case["seen"] = [(d, a) for d, a in case["entries"] if start <= d <= min(end, today)]
    seen, over = case["seen"], today > end
    active = [d for d in range(start, end + 1) if due(case, d) and d not in case["skips"]]
    elapsed = Fraction(sum(d < today for d in active), len(active)) if active else Fraction(int(over))
    out = {"pace": None, "required": None, "estimate": None, "lower": None, "upper": None, "reached": None, "windows": ""}
    if rule in ("sum", "count"):
        needed = target_on(case, today)
        by_day = {}
        for day, amount in seen:
            by_day[day] = by_day.get(day, Fraction(0)) + (Fraction(amount) if rule == "sum" else 1)
        series = [
            (d, by_day.get(d, Fraction(0))) for d in range(start, end + 1) if d in by_day or (d in active and d < today)
        ]
        remaining = [d for d in active if d >= today and d not in by_day]
        limit = float("inf")
    elif rule == "average":
        target = target_on(case, today)
        by_day = {}
        for day, amount in seen:
            by_day.setdefault(day, []).append(Fraction(amount))
        days = [sum(v) for _, v in sorted(by_day.items())]
        mean = sum(days) / len(days) if days else Fraction(0)
        above, below = (mean, target) if case["bound"] == "at_least" else (target, mean)
        share = (above / below if below > 0 else Fraction(1)) if days else Fraction(0)
        if not days:
            state = "overdue" if over else "not_started"
        elif over:
            state = status(share, 1, True, True)
        else:
            state = "on_track" if share >= 1 else "behind"
        if days:
            x = numpy.array([float(v) for v in days])
            out["estimate"] = float(numpy.mean(x))
            if len(x) > 1:
                low, high = stats.t.interval(0.8, len(x) - 1, loc=numpy.mean(x), scale=max(stats.sem(x), 1e-300))
                out["lower"], out["upper"] = max(0.0, float(low)), float(high)
        return out | {
            "achieved": str(mean), "needed": str(target), "fraction": str(share), "elapsed": str(elapsed), "status": state,
        }  # fmt: skip
    else:
        length = 7 if rule == "each" and case["window"] == "week" else 1
        firsts = [f for f in range(start, end + 2 - length, length) if length == 7 or due(case, f)]
        bound = case["bound"] if rule == "each" else "at_least"
        results = [(f, f + length - 1, judge(case, f, f + length - 1, bound)) for f in firsts]
        judged = [r for r in results if r[2] != "skipped"]
        elapsed = Fraction(sum(r[1] < today for r in judged), len(judged)) if judged else Fraction(int(over))
        out["windows"] = "".join(r[2][0] for r in results)
        if rule == "streak":
            # The longest kept run: an s or an o changes nothing, an f or m ends it once the freezes are spent.
            run, best, freezes = 0, 0, case["freezes"]
            for letter in out["windows"]:
                if letter == "k":
                    run += 1
                elif letter in "fm":
                    if run and freezes:
                        freezes -= 1
                    else:
                        run = 0
                best = max(best, run)
            share = Fraction(best, case["length"])
            possible = run + out["windows"].count("o") >= case["length"]
            return out | {
                "achieved": str(best), "needed": str(case["length"]), "fraction": str(share), "elapsed": str(elapsed),
                "status": status(share, 0 if possible else 1, seen, over), "current": run,
            }  # fmt: skip
        needed = Fraction(-(-case["share"] * len(judged) // 100))
        series = [(r[1], Fraction(int(r[2] == "kept"))) for r in judged if r[2] != "open"]
        remaining = [r[1] for r in judged if r[2] == "open"]
        limit = float(len(judged))
    achieved = sum((v for _, v in series), Fraction(0))
    share = achieved / needed if needed > 0 else Fraction(1)
    if rule == "each" and not judged and not over:
        share = Fraction(0)
    if series:
        out["pace"] = str(achieved / len(series))
        if remaining:
            out["required"] = str(max(Fraction(0), needed - achieved) / len(remaining))
        if seen:
            values = [v for _, v in series]
            out["estimate"], out["lower"], out["upper"] = spread(values, len(remaining), achieved, limit)
            out["reached"] = reached(case, series, remaining, needed, rule != "each")
    return out | {
        "achieved": str(achieved), "needed": str(needed), "fraction": str(share), "elapsed": str(elapsed),
        "status": status(share, elapsed, seen, over),
    }  # fmt: skip


def draw(random):
    start = random.randrange(18_000, 22_000)
    length = random.choice([1, 2, 7, 10, 28, 70])
    end = start + length - 1
    today = random.randrange(start - 2, end + 4)
    rule = random.choice(["sum", "count", "average", "each", "each", "streak"])
    weekdays = random.sample(range(7), random.randrange(0, 6))
    case = {
        "rule": rule, "bound": random.choice(["at_least", "at_most"]), "window": random.choice(["day", "week"]),
        "share": random.choice([1, 50, 80, 100]), "length": random.randrange(1, 15), "freezes": random.randrange(3),
        "start": start, "end": end, "today": today,
        "schedule": random.choice(["daily", "daily", sorted(weekdays), random.randrange(1, 5)]),
        "skips": sorted(d for d in range(start, end + 1) if random.random() < random.choice([0, 0, 0.1])),
    }  # fmt: skip

    def amount():
        return str(random.choice([Fraction(random.randrange(0, 200), 10), Fraction(random.randrange(5)), Fraction(5)]))

    density = random.choice([0, 0.3, 0.8, 1, 2])
    case["entries"] = [[random.randrange(start - 1, end + 2), amount()] for _ in range(int(length * density))]
    scale = Fraction(length) if rule == "sum" else Fraction(length, 5) if rule == "count" else Fraction(1)
    base = [Fraction(5), Fraction(25, 2), Fraction(1), Fraction(0)]
    case["target"] = str(random.choice(base) * scale)
    days = sorted(random.sample(range(start - 2, end + 2), random.choice([0, 0, 1, 2])))
    case["changes"] = [[d, str(random.choice(base[:3]) * scale)] for d in days]
    return case


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    source = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 16)
    with open(sys.argv[1], "w") as file:
        for _ in range(count):
            case = draw(source)
            file.write(json.dumps(case | {"expected": solve(case)}, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
