"""Measures the chat in Chromium; prints figures, gates nothing.

    python Tests/Web/measure.py
Frames and long tasks while an answer streams, the page's script time a token in short and long answers, typing meanwhile,
a session of 10,000 messages, the first visit on a slow line and CPU.
"""

import pathlib
import sys
import time

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parent / "pages")]
from browser import CHROMIUM, WIDE  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402
from stand_in import StandIn  # noqa: E402
from stand_in_data import PASSAGES  # noqa: E402

WATCH = """() => {
  window.seen = {frames: 0, late: 0, worst: 0, long: [], inputs: []};
  let last = performance.now();
  const frame = now => { seen.frames += 1; const gap = now - last; if (gap > 25) seen.late += 1; seen.worst = Math.max(seen.worst, gap); last = now; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
  new PerformanceObserver(list => list.getEntries().forEach(e => seen.long.push(e.duration))).observe({type: 'longtask'});
  new PerformanceObserver(list => list.getEntries().forEach(e => seen.inputs.push(e.duration))).observe({type: 'event', durationThreshold: 16});
}"""

# From the change of the address to the frame that shows the latest message.
OPEN = """() => new Promise(done => {
  const start = performance.now();
  location.hash = '#/chat/chat-long';
  const look = () => {
    const last = [...document.querySelectorAll('.turn')].at(-1);
    if (last?.textContent.includes('Sentence 9999 says') && document.querySelector('.talk').scrollTop > 0) requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
    else requestAnimationFrame(look);
  };
  look();
})"""


def paragraph(index):
    return f"Sentence {index} says **something** about the tide, with `code` and a source [1]. It goes on a little, so that lines wrap [2].\n\n"


def stream(page, gateway, tokens, rate, types=False):
    """Streams an answer of so many tokens (4 characters) and returns what the page did meanwhile."""
    text = "".join(paragraph(index) for index in range(tokens * 4 // 125 + 1))[:tokens * 4]
    gateway.script = {"passages": PASSAGES, "text": text, "states": []}
    gateway.step, gateway.pace = 4, 1 / rate if rate else 0
    if not rate:
        gateway.step = 400
    client = page.context.new_cdp_session(page)
    client.send("Performance.enable")
    figures = lambda: {one["name"]: one["value"] for one in client.send("Performance.getMetrics")["metrics"]}
    page.goto(gateway.url)
    page.wait_for_load_state("networkidle")
    page.evaluate(WATCH)
    before, start = figures(), time.monotonic()
    page.get_by_label("Your question").fill("Measure")
    page.keyboard.press("Enter")
    if types:
        page.wait_for_timeout(500)
        page.keyboard.type("typed while the answer is being written, key by key", delay=60)
    # A plain selector: looking for roles would be measured, too.
    page.locator(".turn.answer .actions").wait_for(timeout=300_000)
    seconds, after = time.monotonic() - start, figures()
    seen = page.evaluate("seen")
    spent = {name: after[f"{name}Duration"] - before[f"{name}Duration"] for name in ("Script", "RecalcStyle", "Layout", "Task")}
    return seen, seconds, spent


def main():
    with StandIn() as gateway, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_context(viewport=WIDE).new_page()
        for slow in (1, 4):
            page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slow})
            seen, seconds, _ = stream(page, gateway, 1200, 100, types=True)
            inputs = sorted(seen["inputs"])
            print(f"100 tokens/s, CPU / {slow}: {seen['frames'] / seconds:.1f} frames/s, {seen['late']} late of {seen['frames']}, worst {seen['worst']:.0f} ms, "
                  f"long tasks {[round(one) for one in seen['long']]}, slowest inputs {[round(one) for one in inputs[-3:]]} ms")
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 1})
        for tokens in (1000, 20_000):
            # 500 tokens/s, so that the long one ends.
            gateway.runs.clear()
            _, seconds, spent = stream(page, gateway, tokens, 500)
            print(f"{tokens} tokens in {seconds:.1f} s, µs a token:", ", ".join(f"{name} {value * 1e6 / tokens:.0f}" for name, value in spent.items()))
        rows = gateway.messages["chat-long"]
        rows.clear()
        for index in range(10_000):
            rows.append({"id": 50_000 + index, "session_id": "chat-long", "role": "user" if index % 2 == 0 else "assistant", "content": paragraph(index) * 3,
                         "created_at": "2026-11-01T00:00:00Z", "parent_id": 49_999 + index if index else None, "run": None})
        page.goto(gateway.url)
        page.wait_for_load_state("networkidle")
        opened = page.evaluate(OPEN)
        client = page.context.new_cdp_session(page)
        client.send("HeapProfiler.collectGarbage")
        heap = client.send("Runtime.getHeapUsage")["usedSize"]
        nodes = page.evaluate("document.querySelectorAll('*').length")
        print(f"10,000 messages: open {opened:.0f} ms, heap {heap / 1e6:.1f} MB, {nodes} elements")
        context = browser.new_context(viewport={"width": 390, "height": 844}, is_mobile=True)
        page = context.new_page()
        client = context.new_cdp_session(page)
        client.send("Network.enable")
        client.send("Network.emulateNetworkConditions", {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 90_000})
        client.send("Emulation.setCPUThrottlingRate", {"rate": 4})
        start = time.monotonic()
        page.goto(gateway.url, wait_until="commit")
        page.get_by_label("Your question").wait_for()
        print(f"first visit, 1.6 Mb/s, 150 ms, CPU / 4: usable after {time.monotonic() - start:.2f} s; first paint "
              f"{page.evaluate('performance.getEntriesByType(`paint`)[0]?.startTime.toFixed(0)')} ms")
        browser.close()


main()
