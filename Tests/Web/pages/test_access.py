"""Sign-in, settings, keyboard, the worker."""

import unittest

from playwright.sync_api import Error

from browser import PageTest, expect, hold
from stand_in_data import SAMPLE


class SignIn(PageTest):
    options = {"needs_key": True}

    def test_a_key_signs_in_and_signing_out_forgets_everything(self):
        page = self.page
        page.get_by_label("Key", exact=True).fill("slk_wrong")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("alert")).to_have_text("That key or code is not valid, or it has expired.")
        self.check_axe("the sign-in page with an error")
        page.get_by_label("Key", exact=True).fill("slk_test")
        page.keyboard.press("Enter")
        page.get_by_label("Your question").fill("a secret draft")
        kept = lambda: page.evaluate("JSON.stringify(localStorage) + document.cookie")
        self.until(lambda: "a secret draft" in kept())
        stored = kept()
        self.assertNotIn("slk_", stored)
        page.get_by_role("link", name="You", exact=True).click()
        self.sign_out()
        self.assertEqual(page.evaluate("JSON.stringify(localStorage)"), "{}")
        # The worker of the sign-in page may keep the client's own files again.
        self.assertLessEqual(set(page.evaluate("caches.keys()")), {f"selene-shell-{self.gateway.site.hash}"})
        self.assertEqual(self.gateway.cookies, set())

    def test_the_settings_say_what_the_key_may_do(self):
        page = self.page
        page.get_by_label("Key", exact=True).fill("slk_test")
        page.keyboard.press("Enter")
        page.get_by_role("link", name="You", exact=True).click()
        own = page.locator("section").filter(has=page.get_by_role("heading", name="Your key"))
        expect(own).to_contain_text("llm, notes:read, notes:write")
        expect(own).to_contain_text("100,000 tokens a day")
        expect(own).to_contain_text("never")
        self.view("the settings of a key")

    def test_a_pairing_link_signs_in_and_leaves_no_code_in_the_address(self):
        _, page = self.open("#pair=BCDF-GHJK")
        expect(page.get_by_label("Your question")).to_be_visible()
        self.assertNotIn("pair", page.url)

    def test_too_many_tries_say_how_long_to_wait(self):
        self.gateway.fail("POST /web/session", 429, "too_many_tries", retry_after=30)
        self.page.get_by_label("Key", exact=True).fill("slk_x")
        self.page.keyboard.press("Enter")
        expect(self.page.get_by_role("alert")).to_have_text("Too many tries. Try again in 30 s.")

    def test_a_device_is_approved_by_another_one(self):
        self.gateway.cookies.add("c0")
        context, other = self.open()
        context.add_cookies([{"name": "selene", "value": "c0", "url": self.gateway.url}])
        self.page.get_by_role("button", name="Approve on another device").click()
        expect(self.page.get_by_text("WXZB-CDFG")).to_be_visible()
        other.goto(self.gateway.url + "#/settings")
        other.reload()
        other.get_by_label("Pairing code").fill("WXZB-CDFG")
        other.get_by_role("button", name="Look up").click()
        expect(other.get_by_text("192.168.1.20")).to_be_visible()
        other.get_by_role("button", name="Approve").click()
        expect(other.get_by_text("Approved.")).to_be_visible()
        expect(self.page.get_by_label("Your question")).to_be_visible()

    def test_a_session_that_ends_leads_to_the_sign_in_page_and_keeps_the_draft(self):
        page = self.page
        page.get_by_label("Key", exact=True).fill("slk_test")
        page.keyboard.press("Enter")
        page.get_by_label("Your question").fill("kept")
        self.loaded("chat/conversation.js")
        page.wait_for_load_state("networkidle")
        self.gateway.cookies.clear()
        page.keyboard.press("Enter")
        page.get_by_label("Key", exact=True).fill("slk_test")
        page.keyboard.press("Enter")
        expect(page.get_by_label("Your question")).to_have_value("kept")


