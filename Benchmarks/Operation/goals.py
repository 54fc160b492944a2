#!/usr/bin/env python3
"""Measures the pages of goals over ten years: 73,000 actions, 20 a day.

    goals.py [--years 10] [--rounds 30]

Another program's writes fill the database: goals of all rules (some of ten years, some of a term), values, terms, skips.
Prints how long matching takes, and for each request that the pages send: the first answer after a start, and the median and
the worst of the following rounds, in milliseconds. A round begins with a new action, so nothing is answered from a cache of
the same state.
"""
import argparse
import datetime
import json
import pathlib
import random
import sqlite3
import statistics
import sys
import time
import urllib.request
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Scripts"))
import stand  # noqa: E402

from lib.figures import report  # noqa: E402

ACTIVITIES = [("Run", "km", 12), ("Read a book", "pages", 60), ("Meditation", "min", 40), ("Swim", "km", 3),
              ("Write", "words", 2000), ("Piano", "min", 60), ("Spanish", "words", 80), ("Walk", "km", 9)]


def identifier(random):
    return str(uuid.UUID(int=random.getrandbits(128), version=4)).upper()


def fill(path, years):
    """Writes goals, values, terms and actions as another program does; returns what the requests need."""
    chance = random.Random(7)
    today = datetime.date.today()
    first = today - datetime.timedelta(days=365 * years - 1)
    database = sqlite3.connect(path, timeout=60)
    goals, values, terms = [], [], []
    with database:
        for number in range(8):
            values.append(identifier(chance))
            database.execute("INSERT INTO personal_values (uuid_id, title, log_time, incentive_type, priority) "
                             "VALUES (?, ?, ?, 'major', ?)", (values[-1], f"Value {number}", f"{first}T08:00:00Z", number + 1))
        for number in range(years * 365 // 70):
            begin = first + datetime.timedelta(days=70 * number)
            terms.append(identifier(chance))
            database.execute("INSERT INTO terms (uuid_id, title, term_number, start_date, target_date) VALUES (?, ?, ?, ?, ?)",
                             (terms[-1], f"Term {number}", number + 1, str(begin), str(begin + datetime.timedelta(days=69))))
        rules = [None, '{"kind":"each","bound":"at_least","window":"day","share":80}', '{"kind":"count"}',
                 '{"kind":"average","bound":"at_least"}', '{"kind":"streak","length":30,"freezes":2}',
                 '{"kind":"each","bound":"at_least","window":"week","share":80}']
        spans = [(first, today + datetime.timedelta(days=300), None)] * 12 + [
            (first + datetime.timedelta(days=70 * number), first + datetime.timedelta(days=70 * number + 69), term)
            for number, term in enumerate(terms) for _ in range(3)]
        for number, (begin, end, term) in enumerate(spans):
            title, unit, most = ACTIVITIES[number % len(ACTIVITIES)]
            goals.append(identifier(chance))
            days = (end - begin).days
            database.execute(
                "INSERT INTO goals (uuid_id, title, log_time, measurement_target, measurement_unit, start_date, target_date, "
                "how_goal_is_actionable) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (goals[-1], f"{title} {number}", f"{begin}T08:00:00Z",
                 days * most if number % len(rules) in (0, 2) else most / 4, unit, str(begin), str(end),
                 json.dumps({"keywords": [title.split()[0].lower()]})))
            if rules[number % len(rules)]:
                database.execute(
                    "INSERT INTO gateway_goal_details (goal_id, importance, urgency, rule) VALUES (?, 5, 5, ?)",
                    (goals[-1], rules[number % len(rules)]))
            database.execute("INSERT INTO gateway_goal_relevances (goal_id, value_id, alignment) VALUES (?, ?, 7)",
                             (goals[-1], values[number % len(values)]))
            if term:
                database.execute("INSERT INTO term_goal_assignments (term_uuid, goal_uuid, assignment_order) VALUES (?, ?, ?)",
                                 (term, goals[-1], number % 3))
        count = 0
        for day in range(365 * years):
            date = first + datetime.timedelta(days=day)
            for number in range(20):
                title, unit, most = chance.choice(ACTIVITIES)
                amount = round(chance.uniform(0.1, most), 2 if most < 20 else 0)
                database.execute(
                    "INSERT INTO actions (uuid_id, title, log_time, measurement_units_by_amount, duration_minutes) "
                    "VALUES (?, ?, ?, ?, ?)",
                    (identifier(chance), title, f"{date}T{6 + number // 2:02}:{number % 2 * 30:02}:00Z",
                     json.dumps({unit: amount}), chance.choice([None, 10.0, 45.0])))
                count += 1
    database.close()
    return goals, values, terms, count


