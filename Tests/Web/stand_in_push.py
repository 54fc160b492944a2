"""The stand-in's notifications: devices with rules, messages, the log with explanations, templates, schedules, triggers."""

import re
import time
import urllib.parse
import uuid

STATUSES = ("queued", "sending", "sent", "merged", "dropped", "failed", "recalled")
KEY = "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
NEXT = [f"2026-11-{23 + index}T08:00" for index in range(5)]
CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d|24:00")


def stamp(seconds=0):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - seconds))


def new_id():
    return str(uuid.uuid4())


class Push:
    def __init__(self, has_samples=True):
        self.devices, self.deliveries, self.messages, self.templates, self.schedules, self.receipts = {}, {}, {}, {}, {}, []
        self.has_key, self.outcome = True, "sent"
        self.triggers = {name: {"enabled": name in ("jobFailed", "upstreamDown", "upstreamBack", "quotaNear")} for name in
                         ("jobDone", "jobFailed", "threadNew", "answerReady", "upstreamDown", "upstreamBack", "quotaNear")}
        if has_samples:
            self.sample()

    def sample(self):
        for number, (name, channel, online, more) in enumerate((("Anna's phone", "apns", False, {"platform": "ios"}), ("desk", "stream", True, {}), ("door bell", "webhook", False, {"retired": "410 Gone"}))):
            self.device(f"d-{number}", name, channel, isOnline=online, **more)
        self.devices["d-0"]["settings"] = {"zone": "Europe/Berlin", "quietHours": {"windows": [{"start": "22:00", "end": "07:00"}], "breakThrough": "high"}, "mutes": [{"topic": "noise", "until": None}]}
        titles = ("High water at 18:40", "A job failed", "The answer is written", "Upstream attic is unhealthy", "Good morning")
        for number in range(90):
            status = STATUSES[number % 7] if number < 14 else "sent"
            self.delivery(f"l-{number}", f"d-{number % 3}", titles[number % 5], status, created=stamp(600 * number + 30), topic=("default", "jobs", "noise")[number % 3])
        self.templates["t-0"] = self.definition("t-0", {"name": "water-the-plants", "inputs": [{"name": "plant", "type": "string", "example": "fern"}], "message": {"title": "Water the {{plant}}", "body": "It was dry yesterday."}})
        self.schedules["s-0"] = self.schedule("s-0", {"name": "Morning", "cron": "0 8 * * *", "zone": "Europe/Berlin", "template": "water-the-plants", "enabled": True})

    def device(self, name, title, channel, **more):
        self.devices[name] = {"id": name, "name": title, "channel": channel, "platform": None, "address": f"…{name}", "isAutomationServer": False, "isOnline": False, "settings": {},
                              "createdAt": stamp(90_000), "registeredAt": stamp(80_000), "lastSeenAt": stamp(4000), **more}
        return self.devices[name]

    def delivery(self, name, device, title, status, created=None, topic="default", notification=None):
        self.deliveries[name] = {"id": name, "notification": notification or f"n-{name}", "topic": topic, "device": device, "deviceName": self.devices[device]["name"], "channel": self.devices[device]["channel"],
                                 "status": status, "title": title, "priority": "normal", "source": "api", "rule": "quiet hours" if status in ("queued", "dropped") else None,
                                 "reason": "410 Gone" if status == "failed" else None, "attempts": 3 if status == "failed" else 1, "createdAt": created or stamp(), "sentAt": stamp() if status == "sent" else None,
                                 "nextAt": "2026-11-24T06:00:00Z" if status == "queued" else None}
        return self.deliveries[name]

    @staticmethod
    def definition(name, template):
        return {"id": name, "name": template["name"], "template": template, "createdAt": stamp(5000), "updatedAt": stamp(5000)}

    @staticmethod
    def schedule(name, wanted):
        return {"id": name, "schedule": wanted, "enabled": wanted.get("enabled") is not False, "next": occurrences(), "lastRun": None, "missed": None, "zoneData": "2026c"}


def occurrences():
    return [{"at": f"{one}:00Z", "local": one} for one in NEXT]


def refuse(handler, field, reason):
    handler.json(400, {"error": f"field \"{field}\": {reason}", "code": "invalid_field"})


def admin(route):
    def checked(handler, gateway, *names, **more):
        if not gateway.is_admin:
            return handler.json(403, {"error": "the key lacks the scope push:admin", "code": "forbidden"})
        return route(handler, gateway.push, *[urllib.parse.unquote(name) for name in names], **more)
    return checked


def plain(route):
    return lambda handler, gateway, *names, **more: route(handler, gateway.push, *[urllib.parse.unquote(name) for name in names], **more)


def missing(handler, what):
    handler.json(404, {"error": f"there is no {what}", "code": "not_found"})


