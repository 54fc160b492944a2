"""Chromium for the tests of pages: one browser, a fresh context per test, and what no page may do."""

import os
import pathlib
import shutil
import sys
import unittest

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from stand_in import StandIn  # noqa: E402

CHROMIUM = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium"))), None)
WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
# How long a page may take, in ms. Generous: other programs may keep every core busy.
PATIENCE = int(os.environ.get("PAGE_PATIENCE", "20000"))
# What a browser gives for a dropped folder, made of names and texts.
DROP = """([target, tree]) => {
  const file = (path, text) => ({isFile: true, isDirectory: false, name: path.split('/').pop(), fullPath: path, file: done => done(new File([text], path.split('/').pop(), {lastModified: 86400000}))});
  const folder = (path, kids) => ({isFile: false, isDirectory: true, name: path.split('/').pop(), fullPath: path, createReader: () => { const parts = [entries(path, kids), []]; return {readEntries: done => done(parts.shift())}; }});
  const entries = (path, kids) => Object.entries(kids).map(([name, kid]) => typeof kid === 'string' ? file(`${path}/${name}`, kid) : folder(`${path}/${name}`, kid));
  const items = entries('', tree).map(entry => ({kind: 'file', webkitGetAsEntry: () => entry}));
  const transfer = {types: ['Files'], items, files: []};
  for (const kind of ['dragenter', 'dragover', 'drop']) {
    const event = new Event(kind, {bubbles: true, cancelable: true});
    Object.defineProperty(event, 'dataTransfer', {value: transfer});
    document.querySelector(target).dispatchEvent(event);
  }
}"""
# Said by the browser itself about answers that a test asked for.
EXPECTED = ("Failed to load resource",
            # It looked for a newer worker while the gateway was away.
            "An unknown error occurred when fetching the script.")


class PageTest(unittest.TestCase):
    viewport = WIDE
    scheme = "light"
    options: dict = {}
    context_options: dict = {}
    arguments: list = []

    @classmethod
    def setUpClass(cls):
        expect.set_options(timeout=PATIENCE)
        cls.playwright = sync_playwright().start()
        cls.browser = cls.playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", *cls.arguments])

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.playwright.stop()

    def setUp(self):
        self.gateway = StandIn(**self.options)
        self.gateway.__enter__()
        self.addCleanup(self.gateway.__exit__)
        self.complaints = []
        self.asked = {}
        self.context, self.page = self.open()

    def open(self, path="", **options):
        """A context of its own with a page, as another device."""
        made = {"viewport": self.viewport, "color_scheme": self.scheme, "locale": "en-GB", **self.context_options, **options}
        context = self.browser.new_context(**made)
        self.addCleanup(context.close)
        context.add_init_script("addEventListener('securitypolicyviolation', e => console.error('CSP: ' + e.violatedDirective + ' ' + e.blockedURI + ' ' + e.sample))")
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda message: message.type in ("error", "warning") and not message.text.startswith(EXPECTED) and self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(f"{error}\n{error.stack}"))
        page.goto(self.gateway.url + path)
        return context, page

    def tearDown(self):
        self.assertEqual(self.complaints, [], "the page complained")

    def loaded(self, *names, page=None):
        """Waits for modules that the page loads when it is idle."""
        for name in names:
            (page or self.page).evaluate("path => import(path).then(() => true)", f"{self.gateway.url}app/{self.gateway.site.hash}/{name}")

    def still(self, page=None):
        """Waits until nothing moves or fades."""
        (page or self.page).evaluate("Promise.allSettled(document.getAnimations({subtree: true}).map(one => one.finished)).then(() => true)")

    def ask(self, text, page=None):
        page = page or self.page
        self.asked[page] = text
        page.get_by_label("Your question").fill(text)
        page.get_by_role("button", name="Send", exact=True).click()

    def answered(self, page=None):
        """Waits until the answer to the last question of `ask` is complete; without one, the last answer on the page."""
        page = page or self.page
        if page in self.asked:
            expect(page.locator(".question-text").last).to_have_text(self.asked[page])
        expect(page.locator(".turn.answer").last.get_by_role("button", name="Ask again")).to_be_visible()
        expect(page.locator(".turn.answer").last.locator(".state")).to_have_count(0)

    def answer_text(self, page=None):
        return (page or self.page).locator(".turn.answer").last.locator(".prose").inner_text()

    def sign_out(self, page=None):
        """Signs out and waits for the page's last step: it loads itself anew, some time after it shows the form for a key."""
        page = page or self.page
        with page.expect_navigation(url=lambda address: "#" not in address):
            page.get_by_role("button", name="Sign out", exact=True).last.click()
        expect(page.get_by_label("Key", exact=True)).to_be_visible()

    def until(self, holds):
        for _ in range(3 * PATIENCE // 50):
            if holds():
                return
            self.page.wait_for_timeout(50)
        self.fail("it did not happen")

    def view(self, name):
        """What every view must hold, once nothing moves: accessible, and no wider than the window."""
        self.still()
        self.check_axe(name)
        self.check_width(name)

    def check_axe(self, name, page=None):
        results = Axe().run(page or self.page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]})
        found = [f"{one['id']}: {node['html'][:160]} {node.get('failureSummary', '')}" for one in results.response["violations"] for node in one["nodes"]]
        self.assertEqual(found, [], f"{name} is not accessible")

    def check_width(self, name, page=None):
        wide = (page or self.page).evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        self.assertLessEqual(wide, 0, f"{name} scrolls sideways")


def hold(script, at):
    return {**script, "hold": at}


__all__ = ["CHROMIUM", "DROP", "PHONE", "PageTest", "StandIn", "WIDE", "expect", "hold"]
