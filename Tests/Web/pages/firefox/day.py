"""A day in a browser that is driven from outside: signing in, a chat with its passages, notes, capture with the gateway away,
offline reading, and signing out, which wipes."""

from browser import StandIn
from test_capture import ROWS


class Day:
    """Needs `start()`, a browser, and `failure`, what it throws."""

    def test_a_day(self):
        with StandIn(needs_key=True) as gateway, self.start() as browser:
            browser.go(gateway.url)
            browser.fill("#secret", "slk_test")
            browser.press("selene-sign-in button[type=submit]")
            browser.shows("h2", "What do you want to know?")
            # The page's own errors, and what its security policy stops.
            browser.run("for (const kind of ['error', 'securitypolicyviolation', 'unhandledrejection']) addEventListener(kind, e => { document.documentElement.dataset.problem = `${kind} ${e.message ?? e.violatedDirective ?? ''}`; })")
            browser.fill("#question", "When is the tide highest?")
            browser.press("selene-composer button[type=submit]")
            browser.until(lambda: browser.run("return [...document.querySelectorAll('.turn.answer .actions [aria-label]')].some(one => one.getAttribute('aria-label') === 'Ask again' && one.checkVisibility())"))
            browser.shows(".prose", "The highest tide of the year was on 14 March")
            browser.press("button.cite")
            browser.shows(".passage.chosen", "Spring tide at the pier")

            browser.go(gateway.url + "#/notes")
            browser.shows(".entry", "Entry 30")
            browser.fill("#note-search", "spring")
            browser.until(lambda: browser.run("return location.hash.includes('q=spring')"))
            browser.shows(".entry", "Spring tide at the pier")
            browser.press(".entry a[href='#/notes/12']")
            browser.shows("h1", "Spring tide at the pier")
            browser.shows(".note-text", "reached 4.1 m")

            browser.go(gateway.url + "#/capture")
            gateway.is_down = True
            browser.fill("#capture-text", "Written by hand\n\nwhile the gateway was away")
            browser.press("selene-capture button[type=submit]")
            browser.shows("selene-capture [role=status]", "1 note waits in this browser")
            browser.go(gateway.url + "#/notes/12")
            browser.shows("main [role=status]", "This is as you read it")
            gateway.is_down = False
            browser.go(gateway.url + "#/capture")
            browser.press("selene-capture section > button")
            browser.shows("selene-capture [role=status]", "Saved:")
            self.assertEqual([one["content"] for one in gateway.written.values()], ["Written by hand\n\nwhile the gateway was away"])
            self.assertIsNone(browser.run("return document.documentElement.dataset.problem ?? null"))

            browser.go(gateway.url + "#/settings")
            browser.press("selene-settings .button.danger")
            browser.shows("selene-sign-in", "Sign in to use this gateway")
            browser.until(lambda: self.is_wiped(browser))

    def is_wiped(self, browser):
        try:
            return browser.run(f"return Promise.all(['outbox', 'read'].map({ROWS})).then(all => all.flat().length + Object.keys(localStorage).length === 0)")
        except self.failure:
            # The page loads itself anew after signing out.
            return False