def web_push_key(handler, push, **_):
    handler.json(200, {"configured": push.has_key, **({"publicKey": KEY} if push.has_key else {})})


def page(handler, rows, name, parameters, default=50):
    start, limit = int(parameters.get("cursor", 0)), int(parameters.get("limit", default))
    more = {"nextCursor": str(start + limit)} if start + limit < len(rows) else {}
    handler.json(200, {name: rows[start:start + limit], **more})


def list_devices(handler, push, parameters, **_):
    page(handler, list(push.devices.values()), "devices", parameters)


def register(handler, push, data, **_):
    known = next((one for one in push.devices.values() if data.get("webPush") and one.get("endpoint") == data["webPush"]["endpoint"]), None)
    if known:
        known.update(name=data["name"])
        return handler.json(200, known)
    channel = "web_push" if data.get("webPush") else "stream"
    made = push.device(new_id(), data["name"], channel, platform=data.get("platform"), endpoint=(data.get("webPush") or {}).get("endpoint"))
    handler.json(201, {**made, "registrationToken": "prt_secret"})


def one_device(handler, push, name, **_):
    handler.json(200, push.devices[name]) if name in push.devices else missing(handler, f"device {name}")


def change_device(handler, push, name, data, **_):
    if name not in push.devices:
        return missing(handler, f"device {name}")
    settings = data.get("settings") or {}
    for window in (settings.get("quietHours") or {}).get("windows", []):
        if window["start"] == window["end"]:
            return refuse(handler, "settings.quietHours.windows[0]", "expected a start and another end")
    for text in (settings.get("digest") or {}).get("at", []):
        if not CLOCK.fullmatch(text):
            return refuse(handler, "settings.digest.at[0]", "expected a time of day")
    if "/" not in settings.get("zone", "UTC") and settings.get("zone", "UTC") != "UTC":
        return refuse(handler, "settings.zone", f"there is no zone {settings['zone']}")
    push.devices[name].update({key: value for key, value in data.items() if key in ("name", "settings")})
    if data.get("webPush"):
        push.devices[name]["endpoint"] = data["webPush"]["endpoint"]
    handler.json(200, push.devices[name])


def delete_device(handler, push, name, **_):
    handler.json(204, None) if push.devices.pop(name, None) else missing(handler, f"device {name}")


def send(handler, push, data, **_):
    message = data.get("message")
    if data.get("template"):
        found = next((one for one in push.templates.values() if one["name"] == data["template"]), None)
        if not found:
            return missing(handler, f"template {data['template']}")
        message = render(found["template"], data.get("inputs"))
    if not (message.get("title") or message.get("body")):
        return refuse(handler, "message", "expected a title or a body")
    chosen = [one for one in push.devices.values() if not data.get("devices") or one["id"] in data["devices"] or one["name"] in data["devices"]]
    name = new_id()
    made = [push.delivery(new_id(), one["id"], message.get("title"), "queued" if data.get("notBefore") else push.outcome, topic=data.get("topic") or "default", notification=name) for one in chosen]
    push.messages[name] = [one["id"] for one in made]
    push.last = data
    handler.json(202, notification(push, name))


def notification(push, name):
    found = [push.deliveries[one] for one in push.messages[name]]
    status = found[0]["status"] if found else "sent"
    return {"id": name, "status": status, "topic": "default", "deliveries": [{"id": one["id"], "device": one["device"], "name": one["deviceName"], "status": one["status"]} for one in found]}


def one_message(handler, push, name, **_):
    handler.json(200, notification(push, name)) if name in push.messages else missing(handler, f"message {name}")


def recall(handler, push, name, **_):
    if name not in push.messages:
        return missing(handler, f"message {name}")
    for one in push.messages[name]:
        push.deliveries[one]["status"] = "recalled"
    handler.json(200, notification(push, name))


def log(handler, push, parameters, **_):
    wanted = {key: urllib.parse.unquote(parameters[key]) for key in ("device", "topic", "status") if key in parameters}
    words = urllib.parse.unquote_plus(parameters.get("q", "")).lower()
    rows = sorted((one for one in push.deliveries.values() if all(one[key] == value for key, value in wanted.items()) and words in one["title"].lower()), key=lambda one: one["createdAt"], reverse=True)
    page(handler, rows, "log", parameters)


def explain(handler, push, name, **_):
    found = push.deliveries.get(name)
    if not found:
        return missing(handler, f"delivery {name}")
    waits = found["status"] == "queued"
    handler.json(200, {"delivery": found, "summary": "Held until 2026-11-24T06:00:00Z by the rule \"quiet hours\"" if waits else f"{found['status'].capitalize()} at {found['createdAt']}",
                       "steps": ["mute: no mute of this topic", "quiet hours: 22:00 to 07:00, the message is less urgent than high"], "now": ["quiet hours: still until 07:00"] if waits else None,
                       "events": [{"id": 1, "at": found["createdAt"], "kind": "held" if waits else "sent", "detail": "until 07:00" if waits else "201 Created"}]})


