"""The stand-in's goals: a person's goals, actions, terms and values on a fixed day, with history and undo."""

import copy
import datetime
import re
import urllib.parse

from stand_in_runs import now

TODAY = "2026-11-22"
KEYS = {"goals": "goals", "actions": "actions", "values": "values", "terms": "terms", "measures": "measures"}


def uuid(number):
    return f"A3D4F1B0-0C57-4B7E-9C0B-{number:012X}"


def date(text):
    return datetime.date.fromisoformat(text)


def day(text, days):
    return (date(text) + datetime.timedelta(days)).isoformat()


def span(first, last):
    return (date(last) - date(first)).days


def make_goal(number, title, kind="goal", rule=None, target=None, start=None, end=None, **more):
    return {"id": uuid(number), "kind": kind, "title": title, "log_time": "2026-10-01T08:00:00Z", "importance": 5, "urgency": 5, "changes": [], "units": [], "keywords": [],
            "rule": rule or {"kind": "sum"}, "schedule": {"kind": "daily"}, "schedules": [], "skips": [], "values": [], "terms": [], "version": number,
            **({"target": {"amount": target[0], "unit": target[1]}} if target else {}), **({"start_date": start} if start else {}), **({"target_date": end} if end else {}), **more}


def make_action(number, title, when, *amounts, goals=(), **more):
    return {"id": uuid(1000 + number), "title": title, "log_time": f"{when}T18:00:00Z", "amounts": [{"amount": value, "unit": unit} for value, unit in amounts], "day": when, "zone": "Europe/Berlin", "day_start": 240,
            "version": 1000 + number, "for": {uuid(goal): value for goal, value in goals}, **more}


def sample():
    goals = [
        make_goal(1, "Run 300 km", "smart", target=(300, "km"), start="2026-10-01", end="2027-03-31", keywords=["run", "jog"], units=["km"], relevance="To sleep well and see the river in all weathers.", expected_term_length=26, values=[{"value": uuid(50), "alignment": 9}]),
        make_goal(2, "Read 20 pages a day", rule={"kind": "each", "window": "day", "bound": "at_least"}, target=(20, "pages"), start="2026-11-02", end="2027-01-10", keywords=["read"], values=[{"value": uuid(51), "alignment": 7}]),
        make_goal(3, "Meditate", rule={"kind": "streak", "length": 30, "freezes": 2}, target=(10, "min"), start="2026-10-25", end="2026-12-31"),
        make_goal(4, "Call mother", rule={"kind": "count"}, target=(3, ""), start="2026-11-02", end="2026-12-06"),
        make_goal(5, "Tax return", "obligation", end="2026-11-15", requested_by="The tax office", consequence="A fine"),
        make_goal(6, "Sleep seven hours and a half", rule={"kind": "average", "bound": "at_least"}, target=(7.5, "h"), start="2026-11-02", end="2026-12-31"),
        make_goal(7, "Finish the third chapter, including the tables of the appendix that the publisher asked for twice", "milestone", target=(60, "pages"), end="2026-12-15"),
        make_goal(8, "Learn the cello suite", target=(40, "h"), start="2026-11-20", end="2027-01-10"),
    ]
    actions, number = [], 0
    for back in range(51, 0, -1):
        when = day(TODAY, -back)
        entries = []
        if back % 3 == 0:
            length = 4 + (back * 7) % 6
            entries.append(make_action(number, "Run along the canal", when, (length, "km"), goals=[(1, length)], duration_minutes=length * 6))
        if back <= 20 and back % 6:
            entries.append(make_action(number + 1, "Read", when, (14 + back % 17, "pages"), goals=[(2, 14 + back % 17)]))
        if back <= 12:
            entries.append(make_action(number + 2, "Meditation", when, goals=[(3, 10)], duration_minutes=10))
        if back in (3, 9, 15, 18):
            entries.append(make_action(number + 3, "Call with mother", when, goals=[(4, 1)], duration_minutes=25))
        if back <= 18:
            hours = 6.5 + (back * 3) % 4 / 2
            entries.append(make_action(number + 4, "Sleep", when, (hours, "h"), goals=[(6, hours)]))
        actions += entries
        number += 5
    actions.append(make_action(900, "Meditation", TODAY, goals=[(3, 12)], duration_minutes=12))
    terms = [
        {"id": uuid(60), "number": 7, "start_date": "2026-11-02", "target_date": "2027-01-10", "theme": "Steady", "status": "active", "week": 3, "weeks": 10, "goals": [uuid(one) for one in (2, 3, 4, 6, 5, 8)], "version": 60},
        {"id": uuid(61), "number": 6, "start_date": "2026-08-24", "target_date": "2026-11-01", "theme": "Outside", "status": "completed", "weeks": 10, "goals": [uuid(1)], "reflection": "More mornings, fewer plans.", "version": 61},
    ]
    values = [
        {"id": uuid(50), "kind": "major", "title": "Health", "log_time": now(), "priority": 1, "life_domain": "Body", "description": "To be able to walk anywhere.", "version": 50},
        {"id": uuid(51), "kind": "general", "title": "Craft", "log_time": now(), "priority": 20, "version": 51},
        {"id": uuid(52), "kind": "life_area", "title": "Family", "log_time": now(), "priority": 30, "version": 52},
    ]
    measures = [{"id": uuid(70 + index), "unit": unit, "log_time": now(), "kind": kind, "canonical_unit": canonical, "conversion_factor": factor, "version": 1} for index, (unit, kind, canonical, factor) in
                enumerate((("km", "length", "m", 1000), ("laps", "count", "laps", 1), ("min", "time", "s", 60)))]
    return {"goals": goals, "actions": actions, "terms": terms, "values": values, "measures": measures}