class Keyboard(PageTest):
    def test_a_whole_flow_without_a_mouse(self):
        page = self.page
        self.loaded("shell/keys.js", "chat/conversation.js")
        expect(page.get_by_label("Your question")).to_be_focused()
        page.keyboard.type("When is the tide highest?")
        page.keyboard.press("Shift+Enter")
        page.keyboard.type("Please.")
        page.keyboard.press("Enter")
        self.answered()
        expect(page.locator(".question-text")).to_have_text("When is the tide highest?\nPlease.")
        page.locator("button.cite").first.focus()
        page.keyboard.press("Enter")
        expect(page.locator(".passage.chosen")).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.locator("button.cite").first).to_be_focused()
        page.keyboard.press("Control+k")
        page.keyboard.type("chapter")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Ideas for chapter three")
        page.keyboard.press("Alt+n")
        expect(page.get_by_role("heading", level=1)).to_have_text("New chat")
        expect(page.get_by_label("Your question")).to_be_focused()
        page.keyboard.press("Tab")
        page.get_by_role("region", name="Conversation").or_(page.get_by_role("main")).first.focus()
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)

    def test_stop_by_keyboard_and_skip_link(self):
        page = self.page
        self.loaded("shell/keys.js", "chat/conversation.js")
        expect(page.get_by_label("Your question")).to_be_focused()
        self.gateway.script = hold(SAMPLE, 60)
        page.keyboard.type("Stop me")
        page.keyboard.press("Enter")
        expect(page.locator(".state-words")).to_have_text("Answering")
        page.keyboard.press("Alt+.")
        expect(page.get_by_text("Stopped.", exact=True)).to_be_visible()
        page.get_by_role("link", name="Skip to content").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#main")).to_be_focused()

    def test_answers_are_announced_by_sentence(self):
        self.loaded("chat/conversation.js")
        self.page.evaluate("""window.said = []; new MutationObserver(list => list.forEach(m => m.addedNodes.forEach(n => n.parentNode?.getAttribute?.('aria-live') && said.push(n.textContent))))
            .observe(document.body, {childList: true, subtree: true})""")
        self.ask("Speak")
        self.answered()
        self.until(lambda: self.page.evaluate("said.at(-1)") == "The answer is complete.")
        said = self.page.evaluate("said")
        self.assertEqual(said[-1], "The answer is complete.")
        self.assertLess(len(said), 12)
        self.assertIn("highest tide of the year was on 14 March: 4.1 m at the gauge (Source 1)", " ".join(said))


class Words(PageTest):
    context_options = {"locale": "de-DE"}

    def test_german(self):
        expect(self.page.get_by_text("Was möchtest du wissen?")).to_be_visible()
        self.assertEqual(self.page.evaluate("document.documentElement.lang"), "de")


def soon(promise):
    """The value of a promise, or null when it does not settle within five seconds: `evaluate` would wait for ever."""
    return f"Promise.race([{promise}.catch(() => null), new Promise(done => setTimeout(done, 5000, null))])"


class Worker(PageTest):
    def install(self):
        self.page.wait_for_load_state("networkidle")
        self.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        self.page.reload()
        expect(self.page.get_by_label("Your question")).to_be_visible()

    def test_the_page_opens_without_the_gateway(self):
        self.install()
        self.gateway.is_down = True
        self.page.reload()
        expect(self.page.get_by_label("Your question")).to_be_visible()
        expect(self.page.get_by_text("The gateway cannot be reached").first).to_be_visible()

    def test_a_repeat_visit_loads_no_file_again(self):
        self.install()
        self.gateway.requests.clear()
        self.page.reload()
        self.page.wait_for_load_state("networkidle")
        self.assertEqual([path for _, path in self.gateway.requests if path.startswith("/app/")], [])

    def test_an_update_is_offered_and_keeps_the_draft(self):
        self.install()
        self.page.get_by_label("Your question").fill("half a question")
        site = self.gateway.site
        site.files["words/en.js"] = site.files["words/en.js"].replace(b"Ask your notes", b"Ask anything")
        site.hash = "0123456789abcdef"
        self.page.evaluate(soon("navigator.serviceWorker.ready.then(r => r.update()).then(() => true)"))
        self.page.get_by_role("button", name="Use it now").click()
        expect(self.page.get_by_placeholder("Ask anything")).to_have_value("half a question")

    def keeps_nothing(self):
        try:
            # A check for updates that runs already may have asked before the switch. One of a worker that goes may never end.
            self.page.evaluate(soon("navigator.serviceWorker.getRegistration().then(one => one?.update())"))
            return self.page.evaluate(soon("caches.keys()")) == []
        except Error:
            # The page loads itself again when the worker goes.
            return False

    def test_the_kill_switch_removes_the_worker(self):
        self.install()
        self.gateway.site.is_off = True
        self.until(self.keeps_nothing)
        expect(self.page.get_by_label("Your question")).to_be_visible()


if __name__ == "__main__":
    unittest.main()
