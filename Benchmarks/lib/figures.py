"""Collects the figures that have goals, and formats the table of goals."""
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
    """Reports a figure to bench.py, under its name in goals.json.

    Does nothing if the benchmark runs without bench.py.
    """
    if path := os.environ.get("BENCH_FIGURES"):
        with open(path, "a") as file:
            file.write(json.dumps([name, value]) + "\n")


def collected(path):
    """Reads the figures of a run: maps name to value."""
    text = pathlib.Path(path).read_text() if pathlib.Path(path).exists() else ""
    return dict(json.loads(line) for line in text.splitlines())


def goals():
    """Loads all goals, in the order of the file."""
    return json.loads(GOALS.read_text())


def take_over(figures):
    """Returns the goals, updated with the figures of a run."""
    today = datetime.date.today().isoformat()
    known = {goal["name"] for goal in goals()}
    if unknown := figures.keys() - known:
        raise SystemExit(f"goals.json does not have: {', '.join(sorted(unknown))}")
    return [goal | {"measured": round(figures[goal["name"]], 4), "date": today} if goal["name"] in figures else goal
            for goal in goals()]


def is_met(goal):
    """Whether a goal is met; None if it was never measured."""
    if goal.get("measured") is None:
        return None
    return goal["measured"] <= goal["at_most"] if "at_most" in goal else goal["measured"] >= goal["at_least"]


def table(goals):
    """Formats the goals as Markdown."""
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
    """Writes the goals to goals.json and to the table of RESULTS.md."""
    GOALS.write_text(json.dumps(goals, indent=2, ensure_ascii=False) + "\n")
    text = RESULTS.read_text()
    pattern = re.compile(re.escape(BEGIN) + ".*?" + re.escape(END), re.S)
    if not pattern.search(text):
        raise SystemExit(f"{RESULTS} has no place for the goals: {BEGIN} … {END}")
    RESULTS.write_text(pattern.sub(lambda _: f"{BEGIN}\n{table(goals)}\n{END}", text))