class Goals:
    def __init__(self, has_samples):
        self.tables = {name: {} for name in KEYS}
        self.changes, self.proposals, self.decisions = [], {}, {}
        self.open_questions = []
        self.next = 5000
        if has_samples:
            for name, rows in sample().items():
                self.tables[name] = {one["id"]: one for one in rows}
            odd = make_action(990, "Walked home along the river", day(TODAY, -1), (6.2, "km"))
            self.tables["actions"][odd["id"]] = odd
            self.open_questions = [(odd["id"], uuid(1))]
            self.propose("plan_term", "Plan term 8, “Light”, from 11 January to 21 March 2027.", id=uuid(800))
            self.record("goals", uuid(1), {"target": {"amount": 250, "unit": "km"}}, {"target": {"amount": 300, "unit": "km"}}, "update", actor="phone", reason="it went well", before=None)
            self.record("actions", uuid(1900), None, self.tables["actions"][uuid(1900)], "insert", actor="chat", turn="t-1")
            self.record("goals", uuid(3), None, {"title": "Meditate"}, "insert", actor=None, before=None)

    def new(self):
        self.next += 1
        return uuid(self.next)

    def propose(self, kind, summary, **more):
        one = {"id": self.new(), "kind": kind, "state": "open", "summary": summary, "refusals": [], "unread": [], "result": [], "created_at": now(), "expires_at": now(), **more}
        self.proposals[one["id"]] = one
        return one

    def record(self, table, row, old, new, operation, *, actor="this browser", turn=None, reason=None, before="old"):
        names = sorted({*(old or {}), *(new or {})} - {"for"})
        fields = [{"column": name, **({"old": old[name]} if old and name in old else {}), **({"new": new[name]} if new and name in new else {})} for name in names if (old or {}).get(name) != (new or {}).get(name)]
        change = {"number": len(self.changes) + 1, "at": now(), "table": table, "row": row, "operation": operation, "fields": fields, **({"actor": actor} if actor else {}), **({"turn": turn} if turn else {}), **({"reason": reason} if reason else {})}
        self.changes.append((change, copy.deepcopy(old) if before else None))
        return change

    def put(self, table, row, new, turn=None):
        """Writes a row, None to delete it, with its change."""
        old = self.tables[table].get(row)
        if new is None:
            del self.tables[table][row]
        else:
            self.tables[table][row] = new
        return self.record(table, row, copy.deepcopy(old), new, "insert" if old is None else "delete" if new is None else "update", turn=turn or self.new())

    def entries(self, goal, until):
        found = {}
        for one in self.tables["actions"].values():
            if goal["id"] in one["for"] and one["day"] <= until:
                sum_, count = found.get(one["day"], (0, 0))
                found[one["day"]] = (sum_ + one["for"][goal["id"]], count + 1)
        return dict(sorted(found.items()))

    def progress(self, goal, until=TODAY, whole=False):
        rule, target = goal["rule"], (goal.get("target") or {"amount": 1, "unit": ""})
        start, end = goal.get("start_date", "2026-11-01"), goal.get("target_date", until)
        days = {one: value for one, value in self.entries(goal, until).items() if start <= one <= end}
        kind, extra, windows = rule["kind"], {}, []
        length = span(start, end) + 1
        over = max(0, min(length, span(start, until)))
        if kind in ("each", "streak"):
            for index in range(max(0, min(length, span(start, until) + 1))):
                one = day(start, index)
                is_kept = one in days and days[one][0] >= target["amount"]
                windows.append({"first": one, "last": one, "result": "kept" if is_kept else "skipped" if one in goal["skips"] else "open" if one == until else "failed" if one in days else "missing"})
        if kind == "sum":
            achieved, needed, unit = sum(value[0] for value in days.values()), target["amount"], target["unit"]
        elif kind == "count":
            achieved, needed, unit = sum(value[1] for value in days.values()), target["amount"], None
        elif kind == "average":
            achieved, needed, unit = (sum(value[0] for value in days.values()) / len(days) if days else 0), target["amount"], target["unit"]
        elif kind == "each":
            achieved, needed, unit = sum(one["result"] == "kept" for one in windows), length, None
            extra["score"] = 0.41
        else:
            runs, run = [0], 0
            for one in windows:
                run = run + 1 if one["result"] == "kept" else run if one["result"] in ("open", "skipped") else 0
                runs.append(run)
            achieved, needed, unit = max(runs), rule["length"], None
            extra["current_streak"] = run
        fraction, elapsed = achieved / needed if needed else 1, over / length
        state = ("overachieved" if fraction > 1.1 else "complete" if fraction >= 1 else "overdue" if until > end else "not_started" if not days else "behind" if fraction < elapsed and kind != "average" else "on_track")
        if kind in ("sum", "count", "each") and over:
            mean, left = achieved / over, length - over
            extra["pace"] = {"actual": mean, **({"required": max(0, (needed - achieved) / left)} if left else {})}
            if days and left and kind != "each":
                estimate = achieved + mean * left
                extra["projection"] = {"estimate": estimate, "lower": max(achieved, estimate * 0.9), "upper": estimate * 1.1, **({"reached_on": day(start, int(needed / mean))} if mean else {})}
        if whole:
            extra |= {"days": [{"day": one, "total": value[0], "count": value[1]} for one, value in days.items()], "windows": windows}
        return {"day": until, "start": start, "end": end, **({"unit": unit} if unit else {}), "achieved": achieved, "needed": needed, "fraction": fraction, "elapsed": elapsed, "status": state, "entries": len(days),
                "is_done": until in days, "is_due": start <= until <= end and until not in goal["skips"] or state == "overdue", **extra}

    def action(self, one):
        shown = {name: value for name, value in one.items() if name != "for"}
        links = [{"action": one["id"], "goal": goal, "title": self.tables["goals"][goal]["title"], "amount": value, "method": "auto_inferred", "confidence": 0.9, "matched_on": ["period", "unit", "words"],
                  **({"unit": self.tables["goals"][goal]["target"]["unit"]} if self.tables["goals"][goal].get("target", {}).get("unit") else {})} for goal, value in one["for"].items() if goal in self.tables["goals"]]
        return {**shown, "contributions": links}

    def term(self, one):
        return {**one, "overlapping": [goal for goal in self.tables["goals"] if goal == uuid(1) and goal not in one["goals"]]}

    def value(self, one):
        return {**one, "goals": [goal["id"] for goal in self.tables["goals"].values() if any(link["value"] == one["id"] for link in goal["values"])]}

    def question(self, action, goal):
        found = self.tables["goals"][goal]
        return {"action": self.action(self.tables["actions"][action]), "match": {"goal": goal, "title": found["title"], "verdict": "asks", "confidence": 0.61, "amount": 6.2, "unit": "km", "shares": [
            {"component": "period", "points": 150, "reason": "within its days"}, {"component": "unit", "points": 250, "reason": "km"}, {"component": "words", "points": 0, "reason": "no word fits"}, {"component": "meaning", "points": 210, "reason": "near in meaning"}]}}

    def read(self, text, turn):
        """A tiny reading: a number with a unit, minutes, yesterday, a date that does not exist."""
        for one in self.proposals.values():
            if one.get("turn") == turn and one.get("text") == text:
                return one
        refusals = ["“31 February”: there is no such date"] if "31 feb" in text.lower() else []
        found = re.search(r"(\d+(?:\.\d+)?)\s*(km|pages|h)\b", text)
        minutes = re.search(r"(\d+)\s*min", text)
        when = day(TODAY, -1) if "yesterday" in text else TODAY
        verb = re.search(r"\b(ran|run|read|meditat\w*)\b", text.lower())
        title = {"r": "Run"}.get((verb[1][:1] if verb and verb[1] in ("ran", "run") else ""), "Read" if verb and verb[1] == "read" else "Meditation" if verb else None)
        unread = [word for word in ("wombat", "before", "work") if word in text]
        action = {"id": self.new(), "title": title or text[:40], "log_time": now(), "amounts": [{"amount": float(found[1]), "unit": found[2]}] if found else [], "day": when, "zone": "Europe/Berlin", "day_start": 240, "version": 0,
                  **({"duration_minutes": int(minutes[1])} if minutes else {})}
        goal = {"Run": uuid(1), "Read": uuid(2), "Meditation": uuid(3)}.get(title)
        matches = []
        if goal in self.tables["goals"]:
            amount = float(found[1]) if found else float(minutes[1]) if minutes else 1
            unit = self.tables["goals"][goal]["target"]["unit"]
            matches = [{"goal": goal, "title": self.tables["goals"][goal]["title"], "verdict": "counts", "confidence": 0.9, "amount": amount, "unit": unit, "shares": [
                {"component": "period", "points": 150, "reason": "within its days"}, {"component": "unit", "points": 250, "reason": f"{unit} converts"}, {"component": "words", "points": 500, "reason": "“run” is a keyword"}]}]
        return self.propose("log_action", text, refusals=refusals, unread=unread, matches=matches, turn=turn, text=text, **({} if refusals else {"action": action}),
                            **({"from_model": ["day", "amounts", "minutes"]} if "yonder" in text else {}))

    def confirm(self, one):
        if one["state"] == "confirmed":
            return
        one["state"] = "confirmed"
        if one["kind"] == "log_action":
            row = {**one["action"], "for": {match["goal"]: match["amount"] for match in one["matches"] if match["verdict"] == "counts"}}
            self.put("actions", row["id"], row, turn=one["turn"])
            one["result"] = [row["id"]]

    def undo(self, what):
        chosen = [pair for pair in self.changes if (pair[0]["number"] == what.get("change") or pair[0].get("turn") is not None and pair[0].get("turn") == what.get("turn"))]
        turn = self.new()
        for change, old in reversed(chosen):
            if (old is None) != (change["row"] not in self.tables[change["table"]]):
                self.put(change["table"], change["row"], old, turn=turn)
            elif old is not None:
                self.put(change["table"], change["row"], {**self.tables[change["table"]][change["row"]], **old}, turn=turn)
        return {"turn": turn, "undone": [change["number"] for change, _ in chosen]}


