"""Notes, passages, answers and chats that the tests and screenshots use."""

import time

MODELS = ["llama3.2:latest", "qwen3:14b", "nomic-embed-text:latest"]
THREADS = [{"id": 4, "name": "Tide gauge", "momentum_score": 0.8, "heat": "heating", "note_count": 22, "why": "The gauge is the only record of the harbour.", "last_activity_at": "2026-11-20T10:00:00Z",
            "summary": "Heights at the pier since January: spring tides, storms, and the days on which the float stuck. Open is how far the wind explains the rest."},
           {"id": 5, "name": "Garden", "momentum_score": 0.2, "note_count": 0, "last_activity_at": "2026-05-01T10:00:00Z"}]
TASKS = [{"id": 1, "thread_id": 4, "title": "Ask the harbour master for 1962", "created_at": "2026-11-01T10:00:00Z"},
         {"id": 2, "thread_id": 4, "title": "Clean the float", "created_at": "2026-10-01T10:00:00Z", "completed_at": "2026-10-04T10:00:00Z"}]
WHOLE = ("Notes from the pier. Spring tide on 14 March reached 4.1 m at the gauge, the highest of the year. The moon was new and close.\n\n"
         "Wind from the north-west pushed the water up by another 20 cm – “stau”, as the harbour master says. The gauge’s float stuck once.\n\n#tide #moon")
NOTES = {"12": {"id": 12, "title": "Spring tide at the pier", "content": WHOLE, "created_at": "2026-03-14T18:00:00Z"},
         "15": {"id": 15, "title": "Neap tides", "content": "At half moon the range is smallest: 1.2 m in February.", "created_at": "2026-02-09T10:00:00Z"}}
for index in range(60):
    NOTES[str(100 + index)] = {"id": 100 + index, "title": f"Entry {index}", "content": f"Day {index}: the water stood at {2 + index % 3}.{index % 10} m. Wind light, sea calm – “ruhig”.\n\n- float free\n- lamp **lit**",
                               "created_at": f"2026-{1 + index // 10:02}-{1 + index % 28:02}T08:00:00Z"}
for index, one in enumerate(NOTES.values()):
    one.update(concepts=[], tags=["tide"] if index % 3 == 0 else ["harbour"], threads=[{"id": 4, "name": "Tide gauge"}] if index % 3 == 0 else [], note_type="journal")


# A note as Obsidian's users write them.
VAULT = """# Kitchen renovation

The worktop of [[Neap tides]] is **cheaper**; see [[Spring tide at the pier#Wind|the wind]], [[Nowhere]] and ![[plan.png]]. `[[code]]` stays. #home

## Open

- [ ] Call the **plumber** about [[Neap tides]]
- [x] Order tiles
  - [ ] and a spare box of them, in the same colour, because the next delivery is in eleven weeks and the shop keeps none
- no box

> [!warning] Mind the *gas*
> Turn it off first.

> [!tip]- How to measure
> Twice.

> [!zettel]
> An unknown kind.

> An ordinary quote
"""


def passage(number, note, title, date, text, meaning, words):
    whole = NOTES.get(str(note), {}).get("content", "")
    start = len(whole[:whole.index(text)].encode()) if text in whole else 0
    return {"number": number, "note": note, "title": title, "date": date, "text": text, "range": [start, start + len(text.encode())], "score": 0.83,
            "why": {"meaning": meaning, "words": words}, "source": "search"}


PASSAGES = [
    passage(1, 12, "Spring tide at the pier", "2026-03-14", WHOLE[21:124], 0.82, 1),
    passage(2, 15, "Neap tides", "2026-02-09", NOTES["15"]["content"], 0.74, 4),
    passage(3, 12, "Spring tide at the pier", "2026-03-14", "Wind from the north-west pushed the water up by another 20 cm – “stau”, as the harbour master says.", 0.61, None),
]
TEXT = """The highest tide of the year was on **14 March**: 4.1 m at the gauge [1]. The wind added half a metre [3]. Neap tides are the smallest, about 1.2 m [2].

## What drives it

1. New or full moon, when sun and moon pull together [1].
2. Wind from the north-west [3].
   - It pushes water into the bay.
   - The harbour master calls it *Stau*.
3. Low air pressure, which your notes do not mention [7].

| date | moon | height |
|---|---|---:|
| 14 March | new | 4.1 m |
| 9 February | half | 1.2 m |

As a formula, $h = h_0 + a \\cos(\\omega t + \\varphi)$, and in code:

```python
def height(t, a=2.05):  # metres above datum
    return 2.1 + a * cos(OMEGA * t)
```

> “The gauge’s float stuck once.”

See also https://example.org/tides.
"""
SAMPLE = {"passages": PASSAGES, "text": TEXT, "verdicts": {"half a metre": "altered", "Low air pressure": "invented"}, "cites": {3: "altered"},
          "evidence": {1: "Spring tide on 14 March reached 4.1 m at the gauge", 2: "1.2 m in February", 3: "another 20 cm"}}
LATER = {"passages": PASSAGES[:2], "text": "Yes. The next spring tide is in two weeks [1].", "evidence": {1: "The moon was new and close"}}


def ago(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - seconds))


def sample_sessions():
    titles = [("chat-tides", "When is the tide highest?", 400, True), ("chat-garden", "What to plant in the shade behind the house, and when", 8000, False),
              ("chat-week", "What did I decide this week?", 90_000, False), ("chat-book", "Ideas for chapter three", 200_000, False),
              ("chat-long", "A long conversation", 900_000, False), ("chat-arabic", "ما هو المد والجزر؟", 2_000_000, False)]
    sessions = {name: {"id": name, "title": title, "created_at": ago(seconds + 100), "updated_at": ago(seconds), "message_count": 4, "is_pinned": pinned,
                       "compression_state": "full", "summary_text": None} for name, title, seconds, pinned in titles}
    messages = {name: [] for name in sessions}

    def add(session, number, role, content, parent):
        messages[session].append({"id": number, "session_id": session, "role": role, "content": content, "created_at": ago(500 - number % 400), "parent_id": parent, "run": None})

    add("chat-tides", 1, "user", "When is the tide highest?", None)
    add("chat-tides", 2, "assistant", "At *spring tide*, just after new or full moon.", 1)
    add("chat-tides", 3, "user", "And lowest?", 2)
    add("chat-tides", 4, "assistant", "At neap tide the range is smallest.", 3)
    add("chat-tides", 5, "user", "And lowest in winter?", 2)
    add("chat-tides", 6, "assistant", "In winter it is much the same.", 5)
    for index in range(60):
        add("chat-long", 1000 + 2 * index, "user", f"Question {index + 1}", 1000 + 2 * index - 1 if index else None)
        add("chat-long", 1001 + 2 * index, "assistant", f"Answer {index + 1}. " + "Some more words to fill the line. " * 8, 1000 + 2 * index)
    add("chat-arabic", 2001, "user", "ما هو المد والجزر؟", None)
    add("chat-arabic", 2002, "assistant", "المد والجزر هو **ارتفاع وانخفاض** مستوى البحر.\n\n- المد العالي\n- الجزر", 2001)
    for name, number in (("chat-garden", 3001), ("chat-week", 3101), ("chat-book", 3201)):
        add(name, number, "user", sessions[name]["title"], None)
        add(name, number + 1, "assistant", "Ferns and hostas, in April.", number)
    return sessions, messages