def requests(goals, values, terms, deep, history):
    """The requests of the pages, by name."""
    return {
        "today": "/api/goals/today",
        "goals": "/api/goals?progress=true&limit=50",
        "goals that run": f"/api/goals?progress=true&on={datetime.date.today()}",
        "goal": f"/api/goals/{goals[0]}",
        "goal with chart": f"/api/goals/{goals[0]}/progress",
        "daily goal with chart": f"/api/goals/{goals[1]}/progress",
        "actions of a goal": f"/api/actions?goal={goals[0]}&limit=50",
        "terms": "/api/terms?limit=50",
        "term": f"/api/terms/{terms[-1]}",
        "goals of a term": f"/api/goals?progress=true&term={terms[-1]}",
        "values": "/api/values?limit=50",
        "goals of a value": f"/api/goals?progress=true&value={values[0]}&limit=50",
        "measures": "/api/measures?limit=50",
        "questions": "/api/goals/questions?limit=50",
        "actions": "/api/actions?limit=50",
        "actions, deep": f"/api/actions?limit=50&cursor={deep}",
        "history": "/api/goals/history?limit=50",
        "history, deep": f"/api/goals/history?limit=50&cursor={history}",
        "history of goals": "/api/goals/history?limit=50&table=goals",
        "history of a goal": f"/api/goals/history?limit=50&id={goals[0]}",
    }


def deep_cursor(s, path, key, pages):
    """The cursor after some pages of 200 rows."""
    cursor = ""
    for _ in range(pages):
        cursor = json.loads(s.get(f"{path}?limit=200" + (f"&cursor={cursor}" if cursor else "")))["next_cursor"]
    return cursor


def timed(s, path):
    begin = time.perf_counter()
    s.get(path)
    return (time.perf_counter() - begin) * 1e3


def log_action(s, number):
    body = json.dumps({"title": "Run", "amounts": [{"amount": number % 7 + 1, "unit": "km"}]}).encode()
    request = urllib.request.Request(s.url + "/api/actions", data=body, headers={
        "Authorization": f"Bearer {s.token}", "Content-Type": "application/json"})
    begin = time.perf_counter()
    with urllib.request.urlopen(request, timeout=60) as response:
        response.read()
    return (time.perf_counter() - begin) * 1e3


def waiting(s):
    return (json.loads(s.get("/api/actions?limit=1")).get("matching") or {}).get("waiting", 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--years", type=int, default=10, help="years of 20 actions a day (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=30, help="rounds of all requests (default: %(default)s)")
    options = parser.parse_args()
    with stand.Stand(settings={"SELENE_BACKFILL": "off", "SELENE_GOALS_ZONE": "UTC"}) as s:
        goals, values, terms, count = fill(s.folder / "notes.sqlite", options.years)
        begin = time.perf_counter()
        first = timed(s, "/api/actions?limit=50")
        while waiting(s):
            time.sleep(0.1)
        seconds = time.perf_counter() - begin
        print(f"{count:,} actions, {len(goals)} goals: the first read took {first:.0f} ms, all were matched after {seconds:.1f} s "
              f"({count / seconds:,.0f} actions/s)")
        pages = requests(
            goals, values, terms, deep_cursor(s, "/api/actions", "actions", min(300, count // 250)),
            deep_cursor(s, "/api/goals/history", "changes", min(300, count // 250)))
        stand.stop(s.gateway_process)
        s.processes.remove(s.gateway_process)
        s.start_gateway()
        cold = {name: timed(s, path) for name, path in pages.items()}
        times, writes = {name: [] for name in pages}, []
        for number in range(options.rounds):
            writes.append(log_action(s, number))
            for name, path in pages.items():
                times[name].append(timed(s, path))
        print(f"\n{'milliseconds':24} {'first':>8} {'median':>8} {'worst':>8}")
        for name in pages:
            print(f"{name:24} {cold[name]:8.1f} {statistics.median(times[name]):8.1f} {max(times[name]):8.1f}")
        print(f"{'an action is logged':24} {writes[0]:8.1f} {statistics.median(writes):8.1f} {max(writes):8.1f}")
        slowest = max(pages, key=lambda name: statistics.median(times[name]))
        print(f"\nslowest page: {slowest}, {statistics.median(times[slowest]):.1f} ms")
        report("goals.slowest_page_ms", statistics.median(times[slowest]))
        report("goals.first_page_ms", max(cold.values()))
        report("goals.first_read_ms", first)


if __name__ == "__main__":
    main()