def not_found(handler):
    handler.json(404, {"error": "there is no such row", "code": "not_found"})


def page(rows, parameters, default=50):
    start, limit = int(parameters.get("cursor", 0)), int(parameters.get("limit", default))
    return rows[start:start + limit], ({"next_cursor": str(start + limit)} if start + limit < len(rows) else {})


def text(parameters, name):
    return urllib.parse.unquote_plus(parameters.get(name, ""))


def today(handler, gateway, **_):
    goals = gateway.goals
    running = [one for one in goals.tables["goals"].values() if goals.progress(one)["status"] not in ("complete", "overachieved") or goals.progress(one)["is_done"]]
    handler.json(200, {"day": TODAY, "zone": "Europe/Berlin", "day_start": 240, "goals": [{**one, "progress": goals.progress(one)} for one in running],
                       "actions": [goals.action(one) for one in goals.tables["actions"].values() if one["day"] == TODAY][::-1], "terms": [one for one in goals.tables["terms"].values() if one.get("week")],
                       "questions": len(goals.open_questions), "proposals": sum(one["state"] == "open" for one in goals.proposals.values())})


def list_goals(handler, gateway, parameters, **_):
    goals = gateway.goals
    rows = sorted(goals.tables["goals"].values(), key=lambda one: one.get("target_date", "9999"))
    if "term" in parameters:
        rows = [one for one in rows if one["id"] in goals.tables["terms"][parameters["term"]]["goals"]]
    rows = [one for one in rows if text(parameters, "q").lower() in one["title"].lower()]
    rows, more = page(rows, parameters)
    handler.json(200, {"goals": [{**one, **({"progress": goals.progress(one)} if parameters.get("progress") == "true" else {})} for one in rows], **more})


