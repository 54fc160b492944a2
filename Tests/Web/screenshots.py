"""Takes pictures of the web client: python Tests/Web/screenshots.py [FOLDER] [--console|--first]. FOLDER is .build/pictures without one.

With --console it takes only those of the console's pages, in the folder console below; with --first those of the first steps, in first. Documents show few of them, in
Documentation/images.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "pages")]
from browser import CHROMIUM, PHONE, expect  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402
from stand_in import StandIn  # noqa: E402
from stand_in_data import SAMPLE, TEXT  # noqa: E402
from stand_in_goals import uuid  # noqa: E402

# Low enough for files of less than 150 kB.
WIDE = {"width": 1280, "height": 560}
# What is shown in both schemes; the rest only in light.
BOTH = {"empty", "passages", "long", "goal"}
# Pages of the console, with what is there when they are complete; all in both schemes.
CONSOLE = (("", ".figures", "overview"), ("requests", "tbody tr", "requests"), ("jobs", "tbody tr", "jobs"), ("runs", ".hint", "runs"), ("models", "tbody tr", "models"), ("keys", "tbody tr", "keys"), ("browsers", "tbody tr", "browsers"), ("audit", "tbody tr", "audit"),
           ("spaces", "tbody tr", "spaces"), ("prompts", "tbody tr", "prompts"), ("prompts?p=last-time", ".prompt-text", "prompt"), ("bench", "tbody tr", "bench"), ("evaluations", "tbody tr", "evaluations"), ("failed", "tbody tr", "failed"), ("setup", ".setting", "setup"))
LIBRARY = (("#/books", ".cover img", "books"), ("#/books/1/p/1?from=173&to=262", ".book-page h2", "reader"), ("#/threads/4", ".entry", "thread"), ("#/notes", ".entry", "notes"), ("#/console", ".figures", "console"),
           ("#/notifications/d-0", ".rule", "notifications"), ("#/today", ".briefing-card", "briefing"), ("#/console/push", ".push-preview", "console-push"), ("#/console/search?q=spring%20tide", ".hits li", "console-search"),
           ("#/goals", ".goal", "goals"), (f"#/goals/g/{uuid(1)}", ".chart .done", "goal"), (f"#/goals/g/{uuid(2)}", ".strip", "goal-days"), ("#/goals/terms", ".board", "term"), ("#/goals/history", ".turn-of", "goal-history"))
WORDS = [one for one in sys.argv[1:] if not one.startswith("--")]
FOLDER = pathlib.Path(WORDS[0]) if WORDS else HERE.parents[1] / ".build/pictures"


def ask(page, text):
    page.get_by_label("Your question").fill(text)
    page.get_by_role("button", name="Send", exact=True).click()


def take(page, gateway, save, is_wide):
    expect(page.get_by_text("What do you want to know?")).to_be_visible()
    page.wait_for_load_state("networkidle")
    save("empty")
    gateway.script = {**SAMPLE, "text": TEXT, "hold": 330}
    ask(page, "When is the tide highest, and what does the wind add to it?")
    expect(page.locator(".prose")).to_contain_text("It pushes water")
    page.wait_for_timeout(500)
    save("streaming")
    next(reversed(gateway.runs.values())).released.set()
    page.get_by_role("button", name="Ask again").wait_for()
    page.locator("button.cite").first.click()
    expect(page.locator(".passage.chosen mark")).to_be_visible()
    page.wait_for_timeout(400)
    save("passages")
    page.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="To the end").click()
    page.wait_for_timeout(300)
    save("long")
    if not is_wide:
        page.get_by_role("button", name="Chats").click()
        page.get_by_role("link", name="Ideas for chapter three").wait_for()
        page.wait_for_timeout(400)
        save("chats")
        page.get_by_role("button", name="Close").click()
    gateway.is_down = True
    page.get_by_role("link", name="New").last.click()
    ask(page, "Is anyone there?")
    expect(page.get_by_text("It is kept below")).to_be_visible()
    save("offline")
    gateway.is_down = False


def take_first(browser):
    """The first steps while each of them is open."""
    folder = FOLDER / "first"
    folder.mkdir(parents=True, exist_ok=True)
    states = {"ollama": {"available": False, "notes": 0, "embedded_notes": 0}, "models": {"notes": 0, "embedded_notes": 0}, "notes": {"notes": 0, "embedded_notes": 0}, "embedding": {"notes": 412, "embedded_notes": 133}, "question": {"notes": 412, "embedded_notes": 412}}
    for width, viewport in ((1280, WIDE), (390, PHONE)):
        for scheme in ("light", "dark"):
            for name, figures in states.items():
                with StandIn(has_samples=False) as gateway:
                    gateway.console.figures.update(figures)
                    gateway.console.jobs.clear()
                    gateway.console.keys.clear()
                    gateway.has_notes = name == "question"
                    if name in ("ollama", "models"):
                        gateway.console.models.pop("nomic-embed-text:latest")
                    page = browser.new_context(viewport=viewport, color_scheme=scheme, has_touch=width == 390, locale="en-GB").new_page()
                    page.goto(f"{gateway.url}#/start")
                    page.locator(".step.is-open").first.wait_for()
                    page.wait_for_load_state("load")
                    page.wait_for_timeout(400)
                    page.locator(".step.is-open").first.evaluate("one => one.previousElementSibling?.previousElementSibling?.scrollIntoView()")
                    page.screenshot(path=folder / f"web-first-{name}-{width}-{scheme}.png")
                    page.context.close()


def take_console(browser):
    """Each page of the console, full and, where it can be, empty."""
    folder = FOLDER / "console"
    folder.mkdir(parents=True, exist_ok=True)
    for width, viewport in ((1280, {"width": 1280, "height": 720}), (390, PHONE)):
        for scheme in ("light", "dark"):
            with StandIn() as gateway:
                gateway.console.step = 0
                page = browser.new_context(viewport=viewport, color_scheme=scheme, has_touch=width == 390, locale="en-GB").new_page()
                for address, there, name in CONSOLE:
                    # The page before has rows of the same names.
                    page.goto("about:blank")
                    page.goto(f"{gateway.url}#/console{address and '/'}{address}")
                    page.locator(f"main {there}").first.wait_for()
                    if name == "overview":
                        # Until its lines have a shape.
                        page.locator(".sparkline polyline").first.wait_for()
                        for _ in range(100):
                            if page.evaluate("document.querySelector('.sparkline polyline')?.points.length ?? 0") > 7:
                                break
                            page.wait_for_timeout(100)
                    if name == "bench" or name == "evaluations":
                        for row in ("before the update", "after the update"):
                            page.get_by_role("button", name=f"Show: {row}").click()
                        page.locator(".leg").nth(1).wait_for()
                    if name == "prompt":
                        page.get_by_role("button", name="Changes from 1 to 2").click()
                        page.locator(".diff").wait_for()
                        page.locator(".console .page").evaluate("one => one.scrollTo(0, 0)")
                    # Pressing a button of a wide table scrolled it.
                    page.evaluate("document.querySelectorAll('.sheet-table').forEach(one => one.scrollTo(0, 0))")
                    page.wait_for_load_state("load")
                    page.wait_for_timeout(300)
                    page.screenshot(path=folder / f"{name}-{width}-{scheme}.png")
                page.context.close()


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    if "--console" in sys.argv:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            take_console(browser)
            browser.close()
        return
    if "--first" in sys.argv:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            take_first(browser)
            browser.close()
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for width, viewport in ((1280, WIDE), (390, PHONE)):
            for scheme in ("light", "dark"):
                with StandIn() as gateway, StandIn(needs_key=True) as locked:
                    page = browser.new_context(viewport=viewport, color_scheme=scheme, has_touch=width == 390, locale="en-GB").new_page()
                    save = lambda name: (scheme == "light" or name in BOTH) and page.screenshot(path=FOLDER / f"web-{name}-{width}-{scheme}.png")
                    page.goto(gateway.url)
                    take(page, gateway, save, width == 1280)
                    page.goto(gateway.url + "#/settings")
                    page.mouse.move(viewport["width"] / 2, viewport["height"] / 2)
                    page.wait_for_load_state("networkidle")
                    page.wait_for_timeout(400)
                    save("settings")
                    for address, there, name in LIBRARY:
                        page.goto(gateway.url + address)
                        page.locator(there).first.wait_for()
                        page.wait_for_load_state("networkidle")
                        page.wait_for_timeout(400)
                        save(name)
                    page.goto(gateway.url + "#/goals")
                    page.get_by_label("What did you do?").fill("ran 5 km in 28 min yesterday")
                    page.keyboard.press("Enter")
                    expect(page.get_by_role("button", name="Log it")).to_be_focused()
                    save("goal-log")
                    page.goto(locked.url)
                    page.get_by_label("Key", exact=True).wait_for()
                    save("sign-in")
                    page.context.close()
        take_console(browser)
        browser.close()


main()