def receipt(handler, push, name, data, **_):
    push.receipts.append((name, data))
    handler.json(204, None)


def discard(handler, push, name, **_):
    found = push.deliveries.get(name)
    if not found or found["status"] != "failed":
        return missing(handler, f"failed delivery {name}")
    found.update(status="dropped", reason="discarded by hand")
    handler.json(200, found)


def retry(handler, push, name, **_):
    push.deliveries[name]["status"] = "queued"
    handler.json(202, push.deliveries[name])


def render(template, inputs):
    values = {one["name"]: one.get("example", "") for one in template.get("inputs") or []} | (inputs or {})
    fill = lambda text: re.sub(r"\{\{\s*(\w+)\s*\}\}", lambda match: str(values.get(match[1], "")), text) if isinstance(text, str) else text
    return {key: fill(value) for key, value in template["message"].items()}


def definitions(handler, push, parameters, **_):
    page(handler, list(push.templates.values()), "definitions", parameters)


def put_definition(handler, push, name=None, data=None, **_):
    if not re.fullmatch(r"[a-z0-9-]{1,64}", data.get("name") or ""):
        return refuse(handler, "name", "expected a-z, 0-9 and -")
    if any(one["name"] == data["name"] and one["id"] != name for one in push.templates.values()):
        return handler.json(409, {"error": f"there is a template {data['name']} already", "code": "exists"})
    made = name or new_id()
    push.templates[made] = push.definition(made, data)
    handler.json(200 if name else 201, push.templates[made])


def preview(handler, push, name, data, **_):
    handler.json(200, {"message": render(push.templates[name]["template"], data.get("inputs"))}) if name in push.templates else missing(handler, f"template {name}")


def schedules(handler, push, parameters, **_):
    page(handler, list(push.schedules.values()), "schedules", parameters)


def check_schedule(handler, data):
    if sum(bool(data.get(name)) for name in ("at", "cron", "rrule")) != 1:
        return refuse(handler, "at", "expected exactly one of at, cron and rrule")
    if data.get("cron") and len(data["cron"].split()) != 5:
        return refuse(handler, "cron", "expected five fields")
    return True


def put_schedule(handler, push, name=None, data=None, **_):
    if check_schedule(handler, data):
        made = name or new_id()
        push.schedules[made] = push.schedule(made, data)
        handler.json(200 if name else 201, push.schedules[made])


def preview_schedule(handler, push, data, **_):
    if check_schedule(handler, data):
        handler.json(200, {"next": occurrences(), "gap": "firstMomentAfter", "overlap": "first", "zoneData": "2026c"})


def set_triggers(handler, push, data, **_):
    push.triggers.update(data["triggers"])
    handler.json(200, {"triggers": push.triggers})


def remove(table):
    def route(handler, push, name, **_):
        handler.json(204, None) if getattr(push, table).pop(name, None) else missing(handler, name)
    return route


def v1(method, path, route):
    return (method, ["api", "v1", *path.split("/")], False, route)


ROUTES = [
    v1("GET", "web-push/key", plain(web_push_key)), v1("GET", "devices", plain(list_devices)), v1("POST", "devices", plain(register)), v1("GET", "devices/*", plain(one_device)),
    v1("PUT", "devices/*", plain(change_device)), v1("DELETE", "devices/*", plain(delete_device)), v1("POST", "messages", plain(send)), v1("GET", "messages/*", plain(one_message)), v1("DELETE", "messages/*", plain(recall)),
    v1("GET", "log", admin(log)), v1("GET", "deliveries/*/explain", plain(explain)), v1("POST", "deliveries/*/receipts", plain(receipt)), v1("POST", "deliveries/*/retry", admin(retry)), v1("DELETE", "deliveries/*", admin(discard)),
    v1("GET", "notifications/definitions", plain(definitions)), v1("POST", "notifications/definitions", admin(put_definition)), v1("PUT", "notifications/definitions/*", admin(put_definition)),
    v1("DELETE", "notifications/definitions/*", admin(remove("templates"))), v1("POST", "notifications/definitions/*/preview", plain(preview)),
    v1("GET", "schedules", admin(schedules)), v1("POST", "schedules", admin(put_schedule)), v1("POST", "schedules/preview", admin(preview_schedule)), v1("PUT", "schedules/*", admin(put_schedule)), v1("DELETE", "schedules/*", admin(remove("schedules"))),
    v1("GET", "triggers", admin(lambda handler, push, **_: handler.json(200, {"triggers": push.triggers}))), v1("PUT", "triggers", admin(set_triggers)),
    v1("GET", "config/apns", admin(lambda handler, push, **_: handler.json(200, {"configured": False, "state": "not configured"}))),
]