def one_goal(handler, gateway, name, parameters, **_):
    goals = gateway.goals
    found = goals.tables["goals"].get(name)
    if not found:
        return not_found(handler)
    if parameters.get("as_of", TODAY) < "2026-11-10":
        found = {**found, "title": f"{found['title']}, as planned"}
    handler.json(200, {**found, "progress": goals.progress(found)})


def progress(handler, gateway, name, parameters, **_):
    found = gateway.goals.tables["goals"].get(name)
    handler.json(200, gateway.goals.progress(found, parameters.get("day", TODAY), whole=True)) if found else not_found(handler)


def skip(handler, gateway, name, when, **_):
    found = copy.deepcopy(gateway.goals.tables["goals"][name])
    found["skips"] = [one for one in found["skips"] if one != when] + ([when] if handler.command == "PUT" else [])
    gateway.goals.put("goals", name, found)
    handler.json(200, found)


def list_actions(handler, gateway, parameters, **_):
    rows = sorted(gateway.goals.tables["actions"].values(), key=lambda one: one["day"], reverse=True)
    rows = [one for one in rows if ("goal" not in parameters or parameters["goal"] in one["for"]) and one["day"] <= parameters.get("to", "9999")]
    rows, more = page(rows, parameters)
    handler.json(200, {"actions": [gateway.goals.action(one) for one in rows], **more})


