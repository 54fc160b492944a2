#!/usr/bin/env python3
"""Measures the web client in Chromium against the gateway: search as you type over N notes, and interactions while an answer
streams.

    pages.py [--notes 100000] [--questions 40] [--rounds 4] [--slow 1]

Search: milliseconds from the end of a reply to the frame that shows what fits into the window. Each search is hybrid and finds up
to 50 notes.
Phone: milliseconds from the address to a composer that takes a key, of a first visit with an empty cache on a slow phone: 150 ms,
1.6 Mb/s, processor slowed four times. Lists: the largest reply of the gateway while each page is opened and a search is shown.
Interactions: keys and presses of a real keyboard and mouse while an answer with citations comes at 100 tokens/s: typing, buttons,
a citation, a dialog, other pages. A duration is from the event to the next frame, as the browser reports it (Event Timing, in
steps of 8 ms). Interactions of less than 16 ms are not reported and count as 16. Frames are counted meanwhile, and before that
while the answer streams and nobody touches the page.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import time
import urllib.request

from playwright.sync_api import sync_playwright

import cited_model
from lib.database import fill, structured
from lib.environment import BIN, command
from lib.figures import report
from lib.notes import words
from lib.processes import Field, clean_environment, free_port

DIMENSIONS, RATE = 384, 100
WIDE = {"width": 1280, "height": 800}

# Each change of the page with the time after the frame that shows it: a task posted in a frame runs when that has been painted.
# Every reply changes the number of notes that is said to screen readers, if nothing else.
WATCH_LIST = """() => {
  window.replies = [];
  window.paints = [];
  new PerformanceObserver(list => list.getEntries().forEach(one => one.name.includes('api/notes/retrieve') && replies.push([one.startTime, one.responseEnd])))
    .observe({type: 'resource'});
  new MutationObserver(() => {
    const changed = performance.now();
    requestAnimationFrame(() => {
      const {port1, port2} = new MessageChannel();
      port1.onmessage = () => { paints.push([changed, performance.now()]); port1.close(); };
      port2.postMessage(0);
    });
  }).observe(document.querySelector('selene-notes .page'), {childList: true, subtree: true});
}"""
WATCH_INPUTS = """() => {
  window.seen = {frames: 0, worst: 0, start: performance.now(), first: performance.interactionCount, inputs: {}, long: 0};
  let last = seen.start;
  const frame = now => { seen.frames += 1; seen.worst = Math.max(seen.worst, now - last); last = now; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
  new PerformanceObserver(list => list.getEntries().forEach(one => { seen.long = Math.max(seen.long, one.duration); })).observe({type: 'longtask'});
  new PerformanceObserver(list => list.getEntries().forEach(one => {
    if (!one.interactionId) return;
    const known = seen.inputs[one.interactionId];
    if (!known || known[0] < one.duration)
      seen.inputs[one.interactionId] = [one.duration, one.name, one.processingStart - one.startTime, one.processingEnd - one.processingStart,
        (one.target?.id || one.target?.className || one.target?.tagName || '') + ' ' + location.hash.slice(0, 12)];
  })).observe({type: 'event', durationThreshold: 16});
}"""
COUNT_FRAMES = """time => new Promise(done => {
  let frames = 0, first = 0;
  const frame = now => {
    first ||= now;
    if (now - first >= time) return done(frames * 1000 / (now - first));
    frames += 1;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})"""
# When the composer was first there to be typed into.
WATCH_COMPOSER = """() => {
  const look = () => {
    const box = document.querySelector('#question');
    if (box && !box.disabled && box.getClientRects().length) window.usable = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""
SLOW_PHONE = {"offline": False, "latency": 150, "downloadThroughput": 1_600_000 / 8, "uploadThroughput": 750_000 / 8}
# The middle of the last match that is whole in the window.
PLACE = """selector => {
  const boxes = [...document.querySelectorAll(selector)].map(one => one.getBoundingClientRect())
    .filter(box => box.width > 0 && box.top >= 0 && box.bottom <= innerHeight && box.left >= 0 && box.right <= innerWidth);
  const box = boxes.at(-1);
  return box ? [box.left + box.width / 2, box.top + box.height / 2] : null;
}"""


# The third place leads to the part of the library that was used last.
LIBRARY = ".nav > li:nth-child(3) > .nav-link"


def link(view):
    """The link to a place in the bar."""
    return f'.nav-link[href^="#/{view}"]'


def shelf(view):
    """The link to a part of the library in its head."""
    return f'.tab[href="#/{view}"]'


def ask(port, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    call = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(call, timeout=300) as reply:
        return json.load(reply)


def percentile(ordered, share):
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def prepare(field, count):
    """Starts the model and, over a database of so many notes with vectors, the gateway."""
    port = free_port()
    model = field.start("model", [sys.executable, cited_model.__file__, port, RATE, DIMENSIONS], port)
    database = field.folder / "selene.sqlite"
    environment = {**clean_environment(), "SELENE_DATABASE": str(database), "OLLAMA_HOST": f"127.0.0.1:{port}",
                   "SELENE_EMBED_MODEL": cited_model.EMBED.split(":")[0]}
    selene = lambda *arguments: subprocess.run([BIN / "selene", *arguments], env=environment, check=True, capture_output=True)
    selene("index", "status")
    fill(database, count, structured(DIMENSIONS), environment["SELENE_EMBED_MODEL"], cited_model.digest(cited_model.EMBED), DIMENSIONS)
    selene("index", "build")
    selene("index", "tune")
    return field.gateway("selene", model, backfill="off", embed_model=environment["SELENE_EMBED_MODEL"], chat_context=65536,
                         chat_answer=32768)


def questions(count):
    """Questions of two or three words: one of them is rare, so that lists differ."""
    chooser = random.Random(7)
    vocabulary = words(random.Random(11), 60_000)
    return [" ".join([chooser.choice(vocabulary[5:2000]) for _ in range(chooser.choice([1, 2]))] + [chooser.choice(vocabulary[:20_000])])
            for _ in range(count)]


def search(page, url, count):
    """Milliseconds from each reply to its frame, and from its request."""
    page.goto(f"{url}/#/notes")
    page.locator(".entry").nth(49).wait_for()
    page.evaluate(WATCH_LIST)
    page.locator("#note-search").click()
    for question in questions(count):
        page.keyboard.press("Control+A")
        # Faster than the page's pause within a word, slower after one: a question is one to three searches.
        for word in question.split():
            page.keyboard.type(word, delay=50)
            page.wait_for_timeout(400)
            page.keyboard.type(" ", delay=50)
    page.wait_for_timeout(1000)
    if page.locator(".notice").count():
        raise SystemExit(f"not a hybrid answer: {page.locator('.notice').first.inner_text()}")
    replies, paints = page.evaluate("[replies, paints]")
    shown, whole = [], []
    for begin, end in replies:
        # A reply that a later one replaced counts until that one is shown.
        painted = next((done for changed, done in paints if changed >= end), None)
        if painted is not None:
            shown.append(painted - end)
            whole.append(painted - begin)
    if len(shown) < count:
        raise SystemExit(f"{len(shown)} of {len(replies)} replies were shown; expected {count} at least")
    return sorted(shown), sorted(whole)


def first_visits(browser, url, times=7):
    """Milliseconds until the composer can be used, of first visits on a slow phone."""
    found = []
    for _ in range(times):
        context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, locale="en-GB")
        page = context.new_page()
        session = context.new_cdp_session(page)
        session.send("Network.enable")
        session.send("Network.emulateNetworkConditions", SLOW_PHONE)
        session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
        page.add_init_script(f"({WATCH_COMPOSER})()")
        page.goto(f"{url}/", wait_until="commit")
        # The page's policy lets nobody wait by an expression there.
        end = time.monotonic() + 60
        while (usable := page.evaluate("window.usable ?? null")) is None:
            if time.monotonic() > end:
                raise TimeoutError("the composer takes no key")
            page.wait_for_timeout(50)
        found.append(usable)
        context.close()
    return sorted(found)


def list_replies(browser, url):
    """The bytes of the gateway's replies while each page is opened and a search is shown, the largest first."""
    page = browser.new_context(viewport=WIDE, locale="en-GB").new_page()
    replies = []
    page.on("requestfinished", lambda one: "/api/" in one.url and replies.append(one))
    for view in ("today", "chat", "notes", "notes?q=harbour%20gauge", "books", "threads", "goals", "tasks", "memories", "settings"):
        page.goto(f"{url}/#/{view}")
        page.wait_for_timeout(1500)
    sizes = [(one.sizes()["responseBodySize"], one.url.removeprefix(url)) for one in replies if "events" not in one.url]
    page.context.close()
    return sorted(sizes, reverse=True)


class Hand:
    """A keyboard and a mouse. Looking for elements by role would be measured, too; so selectors are plain."""

    def __init__(self, page):
        self.page = page

    def press(self, selector, opens=None):
        """Presses what the selector finds in the window; again when `opens` does not come, as what moves can be missed."""
        for _ in range(20):
            place = self.find(selector)
            self.page.mouse.click(*place, delay=30)
            self.rest()
            if opens is None or self.find(opens, tries=40):
                return
        raise SystemExit(f"{opens} does not open")

    def find(self, selector, tries=None):
        """The middle of what the selector finds in the window, once it is there; None when it does not come and `tries` is given."""
        for _ in range(tries or 200):
            if place := self.page.evaluate(PLACE, selector):
                return place
            self.page.wait_for_timeout(50)
        if tries is None:
            raise SystemExit(f"{selector} is not in the window")
        return None

    def type(self, text):
        self.page.keyboard.type(text, delay=60)
        self.rest()

    def key(self, name, times=1):
        for _ in range(times):
            self.page.keyboard.press(name, delay=30)
            self.rest(60)

    def rest(self, milliseconds=150):
        self.page.wait_for_timeout(milliseconds)


def interact(page, url, rounds):
    """What the page saw, and for how many seconds, while an answer streams; and its frames/s while nobody touches it."""
    page.goto(f"{url}/#/chat")
    page.locator("#question").click()
    page.keyboard.type("What do the notes say about the harbour gauge?")
    page.keyboard.press("Enter")
    page.locator(".turn.answer button.cite").first.wait_for()
    # Each page is opened once before, so that its code is there.
    for place in (LIBRARY, shelf("threads"), shelf("books"), shelf("notes"), link("goals"), link("chat")):
        page.locator(place).first.click()
        page.wait_for_timeout(500)
    page.locator(".turn.answer button.cite").first.wait_for()
    hand = Hand(page)
    frames = page.evaluate(COUNT_FRAMES, 15_000)
    page.evaluate(WATCH_INPUTS)
    begin = time.monotonic()
    for number in range(rounds):
        hand.press("#question")
        hand.type("and the lantern")
        hand.key("Backspace", 4)
        hand.press(".composer button[aria-pressed]")
        page.mouse.wheel(0, -600 - 300 * number)
        hand.rest(300)
        hand.press(".turn.answer button.cite", opens=".panel .view-head button")
        hand.press(".panel .view-head button")
        hand.press(".composer button[aria-haspopup=dialog]")
        hand.rest()
        hand.key("Escape")
        hand.press(LIBRARY)
        hand.press(shelf("notes"))
        hand.press("#note-search")
        hand.type("harbour")
        hand.press(shelf("threads"))
        hand.press(link("goals"))
        hand.press(link("chat"))
        hand.rest(300)
    # Entries come with the frame after the last event.
    hand.rest(1000)
    seen = page.evaluate("({...seen, seconds: (performance.now() - seen.start) / 1000, count: performance.interactionCount - seen.first})")
    if not page.locator(".turn.answer .state").count():
        raise SystemExit("the answer ended before the interactions")
    return seen, time.monotonic() - begin, frames


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=100_000, help="notes (default: %(default)s)")
    parser.add_argument("--questions", type=int, default=40, help="questions (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=4, help="rounds of about 40 interactions (default: %(default)s)")
    parser.add_argument("--slow", type=float, default=1, help="slows the page's CPU by this factor (default: %(default)s)")
    parser.add_argument("--verbose", action="store_true", help="print the slowest interactions")
    options = parser.parse_args()
    with Field() as field, sync_playwright() as playwright:
        gateway = prepare(field, options.notes)
        url = f"http://127.0.0.1:{gateway.port}"
        reply = ask(gateway.port, "/api/notes/retrieve", {"query": "harbour gauge", "limit": 10})
        if reply["source"] != "hybrid":
            raise SystemExit(f"not a hybrid answer: {json.dumps(reply)[:300]}")
        browser = playwright.chromium.launch(executable_path=command("chromium-headless-shell"), args=["--no-sandbox"])
        page = browser.new_context(viewport=WIDE, locale="en-GB").new_page()
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": options.slow})
        shown, whole = search(page, url, options.questions)
        load = os.getloadavg()[0]
        print(f"### Search over {options.notes:,} notes, {len(shown)} replies (load {load:.1f})\n| ms | p50 | p95 | worst |\n|---|---:|---:|---:|")
        for name, times in (("from the reply to its frame", shown), ("from the request to the frame", whole)):
            print(f"| {name} | {percentile(times, 0.5):.1f} | {percentile(times, 0.95):.1f} | {times[-1]:.1f} |", flush=True)
        visits = first_visits(browser, url)
        print(f"\n### First visit on a slow phone, {len(visits)} times (load {os.getloadavg()[0]:.1f})\n")
        print(f"The composer can be used after {percentile(visits, 0.5):.0f} ms (p50), {visits[-1]:.0f} (worst).", flush=True)
        sizes = list_replies(browser, url)
        print("\n### Replies of lists\n| kB | of |\n|---:|---|")
        for size, path in sizes[:5]:
            print(f"| {size / 1000:.1f} | `{path}` |", flush=True)
        seen, seconds, reading = interact(page, url, options.rounds)
        load = os.getloadavg()[0]
        slow = sorted(seen["inputs"].values(), reverse=True)
        times = sorted([16] * (seen["count"] - len(slow)) + [one[0] for one in slow])
        frames = seen["frames"] / seen["seconds"]
        print(f"\n### {seen['count']} interactions in {seconds:.0f} s of an answer (load {load:.1f})\n| ms | p50 | p98 | worst |\n|---|---:|---:|---:|")
        print(f"| interaction | {percentile(times, 0.5):.0f} | {percentile(times, 0.98):.0f} | {times[-1]:.0f} |")
        print(f"\n{reading:.1f} frames/s while the answer comes, {frames:.1f} beside the interactions, the longest without one {seen['worst']:.0f} ms; longest task {seen['long']:.0f} ms")
        if options.verbose:
            for duration, name, delay, processing, target in slow[:15]:
                print(f"{duration:.0f} ms {name} on {target}: {delay:.0f} ms before, {processing:.0f} ms in its handlers")
        browser.close()
        if options.notes == 100_000 and options.slow == 1:
            report("pages.search_ms", percentile(shown, 0.95))
            report("pages.composer_ms", percentile(visits, 0.5))
            report("pages.list_kb", sizes[0][0] / 1000)
            report("pages.interaction_ms", percentile(times, 0.98))
            report("pages.frames_reading", reading)
            report("pages.frames", frames)


if __name__ == "__main__":
    main()
