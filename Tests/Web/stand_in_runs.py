"""A run: plays a script into a log of server-sent events, and knows its own state as the API shows it.

A script is a dict: `passages`, `text`, and optionally `search`, `states`, `tools`, `verdicts` (text of a sentence to a verdict),
`cites` (number to a verdict), `evidence` (number to a part of the passage), `fail`, `hold` (stay after so many bytes), `stop_reason`.
"""

import json
import re
import threading
import time

WORKING = {"queued", "searching", "waiting", "loading_model", "thinking", "answering", "tools"}


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


class Run:
    def __init__(self, gateway, body, script):
        self.gateway, self.script, self.body = gateway, script, body
        self.id, self.question, self.session = body["id"], body["question"], body["session"]
        self.state, self.progress, self.text, self.place = "queued", 0.0, "", None
        self.passages, self.tools, self.citations, self.sentences = [], [], {}, {}
        self.user_message = self.message = self.error = self.stop_reason = self.search = None
        self.is_stopping = False
        self.released = threading.Event()
        self.life = 0
        self.log, self.ids = [], []
        self.created_at = self.updated_at = now()

    @property
    def is_working(self):
        return self.state in WORKING

    @property
    def is_over(self):
        return not self.is_working

    def emit(self, kind, data, number=None):
        with self.gateway.lock:
            place = number if number is not None else len(self.text.encode())
            name = f"{place}.{len(self.log)}@{self.life}"
            self.ids.append(name)
            self.log.append(f"id: {name}\nevent: {kind}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode())
            self.updated_at = now()
            self.gateway.lock.notify_all()

    def place_after(self, after):
        """Where to go on after an id; an unknown one gets a snapshot first."""
        with self.gateway.lock:
            if not after:
                return 0, b""
            if after in self.ids:
                return self.ids.index(after) + 1, b""
            events = [{"event": "passages", "data": {"passages": self.passages}}, {"event": "state", "data": self.state_data()}]
            data = json.dumps({"text": self.text, "events": events})
            name = self.ids[-1] if self.ids else "0"
            return len(self.log), f"id: {name}\nevent: snapshot\ndata: {data}\n\n".encode()

    def state_data(self):
        return {"state": self.state, "progress": self.progress, **({"place": self.place} if self.place else {})}

    def enter(self, state, progress, place=None):
        self.state, self.progress, self.place = state, progress, place
        self.emit("state", self.state_data())

    def start(self):
        threading.Thread(target=self.play, daemon=True).start()

    def wait(self, seconds):
        """Waits for a time or an event, or until the run ends."""
        if isinstance(seconds, threading.Event):
            while not seconds.is_set() and self.is_working and not self.is_stopping:
                seconds.wait(0.02)
            return
        until = time.monotonic() + seconds
        while time.monotonic() < until and self.is_working and not self.is_stopping:
            time.sleep(min(0.02, seconds))

    def play(self):
        script = self.script
        if not self.text:
            for state, progress, place, seconds in script.get("states", [("searching", 0.1, None, 0.01), ("thinking", 0.3, None, 0.01)]):
                if self.is_stopping or not self.is_working:
                    break
                self.enter(state, progress, place)
                self.wait(seconds)
                if state == "searching":
                    self.search = script.get("search", {"query": self.question, "rewritten": False, "source": "hybrid"})
                    self.emit("search", self.search)
                    self.passages = script.get("passages", [])
                    self.emit("passages", {"passages": self.passages})
            for tool in script.get("tools", []):
                self.enter("tools", 0.4)
                for one in (dict(tool, state="running", summary=""), tool):
                    self.tools = [t for t in self.tools if t["id"] != one["id"]] + [one]
                    self.emit("tool", one)
                    self.wait(0.02)
        self.answer()
        if not self.is_working:
            return
        if self.is_stopping:
            self.finish("stopped", stop_reason="asked")
        elif script.get("fail"):
            self.error = script["fail"]
            self.finish("failed", error=self.error)
        else:
            self.emit("usage", {"prompt_tokens": 812, "completion_tokens": len(self.text) // 4})
            self.finish("done", stop_reason=script.get("stop_reason"))

    def answer(self):
        whole = self.script["text"]
        self.enter("answering", 0.5)
        checked = 0
        while len(self.text) < len(whole) and self.is_working and not self.is_stopping:
            piece = whole[len(self.text):len(self.text) + self.gateway.step]
            at = len(self.text.encode())
            self.text += piece
            self.emit("delta", {"at": at, "text": piece}, len(self.text.encode()))
            checked = self.check(checked, len(self.text) >= len(whole))
            hold = self.script.get("hold")
            if hold is not None and len(self.text) >= hold and not self.released.is_set():
                while not self.released.is_set() and self.is_working and not self.is_stopping:
                    time.sleep(0.01)
            self.wait(self.gateway.pace)

    def check(self, start, is_end):
        """Verdicts for the sentences that are complete."""
        for found in re.finditer(r"[^.!?\n]+[.!?](?=\s|$)", self.text[start:]):
            if found.end() + start == len(self.text) and not is_end:
                break
            low, high = start + found.start(), start + found.end()
            sentence = self.text[low:high]
            low += len(sentence) - len(sentence.lstrip())
            byte = lambda index: len(self.text[:index].encode())
            numbers = []
            for cite in re.finditer(r"\[(\d+)\]", self.text[low:high]):
                number = int(cite[1])
                numbers.append(number)
                verdict = self.script.get("cites", {}).get(number, "supported")
                passage = next((one for one in self.passages if one["number"] == number), None)
                evidence = []
                part = self.script.get("evidence", {}).get(number)
                if passage and part and part in passage["text"]:
                    begin = len(passage["text"][:passage["text"].index(part)].encode())
                    evidence = [{"number": number, "range": [begin, begin + len(part.encode())]}]
                citation = {"marker": [byte(low + cite.start()), byte(low + cite.end())], "number": number, "note": passage and passage.get("note"), "book": passage and passage.get("book"),
                            "verdict": verdict if passage else "invented", "belongs_to": None, "evidence": evidence}
                self.citations[(citation["marker"][0], number)] = citation
            verdict = next((value for key, value in self.script.get("verdicts", {}).items() if key in sentence), "supported" if numbers else "uncited")
            check = {"range": [byte(low), byte(high)], "verdict": verdict, "support": numbers[0] if numbers else None, "score": 0.8,
                     "differences": ["number"] if verdict == "altered" else []}
            self.sentences[check["range"][0]] = check
            self.emit("citation", {"citations": [one for (at, _), one in self.citations.items() if byte(low) <= at < byte(high)], "sentences": [check]})
            start_next = start + found.end()
            return self.check(start_next, is_end)
        return start

    def finish(self, state, **more):
        gateway = self.gateway
        with gateway.lock:
            if not self.is_working:
                return
            if state != "failed" or self.text:
                if self.message is None:
                    self.message = gateway.new_id()
                    gateway.messages[self.session].append({"id": self.message, "session_id": self.session, "role": "assistant", "content": self.text,
                                                           "created_at": now(), "parent_id": self.user_message, "run": self.id})
                else:
                    next(one for one in gateway.messages[self.session] if one["id"] == self.message)["content"] = self.text
            self.stop_reason = more.get("stop_reason")
            data = {"state": state, "message": self.message, "is_stored": self.message is not None, **{key: value for key, value in more.items() if value}}
            self.emit("failed" if state == "failed" else "done", data)
            self.state, self.progress = state, 1.0
            gateway.lock.notify_all()

    def interrupt(self):
        """The gateway restarts: the text is kept, its events are not."""
        self.state = "interrupted"
        self.life += 1
        self.emit("done", {"state": "interrupted", "message": None, "is_stored": False})

    def resume(self):
        with self.gateway.lock:
            self.life += 1
            self.log, self.ids = [], []
            self.state = "answering"
            self.emit("snapshot", {"text": self.text, "events": [{"at": 0, "event": "passages", "data": {"passages": self.passages}}]})
        self.start()

    def json(self, is_short=False):
        value = {"id": self.id, "session": self.session, "question": self.question, "kind": self.body.get("kind", "ask"), "scope": self.body.get("scope"),
                 "model": self.body.get("model", "llama3.2"), "strict": self.body.get("strict", False), "state": self.state, "progress": self.progress,
                 "place": self.place, "error": self.error, "stop_reason": self.stop_reason, "user_message": self.user_message,
                 "message": self.message, "created_at": self.created_at, "updated_at": self.updated_at, "life": self.life}
        record = {"passages": self.passages, "tools": self.tools, "citations": list(self.citations.values()),
                  "sentences": list(self.sentences.values()), "left_out": self.script.get("left_out", []),
                  "withheld": self.script.get("withheld", []), "search": self.search, "timings_ms": {}}
        return value if is_short else {**value, "text": self.text, "record": record}