def parse(handler, gateway, data, **_):
    handler.json(200, gateway.goals.read(data["text"], data.get("turn")))


def proposals(handler, gateway, parameters, **_):
    handler.json(200, {"proposals": [one for one in gateway.goals.proposals.values() if one["state"] == parameters.get("state", one["state"])]})


def confirm(handler, gateway, name, **_):
    one = gateway.goals.proposals[name]
    gateway.goals.confirm(one)
    handler.json(200, one)


def reject(handler, gateway, name, **_):
    gateway.goals.proposals[name]["state"] = "rejected"
    handler.json(200, gateway.goals.proposals[name])


def questions(handler, gateway, **_):
    handler.json(200, {"questions": [gateway.goals.question(*one) for one in gateway.goals.open_questions]})


def decide(handler, gateway, data, **_):
    goals = gateway.goals
    pair = (data["action"], data["goal"])
    goals.open_questions = [one for one in goals.open_questions if one != pair] + ([pair] if data["answer"] == "open" else [])
    action = goals.tables["actions"][pair[0]]
    action["for"] = {**{goal: value for goal, value in action["for"].items() if goal != pair[1]}, **({pair[1]: 6.2} if data["answer"] == "confirmed" else {})}
    handler.json(200, goals.action(action))


def history(handler, gateway, parameters, **_):
    rows = [change for change, _ in reversed(gateway.goals.changes) if change["table"] == parameters.get("table", change["table"]) and change["row"] == parameters.get("id", change["row"])]
    rows, more = page(rows, parameters)
    handler.json(200, {"changes": rows, **more})


def undo(handler, gateway, data, **_):
    handler.json(200, gateway.goals.undo(data))


