"""The figures of a run that goals speak of, and the table that says which goals are met."""
import datetime
import json
import os
import pathlib
import re

from .environment import BENCHMARKS

GOALS = BENCHMARKS / "goals.json"
RESULTS = BENCHMARKS / "RESULTS.md"
BEGIN, END = "<!-- goals: written by bench.py --record -->", "<!-- end of goals -->"


def report(name, value):
    """Hands a figure to bench.py, under the name that goals.json has for it.

    A benchmark that is run by itself reports to nobody.
    """
    if path := os.environ.get("BENCH_FIGURES"):
        with open(path, "a") as file:
            file.write(json.dumps([name, value]) + "\n")


def collected(path):
    """What a run reported: name to value."""
    text = pathlib.Path(path).read_text() if pathlib.Path(path).exists() else ""
    return dict(json.loads(line) for line in text.splitlines())


def goals():
    """All goals, in the order of the file."""
    return json.loads(GOALS.read_text())


def take_over(figures):
    """The goals with the figures of a run in place of older ones."""
    today = datetime.date.today().isoformat()
    known = {goal["name"] for goal in goals()}
    if unknown := figures.keys() - known:
        raise SystemExit(f"goals.json does not have: {', '.join(sorted(unknown))}")
    return [goal | {"measured": round(figures[goal["name"]], 4), "date": today} if goal["name"] in figures else goal
            for goal in goals()]


def is_met(goal):
    """Whether a goal is met; None as long as it was never measured."""
    if goal.get("measured") is None:
        return None
    return goal["measured"] <= goal["at_most"] if "at_most" in goal else goal["measured"] >= goal["at_least"]


def table(goals):
    """The goals as Markdown."""
    lines = ["| benchmark | what | goal | measured | on | |", "|---|---|---:|---:|---|---|"]
    verdict = {True: "met", False: "**missed**", None: "not measured"}
    for goal in goals:
        limit = f"≤ {goal['at_most']:g}" if "at_most" in goal else f"≥ {goal['at_least']:g}"
        measured = "" if goal.get("measured") is None else f"{goal['measured']:,.4g}"
        unit = f" {goal['unit']}" if goal.get("unit") else ""
        lines.append(f"| {goal['benchmark']} | {goal['what']} | {limit}{unit} | {measured} | {goal.get('date') or ''} "
                     f"| {verdict[is_met(goal)]} |")
    return "\n".join(lines)


def record(goals):
    """Writes the goals with their figures back, into goals.json and into the table of RESULTS.md."""
    GOALS.write_text(json.dumps(goals, indent=2, ensure_ascii=False) + "\n")
    text = RESULTS.read_text()
    pattern = re.compile(re.escape(BEGIN) + ".*?" + re.escape(END), re.S)
    if not pattern.search(text):
        raise SystemExit(f"{RESULTS} has no place for the goals: {BEGIN} … {END}")
    RESULTS.write_text(pattern.sub(lambda _: f"{BEGIN}\n{table(goals)}\n{END}", text))
