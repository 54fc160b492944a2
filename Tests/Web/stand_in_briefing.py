"""The stand-in's briefings: cards of each kind, and days without one."""

import time

TODAY = time.strftime("%Y-%m-%d", time.gmtime())


def note(number, title, day="2026-03-14"):
    return {"id": number, "title": title, "created_at": f"{day}T18:00:00Z"}


CARDS = [
    {"kind": "open_tasks", "title": "2 open tasks", "reason": "The first is due on 2026-11-24.", "question": "What should I do first?", "notes": [], "tasks": [{"id": 1, "title": "Ask the harbour master for 1962", "due": "2026-11-24"}, {"id": 2, "title": "Clean the float"}]},
    {"kind": "heating_thread", "title": "Tide gauge", "reason": "4 notes in the last 7 days, usually 1.", "question": "What is new in “Tide gauge”?", "notes": [note(12, "Spring tide at the pier"), note(15, "Neap tides", "2026-02-09")], "thread": {"id": 4, "name": "Tide gauge"}},
    {"kind": "near_pair", "title": "Spring tide at the pier and Neap tides", "reason": "The notes are 91 % similar.", "question": "How do these two notes belong together?", "notes": [note(12, "Spring tide at the pier"), note(15, "Neap tides", "2026-02-09")]},
    {"kind": "book", "title": "The Tides", "reason": "You have read 40 %.", "question": "Where was I in “The Tides”?", "notes": [], "book": {"id": 1, "title": "The Tides", "page": 3, "percent": 40}},
]


def briefing(handler, gateway, name="today", **_):
    day = TODAY if name == "today" else name
    cards = gateway.briefings.get(day)
    if cards is None:
        return handler.json(404, {"error": f"there is no briefing of {day}", "code": "not_found"})
    cards = [{"number": number, "id": f"{one['kind']}-{number}", **one} for number, one in enumerate(cards, 1)]
    text = " ".join(f"{one['title']} is here. [{one['number']}]" for one in cards) or "Nothing new today."
    handler.json(200, {"date": day, "zone": "Europe/Berlin", "made_at": f"{day}T06:00:00Z", "text": text, "count": len(cards), "cards": cards})


ROUTES = [("GET", ["api", "briefing", "*"], False, briefing)]