def review(handler, gateway, data, **_):
    handler.json(200, {"kind": data["kind"], "title": "Week of 16 November" if data["kind"] == "week" else "Term 7", "first": "2026-11-16", "last": "2026-11-22", "goals": [], "actions": 12, "cited": [], "cited_notes": [],
                       "text": "## Run 300 km\n\n- 14 km in 2 runs, on track\n- **Longest:** 8 km on Tuesday\n", **({"note": 12} if data.get("save") else {})})


def rows_of(table, name, shown, blank):
    """The routes that list, get, add, change and delete rows."""
    def listed(handler, gateway, parameters, **_):
        rows = sorted(gateway.goals.tables[table].values(), key=lambda one: (one.get("priority", -one.get("number", 0)), one.get("unit", "")))
        rows, more = page(rows, parameters)
        handler.json(200, {table: [shown(gateway.goals, one) for one in rows], **more})

    def get(handler, gateway, row, **_):
        found = gateway.goals.tables[table].get(row)
        handler.json(200, shown(gateway.goals, found)) if found else not_found(handler)

    def add(handler, gateway, data, **_):
        if any(value == "" for value in data.values()) or data.get("title") == "bad":
            return handler.json(400, {"error": f"{name}: field \"title\": expected another one, got \"bad\"", "code": "invalid_fields"})
        row = {**blank(gateway.goals), **data, "id": gateway.goals.new()}
        gateway.goals.put(table, row["id"], row)
        handler.json(201, shown(gateway.goals, row))

    def change(handler, gateway, row, data, **_):
        gateway.goals.put(table, row, {**gateway.goals.tables[table][row], **data})
        handler.json(200, shown(gateway.goals, gateway.goals.tables[table][row]))

    def delete(handler, gateway, row, **_):
        gateway.goals.put(table, row, None)
        handler.json(204, None)

    routes = [("POST", ["api", table], False, add), ("PATCH", ["api", table, "*"], False, change), ("DELETE", ["api", table, "*"], False, delete)]
    return routes if table == "goals" else [*routes, ("GET", ["api", table], False, listed), ("GET", ["api", table, "*"], False, get)]


def new_goal(_):
    return make_goal(0, "")


def new_term(goals):
    return {"number": 1 + max([one["number"] for one in goals.tables["terms"].values()], default=0), "start_date": "2027-01-11", "target_date": "2027-03-21", "status": "planned", "weeks": 10, "goals": [], "version": 1}


def new_value(_):
    return {"kind": "general", "priority": 50, "log_time": now(), "version": 1}


def new_measure(_):
    return {"kind": "count", "canonical_unit": "", "conversion_factor": 1, "log_time": now(), "version": 1}


ROUTES = [
    ("GET", ["api", "goals", "today"], False, today), ("GET", ["api", "goals", "proposals"], False, proposals), ("DELETE", ["api", "goals", "proposals", "*"], False, reject), ("POST", ["api", "goals", "proposals", "*", "confirm"], False, confirm),
    ("GET", ["api", "goals", "questions"], False, questions), ("POST", ["api", "goals", "decisions"], False, decide), ("GET", ["api", "goals", "history"], False, history), ("POST", ["api", "goals", "undo"], False, undo),
    ("POST", ["api", "goals", "reviews"], False, review), ("GET", ["api", "goals"], False, list_goals), ("GET", ["api", "goals", "*"], False, one_goal), ("GET", ["api", "goals", "*", "progress"], False, progress),
    ("PUT", ["api", "goals", "*", "skips", "*"], False, skip), ("DELETE", ["api", "goals", "*", "skips", "*"], False, skip), ("POST", ["api", "actions", "parse"], False, parse),
    *rows_of("goals", "goal", lambda goals, one: one, new_goal),
    *[route for route in rows_of("actions", "action", lambda goals, one: goals.action(one), None) if route[:2] != ("GET", ["api", "actions"])], ("GET", ["api", "actions"], False, list_actions),
    *rows_of("terms", "term", lambda goals, one: goals.term(one), new_term), *rows_of("values", "value", lambda goals, one: goals.value(one), new_value), *rows_of("measures", "measure", lambda goals, one: one, new_measure),
]
